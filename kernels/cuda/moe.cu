#include "kernels/cuda/moe.h"

namespace trefoil::cuda {
namespace {

constexpr int kScanThreads = 1024;

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

__global__ void __launch_bounds__(kScanThreads) scanKernel(ExpertGroups g, std::int64_t t, int experts, LayerResult* result) {
    __shared__ int counts[kMaxExperts + 1];
    __shared__ int positions[kMaxExperts + 2];
    __shared__ int tiles[kMaxExperts + 2];
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    for (int e = thread; e <= experts; e += kScanThreads) counts[e] = e == experts ? static_cast<int>(t) : g.counts[e];
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
    for (int e = thread; e <= experts + 1; e += kScanThreads) {
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
    if (const cudaError_t e = launch(on, scanKernel, dim3(1), dim3(kScanThreads), 0, groups, t, experts, result);
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
