#include "kernels/cuda/moe.h"

#include <cmath>

namespace trefoil::cuda {
namespace {

constexpr int kRouteThreads = 1024;
constexpr int kMaxExperts = 1024;

/// Top k of a row by one warp: ties to the lower index. `usable(e)` false leaves an expert out. Writes ids in order and returns
/// the sum of the chosen probabilities (in that order) to every lane.
template <class Usable>
__device__ float warpTopK(const float* p, int experts, int k, std::int32_t* ids, float* chosen, Usable usable) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    std::uint32_t taken = 0;  // bit j: expert lane + 32 j
    float total = 0.0F;
    for (int s = 0; s < k; ++s) {
        float best = -1.0F;
        int bestId = 0x7FFFFFFF;
        for (int e = lane, j = 0; e < experts; e += 32, ++j)
            if ((taken >> j & 1) == 0 && usable(e) && p[e] > best) {
                best = p[e];
                bestId = e;
            }
        for (int d = 16; d > 0; d >>= 1) {
            const float other = __shfl_xor_sync(0xFFFFFFFFU, best, d);
            const int otherId = __shfl_xor_sync(0xFFFFFFFFU, bestId, d);
            if (other > best || (other == best && otherId < bestId)) {
                best = other;
                bestId = otherId;
            }
        }
        if (bestId >= experts) bestId = s;  // not a number: any expert will do, but an index must stay one
        if ((bestId & 31) == lane) taken |= 1U << (bestId >> 5);
        total += best;
        if (lane == 0) {
            ids[s] = bestId;
            chosen[s] = best;
        }
    }
    return total;
}

/// Softmax of a row by one warp, into p, with the shared expert's weight.
__device__ void warpSoftmax(const Rows& logits, std::int64_t row, int experts, float* p, float* sharedWeight) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float m = -INFINITY;
    for (int e = lane; e < experts; e += 32) {
        const float l = load(logits, row, e);
        p[e] = l;
        m = fmaxf(m, l);
    }
    m = warpMax(m);
    float sum = 0.0F;
    for (int e = lane; e < experts; e += 32) {
        p[e] = expf(p[e] - m);
        sum += p[e];
    }
    sum = warpSum(sum);
    for (int e = lane; e < experts; e += 32) p[e] = p[e] / sum;
    if (lane == 0) *sharedWeight = sigmoid(load(logits, row, experts));
    __syncwarp();
}

/// Benchmark only: row t's experts are the next k of `forced` experts spread over all of them.
__device__ void forceExperts(int forced, std::int64_t row, int experts, int k, std::int32_t* ids, float* weights) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    for (int s = lane; s < k; s += 32) {
        ids[s] = static_cast<std::int32_t>((row * k + s) % forced * experts / forced);
        weights[s] = 1.0F / static_cast<float>(k);
    }
    __syncwarp();
}

/// Up to 256 experts: eight probabilities a lane stay in registers. Lane 'lane' holds experts lane + 32 j.
constexpr int kRegisterExperts = 256;
using LaneProbabilities = float[kRegisterExperts / 32];

__device__ __forceinline__ float laneSoftmax(const Rows& logits, std::int64_t row, int experts, LaneProbabilities& p) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float m = -INFINITY;
    float gate = 0.0F;
    const float* from = static_cast<const float*>(logits.data) + row * logits.stride;  // a router's logits are always float32
#pragma unroll 4
    for (int s = 0; s < logits.splits; ++s) {
        const float* part = from + s * logits.splitStride;
#pragma unroll
        for (int j = 0; j < kRegisterExperts / 32; ++j)
            if (lane + 32 * j < experts) p[j] = (s == 0 ? 0.0F : p[j]) + part[lane + 32 * j];
        gate += part[experts];
    }
#pragma unroll
    for (int j = 0; j < kRegisterExperts / 32; ++j) {
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
#pragma unroll
    for (float& v : p) v = v / sum;
    return gate;
}

