#include "kernels/cuda/gdn.h"

#include "kernels/cuda/gdn_column.cuh"

#include <cmath>

namespace trefoil::cuda {
namespace {

/// One warp computes one head of one row: q and k heads, then v heads, then one warp for the gates.
__global__ void __launch_bounds__(256) inputsKernel(GdnShape s, GdnVectors w, Rows projected, const float* tail,
                                                    const PassParams* params, std::int64_t t, GdnRows out) {
    gridRelease();
    gridWait();
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int heads = 2 * s.keyHeads + s.valueHeads + 1;
    const std::int64_t job = static_cast<std::int64_t>(blockIdx.x) * 8 + (threadIdx.x >> 5);
    if (job >= t * heads) return;
    const std::int64_t row = job / heads;
    const int head = static_cast<int>(job % heads);
    const int channels = s.channels();
    if (head == heads - 1) {
        for (int h = lane; h < s.valueHeads; h += 32) {
            const float b = load(projected, row, channels + s.values() + h);
            const float a = load(projected, row, channels + s.values() + s.valueHeads + h);
            out.beta[row * s.valueHeads + h] = sigmoid(b);
            out.decay[row * s.valueHeads + h] = expf(-expf(w.aLog[h]) * softplus(a + w.dtBias[h]));
        }
        return;
    }
    const bool isValue = head >= 2 * s.keyHeads;
    const int width = isValue ? s.valueDim : s.keyDim;
    const int channel0 = isValue ? 2 * s.keys() + (head - 2 * s.keyHeads) * s.valueDim : head * s.keyDim;
    const bool noisy = row >= params->clean;
    float* target = isValue ? out.v + row * s.values() + (head - 2 * s.keyHeads) * s.valueDim
                            : (head < s.keyHeads ? out.q + row * s.keys() + head * s.keyDim
                                                 : out.k + row * s.keys() + (head - s.keyHeads) * s.keyDim);
    float squares = 0.0F;
    for (int i = lane; i < width; i += 32) {
        const int c = channel0 + i;
        float u = 0.0F;
        for (int j = 0; j < s.taps; ++j) {
            const std::int64_t at = row + j - (s.taps - 1);  // row of the input under tap j
            const float x = at >= 0 ? load(projected, at, c) : tail[(at + s.taps - 1) * channels + c];
            u += x * w.conv[c * s.taps + j];
            if (j == s.taps - 1 && out.inputs != nullptr) out.inputs[row * channels + c] = x;
        }
        if (noisy)
            for (int d = 1; d < s.taps && row + d < t; ++d)
                u += load(projected, row + d, c) * w.convRight[c * (s.taps - 1) + d - 1];
        u = silu(u);
        target[i] = u;
        squares += u * u;
    }
    if (isValue) return;
    const float scale = rsqrtf(warpSum(squares) + 1e-6F);
    for (int i = lane; i < width; i += 32) target[i] *= scale;
}

/// Four taps, heads of kWidth in keys and values: a block is one head of kRows rows, a thread one channel, so that every input is
/// read once for all the taps that see it.
template <int kWidth>
__global__ void __launch_bounds__(kWidth)
    headInputsKernel(GdnShape s, GdnVectors w, Rows projected, const float* tail, float* newTail, const PassParams* params,
                     std::int64_t t, GdnRows out) {
    constexpr int kRows = 8;
    __shared__ float squares[kWidth / 32][kRows];
    gridRelease();
    const int head = static_cast<int>(blockIdx.x);
    const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.y) * kRows;
    const int thread = static_cast<int>(threadIdx.x);
    const int channels = s.channels();
    const int rows = static_cast<int>(min(static_cast<std::int64_t>(kRows), t - row0));
    if (head == 2 * s.keyHeads + s.valueHeads) {
        gridWait();
        for (int i = thread; i < rows * s.valueHeads; i += kWidth) {
            const std::int64_t row = row0 + i / s.valueHeads;
            const int h = i % s.valueHeads;
            const float b = load(projected, row, channels + s.values() + h);
            const float a = load(projected, row, channels + s.values() + s.valueHeads + h);
            out.beta[row * s.valueHeads + h] = sigmoid(b);
            out.decay[row * s.valueHeads + h] = expf(-expf(w.aLog[h]) * softplus(a + w.dtBias[h]));
        }
        return;
    }
    const int c = head * kWidth + thread;  // q, k and v heads are all kWidth wide
    const float4 taps = *reinterpret_cast<const float4*>(w.conv + c * 4);
    const float right[3] = {w.convRight[c * 3], w.convRight[c * 3 + 1], w.convRight[c * 3 + 2]};
    gridWait();
    const std::int64_t clean = params->clean;
    float x[kRows + 6];
    // Right taps look past these rows only where a noisy one stands among them.
    loadColumn<kRows + 6>(projected, row0 - 3, 0, min(t, row0 + kRows > clean ? row0 + kRows + 3 : row0 + kRows), c, x);
    if (row0 < 3) {
#pragma unroll
        for (int i = 0; i < 3; ++i)
            if (row0 - 3 + i < 0) x[i] = tail[(row0 + i) * channels + c];
    }
    float u[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
        float sum = x[r] * taps.x + x[r + 1] * taps.y + x[r + 2] * taps.z + x[r + 3] * taps.w;
        if (row0 + r >= clean) sum += x[r + 4] * right[0] + x[r + 5] * right[1] + x[r + 6] * right[2];
        u[r] = silu(sum);
        if (out.inputs != nullptr && r < rows) out.inputs[(row0 + r) * channels + c] = x[r + 3];
    }
    if (newTail != nullptr) {  // the last three inputs: x[rows] to x[rows + 2]
#pragma unroll
        for (int i = 0; i < kRows + 3; ++i)
            if (i >= rows && i < rows + 3) newTail[(i - rows) * channels + c] = x[i];
    }
    const bool isValue = head >= 2 * s.keyHeads;
    if (!isValue) {
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const float sum = warpSum(u[r] * u[r]);
            if ((thread & 31) == 0) squares[thread >> 5][r] = sum;
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            float sum = 0.0F;
#pragma unroll
            for (int i = 0; i < kWidth / 32; ++i) sum += squares[i][r];
            u[r] *= rsqrtf(sum + 1e-6F);
        }
    }
    float* target = isValue ? out.v + (head - 2 * s.keyHeads) * kWidth
                            : (head < s.keyHeads ? out.q + head * kWidth : out.k + (head - s.keyHeads) * kWidth);
    const std::int64_t stride = isValue ? s.values() : s.keys();
#pragma unroll
    for (int r = 0; r < kRows; ++r)
        if (r < rows) target[(row0 + r) * stride + thread] = u[r];
}

