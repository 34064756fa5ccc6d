// The pipeline of the memory-bound products (skinny_gemm.cu, expert_gemm.cu): weights are copied to shared memory some steps
// ahead of the tensor cores, which take them as the large operand and the rows of the pass as the small one.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/pass_params.h"

#include <type_traits>

namespace trefoil::cuda {

// One block computes tiles of kTileRows weight rows by all rows of the pass, kTileColumns columns a step, kStages steps in
// flight.
inline constexpr int kTileRows = 128;
inline constexpr int kTileColumns = 64;
inline constexpr int kSkinnyThreads = 128;

template <int NT, int kDepth = NT == 64 ? 4 : 5>
struct Shape {
    static constexpr int kStages = kDepth;
    static constexpr int kWeightBytes = kTileRows * 128;
    static constexpr int kRowBytes = NT * 128;
    static constexpr int kStageBytes = kWeightBytes + kRowBytes;
    static constexpr int kBytes = kStages * kStageBytes;
};

/// Where a block has less shared memory than 100 KiB: a stage less for 32 rows.
template <int NT>
using SmallShape = Shape<NT, 4>;

/// Accumulators of one warp: 32 weight rows (two m16 tiles) by NT rows of the pass.
template <int NT>
using Accumulators = float[2][NT / 8][4];

template <int NT>
__device__ __forceinline__ void clear(Accumulators<NT>& acc) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) acc[i][n][j] = 0.0F;
}

/// One step: acc += W tile [128, 64] (this warp's 32 rows) · X tile [NT, 64].
template <int NT>
__device__ __forceinline__ void multiplyStage(Accumulators<NT>& acc, std::uint32_t weights, std::uint32_t rows) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
#pragma unroll
    for (int kk = 0; kk < kTileColumns / 16; ++kk) {
        std::uint32_t a[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i)
            loadMatrix4(a[i], weights + swizzle128(warp * 32 + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
        if constexpr (NT == 8) {
            std::uint32_t b0;
            std::uint32_t b1;
            loadMatrix2(b0, b1, rows + swizzle128(lane & 7, kk * 2 + ((lane >> 3) & 1)));
            mma(acc[0][0], a[0], b0, b1);
            mma(acc[1][0], a[1], b0, b1);
        } else {
#pragma unroll
            for (int n = 0; n < NT / 16; ++n) {
                std::uint32_t b[4];
                loadMatrix4(b, rows + swizzle128(n * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1)));
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    mma(acc[i][2 * n], a[i], b[0], b[1]);
                    mma(acc[i][2 * n + 1], a[i], b[2], b[3]);
                }
            }
        }
    }
}

/// Where a thread copies to in a tile of 128-byte rows: chunk (thread & 7) of row thread / 8. Sixteen rows on, it is 2,048 bytes
/// on.
__device__ __forceinline__ std::uint32_t ownPlace() {
    return swizzle128(static_cast<int>(threadIdx.x) >> 3, static_cast<int>(threadIdx.x) & 7);
}

/// The pipeline: step g of `total` is fetched by fetchWeights(g, address) and fetchRows(g, address), multiplied in order, and
/// after it done(g) may use the accumulators (at the end of a tile). Weights of the first steps are asked for before gridWait
/// when kPrefetch: they depend on no other kernel.
template <int NT, bool kPrefetch, class S, class FetchWeights, class FetchRows, class Multiply, class Done>
__device__ __forceinline__ void runPipelineWith(int total, std::uint8_t* shared, FetchWeights fetchWeights, FetchRows fetchRows,
                                                Multiply multiply, Done done) {
    // Nothing here is unrolled: a kernel runs for a few microseconds, and the code that it has to fetch first is part of them.
    const std::uint32_t base = sharedAddress(shared);
    // Each thread's own place in the stage that is filled next.
    const std::uint32_t first = base + ownPlace();
    std::uint32_t next = first;
    if constexpr (kPrefetch) {
#pragma unroll 1
        for (int g = 0; g < S::kStages - 1; ++g, next += S::kStageBytes) {
            if (g < total) fetchWeights(g, next);
        }
        gridWait();
        next = first;
    }
#pragma unroll 1
    for (int g = 0; g < S::kStages - 1; ++g, next += S::kStageBytes) {
        if (g < total) {
            if constexpr (!kPrefetch) fetchWeights(g, next);
            fetchRows(g, next + S::kWeightBytes);
        }
        copyAsyncCommit();
    }
    std::uint32_t stage = base;
#pragma unroll 1
    for (int g = 0; g < total; ++g) {
        copyAsyncWait<S::kStages - 2>();
        __syncthreads();
        if (g + S::kStages - 1 < total) {
            fetchWeights(g + S::kStages - 1, next);
            fetchRows(g + S::kStages - 1, next + S::kWeightBytes);
        }
        copyAsyncCommit();
        multiply(g, stage, stage + S::kWeightBytes);
        done(g);
        stage = stage == base + S::kBytes - S::kStageBytes ? base : stage + S::kStageBytes;
        next = next == first + S::kBytes - S::kStageBytes ? first : next + S::kStageBytes;
    }
    copyAsyncWait<0>();
}

