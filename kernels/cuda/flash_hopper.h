// The attention of attention.h on compute capability 9.0: products of a whole warpgroup, keys and values by the tensor copy
// engine, which feeds two blocks with one read. The same masks and parts as flashAttention's portable kernel.
//
// Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin: plainAttention
// (tests/kernels/cuda/flash_test.cu).
#pragma once

#include "kernels/cuda/attention.h"

namespace trefoil::cuda {

/// True if flashHopper runs these sizes.
[[nodiscard]] bool flashHopperSupports(const AttentionShape& shape);
/// As flashAttention. `positions`: rows of keys and values that may be read, at least the prefix and the pass.
cudaError_t flashHopper(const Launcher& on, const AttentionShape& shape, const Bf16* q, const Bf16* keys, const Bf16* values,
                        std::int64_t positions, const PassParams* params, std::int64_t t, int splits,
                        const AttentionParts& parts);

}  // namespace trefoil::cuda
