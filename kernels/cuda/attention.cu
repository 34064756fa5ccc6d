#include "kernels/cuda/attention.h"

#include <algorithm>
#include <cmath>

namespace trefoil::cuda {
namespace {

/// Positions that row `row` of the pass sees.
__device__ __forceinline__ std::int64_t visible(const PassParams& p, std::int64_t row, std::int64_t t) {
    return p.prefix + (row < p.clean ? row + 1 : t);
}

/// One warp a head: query heads, key heads, value heads.
template <class T>
__global__ void __launch_bounds__(128)
    inputsKernel(AttentionShape s, Rows projected, const float* qNorm, const float* kNorm, bool zeroCentred, float eps,
                 const float* frequencies, const PassParams* params, std::int64_t t, T* q, T* keys, T* values) {
    extern __shared__ float rows[];  // [4][Dh]
    gridRelease();
    gridWait();
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int heads = s.queryHeads + 2 * s.keyValueHeads;
    const std::int64_t job = static_cast<std::int64_t>(blockIdx.x) * 4 + warp;
    if (job >= t * heads) return;
    const std::int64_t row = job / heads;
    const int head = static_cast<int>(job % heads);
    const std::int64_t position = params->prefix + row;
    const int keyColumn = 2 * s.queryHeads * s.headDim;
    if (head >= s.queryHeads + s.keyValueHeads) {
        const int h = head - s.queryHeads - s.keyValueHeads;
        T* out = values + (position * s.keyValueHeads + h) * s.headDim;
        for (int d = lane; d < s.headDim; d += 32)
            out[d] = fromFloat<T>(load(projected, row, keyColumn + (s.keyValueHeads + h) * s.headDim + d));
        return;
    }
    const bool isQuery = head < s.queryHeads;
    const int h = isQuery ? head : head - s.queryHeads;
    const int column = isQuery ? 2 * h * s.headDim : keyColumn + h * s.headDim;
    const float* norm = isQuery ? qNorm : kNorm;
    float* own = rows + warp * s.headDim;
    float squares = 0.0F;
    for (int d = lane; d < s.headDim; d += 32) {
        const float v = load(projected, row, column + d);
        own[d] = v;
        squares += v * v;
    }
    const float scale = rsqrtf(warpSum(squares) / static_cast<float>(s.headDim) + eps);
    const float centre = zeroCentred ? 1.0F : 0.0F;
    for (int d = lane; d < s.headDim; d += 32) own[d] = own[d] * scale * (centre + norm[d]);
    __syncwarp();
    T* out = isQuery ? q + (row * s.queryHeads + h) * s.headDim : keys + (position * s.keyValueHeads + h) * s.headDim;
    const int half = s.rotaryDim / 2;
    for (int d = lane; d < s.headDim; d += 32) {
        float v = own[d];
        if (d < 2 * half) {
            const int pair = d < half ? d : d - half;
            const float angle = static_cast<float>(position) * frequencies[pair];
            float sine;
            float cosine;
            sincosf(angle, &sine, &cosine);
            v = d < half ? v * cosine - own[d + half] * sine : v * cosine + own[d - half] * sine;
        }
        out[d] = fromFloat<T>(v);
    }
}

template <class T>
__global__ void __launch_bounds__(128) plainKernel(AttentionShape s, const T* q, const T* keys, const T* values,
                                                   const PassParams* params, std::int64_t t, AttentionParts parts) {
    constexpr int kMax = 16;  // head dims up to 512
    gridRelease();
    gridWait();
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const std::int64_t job = static_cast<std::int64_t>(blockIdx.x) * 4 + (threadIdx.x >> 5);
    if (job >= t * s.queryHeads) return;
    const std::int64_t row = job / s.queryHeads;
    const int kvHead = static_cast<int>(job % s.queryHeads) * s.keyValueHeads / s.queryHeads;
    const std::int64_t end = visible(*params, row, t);
    const float scale = rsqrtf(static_cast<float>(s.headDim));
    float own[kMax];
    float sum[kMax];
#pragma unroll
    for (int i = 0; i < kMax; ++i) {
        const int d = lane + i * 32;
        own[i] = d < s.headDim ? toFloat(q[job * s.headDim + d]) * scale : 0.0F;
        sum[i] = 0.0F;
    }
    float m = -INFINITY;
    float l = 0.0F;
    for (std::int64_t at = 0; at < end; ++at) {
        const std::int64_t base = (at * s.keyValueHeads + kvHead) * s.headDim;
        float dot = 0.0F;
#pragma unroll
        for (int i = 0; i < kMax; ++i)
            if (lane + i * 32 < s.headDim) dot += own[i] * toFloat(keys[base + lane + i * 32]);
        dot = warpSum(dot);
        const float next = fmaxf(m, dot);
        const float shrink = expf(m - next);
        const float p = expf(dot - next);
        l = l * shrink + p;
#pragma unroll
        for (int i = 0; i < kMax; ++i)
            if (lane + i * 32 < s.headDim) sum[i] = sum[i] * shrink + p * toFloat(values[base + lane + i * 32]);
        m = next;
    }
#pragma unroll
    for (int i = 0; i < kMax; ++i)
        if (lane + i * 32 < s.headDim) parts.o[job * s.headDim + lane + i * 32] = sum[i];
    if (lane == 0) {
        parts.maxSum[job * 2] = m;
        parts.maxSum[job * 2 + 1] = l;
    }
}

// ---- tensor cores. A block holds 128 query rows (16 a warp) of one key/value head: row r is token r / G, query head r % G of
// the group.

constexpr int kQueryRows = 128;
constexpr int kKeyRows = 64;
constexpr int kFlashThreads = 256;

/// Byte offset of a 16-byte chunk in a tile with rows of kDim bf16.
template <int kDim>
__device__ __forceinline__ std::uint32_t swizzle(int row, int chunk) {
    return static_cast<std::uint32_t>(row * kDim * 2 + ((chunk ^ (row & 7)) << 4));
}

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
    const __nv_bfloat162 v = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&v);
}