/// The same, multiplying whole tiles.
template <int NT, bool kPrefetch, class S = Shape<NT>, class FetchWeights, class FetchRows, class Done>
__device__ __forceinline__ void runPipeline(int total, Accumulators<NT>& acc, std::uint8_t* shared, FetchWeights fetchWeights,
                                            FetchRows fetchRows, Done done) {
    runPipelineWith<NT, kPrefetch, S>(
        total, shared, fetchWeights, fetchRows,
        [&](int, std::uint32_t weights, std::uint32_t rows) { multiplyStage<NT>(acc, weights, rows); }, done);
}

/// Copies columns [column, column + 64) of rows 0…NT-1 of x into a stage, `own` being the thread's place in it; rows that
/// `wanted` excludes become zeros.
template <int NT, class Wanted>
__device__ __forceinline__ void fetchPassRows(std::uint32_t own, const Bf16* x, std::int64_t stride, std::int64_t column,
                                              std::int64_t columns, Wanted wanted) {
#pragma unroll
    for (int i = 0; i < (NT * 8 + kSkinnyThreads - 1) / kSkinnyThreads; ++i) {
        const int c = static_cast<int>(threadIdx.x) + i * kSkinnyThreads;
        if (NT * 8 % kSkinnyThreads != 0 && c >= NT * 8) break;
        const int row = c >> 3;
        const int chunk = c & 7;
        const bool valid = column + chunk * 8 < columns && wanted(row);
        copyAsync16(own + i * 2048, valid ? x + row * stride + column + chunk * 8 : x, valid);
    }
}

/// Where a thread's part of a weight tile comes from: it copies chunk (thread & 7) of tile rows thread / 8 + 16 i, i = 0…7. Row i
/// lies (i & 1) · odd + (i >> 1) · pair elements behind the first; bit i of `valid` says whether it exists.
struct WeightWalk {
    const Bf16* first = nullptr;
    std::int64_t odd = 0;
    std::int64_t pair = 0;
    unsigned valid = 0;
    std::uint64_t policy = streamPolicy();

    /// Copies 64 columns to the thread's place `own`; `inside`: this thread's chunk of them exists.
    __device__ __forceinline__ void fetch(std::uint32_t own, std::int64_t column, bool inside) const {
        const Bf16* from = first + column;
        if (valid == 0xFF && inside) {
#pragma unroll
            for (int i = 0; i < 8; ++i) copyAsync16Stream(own + i * 2048, from + (i & 1) * odd + (i >> 1) * pair, true, policy);
            return;
        }
        if ((valid == 0x0F || valid == 0xF0) && inside) {  // half a tile: nobody wants the rest
            const int skip = valid == 0x0F ? 0 : 4;
            fetchFour(own + skip * 2048, from + (skip >> 1) * pair);
            return;
        }
#pragma unroll 1
        for (int i = 0; i < 8; ++i) {
            const bool exists = inside && (valid >> i & 1) != 0;
            copyAsync16Ahead(own + i * 2048, exists ? from + (i & 1) * odd + (i >> 1) * pair : first, exists);
        }
    }
    /// The first four rows' copies, all there.
    __device__ __forceinline__ void fetchFour(std::uint32_t own, const Bf16* from) const {
#pragma unroll
        for (int i = 0; i < 4; ++i) copyAsync16Stream(own + i * 2048, from + (i & 1) * odd + (i >> 1) * pair, true, policy);
    }
    /// Two halves of 64 columns of 32 rows: i = 0…3, `pair` being the halves' distance; `chunk`: this thread's first column.
    __device__ __forceinline__ void fetchPiece(std::uint32_t own, std::int64_t column, int chunk, std::int64_t columns) const {
        const Bf16* from = first + column;
        if (valid == 0x0F && column + kTileColumns + chunk < columns) {
            fetchFour(own, from);
            return;
        }
#pragma unroll 1
        for (int i = 0; i < 4; ++i) {
            const bool exists = (valid >> i & 1) != 0 && column + (i >> 1) * kTileColumns + chunk < columns;
            copyAsync16Ahead(own + i * 2048, exists ? from + (i & 1) * odd + (i >> 1) * pair : first, exists);
        }
    }
    /// Rows row0 + thread / 8 + 16 i of a [rows, columns] matrix.
    __device__ __forceinline__ void plain(const Bf16* w, std::int64_t row0, std::int64_t rows, std::int64_t columns) {
        const std::int64_t row = row0 + (threadIdx.x >> 3);
        valid = 0;
#pragma unroll
        for (int i = 0; i < 8; ++i) valid |= row + 16 * i < rows ? 1U << i : 0U;
        first = w + (valid != 0 ? row * columns + (threadIdx.x & 7) * 8 : 0);
        odd = 16 * columns;
        pair = 32 * columns;
    }
};
static_assert(kTileRows == 128 && kTileColumns == 64 && kSkinnyThreads == 128);

/// Calls f with the smallest of 8, 32 and 64 that holds t rows, as a constant.
template <class F>
cudaError_t withRows(int t, F f) {
    if (t <= 8) return f(std::integral_constant<int, 8>{});
    if (t <= 32) return f(std::integral_constant<int, 32>{});
    if (t <= kSmallRows) return f(std::integral_constant<int, 64>{});
    return cudaErrorInvalidValue;
}
/// The same with the pipeline's shape that the device has room for.
template <class F>
cudaError_t withShape(const Launcher& on, int t, F f) {
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        return Shape<NT>::kBytes <= static_cast<int>(on.sharedBytes) ? f(n, Shape<NT>{}) : f(n, SmallShape<NT>{});
    });
}

}  // namespace trefoil::cuda
