// QuantisePlan: which tensors a quantised checkpoint gets, and where each lies in which shard. Private to the engine.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/name_patterns.h"
#include "engine/checkpoint/quantise.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

/// One tensor of a file to be written.
struct OutputTensor {
    std::string name;
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;
    std::uint64_t offset = 0;  ///< in its shard's data
};

/// What becomes of a matrix, or of any run of elements, of the source: one, two or three tensors side by side in one shard.
struct QuantiseUnit {
    const TensorInfo* source = nullptr;
    std::int64_t first = 0;  ///< element of the source
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    QuantisedFormat format = QuantisedFormat::None;
    std::string module;                      ///< name without ".weight"
    std::vector<OutputTensor> tensors;       ///< weights; then scales; then the shape
    std::span<const float> importance = {};  ///< of the columns; empty: all alike
};

struct QuantiseShard {
    std::string name;
    std::vector<QuantiseUnit> units;
    std::uint64_t bytes = 0;
    std::string header;  ///< length, JSON, padding
};

struct QuantisePlan {
    std::vector<QuantiseShard> shards;
    std::vector<std::string> kept;  ///< modules that could be quantised and keep their type, sorted
    QuantiseReport report;
};

/// Plans from the headers alone. The checkpoint must outlive the plan.
Result<QuantisePlan> planQuantisation(const Checkpoint& checkpoint, const QuantiseOptions& options, const NamePatterns& keep);

}  // namespace trefoil
