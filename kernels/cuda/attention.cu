#include "kernels/cuda/attention.h"

#include <type_traits>

#include <algorithm>
#include <cmath>

#include "kernels/cuda/flash_hopper.h"

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

/// Four values of a row from column `column` on, a multiple of 4; the first four partial sums are in flight at once.
__device__ __forceinline__ float4 loadFour(const Rows& m, std::int64_t row, int column) {
    const std::int64_t at = row * m.stride + column;
    if (m.isBf16) {
        const uint2 raw = *reinterpret_cast<const uint2*>(static_cast<const Bf16*>(m.data) + at);
        const float2 low = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.x));
        const float2 high = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.y));
        return make_float4(low.x, low.y, high.x, high.y);
    }
    const float* p = static_cast<const float*>(m.data) + at;
    float4 v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = i < m.splits ? *reinterpret_cast<const float4*>(p + i * m.splitStride) : float4{};
    const auto add = [](float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); };
    float4 sum = add(add(add(v[0], v[1]), v[2]), v[3]);
#pragma unroll 1
    for (int i = 4; i < m.splits; ++i) sum = add(sum, *reinterpret_cast<const float4*>(p + i * m.splitStride));
    return sum;
}

__device__ __forceinline__ void storeFour(float* to, float4 v) { *reinterpret_cast<float4*>(to) = v; }
__device__ __forceinline__ void storeFour(Bf16* to, float4 v) {
    const __nv_bfloat162 low = __floats2bfloat162_rn(v.x, v.y);
    const __nv_bfloat162 high = __floats2bfloat162_rn(v.z, v.w);
    *reinterpret_cast<uint2*>(to) =
        make_uint2(*reinterpret_cast<const std::uint32_t*>(&low), *reinterpret_cast<const std::uint32_t*>(&high));
}

/// inputsKernel for head dims of 128 and 256: all loads of a head are in flight at once, and each angle is computed once, while
/// they are.
template <class T, int kDim>
__global__ void __launch_bounds__(128)
    wideInputsKernel(AttentionShape s, Rows projected, const float* qNorm, const float* kNorm, bool zeroCentred, float eps,
                     const float* frequencies, const PassParams* params, std::int64_t t, T* q, T* keys, T* values) {
    constexpr int kEach = kDim / 128;  // times four values a lane
    __shared__ float4 rows[4][kDim / 4];
    __shared__ float2 turns[4][kDim / 2];  // cosine and sine of each pair
    gridRelease();
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int heads = s.queryHeads + 2 * s.keyValueHeads;
    const unsigned job = blockIdx.x * 4 + static_cast<unsigned>(warp);
    const std::int64_t row = job / static_cast<unsigned>(heads);
    const int head = static_cast<int>(job % static_cast<unsigned>(heads));
    const bool isQuery = head < s.queryHeads;
    const bool isValue = head >= s.queryHeads + s.keyValueHeads;
    const int half = s.rotaryDim / 2;
    const float frequency = lane < half ? frequencies[lane] : 0.0F;
    float4 weight[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i)
        weight[i] = isValue ? float4{} : reinterpret_cast<const float4*>(isQuery ? qNorm : kNorm)[i * 32 + lane];
    gridWait();
    if (job >= t * heads) return;
    const std::int64_t position = params->prefix + row;
    const int keyColumn = 2 * s.queryHeads * kDim;
    const int column = isQuery ? 2 * head * kDim : keyColumn + (head - s.queryHeads) * kDim;
    float4 v[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) v[i] = loadFour(projected, row, column + (i * 32 + lane) * 4);
    if (isValue) {
        T* out = values + (position * s.keyValueHeads + head - s.queryHeads - s.keyValueHeads) * kDim;
#pragma unroll
        for (int i = 0; i < kEach; ++i) storeFour(out + (i * 32 + lane) * 4, v[i]);
        return;
    }
    for (int pair = lane; pair < half; pair += 32) {
        float2 turn;
        sincosf(static_cast<float>(position) * (pair < 32 ? frequency : frequencies[pair]), &turn.y, &turn.x);
        turns[warp][pair] = turn;
    }
    float squares = 0.0F;
#pragma unroll
    for (int i = 0; i < kEach; ++i) squares += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
    const float scale = rsqrtf(warpSum(squares) / static_cast<float>(kDim) + eps);
    const float centre = zeroCentred ? 1.0F : 0.0F;
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        v[i].x *= scale * (centre + weight[i].x);
        v[i].y *= scale * (centre + weight[i].y);
        v[i].z *= scale * (centre + weight[i].z);
        v[i].w *= scale * (centre + weight[i].w);
        rows[warp][i * 32 + lane] = v[i];
    }
    __syncwarp();
    T* out = isQuery ? q + (row * s.queryHeads + head) * kDim : keys + (position * s.keyValueHeads + head - s.queryHeads) * kDim;
    const float* own = reinterpret_cast<const float*>(rows[warp]);
    const auto turned = [&](int d, float value) {
        if (d >= 2 * half) return value;
        const float2 turn = turns[warp][d < half ? d : d - half];
        return d < half ? value * turn.x - own[d + half] * turn.y : value * turn.x + own[d - half] * turn.y;
    };
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        const int d = (i * 32 + lane) * 4;
        storeFour(out + d, make_float4(turned(d, v[i].x), turned(d + 1, v[i].y), turned(d + 2, v[i].z), turned(d + 3, v[i].w)));
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
/// kSmall: half of both, for cards whose blocks have less than 198 KiB of shared memory and heads of 256.
template <bool kSmall>
constexpr int kFlashThreads = kSmall ? 128 : 256;

