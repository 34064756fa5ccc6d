// The layers of a model, split over devices: contiguous ranges, in proportion to what each device has free. No CUDA here.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace trefoil::cuda {

/// Layers [first, last) of a model of `total`. The first part also holds the embedding, the last one the final norm and the LM
/// head.
struct LayerRange {
    std::int64_t first = 0;
    std::int64_t last = 0;
    std::int64_t total = 0;
    [[nodiscard]] bool isFirst() const { return first == 0; }
    [[nodiscard]] bool isLast() const { return last == total; }
    [[nodiscard]] std::int64_t layers() const { return last - first; }
};

/// Bytes of layers `range` on device `part` with all that belongs to them.
using PartBytes = std::function<std::uint64_t(std::size_t part, const LayerRange& range)>;

/// One range per device, in order, none empty, so that the fullest device (its bytes over its budget) is as empty as possible.
/// Whether each part fits its budget is for the caller to see. InvalidArgument when there are more devices than layers.
[[nodiscard]] Result<std::vector<LayerRange>> splitLayers(std::int64_t layers, std::span<const std::uint64_t> budgets,
                                                          const PartBytes& bytes);

}  // namespace trefoil::cuda