__global__ void __launch_bounds__(256)
    tailKernel(int channels, int taps, Rows inputs, float* tail, const PassParams* params, std::int64_t rows) {
    gridRelease();
    gridWait();
    const int c = static_cast<int>(blockIdx.x) * 256 + static_cast<int>(threadIdx.x);
    if (c >= channels) return;
    const std::int64_t n = rows >= 0 ? rows : params->clean;
    if (n <= 0) return;
    for (int j = 0; j < taps - 1; ++j) {  // in order: an old tail row moves down before its place is written
        const std::int64_t at = n + j - (taps - 1);
        tail[static_cast<std::int64_t>(j) * channels + c] = at >= 0 ? load(inputs, at, c) : tail[(at + taps - 1) * channels + c];
    }
}

/// Any sizes: a block a head, a thread a column of the state, which stays in global memory when it is not to be changed only for
/// reading: the block works on a copy in shared memory.
__global__ void plainDeltaKernel(GdnShape s, GdnRows in, std::int64_t rows, float* state, bool update, float* o) {
    extern __shared__ float copy[];  // [Dk, Dv], then q and k of one row
    gridRelease();
    gridWait();
    const int head = static_cast<int>(blockIdx.x);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    float* own = state + static_cast<std::int64_t>(head) * s.keyDim * s.valueDim;
    float* q = copy + s.keyDim * s.valueDim;
    float* k = q + s.keyDim;
    const float scale = 1.0F / sqrtf(static_cast<float>(s.keyDim));
    const int threads = static_cast<int>(blockDim.x);
    for (int i = static_cast<int>(threadIdx.x); i < s.keyDim * s.valueDim; i += threads) copy[i] = own[i];
    for (std::int64_t row = 0; row < rows; ++row) {
        __syncthreads();
        for (int i = static_cast<int>(threadIdx.x); i < s.keyDim; i += threads) {
            q[i] = in.q[row * s.keys() + keyHead * s.keyDim + i] * scale;
            k[i] = in.k[row * s.keys() + keyHead * s.keyDim + i];
        }
        __syncthreads();
        const float decay = in.decay[row * s.valueHeads + head];
        const float beta = in.beta[row * s.valueHeads + head];
        for (int c = static_cast<int>(threadIdx.x); c < s.valueDim; c += threads) {
            float seen = 0.0F;
            for (int i = 0; i < s.keyDim; ++i) {
                const float v = copy[i * s.valueDim + c] * decay;
                copy[i * s.valueDim + c] = v;
                seen += v * k[i];
            }
            const float delta = (in.v[row * s.values() + head * s.valueDim + c] - seen) * beta;
            float read = 0.0F;
            for (int i = 0; i < s.keyDim; ++i) {
                const float v = copy[i * s.valueDim + c] + k[i] * delta;
                copy[i * s.valueDim + c] = v;
                read += v * q[i];
            }
            if (o != nullptr) o[row * s.values() + head * s.valueDim + c] = read;
        }
    }
    __syncthreads();
    if (update)
        for (int i = static_cast<int>(threadIdx.x); i < s.keyDim * s.valueDim; i += threads) own[i] = copy[i];
}

