// The experts' products of packed weights for passes of at most kSmallRows rows (expert_gemm.h for quantised weights, and for
// experts that lie in main memory): packed bytes are read once, from wherever an expert's record lies, and unpacked in registers.
//
// Ownership: all pointers are memory of the caller that the device sees. Errors: the launch's cudaError_t. Contract: sections 1,
// 5. Twin: expertGateUp and expertDown on unpacked weights; tests/kernels/cuda/packed_test.cu, relative error 4e-3.
#pragma once

#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/weight_matrix.h"

namespace trefoil::cuda {

/// Partial sums that packedDown leaves for `splits`: one more where the shared expert has a format of its own.
[[nodiscard]] inline int packedDownParts(const PackedExperts& w, int splits) {
    return w.down == w.sharedDown ? splits : splits + 1;
}

/// As expertGateUp. rowsReady: x was complete before the kernel ahead of this one let it start.
cudaError_t packedGateUp(const Launcher& on, const PackedExperts& w, const ActiveExperts& active, const Bf16* x, int t,
                         bool rowsReady, Bf16* act);
/// As expertDown: packedDownParts(w, splits) partial matrices of [T, D]. Only right after packedGateUp on the same stream.
cudaError_t packedDown(const Launcher& on, const PackedExperts& w, const ActiveExperts& active, const Bf16* act, int t,
                       int splits, float* out);

}  // namespace trefoil::cuda