/// Top k of what `mask` (bit j: this lane's j-th) leaves; every lane returns the chosen expert and probability of slot `lane`,
/// and the sum.
__device__ __forceinline__ float laneTopK(const LaneProbabilities& p, unsigned mask, int experts, int k, int& id, float& value) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float total = 0.0F;
    id = -1;
    value = 0.0F;
    for (int s = 0; s < k; ++s) {
        // Probabilities are not negative, so their bits order like integers; +1 tells them from none.
        unsigned best = 0;
        int which = 0;
#pragma unroll
        for (int j = 0; j < kRegisterExperts / 32; ++j) {
            const unsigned bits = (mask >> j & 1) != 0 && p[j] >= 0.0F ? __float_as_uint(p[j]) + 1 : 0;
            if (bits > best) {
                best = bits;
                which = j;
            }
        }
        const unsigned top = __reduce_max_sync(0xFFFFFFFFU, best);
        const unsigned own = best == top && top > 0 ? static_cast<unsigned>(lane + 32 * which) : 0xFFFFFFFFU;
        unsigned winner = __reduce_min_sync(0xFFFFFFFFU, own);
        if (winner == 0xFFFFFFFFU) winner = static_cast<unsigned>(s);  // not a number: any expert will do
        if (own == winner) mask &= ~(1U << which);
        const float probability = top > 0 ? __uint_as_float(top - 1) : 0.0F;
        total += probability;
        if (lane == s) {
            id = static_cast<int>(winner);
            value = probability;
        }
    }
    return total;
}

__device__ void routeRow(const Rows& logits, std::int64_t row, const RouteOptions& o, int forced, const Routing& r) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float* p = r.probabilities + row * o.experts;
    std::int32_t* ids = r.experts + row * o.perToken;
    float* weights = r.weights + row * (o.perToken + 1);
    if (o.experts <= kRegisterExperts && o.perToken <= 32) {
        LaneProbabilities own;
        const float gate = laneSoftmax(logits, row, o.experts, own);
        unsigned valid = 0;
#pragma unroll
        for (int j = 0; j < kRegisterExperts / 32; ++j)
            if (lane + 32 * j < o.experts) {
                valid |= 1U << j;
                if (o.coreset) p[lane + 32 * j] = own[j];
            }
        int id;
        float value;
        const float total = laneTopK(own, valid, o.experts, o.perToken, id, value);
        if (lane < o.perToken) {
            ids[lane] = id;
            weights[lane] = value / total;
        }
        if (lane == 0) weights[o.perToken] = sigmoid(gate);
        __syncwarp();
        if (forced > 0) forceExperts(forced, row, o.experts, o.perToken, ids, weights);
        return;
    }
    warpSoftmax(logits, row, o.experts, p, weights + o.perToken);
    if (forced > 0) {
        forceExperts(forced, row, o.experts, o.perToken, ids, weights);
        return;
    }
    const float total = warpTopK(p, o.experts, o.perToken, ids, weights, [](int) { return true; });
    __syncwarp();
    for (int s = lane; s < o.perToken; s += 32) weights[s] /= total;
}

/// The same inside the coreset.
__device__ void routeRowInside(std::int64_t row, const RouteOptions& o, const std::uint32_t* keep, const Routing& r,
                               std::int32_t* chosen) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const float* p = r.probabilities + row * o.experts;
    std::int32_t* ids = r.experts + row * o.perToken;
    float* weights = r.weights + row * (o.perToken + 1);
    if (o.experts <= kRegisterExperts && o.perToken <= 32) {
        LaneProbabilities own;
        unsigned valid = 0;
#pragma unroll
        for (int j = 0; j < kRegisterExperts / 32; ++j) {
            const bool inside = lane + 32 * j < o.experts && (keep[j] >> lane & 1) != 0;
            own[j] = inside ? __ldcg(p + lane + 32 * j) : 0.0F;
            valid |= inside ? 1U << j : 0;
        }
        int id;
        float value;
        const float total = laneTopK(own, valid, o.experts, o.perToken, id, value);
        if (lane < o.perToken) {
            ids[lane] = id;
            chosen[row * o.perToken + lane] = id;
            weights[lane] = value / total;
        }
        return;
    }
    const float total =
        warpTopK(p, o.experts, o.perToken, ids, weights, [&](int e) { return (keep[e >> 5] >> (e & 31) & 1) != 0; });
    __syncwarp();
    for (int s = lane; s < o.perToken; s += 32) {
        weights[s] /= total;
        chosen[row * o.perToken + s] = ids[s];
    }
}