/// Fast version: the state lives in registers. Four warps; a warp holds 8 columns, eight lanes share a pair of columns with
/// kPerLane key rows each. Rows come through shared memory, 16 at a time, one batch ahead.
template <int kPerLane>
__global__ void __launch_bounds__(128)
    deltaKernel(GdnShape s, GdnRows in, std::int64_t rows, float* state, bool update, float* o) {
    constexpr int kKeyDim = kPerLane * 8;
    constexpr int kBatch = 16;
    __shared__ __align__(16) float q[2][kBatch][kKeyDim];
    __shared__ __align__(16) float k[2][kBatch][kKeyDim];
    __shared__ __align__(16) float v[2][kBatch][32];
    __shared__ float decay[2][kBatch];
    __shared__ float beta[2][kBatch];
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int part = lane & 7;
    const int head = static_cast<int>(blockIdx.x);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    const int blockColumn = static_cast<int>(blockIdx.y) * 32;
    const int column = (thread >> 5) * 8 + (lane >> 3) * 2;  // within the block's 32
    const float scale = rsqrtf(static_cast<float>(kKeyDim));
    float* own = state + static_cast<std::int64_t>(head) * kKeyDim * s.valueDim + blockColumn + column;
    float s0[kPerLane];
    float s1[kPerLane];
    // Lane `part` holds key rows 4·(part + 8 j) + i: float4 reads of q and k then touch all banks.
    const auto keyRow = [&](int i) { return (i & 3) + 4 * (part + 8 * (i >> 2)); };
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) {
        s0[i] = own[static_cast<std::int64_t>(keyRow(i)) * s.valueDim];
        s1[i] = own[static_cast<std::int64_t>(keyRow(i)) * s.valueDim + 1];
    }
    const auto fetch = [&](std::int64_t first, int buffer) {
        for (int i = thread; i < kBatch * (kKeyDim / 4); i += 128) {
            const int row = i / (kKeyDim / 4);
            const int c = i % (kKeyDim / 4) * 4;
            const bool valid = first + row < rows;
            const std::int64_t at = valid ? (first + row) * s.keys() + keyHead * kKeyDim + c : 0;
            copyAsync16(sharedAddress(&q[buffer][row][c]), in.q + at, valid);
            copyAsync16(sharedAddress(&k[buffer][row][c]), in.k + at, valid);
        }
        {
            const int row = thread / 8;
            const int c = thread % 8 * 4;
            const bool valid = first + row < rows;
            copyAsync16(sharedAddress(&v[buffer][row][c]),
                        in.v + (valid ? (first + row) * s.values() + head * s.valueDim + blockColumn + c : 0), valid);
        }
        if (thread < kBatch && first + thread < rows) {
            copyAsync4(sharedAddress(&decay[buffer][thread]), in.decay + (first + thread) * s.valueHeads + head);
            copyAsync4(sharedAddress(&beta[buffer][thread]), in.beta + (first + thread) * s.valueHeads + head);
        }
        copyAsyncCommit();
    };
    fetch(0, 0);
    for (std::int64_t first = 0, batch = 0; first < rows; first += kBatch, ++batch) {
        const int buffer = static_cast<int>(batch & 1);
        if (first + kBatch < rows) {
            fetch(first + kBatch, buffer ^ 1);
            copyAsyncWait<1>();
        } else {
            copyAsyncWait<0>();
        }
        __syncthreads();
        const int n = static_cast<int>(min(static_cast<std::int64_t>(kBatch), rows - first));
        // One step from the state S of the row before: S'q = g (Sᵀq) + delta (k·q), so that all sums over the key rows start at
        // once.
#pragma unroll 2
        for (int row = 0; row < n; ++row) {
            float kk[kPerLane];
            float qq[kPerLane];
#pragma unroll
            for (int i = 0; i < kPerLane; i += 4) {
                *reinterpret_cast<float4*>(kk + i) = *reinterpret_cast<const float4*>(&k[buffer][row][keyRow(i)]);
                *reinterpret_cast<float4*>(qq + i) = *reinterpret_cast<const float4*>(&q[buffer][row][keyRow(i)]);
            }
            const float g = decay[buffer][row];
            const float b = beta[buffer][row];
            const float2 value = *reinterpret_cast<const float2*>(&v[buffer][row][column]);
            float seen0[4] = {};
            float seen1[4] = {};
            float read0[4] = {};
            float read1[4] = {};
            float both[4] = {};
#pragma unroll
            for (int i = 0; i < kPerLane; ++i) {
                seen0[i & 3] += s0[i] * kk[i];
                seen1[i & 3] += s1[i] * kk[i];
                read0[i & 3] += s0[i] * qq[i];
                read1[i & 3] += s1[i] * qq[i];
                both[i & 3] += kk[i] * qq[i];
            }
            float sums[5] = {(seen0[0] + seen0[1]) + (seen0[2] + seen0[3]), (seen1[0] + seen1[1]) + (seen1[2] + seen1[3]),
                             (read0[0] + read0[1]) + (read0[2] + read0[3]), (read1[0] + read1[1]) + (read1[2] + read1[3]),
                             (both[0] + both[1]) + (both[2] + both[3])};
#pragma unroll
            for (int d = 4; d > 0; d >>= 1)
#pragma unroll
                for (float& sum : sums) sum += __shfl_xor_sync(0xFFFFFFFFU, sum, d);
            const float d0 = (value.x - g * sums[0]) * b;
            const float d1 = (value.y - g * sums[1]) * b;
#pragma unroll
            for (int i = 0; i < kPerLane; ++i) {
                s0[i] = s0[i] * g + kk[i] * d0;
                s1[i] = s1[i] * g + kk[i] * d1;
            }
            if (o != nullptr && part == 0)
                *reinterpret_cast<float2*>(o + (first + row) * s.values() + head * s.valueDim + blockColumn + column) =
                    make_float2((g * sums[2] + d0 * sums[4]) * scale, (g * sums[3] + d1 * sums[4]) * scale);
        }
        __syncthreads();
    }
    if (update)
