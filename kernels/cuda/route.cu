#include "kernels/cuda/route.h"
#include "kernels/cuda/route_row.cuh"

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

__device__ void routeRow(const Rows& logits, std::int64_t row, const RouteOptions& o, int forced, const Routing& r) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float* p = r.probabilities + row * o.experts;
    std::int32_t* ids = r.experts + row * o.perToken;
    float* weights = r.weights + row * (o.perToken + 1);
    if (o.experts <= kRegisterExperts && o.perToken <= 32) {
        LaneProbabilities own;
        const float gate = laneLogits(logits, row, o.experts, own);
        laneSoftmax(own, o.experts);
        unsigned valid = 0;
#pragma unroll
        for (int j = 0; j < kRegisterExperts / 32; ++j)
            if (lane + 32 * j < o.experts) {
                valid |= 1U << j;
                if (o.coreset) p[lane + 32 * j] = own[j];
            }
        int id;
        float value;
        const float total = laneTopK(own, valid, o.perToken, id, value);
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
        const float total = laneTopK(own, valid, o.perToken, id, value);
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

}  // namespace trefoil::cuda
