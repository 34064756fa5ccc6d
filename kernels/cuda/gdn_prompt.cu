#include "kernels/cuda/gdn_prompt.h"

namespace trefoil::cuda {
namespace {

constexpr int kWidth = 128;
constexpr int kRows = 8;  // a warp's, of one head
constexpr int kWarps = 8;
constexpr int kHeadsPerWarp = 4;  // of the gated norm

__device__ __forceinline__ void unpackBf16(uint2 raw, float (&x)[4]) {
    const float2 low = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.x));
    const float2 high = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.y));
    x[0] = low.x;
    x[1] = low.y;
    x[2] = high.x;
    x[3] = high.y;
}
__device__ __forceinline__ std::uint32_t packHalf(float low, float high) {
    const __half2 both = __floats2half2_rn(fminf(fmaxf(low, -65504.0F), 65504.0F), fminf(fmaxf(high, -65504.0F), 65504.0F));
    return *reinterpret_cast<const std::uint32_t*>(&both);
}

/// A warp is kRows rows of one head, a lane four channels: every input is read once for all the taps that see it.
__global__ void __launch_bounds__(kWarps * 32)
    promptInputsKernel(GdnShape s, GdnVectors w, const Bf16* projected, std::int64_t stride, const float* tail, std::int64_t t,
                       PromptRows out) {
    gridRelease();
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int channels = s.channels();
    const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.x) * kRows;
    const int rows = static_cast<int>(min(static_cast<std::int64_t>(kRows), t - row0));
    const int head = static_cast<int>(blockIdx.y) * kWarps + (static_cast<int>(threadIdx.x) >> 5);
    const int heads = 2 * s.keyHeads + s.valueHeads;
    if (head >= heads) {  // the last row of blocks: the gates
        gridWait();
        for (int i = static_cast<int>(threadIdx.x); i < rows * s.valueHeads; i += kWarps * 32) {
            const std::int64_t row = row0 + i / s.valueHeads;
            const int h = i % s.valueHeads;
            const Bf16* gates = projected + row * stride + channels + s.values() + h;
            out.beta[row * s.valueHeads + h] = sigmoid(toFloat(gates[0]));
            out.decay[row * s.valueHeads + h] = expf(-expf(w.aLog[h]) * softplus(toFloat(gates[s.valueHeads]) + w.dtBias[h]));
        }
        return;
    }
    const int c = head * kWidth + lane * 4;
    float taps[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const float4 own = *reinterpret_cast<const float4*>(w.conv + (c + i) * 4);
        taps[i][0] = own.x;
        taps[i][1] = own.y;
        taps[i][2] = own.z;
        taps[i][3] = own.w;
    }
    gridWait();
    uint2 raw[kRows + 3];
#pragma unroll
    for (int i = 0; i < kRows + 3; ++i) {
        const std::int64_t row = row0 - 3 + i;
        raw[i] = row >= 0 && row < t ? *reinterpret_cast<const uint2*>(projected + row * stride + c) : make_uint2(0, 0);
    }
    float x[kRows + 3][4];
#pragma unroll
    for (int i = 0; i < kRows + 3; ++i) unpackBf16(raw[i], x[i]);
    if (row0 < 3) {
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            const float4 old = *reinterpret_cast<const float4*>(tail + (row0 + i) * channels + c);
            x[i][0] = old.x;
            x[i][1] = old.y;
            x[i][2] = old.z;
            x[i][3] = old.w;
        }
    }
    const bool isValue = head >= 2 * s.keyHeads;
    __half* target = isValue ? out.v + (head - 2 * s.keyHeads) * kWidth
                             : (head < s.keyHeads ? out.q + head * kWidth : out.k + (head - s.keyHeads) * kWidth);
    const std::int64_t outStride = isValue ? s.values() : s.keys();
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        float u[4];
        float squares = 0.0F;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            u[i] =
                fastSilu(x[r][i] * taps[i][0] + x[r + 1][i] * taps[i][1] + x[r + 2][i] * taps[i][2] + x[r + 3][i] * taps[i][3]);
            squares += u[i] * u[i];
        }
        if (!isValue) {
            const float scale = rsqrtf(warpSum(squares) + 1e-6F);
#pragma unroll
            for (float& value : u) value *= scale;
        }
        if (r < rows)
            *reinterpret_cast<uint2*>(target + (row0 + r) * outStride + lane * 4) =
                make_uint2(packHalf(u[0], u[1]), packHalf(u[2], u[3]));
    }
}

