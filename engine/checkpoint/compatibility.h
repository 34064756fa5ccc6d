// Compatibility: section 9's open points, each one switch with two choices (model-contract.md). Where a switch's value comes
// from: the default, the `trefoil` object of config.json, or the caller (command line, Model dialog); the later one wins.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// Inferred behaviour. Defaults as the contract gives them.
struct Compatibility {
    bool scaleHistoryRead = false;         ///< history value S^T q scaled by Dk^-1/2
    bool scaleNoisyValueByBeta = false;    ///< v scaled by beta in the noisy mixer
    bool alignBlocks = false;              ///< default of the generation control `align_blocks`; executors do not look at it
    bool zeroCentredNorms = true;          ///< RMSNorm weights stored as w with (1 + w) applied; false: plain w
    bool noisyRowsPredictNext = false;     ///< row t of a noisy pass predicts token t + 1 instead of its own
    bool coresetMassRenormalised = false;  ///< coreset mass from renormalised top-k weights instead of raw probabilities

    bool operator==(const Compatibility&) const = default;
};

/// One switch, as files and people name it.
struct CompatibilitySwitch {
    std::string_view name;         ///< "history_read"
    std::string_view title;        ///< a few English words
    std::string_view explanation;  ///< what each choice means, one or two sentences
    std::string_view standard;     ///< the default choice
    std::string_view alternative;  ///< the other one
    bool Compatibility::*member;
    bool standardValue;  ///< the member's value for `standard`
};

/// All switches, in the contract's order. Static storage.
[[nodiscard]] std::span<const CompatibilitySwitch> compatibilitySwitches();

/// The choice that `compatibility` makes for a switch.
[[nodiscard]] std::string_view choiceOf(const Compatibility& compatibility, const CompatibilitySwitch& which);

/// Sets one switch by name and choice. InvalidArgument, listing what is known, for any other name or choice.
Status setCompatibility(Compatibility& compatibility, std::string_view name, std::string_view choice);

/// Switches that somebody set: name -> choice.
using CompatibilityOverrides = std::map<std::string, std::string>;

enum class SwitchOrigin : std::uint8_t { Default, Config, User };

/// A switch as it stands for a loaded model.
struct SwitchState {
    const CompatibilitySwitch* which = nullptr;  ///< never null; static storage
    std::string choice;
    SwitchOrigin origin = SwitchOrigin::Default;
};

/// The switches' values and where each comes from. Both maps must hold valid names and choices.
[[nodiscard]] std::vector<SwitchState> switchStates(const CompatibilityOverrides& config, const CompatibilityOverrides& user);

}  // namespace trefoil
