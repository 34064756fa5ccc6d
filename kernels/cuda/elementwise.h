// Row-wise operators between the matrix products: embedding, residual sums with RMSNorm, the final norm, plain matrix products
// for any sizes, and conversion of weights while they are uploaded.
//
// The residual stream x [T, D] is float32 in both precisions; T_ is the type of the activations (Bf16, or float in the debug
// mode). Ownership: device memory of the caller. Errors: the launch's cudaError_t. Contract: section 2.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/pass_params.h"

namespace trefoil::cuda {

/// x [T, D] = rows `ids` of the embedding [V, D].
cudaError_t embed(const Launcher& on, WeightFormat format, const void* table, const std::int32_t* ids, std::int64_t t, int hidden,
                  float* x);

/// x += add (when add.data is set), then h = x / rms(x) · (1 + w) (or · w when not zeroCentred). One block a row. Rows [first,
/// first + T) of x and add; h starts at row 0.
template <class T_>
cudaError_t addNorm(const Launcher& on, float* x, const Rows& add, const float* w, bool zeroCentred, float eps,
                    std::int64_t first, std::int64_t t, int hidden, T_* h);
/// x += add.
cudaError_t addRows(const Launcher& on, float* x, const Rows& add, std::int64_t t, int hidden);

/// out [T, M] float32 = x [T, K] · w [M, K] transposed, for any sizes.
template <class T_>
cudaError_t plainGemm(const Launcher& on, WeightFormat format, const void* w, std::int64_t m, std::int64_t k, const T_* x,
                      std::int64_t t, float* out);

/// Whether the kernels that this device runs were built for it with warpgroup products (architecture 90a); with other code, the
/// Hopper kernels are there but empty. Runs a kernel and waits for it.
cudaError_t builtForHopper(bool& yes);

/// How a checkpoint stores a tensor.
enum class SourceType : int { F32, F16, BFloat16 };
/// Widens or rounds (to nearest even) `count` elements while a tensor is uploaded.
cudaError_t convert(cudaStream_t stream, SourceType from, const void* source, WeightFormat to, void* destination,
                    std::int64_t count);

/// Sets or clears kFlagInPass for the ids of the output rows that count.
cudaError_t markPassIds(const Launcher& on, const PassParams* params, std::uint8_t* flags, bool set);
/// counts[ids[i]] += 1.
cudaError_t addCounts(const Launcher& on, const std::int32_t* ids, int n, std::int32_t* counts);

}  // namespace trefoil::cuda
