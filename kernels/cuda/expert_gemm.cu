#include "kernels/cuda/expert_gemm.h"

#include "kernels/cuda/expert_rows.cuh"

#include <algorithm>

namespace trefoil::cuda {
namespace {

// ---- first product: a tile is 64 gate rows and the 64 up rows that belong to them, 16 and 16 in each warp

/// How the tiles are dealt out: whole ones as long as they keep all blocks busy, and what is left over cut in two or four by
/// rows, so that all blocks end together.
struct TileDeal {
    int entries, tilesEach, grid, whole, parts;
    int items;  // of this block

    __device__ __forceinline__ TileDeal(const ExpertWeights& w, int count) : entries(count) {
        tilesEach = (w.width + 63) / 64;
        grid = static_cast<int>(gridDim.x);
        const int tiles = (entries - 1) * tilesEach + (w.sharedWidth + 63) / 64;
        whole = tiles / grid * grid;
        const int rest = tiles - whole;
        parts = rest * 4 <= grid ? 4 : rest * 2 <= grid ? 2 : 1;
        const int all = whole + rest * parts;
        items = static_cast<int>(blockIdx.x) < all ? (all - 1 - static_cast<int>(blockIdx.x)) / grid + 1 : 0;
    }
    /// Whether this block's last item is a quarter of a tile, which is fetched in wider steps: with so few rows a step of the
    /// usual width would keep too few bytes under way.
    [[nodiscard]] __device__ __forceinline__ bool endsInPiece() const { return parts == 4 && items > whole / grid; }

    /// Bit i of groups: columns 16 i to 16 i + 15 of the tile are wanted.
    struct Place {
        int entry, column;
        unsigned groups;
    };
    [[nodiscard]] __device__ __forceinline__ Place locate(int index) const {
        const int item = static_cast<int>(blockIdx.x) + index * grid;
        const int past = max(item - whole, 0);
        const int tile = item - past + past / parts;
        Place p;
        p.groups = item < whole ? 15U : ((16U >> (4 - 4 / parts)) - 1) << past % parts * (4 / parts);
        p.entry = min(tile / tilesEach, entries - 1);
        p.column = (tile - p.entry * tilesEach) * 64;
        return p;
    }
    /// The only group of a piece.
    [[nodiscard]] static __device__ __forceinline__ int pieceGroup(const Place& p) {
        return 31 - __clz(static_cast<int>(p.groups));
    }
};

// A piece's stage: two halves of 64 columns of 16 gate rows and 16 up rows, then the second half of the pass's rows; the first
// half lies where the rows always do.
constexpr int kPieceBytes = 32 * 128;

/// One step of a piece: the warps share its columns.
template <int NT>
__device__ __forceinline__ void multiplyPiece(Accumulators<NT>& acc, std::uint32_t weights, std::uint32_t rows) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const std::uint32_t w = weights + (warp >> 1) * kPieceBytes;
    const std::uint32_t x = warp < 2 ? rows : weights + 2 * kPieceBytes;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int kk = (warp & 1) * 2 + i;
        std::uint32_t a[2][4];
#pragma unroll
        for (int j = 0; j < 2; ++j) loadMatrix4(a[j], w + swizzle128(j * 16 + (lane & 15), kk * 2 + (lane >> 4)));
#pragma unroll
        for (int n = 0; n < NT / 16; ++n) {
            std::uint32_t b[4];
            loadMatrix4(b, x + swizzle128(n * 16 + (lane & 7) + ((lane >> 4) << 3), kk * 2 + ((lane >> 3) & 1)));
#pragma unroll
            for (int j = 0; j < 2; ++j) {
                mma(acc[j][2 * n], a[j], b[0], b[1]);
                mma(acc[j][2 * n + 1], a[j], b[2], b[3]);
            }
        }
    }
}

