// Memory-bound products of packed matrices for passes of at most kSmallRows rows (skinny_gemm.h for quantised weights): packed
// bytes are read from memory once and unpacked in registers.
//
// Ownership: all pointers are device memory of the caller. Errors: the launch's cudaError_t. Contract: sections 1, 2, 3. Twin:
// skinnyGemm on unpacked weights; tests/kernels/cuda/packed_test.cu, relative error 4e-3.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/weight_matrix.h"

namespace trefoil::cuda {

/// out[s][t, first + m] (float32, `splits` partial matrices of [T, matrix.rows]) = x [T, K] bf16 · every segment. K a multiple of
/// 8. splits: of skinnySplits.
cudaError_t skinnyPacked(const Launcher& on, const WeightMatrix& matrix, const Bf16* x, int t, int splits, float* out);

}  // namespace trefoil::cuda