__global__ void __launch_bounds__(256)
    routeLargeKernel(Rows logits, std::int64_t t, RouteOptions o, const PassParams* params, Routing r) {
    gridRelease();
    gridWait();
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * 8 + (threadIdx.x >> 5);
    if (row < t) routeRow(logits, row, o, params->forcedExperts, r);
    if (blockIdx.x == 0 && threadIdx.x == 0) r.coreset[0] = 0;
}

/// What the coreset needs in shared memory.
struct CoresetScratch {
    alignas(16) float mass[kMaxExperts];    // by expert
    alignas(16) float sorted[kMaxExperts];  // by rank
    std::uint32_t keep[kMaxExperts / 32];   // bit table of the kept experts
    int count;
};

/// The coreset of noisy rows (section 5), by the whole block. chosen: ids of the rows' top k, masses: what each adds, in shared
/// memory.
__device__ void chooseCoreset(const RouteOptions& o, const PassParams* params, int t, const std::int32_t* chosen,
                              const float* masses, CoresetScratch& c, LayerResult& result) {
    const int thread = static_cast<int>(threadIdx.x);
    const int first = params->clean * o.perToken;
    const int last = t * o.perToken;
    // In row order, so that every device ranks alike. A row names an expert once: its lanes add side by side.
    for (int e = thread; e < o.experts; e += kRouteThreads) c.mass[e] = 0.0F;
    __syncthreads();
    if (thread < 32)
        for (int row = first; row < last; row += o.perToken) {
            for (int s = thread; s < o.perToken; s += 32) c.mass[chosen[row + s]] += masses[row + s];
            __syncwarp();
        }
    __syncthreads();
    for (int i = thread; i < kMaxExperts / 32; i += kRouteThreads) c.keep[i] = 0;
    __syncthreads();
    // Rank: four threads an expert.
    const int parts = min(4, kRouteThreads / max(1, o.experts));
    int rank = 0;
    const int e = thread / max(1, parts);
    const bool ranks = parts > 0 && e < o.experts;
    if (ranks) {
        const float own = c.mass[e];
        for (int f = thread % parts; f < o.experts; f += parts) rank += c.mass[f] > own || (c.mass[f] == own && f < e) ? 1 : 0;
        if (parts == 4) {
            rank += __shfl_xor_sync(__activemask(), rank, 1);
            rank += __shfl_xor_sync(__activemask(), rank, 2);
        }
    }
    if (parts == 4) {
        if (ranks && thread % 4 == 0) c.sorted[rank] = c.mass[e];
    } else {
        for (int x = thread; x < o.experts; x += kRouteThreads) {
            const float own = c.mass[x];
            rank = 0;
            for (int f = 0; f < o.experts; ++f) rank += c.mass[f] > own || (c.mass[f] == own && f < x) ? 1 : 0;
            c.sorted[rank] = own;
        }
    }
    __syncthreads();
    if (thread == 0) {
        float total = 0.0F;
#pragma unroll 16
        for (int i = 0; i < o.experts; ++i) total += c.mass[i];
        const float wanted = params->coresetTopP * total;
        float reached = 0.0F;
        int count = 0;  // the experts that do not reach the wanted mass yet, and one more
#pragma unroll 16
        for (int i = 0; i < o.experts; ++i) {
            reached += c.sorted[i];
            count += reached < wanted ? 1 : 0;
        }
        count = min(max(count + 1, o.perToken), o.experts);
        float covered = 0.0F;
#pragma unroll 16
        for (int i = 0; i < count; ++i) covered += c.sorted[i];
        result.coreset = count;
        result.share = total > 0.0F ? covered / total : 0.0F;
        c.count = count;
    }
    __syncthreads();
    if (parts == 4) {
        if (ranks && thread % 4 == 0 && rank < c.count) atomicOr(&c.keep[e >> 5], 1U << (e & 31));
    } else {
        for (int x = thread; x < o.experts; x += kRouteThreads) {
            const float own = c.mass[x];
            rank = 0;
            for (int f = 0; f < o.experts; ++f) rank += c.mass[f] > own || (c.mass[f] == own && f < x) ? 1 : 0;
            if (rank < c.count) atomicOr(&c.keep[x >> 5], 1U << (x & 31));
        }
    }
    __syncthreads();
}

