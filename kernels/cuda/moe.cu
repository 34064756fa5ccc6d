#include "kernels/cuda/moe.h"

#include <cmath>

namespace trefoil::cuda {
namespace {

constexpr int kRouteThreads = 1024;
constexpr int kMaxExperts = 1024;

/// Top k of a row by one warp: ties to the lower index. `usable(e)` false leaves an expert out. Writes ids in order and returns the
/// sum of the chosen probabilities (in that order) to every lane.
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
    warpSoftmax(logits, row, o.experts, p, weights + o.perToken);
    if (forced > 0) {
        forceExperts(forced, row, o.experts, o.perToken, ids, weights);
        return;
    }
    const float total = warpTopK(p, o.experts, o.perToken, ids, weights, [](int) { return true; });
    __syncwarp();
    for (int s = lane; s < o.perToken; s += 32) weights[s] /= total;
}

__global__ void __launch_bounds__(256) routeLargeKernel(Rows logits, std::int64_t t, RouteOptions o, const PassParams* params, Routing r) {
    gridRelease();
    gridWait();
    const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * 8 + (threadIdx.x >> 5);
    if (row < t) routeRow(logits, row, o, params->forcedExperts, r);
    if (blockIdx.x == 0 && threadIdx.x == 0) r.coreset[0] = 0;
}

/// The coreset of noisy rows (section 5), by the whole block. keep: bit table of kept experts in shared memory.
__device__ void chooseCoreset(const RouteOptions& o, const PassParams* params, int t, const Routing& r, float* mass, std::int32_t* order,
                              std::uint32_t* keep, LayerResult& result, int* keptCount) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int e = thread; e < o.experts; e += kRouteThreads) {
        float sum = 0.0F;
        for (int row = params->clean; row < t; ++row) {  // in row order, so that every device ranks alike
            const std::int32_t* ids = r.experts + row * o.perToken;
            for (int s = 0; s < o.perToken; ++s)
                if (ids[s] == e)
                    sum += o.massRenormalised ? r.weights[row * (o.perToken + 1) + s]
                                              : r.probabilities[static_cast<std::int64_t>(row) * o.experts + e];
        }
        mass[e] = sum;
    }
    for (int i = thread; i < (o.experts + 31) / 32; i += kRouteThreads) keep[i] = 0;
    __syncthreads();
    for (int e = thread; e < o.experts; e += kRouteThreads) {
        const float own = mass[e];
        int rank = 0;
        for (int f = 0; f < o.experts; ++f) rank += mass[f] > own || (mass[f] == own && f < e) ? 1 : 0;
        order[rank] = e;
    }
    __syncthreads();
    if (thread == 0) {
        float total = 0.0F;
        for (int e = 0; e < o.experts; ++e) total += mass[e];
        const float wanted = params->coresetTopP * total;
        float reached = 0.0F;
        int count = 0;  // the first `count` experts that do not reach the wanted mass yet, and one more
        for (int i = 0; i < o.experts; ++i) {
            reached += mass[order[i]];
            if (reached < wanted) count = i + 1;
        }
        count = min(max(count + 1, o.perToken), o.experts);
        float covered = 0.0F;
        for (int i = 0; i < count; ++i) {
            keep[order[i] >> 5] |= 1U << (order[i] & 31);
            covered += mass[order[i]];
        }
        result.coreset = count;
        result.share = total > 0.0F ? covered / total : 0.0F;
        *keptCount = count;
    }
    __syncthreads();
}