#pragma unroll
        for (int i = 0; i < kPerLane; ++i)
            *reinterpret_cast<float2*>(own + static_cast<std::int64_t>(keyRow(i)) * s.valueDim) = make_float2(s0[i], s1[i]);
}

/// A block a value head and a slice of its columns. p [count][count + 1] in shared memory; each thread then owns outputs.
__global__ void __launch_bounds__(256)
    blockMixKernel(GdnShape s, GdnVectors w, GdnRows in, std::int64_t first, int count, const float* state, bool scaleRead,
                   bool scaleValue, int columns, float* o) {
    extern __shared__ float p[];
    gridRelease();
    gridWait();
    const int head = static_cast<int>(blockIdx.x);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int pitch = count + 1;
    const float logitScale = w.logitScale[head];
    const float past = w.historyBias[head] + w.historyC[head] * logf(static_cast<float>(count) / 32.0F);
    const float* q = in.q + first * s.keys() + keyHead * s.keyDim;
    const float* k = in.k + first * s.keys() + keyHead * s.keyDim;
    const float* v = in.v + first * s.values() + head * s.valueDim;
    for (int i = static_cast<int>(threadIdx.x); i < count * count; i += 256) {
        const float* a = q + static_cast<std::int64_t>(i / count) * s.keys();
        const float* b = k + static_cast<std::int64_t>(i % count) * s.keys();
        float dot = 0.0F;
        for (int d = 0; d < s.keyDim; ++d) dot += a[d] * b[d];
        p[i / count * pitch + i % count] = dot * logitScale;
    }
    __syncthreads();
    for (int i = warp; i < count; i += 8) {
        float m = past;
        for (int j = lane; j < count; j += 32) m = fmaxf(m, p[i * pitch + j]);
        m = warpMax(m);
        float sum = 0.0F;
        for (int j = lane; j < count; j += 32) {
            p[i * pitch + j] = expf(p[i * pitch + j] - m);
            sum += p[i * pitch + j];
        }
        const float history = expf(past - m);
        sum = warpSum(sum) + history;
        for (int j = lane; j < count; j += 32) p[i * pitch + j] /= sum;
        if (lane == 0) p[i * pitch + count] = history / sum;
    }
    __syncthreads();
    const int column0 = static_cast<int>(blockIdx.y) * columns;
    const int here = min(columns, s.valueDim - column0);
    const float readScale = scaleRead ? rsqrtf(static_cast<float>(s.keyDim)) : 1.0F;
    const float* own = state + static_cast<std::int64_t>(head) * s.keyDim * s.valueDim;
    for (int i = static_cast<int>(threadIdx.x); i < count * here; i += 256) {
        const int row = i / here;
        const int c = column0 + i % here;
        float read = 0.0F;
        for (int d = 0; d < s.keyDim; ++d) read += own[d * s.valueDim + c] * q[static_cast<std::int64_t>(row) * s.keys() + d];
        float sum = p[row * pitch + count] * read * readScale;
        for (int j = 0; j < count; ++j) {
            float value = v[static_cast<std::int64_t>(j) * s.values() + c];
            if (scaleValue) value *= in.beta[(first + j) * s.valueHeads + head];
            sum += p[row * pitch + j] * value;
        }
        o[(first + row) * s.values() + head * s.valueDim + c] = sum;
    }
}

