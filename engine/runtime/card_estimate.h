// What a model takes on a GPU that need not be in this machine: the plan of kernels/cuda/part_plan in plain arithmetic.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/model_config.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <span>

namespace trefoil {

/// What CUDA itself takes of a card (kContextBytes of kernels/cuda/part_plan.h), in bytes.
inline constexpr std::uint64_t kCardContextBytes = std::uint64_t{640} << 20;

/// What one card would hold, with all experts on it where they fit into `available` bytes, otherwise with as many of each layer
/// as do, beside pinned main memory for all (MemoryPlan::host). Weights, K and V and states are counted as the plugin counts them
/// (the layout of kernels/cuda/weight_matrix.h); the workspace depends on the card's multiprocessors and is estimated: within 6%
/// of the plugin's own plan for Clover's dimensions (tests/kernels/cuda/part_plan_test.cpp). `total()` beyond `available`: the
/// rest alone does not fit. `context`: positions to plan for; 0, or more than the model has: the model's.
[[nodiscard]] MemoryPlan estimateCardMemory(const ModelConfig& config, std::span<const TensorInfo> tensors,
                                            std::uint64_t available, std::int64_t context);

/// Bytes of weights as the GPU's kernels read them.
struct CardWeights {
    std::uint64_t embedding = 0;
    std::uint64_t dense = 0;   ///< what every pass reads: mixers, routers, shared experts, head
    std::uint64_t expert = 0;  ///< one routed expert of one layer, on average over the layers
};
/// moved: experts lie in main memory, and are packed there whatever their format.
[[nodiscard]] CardWeights cardWeights(const ModelConfig& config, std::span<const TensorInfo> tensors, bool moved);

}  // namespace trefoil