__global__ void __launch_bounds__(kRouteThreads)
    routeSmallKernel(Rows logits, int t, RouteOptions o, const PassParams* params, Routing r, ActiveExperts active, LayerResult* result) {
    __shared__ float mass[kMaxExperts];
    __shared__ std::int32_t order[kMaxExperts];
    __shared__ std::uint32_t keep[kMaxExperts / 32];
    __shared__ unsigned long long masks[kMaxExperts];
    __shared__ LayerResult stats;
    __shared__ int kept;
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread >> 5;
    const int lane = thread & 31;
    const int forced = params->forcedExperts;
    const bool restrict = o.coreset && forced == 0 && params->coresetTopP < 1.0F && params->clean < t;
    if (thread == 0) {
        stats = LayerResult{};
        kept = 0;
    }
    for (int row = warp; row < t; row += kRouteThreads / 32) routeRow(logits, row, o, forced, r);
    for (int e = thread; e < o.experts; e += kRouteThreads) masks[e] = 0;
    __syncthreads();
    if (restrict) {
        chooseCoreset(o, params, t, r, mass, order, keep, stats, &kept);
        for (int row = params->clean + warp; row < t; row += kRouteThreads / 32) {
            float* weights = r.weights + row * (o.perToken + 1);
            const float total = warpTopK(r.probabilities + static_cast<std::int64_t>(row) * o.experts, o.experts, o.perToken,
                                         r.experts + row * o.perToken, weights, [&](int e) { return (keep[e >> 5] >> (e & 31) & 1) != 0; });
            __syncwarp();
            for (int s = lane; s < o.perToken; s += 32) weights[s] /= total;
        }
        __syncthreads();
        if (thread == 0) {
            int n = 0;
            for (int e = 0; e < o.experts; ++e)
                if (keep[e >> 5] >> (e & 31) & 1) r.coreset[1 + n++] = e;
        }
    }
    if (thread == 0) r.coreset[0] = kept;
    // Which rows use which expert. Beyond 64 rows only "some row does" matters.
    for (int i = thread; i < t * o.perToken; i += kRouteThreads)
        atomicOr(&masks[r.experts[i]], 1ULL << (i / o.perToken & 63));
    __syncthreads();
    if (t <= kSmallRows) {
        for (int i = thread; i < o.experts * kSmallRows; i += kRouteThreads) {
            const int e = i / kSmallRows;
            if (masks[e] != 0) active.weight[i] = 0.0F;
        }
        for (int row = thread; row < kSmallRows; row += kRouteThreads)
            active.weight[o.experts * kSmallRows + row] = row < t ? r.weights[row * (o.perToken + 1) + o.perToken] : 0.0F;
        __syncthreads();
        for (int i = thread; i < t * o.perToken; i += kRouteThreads) {
            const int row = i / o.perToken;
            active.weight[r.experts[i] * kSmallRows + row] = r.weights[row * (o.perToken + 1) + i % o.perToken];
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
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x; i < n; i += static_cast<std::int64_t>(gridDim.x) * 256)
        atomicAdd(&local[ids[i]], 1);
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e < experts; e += 256)
        if (local[e] != 0) atomicAdd(counts + e, local[e]);
}

