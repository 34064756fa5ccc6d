// TensorCatalogue: which tensors a model of given dimensions has (model-contract.md, section 1), and where each lies on disk.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/model_config.h"
#include "engine/checkpoint/quantisation.h"

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// A place in one of the caller's files.
struct StoredPlace {
    std::size_t file = 0;
    std::uint64_t offset = 0;
};

/// How a quantised matrix [rows, columns] is stored, and where its scales lie and, with zero points, those.
struct QuantisedStorage {
    QuantisedForm form;
    StoredPlace scales;      ///< Fp8Blocks: [⌈rows/128⌉, groups]; Int4Groups: [rows, groups]
    StoredPlace zeroPoints;  ///< I32 [⌈rows/8⌉, groups]
    std::string name;        ///< of the stored tensor, for messages
};

/// A run of elements of one canonical tensor that lies in one piece on disk.
struct TensorSegment {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    DType dtype = DType::BF16;  ///< as stored, or what quantised values become when they are read
    std::int64_t elements = 0;
    std::shared_ptr<const QuantisedStorage> quantised = nullptr;  ///< null: stored as they are

    /// Bytes on disk, scales and zero points included.
    [[nodiscard]] std::uint64_t storedBytes() const;
};

/// A `weight_shape`, to be compared with what it has to hold: two whole numbers.
struct ShapeCheck {
    std::string name;
    StoredPlace place;
    bool wide = false;  ///< I64; otherwise I32
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

struct TensorCatalogue {
    std::vector<TensorInfo> tensors;                   ///< model order: embedding, layers, norm, head
    std::vector<std::vector<TensorSegment>> segments;  ///< for each tensor its pieces, in element order
    std::vector<ShapeCheck> shapeChecks;
    std::int64_t parameters = 0;
    std::int64_t quantisedParameters = 0;
    std::uint64_t weightBytes = 0;  ///< on disk
    std::vector<std::string> notes;
    std::string expertLayout;  ///< "fused experts", "one tensor per expert", or that some layers are the one and some the other
};

/// Matches what is stored with what the model needs. Fails with one message (first ten names and a count of each fault) when a
/// tensor is missing, unknown, or of another shape or type, or is quantised otherwise than `quantisation` says. `source` names
/// the file or folder.
Result<TensorCatalogue> buildCatalogue(const ModelConfig& config, const Quantisation& quantisation,
                                       std::span<const StoredTensor> stored, const std::string& source);

/// The names in `names`, the first ten and how many more there are.
[[nodiscard]] std::string firstTen(std::span<const std::string> names);

}  // namespace trefoil
