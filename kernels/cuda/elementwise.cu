#include "kernels/cuda/elementwise.h"

#include "kernels/cuda/pass_params.h"

#include <cuda_fp16.h>

#include <algorithm>

namespace trefoil::cuda {
namespace {

template <class W>
__global__ void __launch_bounds__(256) embedKernel(const W* table, const std::int32_t* ids, int hidden, float* x) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    const std::int64_t id = ids[row];
    for (int d = static_cast<int>(threadIdx.x); d < hidden; d += 256) x[row * hidden + d] = toFloat(table[id * hidden + d]);
}

/// Four neighbouring values of a row, from partial sums or bf16.
__device__ __forceinline__ float4 load4(const Rows& m, std::int64_t row, int column) {
    const std::int64_t at = row * m.stride + column;
    if (m.isBf16) {
        const uint2 raw = *reinterpret_cast<const uint2*>(static_cast<const Bf16*>(m.data) + at);
        const float2 a = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.x));
        const float2 b = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.y));
        return make_float4(a.x, a.y, b.x, b.y);
    }
    const float* p = static_cast<const float*>(m.data) + at;
    float4 sum = *reinterpret_cast<const float4*>(p);
#pragma unroll 8
    for (int s = 1; s < m.splits; ++s) {
        const float4 v = *reinterpret_cast<const float4*>(p + s * m.splitStride);
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
    }
    return sum;
}

__device__ __forceinline__ void store4(float* p, const float4& v) { *reinterpret_cast<float4*>(p) = v; }
__device__ __forceinline__ void store4(Bf16* p, const float4& v) {
    const __nv_bfloat162 a = __floats2bfloat162_rn(v.x, v.y);
    const __nv_bfloat162 b = __floats2bfloat162_rn(v.z, v.w);
    *reinterpret_cast<uint2*>(p) = make_uint2(*reinterpret_cast<const unsigned*>(&a), *reinterpret_cast<const unsigned*>(&b));
}

/// Four values a thread: hidden sizes that are a multiple of 4, up to 4096, stay in registers between the sum and the scaling.
template <class T>
__global__ void __launch_bounds__(1024)
    addNormKernel(float* x, Rows add, const float* w, bool zeroCentred, float eps, std::int64_t first, int hidden, T* h) {
    __shared__ float scratch[32];
    gridRelease();
    const int d = static_cast<int>(threadIdx.x) * 4;
    const bool mine = d < hidden;
    float4 weight = mine ? *reinterpret_cast<const float4*>(w + d) : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    gridWait();
    const std::int64_t row = first + blockIdx.x;
    float4 v = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    if (mine) {
        v = *reinterpret_cast<const float4*>(x + row * hidden + d);
        if (add.data != nullptr) {
            const float4 a = load4(add, row, d);
            v = make_float4(v.x + a.x, v.y + a.y, v.z + a.z, v.w + a.w);
            *reinterpret_cast<float4*>(x + row * hidden + d) = v;
        }
    }
    const float scale =
        rsqrtf(blockSum(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, scratch) / static_cast<float>(hidden) + eps);
    const float centre = zeroCentred ? 1.0F : 0.0F;
    if (mine)
        store4(h + static_cast<std::int64_t>(blockIdx.x) * hidden + d,
               make_float4(v.x * scale * (centre + weight.x), v.y * scale * (centre + weight.y),
                           v.z * scale * (centre + weight.z), v.w * scale * (centre + weight.w)));
}

/// Hopper, small passes: a cluster of kNormBlocks blocks a row, so that four times as many multiprocessors fetch the partial
/// sums; a thread holds four values, and all partial sums of them are in flight together.
constexpr int kNormBlocks = 4;
constexpr int kNormSplits = 16;

template <class T>
__global__ void __launch_bounds__(256)
    addNormClusterKernel(float* x, Rows add, const float* w, bool zeroCentred, float eps, std::int64_t first, int hidden, T* h) {
    __shared__ float scratch[32];
    __shared__ float parts[kNormBlocks];
    gridRelease();
    clusterArrive();
    const int rank = clusterRank();
    const int d = rank * (hidden / kNormBlocks) + static_cast<int>(threadIdx.x) * 4;
    const bool mine = static_cast<int>(threadIdx.x) * 4 < hidden / kNormBlocks;
    const float4 weight = mine ? *reinterpret_cast<const float4*>(w + d) : make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    gridWait();
    const std::int64_t row = first + blockIdx.y;
    float4 v = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
    if (mine) {
        v = *reinterpret_cast<const float4*>(x + row * hidden + d);
        if (add.data != nullptr) {
            const float* from = static_cast<const float*>(add.data) + row * add.stride + d;
            float4 part[kNormSplits];
#pragma unroll
            for (int s = 0; s < kNormSplits; ++s)
                if (s < add.splits) part[s] = __ldcg(reinterpret_cast<const float4*>(from + s * add.splitStride));
            float4 sum = part[0];
#pragma unroll
            for (int s = 1; s < kNormSplits; ++s) {
                if (s >= add.splits) break;
                sum.x += part[s].x;
                sum.y += part[s].y;
                sum.z += part[s].z;
                sum.w += part[s].w;
            }
            v = make_float4(v.x + sum.x, v.y + sum.y, v.z + sum.z, v.w + sum.w);
            *reinterpret_cast<float4*>(x + row * hidden + d) = v;
        }
    }
    const float own = blockSum(v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w, scratch);
    clusterWait();
    if (threadIdx.x < kNormBlocks) inBlock(parts, static_cast<int>(threadIdx.x))[rank] = own;
    clusterArrive();
    clusterWait();
    const float scale = rsqrtf(((parts[0] + parts[1]) + (parts[2] + parts[3])) / static_cast<float>(hidden) + eps);
    const float centre = zeroCentred ? 1.0F : 0.0F;
    if (mine)
        store4(h + static_cast<std::int64_t>(blockIdx.y) * hidden + d,
               make_float4(v.x * scale * (centre + weight.x), v.y * scale * (centre + weight.y),
                           v.z * scale * (centre + weight.z), v.w * scale * (centre + weight.w)));
}

