// The upload of a model's weights: several threads that each read pieces of the checkpoint into two pinned buffers in turn, pack
// what is to be packed, and copy to the device.
#pragma once

#include "engine/base/result.h"
#include "kernels/cuda/common.cuh"
#include "kernels/cuda/plugin_interface.h"
#include "kernels/cuda/weight_matrix.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trefoil::cuda {

/// A tensor whose values go to the device one after the other.
struct PlainPlace {
    std::string name;
    std::byte* destination = nullptr;
    bool vector = false;  ///< becomes float32
};

/// Rows that are packed as one matrix. An item is `rows` rows: of the sources one after the other, or, of a single source that
/// holds several items, rows item · rows and on.
struct PackedPlace {
    struct Source {
        std::string name;
        std::int64_t rows = 0;
    };
    std::vector<Source> sources;
    PackFormat format = PackFormat::None;
    std::int64_t items = 1;
    std::int64_t rows = 0;  ///< pairs: 2 · width, gate rows first
    std::int64_t columns = 0;
    bool paired = false;
    std::int64_t itemStride = 0;       ///< bytes
    std::byte* destination = nullptr;  ///< of item 0
    bool inMainMemory = false;

    [[nodiscard]] std::int64_t blocks() const { return paired ? 2 * rowBlocksOf(rows / 2) : rowBlocksOf(rows); }
};

struct UploadPlan {
    std::vector<PlainPlace> plain;
    std::vector<PackedPlace> packed;
};

/// Bytes of the checkpoint's values that an upload reads, as if nothing were quantised. Internal where the catalogue lacks one.
[[nodiscard]] Result<std::uint64_t> sourceBytes(const LoadRequest& request, const UploadPlan& plan);
/// `format`: of plain matrices. Progress counts sourceBytes.
Status uploadWeights(const LoadRequest& request, int device, WeightFormat format, const UploadPlan& plan,
                     const Progress& progress, const CancelFlag* cancel);

/// Row blocks [first, first + count) of an item into `out`, packed; what fills up is zero. `tensors`: of the place's sources in
/// the request. Exposed for tests.
Status readBlocks(const LoadRequest& request, const PackedPlace& place, const std::vector<std::size_t>& tensors,
                  std::int64_t item, std::int64_t first, std::int64_t count, std::byte* out);

}  // namespace trefoil::cuda