/// Fast version for blocks of at most 64 rows: a block is one value head and 32 of its columns; everything it needs lies in
/// shared memory.
template <int kKeyDim>
struct MixShape {
    static constexpr int kPitch = kKeyDim + 4;
    static constexpr int kColumns = 32;
    static std::size_t bytes(int count) {
        return sizeof(float) *
               static_cast<std::size_t>(2 * count * kPitch + kKeyDim * kColumns + count * kColumns + count * (count + 1));
    }
};

template <int kKeyDim>
__global__ void __launch_bounds__(256) fastMixKernel(GdnShape s, GdnVectors w, GdnRows in, std::int64_t first, int count,
                                                     const float* state, bool scaleRead, bool scaleValue, float* o) {
    using M = MixShape<kKeyDim>;
    extern __shared__ __align__(16) float memory[];
    float* q = memory;
    float* k = q + count * M::kPitch;
    float* read = k + count * M::kPitch;      // state [Dk, 32]
    float* v = read + kKeyDim * M::kColumns;  // [count, 32]
    float* p = v + count * M::kColumns;       // [count, count + 1]
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int head = static_cast<int>(blockIdx.x);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    const int column0 = static_cast<int>(blockIdx.y) * M::kColumns;
    const int pitch = count + 1;
    for (int i = thread; i < count * (kKeyDim / 4); i += 256) {
        const int row = i / (kKeyDim / 4);
        const int c = i % (kKeyDim / 4) * 4;
        const std::int64_t at = (first + row) * s.keys() + keyHead * kKeyDim + c;
        copyAsync16(sharedAddress(q + row * M::kPitch + c), in.q + at, true);
        copyAsync16(sharedAddress(k + row * M::kPitch + c), in.k + at, true);
    }
    copyAsyncCommit();
    for (int i = thread; i < kKeyDim * (M::kColumns / 4); i += 256) {
        const int row = i / (M::kColumns / 4);
        const int c = i % (M::kColumns / 4) * 4;
        copyAsync16(sharedAddress(read + row * M::kColumns + c),
                    state + (static_cast<std::int64_t>(head) * kKeyDim + row) * s.valueDim + column0 + c, true);
    }
    for (int i = thread; i < count * (M::kColumns / 4); i += 256) {
        const int row = i / (M::kColumns / 4);
        const int c = i % (M::kColumns / 4) * 4;
        copyAsync16(sharedAddress(v + row * M::kColumns + c), in.v + (first + row) * s.values() + head * s.valueDim + column0 + c,
                    true);
    }
    copyAsyncCommit();
    const float logitScale = w.logitScale[head];
    const float past = w.historyBias[head] + w.historyC[head] * logf(static_cast<float>(count) / 32.0F);
    copyAsyncWait<1>();
    __syncthreads();
    const int tx = thread & 15;
    const int ty = thread >> 4;
    for (int i0 = 0; i0 < count; i0 += 32)
        for (int j0 = 0; j0 < count; j0 += 32) {
            float dot[2][2] = {};
            const int i1 = min(i0 + ty, count - 1);
            const int i2 = min(i0 + ty + 16, count - 1);
            const int j1 = min(j0 + tx, count - 1);
            const int j2 = min(j0 + tx + 16, count - 1);
#pragma unroll 8
            for (int d = 0; d < kKeyDim; d += 4) {
                const float4 a[2] = {*reinterpret_cast<const float4*>(q + i1 * M::kPitch + d),
                                     *reinterpret_cast<const float4*>(q + i2 * M::kPitch + d)};
                const float4 b[2] = {*reinterpret_cast<const float4*>(k + j1 * M::kPitch + d),
                                     *reinterpret_cast<const float4*>(k + j2 * M::kPitch + d)};
#pragma unroll
                for (int x = 0; x < 2; ++x)
#pragma unroll
                    for (int y = 0; y < 2; ++y)
                        dot[x][y] += a[x].x * b[y].x + a[x].y * b[y].y + a[x].z * b[y].z + a[x].w * b[y].w;
            }
#pragma unroll
            for (int x = 0; x < 2; ++x)
#pragma unroll
                for (int y = 0; y < 2; ++y) {
                    const int i = i0 + ty + 16 * x;
                    const int j = j0 + tx + 16 * y;
                    if (i < count && j < count) p[i * pitch + j] = dot[x][y] * logitScale;
                }
        }
    copyAsyncWait<0>();
    __syncthreads();
    for (int i = warp; i < count; i += 8) {
        const float l0 = lane < count ? p[i * pitch + lane] : -INFINITY;
        const float l1 = lane + 32 < count ? p[i * pitch + lane + 32] : -INFINITY;
        const float m = fmaxf(warpMax(fmaxf(l0, l1)), past);
        const float e0 = expf(l0 - m);
        const float e1 = expf(l1 - m);
        const float history = expf(past - m);
        const float sum = warpSum(e0 + e1) + history;
        if (lane < count) p[i * pitch + lane] = e0 / sum;
        if (lane + 32 < count) p[i * pitch + lane + 32] = e1 / sum;
        if (lane == 0) p[i * pitch + count] = history / sum;
    }
    __syncthreads();
    const float readScale = scaleRead ? rsqrtf(static_cast<float>(kKeyDim)) : 1.0F;
    // A warp owns four rows at a time, a lane a column.
    for (int row0 = warp * 4; row0 < count; row0 += 32) {
        float sum[4] = {};
        int row[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) row[r] = min(row0 + r, count - 1);
#pragma unroll 4
        for (int d = 0; d < kKeyDim; d += 4) {
            float column[4];
#pragma unroll
            for (int x = 0; x < 4; ++x) column[x] = read[(d + x) * M::kColumns + lane];
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const float4 a = *reinterpret_cast<const float4*>(q + row[r] * M::kPitch + d);
                sum[r] += a.x * column[0] + a.y * column[1] + a.z * column[2] + a.w * column[3];
            }
        }
#pragma unroll
        for (int r = 0; r < 4; ++r) sum[r] *= p[row[r] * pitch + count] * readScale;
#pragma unroll 4
        for (int j = 0; j < count; ++j) {
            float value = v[j * M::kColumns + lane];
            if (scaleValue) value *= in.beta[(first + j) * s.valueHeads + head];
#pragma unroll
            for (int r = 0; r < 4; ++r) sum[r] += p[row[r] * pitch + j] * value;
        }
#pragma unroll
        for (int r = 0; r < 4; ++r)
            if (row0 + r < count) o[(first + row0 + r) * s.values() + head * s.valueDim + column0 + lane] = sum[r];
    }
}