template <int kDim>
constexpr std::size_t flashBytes() {
    return static_cast<std::size_t>(kQueryRows + 4 * kKeyRows) * kDim * 2;
}

template <int kDim>
__global__ void __launch_bounds__(kFlashThreads, 1)
    flashKernel(AttentionShape s, const Bf16* q, const Bf16* keys, const Bf16* values, const PassParams* params, std::int64_t t,
                AttentionParts parts) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    constexpr int kChunks = kDim / 8;
    constexpr std::uint32_t kTileBytes = kKeyRows * kDim * 2;
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int group = s.queryHeads / s.keyValueHeads;
    const int kvHead = static_cast<int>(blockIdx.y);
    const std::int64_t queries = t * group;
    // The last rows of a causal pass see most: start with them, so that short ones fill the end.
    const std::int64_t row0 = static_cast<std::int64_t>(gridDim.x - 1 - blockIdx.x) * kQueryRows;
    const int here = static_cast<int>(min(static_cast<std::int64_t>(kQueryRows), queries - row0));
    const std::int64_t lastToken = (row0 + here - 1) / group;
    const std::int64_t end = visible(*params, lastToken, t);
    const std::int64_t tilesAll = (end + kKeyRows - 1) / kKeyRows;
    const int splits = static_cast<int>(gridDim.z);
    const std::int64_t firstTile = tilesAll * blockIdx.z / splits;
    const std::int64_t lastTile = tilesAll * (blockIdx.z + 1) / splits;
    const std::uint32_t qBase = sharedAddress(shared);
    const std::uint32_t kBase = qBase + kQueryRows * kDim * 2;
    const std::uint32_t vBase = kBase + 2 * kTileBytes;
    const std::int64_t kvStride = static_cast<std::int64_t>(s.keyValueHeads) * kDim;
    const auto fetch = [&](const Bf16* source, std::uint32_t base, std::int64_t tile) {
        for (int i = thread; i < kKeyRows * kChunks; i += kFlashThreads) {
            const int row = i / kChunks;
            const int chunk = i % kChunks;
            const std::int64_t at = tile * kKeyRows + row;
            const bool valid = at < end;
            copyAsync16(base + swizzle<kDim>(row, chunk), source + (valid ? at * kvStride + kvHead * kDim + chunk * 8 : 0),
                        valid);
        }
    };
    for (int i = thread; i < kQueryRows * kChunks; i += kFlashThreads) {
        const int row = i / kChunks;
        const int chunk = i % kChunks;
        const bool valid = row < here;
        const std::int64_t token = (row0 + row) / group;
        const int head = kvHead * group + static_cast<int>((row0 + row) % group);
        copyAsync16(qBase + swizzle<kDim>(row, chunk), q + (valid ? (token * s.queryHeads + head) * kDim + chunk * 8 : 0), valid);
    }
    if (firstTile < lastTile) fetch(keys, kBase, firstTile);
    copyAsyncCommit();
    if (firstTile < lastTile) fetch(values, vBase, firstTile);
    copyAsyncCommit();

    float o[kDim / 8][4];
#pragma unroll
    for (auto& i : o)
