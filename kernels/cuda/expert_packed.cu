#include "kernels/cuda/expert_packed.h"

#include "kernels/cuda/expert_entries.cuh"
#include "kernels/cuda/packed_pipeline.cuh"

#include <algorithm>

namespace trefoil::cuda {
namespace {

// ---- first product. A pair is 16 gate and 16 up rows. A tile is a pair for each warp, or (kWide, for at most eight rows, which
// touch few experts) one pair whose columns the warps share, so that there are tiles enough for the whole device.

/// How the tiles are dealt out: whole ones as long as they keep all blocks busy; of tiles of four pairs, what is left over is cut
/// in two or four, so that all blocks end together. A quarter is a pair whose columns the warps share.
template <bool kWide>
struct PairDeal {
    static constexpr int kPairs = kWide ? 1 : 4;
    int routed, tilesEach, grid, whole, parts, items;

    __device__ __forceinline__ PairDeal(const PackedExperts& w, const EntryRange& range, ExpertEntries which) {
        const auto tilesOf = [](int width) { return ((width + kUnitRows - 1) / kUnitRows + kPairs - 1) / kPairs; };
        routed = which == ExpertEntries::Shared ? 0 : range.count - 1;
        tilesEach = tilesOf(w.width);
        grid = static_cast<int>(gridDim.x);
        const int tiles = routed * tilesEach + (which == ExpertEntries::Routed ? 0 : tilesOf(w.sharedWidth));
        whole = tiles / grid * grid;
        const int rest = tiles - whole;
        parts = kWide ? 1 : rest * 4 <= grid ? 4 : rest * 2 <= grid ? 2 : 1;
        const int all = whole + rest * parts;
        items = static_cast<int>(blockIdx.x) < all ? (all - 1 - static_cast<int>(blockIdx.x)) / grid + 1 : 0;
    }
    /// Whether this block's last item is a quarter.
    [[nodiscard]] __device__ __forceinline__ bool endsInPiece() const { return parts == 4 && items > whole / grid; }

    /// Bit i of groups: pair first + i is wanted.
    struct Place {
        int entry, first;
        unsigned groups;
    };
    [[nodiscard]] __device__ __forceinline__ Place locate(int index, int sharedEntry) const {
        const int item = static_cast<int>(blockIdx.x) + index * grid;
        const int past = max(item - whole, 0);
        const int tile = item - past + past / parts;
        Place p;
        p.groups = item < whole ? 15U : ((16U >> (4 - 4 / parts)) - 1) << past % parts * (4 / parts);
        const int entry = min(tile / tilesEach, routed);
        p.first = (tile - entry * tilesEach) * kPairs;
        p.entry = entry == routed ? sharedEntry : entry;
        return p;
    }
    /// The only pair of a quarter.
    [[nodiscard]] static __device__ __forceinline__ int piecePair(const Place& p) {
        return p.first + 31 - __clz(static_cast<int>(p.groups));
    }
};

/// The wide tile's end: adds up what the warps have of eight rows and stores 16 columns.
__device__ __forceinline__ void storeWide(const Accumulators<8>& acc, float (&sums)[4][2][kUnitRows][8],
                                          const ActiveExperts& active, const Entry& entry, int column, int width, Bf16* act,
                                          int pitch) {
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[warp][i][(lane >> 2) + (j >> 1) * 8][(lane & 3) * 2 + (j & 1)] = acc[i][0][j];
    __syncthreads();
    const int row = thread & 7;
    const int own = thread >> 3;
    if ((entry.rows >> row & 1) != 0 && column + own < width) {
        float gate = 0.0F;
        float up = 0.0F;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            gate += sums[i][0][own][row];
            up += sums[i][1][own][row];
        }
        const float weight = active.weight[static_cast<std::int64_t>(entry.expert) * kSmallRows + row];
        act[static_cast<std::int64_t>(row) * pitch + column + own] = fromFloat<Bf16>(weight * silu(gate) * up);
    }
    __syncthreads();
}

/// Columns [column, column + 512) of eight rows: eight halves of 64.
template <class Wanted>
__device__ __forceinline__ void fetchWideRows(std::uint32_t own, const Bf16* x, std::int64_t stride, std::int64_t column,
                                              std::int64_t columns, Wanted wanted) {
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread >> 3 & 7;
    const int chunk = thread & 7;
    // The place of threads 64 and up in a tile of 128-byte rows is that of the next half's row.
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const std::int64_t at = column + (i * 2 + (thread >> 6)) * 64 + chunk * 8;
        const bool valid = at < columns && wanted(row);
        copyAsync16(own + i * 2048, valid ? x + row * stride + at : x, valid);
    }
}