/// Byte offset of a 16-byte chunk in a tile with rows of kDim bf16.
template <int kDim>
__device__ __forceinline__ std::uint32_t swizzle(int row, int chunk) {
    return static_cast<std::uint32_t>(row * kDim * 2 + ((chunk ^ (row & 7)) << 4));
}

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
    const __nv_bfloat162 v = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&v);
}

template <int kDim, bool kSmall>
constexpr std::size_t flashBytes() {
    return static_cast<std::size_t>(kQueryRows + 4 * kKeyRows) * kDim * 2 / (kSmall ? 2 : 1);
}

template <int kDim, bool kSmall>
__global__ void __launch_bounds__(kFlashThreads<kSmall>, 1)
    flashKernel(AttentionShape s, const Bf16* q, const Bf16* keys, const Bf16* values, const PassParams* params, std::int64_t t,
                AttentionParts parts) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    constexpr int kChunks = kDim / 8;
    constexpr int kQueries = kQueryRows / (kSmall ? 2 : 1);
    constexpr int kKeys = kKeyRows / (kSmall ? 2 : 1);
    constexpr std::uint32_t kTileBytes = kKeys * kDim * 2;
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int group = s.queryHeads / s.keyValueHeads;
    const int kvHead = static_cast<int>(blockIdx.y);
    const std::int64_t queries = t * group;
    // The last rows of a causal pass see most: start with them, so that short ones fill the end.
    const std::int64_t row0 = static_cast<std::int64_t>(gridDim.x - 1 - blockIdx.x) * kQueries;
    const int here = static_cast<int>(min(static_cast<std::int64_t>(kQueries), queries - row0));
    const std::int64_t lastToken = (row0 + here - 1) / group;
    const std::int64_t end = visible(*params, lastToken, t);
    const std::int64_t tilesAll = (end + kKeys - 1) / kKeys;
    const int splits = static_cast<int>(gridDim.z);
    const std::int64_t firstTile = tilesAll * blockIdx.z / splits;
    const std::int64_t lastTile = tilesAll * (blockIdx.z + 1) / splits;
    const std::uint32_t qBase = sharedAddress(shared);
    const std::uint32_t kBase = qBase + kQueries * kDim * 2;
    const std::uint32_t vBase = kBase + 2 * kTileBytes;
    const std::int64_t kvStride = static_cast<std::int64_t>(s.keyValueHeads) * kDim;
    const auto fetch = [&](const Bf16* source, std::uint32_t base, std::int64_t tile) {
        for (int i = thread; i < kKeys * kChunks; i += kFlashThreads<kSmall>) {
            const int row = i / kChunks;
            const int chunk = i % kChunks;
            const std::int64_t at = tile * kKeys + row;
            const bool valid = at < end;
            copyAsync16(base + swizzle<kDim>(row, chunk), source + (valid ? at * kvStride + kvHead * kDim + chunk * 8 : 0),
                        valid);
        }
    };
    for (int i = thread; i < kQueries * kChunks; i += kFlashThreads<kSmall>) {
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
        float p[kKeys / 8][4];
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
                for (int n = 0; n < kKeys / 16; ++n) {
                    std::uint32_t b[4];
                    loadMatrix4(b, kAt + swizzle<kDim>(n * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1)));
                    mma(p[2 * n], a, b[0], b[1]);
                    mma(p[2 * n + 1], a, b[2], b[3]);
                }
            }
            const std::int64_t first = tile * kKeys;
            if (first + kKeys > leastSeen) {
#pragma unroll
                for (int n = 0; n < kKeys / 8; ++n)
#pragma unroll
                    for (int j = 0; j < 4; ++j)
                        if (first + n * 8 + (lane & 3) * 2 + (j & 1) >= sees[j >> 1]) p[n][j] = -INFINITY;
            }
            float shrink[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                float top = m[i];
#pragma unroll
                for (int n = 0; n < kKeys / 8; ++n) top = fmaxf(top, fmaxf(p[n][2 * i], p[n][2 * i + 1]));
                top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));
                top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
                const float base = top == -INFINITY ? 0.0F : top * scale;
                shrink[i] = exp2f(m[i] * scale - base);
                m[i] = top;
                float sum = 0.0F;