#pragma unroll
        for (float& v : i) v = 0.0F;
    float m[2] = {-INFINITY, -INFINITY};
    float l[2] = {0.0F, 0.0F};
    const float scale = rsqrtf(static_cast<float>(kDim)) * 1.4426950408889634F;  // exponentials to base 2
    std::int64_t sees[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const std::int64_t row = row0 + warp * 16 + (lane >> 2) + i * 8;
        sees[i] = row < queries ? visible(*params, row / group, t) : end;
    }
    const std::int64_t leastToken = (row0 + warp * 16) / group;
    const std::int64_t leastSeen = leastToken < t ? visible(*params, leastToken, t) : end;
    const bool idle = warp * 16 >= here;
    for (std::int64_t tile = firstTile; tile < lastTile; ++tile) {
        const int buffer = static_cast<int>((tile - firstTile) & 1);
        const std::uint32_t kAt = kBase + buffer * kTileBytes;
        const std::uint32_t vAt = vBase + buffer * kTileBytes;
        copyAsyncWait<1>();  // the keys of this tile are here; its values may still be on their way
        __syncthreads();
        if (tile + 1 < lastTile) fetch(keys, kBase + (buffer ^ 1) * kTileBytes, tile + 1);
        copyAsyncCommit();
        float p[kKeyRows / 8][4];
        if (!idle) {
#pragma unroll
            for (auto& i : p)
#pragma unroll
                for (float& v : i) v = 0.0F;
#pragma unroll 4
            for (int kk = 0; kk < kDim / 16; ++kk) {
                std::uint32_t a[4];
                loadMatrix4(a, qBase + swizzle<kDim>(warp * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
                for (int n = 0; n < kKeyRows / 16; ++n) {
                    std::uint32_t b[4];
                    loadMatrix4(b, kAt + swizzle<kDim>(n * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1)));
                    mma(p[2 * n], a, b[0], b[1]);
                    mma(p[2 * n + 1], a, b[2], b[3]);
                }
            }
            const std::int64_t first = tile * kKeyRows;
            if (first + kKeyRows > leastSeen) {
#pragma unroll
                for (int n = 0; n < kKeyRows / 8; ++n)
#pragma unroll
                    for (int j = 0; j < 4; ++j)
                        if (first + n * 8 + (lane & 3) * 2 + (j & 1) >= sees[j >> 1]) p[n][j] = -INFINITY;
            }
            float shrink[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                float top = m[i];
#pragma unroll
                for (int n = 0; n < kKeyRows / 8; ++n) top = fmaxf(top, fmaxf(p[n][2 * i], p[n][2 * i + 1]));
                top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));
                top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
                const float base = top == -INFINITY ? 0.0F : top * scale;
                shrink[i] = exp2f(m[i] * scale - base);
                m[i] = top;
                float sum = 0.0F;
#pragma unroll
                for (int n = 0; n < kKeyRows / 8; ++n) {
                    p[n][2 * i] = exp2f(p[n][2 * i] * scale - base);
                    p[n][2 * i + 1] = exp2f(p[n][2 * i + 1] * scale - base);
                    sum += p[n][2 * i] + p[n][2 * i + 1];
                }
                l[i] = l[i] * shrink[i] + sum;
            }
#pragma unroll
            for (int n = 0; n < kDim / 8; ++n) {
                o[n][0] *= shrink[0];
                o[n][1] *= shrink[0];
                o[n][2] *= shrink[1];
                o[n][3] *= shrink[1];
            }
        }
        copyAsyncWait<1>();
        __syncthreads();
        if (tile + 1 < lastTile) fetch(values, vBase + (buffer ^ 1) * kTileBytes, tile + 1);
        copyAsyncCommit();
        if (!idle) {
#pragma unroll
            for (int kk = 0; kk < kKeyRows / 16; ++kk) {
                const std::uint32_t a[4] = {pack(p[2 * kk][0], p[2 * kk][1]), pack(p[2 * kk][2], p[2 * kk][3]),
                                            pack(p[2 * kk + 1][0], p[2 * kk + 1][1]), pack(p[2 * kk + 1][2], p[2 * kk + 1][3])};
#pragma unroll
                for (int n = 0; n < kDim / 16; ++n) {
                    std::uint32_t b[4];
                    loadMatrix4Transposed(b, vAt + swizzle<kDim>(kk * 16 + (lane & 15), n * 2 + (lane >> 4)));
                    mma(o[2 * n], a, b[0], b[1]);
                    mma(o[2 * n + 1], a, b[2], b[3]);
                }
            }
        }
    }
    copyAsyncWait<0>();
    if (idle) return;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        l[i] += __shfl_xor_sync(0xFFFFFFFFU, l[i], 1);
        l[i] += __shfl_xor_sync(0xFFFFFFFFU, l[i], 2);
        const std::int64_t row = row0 + warp * 16 + (lane >> 2) + i * 8;
        if (row >= queries) continue;
        const std::int64_t job =
            static_cast<std::int64_t>(blockIdx.z) * t * s.queryHeads + row / group * s.queryHeads + kvHead * group + row % group;
        if ((lane & 3) == 0) {
            parts.maxSum[job * 2] = m[i] * (scale * 0.6931471805599453F);  // back to base e
            parts.maxSum[job * 2 + 1] = l[i];
        }
        float* out = parts.o + job * kDim + (lane & 3) * 2;