// Longer than a function should be: fetching, multiplying and storing share their state as lambdas of one pipeline.
template <int NT, class S>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    gateUpKernel(ExpertWeights w, ActiveExperts active, const Bf16* x, int t, Bf16* act) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridWait();
    // Only now: what the router leaves is then there for the second product as soon as that starts.
    gridRelease();
    const TileDeal deal(w, *active.count);
    const int hidden = w.hidden;
    const int perTile = (hidden + kTileColumns - 1) / kTileColumns;
    const bool piece = deal.endsInPiece();
    const int pieceFrom = (deal.items - (piece ? 1 : 0)) * perTile;  // the first step of the piece
    const int steps = pieceFrom + (piece ? (perTile + 1) / 2 : 0);
    const int chunk = (static_cast<int>(threadIdx.x) & 7) * 8;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const auto widthOf = [&](int entry) { return entry == deal.entries - 1 ? w.sharedWidth : w.width; };

    // Of the next item, what is in memory is asked for an item ahead, in fetching and in storing.
    int fetchItem = -1;
    int fetchStep = perTile - 1;
    Entry fetching;
    Entry fetchNext;
    if (deal.items > 0) fetchNext.load(active, deal.locate(0).entry, t);
    WeightWalk walk;
    // Called with g = 0, 1, 2, …: counts its item and step instead of dividing.
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        const bool isPiece = g >= pieceFrom;
        if (++fetchStep == perTile) {
            fetchStep = 0;
            const TileDeal::Place from = deal.locate(++fetchItem);
            fetching = fetchNext;
            if (fetchItem + 1 < deal.items) fetchNext.load(active, deal.locate(fetchItem + 1).entry, t);
            const int width = widthOf(from.entry);
            const int own = from.column + (static_cast<int>(threadIdx.x) >> 3) + (isPiece ? TileDeal::pieceGroup(from) * 16 : 0);
            walk.valid = 0;
#pragma unroll
            for (int i = 0; i < 8; ++i) {
                const int group = i >> 1;
                const bool exists =
                    isPiece ? group < 2 && own < width : own + group * 16 < width && (from.groups >> group & 1) != 0;
                walk.valid |= exists ? 1U << i : 0U;
            }
            const Bf16* weights =
                from.entry == deal.entries - 1
                    ? static_cast<const Bf16*>(w.sharedGateUp)
                    : static_cast<const Bf16*>(w.gateUp) + static_cast<std::int64_t>(fetching.expert) * 2 * w.width * hidden;
            walk.first = weights + (walk.valid != 0 ? static_cast<std::int64_t>(own) * hidden + chunk : 0);
            walk.odd = static_cast<std::int64_t>(width) * hidden;
            walk.pair = isPiece ? kTileColumns : static_cast<std::int64_t>(16) * hidden;
        }
        if (isPiece)
            walk.fetchPiece(address, fetchStep * 2 * kTileColumns, chunk, hidden);
        else
            walk.fetch(address, fetchStep * kTileColumns, fetchStep * kTileColumns + chunk < hidden);
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        const auto wanted = [&](int row) { return (fetching.rows >> row & 1) != 0; };
        const bool isPiece = g >= pieceFrom;
        const int column = fetchStep * kTileColumns * (isPiece ? 2 : 1);
        fetchPassRows<NT>(address, x, hidden, column, hidden, wanted);
        if (isPiece)
            fetchPassRows<NT>(address - S::kWeightBytes + 2 * kPieceBytes, x, hidden, column + kTileColumns, hidden, wanted);
    };

    Accumulators<NT> acc;
    clear<NT>(acc);
    const auto multiply = [&](int g, std::uint32_t weights, std::uint32_t rows) {
        if (g >= pieceFrom)
            multiplyPiece<NT>(acc, weights, rows);
        else
            multiplyStage<NT>(acc, weights, rows);
    };
    int doneStep = 0;
    int doneItem = 0;
    Entry storing = fetchNext;
    float2 weights[NT / 8];
    const int pitch = w.maxWidth();
    const auto done = [&](int g) {
        if (g >= pieceFrom) return;
        if (++doneStep == 1)
#pragma unroll
            for (int n = 0; n < NT / 8; ++n) weights[n] = rowWeights(active, storing.expert, n);
        if (doneStep < perTile) return;
        doneStep = 0;
        const TileDeal::Place p = deal.locate(doneItem);
        Bf16* to = act + static_cast<std::int64_t>(p.entry) * t * pitch;
        if ((p.groups >> warp & 1) != 0)
#pragma unroll
            for (int n = 0; n < NT / 8; ++n)
                storeGated(acc[0][n], acc[1][n], weights[n], storing.rows, n, p.column + warp * 16, widthOf(p.entry), to, pitch);
        clear<NT>(acc);
        if (++doneItem < deal.items) storing.load(active, deal.locate(doneItem).entry, t);
    };
    runPipelineWith<NT, false, S>(steps, shared, fetchWeights, fetchRows, multiply, done);
    if (!piece) return;
    const TileDeal::Place p = deal.locate(deal.items - 1);
    storePiece<NT>(acc, reinterpret_cast<float4*>(shared), active, storing, p.column + TileDeal::pieceGroup(p) * 16,
                   widthOf(p.entry), act + static_cast<std::int64_t>(p.entry) * t * pitch, pitch);
}

