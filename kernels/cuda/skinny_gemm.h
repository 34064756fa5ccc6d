// Memory-bound matrix products for passes of at most kSmallRows rows: the weights are the large operand of the tensor cores, the
// rows of the pass the small one. Each weight is read from memory exactly once.
//
// Ownership: all pointers are device memory of the caller. Errors: the launch's cudaError_t. Contract: sections 2, 3, 5, 7.
// Twin: tests/reference/clover_ref.py through the golden files (gpu_golden_*).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/controls.cuh"

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

/// True if these kernels can run products over K columns (16-byte rows).
[[nodiscard]] inline bool skinnySupports(std::int64_t columns) { return columns % 8 == 0; }

/// Into how many parts the columns of an [M, K] product are split, so that the whole device reads.
[[nodiscard]] int skinnySplits(std::int64_t rows, std::int64_t columns, int sms);
/// The same for the experts' second product.
[[nodiscard]] int expertDownSplits(std::int64_t hidden, int sms);

/// out[s][t, m] (float32, `splits` partial matrices of [T, M]) = x [T, K] bf16 · w [M, K] bf16, transposed.
cudaError_t skinnyGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, int t, int splits,
                       float* out);

/// act[a][t, i] (bf16, [entries, T, maxWidth]) = weight(t) · silu(gate x) · up x, for the rows of each entry; other rows are left
/// alone.
cudaError_t expertGateUp(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* x, int t,
                         Bf16* act);

/// out[s][t, d] = Σ over entries of down · act: `splits` partial matrices of [T, D] float32.
cudaError_t expertDown(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* act, int t,
                       int splits, float* out);

/// Records that the LM head leaves of a row: one a block.
[[nodiscard]] inline int headBlocks(int sms) { return 2 * sms; }

/// LM head with the controls, the candidate, the softmax's maximum and sum and the top five: records [T][headBlocks]. x [T, D]
/// bf16 holds the output rows only. `sample`: Gumbel noise is added.
cudaError_t headRecords(const Launcher& on, const Bf16* w, std::int64_t vocab, std::int64_t hidden, const Bf16* x, int t,
                        const PassParams* params, const ControlTables& tables, bool sample, HeadRecord* records);

}  // namespace trefoil::cuda