__global__ void __launch_bounds__(kRouteThreads)
    routeSmallKernel(Rows logits, int t, RouteOptions o, const PassParams* params, Routing r, ActiveExperts active,
                     unsigned* ticket, LayerResult* result) {
    extern __shared__ std::int32_t chosen[];  // [T, k] ids, then [T, k] masses
    __shared__ CoresetScratch coreset;
    __shared__ unsigned long long masks[kMaxExperts];
    __shared__ LayerResult stats;
    __shared__ bool last;
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread >> 5;
    const int lane = thread & 31;
    const int forced = params->forcedExperts;
    const bool restrict = o.coreset && forced == 0 && params->coresetTopP < 1.0F && params->clean < t;
    // Rows are spread over the blocks; the last block to finish goes on with what concerns all rows.
    for (int row = static_cast<int>(blockIdx.x) + static_cast<int>(gridDim.x) * warp; row < t;
         row += static_cast<int>(gridDim.x) * (kRouteThreads / 32))
        routeRow(logits, row, o, forced, r);
    __threadfence();
    __syncthreads();
    if (thread == 0) {
        last = atomicAdd(ticket, 1U) == gridDim.x - 1;
        if (last) *ticket = 0;
        stats = LayerResult{};
        coreset.count = 0;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    for (int e = thread; e < o.experts; e += kRouteThreads) masks[e] = 0;
    for (int i = thread; i < t * o.perToken; i += kRouteThreads) chosen[i] = __ldcg(r.experts + i);
    __syncthreads();
    if (restrict) {
        auto* masses = reinterpret_cast<float*>(chosen + t * o.perToken);
        for (int i = thread; i < t * o.perToken; i += kRouteThreads) {
            const int row = i / o.perToken;
            masses[i] = o.massRenormalised ? __ldcg(r.weights + row * (o.perToken + 1) + i % o.perToken)
                                           : __ldcg(r.probabilities + static_cast<std::int64_t>(row) * o.experts + chosen[i]);
        }
        __syncthreads();
        chooseCoreset(o, params, t, chosen, masses, coreset, stats);
        for (int row = params->clean + warp; row < t; row += kRouteThreads / 32) routeRowInside(row, o, coreset.keep, r, chosen);
        __syncthreads();
        if (warp == 1) {  // the kept experts, ascending
            int n = 0;
            for (int e0 = 0; e0 < o.experts; e0 += 32) {
                const std::uint32_t bits = coreset.keep[e0 >> 5];
                if (bits >> lane & 1) r.coreset[1 + n + __popc(bits & ((1U << lane) - 1))] = e0 + lane;
                n += __popc(bits);
            }
        }
    }
    if (thread == 0) r.coreset[0] = coreset.count;
    // Which rows use which expert. Beyond 64 rows only "some row does" matters.
    for (int i = thread; i < t * o.perToken; i += kRouteThreads) atomicOr(&masks[chosen[i]], 1ULL << (i / o.perToken & 63));
    __syncthreads();
    if (t <= kSmallRows) {
        for (int i = thread; i < o.experts * kSmallRows; i += kRouteThreads) {
            const int e = i / kSmallRows;
            if (masks[e] != 0) active.weight[i] = 0.0F;
        }
        for (int row = thread; row < kSmallRows; row += kRouteThreads)
            active.weight[o.experts * kSmallRows + row] =
                row < t ? __ldcg(r.weights + row * (o.perToken + 1) + o.perToken) : 0.0F;
        __syncthreads();
        for (int i = thread; i < t * o.perToken; i += kRouteThreads) {
            const int row = i / o.perToken;
            active.weight[chosen[i] * kSmallRows + row] = __ldcg(r.weights + row * (o.perToken + 1) + i % o.perToken);
        }
    }
    if (warp == 0) {  // compact, ascending
        int n = 0;
        for (int e0 = 0; e0 < o.experts; e0 += 32) {
            const int e = e0 + lane;
            const bool used = e < o.experts && masks[e] != 0;
            const unsigned votes = __ballot_sync(0xFFFFFFFFU, used);
            if (used && t <= kSmallRows) {
                const int at = n + __popc(votes & ((1U << lane) - 1));
                active.expert[at] = e;
                active.rowMask[at] = masks[e];
            }
            n += __popc(votes);
        }
        if (lane == 0) {
            if (t <= kSmallRows) {
                active.expert[n] = o.experts;
                active.rowMask[n] = ~0ULL;
                *active.count = n + 1;
            }
            stats.distinct = n;
            *result = stats;
        }
    }
}

// ---- grouping rows by expert

__global__ void __launch_bounds__(256) countKernel(const std::int32_t* ids, std::int64_t n, int experts, std::int32_t* counts) {
    __shared__ int local[kMaxExperts];
    gridRelease();
    gridWait();
    for (int e = static_cast<int>(threadIdx.x); e < experts; e += 256) local[e] = 0;
    __syncthreads();
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x; i < n;
         i += static_cast<std::int64_t>(gridDim.x) * 256)
        atomicAdd(&local[ids[i]], 1);
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e < experts; e += 256)
        if (local[e] != 0) atomicAdd(counts + e, local[e]);
}

