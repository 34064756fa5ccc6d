#include "kernels/cuda/route_hopper.h"

#include "kernels/cuda/route_row.cuh"

#include <algorithm>

namespace trefoil::cuda {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / 32;
constexpr int kMostBlocks = 16;    // of a cluster; more than eight need the function's permission
constexpr int kMostOwnRows = 8;    // rows whose logits come together in one block
constexpr int kGroupColumns = 32;  // columns that a warp multiplies at once: 16 bytes a thread
constexpr int kMostGroups = 4;     // in a block's slice of the columns
constexpr int kRowBytes = 320;     // of a row's slice in shared memory: 64 bytes more than its most, so that no banks collide
constexpr int kPartialStride = kRegisterExperts + 4;
static_assert(kWarps * 16 == kRegisterExperts, "a warp multiplies 16 experts");

struct Tables {
    alignas(16) float logits[kMostOwnRows][kRegisterExperts];
    alignas(16) float values[kRegisterExperts + 4];  // masses above zero, by expert
    alignas(16) float sorted[kRegisterExperts + 8];  // the same by rank
    float gates[kSmallRows];                         // this slice's part of the shared expert's gate
    int ranks[kThreads];                             // partial ranks
    unsigned masks[2][kRegisterExperts];             // first block: which rows use an expert: rows 0 to 31, 32 to 63
    std::uint32_t keep[kRegisterExperts / 32];       // bit table of the kept experts
    int counts[kWarps];
    float total;
    float share;
    int count;
};

/// Where this thread stands among those with `vote`, in order, and how many there are. Called by all threads of a block.
__device__ __forceinline__ int orderedPlace(bool vote, int* counts, int& all) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const unsigned votes = __ballot_sync(0xFFFFFFFFU, vote);
    __syncthreads();
    if (lane == 0) counts[warp] = __popc(votes);
    __syncthreads();
    const int count = lane < kWarps ? counts[lane] : 0;
    all = __reduce_add_sync(0xFFFFFFFFU, count);
    const int before = __reduce_add_sync(0xFFFFFFFFU, lane < warp ? count : 0);
    return before + __popc(votes & ((1U << lane) - 1));
}

/// How many of `sorted` [n, then eight zeros] reach `wanted` together, in order; `all` where rounding leaves them short of it.
__device__ __forceinline__ int countToReach(const float* sorted, int n, float wanted, int all) {
    float reached = 0.0F;
#pragma unroll 1
    for (int first = 0; first < n; first += 8) {
        float next[8];
        *reinterpret_cast<float4*>(next) = *reinterpret_cast<const float4*>(sorted + first);
        *reinterpret_cast<float4*>(next + 4) = *reinterpret_cast<const float4*>(sorted + first + 4);
        int below = 0;
#pragma unroll
        for (const float v : next) {  // nothing waits for the comparisons
            reached += v;
            below += reached < wanted ? 1 : 0;
        }
        if (below < 8) return first + below + 1;
    }
    return all;
}

/// The coreset (section 5) from mass [T, kRegisterExperts], by a whole block, into c.keep. Sums run in the order of the
/// reference: a row's mass after the row before, the total by expert, the share by rank; an expert without mass adds nothing.
__device__ void chooseCoreset(const RouteOptions& o, const PassParams* params, int t, const float* mass, Tables& c) {
    const int thread = static_cast<int>(threadIdx.x);
    float own = 0.0F;
    if (thread < kRegisterExperts)
#pragma unroll 8
        for (int row = params->clean; row < t; ++row) own += mass[row * kRegisterExperts + thread];
    const bool some = thread < o.experts && own > 0.0F;
    int n;
    const int place = orderedPlace(some, c.counts, n);
    if (some) c.values[place] = own;
    if (thread < 4) c.values[n + thread] = -1.0F;  // the loop below reads whole groups of four
    __syncthreads();
    // Several threads share the comparisons of a value.
    const int width = n <= kRegisterExperts / 2 ? kRegisterExperts / 2 : kRegisterExperts;
    const int e = thread & (width - 1);
    int rank = 0;
    if (e < n) {
        const float value = c.values[e];
#pragma unroll 2
        for (int f = thread / width * 4; f < n; f += kThreads / width * 4) {
            const float4 others = *reinterpret_cast<const float4*>(c.values + f);
            rank += others.x > value || (others.x == value && f < e) ? 1 : 0;
            rank += others.y > value || (others.y == value && f + 1 < e) ? 1 : 0;
            rank += others.z > value || (others.z == value && f + 2 < e) ? 1 : 0;
            rank += others.w > value || (others.w == value && f + 3 < e) ? 1 : 0;
        }
    }
    c.ranks[thread] = rank;
    if (thread == kThreads - 1) {
        float total = 0.0F;
#pragma unroll 8
        for (int i = 0; i < n; ++i) total += c.values[i];
        c.total = total;
    }
    __syncthreads();
    if (thread < n) {
        rank = 0;
        for (int at = thread; at < kThreads; at += width) rank += c.ranks[at];
        c.sorted[rank] = c.values[thread];
    } else if (thread < n + 8) {
        c.sorted[thread] = 0.0F;
    }
    __syncthreads();
    if (thread < width && thread < n) c.ranks[thread] = rank;
    if (thread == 0)
        c.count = min(max(countToReach(c.sorted, n, params->coresetTopP * c.total, o.experts), o.perToken), o.experts);
    __syncthreads();
    const bool kept = thread < o.experts && (some ? c.ranks[place] : n + thread - place) < c.count;
    const unsigned votes = __ballot_sync(0xFFFFFFFFU, kept);
    if ((thread & 31) == 0 && thread < kRegisterExperts) c.keep[thread >> 5] = votes;
    if (thread == kThreads - 1) {  // for the statistics; nobody waits for it
        float reached = 0.0F;
        for (int i = 0; i < min(n, c.count); ++i) reached += c.sorted[i];
        c.share = c.total > 0.0F ? reached / c.total : 0.0F;
    }
    __syncthreads();
}

