#include "kernels/cuda/gdn.h"
#include "kernels/cuda/gdn_column.cuh"

#include <cmath>

namespace trefoil::cuda {
namespace {

// ---- the whole noisy mixer of a value head in one block: convolution, norms, block softmax, history, gated norm. Products on
// tensor cores in TF32, so only for bf16 activations. Heads of kWidth in keys and values, four taps, at most 64 rows.

__device__ __forceinline__ float toTf32(float x) {
    std::uint32_t y;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(y) : "f"(x));
    return __uint_as_float(y);
}

/// c[16, 8] += a[16, 8] · b[8, 8] in TF32.
__device__ __forceinline__ void mmaTf32(float (&c)[4], const float (&a)[4], const float (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
                   "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

/// Shared memory of fusedMixKernel for blocks padded to kRows rows. Pitches are chosen so that fragment loads touch all banks.
template <int kWidth, int kRows>
struct FusedShape {
    static constexpr int kThreads = 4 * kWidth;
    static constexpr int kWarps = kWidth / 8;
    static constexpr int kKeyPitch = kWidth + 4;
    static constexpr int kValuePitch = kWidth + 8;
    static constexpr int kWeightPitch = kRows + 4;
    static constexpr int kState = 0;
    static constexpr int kQ = kState + kWidth * kValuePitch;
    static constexpr int kK = kQ + kRows * kKeyPitch;
    static constexpr int kV = kK + kRows * kKeyPitch;
    static constexpr int kP = kV + kRows * kValuePitch;
    static constexpr int kHistory = kP + kRows * kWeightPitch;  // [kRows]
    static constexpr int kSquares = kHistory + kRows;           // [kRows][kWarps], and [2][4][...] before that
    static constexpr int kFloats = kSquares + 2 * kRows * kWarps;
    static constexpr std::size_t kBytes = sizeof(float) * kFloats;
};

/// Convolution and SiLU of one channel for `kEach` rows from row0 on (rows of the block; `first` is its first row in the pass).
template <int kEach>
__device__ __forceinline__ void convolveChannel(float (&u)[kEach], const Rows& projected, const float* tail, const GdnVectors& w,
                                                int c, int channels, std::int64_t first, int row0, int count) {
    const float4 taps = *reinterpret_cast<const float4*>(w.conv + c * 4);
    const float right[3] = {w.convRight[c * 3], w.convRight[c * 3 + 1], w.convRight[c * 3 + 2]};
    float x[kEach + 6];
    const std::int64_t at = first + row0 - 3;
    loadColumn<kEach + 6>(projected, at, 0, first + count, c, x);
    if (at < 0) {
#pragma unroll
        for (int i = 0; i < 3; ++i)
            if (at + i < 0) x[i] = tail[(at + 3 + i) * channels + c];
    }
#pragma unroll
    for (int r = 0; r < kEach; ++r)
        u[r] = fastSilu(x[r] * taps.x + x[r + 1] * taps.y + x[r + 2] * taps.z + x[r + 3] * taps.w + x[r + 4] * right[0] +
                        x[r + 5] * right[1] + x[r + 6] * right[2]);
}

template <int kWidth, int kRows>
__global__ void __launch_bounds__(4 * kWidth)
    fusedMixKernel(GdnShape s, GdnVectors w, Rows projected, const float* tail, std::int64_t first, int count, const float* state,
                   bool stateIsOld, bool scaleRead, bool scaleValue, float eps, Bf16* out) {
    using F = FusedShape<kWidth, kRows>;
    constexpr int kEach = kRows / 4;
    extern __shared__ __align__(16) float memory[];
    float* shared_state = memory + F::kState;
    float* q = memory + F::kQ;
    float* k = memory + F::kK;
    float* v = memory + F::kV;
    float* p = memory + F::kP;
    float* history = memory + F::kHistory;
    float* squares = memory + F::kSquares;
    gridRelease();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int head = static_cast<int>(blockIdx.x);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    const int channels = s.channels();
    const auto fetchState = [&] {
        for (int i = thread; i < kWidth * (kWidth / 4); i += F::kThreads) {
            const int row = i / (kWidth / 4);
            const int c = i % (kWidth / 4) * 4;
            copyAsync16(sharedAddress(shared_state + row * F::kValuePitch + c),
                        state + (static_cast<std::int64_t>(head) * kWidth + row) * kWidth + c, true);
        }
        copyAsyncCommit();
    };
    if (stateIsOld) fetchState();  // no kernel of this pass writes it
    gridWait();
    if (!stateIsOld) fetchState();

    // The gates of this thread's outputs, asked for now so that nothing waits for them later.
    const int n0 = warp * 8;
    const int column = n0 + (lane & 3) * 2;
    float2 gate[kRows / 16][2];
    {
        const auto* from =
            static_cast<const float*>(projected.data) + first * projected.stride + channels + head * kWidth + column;
#pragma unroll
        for (int m = 0; m < kRows / 16; ++m)
#pragma unroll
            for (int half = 0; half < 2; ++half) gate[m][half] = make_float2(0.0F, 0.0F);
        for (int part = 0; part < projected.splits; ++part)
#pragma unroll
            for (int m = 0; m < kRows / 16; ++m)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const int row = m * 16 + (lane >> 2) + half * 8;
                    if (row >= count) continue;
                    const float2 z =
                        *reinterpret_cast<const float2*>(from + part * projected.splitStride + row * projected.stride);
                    gate[m][half].x += z.x;
                    gate[m][half].y += z.y;
                }
    }
    // A thread convolves one channel of q, k and v for a quarter of the rows.
    const int channel = thread % kWidth;
    const int row0 = thread / kWidth * kEach;
    float u[3][kEach];
    convolveChannel<kEach>(u[0], projected, tail, w, keyHead * kWidth + channel, channels, first, row0, count);
    convolveChannel<kEach>(u[1], projected, tail, w, s.keys() + keyHead * kWidth + channel, channels, first, row0, count);
    convolveChannel<kEach>(u[2], projected, tail, w, 2 * s.keys() + head * kWidth + channel, channels, first, row0, count);
    constexpr int kGroupWarps = kWidth / 32;
#pragma unroll
    for (int x = 0; x < 2; ++x)
#pragma unroll
        for (int r = 0; r < kEach; ++r) {
            const float sum = warpSum(u[x][r] * u[x][r]);
            if (lane == 0) squares[(x * kRows + row0 + r) * kGroupWarps + warp % kGroupWarps] = sum;
        }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
        const int row = row0 + r;
        float scale[2];
#pragma unroll
        for (int x = 0; x < 2; ++x) {
            float sum = 0.0F;
#pragma unroll
            for (int i = 0; i < kGroupWarps; ++i) sum += squares[(x * kRows + row) * kGroupWarps + i];
            scale[x] = rsqrtf(sum + 1e-6F);
        }
        const bool inside = row < count;
        float value = u[2][r];
        if (scaleValue && inside) value *= sigmoid(load(projected, first + row, channels + s.values() + head));
        q[row * F::kKeyPitch + channel] = inside ? toTf32(u[0][r] * scale[0]) : 0.0F;
        k[row * F::kKeyPitch + channel] = inside ? toTf32(u[1][r] * scale[1]) : 0.0F;
        v[row * F::kValuePitch + channel] = inside ? toTf32(value) : 0.0F;
    }
    __syncthreads();
    const int quad = lane >> 2;
    const int in4 = lane & 3;
    const float logitScale = w.logitScale[head];
    for (int tile = warp; tile < (kRows / 16) * (kRows / 8); tile += F::kWarps) {
        const int i0 = tile / (kRows / 8) * 16;
        const int j0 = tile % (kRows / 8) * 8;
        float c[4] = {};
#pragma unroll 8
        for (int d = 0; d < kWidth; d += 8) {
            const float* a0 = q + (i0 + quad) * F::kKeyPitch + d + in4;
            const float* b0 = k + (j0 + quad) * F::kKeyPitch + d + in4;
            const float a[4] = {a0[0], a0[8 * F::kKeyPitch], a0[4], a0[8 * F::kKeyPitch + 4]};
            const float b[2] = {b0[0], b0[4]};
            mmaTf32(c, a, b);
        }
#pragma unroll
        for (int x = 0; x < 4; ++x) p[(i0 + quad + (x >> 1) * 8) * F::kWeightPitch + j0 + in4 * 2 + (x & 1)] = c[x] * logitScale;
    }
    __syncthreads();
    const float past = w.historyBias[head] + w.historyC[head] * logf(static_cast<float>(count) / 32.0F);
    for (int i = warp; i < kRows; i += F::kWarps) {
        float* row = p + i * F::kWeightPitch;
        const float l0 = lane < count && lane < kRows ? row[lane] : -INFINITY;
        const float l1 = kRows > 32 && lane + 32 < count ? row[lane + 32] : -INFINITY;
        const float m = fmaxf(warpMax(fmaxf(l0, l1)), past);
        const float e0 = expf(l0 - m);
        const float e1 = expf(l1 - m);
        const float old = expf(past - m);
        const float sum = warpSum(e0 + e1) + old;
        if (lane < kRows) row[lane] = toTf32(e0 / sum);
        if (kRows > 32) row[lane + 32] = toTf32(e1 / sum);
        if (lane == 0) history[i] = old / sum * (scaleRead ? rsqrtf(static_cast<float>(kWidth)) : 1.0F);
    }
    copyAsyncWait<0>();
    __syncthreads();
    // A warp owns eight columns of the output.
    float o[kRows / 16][4];
    float read[kRows / 16][4];
#pragma unroll
    for (int m = 0; m < kRows / 16; ++m)
#pragma unroll
        for (int x = 0; x < 4; ++x) o[m][x] = read[m][x] = 0.0F;
#pragma unroll 4
    for (int d = 0; d < kWidth; d += 8) {
        const float* b0 = shared_state + (d + in4) * F::kValuePitch + n0 + quad;
        const float b[2] = {b0[0], b0[4 * F::kValuePitch]};
#pragma unroll
        for (int m = 0; m < kRows / 16; ++m) {
            const float* a0 = q + (m * 16 + quad) * F::kKeyPitch + d + in4;
            const float a[4] = {a0[0], a0[8 * F::kKeyPitch], a0[4], a0[8 * F::kKeyPitch + 4]};
            mmaTf32(read[m], a, b);
        }
    }
#pragma unroll
    for (int j = 0; j < kRows; j += 8) {
        const float* b0 = v + (j + in4) * F::kValuePitch + n0 + quad;
        const float b[2] = {b0[0], b0[4 * F::kValuePitch]};
#pragma unroll
        for (int m = 0; m < kRows / 16; ++m) {
            const float* a0 = p + (m * 16 + quad) * F::kWeightPitch + j + in4;
            const float a[4] = {a0[0], a0[8 * F::kWeightPitch], a0[4], a0[8 * F::kWeightPitch + 4]};
            mmaTf32(o[m], a, b);
        }
    }
#pragma unroll
    for (int m = 0; m < kRows / 16; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = m * 16 + quad + half * 8;
            const float share = history[row];
            o[m][half * 2] += share * read[m][half * 2];
            o[m][half * 2 + 1] += share * read[m][half * 2 + 1];
            float sum = o[m][half * 2] * o[m][half * 2] + o[m][half * 2 + 1] * o[m][half * 2 + 1];
            sum += __shfl_xor_sync(0xFFFFFFFFU, sum, 1);
            sum += __shfl_xor_sync(0xFFFFFFFFU, sum, 2);
            if (in4 == 0) squares[row * F::kWarps + warp] = sum;
        }
    __syncthreads();
    const float2 weight = *reinterpret_cast<const float2*>(w.norm + column);
#pragma unroll
    for (int m = 0; m < kRows / 16; ++m)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = m * 16 + quad + half * 8;
            if (row >= count) continue;
            float sum = 0.0F;
#pragma unroll
            for (int i = 0; i < F::kWarps; ++i) sum += squares[row * F::kWarps + i];
            const float scale = rsqrtf(sum / static_cast<float>(kWidth) + eps);
            const float2 z = gate[m][half];
            *reinterpret_cast<__nv_bfloat162*>(out + (first + row) * s.values() + head * kWidth + column) = __floats2bfloat162_rn(
                weight.x * o[m][half * 2] * scale * fastSilu(z.x), weight.y * o[m][half * 2 + 1] * scale * fastSilu(z.y));
        }
}

