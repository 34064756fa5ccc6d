#include "engine/decode/mode_chooser.h"

namespace trefoil {
namespace {

constexpr std::array<DecodingMode, kWritingModes> kOrder{DecodingMode::LowConfidence, DecodingMode::SelfSpeculative,
                                                         DecodingMode::Autoregressive};

}  // namespace

void ModeChooser::measured(DecodingMode mode, std::int64_t tokens, double milliseconds) {
    if (tokens <= 0 || milliseconds <= 0.0) return;
    const double now = static_cast<double>(tokens) * 1000.0 / milliseconds;
    double& known = rate(mode);
    known = known > 0.0 ? (known + now) / 2 : now;
    m_lastTurn[static_cast<std::size_t>(mode)] = m_turn;
}

ModeChoice ModeChooser::next() {
    ++m_turn;
    // A mode that could not take over (no room for a whole block) or gave no token must not be asked for again and again.
    for (const DecodingMode mode : kOrder) {
        std::int64_t& last = m_lastTurn[static_cast<std::size_t>(mode)];
        if (rate(mode) > 0.0 || last != 0) continue;
        last = m_turn;
        m_lastRetrial = m_turn;
        return {mode, ModeReason::Trial, m_rates};
    }
    DecodingMode best = m_current;
    for (const DecodingMode mode : kOrder)
        if (rate(mode) > rate(best)) best = mode;
    if (rate(best) > rate(m_current) * kAdvantage) m_current = best;
    if (m_turn - m_lastRetrial < kRetrialEvery) return {m_current, ModeReason::Fastest, m_rates};

    m_lastRetrial = m_turn;
    DecodingMode oldest = m_current;
    for (const DecodingMode mode : kOrder) {
        if (mode == m_current || rate(mode) < rate(best) * kWorthRetrial) continue;
        if (oldest == m_current || m_lastTurn[static_cast<std::size_t>(mode)] < m_lastTurn[static_cast<std::size_t>(oldest)])
            oldest = mode;
    }
    return {oldest, oldest == m_current ? ModeReason::Fastest : ModeReason::Retrial, m_rates};
}

}  // namespace trefoil