// Longer than a function should be: fetching, multiplying and storing share their state as lambdas of one pipeline.
template <int NT, class F, class S>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    packedGateUpKernel(PackedExperts w, ActiveExperts active, ExpertEntries which, const Bf16* x, int t, Bf16* act) {
    constexpr bool kWide = NT == 8;
    extern __shared__ __align__(128) std::uint8_t shared[];
    __shared__ float sums[kWide ? 4 : 1][2][kUnitRows][8];
    gridWait();
    // Only now: what the router leaves is then there for the second product as soon as that starts.
    gridRelease();
    const EntryRange range(which, *active.count);
    const PairDeal<kWide> deal(w, range, which);
    const int hidden = w.hidden;
    const int units = (hidden + kUnitColumns - 1) / kUnitColumns;
    const int perTile = kWide ? (units + 3) / 4 : units;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int pitch = maxWidthOf(w);
    const std::int64_t blockBytes = static_cast<std::int64_t>(units) * F::kUnitBytes;
    const int shared0 = range.count - 1;
    const auto entryOf = [&](int item) { return deal.locate(item, shared0).entry; };
    const auto widthOf = [&](int entry) { return range.isShared(entry) ? w.sharedWidth : w.width; };
    const auto pairsOf = [&](int entry) { return (widthOf(entry) + kUnitRows - 1) / kUnitRows; };
    const int steps = deal.items * perTile;
    bool piece = false;
    if constexpr (!kWide) {
        // A quarter that lies behind the last pair has nothing to do.
        if (deal.endsInPiece()) {
            const auto last = deal.locate(deal.items - 1, shared0);
            piece = PairDeal<kWide>::piecePair(last) < pairsOf(last.entry);
        }
    }
    const int pieceFrom = piece ? steps - perTile : steps;  // the first step of the quarter

    // Of the next item, what is in memory is asked for an item ahead, in fetching and in storing.
    int fetchItem = -1;
    int fetchStep = perTile - 1;
    Entry fetching;
    Entry fetchNext;
    const std::byte* nextData = nullptr;
    const auto ask = [&](int item) {
        const int entry = entryOf(item);
        fetchNext.load(active, entry, t);
        nextData = range.isShared(entry) ? w.sharedGateUpData : recordOf(w, fetchNext.expert);
    };
    if (deal.items > 0) ask(0);
    const Entry firstEntry = fetchNext;
    UnitWalk<F> walk;
    const std::uint32_t shift = unitPlace<F>() - ownPlace();
    const std::uint32_t pieceShift = threadIdx.x * 16 - ownPlace();
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        if (++fetchStep == perTile) {
            fetchStep = 0;
            const auto from = deal.locate(++fetchItem, shared0);
            fetching = fetchNext;
            const int pairs = pairsOf(from.entry);
            if (g >= pieceFrom) {
                walk.startShared(nextData, 2 * PairDeal<kWide>::piecePair(from), blockBytes);
            } else {
                const bool wanted = kWide || (from.groups >> warp & 1) != 0;
                walk.start(nextData, 2 * (from.first + (kWide ? 0 : warp)), wanted ? 2 * pairs : 0, blockBytes);
            }
            if (fetchItem + 1 < deal.items) ask(fetchItem + 1);
        }
        const int unit = kWide ? fetchStep * 4 + warp : fetchStep;
        if (g >= pieceFrom)
            walk.fetchShared(address + pieceShift, unit);
        else if (!kWide || unit < units)
            walk.fetch(address + shift, unit);
    };
    const auto fetchRows = [&](int, std::uint32_t address) {
        const auto wanted = [&](int row) { return (fetching.rows >> row & 1) != 0; };
        const std::int64_t column = static_cast<std::int64_t>(fetchStep) * S::kColumns;
        if constexpr (kWide)
            fetchWideRows(address, x, hidden, column, hidden, wanted);
        else
            fetchUnitRows<NT>(address, x, hidden, column, hidden, wanted);
    };

    Accumulators<NT> acc;
    clear<NT>(acc);
    int multiplyStep = 0;
    const auto multiply = [&](int g, std::uint32_t weights, std::uint32_t rows) {
        if constexpr (kWide) {
            const bool exists = multiplyStep * 4 + warp < units;
            if (++multiplyStep == perTile) multiplyStep = 0;
            if (exists) multiplyUnits<NT, F>(acc, weights + warp * S::kWarpBytes, rows + warp * 2 * S::kHalfBytes);
        } else if (g >= pieceFrom) {
            multiplySharedUnits<NT, F>(acc, weights, rows);
        } else {
            multiplyUnits<NT, F>(acc, weights + warp * S::kWarpBytes, rows);
        }
    };
    int doneStep = 0;
    int doneItem = 0;
    Entry storing = firstEntry;
    float2 weights[NT / 8];
    const auto done = [&](int g) {
        if (g >= pieceFrom) return;
        if (++doneStep == 1 && !kWide)
#pragma unroll
            for (int n = 0; n < NT / 8; ++n) weights[n] = rowWeights(active, storing.expert, n);
        if (doneStep < perTile) return;
        doneStep = 0;
        const auto place = deal.locate(doneItem, shared0);
        Bf16* to = act + static_cast<std::int64_t>(place.entry) * t * pitch;
        if constexpr (kWide) {
            storeWide(acc, sums, active, storing, place.first * kUnitRows, widthOf(place.entry), to, pitch);
        } else if ((place.groups >> warp & 1) != 0) {
#pragma unroll
            for (int n = 0; n < NT / 8; ++n)
                storeGated(acc[0][n], acc[1][n], weights[n], storing.rows, n, (place.first + warp) * kUnitRows,
                           widthOf(place.entry), to, pitch);
        }
        clear<NT>(acc);
        if (++doneItem < deal.items) storing.load(active, entryOf(doneItem), t);
    };
    runPipelineWith<NT, false, S>(steps, shared, fetchWeights, fetchRows, multiply, done);
    if constexpr (!kWide) {
        if (!piece) return;
        const auto place = deal.locate(deal.items - 1, shared0);
        storePiece<NT>(acc, reinterpret_cast<float4*>(shared), active, storing, PairDeal<kWide>::piecePair(place) * kUnitRows,
                       widthOf(place.entry), act + static_cast<std::int64_t>(place.entry) * t * pitch, pitch);
    }
}