/// Any hidden size.
template <class T>
__global__ void __launch_bounds__(256)
    plainAddNormKernel(float* x, Rows add, const float* w, bool zeroCentred, float eps, std::int64_t first, int hidden, T* h) {
    __shared__ float scratch[32];
    gridRelease();
    gridWait();
    const std::int64_t row = first + blockIdx.x;
    float* own = x + row * hidden;
    float squares = 0.0F;
    for (int d = static_cast<int>(threadIdx.x); d < hidden; d += 256) {
        float v = own[d];
        if (add.data != nullptr) {
            v += load(add, row, d);
            own[d] = v;
        }
        squares += v * v;
    }
    const float scale = rsqrtf(blockSum(squares, scratch) / static_cast<float>(hidden) + eps);
    const float centre = zeroCentred ? 1.0F : 0.0F;
    for (int d = static_cast<int>(threadIdx.x); d < hidden; d += 256)
        h[static_cast<std::int64_t>(blockIdx.x) * hidden + d] = fromFloat<T>(own[d] * scale * (centre + w[d]));
}

__global__ void __launch_bounds__(256) addRowsKernel(float* x, Rows add, int hidden) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    for (int d = static_cast<int>(threadIdx.x); d < hidden; d += 256) x[row * hidden + d] += load(add, row, d);
}

/// One warp computes one output column for kRows rows of x, so that weights are read once for all of them.
template <class W, class T>
__global__ void __launch_bounds__(256)
    plainGemmKernel(const W* w, std::int64_t m, std::int64_t k, const T* x, std::int64_t t, float* out) {
    constexpr int kRows = 8;
    gridRelease();
    gridWait();
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * 8 + (threadIdx.x >> 5);
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.y) * kRows;
    if (column >= m) return;
    float sum[kRows] = {};
    for (std::int64_t i = lane; i < k; i += 32) {
        const float v = toFloat(w[column * k + i]);
#pragma unroll
        for (int r = 0; r < kRows; ++r)
            if (row0 + r < t) sum[r] += v * toFloat(x[(row0 + r) * k + i]);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        const float total = warpSum(sum[r]);
        if (lane == 0 && row0 + r < t) out[(row0 + r) * m + column] = total;
    }
}

__global__ void builtForKernel(int* hopper) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    *hopper = 1;
#else
    *hopper = 0;
#endif
}

template <class S, class D>
__global__ void __launch_bounds__(256) convertKernel(const S* source, D* destination, std::int64_t count) {
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x; i < count;
         i += static_cast<std::int64_t>(gridDim.x) * 256) {
        float v;
        if constexpr (std::is_same_v<S, __half>)
            v = __half2float(source[i]);
        else
            v = toFloat(source[i]);
        destination[i] = fromFloat<D>(v);
    }
}

template <class D>
cudaError_t convertTo(cudaStream_t stream, SourceType from, const void* source, D* destination, std::int64_t count) {
    const auto grid = static_cast<unsigned>(std::min<std::int64_t>((count + 255) / 256, 4096));
    switch (from) {
        case SourceType::F32:
            convertKernel<<<grid, 256, 0, stream>>>(static_cast<const float*>(source), destination, count);
            break;
        case SourceType::F16:
            convertKernel<<<grid, 256, 0, stream>>>(static_cast<const __half*>(source), destination, count);
            break;
        case SourceType::BFloat16:
            convertKernel<<<grid, 256, 0, stream>>>(static_cast<const Bf16*>(source), destination, count);
            break;
    }
    return cudaGetLastError();
}

__global__ void markKernel(const PassParams* p, std::uint8_t* flags, bool set) {
    gridRelease();
    gridWait();
    if (p->countRows == CountRows::None) return;
    const int row = static_cast<int>(threadIdx.x);
    if (row < p->countFirst || row >= p->outputs) return;
    const int id = p->ids[p->outputFirst + row];
    // Several rows may hold one id: all of them write the same byte.
    const std::uint8_t was = flags[id];
    if ((was & (kFlagEos | kFlagMask)) == 0) flags[id] = set ? kFlagInPass : 0;
}