template <class T>
__global__ void __launch_bounds__(256)
    gatedNormKernel(GdnShape s, const float* weight, const float* o, Rows projected, float eps, std::int64_t t, T* out) {
    gridRelease();
    gridWait();
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const std::int64_t job = static_cast<std::int64_t>(blockIdx.x) * 8 + (threadIdx.x >> 5);
    if (job >= t * s.valueHeads) return;
    const std::int64_t row = job / s.valueHeads;
    const int head = static_cast<int>(job % s.valueHeads);
    const float* own = o + row * s.values() + head * s.valueDim;
    float squares = 0.0F;
    for (int i = lane; i < s.valueDim; i += 32) squares += own[i] * own[i];
    const float scale = rsqrtf(warpSum(squares) / static_cast<float>(s.valueDim) + eps);
    if (s.valueDim == 128 && projected.isBf16) {
        const std::int64_t at = row * projected.stride + s.channels() + head * 128 + lane * 4;
        const uint2 raw = *reinterpret_cast<const uint2*>(static_cast<const Bf16*>(projected.data) + at);
        const float2 low = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.x));
        const float2 high = __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(&raw.y));
        const float4 v = *reinterpret_cast<const float4*>(own + lane * 4);
        const float4 g = *reinterpret_cast<const float4*>(weight + lane * 4);
        T* to = out + row * s.values() + head * 128 + lane * 4;
        to[0] = fromFloat<T>(g.x * v.x * scale * silu(low.x));
        to[1] = fromFloat<T>(g.y * v.y * scale * silu(low.y));
        to[2] = fromFloat<T>(g.z * v.z * scale * silu(high.x));
        to[3] = fromFloat<T>(g.w * v.w * scale * silu(high.y));
        return;
    }