// ---- the same for at most eight rows, which touch few experts: tiles of 16 gate and 16 up rows, so that there are enough of
// them for the whole device. The four warps share the columns of a step and add up at the end of a tile.

constexpr int kFewStages = 8;
constexpr int kFewTile = 16;
constexpr int kFewWeightBytes = 2 * kFewTile * 128;
constexpr int kFewStageBytes = kFewWeightBytes + 8 * 128;
constexpr int kFewBlocks = 4;  // a multiprocessor

__global__ void __launch_bounds__(kSkinnyThreads, kFewBlocks)
    gateUpFewKernel(ExpertWeights w, ActiveExperts active, const Bf16* x, int t, Bf16* act) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    __shared__ float sums[4][2][kFewTile][8];
    gridWait();
    gridRelease();  // as in gateUpKernel
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int chunk = thread & 7;
    const int entries = *active.count;
    const int hidden = w.hidden;
    const int maxWidth = w.maxWidth();
    const int perTile = (hidden + kTileColumns - 1) / kTileColumns;
    const int tilesEach = (w.width + kFewTile - 1) / kFewTile;
    const int tiles = (entries - 1) * tilesEach + (w.sharedWidth + kFewTile - 1) / kFewTile;
    const int grid = static_cast<int>(gridDim.x);
    const int mine = static_cast<int>(blockIdx.x) < tiles ? (tiles - 1 - static_cast<int>(blockIdx.x)) / grid + 1 : 0;
    const int total = mine * perTile;
    const std::uint32_t base = sharedAddress(shared);
    int fetchTile = static_cast<int>(blockIdx.x) - grid;
    int fetchStep = perTile - 1;
    const Bf16* from[2] = {};  // gate and up row thread / 8 of the tile
    bool exists = false;
    const std::uint64_t policy = streamPolicy();
    const auto fetch = [&](int stage) {
        if (++fetchStep == perTile) {
            fetchStep = 0;
            fetchTile += grid;
            const int entry = min(fetchTile / tilesEach, entries - 1);
            const bool isShared = entry == entries - 1;
            const int width = isShared ? w.sharedWidth : w.width;
            const int row = (fetchTile - entry * tilesEach) * kFewTile + (thread >> 3);
            const Bf16* weights = isShared ? static_cast<const Bf16*>(w.sharedGateUp)
                                           : static_cast<const Bf16*>(w.gateUp) +
                                                 static_cast<std::int64_t>(active.expert[entry]) * 2 * w.width * hidden;
            exists = row < width;
            from[0] = weights + static_cast<std::int64_t>(exists ? row : 0) * hidden + chunk * 8;
            from[1] = from[0] + static_cast<std::int64_t>(width) * hidden;
        }
        const std::uint32_t at = base + stage * kFewStageBytes;
        const int column = fetchStep * kTileColumns;
        const bool inside = exists && column + chunk * 8 < hidden;
#pragma unroll
        for (int i = 0; i < 2; ++i)
            copyAsync16Stream(at + swizzle128(i * kFewTile + (thread >> 3), chunk), inside ? from[i] + column : from[0], inside,
                              policy);
        if (thread < 64) {
            const int row = thread >> 3;
            const bool valid = row < t && column + chunk * 8 < hidden;
            copyAsync16(at + kFewWeightBytes + swizzle128(row, chunk),
                        valid ? x + static_cast<std::int64_t>(row) * hidden + column + chunk * 8 : x, valid);
        }
    };
