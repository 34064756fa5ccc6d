// What the memory-bound products of packed weights share (skinny_packed.cu, expert_packed.cu): the stages of skinny_pipeline.cuh
// with units instead of tiles of BF16. A warp copies and takes its own two row blocks; the rows of the pass are the block's.
//
// Bytes of a stage: eight units (int4 by 32: 9,216; FP8: 16,896) and the rows of the pass that they meet, at most 16 KiB; two
// blocks a multiprocessor keep at least 70 KB of weights under way, four times what the memory's latency takes.
#pragma once

#include "kernels/cuda/packed_formats.cuh"
#include "kernels/cuda/skinny_pipeline.cuh"

namespace trefoil::cuda {

/// kWide: the four warps take four units of the same 16 + 16 rows, side by side; else a unit each of eight row blocks.
template <int NT, class F, bool kWide, int kDepth>
struct PackedShape {
    static constexpr int kStages = kDepth;
    static constexpr int kWarpBytes = 2 * F::kUnitBytes;
    static constexpr int kWeightBytes = 4 * kWarpBytes;
    static constexpr int kHalfBytes = NT * 128;  ///< 64 columns of the rows
    static constexpr int kRowBytes = (kWide ? 8 : 2) * kHalfBytes;
    static constexpr int kStageBytes = kWeightBytes + kRowBytes;
    static constexpr int kBytes = kStages * kStageBytes;
    static constexpr int kColumns = kWide ? 4 * kUnitColumns : kUnitColumns;  ///< a step
    static_assert(kWeightBytes % 128 == 0);
    static_assert(kStages >= 2 && kBytes <= 227 * 1024);
};

/// The stages that fit `bytes` of shared memory, at most `most`.
template <int NT, class F, bool kWide>
constexpr int packedDepth(int bytes, int most) {
    const int fits = bytes / PackedShape<NT, F, kWide, 2>::kStageBytes;
    return fits < 2 ? 2 : fits > most ? most : fits;
}
/// With two blocks a multiprocessor of 227 KiB, and with what every card has.
template <int NT, class F, bool kWide>
using WidePackedShape = PackedShape<NT, F, kWide, packedDepth<NT, F, kWide>(113 * 1024, 6)>;
template <int NT, class F, bool kWide>
using SmallPackedShape = PackedShape<NT, F, kWide, packedDepth<NT, F, kWide>(99 * 1024, 6)>;
static_assert(SmallPackedShape<64, Bf16Format, false>::kBytes <= 99 * 1024);
static_assert(SmallPackedShape<8, Bf16Format, true>::kBytes <= 99 * 1024);

/// Calls f with the rows as a constant and the shape that the device has room for.
template <class F, class Call>
cudaError_t withPackedShape(const Launcher& on, int t, Call call) {
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        using Wide = WidePackedShape<NT, F, false>;
        return Wide::kBytes <= static_cast<int>(on.sharedBytes) ? call(n, Wide{}) : call(n, SmallPackedShape<NT, F, false>{});
    });
}

/// A warp's two row blocks on their way to shared memory: lane l copies bytes l · 16 and every 512 after it of a unit of the
/// first, then of the second.
template <class F>
struct UnitWalk {
    static constexpr int kChunks = F::kUnitBytes / 16;
    const std::byte* first = nullptr;  ///< this lane's part of the first block's unit 0
    std::int64_t other = 0;            ///< from the end of a unit of the first block to the second's
    int blocks = 0;                    ///< how many of the two exist

    /// Row blocks `block` and `block` + 1 of `count`, `blockBytes` apart.
    __device__ __forceinline__ void start(const std::byte* data, std::int64_t block, std::int64_t count,
                                          std::int64_t blockBytes) {
        const std::int64_t left = count - block;
        blocks = left >= 2 ? 2 : left == 1 ? 1 : 0;
        first = data + (blocks > 0 ? block * blockBytes : 0) + (threadIdx.x & 31) * 16;
        other = blockBytes - F::kUnitBytes;
    }
    /// The same blocks for all threads of the block together: both exist.
    __device__ __forceinline__ void startShared(const std::byte* data, std::int64_t block, std::int64_t blockBytes) {
        first = data + block * blockBytes + threadIdx.x * 16;
        other = blockBytes - F::kUnitBytes;
    }
    /// Unit `unit` of both blocks to the thread's place `own`, which is thread · 16 of the stage.
    __device__ __forceinline__ void fetchShared(std::uint32_t own, std::int64_t unit) const {
        const std::byte* from = first + unit * F::kUnitBytes;
#pragma unroll
        for (int i = 0; i < (2 * kChunks + kSkinnyThreads - 1) / kSkinnyThreads; ++i) {
            const int c = static_cast<int>(threadIdx.x) + i * kSkinnyThreads;
            if (c < 2 * kChunks) copyAsync16Ahead(own + i * 2048, from + i * 2048 + (c >= kChunks ? other : 0), true);
        }
    }
    /// Unit `unit` to the lane's place `own`.
    __device__ __forceinline__ void fetch(std::uint32_t own, std::int64_t unit) const {
        const std::byte* from = first + unit * F::kUnitBytes;
        const int lane = static_cast<int>(threadIdx.x) & 31;
        const int chunks = blocks * kChunks;
#pragma unroll
        for (int i = 0; i < (2 * kChunks + 31) / 32; ++i) {
            const int c = lane + i * 32;
            if (c < chunks) copyAsync16Ahead(own + i * 512, from + i * 512 + (c >= kChunks ? other : 0), true);
        }
    }
};
/// A lane's place in the weights of a stage.
template <class F>
__device__ __forceinline__ std::uint32_t unitPlace() {
    return (threadIdx.x >> 5) * (2 * F::kUnitBytes) + (threadIdx.x & 31) * 16;
}