__global__ void __launch_bounds__(kRouteThreads) scanKernel(ExpertGroups g, std::int64_t t, int experts, LayerResult* result) {
    __shared__ int counts[kMaxExperts + 1];
    __shared__ int positions[kMaxExperts + 2];
    __shared__ int tiles[kMaxExperts + 2];
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    for (int e = thread; e <= experts; e += kRouteThreads) counts[e] = e == experts ? static_cast<int>(t) : g.counts[e];
    __syncthreads();
    if (thread == 0) {
        int position = 0;
        int tile = 0;
        int distinct = 0;
        for (int e = 0; e <= experts; ++e) {
            positions[e] = position;
            tiles[e] = tile;
            position += counts[e];
            tile += (counts[e] + kGroupTileRows - 1) / kGroupTileRows;
            distinct += e < experts && counts[e] > 0 ? 1 : 0;
        }
        positions[experts + 1] = position;
        *g.tiles = tile;
        if (result != nullptr) result->distinct = distinct;
    }
    __syncthreads();
    for (int e = thread; e <= experts + 1; e += kRouteThreads) {
        g.offsets[e] = positions[e];
        if (e > experts) continue;
        g.cursors[e] = positions[e];
        for (int first = 0, tile = tiles[e]; first < counts[e]; first += kGroupTileRows, ++tile) {
            g.tileExpert[tile] = e;
            g.tileFirst[tile] = positions[e] + first;
        }
    }
}

__global__ void placeKernel(Routing r, std::int64_t t, int experts, int k, ExpertGroups g) {
    gridRelease();
    gridWait();
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= t * (k + 1)) return;
    const std::int64_t row = i / (k + 1);
    const int s = static_cast<int>(i % (k + 1));
    const int position = s == k ? g.offsets[experts] + static_cast<int>(row) : atomicAdd(g.cursors + r.experts[row * k + s], 1);
    g.rowOf[position] = static_cast<std::int32_t>(row);
    g.positionOf[i] = position;
}

