#include "kernels/cuda/tile_gemm.h"

#include "kernels/cuda/tile_gemm_hopper.h"

namespace trefoil::cuda {
namespace {

constexpr int kTile = 128;    // rows of x and rows of w in a tile
constexpr int kColumns = 64;  // columns a step
constexpr int kStages = 3;
constexpr int kThreads = 256;
constexpr int kOperandBytes = kTile * 128;
constexpr int kSharedBytes = kStages * 2 * kOperandBytes;

enum class Kind { Dense, GateUp, Down };

struct Arguments {
    const Bf16* w;
    std::int64_t m, k;
    const Bf16* x;
    std::int64_t t;
    void* out;
    bool outFloat;
    ExpertWeights experts;
    ExpertGroups groups;
};

/// What one block multiplies: `rows` rows of x by up to 128 rows of w.
struct Work {
    const Bf16* w = nullptr;
    const Bf16* x = nullptr;
    std::int64_t wRows = 0;   // valid rows of w (GateUp: the expert's width)
    std::int64_t wFirst = 0;  // first weight row (GateUp: first act column)
    std::int64_t k = 0;
    std::int64_t xStride = 0;
    std::int64_t first = 0;  // first row or position
    int rows = 0;
};

template <Kind kKind>
__device__ __forceinline__ bool findWork(const Arguments& a, Work& work) {
    if constexpr (kKind == Kind::Dense) {
        work.w = a.w;
        work.x = a.x;
        work.wRows = a.m;
        work.wFirst = static_cast<std::int64_t>(blockIdx.x) * kTile;
        work.k = a.k;
        work.xStride = a.k;
        work.first = static_cast<std::int64_t>(blockIdx.y) * kTile;
        work.rows = static_cast<int>(min(static_cast<std::int64_t>(kTile), a.t - work.first));
        return true;
    } else {
        const int tile = static_cast<int>(blockIdx.y);
        if (tile >= *a.groups.tileCount) return false;
        const GroupTile group = a.groups.tiles[tile];
        const int expert = group.expert;
        const ExpertWeights& e = a.experts;
        const bool isShared = expert == e.experts;
        const std::int64_t width = isShared ? e.sharedWidth : e.width;
        const std::int64_t maxWidth = e.width > e.sharedWidth ? e.width : e.sharedWidth;
        work.first = group.first;
        work.rows = group.rows;
        if constexpr (kKind == Kind::GateUp) {
            work.wFirst = static_cast<std::int64_t>(blockIdx.x) * (kTile / 2);
            work.wRows = width;
            work.k = e.hidden;
            work.xStride = e.hidden;
            work.x = a.x;
            work.w = isShared ? static_cast<const Bf16*>(e.sharedGateUp)
                              : static_cast<const Bf16*>(e.gateUp) + static_cast<std::int64_t>(expert) * 2 * e.width * e.hidden;
        } else {
            work.wFirst = static_cast<std::int64_t>(blockIdx.x) * kTile;
            work.wRows = e.hidden;
            work.k = width;
            work.xStride = maxWidth;
            work.x = a.x + work.first * maxWidth;
            work.w = isShared ? static_cast<const Bf16*>(e.sharedDown)
                              : static_cast<const Bf16*>(e.down) + static_cast<std::int64_t>(expert) * e.hidden * e.width;
        }
        return work.wFirst < work.wRows;
    }
}

/// kRows: rows of x in a tile, 128 or, where most experts have few rows, 64 of the group table's tile at a time (blockIdx.z picks
/// the part).
template <Kind kKind, int kRows>
__global__ void __launch_bounds__(kThreads, 2) tileKernel(const Arguments a) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    gridWait();
    Work work;
    if (!findWork<kKind>(a, work)) return;
    constexpr int kWarpRows = kRows / 2;
    if constexpr (kKind != Kind::Dense) {
        const int skip = static_cast<int>(blockIdx.z) * kRows;
        if (skip >= work.rows) return;
        work.first += skip;
        work.rows = min(kRows, work.rows - skip);
        if constexpr (kKind == Kind::Down) work.x += static_cast<std::int64_t>(skip) * work.xStride;
    }
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int warpRow = (warp & 1) * kWarpRows;  // rows of x
    const int warpColumn = (warp >> 1) * 32;     // rows of w
    const std::uint32_t base = sharedAddress(shared);
    // Each thread copies the same four rows of both operands in every step: remember where they start.
    const Bf16* xRow[4];
    const Bf16* wRow[4];
    bool xValid[4];
    bool wValid[4];
    const int chunk = thread & 7;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = (thread >> 3) + i * 32;
        xValid[i] = row < kRows && row < work.rows;
        std::int64_t source = row;
        if constexpr (kKind == Kind::Dense) source = work.first + row;
        if constexpr (kKind == Kind::GateUp) source = xValid[i] ? a.groups.rowOf[work.first + row] : 0;
        xRow[i] = work.x + (xValid[i] ? source * work.xStride : 0) + chunk * 8;
        std::int64_t weightRow = work.wFirst + row;
        wValid[i] = weightRow < work.wRows;
        if constexpr (kKind == Kind::GateUp) {  // groups of eight gate rows and the eight up rows that belong to them
            const std::int64_t own = work.wFirst + (row >> 4) * 8 + (row & 7);
            wValid[i] = own < work.wRows;
            weightRow = ((row >> 3) & 1) * work.wRows + own;
        }
        wRow[i] = work.w + (wValid[i] ? weightRow * work.k : 0) + chunk * 8;
    }
    const int steps = static_cast<int>((work.k + kColumns - 1) / kColumns);
    const auto fetch = [&](int step, int stage) {
        const std::int64_t column = static_cast<std::int64_t>(step) * kColumns;
        const bool inside = column + chunk * 8 < work.k;
        const std::uint32_t at = base + stage * 2 * kOperandBytes;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int row = (thread >> 3) + i * 32;
            if (i * 32 < kRows) copyAsync16(at + swizzle128(row, chunk), inside ? xRow[i] + column : work.x, xValid[i] && inside);
            copyAsync16(at + kOperandBytes + swizzle128(row, chunk), inside ? wRow[i] + column : work.w, wValid[i] && inside);
        }
    };
    constexpr int kTilesM = kWarpRows / 16;
    float acc[kTilesM][4][4];
