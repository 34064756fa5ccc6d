// Search over section 9's switches: which combination brings a model closest to golden files (docs/verify-a-checkpoint.md).
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/compatibility.h"
#include "engine/runtime/executor.h"
#include "engine/verify/golden.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trefoil {

/// One combination that was tried.
struct SwitchCandidate {
    std::vector<SwitchState> changed;  ///< switches that differ from where the search began; empty: as they stood
    std::size_t compared = 0;
    std::size_t failed = 0;
    double meanError = 0.0;  ///< mean relative error of the compared tensors, each counted as 10 at most
    std::string firstDifference;
    bool noEffect = false;  ///< these golden files cannot tell it from the switches as they stood

    /// "history_read = scaled, noisy_value = …", or "as they stand".
    [[nodiscard]] std::string name() const;
};

struct SwitchSearch {
    std::vector<SwitchCandidate> ranked;  ///< best first: fewest failures, then the smallest error, then the fewest changes
    std::size_t planned = 0;              ///< combinations that a whole search would have tried
    bool outOfTime = false;
    /// The best one agrees with the golden files in everything.
    [[nodiscard]] bool fits() const { return !ranked.empty() && ranked.front().compared > 0 && ranked.front().failed == 0; }
};

struct SwitchSearchOptions {
    double seconds = 600.0;     ///< no further combination is begun after this much time
    std::size_t mostCases = 3;  ///< decoding runs compared for each combination
    const CancelFlag* cancel = nullptr;
    std::function<void(const SwitchCandidate&)> onCandidate;  ///< after each; may be empty
};

/// An executor of the model with these switches; loads again where it must. Stays valid until the next call.
using SwitchedExecutor = std::function<Result<Executor*>(const Compatibility&)>;

/// Tries the switches as they stand in `from`; where those fail, each switch alone; where none of these fits, all pairs.
/// Combinations that differ only in switches without an effect on these files rank together, the fewest changes first.
Result<SwitchSearch> searchSwitches(const SwitchedExecutor& executor, const Compatibility& from,
                                    const std::filesystem::path& golden, const SwitchSearchOptions& options);

}  // namespace trefoil
