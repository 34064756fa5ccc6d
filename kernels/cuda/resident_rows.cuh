// Products in which the rows of a pass stay in shared memory while packed weights pass through registers (expert_resident.cu,
// skinny_resident.cu). Nothing but weights is fetched after the start, and no warp waits for another.
//
// Rows lie [rows][columns] in BF16, 16-byte chunks permuted within 128 bytes by the row, so that ldmatrix of eight rows next to
// each other meets every bank once. Columns are a multiple of kUnitColumns.
#pragma once

#include "kernels/cuda/expert_resident.h"
#include "kernels/cuda/packed_formats.cuh"

namespace trefoil::cuda {

/// Rows [0, rows) of a pass of t, columns [0, columns) from x on, to shared memory; what lies behind t becomes zeros.
__device__ __forceinline__ void fetchResident(std::uint32_t base, const Bf16* x, std::int64_t stride, int t, int rows,
                                              int columns) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warps = static_cast<int>(blockDim.x) >> 5;
    const int chunks = columns / 8;
    for (int row = static_cast<int>(threadIdx.x) >> 5; row < rows; row += warps) {
        const Bf16* from = x + (row < t ? row : 0) * stride;
        const std::uint32_t to = base + static_cast<std::uint32_t>(row * columns * 2);
#pragma unroll 4
        for (int chunk = lane; chunk < chunks; chunk += 32)
            copyAsync16(to + static_cast<std::uint32_t>((chunk ^ (row & 7)) << 4), from + chunk * 8, row < t);
    }
}

/// Where a lane reads row `row` of a tile of eight rows for ldmatrix: lane l takes row l % 8, chunk l / 8 of four.
__device__ __forceinline__ std::uint32_t residentPlace(std::uint32_t base, int row, int columns) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    return base + static_cast<std::uint32_t>(row * columns * 2) + static_cast<std::uint32_t>(((lane >> 3) ^ (row & 7)) << 4);
}

/// A unit of each of kBlocks row blocks, in a warp's registers.
template <class F, int kBlocks>
struct UnitStage {
    static constexpr int kLoads = 8 / F::kPerLoad;
    uint4 raw[kBlocks][kLoads];
    typename F::Scales scales[kBlocks];

    /// unit: of the first block; the others lie blockBytes apart.
    __device__ __forceinline__ void load(const std::byte* unit, std::int64_t blockBytes) {
        const int lane = static_cast<int>(threadIdx.x) & 31;
#pragma unroll
        for (int i = 0; i < kBlocks; ++i) {
            const FromMemory from{unit + i * blockBytes};
#pragma unroll
            for (int j = 0; j < kLoads; ++j) raw[i][j] = from.at(j * 512 + lane * 16).load16();
            scales[i] = F::load(from, lane);
        }
    }
};

/// acc += the stage's units [kBlocks · 16, 128] · the rows' columns [column, column + 128), of which `at` is the byte in a row.
/// The first `tiles` of kTiles tiles of eight rows are in use, at places[n] of residentPlace.
template <class F, int kBlocks, int kTiles>
__device__ __forceinline__ void multiplyResident(float (&acc)[kBlocks][kTiles][4], const UnitStage<F, kBlocks>& stage,
                                                 const std::uint32_t (&places)[kTiles], std::uint32_t at, int tiles) {
    float part[F::kScaledSums ? kBlocks : 1][F::kScaledSums ? kTiles : 1][4];
    if constexpr (F::kScaledSums)
#pragma unroll
        for (int i = 0; i < kBlocks; ++i)
#pragma unroll
            for (int n = 0; n < kTiles; ++n)
#pragma unroll
                for (int j = 0; j < 4; ++j) part[i][n][j] = 0.0F;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
        std::uint32_t a[2][kBlocks][4];
#pragma unroll
        for (int h = 0; h < 2; ++h)
#pragma unroll
            for (int i = 0; i < kBlocks; ++i) {
                const int kk = 2 * q + h;
                F::fragment(a[h][i], stage.raw[i][kk / F::kPerLoad], kk % F::kPerLoad, kk, stage.scales[i]);
            }
#pragma unroll
        for (int n = 0; n < kTiles; ++n) {
            if (n > 0 && n >= tiles) break;
            std::uint32_t b[4];
            loadMatrix4(b, (places[n] ^ ((q & 1) << 6)) + at + (q >> 1) * 128);
#pragma unroll
            for (int h = 0; h < 2; ++h)
#pragma unroll
                for (int i = 0; i < kBlocks; ++i) {
                    if constexpr (F::kScaledSums)
                        mma(part[i][n], a[h][i], b[2 * h], b[2 * h + 1]);
                    else
                        mma(acc[i][n], a[h][i], b[2 * h], b[2 * h + 1]);
                }
        }
    }
    if constexpr (F::kScaledSums)
#pragma unroll
        for (int i = 0; i < kBlocks; ++i)
#pragma unroll
            for (int n = 0; n < kTiles; ++n)
#pragma unroll
                for (int j = 0; j < 4; ++j) acc[i][n][j] += (j < 2 ? stage.scales[i].low : stage.scales[i].high) * part[i][n][j];
}

}  // namespace trefoil::cuda
