// ModeChooser: the rules of `decoding: auto`. Which mode writes the next block, from the tokens per second measured so far
// (docs/live-decoding.md has them in words). No clock of its own: the same measurements always give the same choices.
#pragma once

#include "engine/decode/generation_config.h"

#include <array>
#include <cstdint>

namespace trefoil {

inline constexpr std::size_t kWritingModes = 3;  ///< the modes before DecodingMode::Auto

enum class ModeReason : std::uint8_t {
    Trial,    ///< it has not been measured yet
    Fastest,  ///< it is, or no other is faster by enough to change
    Retrial,  ///< its measurement is old
};

struct ModeChoice {
    DecodingMode mode = DecodingMode::LowConfidence;
    ModeReason reason = ModeReason::Trial;
    std::array<double, kWritingModes> rates{};  ///< tokens per second by DecodingMode; 0: not measured yet
    bool operator==(const ModeChoice&) const = default;
};

class ModeChooser {
public:
    /// Another mode takes over when it is faster by more than this factor.
    static constexpr double kAdvantage = 1.05;
    /// After this many turns one of the other modes is measured again, the one whose measurement is oldest …
    static constexpr std::int64_t kRetrialEvery = 8;
    /// … if its rate was at least this share of the best.
    static constexpr double kWorthRetrial = 0.5;

    /// The mode of the next turn: of the next block, or of as many single tokens.
    [[nodiscard]] ModeChoice next();
    /// What the turn gave, in the mode that really wrote it. Each new rate counts as much as all before it.
    void measured(DecodingMode mode, std::int64_t tokens, double milliseconds);

private:
    [[nodiscard]] double& rate(DecodingMode mode) { return m_rates[static_cast<std::size_t>(mode)]; }

    std::array<double, kWritingModes> m_rates{};
    std::array<std::int64_t, kWritingModes> m_lastTurn{};  ///< when each was measured last
    std::int64_t m_turn = 0;
    std::int64_t m_lastRetrial = 0;
    DecodingMode m_current = DecodingMode::LowConfidence;  ///< the mode that is kept, apart from trials
};

}  // namespace trefoil
