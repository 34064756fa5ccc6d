// Attention over the prefix and the rows of a pass, grouped queries, with the output gate (model-contract.md, sections 2 and 3).
//
// The cache of a layer is [positions, Hkv, Dh] for keys and for values, in the activations' type; a pass writes its own rows
// behind the prefix first, and reads everything from there. Clean row t sees positions up to its own; noisy rows see all of the
// pass. Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin: tests/reference/clover_ref.py through the
// golden files (gpu_golden_*).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/pass_params.h"

namespace trefoil::cuda {

struct AttentionShape {
    int queryHeads = 0;     ///< Hq
    int keyValueHeads = 0;  ///< Hkv
    int headDim = 0;        ///< Dh
    int rotaryDim = 0;      ///< R
    [[nodiscard]] __host__ __device__ int projected() const { return (2 * queryHeads + 2 * keyValueHeads) * headDim; }
};

/// q [T, Hq, Dh] = RoPE(norm(query)), and the pass's rows of the cache. projected: [T, q and gate by head, k, v]. frequencies [R
/// / 2].
template <class T_>
cudaError_t attentionInputs(const Launcher& on, const AttentionShape& shape, const Rows& projected, const float* qNorm,
                            const float* kNorm, bool zeroCentred, float eps, const float* frequencies, const PassParams* params,
                            std::int64_t t, T_* q, T_* keys, T_* values);

/// Partial results of a split over the positions: o [splits, T, Hq, Dh] not normalised, and the maximum and sum [splits, T, Hq,
/// 2].
struct AttentionParts {
    float* o = nullptr;
    float* maxSum = nullptr;
};
/// True if flashAttention runs these sizes.
[[nodiscard]] bool flashSupports(const AttentionShape& shape);
/// Into how many parts the positions are split so that the device is full.
[[nodiscard]] int flashSplits(const AttentionShape& shape, std::int64_t t, int sms);
/// Tensor-core attention with an online softmax. `positions`: rows of keys and values that may be read, at least the prefix and
/// the pass. The o of a part that no row sees is not written; its sum is 0.
cudaError_t flashAttention(const Launcher& on, const AttentionShape& shape, const Bf16* q, const Bf16* keys, const Bf16* values,
                           std::int64_t positions, const PassParams* params, std::int64_t t, int splits,
                           const AttentionParts& parts);
/// Any sizes: one warp a query; one part.
template <class T_>
cudaError_t plainAttention(const Launcher& on, const AttentionShape& shape, const T_* q, const T_* keys, const T_* values,
                           const PassParams* params, std::int64_t t, const AttentionParts& parts);
/// out [T, Hq · Dh] = attention · sigmoid(gate), from the parts.
template <class T_>
cudaError_t attentionOutput(const Launcher& on, const AttentionShape& shape, const AttentionParts& parts, int splits,
                            const Rows& projected, std::int64_t t, T_* out);

}  // namespace trefoil::cuda
