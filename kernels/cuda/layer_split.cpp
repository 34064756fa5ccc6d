#include "kernels/cuda/layer_split.h"

#include <algorithm>
#include <limits>
#include <string>

namespace trefoil::cuda {

// Dynamic programming: the best split of the first n layers over the first p devices extends a best one over p - 1. Filling each
// device in turn would not do: every device must take a layer, and which one is smallest matters to a small device.
Result<std::vector<LayerRange>> splitLayers(std::int64_t layers, std::span<const std::uint64_t> budgets, const PartBytes& bytes) {
    const auto parts = static_cast<std::int64_t>(budgets.size());
    if (parts < 1 || parts > layers)
        return makeError(
            ErrorKind::InvalidArgument,
            "the model's " + std::to_string(layers) + " layers cannot be split over " + std::to_string(parts) + " devices",
            "name at most as many devices as there are layers");
    // By device and end of its range: the load of the fullest device so far, and where its range begins.
    struct Choice {
        double worst = std::numeric_limits<double>::infinity();
        std::int64_t first = 0;
    };
    const auto count = static_cast<std::size_t>(layers) + 1;
    std::vector<std::vector<Choice>> best(budgets.size(), std::vector<Choice>(count));
    for (std::int64_t part = 0; part < parts; ++part) {
        const auto at = static_cast<std::size_t>(part);
        const auto budget = static_cast<double>(std::max<std::uint64_t>(1, budgets[at]));
        const std::int64_t most = layers - (parts - part - 1);
        // The first device begins with layer 0, the last one ends with the last layer, and each takes one at least.
        for (std::int64_t last = part + 1 == parts ? layers : part + 1; last <= most; ++last)
            for (std::int64_t first = part; first < (part == 0 ? 1 : last); ++first) {
                const double load = static_cast<double>(bytes(at, LayerRange{first, last, layers})) / budget;
                const double worst = part == 0 ? load : std::max(load, best[at - 1][static_cast<std::size_t>(first)].worst);
                Choice& choice = best[at][static_cast<std::size_t>(last)];
                if (worst < choice.worst) choice = {worst, first};
            }
    }
    std::vector<LayerRange> ranges(budgets.size());
    std::int64_t last = layers;
    for (std::size_t at = budgets.size(); at-- > 0;) {
        const std::int64_t first = best[at][static_cast<std::size_t>(last)].first;
        ranges[at] = {first, last, layers};
        last = first;
    }
    return ranges;
}

}  // namespace trefoil::cuda