#pragma unroll
        for (int n = 0; n < kDim / 8; ++n) *reinterpret_cast<float2*>(out + n * 8) = make_float2(o[n][2 * i], o[n][2 * i + 1]);
    }
}

/// A block a query head of a row; each thread owns some dims.
template <class T>
__global__ void __launch_bounds__(256)
    outputKernel(AttentionShape s, AttentionParts parts, int splits, Rows projected, std::int64_t t, T* out) {
    __shared__ float share[128];
    gridRelease();
    gridWait();
    const std::int64_t jobs = t * s.queryHeads;
    const std::int64_t job = blockIdx.x;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    if (threadIdx.x < 32) {
        float m = -INFINITY;
        for (int i = lane; i < splits; i += 32) m = fmaxf(m, parts.maxSum[(i * jobs + job) * 2]);
        m = warpMax(m);
        float l = 0.0F;
        for (int i = lane; i < splits; i += 32) {
            const float own = parts.maxSum[(i * jobs + job) * 2];
            const float scale = own > -INFINITY ? expf(own - m) : 0.0F;
            share[i] = scale;
            l += parts.maxSum[(i * jobs + job) * 2 + 1] * scale;
        }
        l = warpSum(l);
        for (int i = lane; i < splits; i += 32) share[i] = share[i] / l;
    }
    __syncthreads();
    const std::int64_t row = job / s.queryHeads;
    const int head = static_cast<int>(job % s.queryHeads);
    for (int d = static_cast<int>(threadIdx.x); d < s.headDim; d += static_cast<int>(blockDim.x)) {
        float sum = 0.0F;
#pragma unroll 8
        for (int i = 0; i < splits; ++i) {
            const float own = share[i];
            if (own > 0.0F) sum += parts.o[(i * jobs + job) * s.headDim + d] * own;  // an empty part was never written
        }
        const float gate = load(projected, row, (2 * head + 1) * s.headDim + d);
        out[job * s.headDim + d] = fromFloat<T>(sum * sigmoid(gate));
    }
}

/// The same for one part: a thread has four dims of a query head (head dims are a multiple of 4 here, projections bf16).
template <class T>
__global__ void __launch_bounds__(256)
    onePartKernel(AttentionShape s, AttentionParts parts, const Bf16* projected, std::int64_t stride, std::int64_t t, T* out) {
    gridRelease();
    gridWait();
    const int each = s.headDim / 4;
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * 256 + threadIdx.x;
    const std::int64_t job = i / each;
    if (job >= t * s.queryHeads) return;
    const int d = static_cast<int>(i % each) * 4;
    const float scale = 1.0F / parts.maxSum[job * 2 + 1];
    const float4 o = *reinterpret_cast<const float4*>(parts.o + job * s.headDim + d);
    const Bf16* gate = projected + job / s.queryHeads * stride + (2 * (job % s.queryHeads) + 1) * s.headDim + d;
    const float2 low = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(gate));
    const float2 high = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(gate + 2));
    T* to = out + job * s.headDim + d;
    to[0] = fromFloat<T>(o.x * scale * sigmoid(low.x));
    to[1] = fromFloat<T>(o.y * scale * sigmoid(low.y));
    to[2] = fromFloat<T>(o.z * scale * sigmoid(high.x));
    to[3] = fromFloat<T>(o.w * scale * sigmoid(high.y));
}

unsigned blocks(std::int64_t n, std::int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

template <int kDim>
cudaError_t flashOf(const Launcher& on, const AttentionShape& s, const Bf16* q, const Bf16* keys, const Bf16* values,
                    const PassParams* params, std::int64_t t, int splits, const AttentionParts& parts) {
    const dim3 grid(blocks(t * (s.queryHeads / s.keyValueHeads), kQueryRows), static_cast<unsigned>(s.keyValueHeads),
                    static_cast<unsigned>(splits));
    return launch(on, flashKernel<kDim>, grid, dim3(kFlashThreads), flashBytes<kDim>(), s, q, keys, values, params, t, parts);
}

}  // namespace