/// This block's slice of the product: partial [NT · 8, kPartialStride] = h · w transposed, over `groups` times 32 columns. The
/// order of the columns within a group is the same for both, and otherwise of no matter.
template <int NT>
__device__ __forceinline__ void multiplySlice(const uint4 (&weights)[kMostGroups][2], const unsigned char* tile, int groups,
                                              float* partial) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int g = lane >> 2;
    const int q = lane & 3;
    float c[NT][4] = {};
#pragma unroll
    for (int group = 0; group < kMostGroups; ++group) {
        if (group >= groups) break;
        const uint4& low = weights[group][0];
        const uint4& high = weights[group][1];
        const std::uint32_t first[4] = {low.x, high.x, low.y, high.y};
        const std::uint32_t second[4] = {low.z, high.z, low.w, high.w};
#pragma unroll
        for (int n = 0; n < NT; ++n) {
            const uint4 b = *reinterpret_cast<const uint4*>(tile + (8 * n + g) * kRowBytes + group * 64 + q * 16);
            mma(c[n], first, b.x, b.y);
            mma(c[n], second, b.z, b.w);
        }
    }
    float* to = partial + (static_cast<int>(threadIdx.x) >> 5) * 16 + g;
#pragma unroll
    for (int n = 0; n < NT; ++n) {
        float* row = to + (8 * n + 2 * q) * kPartialStride;
        row[0] = c[n][0];
        row[kPartialStride] = c[n][1];
        row[8] = c[n][2];
        row[kPartialStride + 8] = c[n][3];
    }
}

/// Adds up the logits of this block's rows (rank, rank + blocks, …) from all blocks: four threads a quad of experts.
__device__ __forceinline__ void gatherLogits(const float* partial, int rank, int blocks, int ownRows, Tables& tables) {
    const int thread = static_cast<int>(threadIdx.x);
    const int part = thread >> 3 & 3;
    const int parts = blocks / 4;
    for (int at = thread; at < ownRows * kRegisterExperts; at += kThreads) {
        const int i = at >> 8;
        const int quad = (at >> 5 & 7) * 8 + (at & 7);
        const float* from = partial + (rank + blocks * i) * kPartialStride + quad * 4;
        float4 sum = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
        float4 next[kMostBlocks / 4];
#pragma unroll
        for (int s = 0; s < kMostBlocks / 4; ++s)
            if (s < parts) next[s] = *reinterpret_cast<const float4*>(inBlock(const_cast<float*>(from), part * parts + s));
#pragma unroll
        for (int s = 0; s < kMostBlocks / 4; ++s) {
            if (s >= parts) break;
            sum.x += next[s].x;
            sum.y += next[s].y;
            sum.z += next[s].z;
            sum.w += next[s].w;
        }
#pragma unroll
        for (int d = 8; d <= 16; d <<= 1) {
            sum.x += __shfl_xor_sync(0xFFFFFFFFU, sum.x, d);
            sum.y += __shfl_xor_sync(0xFFFFFFFFU, sum.y, d);
            sum.z += __shfl_xor_sync(0xFFFFFFFFU, sum.z, d);
            sum.w += __shfl_xor_sync(0xFFFFFFFFU, sum.w, d);
        }
        if (part == 0) *reinterpret_cast<float4*>(&tables.logits[i][quad * 4]) = sum;
    }
}