#pragma unroll
                for (int n = 0; n < kKeys / 8; ++n) {
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
            for (int kk = 0; kk < kKeys / 16; ++kk) {
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

/// As load, with the first four partial sums in flight at once and little code.
__device__ __forceinline__ float loadFew(const Rows& m, std::int64_t row, int column) {
    const std::int64_t at = row * m.stride + column;
    if (m.isBf16) return toFloat(static_cast<const Bf16*>(m.data)[at]);
    const float* p = static_cast<const float*>(m.data) + at;
    float v[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) v[i] = i < m.splits ? p[i * m.splitStride] : 0.0F;
    float sum = v[0] + v[1] + v[2] + v[3];
#pragma unroll 1
    for (int i = 4; i < m.splits; ++i) sum += p[i * m.splitStride];
    return sum;
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

/// The same for several parts of head dims up to 256: the parts that have anything are shared out among groups of threads, each
/// thread with four dims, so that all are read at once. A block a query head (x) of a row (y). Little code: in a small pass much
/// of the time of such a kernel goes into fetching it.
template <class T, int kDim>
__global__ void __launch_bounds__(256) mergeKernel(AttentionShape s, AttentionParts parts, int splits, Rows projected, T* out) {
    constexpr int kEach = kDim / 4;
    constexpr int kGroups = 256 / kEach;
    constexpr int kAtOnce = 8;
    __shared__ float share[128];
    __shared__ int part[128];
    __shared__ int count;
    __shared__ float4 sums[kGroups][kEach];
    gridRelease();
    gridWait();
    const unsigned jobs = gridDim.x * gridDim.y;
    const unsigned job = blockIdx.y * gridDim.x + blockIdx.x;
    const auto thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    float gate = 0.0F;
    if (thread < kDim) gate = loadFew(projected, blockIdx.y, static_cast<int>(2 * blockIdx.x + 1) * kDim + thread);
    if (thread < 32) {
        float2 own[4];
        float m = -INFINITY;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int at = i * 32 + lane;
            own[i] = at < splits ? reinterpret_cast<const float2*>(parts.maxSum)[at * jobs + job] : make_float2(-INFINITY, 0.0F);
            m = fmaxf(m, own[i].x);
        }
        m = warpMax(m);
        float l = 0.0F;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            own[i].x = __expf(own[i].x - m);
            l += own[i].x * own[i].y;
        }
        l = 1.0F / warpSum(l);
        int taken = 0;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const bool has = own[i].x > 0.0F;  // an empty part was never written
            const unsigned all = __ballot_sync(0xFFFFFFFFU, has);
            if (has) {
                const int at = taken + __popc(all & ((1U << lane) - 1));
                part[at] = i * 32 + lane;
                share[at] = own[i].x * l;
            }
            taken += __popc(all);
        }
        if (lane == 0) count = taken;
    }
    const int column = thread % kEach;
    const int group = thread / kEach;
    __syncthreads();
    float4 sum{};
    const float* o = parts.o + static_cast<std::int64_t>(job) * kDim + column * 4;
    const std::int64_t partStride = static_cast<std::int64_t>(jobs) * kDim;
    const int parted = count;
#pragma unroll 1
    for (int first = group; first < parted; first += kGroups * kAtOnce) {
        float4 v[kAtOnce];
        float scale[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            const int at = first + i * kGroups;
            v[i] = float4{};
            scale[i] = 0.0F;
            if (at < parted) {
                v[i] = *reinterpret_cast<const float4*>(o + part[at] * partStride);
                scale[i] = share[at];
            }
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
            sum.x += v[i].x * scale[i];
            sum.y += v[i].y * scale[i];
            sum.z += v[i].z * scale[i];
            sum.w += v[i].w * scale[i];
        }
    }
    sums[group][column] = sum;
    __syncthreads();
    if (thread >= kDim) return;
    float all = 0.0F;
#pragma unroll
    for (int i = 0; i < kGroups; ++i) all += reinterpret_cast<const float*>(sums[i])[thread];
    out[static_cast<std::int64_t>(job) * kDim + thread] = fromFloat<T>(__fdividef(all, 1.0F + __expf(-gate)));
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
    const auto run = [&](auto small) {
        constexpr bool kSmall = decltype(small)::value;
        const dim3 grid(blocks(t * (s.queryHeads / s.keyValueHeads), kQueryRows / (kSmall ? 2 : 1)),
                        static_cast<unsigned>(s.keyValueHeads), static_cast<unsigned>(splits));
        return launch(on, flashKernel<kDim, kSmall>, grid, dim3(kFlashThreads<kSmall>), flashBytes<kDim, kSmall>(), s, q, keys,
                      values, params, t, parts);
    };
    return flashBytes<kDim, false>() <= on.sharedBytes ? run(std::false_type{}) : run(std::true_type{});
}

}  // namespace

