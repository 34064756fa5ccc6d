#include "kernels/cuda/moe.h"

namespace trefoil::cuda {
namespace {

// ---- grouping rows by expert

constexpr int kGroupThreads = kMaxExperts;  // a thread an expert
constexpr unsigned kGroupBlocks = 8;        // of a cluster; one block without

/// Sums of `a` and `b` over the threads before this one; every thread also gets the sums over all. `scratch`: 64 numbers.
__device__ void sumsBefore(int& a, int& b, int& allA, int& allB, int* scratch) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int ownA = a;
    const int ownB = b;
    for (int d = 1; d < 32; d <<= 1) {
        const int otherA = __shfl_up_sync(0xFFFFFFFFU, a, d);
        const int otherB = __shfl_up_sync(0xFFFFFFFFU, b, d);
        if (lane >= d) {
            a += otherA;
            b += otherB;
        }
    }
    if (lane == 31) {
        scratch[warp] = a;
        scratch[32 + warp] = b;
    }
    __syncthreads();
    const int warps = static_cast<int>(blockDim.x) >> 5;
    const int sumA = lane < warps ? scratch[lane] : 0;
    const int sumB = lane < warps ? scratch[32 + lane] : 0;
    a += static_cast<int>(__reduce_add_sync(0xFFFFFFFFU, static_cast<unsigned>(lane < warp ? sumA : 0))) - ownA;
    b += static_cast<int>(__reduce_add_sync(0xFFFFFFFFU, static_cast<unsigned>(lane < warp ? sumB : 0))) - ownB;
    allA = static_cast<int>(__reduce_add_sync(0xFFFFFFFFU, static_cast<unsigned>(sumA)));
    allB = static_cast<int>(__reduce_add_sync(0xFFFFFFFFU, static_cast<unsigned>(sumB)));
}

__host__ __device__ constexpr int tilesOf(int rows) { return (rows + kGroupTileRows - 1) / kGroupTileRows; }

/// One cluster: each block counts its part of the choices in shared memory, learns from the other blocks' counts where its own
/// begin, and places them.
__global__ void __launch_bounds__(kGroupThreads)
    groupKernel(Routing r, int t, int experts, int k, ExpertGroups g, LayerResult* result) {
    __shared__ int counts[kMaxExperts];
    __shared__ int starts[kMaxExperts];  // where this block's rows of an expert go
    __shared__ int scratch[64];
    const int thread = static_cast<int>(threadIdx.x);
    const int rank = clusterRank();
    const int blocks = static_cast<int>(gridDim.x);
    counts[thread] = 0;
    __syncthreads();
    gridRelease();
    gridWait();
    const int choices = t * k;
    const int part = (choices + blocks - 1) / blocks;
    const int first = rank * part + thread;
    const int last = min(choices, (rank + 1) * part);
#pragma unroll 4
    for (int i = first; i < last; i += kGroupThreads) g.positionOf[i + i / k] = atomicAdd(&counts[r.experts[i]], 1);
    clusterArrive();
    clusterWait();
    int total = 0;
    int before = 0;  // in the blocks before this one
#pragma unroll 8
    for (int block = 0; block < blocks; ++block) {
        const int count = inBlock(counts, block)[thread];
        if (block < rank) before += count;
        total += count;
    }
    clusterArrive();  // no block ends before the others have read its counts
    int position = total;
    int tile = tilesOf(total);
    int allPositions;
    int allTiles;
    sumsBefore(position, tile, allPositions, allTiles, scratch);
    starts[thread] = position + before;
    const int distinct = __syncthreads_count(total > 0 ? 1 : 0);
#pragma unroll 4
    for (int i = first; i < last; i += kGroupThreads) {
        const int row = i / k;
        const int at = starts[r.experts[i]] + g.positionOf[i + row];
        g.rowOf[at] = row;
        g.positionOf[i + row] = at;
    }
    for (int row = rank * kGroupThreads + thread; row < t; row += blocks * kGroupThreads) {
        g.rowOf[choices + row] = row;
        g.positionOf[row * (k + 1) + k] = choices + row;
    }
    if (rank == 0) {
        for (int done = 0; done < total; done += kGroupTileRows, ++tile)
            g.tiles[tile] = {thread, position + done, min(kGroupTileRows, total - done), 0};
        for (int i = thread; i < tilesOf(t); i += kGroupThreads)
            g.tiles[allTiles + i] = {experts, choices + i * kGroupTileRows, min(kGroupTileRows, t - i * kGroupTileRows), 0};
        if (thread == 0) {
            *g.tileCount = allTiles + tilesOf(t);
            if (result != nullptr) result->distinct = distinct;
        }
    }
    clusterWait();
}

/// A block a row, eight columns a thread (hidden sizes are a multiple of 8 here). kChosen: k where it is known, so that all loads
/// are under way at once; or 0.
template <int kChosen>
__global__ void __launch_bounds__(256) combineKernel(Routing r, ExpertGroups g, const Bf16* out, int hidden, int k, float* x) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    const int parts = kChosen > 0 ? kChosen + 1 : k + 1;
    const float* weights = r.weights + row * parts;
    const std::int32_t* positions = g.positionOf + row * parts;
    for (int d = static_cast<int>(threadIdx.x) * 8; d < hidden; d += 256 * 8) {
        float* own = x + row * hidden + d;
        float4 low = *reinterpret_cast<const float4*>(own);
        float4 high = *reinterpret_cast<const float4*>(own + 4);
        const auto add = [&](float weight, const uint4& raw) {
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
        };
        const auto fetch = [&](int s) {
            return __ldcs(reinterpret_cast<const uint4*>(out + static_cast<std::int64_t>(positions[s]) * hidden + d));
        };
        if constexpr (kChosen > 0) {
            uint4 raw[kChosen + 1];
#pragma unroll
            for (int s = 0; s <= kChosen; ++s) raw[s] = fetch(s);
#pragma unroll
            for (int s = 0; s <= kChosen; ++s) add(weights[s], raw[s]);
        } else {
            for (int s = 0; s < parts; ++s) add(weights[s], fetch(s));
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

cudaError_t groupRows(const Launcher& on, const Routing& routing, std::int64_t t, int experts, int perToken,
                      const ExpertGroups& groups, LayerResult* result) {
    if (experts > kMaxExperts || t * (perToken + 1) > INT32_MAX) return cudaErrorInvalidValue;
    const unsigned blocks = on.hopper ? kGroupBlocks : 1;
    return launchCluster(on, blocks, groupKernel, dim3(blocks), dim3(kGroupThreads), 0, routing, static_cast<int>(t), experts,
                         perToken, groups, result);
}

cudaError_t combineGroups(const Launcher& on, const Routing& routing, const ExpertGroups& groups, const Bf16* out, std::int64_t t,
                          int hidden, int perToken, float* x) {
    const auto kernel = perToken == 8 ? combineKernel<8> : combineKernel<0>;
    return launch(on, kernel, dim3(static_cast<unsigned>(t)), dim3(256), 0, routing, groups, out, hidden, perToken, x);
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