__global__ void addCountsKernel(const std::int32_t* ids, int n, std::int32_t* counts) {
    gridRelease();
    gridWait();
    for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) atomicAdd(counts + ids[i], 1);
}

}  // namespace

cudaError_t embed(const Launcher& on, WeightFormat format, const void* table, const std::int32_t* ids, std::int64_t t, int hidden,
                  float* x) {
    const dim3 grid(static_cast<unsigned>(t));
    if (format == WeightFormat::BFloat16)
        return launch(on, embedKernel<Bf16>, grid, dim3(256), 0, static_cast<const Bf16*>(table), ids, hidden, x);
    return launch(on, embedKernel<float>, grid, dim3(256), 0, static_cast<const float*>(table), ids, hidden, x);
}

template <class T>
cudaError_t addNorm(const Launcher& on, float* x, const Rows& add, const float* w, bool zeroCentred, float eps,
                    std::int64_t first, std::int64_t t, int hidden, T* h) {
    const dim3 grid(static_cast<unsigned>(t));
    if (on.hopper && t <= kSmallRows && hidden % (4 * kNormBlocks) == 0 && hidden >= 1024 && hidden <= 4096 && !add.isBf16 &&
        add.splits <= kNormSplits) {
        const dim3 block(static_cast<unsigned>((hidden / (4 * kNormBlocks) + 31) / 32 * 32));
        return launchCluster(on, kNormBlocks, addNormClusterKernel<T>, dim3(kNormBlocks, grid.x), block, 0, x, add, w,
                             zeroCentred, eps, first, hidden, h);
    }
    if (hidden % 4 == 0 && hidden <= 4096) {
        const dim3 block(static_cast<unsigned>((hidden / 4 + 31) / 32 * 32));
        return launch(on, addNormKernel<T>, grid, block, 0, x, add, w, zeroCentred, eps, first, hidden, h);
    }
    return launch(on, plainAddNormKernel<T>, grid, dim3(256), 0, x, add, w, zeroCentred, eps, first, hidden, h);
}
template cudaError_t addNorm<Bf16>(const Launcher&, float*, const Rows&, const float*, bool, float, std::int64_t, std::int64_t,
                                   int, Bf16*);
template cudaError_t addNorm<float>(const Launcher&, float*, const Rows&, const float*, bool, float, std::int64_t, std::int64_t,
                                    int, float*);

cudaError_t addRows(const Launcher& on, float* x, const Rows& add, std::int64_t t, int hidden) {
    return launch(on, addRowsKernel, dim3(static_cast<unsigned>(t)), dim3(256), 0, x, add, hidden);
}

template <class T>
cudaError_t plainGemm(const Launcher& on, WeightFormat format, const void* w, std::int64_t m, std::int64_t k, const T* x,
                      std::int64_t t, float* out) {
    const dim3 grid(static_cast<unsigned>((m + 7) / 8), static_cast<unsigned>((t + 7) / 8));
    if (format == WeightFormat::BFloat16)
        return launch(on, plainGemmKernel<Bf16, T>, grid, dim3(256), 0, static_cast<const Bf16*>(w), m, k, x, t, out);
    return launch(on, plainGemmKernel<float, T>, grid, dim3(256), 0, static_cast<const float*>(w), m, k, x, t, out);
}
template cudaError_t plainGemm<Bf16>(const Launcher&, WeightFormat, const void*, std::int64_t, std::int64_t, const Bf16*,
                                     std::int64_t, float*);
template cudaError_t plainGemm<float>(const Launcher&, WeightFormat, const void*, std::int64_t, std::int64_t, const float*,
                                      std::int64_t, float*);

cudaError_t convert(cudaStream_t stream, SourceType from, const void* source, WeightFormat to, void* destination,
                    std::int64_t count) {
    if (to == WeightFormat::BFloat16) return convertTo(stream, from, source, static_cast<Bf16*>(destination), count);
    return convertTo(stream, from, source, static_cast<float*>(destination), count);
}

cudaError_t markPassIds(const Launcher& on, const PassParams* params, std::uint8_t* flags, bool set) {
    return launch(on, markKernel, dim3(1), dim3(kMaxOutputRows), 0, params, flags, set);
}

cudaError_t addCounts(const Launcher& on, const std::int32_t* ids, int n, std::int32_t* counts) {
    return launch(on, addCountsKernel, dim3(1), dim3(128), 0, ids, n, counts);
}

cudaError_t builtForHopper(bool& yes) {
    yes = false;
    int* answer = nullptr;
    if (const cudaError_t e = cudaMallocHost(&answer, sizeof(int)); e != cudaSuccess) return e;
    builtForKernel<<<1, 1>>>(answer);
    cudaError_t e = cudaGetLastError();
    if (e == cudaSuccess) e = cudaDeviceSynchronize();
    yes = e == cudaSuccess && *answer == 1;
    cudaFreeHost(answer);
    return e;
}

}  // namespace trefoil::cuda
