// The experts' first product for passes of 9 to 32 rows, with the rows in shared memory (packedGateUp where there is room for
// them).
//
// A warp takes 16 gate and 16 up rows of one expert through all columns; of the pass's rows it multiplies those that the expert
// has, moved together, so that an expert with at most eight rows costs a quarter of the tensor cores' and ldmatrix' work.
//
// Ownership: all pointers are memory of the caller that the device sees. Errors: the launch's cudaError_t. Contract: section 5.
// Twin: the other kernel of packedGateUp; tests/kernels/cuda/packed_test.cu.
#pragma once

#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/weight_matrix.h"

namespace trefoil::cuda {

/// Rows that stay in shared memory at most: four tiles of eight.
inline constexpr int kResidentRows = 32;

/// Which entries a launch is about: the shared expert may have a format of its own.
enum class ExpertEntries : int { All, Routed, Shared };

[[nodiscard]] bool residentGateUpSupports(const Launcher& on, const PackedExperts& w, int t);

/// As packedGateUp. rowsReady: x is complete before the kernel ahead of this one lets it start, so that it need not be waited
/// for.
cudaError_t residentGateUp(const Launcher& on, PackFormat format, const PackedExperts& w, const ActiveExperts& active,
                           ExpertEntries which, const Bf16* x, int t, bool rowsReady, Bf16* act);

}  // namespace trefoil::cuda
