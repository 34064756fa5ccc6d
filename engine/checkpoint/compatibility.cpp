#include "engine/checkpoint/compatibility.h"

#include "engine/checkpoint/input_file.h"

#include <array>

namespace trefoil {
namespace {

constexpr std::array<CompatibilitySwitch, 6> kSwitches{{
    {"history_read", "History value",
     "What a block reads from the text before it in the Gated DeltaNet layers: the state at the row's query as it is (plain), or "
     "divided by the square root of the key size (scaled).",
     "plain", "scaled", &Compatibility::scaleHistoryRead, false},
    {"noisy_value", "Values of a block",
     "Whether the Gated DeltaNet layers take a block's values as they come out of the convolution (plain), or weighted by beta "
     "as "
     "in a causal pass (scaled_by_beta).",
     "plain", "scaled_by_beta", &Compatibility::scaleNoisyValueByBeta, false},
    {"block_start", "Start of blocks",
     "Whether the first block begins where the prompt ends (prompt_end), or blocks stand at multiples of their size and the "
     "first "
     "one begins with the prompt's tail (aligned). It sets the default of align_blocks.",
     "prompt_end", "aligned", &Compatibility::alignBlocks, false},
    {"norm_weights", "Weights of the norms",
     "Whether RMSNorm weights are stored around zero and one is added (zero_centred), or are used as stored (plain). The norm "
     "inside the Gated DeltaNet layers is plain in any case.",
     "zero_centred", "plain", &Compatibility::zeroCentredNorms, true},
    {"noisy_rows_predict", "What a block's row predicts",
     "Whether a row of a block predicts the token at its own place (own), or the next one, as in a causal pass (next).", "own",
     "next", &Compatibility::noisyRowsPredictNext, false},
    {"coreset_mass", "Ranking of the coreset",
     "Whether a block's experts are ranked by the router's probabilities (raw), or by each row's weights after they were brought "
     "to "
     "a sum of one (renormalised).",
     "raw", "renormalised", &Compatibility::coresetMassRenormalised, false},
}};

}  // namespace

std::span<const CompatibilitySwitch> compatibilitySwitches() { return kSwitches; }

std::string_view choiceOf(const Compatibility& compatibility, const CompatibilitySwitch& which) {
    return compatibility.*which.member == which.standardValue ? which.standard : which.alternative;
}

Status setCompatibility(Compatibility& compatibility, std::string_view name, std::string_view choice) {
    std::string known;
    for (const CompatibilitySwitch& which : kSwitches) {
        known += (known.empty() ? "" : ", ") + std::string(which.name);
        if (which.name != name) continue;
        if (choice != which.standard && choice != which.alternative)
            return makeError(ErrorKind::InvalidArgument, std::string(name) + " is " + std::string(which.standard) + " or " +
                                                             std::string(which.alternative) + ", not '" + printable(choice) +
                                                             "'");
        compatibility.*which.member = (choice == which.standard) == which.standardValue;
        return {};
    }
    return makeError(ErrorKind::InvalidArgument, "there is no compatibility switch '" + printable(name) + "'",
                     "the switches are " + known);
}

std::vector<SwitchState> switchStates(const CompatibilityOverrides& config, const CompatibilityOverrides& user) {
    std::vector<SwitchState> out;
    for (const CompatibilitySwitch& which : kSwitches) {
        SwitchState state{&which, std::string(which.standard), SwitchOrigin::Default};
        const std::string name(which.name);
        if (const auto it = config.find(name); it != config.end()) state = {&which, it->second, SwitchOrigin::Config};
        if (const auto it = user.find(name); it != user.end()) state = {&which, it->second, SwitchOrigin::User};
        out.push_back(std::move(state));
    }
    return out;
}

}  // namespace trefoil
