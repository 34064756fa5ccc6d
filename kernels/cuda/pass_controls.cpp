#include "kernels/cuda/pass_controls.h"

#include <algorithm>
#include <cstddef>

namespace trefoil::cuda {
namespace {

double rampOf(std::int64_t n, std::int64_t start, std::int64_t window) {
    return std::clamp(static_cast<double>(n - start) / static_cast<double>(std::max<std::int64_t>(window, 1)), 0.0, 1.0);
}

}  // namespace

void fillControls(const PassControls& controls, std::int64_t outputs, std::span<const TokenId> outputIds, CountRows count,
                  PassParams& params) {
    const GenerationConfig& g = *controls.config;
    PassParams& p = params;
    p.countFirst = count == CountRows::All ? controls.promptRows : 0;
    p.countRows = count;
    p.thinkEndId = controls.thinkEndId.value_or(-1);
    p.topK = static_cast<std::int32_t>(std::min<std::int64_t>(g.topK, 0x7FFFFFFF));
    p.repetition = static_cast<float>(g.repetitionPenalty);
    p.presence = static_cast<float>(g.presencePenalty);
    p.frequency = static_cast<float>(g.frequencyPenalty);
    p.temperature = static_cast<float>(g.temperature);
    p.topP = static_cast<float>(g.topP);
    p.coresetTopP = static_cast<float>(g.coresetTopP);
    p.seed = g.seed;
    p.step = controls.step;
    bool open = controls.thinkingOpen && controls.thinkEndId.has_value();
    const auto closes = [&](TokenId id) { return controls.thinkEndId.has_value() && id == *controls.thinkEndId; };
    if (count == CountRows::All)
        for (std::size_t t = static_cast<std::size_t>(p.countFirst); t < outputIds.size(); ++t)
            open = open && !closes(outputIds[t]);
    for (std::int64_t t = 0; t < outputs; ++t) {
        if (count == CountRows::UpToOwn) open = open && !closes(outputIds[static_cast<std::size_t>(t)]);
        const std::int64_t n = controls.firstPosition + t;
        p.position[t] = n;
        p.lengthBias[t] = static_cast<float>(g.lengthPenalty * rampOf(n, g.lengthPenaltyStart, g.lengthPenaltyWindow));
        p.thinkBias[t] = open ? static_cast<float>(g.thinkEndBias * rampOf(n, g.thinkEndStart, g.thinkEndWindow)) : 0.0F;
    }
}

}  // namespace trefoil::cuda