#pragma unroll
    for (auto& i : acc)
#pragma unroll
        for (auto& j : i)
#pragma unroll
            for (float& v : j) v = 0.0F;
#pragma unroll
    for (int s = 0; s < kStages - 1; ++s) {
        if (s < steps) fetch(s, s);
        copyAsyncCommit();
    }
    for (int step = 0; step < steps; ++step) {
        copyAsyncWait<kStages - 2>();
        __syncthreads();
        if (step + kStages - 1 < steps) fetch(step + kStages - 1, (step + kStages - 1) % kStages);
        copyAsyncCommit();
        const std::uint32_t at = base + (step % kStages) * 2 * kOperandBytes;
#pragma unroll
        for (int kk = 0; kk < kColumns / 16; ++kk) {
            std::uint32_t x[kTilesM][4];
            std::uint32_t w[2][4];
#pragma unroll
            for (int i = 0; i < kTilesM; ++i)
                loadMatrix4(x[i], at + swizzle128(warpRow + i * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
            for (int j = 0; j < 2; ++j)
                loadMatrix4(w[j],
                            at + kOperandBytes +
                                swizzle128(warpColumn + j * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1)));
#pragma unroll
            for (int i = 0; i < kTilesM; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) mma(acc[i][j], x[i], w[j >> 1][(j & 1) * 2], w[j >> 1][(j & 1) * 2 + 1]);
        }
    }
    copyAsyncWait<0>();
    const ExpertWeights& e = a.experts;
    const std::int64_t maxWidth = e.width > e.sharedWidth ? e.width : e.sharedWidth;
#pragma unroll
    for (int i = 0; i < kTilesM; ++i)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            const int row = warpRow + i * 16 + (lane >> 2) + half * 8;
            if (row >= work.rows) continue;
            if constexpr (kKind == Kind::GateUp) {
#pragma unroll
                for (int j = 0; j < 2; ++j) {
                    const std::int64_t column = work.wFirst + (warpColumn >> 1) + j * 8 + (lane & 3) * 2;
                    if (column >= work.wRows) continue;  // widths are even
                    const float first = silu(acc[i][2 * j][half * 2]) * acc[i][2 * j + 1][half * 2];
                    const float second = silu(acc[i][2 * j][half * 2 + 1]) * acc[i][2 * j + 1][half * 2 + 1];
                    *reinterpret_cast<__nv_bfloat162*>(static_cast<Bf16*>(a.out) + (work.first + row) * maxWidth + column) =
                        __floats2bfloat162_rn(first, second);
                }
            } else {
#pragma unroll
                for (int j = 0; j < 4; ++j) {
                    const std::int64_t column = work.wFirst + warpColumn + j * 8 + (lane & 3) * 2;
                    const std::int64_t at = (work.first + row) * work.wRows + column;
                    const float v0 = acc[i][j][half * 2];
                    const float v1 = acc[i][j][half * 2 + 1];
                    if (column + 1 < work.wRows && (work.wRows & 1) == 0) {
                        if (a.outFloat)
                            *reinterpret_cast<float2*>(static_cast<float*>(a.out) + at) = make_float2(v0, v1);
                        else
                            *reinterpret_cast<__nv_bfloat162*>(static_cast<Bf16*>(a.out) + at) = __floats2bfloat162_rn(v0, v1);
                        continue;
                    }
#pragma unroll
                    for (int v = 0; v < 2; ++v) {
                        if (column + v >= work.wRows) continue;
                        if (a.outFloat)
                            static_cast<float*>(a.out)[at + v] = v == 0 ? v0 : v1;
                        else
                            static_cast<Bf16*>(a.out)[at + v] = fromFloat<Bf16>(v == 0 ? v0 : v1);
                    }
                }
            }
        }
}

