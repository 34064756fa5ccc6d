// What stands around deltaChunk in a pass of many clean rows, with float16 in between: the convolution and what follows it, and
// the gated norm (model-contract.md, section 2). Heads of 128, four taps.
//
// Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twins: gdnInputs and gatedNorm (gdn.h), 1e-3
// relative.
#pragma once

#include "kernels/cuda/delta_chunk.h"

namespace trefoil::cuda {

/// Where promptInputs writes: q, k [T, Hk, 128] L2-normalised, v [T, Hv, 128] (saturated at ±65,504), decay and beta [T, Hv].
struct PromptRows {
    __half* q = nullptr;
    __half* k = nullptr;
    __half* v = nullptr;
    float* decay = nullptr;
    float* beta = nullptr;
};

/// Dk = Dv = 128, four taps, heads in groups of eight, and a bf16 projection whose rows start on 16 bytes.
[[nodiscard]] bool promptInputsSupports(const GdnShape& shape, const Rows& projected);
/// gdnInputs for t clean rows; the tail is only read.
cudaError_t promptInputs(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, const float* tail,
                         std::int64_t t, const PromptRows& out);
/// gatedNorm for o [T, Hv, 128] in float16.
cudaError_t promptGatedNorm(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const __half* o,
                            const Rows& projected, float eps, std::int64_t t, Bf16* out);

}  // namespace trefoil::cuda
