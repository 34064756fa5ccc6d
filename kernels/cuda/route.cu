#include "kernels/cuda/route.h"

#include <algorithm>
#include <cmath>

namespace trefoil::cuda {
namespace {

constexpr int kRouteThreads = 1024;

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

/// kParts: partial matrices in flight.
template <int kParts>
__device__ __forceinline__ float laneSoftmax(const Rows& logits, std::int64_t row, int experts, LaneProbabilities& p) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float m = -INFINITY;
    float gate = 0.0F;
    const float* from = static_cast<const float*>(logits.data) + row * logits.stride;  // a router's logits are always float32
#pragma unroll
    for (float& v : p) v = 0.0F;
#pragma unroll 1
    for (int s0 = 0; s0 < logits.splits; s0 += kParts) {
        float part[kParts][kRegisterExperts / 32 + 1];
#pragma unroll
        for (int s = 0; s < kParts; ++s) {  // what does not exist is read from a neighbour and left out
            const float* at = from + min(s0 + s, logits.splits - 1) * logits.splitStride;
#pragma unroll
            for (int j = 0; j < kRegisterExperts / 32; ++j) part[s][j] = __ldcg(at + min(lane + 32 * j, experts));
            part[s][kRegisterExperts / 32] = __ldcg(at + experts);
        }
#pragma unroll
        for (int s = 0; s < kParts; ++s) {
#pragma unroll
            for (int j = 0; j < kRegisterExperts / 32; ++j) p[j] += s0 + s < logits.splits ? part[s][j] : 0.0F;
            gate += s0 + s < logits.splits ? part[s][kRegisterExperts / 32] : 0.0F;
        }
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
    const float inverse = 1.0F / sum;
#pragma unroll
    for (float& v : p) {  // v / sum, rounded as a division is
        const float quotient = v * inverse;
        v = fmaf(fmaf(-quotient, sum, v), inverse, quotient);
    }
    return gate;
}

/// Top k of what `mask` (bit j: this lane's j-th) leaves; every lane returns the chosen expert and probability of slot `lane`,
/// and the sum.
__device__ __forceinline__ float laneTopK(const LaneProbabilities& p, unsigned mask, int experts, int k, int& id, float& value) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float total = 0.0F;
    id = -1;
    value = 0.0F;
#pragma unroll 1
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
        const float gate = laneSoftmax<2>(logits, row, o.experts, own);
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

// ---- small passes on few experts, Hopper: a row a warp, the rows spread over the blocks of one cluster, whose first block keeps
// what concerns all rows in its shared memory

constexpr int kClusterBlocks = 8;
constexpr int kClusterThreads = kRegisterExperts;  // a thread of the first block stands for an expert
static_assert(kClusterBlocks * kClusterThreads / 32 >= kSmallRows);

struct LeaderTables {
    unsigned masks[2][kRegisterExperts];         // which rows use an expert: rows 0 to 31, 32 to 63
    alignas(16) float values[kRegisterExperts];  // masses above zero, by expert
    alignas(16) float sorted[kRegisterExperts];  // the same by rank
    std::uint32_t keep[kRegisterExperts / 32];   // bit table of the kept experts
    int rankOf[kRegisterExperts];
    int counts[kRegisterExperts / 32];
    float total;
    int count;
    float share;
};

/// Where thread `thread` stands among those with `vote`, in order, and how many there are. Called by all threads of a block.
__device__ __forceinline__ int orderedPlace(bool vote, int* counts, int& all) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const unsigned votes = __ballot_sync(0xFFFFFFFFU, vote);
    __syncthreads();
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    int before = 0;
    all = 0;
#pragma unroll
    for (int w = 0; w < kClusterThreads / 32; ++w) {
        before += w < warp ? counts[w] : 0;
        all += counts[w];
    }
    return before + __popc(votes & ((1U << lane) - 1));
}

/// The coreset (section 5) from mass [T, kRegisterExperts], by the first block. Sums run in the order of the reference: a row's
/// mass after the row before, the total by expert, the share by rank; an expert without mass adds nothing to any of them.
__device__ void chooseClusterCoreset(const RouteOptions& o, const PassParams* params, int t, const float* mass, LeaderTables& c) {
    const int e = static_cast<int>(threadIdx.x);
    float own = 0.0F;
#pragma unroll 4
    for (int row = params->clean; row < t; ++row) own += mass[row * kRegisterExperts + e];
    const bool some = e < o.experts && own > 0.0F;
    int n;
    const int place = orderedPlace(some, c.counts, n);
    if (some) c.values[place] = own;
    if (e < 4 && n + e < kRegisterExperts) c.values[n + e] = -1.0F;  // the loop below reads whole groups of four
    __syncthreads();
    if (e < n) {
        const float value = c.values[e];
        int rank = 0;
#pragma unroll 2
        for (int f = 0; f < n; f += 4) {
            const float4 others = *reinterpret_cast<const float4*>(c.values + f);
            rank += others.x > value || (others.x == value && f < e) ? 1 : 0;
            rank += others.y > value || (others.y == value && f + 1 < e) ? 1 : 0;
            rank += others.z > value || (others.z == value && f + 2 < e) ? 1 : 0;
            rank += others.w > value || (others.w == value && f + 3 < e) ? 1 : 0;
        }
        c.rankOf[e] = rank;
        c.sorted[rank] = value;
    }
    if (e == kClusterThreads - 1) {
        float total = 0.0F;
#pragma unroll 4
        for (int i = 0; i < n; ++i) total += c.values[i];
        c.total = total;
    }
    __syncthreads();
    if (e == 0) {
        const float wanted = params->coresetTopP * c.total;
        float reached = 0.0F;
        int count = 0;
        bool done = false;
#pragma unroll 1
        for (int first = 0; first < n && !done; first += 8) {
            float next[8];  // in flight together; what is added stays in order
            *reinterpret_cast<float4*>(next) = *reinterpret_cast<const float4*>(c.sorted + first);
            *reinterpret_cast<float4*>(next + 4) = *reinterpret_cast<const float4*>(c.sorted + first + 4);
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                done = done || first + i >= n || (count >= o.perToken && reached >= wanted);
                if (done) continue;
                reached += next[i];
                ++count;
            }
        }
        if (reached < wanted) count = o.experts;  // rounding: all of them
        c.count = min(max(count, o.perToken), o.experts);
        c.share = c.total > 0.0F ? reached / c.total : 0.0F;
    }
    __syncthreads();
    const bool kept = e < o.experts && (some ? c.rankOf[place] : n + e - place) < c.count;
    const unsigned votes = __ballot_sync(0xFFFFFFFFU, kept);
    if ((e & 31) == 0) c.keep[e >> 5] = votes;
}

