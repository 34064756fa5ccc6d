#include "kernels/cuda/elementwise.h"

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

template <class T>
__global__ void __launch_bounds__(256)
    addNormKernel(float* x, Rows add, const float* w, bool zeroCentred, float eps, std::int64_t first, int hidden, T* h) {
    __shared__ float scratch[32];
    gridRelease();
    gridWait();
    const std::int64_t row = first + blockIdx.x;
    float* own = x + row * hidden;
    float squares = 0.0F;
    constexpr int kKept = 8;  // values that stay in registers between the two sweeps: hidden sizes up to 2048
    float kept[kKept];
#pragma unroll
    for (int i = 0; i < kKept; ++i) {
        const int d = static_cast<int>(threadIdx.x) + i * 256;
        kept[i] = 0.0F;
        if (d < hidden) {
            float v = own[d];
            if (add.data != nullptr) {
                v += load(add, row, d);
                own[d] = v;
            }
            kept[i] = v;
            squares += v * v;
        }
    }
    for (int d = static_cast<int>(threadIdx.x) + kKept * 256; d < hidden; d += 256) {
        float v = own[d];
        if (add.data != nullptr) {
            v += load(add, row, d);
            own[d] = v;
        }
        squares += v * v;
    }
    const float scale = rsqrtf(blockSum(squares, scratch) / static_cast<float>(hidden) + eps);
    T* out = h + static_cast<std::int64_t>(blockIdx.x) * hidden;
    const float centre = zeroCentred ? 1.0F : 0.0F;
#pragma unroll
    for (int i = 0; i < kKept; ++i) {
        const int d = static_cast<int>(threadIdx.x) + i * 256;
        if (d < hidden) out[d] = fromFloat<T>(kept[i] * scale * (centre + w[d]));
    }
    for (int d = static_cast<int>(threadIdx.x) + kKept * 256; d < hidden; d += 256)
        out[d] = fromFloat<T>(own[d] * scale * (centre + w[d]));
}

__global__ void __launch_bounds__(256) addRowsKernel(float* x, Rows add, int hidden) {
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    for (int d = static_cast<int>(threadIdx.x); d < hidden; d += 256) x[row * hidden + d] += load(add, row, d);
}

/// One warp computes one output column for kRows rows of x, so that weights are read once for all of them.
template <class W, class T>
__global__ void __launch_bounds__(256) plainGemmKernel(const W* w, std::int64_t m, std::int64_t k, const T* x, std::int64_t t, float* out) {
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

template <class S, class D>
__global__ void __launch_bounds__(256) convertKernel(const S* source, D* destination, std::int64_t count) {
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x; i < count; i += static_cast<std::int64_t>(gridDim.x) * 256) {
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
        case SourceType::F32: convertKernel<<<grid, 256, 0, stream>>>(static_cast<const float*>(source), destination, count); break;
        case SourceType::F16: convertKernel<<<grid, 256, 0, stream>>>(static_cast<const __half*>(source), destination, count); break;
        case SourceType::BFloat16: convertKernel<<<grid, 256, 0, stream>>>(static_cast<const Bf16*>(source), destination, count); break;
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
cudaError_t addNorm(const Launcher& on, float* x, const Rows& add, const float* w, bool zeroCentred, float eps, std::int64_t first,
                    std::int64_t t, int hidden, T* h) {
    return launch(on, addNormKernel<T>, dim3(static_cast<unsigned>(t)), dim3(256), 0, x, add, w, zeroCentred, eps, first, hidden, h);
}
template cudaError_t addNorm<Bf16>(const Launcher&, float*, const Rows&, const float*, bool, float, std::int64_t, std::int64_t, int, Bf16*);
template cudaError_t addNorm<float>(const Launcher&, float*, const Rows&, const float*, bool, float, std::int64_t, std::int64_t, int,
                                    float*);

cudaError_t addRows(const Launcher& on, float* x, const Rows& add, std::int64_t t, int hidden) {
    return launch(on, addRowsKernel, dim3(static_cast<unsigned>(t)), dim3(256), 0, x, add, hidden);
}

template <class T>
cudaError_t plainGemm(const Launcher& on, WeightFormat format, const void* w, std::int64_t m, std::int64_t k, const T* x, std::int64_t t,
                      float* out) {
    const dim3 grid(static_cast<unsigned>((m + 7) / 8), static_cast<unsigned>((t + 7) / 8));
    if (format == WeightFormat::BFloat16)
        return launch(on, plainGemmKernel<Bf16, T>, grid, dim3(256), 0, static_cast<const Bf16*>(w), m, k, x, t, out);
    return launch(on, plainGemmKernel<float, T>, grid, dim3(256), 0, static_cast<const float*>(w), m, k, x, t, out);
}
template cudaError_t plainGemm<Bf16>(const Launcher&, WeightFormat, const void*, std::int64_t, std::int64_t, const Bf16*, std::int64_t,
                                     float*);
template cudaError_t plainGemm<float>(const Launcher&, WeightFormat, const void*, std::int64_t, std::int64_t, const float*, std::int64_t,
                                      float*);

cudaError_t convert(cudaStream_t stream, SourceType from, const void* source, WeightFormat to, void* destination, std::int64_t count) {
    if (to == WeightFormat::BFloat16) return convertTo(stream, from, source, static_cast<Bf16*>(destination), count);
    return convertTo(stream, from, source, static_cast<float*>(destination), count);
}

cudaError_t markPassIds(const Launcher& on, const PassParams* params, std::uint8_t* flags, bool set) {
    return launch(on, markKernel, dim3(1), dim3(kMaxOutputRows), 0, params, flags, set);
}

cudaError_t addCounts(const Launcher& on, const std::int32_t* ids, int n, std::int32_t* counts) {
    return launch(on, addCountsKernel, dim3(1), dim3(128), 0, ids, n, counts);
}

}  // namespace trefoil::cuda