#pragma unroll 4
    for (int i = lane; i < s.valueDim; i += 32) {
        const float z = load(projected, row, s.channels() + head * s.valueDim + i);
        out[row * s.values() + head * s.valueDim + i] = fromFloat<T>(weight[i] * own[i] * scale * silu(z));
    }
}

unsigned blocks(std::int64_t n, std::int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

}  // namespace

bool gdnInputsWritesTail(const GdnShape& shape, std::int64_t t) {
    return t <= 8 && shape.taps == 4 && shape.keyDim == shape.valueDim &&
           (shape.keyDim == 32 || shape.keyDim == 64 || shape.keyDim == 128);
}

cudaError_t gdnInputs(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, const float* tail,
                      float* newTail, const PassParams* params, std::int64_t t, const GdnRows& out) {
    if (shape.taps == 4 && shape.keyDim == shape.valueDim) {
        const dim3 grid(static_cast<unsigned>(2 * shape.keyHeads + shape.valueHeads + 1), blocks(t, 8));
        switch (shape.keyDim) {
            case 32:
                return launch(on, headInputsKernel<32>, grid, dim3(32), 0, shape, w, projected, tail, newTail, params, t, out);
            case 64:
                return launch(on, headInputsKernel<64>, grid, dim3(64), 0, shape, w, projected, tail, newTail, params, t, out);
            case 128:
                return launch(on, headInputsKernel<128>, grid, dim3(128), 0, shape, w, projected, tail, newTail, params, t, out);
            default:
                break;
        }
    }
    const std::int64_t jobs = t * (2 * shape.keyHeads + shape.valueHeads + 1);
    return launch(on, inputsKernel, dim3(blocks(jobs, 8)), dim3(256), 0, shape, w, projected, tail, params, t, out);
}

