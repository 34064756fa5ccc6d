// Prompts through the mixture of experts: rows grouped by expert, the sum of the experts' outputs; and plain expert products for
// any sizes and for the float32 mode.
//
// Contract: sections 2 and 5. Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin:
// tests/reference/clover_ref.py through the golden files (gpu_golden_*).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/pass_params.h"
#include "kernels/cuda/route.h"
#include "kernels/cuda/tile_gemm.h"

namespace trefoil::cuda {

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