template <int kWidth>
cudaError_t fusedMixOf(const Launcher& on, const GdnShape& s, const GdnVectors& w, const Rows& projected, const float* tail,
                       std::int64_t first, int count, const float* state, bool stateIsOld, bool scaleRead, bool scaleValue,
                       float eps, Bf16* out) {
    const dim3 grid(static_cast<unsigned>(s.valueHeads));
    if (count <= 32)
        return launch(on, fusedMixKernel<kWidth, 32>, grid, dim3(4 * kWidth), FusedShape<kWidth, 32>::kBytes, s, w, projected,
                      tail, first, count, state, stateIsOld, scaleRead, scaleValue, eps, out);
    return launch(on, fusedMixKernel<kWidth, 64>, grid, dim3(4 * kWidth), FusedShape<kWidth, 64>::kBytes, s, w, projected, tail,
                  first, count, state, stateIsOld, scaleRead, scaleValue, eps, out);
}

// ---- Hopper: the same for heads of 128, four blocks of a cluster a value head. Each convolves a quarter of the rows of q and k
// for all four, and owns a quarter of the value columns.

constexpr int kHeadWidth = 128;
constexpr int kSlices = 4;
constexpr int kSlice = kHeadWidth / kSlices;
constexpr int kSliceThreads = 256;

