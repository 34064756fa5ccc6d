// TensorCatalogue: which tensors a model of given dimensions has (model-contract.md, section 1), and where each lies on disk.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/model_config.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

/// A tensor as found on disk, under its stored name.
struct StoredTensor {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::int64_t elements = 0;
    std::size_t file = 0;      ///< index into the caller's list of files
    std::uint64_t offset = 0;  ///< first byte in that file
};

/// A run of elements of one canonical tensor that lies in one piece on disk.
struct TensorSegment {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    DType dtype = DType::BF16;
    std::int64_t elements = 0;
};

struct TensorCatalogue {
    std::vector<TensorInfo> tensors;                   ///< model order: embedding, layers, norm, head
    std::vector<std::vector<TensorSegment>> segments;  ///< for each tensor its pieces, in element order
    std::int64_t parameters = 0;
    std::uint64_t weightBytes = 0;
    std::vector<std::string> notes;
    std::string expertLayout;  ///< "fused experts", "one tensor per expert", or that some layers are the one and some the other
};

/// Matches what is stored with what the model needs. Fails with one message (first ten names and a count of each fault) when a
/// tensor is missing, unknown, or of another shape or type. `source` names the file or folder.
Result<TensorCatalogue> buildCatalogue(const ModelConfig& config, std::span<const StoredTensor> stored,
                                       const std::string& source);

/// The names in `names`, the first ten and how many more there are.
[[nodiscard]] std::string firstTen(std::span<const std::string> names);

}  // namespace trefoil
