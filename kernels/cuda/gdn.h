// Gated DeltaNet: the convolution and what follows it, the causal delta rule, the two-way mixer of a noisy block, the gated norm
// (model-contract.md, sections 2 and 4).
//
// Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin: tests/reference/clover_ref.py through the
// golden files, 1e-4 in float32.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/pass_params.h"

namespace trefoil::cuda {

struct GdnShape {
    int keyHeads = 0;    ///< Hk
    int valueHeads = 0;  ///< Hv
    int keyDim = 0;      ///< Dk
    int valueDim = 0;    ///< Dv
    int taps = 0;        ///< K
    [[nodiscard]] __host__ __device__ int keys() const { return keyHeads * keyDim; }
    [[nodiscard]] __host__ __device__ int values() const { return valueHeads * valueDim; }
    [[nodiscard]] __host__ __device__ int channels() const { return 2 * keys() + values(); }
    /// Columns of the input projection: q, k, v, z, b, a.
    [[nodiscard]] __host__ __device__ int projected() const { return channels() + values() + 2 * valueHeads; }
};

/// Float32 vectors of one layer.
struct GdnVectors {
    const float* conv = nullptr;         ///< [C, K]
    const float* convRight = nullptr;    ///< [C, K - 1]
    const float* aLog = nullptr;         ///< [Hv]
    const float* dtBias = nullptr;       ///< [Hv]
    const float* norm = nullptr;         ///< [Dv]
    const float* logitScale = nullptr;   ///< [Hv]
    const float* historyBias = nullptr;  ///< [Hv]
    const float* historyC = nullptr;     ///< [Hv]
};

/// What the mixer works on, for the rows of a pass: q, k [T, Hk, Dk] L2-normalised, v [T, Hv, Dv], decay (exp g) and beta [T,
/// Hv], and the inputs of the convolution [T, C] where a later keep() needs them.
struct GdnRows {
    float* q = nullptr;
    float* k = nullptr;
    float* v = nullptr;
    float* decay = nullptr;
    float* beta = nullptr;
    float* inputs = nullptr;  ///< may be null
};

/// Convolution, SiLU, L2 norms and gates of all rows; rows from params->clean on are noisy. tail [K - 1, C] is read; newTail (may
/// be null, may be tail itself) gets the last inputs, where gdnInputsWritesTail says so.
[[nodiscard]] bool gdnInputsWritesTail(const GdnShape& shape, std::int64_t t);
cudaError_t gdnInputs(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, const float* tail,
                      float* newTail, const PassParams* params, std::int64_t t, const GdnRows& out);
/// tail = the last K - 1 inputs after row `rows` - 1 (rows: params->clean when negative), taken from `inputs` (a GEMM's output or
/// GdnRows::inputs).
cudaError_t gdnTail(const Launcher& on, const GdnShape& shape, const Rows& inputs, float* tail, const PassParams* params,
                    std::int64_t rows);
/// Delta rule over `rows` rows. state [Hv, Dk, Dv] is read, and written when `update`; o [T, Hv, Dv] may be null (replay).
cudaError_t deltaRule(const Launcher& on, const GdnShape& shape, const GdnRows& in, std::int64_t rows, float* state, bool update,
                      float* o);
/// The mixer of noisy rows [first, first + count). scaleRead and scaleValue: section 9.
cudaError_t blockMix(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const GdnRows& in, std::int64_t first,
                     int count, const float* state, bool scaleRead, bool scaleValue, float* o);
/// All of a noisy block's mixer in one kernel, from the projection of its rows [first, first + count) to the gated norm's output;
/// the rows before `first` in the pass are clean ones, and `tail` stands before row 0. stateIsOld: no kernel of this pass writes
/// `state`. `projected` is float32 (a small pass). TF32 products.
[[nodiscard]] bool fusedMixSupports(const Launcher& on, const GdnShape& shape, std::int64_t count);
cudaError_t fusedMix(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, const float* tail,
                     std::int64_t first, int count, const float* state, bool stateIsOld, bool scaleRead, bool scaleValue,
                     float eps, Bf16* out);
/// One clean token in one kernel (Hopper): from its float32 projection to the gated norm's output [Hv · Dv]; state and tail move
/// on.
[[nodiscard]] bool gdnStepSupports(const Launcher& on, const GdnShape& shape);
cudaError_t gdnStep(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, float* tail,
                    float* state, float eps, Bf16* out);
/// out [T, Hv · Dv] = w · o / rms(o) · silu(z), z from the projection's columns [C, C + Hv·Dv).
template <class T_>
cudaError_t gatedNorm(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const float* o, const Rows& projected,
                      float eps, std::int64_t t, T_* out);

}  // namespace trefoil::cuda