template <int kRows>
struct SliceShape {
    static constexpr int kKeyPitch = kHeadWidth + 4;
    static constexpr int kValuePitch = kSlice + 8;
    static constexpr int kWeightPitch = kRows + 4;
    static constexpr int kState = 0;
    static constexpr int kQ = kState + kHeadWidth * kValuePitch;
    static constexpr int kK = kQ + kRows * kKeyPitch;
    static constexpr int kV = kK + kRows * kKeyPitch;
    static constexpr int kP = kV + kRows * kValuePitch;
    static constexpr int kHistory = kP + kRows * kWeightPitch;  // [kRows]
    static constexpr int kSquares = kHistory + kRows;           // [2][kRows / 4][4] of q and k, then [kRows][4] of the outputs
    static constexpr int kSums = kSquares + 4 * kRows;          // [kSlices][kRows]
    static constexpr std::size_t kBytes = sizeof(float) * (kSums + kSlices * kRows);
};

/// Taps of one channel, and what they make of its inputs (x[0] is three rows before the first output).
struct ChannelTaps {
    float4 left;
    float right[3];
    __device__ __forceinline__ ChannelTaps(const GdnVectors& w, int c)
        : left(*reinterpret_cast<const float4*>(w.conv + c * 4)),
          right{w.convRight[c * 3], w.convRight[c * 3 + 1], w.convRight[c * 3 + 2]} {}
    __device__ __forceinline__ float at(const float* x) const {
        return fastSilu(x[0] * left.x + x[1] * left.y + x[2] * left.z + x[3] * left.w + x[4] * right[0] + x[5] * right[1] +
                        x[6] * right[2]);
    }
};

