// Routing: softmax over all experts in float32, top k, the coreset of a noisy block, and the list of active experts that the
// products of a small pass read.
//
// Contract: sections 2 and 5. Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin:
// tests/reference/clover_ref.py through the golden files (gpu_golden_*).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/pass_params.h"

namespace trefoil::cuda {

inline constexpr int kMaxExperts = 1024;

/// The router's decision: per row the k experts by descending weight, their normalised weights, and the shared expert's weight.
struct Routing {
    float* probabilities = nullptr;   ///< [T, E], scratch
    std::int32_t* experts = nullptr;  ///< [T, k]
    float* weights = nullptr;         ///< [T, k + 1]; the last is the shared expert's
    unsigned* ticket = nullptr;       ///< [1], zero between kernels: counts the blocks that have finished
    std::int32_t* coreset = nullptr;  ///< [E + 1]: count, then the kept experts ascending; count 0 when off
};

struct RouteOptions {
    int experts = 0;
    int perToken = 0;
    bool coreset = false;           ///< restrict the noisy rows of this pass
    bool massRenormalised = false;  ///< section 9
};

/// Passes of at most kMaxPassRows rows: everything in one block. logits [T, E + 1], the last column the shared expert's gate.
/// Fills `routing`, `result`, and, for passes of at most kSmallRows rows, `active`.
cudaError_t routeSmall(const Launcher& on, const Rows& logits, int t, const RouteOptions& options, const PassParams* params,
                       const Routing& routing, const ActiveExperts& active, LayerResult* result);
/// Prompts: one warp a row, no coreset.
cudaError_t routeLarge(const Launcher& on, const Rows& logits, std::int64_t t, const RouteOptions& options,
                       const PassParams* params, const Routing& routing);

}  // namespace trefoil::cuda