// ---- second product: one long sum over (entry, column), so that the rows' sums need no scatter

template <int NT, class F, class S>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    packedDownKernel(PackedExperts w, ActiveExperts active, ExpertEntries which, const Bf16* act, int t, float* out) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    // The first product's blocks have all seen the end of the router, and of the copies into the cache, before they let this
    // kernel start: what those left can be read, and weights be asked for, while they still work.
    const EntryRange range(which, __ldcg(active.count));
    const int pitch = maxWidthOf(w);
    const int stepsEach = (w.width + kUnitColumns - 1) / kUnitColumns;
    const int sharedSteps = (w.sharedWidth + kUnitColumns - 1) / kUnitColumns;
    const int lastSteps = which == ExpertEntries::Routed ? stepsEach : sharedSteps;
    const int steps = max(range.entries - 1, 0) * stepsEach + (range.entries > 0 ? lastSteps : 0);
    const int splits = static_cast<int>(gridDim.y);
    const int split = static_cast<int>(blockIdx.y);
    const int first = static_cast<int>(static_cast<std::int64_t>(steps) * split / splits);
    const int last = static_cast<int>(static_cast<std::int64_t>(steps) * (split + 1) / splits);
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int lastEntry = max(range.entries - 1, 0);
    const std::int64_t blocks = (w.hidden + kUnitRows - 1) / kUnitRows;
    const auto actual = [&](int entry) { return range.base + min(entry, lastEntry); };
    const auto widthOf = [&](int entry) { return range.isShared(actual(entry)) ? w.sharedWidth : w.width; };
    // Weights and rows are each fetched in order, the rows later; the next entry's are asked for an entry ahead.
    const int firstEntry = min(first / stepsEach, lastEntry);
    const int begin = first - firstEntry * stepsEach;
    SumPlace weightsAt{firstEntry - 1, 0, 0};
    SumPlace rowsAt{firstEntry - 1, 0, 0};
    Entry nextRows;
    const std::byte* nextData = nullptr;
    const auto ask = [&](int entry) {
        Entry own;
        own.load(active, actual(entry), t);
        nextData = range.isShared(actual(entry)) ? w.sharedDownData : recordOf(w, own.expert) + w.downAt;
        return own;
    };
    if (last > first) nextRows = ask(firstEntry);
    std::uint64_t rows = 0;
    UnitWalk<F> walk;
    const std::uint32_t shift = unitPlace<F>() - ownPlace();
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        if (weightsAt.next(stepsEach, lastSteps, range.entries)) {
            if (g == 0) weightsAt.step = begin;
            const std::int64_t units = (widthOf(weightsAt.entry) + kUnitColumns - 1) / kUnitColumns;
            walk.start(nextData, static_cast<std::int64_t>(blockIdx.x) * 8 + warp * 2, blocks, units * F::kUnitBytes);
            (void)ask(weightsAt.entry + 1);
        }
        walk.fetch(address + shift, weightsAt.step);
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        if (rowsAt.next(stepsEach, lastSteps, range.entries)) {
            if (g == 0) rowsAt.step = begin;
            rows = nextRows.rows;
            nextRows.load(active, actual(rowsAt.entry + 1), t);
        }
        fetchUnitRows<NT>(address, act + static_cast<std::int64_t>(actual(rowsAt.entry)) * t * pitch, pitch,
                          static_cast<std::int64_t>(rowsAt.step) * kUnitColumns, widthOf(rowsAt.entry),
                          [&](int row) { return (rows >> row & 1) != 0; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    const auto multiply = [&](int, std::uint32_t weights, std::uint32_t stageRows) {
        multiplyUnits<NT, F>(acc, weights + warp * S::kWarpBytes, stageRows);
    };
    runPipelineWith<NT, true, S>(last - first, shared, fetchWeights, fetchRows, multiply, [](int) {});
    float* part = out + static_cast<std::int64_t>(split) * t * w.hidden;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int row = static_cast<int>(blockIdx.x) * kTileRows + warp * 32 + i * 16 + (lane >> 2) + (j >> 1) * 8;
                const int column = n * 8 + (lane & 3) * 2 + (j & 1);
                if (row < w.hidden && column < t) part[static_cast<std::int64_t>(column) * w.hidden + row] = acc[i][n][j];
            }
}

