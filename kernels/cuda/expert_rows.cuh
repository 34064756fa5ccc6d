// What the experts' memory-bound products share, whatever the weights' format (expert_gemm.cu, expert_packed.cu): entries of the
// active experts, and what becomes of the first product's sums.
#pragma once

#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/skinny_pipeline.cuh"

namespace trefoil::cuda {

/// What a product needs of one entry of ActiveExperts. Read past L1, which may hold an earlier layer's.
struct Entry {
    int expert = 0;
    std::uint64_t rows = 0;

    __device__ __forceinline__ void load(const ActiveExperts& active, int entry, int t) {
        expert = __ldcg(active.expert + entry);
        rows = __ldcg(reinterpret_cast<const unsigned long long*>(active.rowMask + entry)) &
               (t == 64 ? ~0ULL : (1ULL << t) - 1);  // the shared expert's mask has every bit
    }
};

/// act of columns `column` and on for rows 8 n and on of the pass, from a warp's products gate and up. weights: of the thread's
/// two rows.
__device__ __forceinline__ void storeGated(const float (&gate)[4], const float (&up)[4], float2 weights, std::uint64_t rows,
                                           int n, int column, int width, Bf16* act, int pitch) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        const int at = column + (lane >> 2) + (j >> 1) * 8;
        const int row = n * 8 + (lane & 3) * 2 + (j & 1);
        if (at < width && (rows >> row & 1) != 0)
            act[static_cast<std::int64_t>(row) * pitch + at] =
                fromFloat<Bf16>(((j & 1) != 0 ? weights.y : weights.x) * fastSilu(gate[j]) * up[j]);
    }
}

/// The thread's two combination weights of rows 8 n and on.
__device__ __forceinline__ float2 rowWeights(const ActiveExperts& active, int expert, int n) {
    return *reinterpret_cast<const float2*>(active.weight + static_cast<std::int64_t>(expert) * kSmallRows + n * 8 +
                                            (static_cast<int>(threadIdx.x) & 3) * 2);
}

/// The end of a piece: adds up what the warps have, and stores it, a warp every fourth group of rows.
template <int NT>
__device__ __forceinline__ void storePiece(const Accumulators<NT>& acc, float4* sums, const ActiveExperts& active,
                                           const Entry& entry, int column, int width, Bf16* act, int pitch) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
            sums[((warp * 2 + i) * (NT / 8) + n) * 32 + lane] =
                make_float4(acc[i][n][0], acc[i][n][1], acc[i][n][2], acc[i][n][3]);
    __syncthreads();
    for (int n = warp; n < NT / 8; n += 4) {
        float total[2][4] = {};
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int from = 0; from < 4; ++from) {
                const float4 part = sums[((from * 2 + i) * (NT / 8) + n) * 32 + lane];
                total[i][0] += part.x;
                total[i][1] += part.y;
                total[i][2] += part.z;
                total[i][3] += part.w;
            }
        storeGated(total[0], total[1], rowWeights(active, entry.expert, n), entry.rows, n, column, width, act, pitch);
    }
}

/// Where in the sum a step lies: a column of an entry.
struct SumPlace {
    int entry, step, steps;

    /// To the next step; true where an entry begins.
    __device__ __forceinline__ bool next(int stepsEach, int sharedSteps, int entries) {
        if (++step < steps) return false;
        ++entry;
        step = 0;
        steps = entry == entries - 1 ? sharedSteps : stepsEach;
        return true;
    }
};

}  // namespace trefoil::cuda
