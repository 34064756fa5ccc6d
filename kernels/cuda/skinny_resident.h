// Products of packed matrices for passes of at most 32 rows, with the rows in shared memory (skinnyPacked where there is room for
// them): all segments in one launch, a row block a warp.
//
// Ownership: all pointers are device memory of the caller. Errors: the launch's cudaError_t. Contract: sections 1, 2, 3. Twin:
// the other kernel of skinnyPacked; tests/kernels/cuda/packed_test.cu.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/weight_matrix.h"

namespace trefoil::cuda {

/// Segments of one quantised format, and of BF16 beside it.
[[nodiscard]] bool skinnyResidentSupports(const Launcher& on, const WeightMatrix& matrix, int t, int splits);

/// As skinnyPacked.
cudaError_t skinnyResident(const Launcher& on, const WeightMatrix& matrix, const Bf16* x, int t, int splits, float* out);

}  // namespace trefoil::cuda
