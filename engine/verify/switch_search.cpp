#include "engine/verify/switch_search.h"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

namespace trefoil {
namespace {

/// One tensor that is wholly wrong must not outweigh all the others.
constexpr double kMostError = 10.0;

using Flips = std::vector<const CompatibilitySwitch*>;

/// Single switches. The norms' form needs a new load on any device, so it comes last: the others may follow one another on one
/// loaded model.
std::vector<Flips> singles() {
    std::vector<Flips> out;
    for (const bool norms : {false, true})
        for (const CompatibilitySwitch& which : compatibilitySwitches())
            if ((which.member == &Compatibility::zeroCentredNorms) == norms) out.push_back({&which});
    return out;
}

/// Pairs of those that were tried alone, those first whose parts came closest: `ranked` holds the singles' results, best first.
std::vector<Flips> pairs(const std::vector<SwitchCandidate>& ranked) {
    Flips order;
    for (const SwitchCandidate& candidate : ranked)
        if (candidate.changed.size() == 1 && !candidate.noEffect) order.push_back(candidate.changed.front().which);
    std::vector<Flips> out;
    for (std::size_t second = 1; second < order.size(); ++second)
        for (std::size_t first = 0; first < second; ++first) out.push_back({order[first], order[second]});
    return out;
}

void rank(std::vector<SwitchCandidate>& candidates) {
    std::stable_sort(candidates.begin(), candidates.end(), [](const SwitchCandidate& a, const SwitchCandidate& b) {
        return std::make_tuple(a.failed, a.meanError, a.changed.size()) <
               std::make_tuple(b.failed, b.meanError, b.changed.size());
    });
}

double meanErrorOf(const VerifyReport& report) {
    double sum = 0;
    std::size_t count = 0;
    for (const VerifyRow& row : report.rows) {
        const bool tensor = row.name.find(".layer.") != std::string::npos || row.name.ends_with(".logits");
        if (row.skipped || !tensor) continue;
        sum += std::min(row.error, kMostError);
        ++count;
    }
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
}

class Search {
public:
    Search(const SwitchedExecutor& executor, const Compatibility& from, const std::filesystem::path& golden,
           const SwitchSearchOptions& options)
        : m_executor(executor), m_from(from), m_golden(golden), m_options(options) {}

    Result<SwitchSearch> run() {
        if (const Status s = tryAll({Flips{}}); !s.ok()) return s.error();
        if (!m_fits)
            if (const Status s = tryAll(singles()); !s.ok()) return s.error();
        rank(m_result.ranked);
        if (!m_fits)
            if (const Status s = tryAll(pairs(m_result.ranked)); !s.ok()) return s.error();
        rank(m_result.ranked);
        return std::move(m_result);
    }

private:
    Status tryAll(const std::vector<Flips>& list) {
        m_result.planned += list.size();
        for (const Flips& flips : list) {
            const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
            if (!m_result.ranked.empty() && spent > m_options.seconds) m_result.outOfTime = true;
            if (m_result.outOfTime) continue;
            if (const Status s = tryOne(flips); !s.ok()) return s;
        }
        return {};
    }

    Status tryOne(const Flips& flips) {
        if (m_options.cancel != nullptr && m_options.cancel->requested()) return makeError(ErrorKind::Cancelled, "stopped");
        Compatibility compatibility = m_from;
        SwitchCandidate candidate;
        for (const CompatibilitySwitch* which : flips) {
            compatibility.*which->member = !(m_from.*which->member);
            candidate.changed.push_back({which, std::string(choiceOf(compatibility, *which)), SwitchOrigin::User});
        }
        const auto executor = m_executor(compatibility);
        if (!executor.ok()) return executor.error();
        VerifyOptions options;
        options.cancel = m_options.cancel;
        options.mostCases = m_options.mostCases;
        const auto report = verifyGolden(**executor, m_golden, options);
        if (!report.ok()) return report.error();
        for (const VerifyRow& row : report->rows) candidate.compared += row.skipped ? 0 : 1;
        candidate.failed = report->failed();
        candidate.meanError = meanErrorOf(*report);
        candidate.firstDifference = report->firstDifference;
        if (flips.empty()) m_rows = report->rows;
        candidate.noEffect = !flips.empty() && sameRows(report->rows);
        m_fits = m_fits || (candidate.failed == 0 && candidate.compared > 0);
        if (m_options.onCandidate) m_options.onCandidate(candidate);
        m_result.ranked.push_back(std::move(candidate));
        return {};
    }

    /// Results are a pure function of model, switches and files, so that "no effect" means equal to the last bit.
    [[nodiscard]] bool sameRows(const std::vector<VerifyRow>& rows) const {
        return std::equal(rows.begin(), rows.end(), m_rows.begin(), m_rows.end(), [](const VerifyRow& a, const VerifyRow& b) {
            return a.name == b.name && a.result == b.result && a.error == b.error;
        });
    }

    const SwitchedExecutor& m_executor;
    const Compatibility& m_from;
    const std::filesystem::path& m_golden;
    const SwitchSearchOptions& m_options;
    SwitchSearch m_result;
    std::vector<VerifyRow> m_rows;  ///< of the switches as they stood
    bool m_fits = false;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

}  // namespace

std::string SwitchCandidate::name() const {
    std::string out;
    for (const SwitchState& state : changed)
        out += (out.empty() ? "" : ", ") + std::string(state.which->name) + " = " + state.choice;
    return out.empty() ? "as they stand" : out;
}

Result<SwitchSearch> searchSwitches(const SwitchedExecutor& executor, const Compatibility& from,
                                    const std::filesystem::path& golden, const SwitchSearchOptions& options) {
    return Search(executor, from, golden, options).run();
}

}  // namespace trefoil
