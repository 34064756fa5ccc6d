// Routing: softmax over all experts in float32, top k, the coreset of a noisy block, and what the expert products need of it: a
// list of active experts (small passes) or rows grouped by expert (prompts). Then the sum of the experts' outputs, and plain
// expert products for any sizes and for the float32 mode.
//
// Contract: sections 2 and 5. Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin:
// tests/reference/clover_ref.py through the golden files (gpu_golden_*).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/pass_params.h"
#include "kernels/cuda/skinny_gemm.h"
#include "kernels/cuda/tile_gemm.h"

namespace trefoil::cuda {

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
/// Groups the rows by expert, and counts the distinct experts into `result` (unless null).
cudaError_t groupRows(const Launcher& on, const Routing& routing, std::int64_t t, int experts, int perToken,
                      const ExpertGroups& groups, LayerResult* result);
/// x [T, D] += Σ_s weight(t, s) · out [position(t, s), D].
cudaError_t combineGroups(const Launcher& on, const Routing& routing, const ExpertGroups& groups, const Bf16* out, std::int64_t t,
                          int hidden, int perToken, float* x);

/// Plain version for any sizes: x [T, D] += experts and shared expert of h. act: scratch [T, k + 1, maxWidth] float32. T_ is the
/// activations' type (Bf16 or float); the weights' type follows w.format.
template <class T_>
cudaError_t plainExperts(const Launcher& on, const ExpertWeights& w, const Routing& routing, const T_* h, std::int64_t t,
                         int perToken, float* act, float* x);

}  // namespace trefoil::cuda