/// The last step, by the first block: the active experts ascending, with the shared one, and the coreset.
__device__ __forceinline__ void listExperts(const RouteOptions& o, bool restrict, Tables& tables, const Routing& r,
                                            const ActiveExperts& active, LayerResult* result) {
    const int thread = static_cast<int>(threadIdx.x);
    const bool isExpert = thread < kRegisterExperts;
    const std::uint64_t rows = isExpert ? tables.masks[0][thread] | std::uint64_t{tables.masks[1][thread]} << 32 : 0;
    int distinct;
    const int place = orderedPlace(rows != 0, tables.counts, distinct);
    if (rows != 0) {
        active.expert[place] = thread;
        active.rowMask[place] = rows;
    }
    int kept = 0;
    if (restrict) {
        const bool keeps = isExpert && (tables.keep[thread >> 5] >> (thread & 31) & 1) != 0;
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

/// Dynamic shared memory: the rows' slices, the partial logits, and, with a coreset, what a noisy row adds to an expert [T, 256].
template <int NT>
__global__ void __launch_bounds__(kThreads)
    routeClusterKernel(const Bf16* w, const Bf16* h, int hidden, int t, int blocks, RouteOptions o, const PassParams* params,
                       Routing r, ActiveExperts active, LayerResult* result) {
    extern __shared__ __align__(16) unsigned char tile[];
    auto* partial = reinterpret_cast<float*>(tile + NT * 8 * kRowBytes);
    float* mass = partial + NT * 8 * kPartialStride;
    __shared__ Tables tables;
    const int thread = static_cast<int>(threadIdx.x);
    const int warp = thread >> 5;
    const int lane = thread & 31;
    const int rank = clusterRank();
    const int slice = hidden / blocks;
    const int groups = slice / kGroupColumns;
    // Weights wait for nothing.
    uint4 weights[kMostGroups][2];
    float2 gateWeights = make_float2(0.0F, 0.0F);
    float2 gateWeights2 = make_float2(0.0F, 0.0F);
    {
        const Bf16* from = w + rank * slice + (lane & 3) * 8;
        const Bf16* low = from + static_cast<std::int64_t>(min(warp * 16 + (lane >> 2), o.experts)) * hidden;
        const Bf16* high = from + static_cast<std::int64_t>(min(warp * 16 + 8 + (lane >> 2), o.experts)) * hidden;
#pragma unroll
        for (int group = 0; group < kMostGroups; ++group)
            if (group < groups) {
                weights[group][0] = __ldg(reinterpret_cast<const uint4*>(low + group * kGroupColumns));
                weights[group][1] = __ldg(reinterpret_cast<const uint4*>(high + group * kGroupColumns));
            }
        if (lane * 4 < slice) {
            const uint2 raw = __ldg(
                reinterpret_cast<const uint2*>(w + static_cast<std::int64_t>(o.experts) * hidden + rank * slice + lane * 4));
            gateWeights = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.x));
            gateWeights2 = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.y));
        }
    }
    if (rank == 0 && thread < kRegisterExperts) tables.masks[0][thread] = tables.masks[1][thread] = 0;
    if (o.coreset)
        for (int i = thread; i < t * kRegisterExperts / 4; i += kThreads)
            reinterpret_cast<float4*>(mass)[i] = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    gridWait();
    // Only now: the rows are then complete for the experts' products before those start.
    gridRelease();
    const int chunks = slice / 8;
    for (int i = thread; i < NT * 8 * chunks; i += kThreads) {
        const int row = i / chunks;
        const int chunk = i % chunks;
        copyAsync16(sharedAddress(tile + row * kRowBytes + chunk * 16),
                    h + static_cast<std::int64_t>(min(row, t - 1)) * hidden + rank * slice + chunk * 8, row < t);
    }
    copyAsyncCommit();
    copyAsyncWait<0>();
    __syncthreads();
    multiplySlice<NT>(weights, tile, groups, partial);
    for (int row = warp; row < t; row += kWarps) {
        float gate = 0.0F;
        if (lane * 4 < slice) {
            const uint2 raw = *reinterpret_cast<const uint2*>(tile + row * kRowBytes + lane * 8);
            const float2 a = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.x));
            const float2 b = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.y));
            gate = (a.x * gateWeights.x + a.y * gateWeights.y) + (b.x * gateWeights2.x + b.y * gateWeights2.y);
        }
        gate = warpSum(gate);
        if (lane == 0) tables.gates[row] = gate;
    }
    clusterArrive();
    clusterWait();
    const int ownRows = rank < t ? (t - 1 - rank) / blocks + 1 : 0;
    gatherLogits(partial, rank, blocks, ownRows, tables);
    __syncthreads();
    const int row = rank + blocks * warp;
    const bool mine = warp < ownRows;
    const int forced = params->forcedExperts;
    LaneProbabilities p;
    float gate = 0.0F;
    if (mine) {
#pragma unroll
        for (int j = 0; j < kLaneExperts; ++j) p[j] = tables.logits[warp][lane + 32 * j];
        laneSoftmax(p, o.experts);
        gate = warpSum(lane < blocks ? *inBlock(&tables.gates[row], lane) : 0.0F);
    }
    unsigned valid = 0;