template <int kCount>
__device__ __forceinline__ void patchTail(float (&x)[kCount], const float* tail, std::int64_t at, int c, int channels) {
#pragma unroll
    for (int i = 0; i < 3; ++i)
        if (at + i < 0) x[i] = tail[(at + 3 + i) * channels + c];
}

template <int kRows>
__global__ void __launch_bounds__(kSliceThreads)
    sliceMixKernel(GdnShape s, GdnVectors w, Rows projected, const float* tail, std::int64_t first, int count, const float* state,
                   bool stateIsOld, bool scaleRead, bool scaleValue, float eps, Bf16* out) {
    using F = SliceShape<kRows>;
    constexpr int kEach = kRows / kSlices;  // rows of q and k that this block convolves
    constexpr int kValueEach = kRows / 8;   // rows of v that a thread convolves
    constexpr int kTiles = kRows / 32;      // output tiles of 16 x 8 a warp
    extern __shared__ __align__(16) float memory[];
    float* sharedState = memory + F::kState;
    float* v = memory + F::kV;
    float* p = memory + F::kP;
    float* history = memory + F::kHistory;
    float* squares = memory + F::kSquares;
    float* sums = memory + F::kSums;
    gridRelease();
    clusterArrive();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int quad = lane >> 2;
    const int in4 = lane & 3;
    const int slice = clusterRank();
    const int head = static_cast<int>(blockIdx.y);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    const int channels = s.channels();
    const auto fetchState = [&] {
#pragma unroll
        for (int i = 0; i < kHeadWidth * kSlice / 4 / kSliceThreads; ++i) {
            const int row = (thread + i * kSliceThreads) / (kSlice / 4);
            const int c = (thread + i * kSliceThreads) % (kSlice / 4) * 4;
            copyAsync16(sharedAddress(sharedState + row * F::kValuePitch + c),
                        state + (static_cast<std::int64_t>(head) * kHeadWidth + row) * kHeadWidth + slice * kSlice + c, true);
        }
        copyAsyncCommit();
    };
    if (stateIsOld) fetchState();           // no kernel of this pass writes it
    const int which = thread / kHeadWidth;  // q or k
    const int channel = thread % kHeadWidth;
    const int keyChannel = which * s.keys() + keyHead * kHeadWidth + channel;
    const int valueChannel = 2 * s.keys() + head * kHeadWidth + slice * kSlice + lane;
    const ChannelTaps keyTaps(w, keyChannel);
    const ChannelTaps valueTaps(w, valueChannel);
    const float logitScale = w.logitScale[head];
    const int column = (warp >> 1) * 8 + in4 * 2;  // of the slice; this warp's output rows are those of tiles (warp & 1) + 2 i
    const float2 weight = *reinterpret_cast<const float2*>(w.norm + slice * kSlice + column);
    gridWait();
    if (!stateIsOld) fetchState();

    // The inputs of this thread's outputs, partial matrix by partial matrix: all that it needs of one is in flight together.
    float x[kEach + 6];
    float xv[kValueEach + 6];
    float2 gate[kTiles][2];
#pragma unroll
    for (float& v1 : x) v1 = 0.0F;
#pragma unroll
    for (float& v1 : xv) v1 = 0.0F;
#pragma unroll
    for (auto& tile : gate) tile[0] = tile[1] = make_float2(0.0F, 0.0F);
    const int keyRow = static_cast<int>(first) + slice * kEach - 3;
    const int valueRow = static_cast<int>(first) + warp * kValueEach - 3;
    const int end = static_cast<int>(first) + count;
    const int stride = static_cast<int>(projected.stride);
    // Rows outside the pass are read from the nearest one inside and left out of the sum: loads without conditions all start at
    // once.
    const auto inPass = [&](int row) { return static_cast<unsigned>(min(max(row, 0), end - 1) * stride); };
    const auto* input = static_cast<const float*>(projected.data);
    const int gateRow = static_cast<int>(first) + (warp & 1) * 16 + quad;
    const int gateColumn = channels + head * kHeadWidth + slice * kSlice + column;
#pragma unroll 1
    for (int part = 0; part < projected.splits; ++part, input += projected.splitStride) {
        float key[kEach + 6];
        float value[kValueEach + 6];
        float2 z[2 * kTiles];
#pragma unroll
        for (int i = 0; i < kEach + 6; ++i) key[i] = __ldcg(input + (inPass(keyRow + i) + keyChannel));
#pragma unroll
        for (int i = 0; i < kValueEach + 6; ++i) value[i] = __ldcg(input + (inPass(valueRow + i) + valueChannel));
#pragma unroll
        for (int i = 0; i < 2 * kTiles; ++i)
            z[i] = __ldcg(reinterpret_cast<const float2*>(input + (inPass(gateRow + i / 2 * 32 + i % 2 * 8) + gateColumn)));
#pragma unroll
        for (int i = 0; i < kEach + 6; ++i) x[i] += keyRow + i >= 0 && keyRow + i < end ? key[i] : 0.0F;
#pragma unroll
        for (int i = 0; i < kValueEach + 6; ++i) xv[i] += valueRow + i >= 0 && valueRow + i < end ? value[i] : 0.0F;
#pragma unroll
        for (int i = 0; i < 2 * kTiles; ++i) {
            gate[i / 2][i % 2].x += z[i].x;
            gate[i / 2][i % 2].y += z[i].y;
        }
    }
    const std::int64_t keyAt = keyRow;
    const std::int64_t valueAt = valueRow;
    if (scaleValue && thread < kRows)
        history[thread] = thread < count ? sigmoid(load(projected, first + thread, channels + s.values() + head)) : 0.0F;
    patchTail(x, tail, keyAt, keyChannel, channels);
    patchTail(xv, tail, valueAt, valueChannel, channels);
    if (scaleValue) __syncthreads();
    float u[kEach];
#pragma unroll
    for (int r = 0; r < kEach; ++r) u[r] = keyTaps.at(x + r);
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
        const float sum = warpSum(u[r] * u[r]);
        if (lane == 0) squares[(which * kEach + r) * 4 + (warp & 3)] = sum;
    }