/// A block a row, eight columns a thread (hidden sizes are a multiple of 8 here).
__global__ void __launch_bounds__(256) combineKernel(Routing r, ExpertGroups g, const Bf16* out, int hidden, int k, float* x) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    for (int d = static_cast<int>(threadIdx.x) * 8; d < hidden; d += 256 * 8) {
        float* own = x + row * hidden + d;
        float4 low = *reinterpret_cast<const float4*>(own);
        float4 high = *reinterpret_cast<const float4*>(own + 4);
#pragma unroll 9
        for (int s = 0; s <= k; ++s) {
            const float weight = r.weights[row * (k + 1) + s];
            const uint4 raw =
                *reinterpret_cast<const uint4*>(out + static_cast<std::int64_t>(g.positionOf[row * (k + 1) + s]) * hidden + d);
            const float2 v0 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.x));
            const float2 v1 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.y));
            const float2 v2 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.z));
            const float2 v3 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.w));
            low.x += weight * v0.x;
            low.y += weight * v0.y;
            low.z += weight * v1.x;
            low.w += weight * v1.y;
            high.x += weight * v2.x;
            high.y += weight * v2.y;
            high.z += weight * v3.x;
            high.w += weight * v3.y;
        }
        *reinterpret_cast<float4*>(own) = low;
        *reinterpret_cast<float4*>(own + 4) = high;
    }
}

// ---- any sizes, any types

template <class W, class T>
__global__ void __launch_bounds__(256) plainGateUpKernel(ExpertWeights w, Routing r, const T* h, int k, float* act) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x / (k + 1);
    const int s = static_cast<int>(blockIdx.x % (k + 1));
    const bool isShared = s == k;
    const int width = isShared ? w.sharedWidth : w.width;
    const int maxWidth = w.width > w.sharedWidth ? w.width : w.sharedWidth;
    const W* weights =
        isShared ? static_cast<const W*>(w.sharedGateUp)
                 : static_cast<const W*>(w.gateUp) + static_cast<std::int64_t>(r.experts[row * k + s]) * 2 * width * w.hidden;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    for (int i = static_cast<int>(blockIdx.y) * 8 + (static_cast<int>(threadIdx.x) >> 5); i < width;
         i += static_cast<int>(gridDim.y) * 8) {
        float gate = 0.0F;
        float up = 0.0F;
        for (int d = lane; d < w.hidden; d += 32) {
            const float v = toFloat(h[row * w.hidden + d]);
            gate += v * toFloat(weights[static_cast<std::int64_t>(i) * w.hidden + d]);
            up += v * toFloat(weights[static_cast<std::int64_t>(width + i) * w.hidden + d]);
        }
        gate = warpSum(gate);
        up = warpSum(up);
        if (lane == 0) act[static_cast<std::int64_t>(blockIdx.x) * maxWidth + i] = silu(gate) * up;
    }
}

template <class W>
__global__ void __launch_bounds__(256) plainDownKernel(ExpertWeights w, Routing r, const float* act, int k, float* x) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    const int maxWidth = w.width > w.sharedWidth ? w.width : w.sharedWidth;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    for (int d = static_cast<int>(blockIdx.y) * 8 + (static_cast<int>(threadIdx.x) >> 5); d < w.hidden;
         d += static_cast<int>(gridDim.y) * 8) {
        float sum = 0.0F;
        for (int s = 0; s <= k; ++s) {
            const bool isShared = s == k;
            const int width = isShared ? w.sharedWidth : w.width;
            const W* weights =
                isShared ? static_cast<const W*>(w.sharedDown)
                         : static_cast<const W*>(w.down) + static_cast<std::int64_t>(r.experts[row * k + s]) * w.hidden * width;
            float part = 0.0F;
            for (int i = lane; i < width; i += 32)
                part += act[(row * (k + 1) + s) * maxWidth + i] * toFloat(weights[static_cast<std::int64_t>(d) * width + i]);
            sum += warpSum(part) * r.weights[row * (k + 1) + s];
        }
        if (lane == 0) x[row * w.hidden + d] += sum;
    }
}