/// A warp is four heads of one row, half a warp one head at a time, a lane eight columns.
__global__ void __launch_bounds__(kWarps * 32)
    promptGatedNormKernel(GdnShape s, const float* weight, const __half* o, const Bf16* projected, std::int64_t stride, float eps,
                          std::int64_t t, Bf16* out) {
    gridRelease();
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int column = (lane & 15) * 8;
    float factor[8];
    *reinterpret_cast<float4*>(factor) = *reinterpret_cast<const float4*>(weight + column);
    *reinterpret_cast<float4*>(factor + 4) = *reinterpret_cast<const float4*>(weight + column + 4);
    const int groups = s.valueHeads / kHeadsPerWarp;
    const std::int64_t job = static_cast<std::int64_t>(blockIdx.x) * kWarps + (threadIdx.x >> 5);
    if (job >= t * groups) return;
    const std::int64_t row = job / groups;
    const int head = static_cast<int>(job % groups) * kHeadsPerWarp + (lane >> 4);
    const __half* own = o + row * s.values() + head * kWidth + column;
    const Bf16* gate = projected + row * stride + s.channels() + head * kWidth + column;
    Bf16* to = out + row * s.values() + head * kWidth + column;
    gridWait();
    uint4 values[kHeadsPerWarp / 2];
    uint4 gates[kHeadsPerWarp / 2];
#pragma unroll
    for (int i = 0; i < kHeadsPerWarp / 2; ++i) {
        values[i] = *reinterpret_cast<const uint4*>(own + i * 2 * kWidth);
        gates[i] = *reinterpret_cast<const uint4*>(gate + i * 2 * kWidth);
    }
#pragma unroll
    for (int i = 0; i < kHeadsPerWarp / 2; ++i) {
        const std::uint32_t words[4] = {values[i].x, values[i].y, values[i].z, values[i].w};
        const std::uint32_t gateWords[4] = {gates[i].x, gates[i].y, gates[i].z, gates[i].w};
        float2 v[4];
        float squares = 0.0F;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            v[j] = __half22float2(*reinterpret_cast<const __half2*>(&words[j]));
            squares += v[j].x * v[j].x + v[j].y * v[j].y;
        }
#pragma unroll
        for (int d = 8; d > 0; d >>= 1) squares += __shfl_xor_sync(0xFFFFFFFFU, squares, d);
        const float scale = rsqrtf(squares / static_cast<float>(kWidth) + eps);
        std::uint32_t result[4];
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float2 z = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&gateWords[j]));
            const __nv_bfloat162 both = __floats2bfloat162_rn(factor[j * 2] * v[j].x * scale * fastSilu(z.x),
                                                              factor[j * 2 + 1] * v[j].y * scale * fastSilu(z.y));
            result[j] = *reinterpret_cast<const std::uint32_t*>(&both);
        }
        *reinterpret_cast<uint4*>(to + i * 2 * kWidth) = make_uint4(result[0], result[1], result[2], result[3]);
    }
}

unsigned blocks(std::int64_t n, std::int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

}  // namespace

bool promptInputsSupports(const GdnShape& s, const Rows& projected) {
    return s.taps == 4 && s.keyDim == kWidth && s.valueDim == kWidth && (2 * s.keyHeads + s.valueHeads) % kWarps == 0 &&
           s.valueHeads % kHeadsPerWarp == 0 && projected.isBf16 && projected.stride % 8 == 0;
}

cudaError_t promptInputs(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, const float* tail,
                         std::int64_t t, const PromptRows& out) {
    const dim3 grid(blocks(t, kRows), static_cast<unsigned>((2 * shape.keyHeads + shape.valueHeads) / kWarps + 1));
    return launch(on, promptInputsKernel, grid, dim3(kWarps * 32), 0, shape, w, static_cast<const Bf16*>(projected.data),
                  projected.stride, tail, t, out);
}

cudaError_t promptGatedNorm(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const __half* o,
                            const Rows& projected, float eps, std::int64_t t, Bf16* out) {
    return launch(on, promptGatedNormKernel, dim3(blocks(t * (shape.valueHeads / kHeadsPerWarp), kWarps)), dim3(kWarps * 32), 0,
                  shape, w.norm, o, static_cast<const Bf16*>(projected.data), projected.stride, eps, t, out);
}

}  // namespace trefoil::cuda