#pragma unroll
    for (int r = 0; r < kValueEach; ++r) {
        const int row = warp * kValueEach + r;
        float value = valueTaps.at(xv + r);
        if (scaleValue) value *= history[row];  // beta, until the softmax fills it
        v[row * F::kValuePitch + lane] = row < count ? toTf32(value) : 0.0F;
    }
    __syncthreads();
    clusterWait();  // every block of the cluster runs
    float* mine = memory + (which == 0 ? F::kQ : F::kK) + slice * kEach * F::kKeyPitch + channel;
    float* target[kSlices];
#pragma unroll
    for (int i = 0; i < kSlices; ++i) target[i] = inBlock(mine, i);
#pragma unroll
    for (int r = 0; r < kEach; ++r) {
        const float* of = squares + (which * kEach + r) * 4;
        const float scale = rsqrtf(((of[0] + of[1]) + (of[2] + of[3])) + 1e-6F);
        const float value = slice * kEach + r < count ? toTf32(u[r] * scale) : 0.0F;
#pragma unroll
        for (int i = 0; i < kSlices; ++i) target[i][r * F::kKeyPitch] = value;
    }
    clusterArrive();
    clusterWait();

    const float* q = memory + F::kQ;
    const float* k = memory + F::kK;
#pragma unroll 1
    for (int tile = warp; tile < (kRows / 16) * (kRows / 8); tile += kSliceThreads / 32) {
        const int i0 = tile / (kRows / 8) * 16;
        const int j0 = tile % (kRows / 8) * 8;
        float c[2][4] = {};  // two sums, so that products need not wait for each other
#pragma unroll 4
        for (int d = 0; d < kHeadWidth; d += 8) {
            const float* a0 = q + (i0 + quad) * F::kKeyPitch + d + in4;
            const float* b0 = k + (j0 + quad) * F::kKeyPitch + d + in4;
            const float a[4] = {a0[0], a0[8 * F::kKeyPitch], a0[4], a0[8 * F::kKeyPitch + 4]};
            const float b[2] = {b0[0], b0[4]};
            mmaTf32(c[d / 8 & 1], a, b);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
            p[(i0 + quad + (i >> 1) * 8) * F::kWeightPitch + j0 + in4 * 2 + (i & 1)] = (c[0][i] + c[1][i]) * logitScale;
    }
    __syncthreads();
    const float past = w.historyBias[head] + w.historyC[head] * logf(static_cast<float>(count) / 32.0F);
#pragma unroll 2
    for (int i = warp; i < kRows; i += kSliceThreads / 32) {
        float* row = p + i * F::kWeightPitch;
        const float l0 = lane < count ? row[lane] : -INFINITY;
        const float l1 = kRows > 32 && lane + 32 < count ? row[lane + 32] : -INFINITY;
        const float m = fmaxf(warpMax(fmaxf(l0, l1)), past);
        const float e0 = __expf(l0 - m);
        const float e1 = __expf(l1 - m);
        const float old = __expf(past - m);
        const float sum = warpSum(e0 + e1) + old;
        row[lane] = toTf32(__fdividef(e0, sum));
        if (kRows > 32) row[lane + 32] = toTf32(__fdividef(e1, sum));
        if (lane == 0) history[i] = __fdividef(old, sum) * (scaleRead ? rsqrtf(static_cast<float>(kHeadWidth)) : 1.0F);
    }
    copyAsyncWait<0>();
    __syncthreads();
    float o[kTiles][4] = {};
    float read[kTiles][4] = {};
    const int n0 = (warp >> 1) * 8;
#pragma unroll 4
    for (int d = 0; d < kHeadWidth; d += 8) {
        const float* b0 = sharedState + (d + in4) * F::kValuePitch + n0 + quad;
        const float b[2] = {b0[0], b0[4 * F::kValuePitch]};
#pragma unroll
        for (int i = 0; i < kTiles; ++i) {
            const float* a0 = q + (((warp & 1) + 2 * i) * 16 + quad) * F::kKeyPitch + d + in4;
            const float a[4] = {a0[0], a0[8 * F::kKeyPitch], a0[4], a0[8 * F::kKeyPitch + 4]};
            mmaTf32(read[i], a, b);
        }
    }
#pragma unroll
    for (int j = 0; j < kRows; j += 8) {
        const float* b0 = v + (j + in4) * F::kValuePitch + n0 + quad;
        const float b[2] = {b0[0], b0[4 * F::kValuePitch]};
#pragma unroll
        for (int i = 0; i < kTiles; ++i) {
            const float* a0 = p + (((warp & 1) + 2 * i) * 16 + quad) * F::kWeightPitch + j + in4;
            const float a[4] = {a0[0], a0[8 * F::kWeightPitch], a0[4], a0[8 * F::kWeightPitch + 4]};
            mmaTf32(o[i], a, b);
        }
    }
#pragma unroll
    for (int i = 0; i < kTiles; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = ((warp & 1) + 2 * i) * 16 + quad + half * 8;
            const float share = history[row];
            o[i][half * 2] += share * read[i][half * 2];
            o[i][half * 2 + 1] += share * read[i][half * 2 + 1];
            float sum = o[i][half * 2] * o[i][half * 2] + o[i][half * 2 + 1] * o[i][half * 2 + 1];
            sum += __shfl_xor_sync(0xFFFFFFFFU, sum, 1);
            sum += __shfl_xor_sync(0xFFFFFFFFU, sum, 2);
            if (in4 == 0) squares[row * 4 + (warp >> 1)] = sum;
        }
    __syncthreads();
    if (thread < kSlices * kRows) {
        const float* of = squares + thread % kRows * 4;
        inBlock(sums, thread / kRows)[slice * kRows + thread % kRows] = (of[0] + of[1]) + (of[2] + of[3]);
    }
    clusterArrive();
    clusterWait();
#pragma unroll
    for (int i = 0; i < kTiles; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = ((warp & 1) + 2 * i) * 16 + quad + half * 8;
            if (row >= count) continue;
            const float sum = (sums[row] + sums[kRows + row]) + (sums[2 * kRows + row] + sums[3 * kRows + row]);
            const float scale = rsqrtf(sum / static_cast<float>(kHeadWidth) + eps);
            const float2 z = gate[i][half];
            *reinterpret_cast<__nv_bfloat162*>(out + (first + row) * s.values() + head * kHeadWidth + slice * kSlice + column) =
                __floats2bfloat162_rn(weight.x * o[i][half * 2] * scale * fastSilu(z.x),
                                      weight.y * o[i][half * 2 + 1] * scale * fastSilu(z.y));
        }
}