cudaError_t gdnTail(const Launcher& on, const GdnShape& shape, const Rows& inputs, float* tail, const PassParams* params,
                    std::int64_t rows) {
    return launch(on, tailKernel, dim3(blocks(shape.channels(), 256)), dim3(256), 0, shape.channels(), shape.taps, inputs, tail,
                  params, rows);
}

cudaError_t deltaRule(const Launcher& on, const GdnShape& shape, const GdnRows& in, std::int64_t rows, float* state, bool update,
                      float* o) {
    const dim3 grid(static_cast<unsigned>(shape.valueHeads), static_cast<unsigned>(shape.valueDim / 32));
    if (shape.valueDim % 32 == 0) switch (shape.keyDim) {
            case 32:
                return launch(on, deltaKernel<4>, grid, dim3(128), 0, shape, in, rows, state, update, o);
            case 64:
                return launch(on, deltaKernel<8>, grid, dim3(128), 0, shape, in, rows, state, update, o);
            case 128:
                return launch(on, deltaKernel<16>, grid, dim3(128), 0, shape, in, rows, state, update, o);
            default:
                break;
        }
    const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(shape.keyDim * shape.valueDim + 2 * shape.keyDim);
    return launch(on, plainDeltaKernel, dim3(static_cast<unsigned>(shape.valueHeads)), dim3(128), bytes, shape, in, rows, state,
                  update, o);
}

cudaError_t blockMix(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const GdnRows& in, std::int64_t first,
                     int count, const float* state, bool scaleRead, bool scaleValue, float* o) {
    if (count <= 64 && shape.valueDim % 32 == 0) {
        const dim3 fast(static_cast<unsigned>(shape.valueHeads), static_cast<unsigned>(shape.valueDim / 32));
        switch (shape.keyDim) {
            case 32:
                if (MixShape<32>::bytes(count) > on.sharedBytes) break;
                return launch(on, fastMixKernel<32>, fast, dim3(256), MixShape<32>::bytes(count), shape, w, in, first, count,
                              state, scaleRead, scaleValue, o);
            case 64:
                if (MixShape<64>::bytes(count) > on.sharedBytes) break;
                return launch(on, fastMixKernel<64>, fast, dim3(256), MixShape<64>::bytes(count), shape, w, in, first, count,
                              state, scaleRead, scaleValue, o);
            case 128:
                if (MixShape<128>::bytes(count) > on.sharedBytes) break;
                return launch(on, fastMixKernel<128>, fast, dim3(256), MixShape<128>::bytes(count), shape, w, in, first, count,
                              state, scaleRead, scaleValue, o);
            default:
                break;
        }
    }
    const int columns = shape.valueDim >= 64 ? 32 : shape.valueDim;
    const dim3 grid(static_cast<unsigned>(shape.valueHeads), blocks(shape.valueDim, columns));
    const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(count) * static_cast<std::size_t>(count + 1);
    return launch(on, blockMixKernel, grid, dim3(256), bytes, shape, w, in, first, count, state, scaleRead, scaleValue, columns,
                  o);
}

template <class T>
cudaError_t gatedNorm(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const float* o, const Rows& projected,
                      float eps, std::int64_t t, T* out) {
    return launch(on, gatedNormKernel<T>, dim3(blocks(t * shape.valueHeads, 8)), dim3(256), 0, shape, w.norm, o, projected, eps,
                  t, out);
}
template cudaError_t gatedNorm<Bf16>(const Launcher&, const GdnShape&, const GdnVectors&, const float*, const Rows&, float,
                                     std::int64_t, Bf16*);
template cudaError_t gatedNorm<float>(const Launcher&, const GdnShape&, const GdnVectors&, const float*, const Rows&, float,
                                      std::int64_t, float*);

}  // namespace trefoil::cuda
