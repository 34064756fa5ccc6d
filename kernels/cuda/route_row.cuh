// One row's routing by one warp, for up to 256 experts: softmax and top k with the probabilities in registers. What the kernels
// of route.cu and route_hopper.cu share.
#pragma once

#include "kernels/cuda/route.h"

#include <cmath>

namespace trefoil::cuda {

#ifdef __CUDACC__

/// Eight probabilities a lane: lane `lane` holds experts lane + 32 j.
inline constexpr int kRegisterExperts = 256;
inline constexpr int kLaneExperts = kRegisterExperts / 32;
using LaneProbabilities = float[kLaneExperts];

/// Logits to probabilities, in place.
__device__ __forceinline__ void laneSoftmax(LaneProbabilities& p, int experts) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float m = -INFINITY;
#pragma unroll
    for (int j = 0; j < kLaneExperts; ++j) {
        if (lane + 32 * j >= experts) p[j] = -INFINITY;
        m = fmaxf(m, p[j]);
    }
    m = warpMax(m);
    float sum = 0.0F;
#pragma unroll
    for (float& v : p) {
        v = expf(v - m);
        sum += v;
    }
    sum = warpSum(sum);
    const float inverse = 1.0F / sum;
#pragma unroll
    for (float& v : p) {  // v / sum, rounded as a division is
        const float quotient = v * inverse;
        v = fmaf(fmaf(-quotient, sum, v), inverse, quotient);
    }
}

/// A row's logits as a sum of partial matrices, two of them in flight. Returns the shared expert's gate.
__device__ __forceinline__ float laneLogits(const Rows& logits, std::int64_t row, int experts, LaneProbabilities& p) {
    constexpr int kParts = 2;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float gate = 0.0F;
    const float* from = static_cast<const float*>(logits.data) + row * logits.stride;  // a router's logits are always float32
#pragma unroll
    for (float& v : p) v = 0.0F;
#pragma unroll 1
    for (int s0 = 0; s0 < logits.splits; s0 += kParts) {
        float part[kParts][kLaneExperts + 1];
#pragma unroll
        for (int s = 0; s < kParts; ++s) {  // what does not exist is read from a neighbour and left out
            const float* at = from + min(s0 + s, logits.splits - 1) * logits.splitStride;
#pragma unroll
            for (int j = 0; j < kLaneExperts; ++j) part[s][j] = __ldcg(at + min(lane + 32 * j, experts));
            part[s][kLaneExperts] = __ldcg(at + experts);
        }
#pragma unroll
        for (int s = 0; s < kParts; ++s) {
#pragma unroll
            for (int j = 0; j < kLaneExperts; ++j) p[j] += s0 + s < logits.splits ? part[s][j] : 0.0F;
            gate += s0 + s < logits.splits ? part[s][kLaneExperts] : 0.0F;
        }
    }
    return gate;
}

/// Top k of what `mask` (bit j: this lane's j-th) leaves, ties to the lower index; every lane returns the chosen expert and
/// probability of slot `lane`, and the sum in the order of the slots.
__device__ __forceinline__ float laneTopK(const LaneProbabilities& p, unsigned mask, int k, int& id, float& value) {
    const unsigned lane = threadIdx.x & 31;
    // Probabilities are not negative, so their bits order like integers; +1 tells them from none.
    unsigned key[kLaneExperts];
#pragma unroll
    for (int j = 0; j < kLaneExperts; ++j) key[j] = (mask >> j & 1) != 0 && p[j] >= 0.0F ? __float_as_uint(p[j]) + 1 : 0;
    float total = 0.0F;
    id = -1;
    value = 0.0F;
#pragma unroll 1
    for (int s = 0; s < k; ++s) {
        unsigned best[kLaneExperts];  // trees, so that a round is short
#pragma unroll
        for (int j = 0; j < kLaneExperts; ++j) best[j] = key[j];
#pragma unroll
        for (int d = kLaneExperts / 2; d > 0; d >>= 1)
#pragma unroll
            for (int j = 0; j < d; ++j) best[j] = max(best[j], best[j + d]);
        const unsigned top = __reduce_max_sync(0xFFFFFFFFU, best[0]);
#pragma unroll
        for (int j = 0; j < kLaneExperts; ++j) best[j] = key[j] == top ? lane + 32U * static_cast<unsigned>(j) : 0xFFFFFFFFU;
#pragma unroll
        for (int d = kLaneExperts / 2; d > 0; d >>= 1)
#pragma unroll
            for (int j = 0; j < d; ++j) best[j] = min(best[j], best[j + d]);
        unsigned winner = __reduce_min_sync(0xFFFFFFFFU, best[0]);
        if (top == 0) winner = static_cast<unsigned>(s);  // not a number: any expert will do
#pragma unroll
        for (int j = 0; j < kLaneExperts; ++j)
            if (winner == lane + 32U * static_cast<unsigned>(j)) key[j] = 0;
        const float probability = top > 0 ? __uint_as_float(top - 1) : 0.0F;
        total += probability;
        if (static_cast<int>(lane) == s) {
            id = static_cast<int>(winner);
            value = probability;
        }
    }
    return total;
}

#endif  // __CUDACC__

}  // namespace trefoil::cuda