#pragma unroll 1
    for (int g = 0; g < kFewStages - 1; ++g) {
        if (g < total) fetch(g);
        copyAsyncCommit();
    }
    float acc[2][4] = {};
    int step = 0;
    int tile = static_cast<int>(blockIdx.x);
#pragma unroll 1
    for (int g = 0; g < total; ++g) {
        copyAsyncWait<kFewStages - 2>();
        __syncthreads();
        if (g + kFewStages - 1 < total) fetch((g + kFewStages - 1) % kFewStages);
        copyAsyncCommit();
        const std::uint32_t at = base + g % kFewStages * kFewStageBytes;
        std::uint32_t b0;
        std::uint32_t b1;
        loadMatrix2(b0, b1, at + kFewWeightBytes + swizzle128(lane & 7, warp * 2 + ((lane >> 3) & 1)));
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            std::uint32_t a[4];
            loadMatrix4(a, at + swizzle128(i * kFewTile + (lane & 15), warp * 2 + (lane >> 4)));
            mma(acc[i], a, b0, b1);
        }
        if (++step < perTile) continue;
        step = 0;
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                sums[warp][i][(lane >> 2) + (j >> 1) * 8][(lane & 3) * 2 + (j & 1)] = acc[i][j];
                acc[i][j] = 0.0F;
            }
        __syncthreads();
        const int entry = min(tile / tilesEach, entries - 1);
        const bool isShared = entry == entries - 1;
        const int row = thread & 7;
        const int inTile = thread >> 3;
        const int column = (tile - entry * tilesEach) * kFewTile + inTile;
        const bool uses = isShared ? row < t : (active.rowMask[entry] >> row & 1) != 0;
        if (uses && column < (isShared ? w.sharedWidth : w.width)) {
            float gate = 0.0F;
            float up = 0.0F;
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                gate += sums[i][0][inTile][row];
                up += sums[i][1][inTile][row];
            }
            const float weight = active.weight[static_cast<std::int64_t>(active.expert[entry]) * kSmallRows + row];
            act[(static_cast<std::int64_t>(entry) * t + row) * maxWidth + column] = fromFloat<Bf16>(weight * silu(gate) * up);
        }
        __syncthreads();
        tile += grid;
    }
    copyAsyncWait<0>();
}

// ---- second product: one long sum over (entry, column), so that the rows' sums need no scatter