#pragma unroll
    for (int j = 0; j < kLaneExperts; ++j) valid |= lane + 32 * j < o.experts ? 1U << j : 0U;
    const bool restrict = o.coreset && forced == 0 && params->coresetTopP < 1.0F && params->clean < t;
    const bool inside = mine && row >= params->clean;
    int id = 0;
    float value = 0.0F;
    float total = 1.0F;
    // Once, or, with a coreset, again for the noisy rows within it. One copy of the code: fetching it is much of its time.
#pragma unroll 1
    for (int round = 0;; ++round) {
        if (round == 0 ? mine : inside) total = laneTopK(p, valid, o.perToken, id, value);
        if (round == 1 || !restrict) break;
        // Every block chooses the coreset by itself, so that nobody waits for one to tell.
        const float adds = o.massRenormalised ? value / total : value;
        if (inside)
            for (int s = 0; s < blocks; ++s)
                if (lane < o.perToken) inBlock(mass, s)[row * kRegisterExperts + id] = adds;
        clusterArrive();
        clusterWait();
        chooseCoreset(o, params, t, mass, tables);
        valid = 0;
#pragma unroll
        for (int j = 0; j < kLaneExperts; ++j) valid |= (tables.keep[j] >> lane & 1) << j;
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
    if (rank == 0) listExperts(o, restrict, tables, r, active, result);
}

/// Blocks of the cluster for this hidden size; 0: none fits.
int blocksFor(std::int64_t hidden) {
    for (const int blocks : {kMostBlocks, 8})
        if (hidden % (static_cast<std::int64_t>(blocks) * kGroupColumns) == 0 &&
            hidden <= static_cast<std::int64_t>(blocks) * kGroupColumns * kMostGroups)
            return blocks;
    return 0;
}

template <int NT>
cudaError_t launchRoute(const Launcher& on, int blocks, const Bf16* w, const Bf16* h, int hidden, int t,
                        const RouteOptions& options, const PassParams* params, const Routing& routing,
                        const ActiveExperts& active, LayerResult* result) {
    const std::size_t bytes = NT * 8 * (kRowBytes + kPartialStride * sizeof(float)) +
                              (options.coreset ? static_cast<std::size_t>(t) * kRegisterExperts * sizeof(float) : 0);
    const auto kernel = routeClusterKernel<NT>;
    if (blocks > 8) {
        const cudaError_t e =
            cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (e != cudaSuccess) return e;
    }
    return launchCluster(on, static_cast<unsigned>(blocks), kernel, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), bytes, w,
                         h, hidden, t, blocks, options, params, routing, active, result);
}

}  // namespace

bool routeClusterSupports(const Launcher& on, const RouteOptions& options, std::int64_t hidden, std::int64_t t) {
    const int blocks = blocksFor(hidden);
    return on.hopper && t <= kSmallRows && options.experts <= kRegisterExperts && options.perToken <= 32 && blocks > 0 &&
           blocks <= on.clusterBlocks;
}

cudaError_t routeCluster(const Launcher& on, const Bf16* w, const Bf16* h, int hidden, int t, const RouteOptions& options,
                         const PassParams* params, const Routing& routing, const ActiveExperts& active, LayerResult* result) {
    const int blocks = blocksFor(hidden);
    if (t <= 8) return launchRoute<1>(on, blocks, w, h, hidden, t, options, params, routing, active, result);
    if (t <= 32) return launchRoute<4>(on, blocks, w, h, hidden, t, options, params, routing, active, result);
    return launchRoute<8>(on, blocks, w, h, hidden, t, options, params, routing, active, result);
}

int widestCluster() {
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(kMostBlocks);
    config.blockDim = dim3(kThreads);
    config.dynamicSmemBytes =
        8 * 8 * (kRowBytes + kPartialStride * sizeof(float)) + kSmallRows * kRegisterExperts * sizeof(float);
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {kMostBlocks, 1, 1};
    config.attrs = &attribute;
    config.numAttrs = 1;
    const auto kernel = routeClusterKernel<8>;
    const auto* function = reinterpret_cast<const void*>(kernel);
    int clusters = 0;
    const bool fits = cudaFuncSetAttribute(function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess &&
                      cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<int>(config.dynamicSmemBytes)) == cudaSuccess &&
                      cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0;
    (void)cudaGetLastError();
    return fits ? kMostBlocks : 8;
}

}  // namespace trefoil::cuda