unsigned blocks(std::int64_t n, std::int64_t each) { return static_cast<unsigned>((n + each - 1) / each); }

}  // namespace

cudaError_t tileGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, std::int64_t t, void* out,
                     bool outFloat) {
    if (on.hopper) return hopperTileGemm(on, w, m, k, x, t, out, outFloat);
    Arguments a{};
    a.w = w;
    a.m = m;
    a.k = k;
    a.x = x;
    a.t = t;
    a.out = out;
    a.outFloat = outFloat;
    return launch(on, tileKernel<Kind::Dense, kTile>, dim3(blocks(m, kTile), blocks(t, kTile)), dim3(kThreads), kSharedBytes, a);
}

namespace {

template <Kind kKind>
cudaError_t startGrouped(const Launcher& on, unsigned across, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* x,
                         std::int64_t positions, Bf16* out) {
    Arguments a{};
    a.x = x;
    a.out = out;
    a.experts = w;
    a.groups = groups;
    const auto tiles = static_cast<unsigned>(maxGroupTiles(positions, w.experts));
    if (positions <= 64LL * w.experts)
        return launch(on, tileKernel<kKind, 64>, dim3(across, tiles, blocks(kGroupTileRows, 64)), dim3(kThreads), kSharedBytes,
                      a);
    return launch(on, tileKernel<kKind, kTile>, dim3(across, tiles, blocks(kGroupTileRows, kTile)), dim3(kThreads), kSharedBytes,
                  a);
}

}  // namespace

cudaError_t groupedGateUp(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* x,
                          std::int64_t positions, Bf16* act) {
    if (on.hopper && hopperGroupsSupport(w)) return hopperGateUp(on, w, groups, x, positions, act);
    return startGrouped<Kind::GateUp>(on, blocks(w.maxWidth(), kTile / 2), w, groups, x, positions, act);
}

cudaError_t groupedDown(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* act,
                        std::int64_t positions, Bf16* out) {
    if (on.hopper && hopperGroupsSupport(w)) return hopperDown(on, w, groups, act, positions, out);
    return startGrouped<Kind::Down>(on, blocks(w.hidden, kTile), w, groups, act, positions, out);
}

}  // namespace trefoil::cuda