// ---- launches

/// Eight rows: the sums of storeWide lie beside the stages.
template <class F>
using WideGateUpShape = PackedShape<8, F, true, packedDepth<8, F, true>(104 * 1024, 6)>;
template <class F>
using SmallGateUpShape = PackedShape<8, F, true, packedDepth<8, F, true>(95 * 1024, 6)>;
static_assert(SmallGateUpShape<Bf16Format>::kBytes <= 95 * 1024 && SmallGateUpShape<Fp8Format>::kStages >= 3);

cudaError_t gateUpOf(const Launcher& on, PackFormat format, const PackedExperts& w, const ActiveExperts& active,
                     ExpertEntries which, const Bf16* x, int t, bool rowsReady, Bf16* act) {
    if (residentGateUpSupports(on, w, t)) return residentGateUp(on, format, w, active, which, x, t, rowsReady, act);
    return withPackFormat(format, [&](auto chosen) {
        using F = decltype(chosen);
        const dim3 grid(static_cast<unsigned>(2 * on.sms));
        const auto run = [&](auto n, auto shape) {
            constexpr int NT = decltype(n)::value;
            using S = decltype(shape);
            return launch(on, packedGateUpKernel<NT, F, S>, grid, dim3(kSkinnyThreads), S::kBytes, w, active, which, x, t, act);
        };
        if (t <= 8) {
            constexpr std::integral_constant<int, 8> n;
            return on.sharedBytes >= 112 * 1024 ? run(n, WideGateUpShape<F>{}) : run(n, SmallGateUpShape<F>{});
        }
        return withPackedShape<F>(on, t, [&](auto n, auto shape) {
            if constexpr (decltype(n)::value == 8)
                return cudaErrorInvalidValue;
            else
                return run(n, shape);
        });
    });
}

cudaError_t downOf(const Launcher& on, PackFormat format, const PackedExperts& w, const ActiveExperts& active,
                   ExpertEntries which, const Bf16* act, int t, int splits, float* out) {
    const dim3 grid(static_cast<unsigned>((w.hidden + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withPackFormat(format, [&](auto chosen) {
        using F = decltype(chosen);
        return withPackedShape<F>(on, t, [&](auto n, auto shape) {
            constexpr int NT = decltype(n)::value;
            using S = decltype(shape);
            return launch(on, packedDownKernel<NT, F, S>, grid, dim3(kSkinnyThreads), S::kBytes, w, active, which, act, t, out);
        });
    });
}

}  // namespace

cudaError_t packedGateUp(const Launcher& on, const PackedExperts& w, const ActiveExperts& active, const Bf16* x, int t,
                         bool rowsReady, Bf16* act) {
    using enum ExpertEntries;
    if (w.gateUp == w.sharedGateUp) return gateUpOf(on, w.gateUp, w, active, All, x, t, rowsReady, act);
    if (const cudaError_t e = gateUpOf(on, w.gateUp, w, active, Routed, x, t, rowsReady, act); e != cudaSuccess) return e;
    return gateUpOf(on, w.sharedGateUp, w, active, Shared, x, t, rowsReady, act);
}

cudaError_t packedDown(const Launcher& on, const PackedExperts& w, const ActiveExperts& active, const Bf16* act, int t,
                       int splits, float* out) {
    if (w.down == w.sharedDown) return downOf(on, w.down, w, active, ExpertEntries::All, act, t, splits, out);
    if (const cudaError_t e = downOf(on, w.down, w, active, ExpertEntries::Routed, act, t, splits, out); e != cudaSuccess)
        return e;
    return downOf(on, w.sharedDown, w, active, ExpertEntries::Shared, act, t, 1,
                  out + static_cast<std::int64_t>(splits) * t * w.hidden);
}

}  // namespace trefoil::cuda