template <class T>
cudaError_t attentionInputs(const Launcher& on, const AttentionShape& shape, const Rows& projected, const float* qNorm,
                            const float* kNorm, bool zeroCentred, float eps, const float* frequencies, const PassParams* params,
                            std::int64_t t, T* q, T* keys, T* values) {
    const std::int64_t jobs = t * (shape.queryHeads + 2 * shape.keyValueHeads);
    const std::size_t bytes = sizeof(float) * 4 * static_cast<std::size_t>(shape.headDim);
    return launch(on, inputsKernel<T>, dim3(blocks(jobs, 4)), dim3(128), bytes, shape, projected, qNorm, kNorm, zeroCentred, eps,
                  frequencies, params, t, q, keys, values);
}

bool flashSupports(const AttentionShape& shape) {
    return (shape.headDim == 64 || shape.headDim == 128 || shape.headDim == 256) && shape.queryHeads % shape.keyValueHeads == 0;
}

int flashSplits(const AttentionShape& shape, std::int64_t t, int sms) {
    const std::int64_t tiles = blocks(t * (shape.queryHeads / shape.keyValueHeads), kQueryRows) * shape.keyValueHeads;
    return static_cast<int>(std::clamp<std::int64_t>(sms / tiles, 1, 128));
}

cudaError_t flashAttention(const Launcher& on, const AttentionShape& shape, const Bf16* q, const Bf16* keys, const Bf16* values,
                           const PassParams* params, std::int64_t t, int splits, const AttentionParts& parts) {
    switch (shape.headDim) {
        case 64:
            return flashOf<64>(on, shape, q, keys, values, params, t, splits, parts);
        case 128:
            return flashOf<128>(on, shape, q, keys, values, params, t, splits, parts);
        case 256:
            return flashOf<256>(on, shape, q, keys, values, params, t, splits, parts);
        default:
            return cudaErrorInvalidValue;
    }
}

template <class T>
cudaError_t plainAttention(const Launcher& on, const AttentionShape& shape, const T* q, const T* keys, const T* values,
                           const PassParams* params, std::int64_t t, const AttentionParts& parts) {
    if (shape.headDim > 512) return cudaErrorInvalidValue;
    return launch(on, plainKernel<T>, dim3(blocks(t * shape.queryHeads, 4)), dim3(128), 0, shape, q, keys, values, params, t,
                  parts);
}

template <class T>
cudaError_t attentionOutput(const Launcher& on, const AttentionShape& shape, const AttentionParts& parts, int splits,
                            const Rows& projected, std::int64_t t, T* out) {
    if (splits == 1 && projected.isBf16 && shape.headDim % 4 == 0)
        return launch(on, onePartKernel<T>, dim3(blocks(t * shape.queryHeads * (shape.headDim / 4), 256)), dim3(256), 0, shape,
                      parts, static_cast<const Bf16*>(projected.data), projected.stride, t, out);
    const auto threads = static_cast<unsigned>(std::min(256, (shape.headDim + 31) / 32 * 32));
    return launch(on, outputKernel<T>, dim3(static_cast<unsigned>(t * shape.queryHeads)), dim3(threads), 0, shape, parts, splits,
                  projected, t, out);
}

template cudaError_t attentionInputs<Bf16>(const Launcher&, const AttentionShape&, const Rows&, const float*, const float*, bool,
                                           float, const float*, const PassParams*, std::int64_t, Bf16*, Bf16*, Bf16*);
template cudaError_t attentionInputs<float>(const Launcher&, const AttentionShape&, const Rows&, const float*, const float*, bool,
                                            float, const float*, const PassParams*, std::int64_t, float*, float*, float*);
template cudaError_t plainAttention<Bf16>(const Launcher&, const AttentionShape&, const Bf16*, const Bf16*, const Bf16*,
                                          const PassParams*, std::int64_t, const AttentionParts&);
template cudaError_t plainAttention<float>(const Launcher&, const AttentionShape&, const float*, const float*, const float*,
                                           const PassParams*, std::int64_t, const AttentionParts&);
template cudaError_t attentionOutput<Bf16>(const Launcher&, const AttentionShape&, const AttentionParts&, int, const Rows&,
                                           std::int64_t, Bf16*);
template cudaError_t attentionOutput<float>(const Launcher&, const AttentionShape&, const AttentionParts&, int, const Rows&,
                                            std::int64_t, float*);

}  // namespace trefoil::cuda