// ---- Hopper: one clean token. A cluster serves one key head: four blocks, of a quarter of the value columns each, for every
// value head that reads it. A thread holds sixteen key rows of one column of the state.

constexpr int kStepKeys = 16;

__global__ void __launch_bounds__(kSliceThreads)
    stepKernel(GdnShape s, GdnVectors w, Rows projected, float* tail, float* state, float eps, Bf16* out) {
    __shared__ float keys[2][kHeadWidth];  // q, k
    __shared__ float squares[kSliceThreads / 32];
    __shared__ float values[kSlice];
    __shared__ float partial[kSliceThreads / 32][3][32];
    __shared__ float sums[kSlices];
    gridRelease();
    clusterArrive();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int rank = clusterRank();
    const int slice = rank % kSlices;
    const int keyHead = static_cast<int>(blockIdx.y);
    const int head = keyHead * (s.valueHeads / s.keyHeads) + rank / kSlices;
    const int channels = s.channels();
    const int which = thread / kHeadWidth;
    const int keyChannel = which * s.keys() + keyHead * kHeadWidth + thread % kHeadWidth;
    const int column = head * kHeadWidth + slice * kSlice + lane;  // of the values
    const int valueChannel = 2 * s.keys() + column;
    // Nothing of this pass has written the state or the tail of this layer yet.
    float* own = state + (static_cast<std::int64_t>(head) * kHeadWidth + warp * kStepKeys) * kHeadWidth + slice * kSlice + lane;
    float old[kStepKeys];
#pragma unroll
    for (int i = 0; i < kStepKeys; ++i) old[i] = own[i * kHeadWidth];
    const float4 keyTaps = *reinterpret_cast<const float4*>(w.conv + keyChannel * 4);
    const float4 valueTaps = *reinterpret_cast<const float4*>(w.conv + valueChannel * 4);
    const float keyTail[3] = {tail[keyChannel], tail[channels + keyChannel], tail[2 * channels + keyChannel]};
    const float valueTail[3] = {tail[valueChannel], tail[channels + valueChannel], tail[2 * channels + valueChannel]};
    const float rate = -expf(w.aLog[head]);
    const float dtBias = w.dtBias[head];
    const float weight = w.norm[slice * kSlice + lane];
    gridWait();
    float x = 0.0F;
    float xv = 0.0F;
    float z = 0.0F;
    float b = 0.0F;
    float a = 0.0F;
    const auto* input = static_cast<const float*>(projected.data);
#pragma unroll 1
    for (int part = 0; part < projected.splits; ++part, input += projected.splitStride) {
        x += input[keyChannel];
        xv += input[valueChannel];
        z += input[channels + column];
        b += input[channels + s.values() + head];
        a += input[channels + s.values() + s.valueHeads + head];
    }
    const float beta = sigmoid(b);
    const float decay = expf(rate * softplus(a + dtBias));
    const float u = silu(keyTail[0] * keyTaps.x + keyTail[1] * keyTaps.y + keyTail[2] * keyTaps.z + x * keyTaps.w);
    const float sum = warpSum(u * u);
    if (lane == 0) squares[warp] = sum;
    if (warp == 0)
        values[lane] =
            silu(valueTail[0] * valueTaps.x + valueTail[1] * valueTaps.y + valueTail[2] * valueTaps.z + xv * valueTaps.w);
    __syncthreads();
    const float* of = squares + which * 4;
    keys[which][thread % kHeadWidth] = u * rsqrtf(((of[0] + of[1]) + (of[2] + of[3])) + 1e-6F);
    __syncthreads();
    float seen = 0.0F;
    float read = 0.0F;
    float both = 0.0F;
#pragma unroll
    for (int i = 0; i < kStepKeys; ++i) {
        const float q = keys[0][warp * kStepKeys + i];
        const float k = keys[1][warp * kStepKeys + i];
        seen += old[i] * k;
        read += old[i] * q;
        both += k * q;
    }
    partial[warp][0][lane] = seen;
    partial[warp][1][lane] = read;
    partial[warp][2][lane] = both;
    __syncthreads();
    seen = read = both = 0.0F;
#pragma unroll
    for (int i = 0; i < kSliceThreads / 32; ++i) {
        seen += partial[i][0][lane];
        read += partial[i][1][lane];
        both += partial[i][2][lane];
    }
    const float delta = (values[lane] - decay * seen) * beta;
#pragma unroll
    for (int i = 0; i < kStepKeys; ++i) own[i * kHeadWidth] = decay * old[i] + keys[1][warp * kStepKeys + i] * delta;
    const float o = (decay * read + both * delta) * rsqrtf(static_cast<float>(kHeadWidth));
    const float square = warpSum(o * o);
    clusterWait();  // every block of the cluster runs
    if (warp == 0 && lane < kSlices) inBlock(sums, rank / kSlices * kSlices + lane)[slice] = square;
    clusterArrive();
    clusterWait();  // the sums are here, and every block has read the tail
    if (warp == 0) {
        const float scale = rsqrtf(((sums[0] + sums[1]) + (sums[2] + sums[3])) / static_cast<float>(kHeadWidth) + eps);
        out[column] = fromFloat<Bf16>(weight * o * scale * silu(z));
        tail[valueChannel] = valueTail[1];
        tail[channels + valueChannel] = valueTail[2];
        tail[2 * channels + valueChannel] = xv;
    }
    if (rank == 0) {
        tail[keyChannel] = keyTail[1];
        tail[channels + keyChannel] = keyTail[2];
        tail[2 * channels + keyChannel] = x;
    }
}

}  // namespace

