// Memory-bound matrix products for passes of at most kSmallRows rows: the weights are the large operand of the tensor cores, the
// rows of the pass the small one. Each weight is read from memory exactly once.
//
// Ownership: all pointers are device memory of the caller. Errors: the launch's cudaError_t. Contract: sections 2, 3, 5, 7.
// Twin: tests/reference/clover_ref.py through the golden files (gpu_golden_*).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/controls.cuh"

namespace trefoil::cuda {

/// True if these kernels can run products over K columns (16-byte rows).
[[nodiscard]] inline bool skinnySupports(std::int64_t columns) { return columns % 8 == 0; }

/// Into how many parts the columns of an [M, K] product are split, so that the whole device reads.
[[nodiscard]] int skinnySplits(std::int64_t rows, std::int64_t columns, int sms);
/// out[s][t, m] (float32, `splits` partial matrices of [T, M]) = x [T, K] bf16 · w [M, K] bf16, transposed.
cudaError_t skinnyGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, int t, int splits,
                       float* out);

/// Records that the LM head leaves of a row: one a block.
[[nodiscard]] inline int headBlocks(int sms) { return 2 * sms; }

/// LM head with the controls, the candidate, the softmax's maximum and sum and the top five: records [T][headBlocks]. x [T, D]
/// bf16 holds the output rows only. `sample`: Gumbel noise is added.
cudaError_t headRecords(const Launcher& on, const Bf16* w, std::int64_t vocab, std::int64_t hidden, const Bf16* x, int t,
                        const PassParams* params, const ControlTables& tables, bool sample, HeadRecord* records);

}  // namespace trefoil::cuda
