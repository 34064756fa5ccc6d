// The causal delta rule (model-contract.md, section 2) for many rows at once, on tensor cores: the rows of a chunk of 64 are
// solved together (the WY form), so that the state is touched once a chunk instead of once a row.
//
// With G the sums of the log decays inside a chunk, row i's change of the state is k_i ⊗ d_i, where
//   (I + L) D = diag(beta) (V − diag(e^G) K S0),   L_ij = beta_i e^(G_i − G_j) (k_i · k_j) for j < i,
// so D = U − W S0 with T = (I + L)⁻¹ diag(beta), U = T V, W = T diag(e^G) K. Then
//   O = Dk^-½ (diag(e^G) Q S0 + (Q Kᵀ ⊙ e^(G_i − G_j), j ≤ i) D),   S = e^(G_last) S0 + Kᵀ diag(e^(G_last − G)) D.
// A first kernel computes what does not need the state for all chunks in parallel, a second one goes through the chunks.
//
// Precision: products of float16 operands (q, k, T and W have norms of at most 1; v, D and the copy of S that is multiplied
// saturate at ±65,504) with float32 sums; the state itself is float32 all the way. No quotient of decays is ever formed.
//
// Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin: a sequential float64 delta rule, 2e-3 relative
// (5e-3 where keys repeat and beta is near 1: D is then a small difference of rounded terms).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/gdn.h"

#include <cuda_fp16.h>

namespace trefoil::cuda {

/// q, k [T, Hk, Dk] L2-normalised, v [T, Hv, Dv]: float32 or float16; decay (exp g, in [0, 1]) and beta [T, Hv]: float32.
template <class T>
struct DeltaChunkRows {
    const T* q = nullptr;
    const T* k = nullptr;
    const T* v = nullptr;
    const float* decay = nullptr;
    const float* beta = nullptr;
};

struct DeltaChunkPlan {
    std::int64_t batch =
        4096;  ///< rows whose intermediate results are in memory at once, a multiple of 64; 27 KiB a row of 32 heads
};

/// Dk = Dv = 128, and a device with `sharedBytes` of opt-in shared memory a block.
[[nodiscard]] bool deltaChunkSupports(const GdnShape& shape, std::size_t sharedBytes);
/// Bytes that deltaChunk needs at `space` (256-byte aligned) for passes of up to `rows` rows.
[[nodiscard]] std::size_t deltaChunkBytes(const GdnShape& shape, std::int64_t rows, std::int64_t batch);
/// Same contract as deltaRule (gdn.h), o being of the rows' type.
template <class T>
cudaError_t deltaChunk(const Launcher& on, const GdnShape& shape, const DeltaChunkRows<T>& in, std::int64_t rows, float* state,
                       bool update, T* o, void* space, const DeltaChunkPlan& plan);

}  // namespace trefoil::cuda