__global__ void scanKernel(ExpertGroups g, std::int64_t t, int experts, LayerResult* result) {
    gridRelease();
    gridWait();
    if (threadIdx.x != 0) return;  // a thousand experts at most: one thread is quick enough
    int position = 0;
    int tile = 0;
    int distinct = 0;
    for (int e = 0; e <= experts; ++e) {
        const int n = e == experts ? static_cast<int>(t) : g.counts[e];
        g.offsets[e] = position;
        g.cursors[e] = position;
        for (int first = 0; first < n; first += kGroupTileRows) {
            g.tileExpert[tile] = e;
            g.tileFirst[tile++] = position + first;
        }
        position += n;
        distinct += e < experts && n > 0 ? 1 : 0;
    }
    g.offsets[experts + 1] = position;
    *g.tiles = tile;
    if (result != nullptr) result->distinct = distinct;
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

__global__ void __launch_bounds__(256) combineKernel(Routing r, ExpertGroups g, const Bf16* out, int hidden, int k, float* x) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    for (int d = static_cast<int>(threadIdx.x); d < hidden; d += 256) {
        float sum = x[row * hidden + d];
        for (int s = 0; s <= k; ++s)
            sum += r.weights[row * (k + 1) + s] * toFloat(out[static_cast<std::int64_t>(g.positionOf[row * (k + 1) + s]) * hidden + d]);
        x[row * hidden + d] = sum;
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
    const W* weights = isShared ? static_cast<const W*>(w.sharedGateUp)
                                : static_cast<const W*>(w.gateUp) +
                                      static_cast<std::int64_t>(r.experts[row * k + s]) * 2 * width * w.hidden;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    for (int i = static_cast<int>(blockIdx.y) * 8 + (static_cast<int>(threadIdx.x) >> 5); i < width; i += static_cast<int>(gridDim.y) * 8) {
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
    for (int d = static_cast<int>(blockIdx.y) * 8 + (static_cast<int>(threadIdx.x) >> 5); d < w.hidden; d += static_cast<int>(gridDim.y) * 8) {
        float sum = 0.0F;
        for (int s = 0; s <= k; ++s) {
            const bool isShared = s == k;
            const int width = isShared ? w.sharedWidth : w.width;
            const W* weights = isShared ? static_cast<const W*>(w.sharedDown)
                                        : static_cast<const W*>(w.down) +
                                              static_cast<std::int64_t>(r.experts[row * k + s]) * w.hidden * width;
            float part = 0.0F;
            for (int i = lane; i < width; i += 32)
                part += act[(row * (k + 1) + s) * maxWidth + i] * toFloat(weights[static_cast<std::int64_t>(d) * width + i]);
            sum += warpSum(part) * r.weights[row * (k + 1) + s];
        }
        if (lane == 0) x[row * w.hidden + d] += sum;
    }
}

template <class W, class T>
cudaError_t plainExpertsOf(const Launcher& on, const ExpertWeights& w, const Routing& routing, const T* h, std::int64_t t, int perToken,
                           float* act, float* x) {
    const auto rows = static_cast<unsigned>(t);
    const auto each = static_cast<unsigned>(perToken + 1);
    const dim3 up(rows * each, static_cast<unsigned>((w.maxWidth() + 31) / 32));
    if (const cudaError_t e = launch(on, plainGateUpKernel<W, T>, up, dim3(256), 0, w, routing, h, perToken, act); e != cudaSuccess) return e;
    const dim3 down(rows, static_cast<unsigned>((w.hidden + 31) / 32));
    return launch(on, plainDownKernel<W>, down, dim3(256), 0, w, routing, act, perToken, x);
}

}  // namespace

cudaError_t routeSmall(const Launcher& on, const Rows& logits, int t, const RouteOptions& options, const PassParams* params,
                       const Routing& routing, const ActiveExperts& active, LayerResult* result) {
    if (options.experts > kMaxExperts) return cudaErrorInvalidValue;
    return launch(on, routeSmallKernel, dim3(1), dim3(kRouteThreads), 0, logits, t, options, params, routing, active, result);
}

cudaError_t routeLarge(const Launcher& on, const Rows& logits, std::int64_t t, const RouteOptions& options, const PassParams* params,
                       const Routing& routing) {
    if (options.experts > kMaxExperts) return cudaErrorInvalidValue;
    return launch(on, routeLargeKernel, dim3(static_cast<unsigned>((t + 7) / 8)), dim3(256), 0, logits, t, options, params, routing);
}

cudaError_t groupRows(const Launcher& on, const Routing& routing, std::int64_t t, int experts, int perToken, const ExpertGroups& groups,
                      LayerResult* result) {
    if (const cudaError_t e = cudaMemsetAsync(groups.counts, 0, sizeof(std::int32_t) * static_cast<std::size_t>(experts + 1), on.stream);
        e != cudaSuccess)
        return e;
    const auto grid = static_cast<unsigned>(std::min<std::int64_t>((t * perToken + 255) / 256, 4L * on.sms));
    if (const cudaError_t e = launch(on, countKernel, dim3(grid), dim3(256), 0, routing.experts, t * perToken, experts, groups.counts);
        e != cudaSuccess)
        return e;
    if (const cudaError_t e = launch(on, scanKernel, dim3(1), dim3(32), 0, groups, t, experts, result); e != cudaSuccess) return e;
    return launch(on, placeKernel, dim3(static_cast<unsigned>((t * (perToken + 1) + 255) / 256)), dim3(256), 0, routing, t, experts,
                  perToken, groups);
}

cudaError_t combineGroups(const Launcher& on, const Routing& routing, const ExpertGroups& groups, const Bf16* out, std::int64_t t,
                          int hidden, int perToken, float* x) {
    return launch(on, combineKernel, dim3(static_cast<unsigned>(t)), dim3(256), 0, routing, groups, out, hidden, perToken, x);
}

template <class T>
cudaError_t plainExperts(const Launcher& on, const ExpertWeights& w, const Routing& routing, const T* h, std::int64_t t, int perToken,
                         float* act, float* x) {
    switch (w.format) {
        case WeightFormat::BFloat16: return plainExpertsOf<Bf16>(on, w, routing, h, t, perToken, act, x);
        case WeightFormat::Float32: return plainExpertsOf<float>(on, w, routing, h, t, perToken, act, x);
    }
    return cudaErrorInvalidValue;
}
template cudaError_t plainExperts<Bf16>(const Launcher&, const ExpertWeights&, const Routing&, const Bf16*, std::int64_t, int, float*, float*);
template cudaError_t plainExperts<float>(const Launcher&, const ExpertWeights&, const Routing&, const float*, std::int64_t, int, float*, float*);

}  // namespace trefoil::cuda