bool fusedMixSupports(const Launcher& on, const GdnShape& s, std::int64_t count) {
    if (s.taps != 4 || s.keyDim != s.valueDim || count > 64) return false;
    if (on.hopper && s.keyDim == kHeadWidth) return true;
    const bool wide = count > 32;
    switch (s.keyDim) {
        case 32:
            return (wide ? FusedShape<32, 64>::kBytes : FusedShape<32, 32>::kBytes) <= on.sharedBytes;
        case 64:
            return (wide ? FusedShape<64, 64>::kBytes : FusedShape<64, 32>::kBytes) <= on.sharedBytes;
        case 128:
            return (wide ? FusedShape<128, 64>::kBytes : FusedShape<128, 32>::kBytes) <= on.sharedBytes;
        default:
            return false;
    }
}

cudaError_t fusedMix(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, const float* tail,
                     std::int64_t first, int count, const float* state, bool stateIsOld, bool scaleRead, bool scaleValue,
                     float eps, Bf16* out) {
    if (on.hopper && shape.keyDim == kHeadWidth) {
        const dim3 grid(kSlices, static_cast<unsigned>(shape.valueHeads));
        return count <= 32
                   ? launchCluster(on, kSlices, sliceMixKernel<32>, grid, dim3(kSliceThreads), SliceShape<32>::kBytes, shape, w,
                                   projected, tail, first, count, state, stateIsOld, scaleRead, scaleValue, eps, out)
                   : launchCluster(on, kSlices, sliceMixKernel<64>, grid, dim3(kSliceThreads), SliceShape<64>::kBytes, shape, w,
                                   projected, tail, first, count, state, stateIsOld, scaleRead, scaleValue, eps, out);
    }
    switch (shape.keyDim) {
        case 32:
            return fusedMixOf<32>(on, shape, w, projected, tail, first, count, state, stateIsOld, scaleRead, scaleValue, eps,
                                  out);
        case 64:
            return fusedMixOf<64>(on, shape, w, projected, tail, first, count, state, stateIsOld, scaleRead, scaleValue, eps,
                                  out);
        case 128:
            return fusedMixOf<128>(on, shape, w, projected, tail, first, count, state, stateIsOld, scaleRead, scaleValue, eps,
                                   out);
        default:
            return cudaErrorInvalidValue;
    }
}

bool gdnStepSupports(const Launcher& on, const GdnShape& s) {
    return on.hopper && s.taps == 4 && s.keyDim == kHeadWidth && s.valueDim == kHeadWidth && s.valueHeads % s.keyHeads == 0 &&
           s.valueHeads / s.keyHeads <= 2;  // a cluster has at most eight blocks
}

cudaError_t gdnStep(const Launcher& on, const GdnShape& shape, const GdnVectors& w, const Rows& projected, float* tail,
                    float* state, float eps, Bf16* out) {
    const auto cluster = static_cast<unsigned>(kSlices * (shape.valueHeads / shape.keyHeads));
    return launchCluster(on, cluster, stepKernel, dim3(cluster, static_cast<unsigned>(shape.keyHeads)), dim3(kSliceThreads), 0,
                         shape, w, projected, tail, state, eps, out);
}

}  // namespace trefoil::cuda