__global__ void __launch_bounds__(kClusterThreads)
    routeClusterKernel(Rows logits, int t, RouteOptions o, const PassParams* params, Routing r, ActiveExperts active,
                       LayerResult* result) {
    extern __shared__ float mass[];  // [T, kRegisterExperts]: what a noisy row adds to an expert; the first block's counts
    __shared__ LeaderTables tables;
    gridRelease();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int rank = clusterRank();
    if (rank == 0) {
        tables.masks[0][thread] = tables.masks[1][thread] = 0;
        if (o.coreset)
            for (int i = thread; i < t * kRegisterExperts / 4; i += kClusterThreads)
                reinterpret_cast<float4*>(mass)[i] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    }
    clusterArrive();
    gridWait();
    const int row = rank + kClusterBlocks * (thread >> 5);
    const bool mine = row < t;
    const int forced = params->forcedExperts;
    LaneProbabilities p;
    const float gate = mine ? laneSoftmax<4>(logits, row, o.experts, p) : 0.0F;
    unsigned valid = 0;
#pragma unroll
    for (int j = 0; j < kRegisterExperts / 32; ++j) valid |= lane + 32 * j < o.experts ? 1U << j : 0U;
    const bool restrict = o.coreset && forced == 0 && params->coresetTopP < 1.0F && params->clean < t;
    const bool inside = mine && row >= params->clean;
    int id = 0;
    float value = 0.0F;
    float total = 1.0F;
    // Once, or, with a coreset, again for the noisy rows within it. One copy of the code: fetching it is most of its time.
#pragma unroll 1
    for (int round = 0;; ++round) {
        if (round == 0 ? mine : inside) total = laneTopK(p, valid, o.experts, o.perToken, id, value);
        if (round == 0) clusterWait();  // the first block's tables are clear
        if (round == 1 || !restrict) break;
        if (inside && lane < o.perToken)
            inBlock(mass, 0)[row * kRegisterExperts + id] = o.massRenormalised ? value / total : value;
        clusterArrive();
        clusterWait();
        if (rank == 0) chooseClusterCoreset(o, params, t, mass, tables);
        clusterArrive();
        clusterWait();
        const std::uint32_t* keep = inBlock(tables.keep, 0);
        valid = 0;
#pragma unroll
        for (int j = 0; j < kRegisterExperts / 32; ++j) valid |= (keep[j] >> lane & 1) << j;
    }
    if (forced > 0) {
        id = (row * o.perToken + lane) % forced * o.experts / forced;
        value = 1.0F;
        total = static_cast<float>(o.perToken);
    }
    if (mine) {
        if (lane < o.perToken) {
            const float weight = value / total;
            r.experts[row * o.perToken + lane] = id;
            r.weights[row * (o.perToken + 1) + lane] = weight;
            active.weight[id * kSmallRows + row] = weight;
            // Of another block's shared memory only 32-bit atomics were seen to work.
            atomicOr(inBlock(&tables.masks[row >> 5][0], 0) + id, 1U << (row & 31));
        }
        if (lane == 0) {
            const float shared = sigmoid(gate);
            r.weights[row * (o.perToken + 1) + o.perToken] = shared;
            active.weight[o.experts * kSmallRows + row] = shared;
        }
    }
    clusterArrive();
    clusterWait();
    if (rank != 0) return;
    const std::uint64_t rows = tables.masks[0][thread] | std::uint64_t{tables.masks[1][thread]} << 32;
    int distinct;
    const int place = orderedPlace(rows != 0, tables.counts, distinct);
    if (rows != 0) {
        active.expert[place] = thread;
        active.rowMask[place] = rows;
    }
    int kept = 0;
    if (restrict) {
        const bool keeps = (tables.keep[thread >> 5] >> lane & 1) != 0;
        const int at = orderedPlace(keeps, tables.counts, kept);
        if (keeps) r.coreset[1 + at] = thread;
    }
    if (thread == 0) {
        active.expert[distinct] = o.experts;
        active.rowMask[distinct] = ~0ULL;
        *active.count = distinct + 1;
        r.coreset[0] = kept;
        *result = LayerResult{distinct, kept, restrict ? tables.share : 0.0F, 0};
    }
}

}  // namespace

cudaError_t routeSmall(const Launcher& on, const Rows& logits, int t, const RouteOptions& options, const PassParams* params,
                       const Routing& routing, const ActiveExperts& active, LayerResult* result) {
    if (options.experts > kMaxExperts) return cudaErrorInvalidValue;
    if (on.hopper && t <= kSmallRows && options.experts <= kRegisterExperts && options.perToken <= 32)
        return launchCluster(on, kClusterBlocks, routeClusterKernel, dim3(kClusterBlocks), dim3(kClusterThreads),
                             options.coreset ? static_cast<std::size_t>(t) * kRegisterExperts * sizeof(float) : 0, logits, t,
                             options, params, routing, active, result);
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

}  // namespace trefoil::cuda