template <int NT, class S>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    downKernel(ExpertWeights w, ActiveExperts active, const Bf16* act, int t, float* out) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    // The first product's blocks have all seen the end of the router before they let this kernel start: what that left can be
    // read, and weights be asked for, while they still work.
    const int entries = __ldcg(active.count);
    const int pitch = w.maxWidth();
    const int stepsEach = (w.width + kTileColumns - 1) / kTileColumns;
    const int sharedSteps = (w.sharedWidth + kTileColumns - 1) / kTileColumns;
    const int steps = (entries - 1) * stepsEach + sharedSteps;
    const int splits = static_cast<int>(gridDim.y);
    const int split = static_cast<int>(blockIdx.y);
    const int first = static_cast<int>(static_cast<std::int64_t>(steps) * split / splits);
    const int last = static_cast<int>(static_cast<std::int64_t>(steps) * (split + 1) / splits);
    const int row0 = static_cast<int>(blockIdx.x) * kTileRows;
    const int chunk = (static_cast<int>(threadIdx.x) & 7) * 8;
    const auto widthOf = [&](int entry) { return entry == entries - 1 ? w.sharedWidth : w.width; };
    // Weights and rows are each fetched in order, the rows later; the next entry's are asked for an entry ahead.
    const int firstEntry = min(first / stepsEach, entries - 1);
    const int begin = first - firstEntry * stepsEach;
    SumPlace weightsAt{firstEntry - 1, 0, 0};
    SumPlace rowsAt{firstEntry - 1, 0, 0};
    Entry nextWeights;
    nextWeights.load(active, firstEntry, t);
    Entry nextRows = nextWeights;
    std::uint64_t rows = 0;
    WeightWalk walk;
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        if (weightsAt.next(stepsEach, sharedSteps, entries)) {
            if (g == 0) weightsAt.step = begin;
            walk.plain(weightsAt.entry == entries - 1 ? static_cast<const Bf16*>(w.sharedDown)
                                                      : static_cast<const Bf16*>(w.down) +
                                                            static_cast<std::int64_t>(nextWeights.expert) * w.hidden * w.width,
                       row0, w.hidden, widthOf(weightsAt.entry));
            nextWeights.load(active, min(weightsAt.entry + 1, entries - 1), t);
        }
        walk.fetch(address, weightsAt.step * kTileColumns, weightsAt.step * kTileColumns + chunk < widthOf(weightsAt.entry));
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        if (rowsAt.next(stepsEach, sharedSteps, entries)) {
            if (g == 0) rowsAt.step = begin;
            rows = nextRows.rows;
            nextRows.load(active, min(rowsAt.entry + 1, entries - 1), t);
        }
        fetchPassRows<NT>(address, act + static_cast<std::int64_t>(rowsAt.entry) * t * pitch, pitch, rowsAt.step * kTileColumns,
                          widthOf(rowsAt.entry), [&](int row) { return (rows >> row & 1) != 0; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    runPipeline<NT, true, S>(last - first, acc, shared, fetchWeights, fetchRows, [](int) {});
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    float* part = out + static_cast<std::int64_t>(split) * t * w.hidden;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int row = row0 + warp * 32 + i * 16 + (lane >> 2) + (j >> 1) * 8;
                const int column = n * 8 + (lane & 3) * 2 + (j & 1);
                if (row < w.hidden && column < t) part[static_cast<std::int64_t>(column) * w.hidden + row] = acc[i][n][j];
            }
}

}  // namespace

int expertDownSplits(std::int64_t hidden, int sms) {
    const std::int64_t tiles = (hidden + kTileRows - 1) / kTileRows;
    return static_cast<int>(std::clamp<std::int64_t>(2 * sms / tiles, 1, 16));
}

cudaError_t expertGateUp(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* x, int t,
                         Bf16* act) {
    if (t <= 8)
        return launch(on, gateUpFewKernel, dim3(static_cast<unsigned>(kFewBlocks * on.sms)), dim3(kSkinnyThreads),
                      kFewStages * kFewStageBytes, w, active, x, t, act);
    return withShape(on, t, [&](auto n, auto shape) {
        constexpr int NT = decltype(n)::value;
        using S = decltype(shape);
        return launch(on, gateUpKernel<NT, S>, dim3(static_cast<unsigned>(2 * on.sms)), dim3(kSkinnyThreads), S::kBytes, w,
                      active, x, t, act);
    });
}

cudaError_t expertDown(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* act, int t,
                       int splits, float* out) {
    const dim3 grid(static_cast<unsigned>((w.hidden + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withShape(on, t, [&](auto n, auto shape) {
        constexpr int NT = decltype(n)::value;
        using S = decltype(shape);
        return launch(on, downKernel<NT, S>, grid, dim3(kSkinnyThreads), S::kBytes, w, active, act, t, out);
    });
}

}  // namespace trefoil::cuda