template <class T>
cudaError_t attentionInputs(const Launcher& on, const AttentionShape& shape, const Rows& projected, const float* qNorm,
                            const float* kNorm, bool zeroCentred, float eps, const float* frequencies, const PassParams* params,
                            std::int64_t t, T* q, T* keys, T* values) {
    const std::int64_t jobs = t * (shape.queryHeads + 2 * shape.keyValueHeads);
    if ((shape.headDim == 128 || shape.headDim == 256) && projected.stride % 4 == 0 && projected.splitStride % 4 == 0)
        return launch(on, shape.headDim == 128 ? wideInputsKernel<T, 128> : wideInputsKernel<T, 256>, dim3(blocks(jobs, 4)),
                      dim3(128), 0, shape, projected, qNorm, kNorm, zeroCentred, eps, frequencies, params, t, q, keys, values);
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
                           std::int64_t positions, const PassParams* params, std::int64_t t, int splits,
                           const AttentionParts& parts) {
    if (on.hopper && flashHopperSupports(shape))
        return flashHopper(on, shape, q, keys, values, positions, params, t, splits, parts);
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
    if (splits > 1 && splits <= 128 && t <= 65535 && flashSupports(shape))
        return launch(on,
                      shape.headDim == 64    ? mergeKernel<T, 64>
                      : shape.headDim == 128 ? mergeKernel<T, 128>
                                             : mergeKernel<T, 256>,
                      dim3(static_cast<unsigned>(shape.queryHeads), static_cast<unsigned>(t)), dim3(256), 0, shape, parts, splits,
                      projected, out);
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