/// acc += two units [2 · 16, 128] · rows [NT, 128], which are two halves of 64 columns; of the units' eight steps of 16 columns
/// those from kFirst on, kCount of them.
template <int NT, class F, int kFirst = 0, int kCount = 8>
__device__ __forceinline__ void multiplyUnits(Accumulators<NT>& acc, std::uint32_t units, std::uint32_t rows) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    typename F::Scales scales[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) scales[i] = F::load(FromShared{units + i * F::kUnitBytes}, lane);
    Accumulators<NT> part;
    if constexpr (F::kScaledSums) clear<NT>(part);
    const auto product = [&](int i, int n, const std::uint32_t(&a)[4], std::uint32_t b0, std::uint32_t b1) {
        if constexpr (F::kScaledSums)
            mma(part[i][n], a, b0, b1);
        else
            mma(acc[i][n], a, b0, b1);
    };
    uint4 raw[2];
#pragma unroll
    for (int kk = kFirst; kk < kFirst + kCount; ++kk) {
        if (kk == kFirst || kk % F::kPerLoad == 0)
#pragma unroll
            for (int i = 0; i < 2; ++i)
                raw[i] = FromShared{units + i * F::kUnitBytes + kk / F::kPerLoad * 512 + lane * 16}.load16();
        const std::uint32_t half = rows + (kk >> 2) * (NT * 128);
        std::uint32_t a[2][4];
#pragma unroll
        for (int i = 0; i < 2; ++i) F::fragment(a[i], raw[i], kk % F::kPerLoad, kk, scales[i]);
        if constexpr (NT == 8) {
            std::uint32_t b0;
            std::uint32_t b1;
            loadMatrix2(b0, b1, half + swizzle128(lane & 7, (kk & 3) * 2 + ((lane >> 3) & 1)));
            product(0, 0, a[0], b0, b1);
            product(1, 0, a[1], b0, b1);
        } else {
#pragma unroll
            for (int n = 0; n < NT / 16; ++n) {
                std::uint32_t b[4];
                loadMatrix4(b, half + swizzle128(n * 16 + (lane & 7) + ((lane >> 4) << 3), (kk & 3) * 2 + ((lane >> 3) & 1)));
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                    product(i, 2 * n, a[i], b[0], b[1]);
                    product(i, 2 * n + 1, a[i], b[2], b[3]);
                }
            }
        }
    }
    if constexpr (F::kScaledSums) {
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int n = 0; n < NT / 8; ++n)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][n][j] += (j < 2 ? scales[i].low : scales[i].high) * part[i][n][j];
    }
}

/// The same for two units that the four warps share: two steps each.
template <int NT, class F>
__device__ __forceinline__ void multiplySharedUnits(Accumulators<NT>& acc, std::uint32_t units, std::uint32_t rows) {
    switch (threadIdx.x >> 5) {  // a warp's scales are then known when compiling
        case 0:
            multiplyUnits<NT, F, 0, 2>(acc, units, rows);
            break;
        case 1:
            multiplyUnits<NT, F, 2, 2>(acc, units, rows);
            break;
        case 2:
            multiplyUnits<NT, F, 4, 2>(acc, units, rows);
            break;
        default:
            multiplyUnits<NT, F, 6, 2>(acc, units, rows);
    }
}

/// Columns [column, column + 128) of the rows into a stage, in two halves.
template <int NT, class Wanted>
__device__ __forceinline__ void fetchUnitRows(std::uint32_t own, const Bf16* x, std::int64_t stride, std::int64_t column,
                                              std::int64_t columns, Wanted wanted) {
    fetchPassRows<NT>(own, x, stride, column, columns, wanted);
    fetchPassRows<NT>(own + NT * 128, x, stride, column + 64, columns, wanted);
}

}  // namespace trefoil::cuda