template <class W, class T>
cudaError_t plainExpertsOf(const Launcher& on, const ExpertWeights& w, const Routing& routing, const T* h, std::int64_t t,
                           int perToken, float* act, float* x) {
    const auto rows = static_cast<unsigned>(t);
    const auto each = static_cast<unsigned>(perToken + 1);
    const dim3 up(rows * each, static_cast<unsigned>((w.maxWidth() + 31) / 32));
    if (const cudaError_t e = launch(on, plainGateUpKernel<W, T>, up, dim3(256), 0, w, routing, h, perToken, act);
        e != cudaSuccess)
        return e;
    const dim3 down(rows, static_cast<unsigned>((w.hidden + 31) / 32));
    return launch(on, plainDownKernel<W>, down, dim3(256), 0, w, routing, act, perToken, x);
}

}  // namespace

cudaError_t routeSmall(const Launcher& on, const Rows& logits, int t, const RouteOptions& options, const PassParams* params,
                       const Routing& routing, const ActiveExperts& active, LayerResult* result) {
    if (options.experts > kMaxExperts) return cudaErrorInvalidValue;
    const std::size_t bytes = static_cast<std::size_t>(t) * static_cast<std::size_t>(options.perToken) * 8;
    const auto grid = static_cast<unsigned>(std::min(8, (t + 3) / 4));
    return launch(on, routeSmallKernel, dim3(grid), dim3(kRouteThreads), bytes, logits, t, options, params, routing, active,
                  routing.ticket, result);
}

cudaError_t routeLarge(const Launcher& on, const Rows& logits, std::int64_t t, const RouteOptions& options,
                       const PassParams* params, const Routing& routing) {
    if (options.experts > kMaxExperts) return cudaErrorInvalidValue;
    return launch(on, routeLargeKernel, dim3(static_cast<unsigned>((t + 7) / 8)), dim3(256), 0, logits, t, options, params,
                  routing);
}

cudaError_t groupRows(const Launcher& on, const Routing& routing, std::int64_t t, int experts, int perToken,
                      const ExpertGroups& groups, LayerResult* result) {
    if (const cudaError_t e =
            cudaMemsetAsync(groups.counts, 0, sizeof(std::int32_t) * static_cast<std::size_t>(experts + 1), on.stream);
        e != cudaSuccess)
        return e;
    const auto grid = static_cast<unsigned>(std::min<std::int64_t>((t * perToken + 255) / 256, 4L * on.sms));
    if (const cudaError_t e =
            launch(on, countKernel, dim3(grid), dim3(256), 0, routing.experts, t * perToken, experts, groups.counts);
        e != cudaSuccess)
        return e;
    if (const cudaError_t e = launch(on, scanKernel, dim3(1), dim3(kRouteThreads), 0, groups, t, experts, result);
        e != cudaSuccess)
        return e;
    return launch(on, placeKernel, dim3(static_cast<unsigned>((t * (perToken + 1) + 255) / 256)), dim3(256), 0, routing, t,
                  experts, perToken, groups);
}

cudaError_t combineGroups(const Launcher& on, const Routing& routing, const ExpertGroups& groups, const Bf16* out, std::int64_t t,
                          int hidden, int perToken, float* x) {
    return launch(on, combineKernel, dim3(static_cast<unsigned>(t)), dim3(256), 0, routing, groups, out, hidden, perToken, x);
}

template <class T>
cudaError_t plainExperts(const Launcher& on, const ExpertWeights& w, const Routing& routing, const T* h, std::int64_t t,
                         int perToken, float* act, float* x) {
    switch (w.format) {
        case WeightFormat::BFloat16:
            return plainExpertsOf<Bf16>(on, w, routing, h, t, perToken, act, x);
        case WeightFormat::Float32:
            return plainExpertsOf<float>(on, w, routing, h, t, perToken, act, x);
    }
    return cudaErrorInvalidValue;
}
template cudaError_t plainExperts<Bf16>(const Launcher&, const ExpertWeights&, const Routing&, const Bf16*, std::int64_t, int,
                                        float*, float*);
template cudaError_t plainExperts<float>(const Launcher&, const ExpertWeights&, const Routing&, const float*, std::int64_t, int,
                                         float*, float*);

}  // namespace trefoil::cuda
