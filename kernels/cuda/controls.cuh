// The generation controls on one logit, the sampler's noise, and the running summary of a row of logits (model-contract.md,
// section 7). Twin: engine/decode/sampler.cpp.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/pass_params.h"

#include <cmath>

namespace trefoil::cuda {

/// Tables that the controls read, all [V].
struct ControlTables {
    const std::uint8_t* flags = nullptr;  ///< TokenFlag bits
    const std::int32_t* counts = nullptr;
};

#ifdef __CUDACC__

/// How often `id` stands in the pass's own rows as far as output row `row` may see them.
__device__ __forceinline__ int countInPass(const PassParams& p, int row, int id) {
    const int end = p.countRows == CountRows::All ? p.outputs : row + 1;
    int n = 0;
    for (int j = p.countFirst; j < end; ++j) n += p.ids[p.outputFirst + j] == id ? 1 : 0;
    return n;
}

/// What the tables say about one id, so that several rows can share the look-up.
struct TokenTable {
    std::uint8_t flags = 0;
    std::int32_t count = 0;
};
__device__ __forceinline__ TokenTable lookUp(const ControlTables& tables, int id) {
    return {tables.flags[id], tables.counts[id]};
}

/// Controls 1 to 6 on the logit of `id` in output row `row`.
__device__ __forceinline__ float adjustLogit(const PassParams& p, const TokenTable& token, int row, int id, float l) {
    if (token.flags & kFlagMask) return -INFINITY;
    int n = token.count;
    if (token.flags & kFlagInPass) n += countInPass(p, row, id);
    if (n > 0) {
        l = l > 0.0F ? l / p.repetition : l * p.repetition;
        l -= p.presence;
        l -= p.frequency * static_cast<float>(n);
    }
    if (token.flags & kFlagEos) l += p.lengthBias[row];
    if (id == p.thinkEndId) l += p.thinkBias[row];
    return l;
}

__device__ __forceinline__ std::uint64_t mix64(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}
inline constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

/// The part of the noise's hash that does not depend on the token.
__device__ __forceinline__ std::uint64_t noiseKey(std::uint64_t seed, std::int64_t position, std::int64_t step) {
    return mix64(mix64(mix64(seed + kGolden) + kGolden * static_cast<std::uint64_t>(position + 1)) +
                 kGolden * static_cast<std::uint64_t>(step + 1));
}
__device__ __forceinline__ float gumbel(std::uint64_t key, int id) {
    const std::uint64_t h = mix64(key + kGolden * (static_cast<std::uint64_t>(id) + 1));
    const float u = (static_cast<float>(static_cast<std::uint32_t>(h >> 41)) + 0.5F) * 0x1p-23F;
    return -logf(-logf(u));
}

/// True if (l, id) ranks before (otherL, otherId): larger logit, ties to the lower id. An absent entry has id -1.
__device__ __forceinline__ bool ranksBefore(float l, int id, float otherL, int otherId) {
    if (id < 0) return false;
    if (otherId < 0) return true;
    return l > otherL || (l == otherL && id < otherId);
}

/// True if candidate a beats b when sampling: (la - lb) / temperature + (na - nb) > 0, ties to the lower id.
__device__ __forceinline__ bool samplesBefore(float la, float na, int a, float lb, float nb, int b, float temperature) {
    if (a < 0) return false;
    if (b < 0) return true;
    if (la == -INFINITY || lb == -INFINITY) return la > lb || (la == lb && a < b);
    const float lead = (la - lb) / temperature + (na - nb);
    return lead > 0.0F || (lead == 0.0F && a < b);
}

/// Running summary of some logits of one row: maximum and sum of exponentials, the five largest, the sampled candidate.
struct RowSummary {
    float max = -INFINITY;
    float sum = 0.0F;
    float topLogits[kTop];
    int topIds[kTop];
    float bestLogit = -INFINITY;
    float bestNoise = 0.0F;
    int bestId = -1;

    __device__ RowSummary() {
#pragma unroll
        for (int i = 0; i < kTop; ++i) {
            topLogits[i] = -INFINITY;
            topIds[i] = -1;
        }
    }
    __device__ void addTop(float l, int id) {
        if (!ranksBefore(l, id, topLogits[kTop - 1], topIds[kTop - 1])) return;
        topLogits[kTop - 1] = l;
        topIds[kTop - 1] = id;
#pragma unroll
        for (int i = kTop - 1; i > 0; --i) {
            if (ranksBefore(topLogits[i], topIds[i], topLogits[i - 1], topIds[i - 1])) {
                const float x = topLogits[i];
                const int y = topIds[i];
                topLogits[i] = topLogits[i - 1];
                topIds[i] = topIds[i - 1];
                topLogits[i - 1] = x;
                topIds[i - 1] = y;
            }
        }
    }
    __device__ void addSum(float otherMax, float otherSum) {
        if (otherMax == -INFINITY) return;
        const float m = fmaxf(max, otherMax);
        sum = (max == -INFINITY ? 0.0F : sum * expf(max - m)) + otherSum * expf(otherMax - m);
        max = m;
    }
    __device__ void addCandidate(float l, float noise, int id, float temperature) {
        if (!samplesBefore(l, noise, id, bestLogit, bestNoise, bestId, temperature)) return;
        bestLogit = l;
        bestNoise = noise;
        bestId = id;
    }
};

#endif  // __CUDACC__

}  // namespace trefoil::cuda
