// The experts' products of passes of at most kSmallRows rows, bound by memory: weights are the large operand of the tensor cores,
// each read once, without a sort of rows or a scatter of results through memory.
//
// Ownership: all pointers are device memory of the caller. Errors: the launch's cudaError_t. Contract: section 5. Twin:
// plainExperts (moe.h); tests/kernels/cuda/expert_test.cu, relative error 4e-3.
#pragma once

#include "kernels/cuda/common.cuh"

namespace trefoil::cuda {

/// The experts that a small pass touches, built by the router. The shared expert is the last entry and takes every row.
struct ActiveExperts {
    std::int32_t* count = nullptr;     ///< entries, the shared expert included
    std::int32_t* expert = nullptr;    ///< [E + 1], ascending; E means the shared expert
    std::uint64_t* rowMask = nullptr;  ///< [E + 1], by entry: bit t is set if row t uses it
    float* weight = nullptr;           ///< [E + 1, kSmallRows], by expert: the row's combination weight, 0 where unused
};

/// Weights of one mixture-of-experts layer.
struct ExpertWeights {
    WeightFormat format = WeightFormat::BFloat16;
    const void* gateUp = nullptr;        ///< [E, 2 I, D]
    const void* down = nullptr;          ///< [E, D, I]
    const void* sharedGateUp = nullptr;  ///< [2 Is, D]
    const void* sharedDown = nullptr;    ///< [D, Is]
    int experts = 0;                     ///< E
    int hidden = 0;                      ///< D
    int width = 0;                       ///< I
    int sharedWidth = 0;                 ///< Is
    [[nodiscard]] __host__ __device__ int maxWidth() const { return width > sharedWidth ? width : sharedWidth; }
};

/// Into how many parts the columns of the second product are split, so that the whole device reads.
[[nodiscard]] int expertDownSplits(std::int64_t hidden, int sms);

/// act[a][t, i] (bf16, [entries, T, maxWidth]) = weight(t) · silu(gate x) · up x, for the rows of each entry; other rows are left
/// alone.
cudaError_t expertGateUp(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* x, int t,
                         Bf16* act);

/// out[s][t, d] = Σ over entries of down · act: `splits` partial matrices of [T, D] float32. Only right after expertGateUp on the
/// same stream: it reads `active` before that has ended.
cudaError_t expertDown(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* act, int t,
                       int splits, float* out);

}  // namespace trefoil::cuda
