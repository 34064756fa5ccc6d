#include "kernels/cuda/skinny_gemm.h"

#include <algorithm>

namespace trefoil::cuda {
namespace {

// One block computes tiles of kTileRows weight rows by all rows of the pass, kTileColumns columns a step, kStages steps in
// flight.
constexpr int kTileRows = 128;
constexpr int kTileColumns = 64;
constexpr int kThreads = 128;

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

/// The pipeline: step g of `total` is fetched by fetchWeights(g, address) and fetchRows(g, address), multiplied in order, and
/// after it done(g) may use the accumulators (at the end of a tile). Weights of the first steps are asked for before gridWait
/// when kPrefetch: they depend on no other kernel.
template <int NT, bool kPrefetch, class S = Shape<NT>, class FetchWeights, class FetchRows, class Done>
__device__ __forceinline__ void runPipeline(int total, Accumulators<NT>& acc, std::uint8_t* shared, FetchWeights fetchWeights,
                                            FetchRows fetchRows, Done done) {
    // Nothing here is unrolled: a kernel runs for a few microseconds, and the code that it has to fetch first is part of them.
    const std::uint32_t base = sharedAddress(shared);
    if constexpr (kPrefetch) {
#pragma unroll 1
        for (int g = 0; g < S::kStages - 1; ++g)
            if (g < total) fetchWeights(g, base + g * S::kStageBytes);
        gridWait();
    }
#pragma unroll 1
    for (int g = 0; g < S::kStages - 1; ++g) {
        if (g < total) {
            if constexpr (!kPrefetch) fetchWeights(g, base + g * S::kStageBytes);
            fetchRows(g, base + g * S::kStageBytes + S::kWeightBytes);
        }
        copyAsyncCommit();
    }
    int stage = 0;
    int next = S::kStages - 1;
#pragma unroll 1
    for (int g = 0; g < total; ++g) {
        copyAsyncWait<S::kStages - 2>();
        __syncthreads();
        if (g + S::kStages - 1 < total) {
            fetchWeights(g + S::kStages - 1, base + next * S::kStageBytes);
            fetchRows(g + S::kStages - 1, base + next * S::kStageBytes + S::kWeightBytes);
        }
        copyAsyncCommit();
        multiplyStage<NT>(acc, base + stage * S::kStageBytes, base + stage * S::kStageBytes + S::kWeightBytes);
        done(g);
        if (++stage == S::kStages) stage = 0;
        if (++next == S::kStages) next = 0;
    }
    copyAsyncWait<0>();
}

/// Copies columns [column, column + 64) of rows 0…NT-1 of x into a stage; rows that `wanted` excludes become zeros.
template <int NT, class Wanted>
__device__ __forceinline__ void fetchPassRows(std::uint32_t address, const Bf16* x, std::int64_t stride, std::int64_t column,
                                              std::int64_t columns, Wanted wanted) {
#pragma unroll
    for (int i = 0; i < (NT * 8 + kThreads - 1) / kThreads; ++i) {
        const int c = static_cast<int>(threadIdx.x) + i * kThreads;
        if (NT * 8 % kThreads != 0 && c >= NT * 8) break;
        const int row = c >> 3;
        const int chunk = c & 7;
        const bool valid = column + chunk * 8 < columns && wanted(row);
        copyAsync16(address + swizzle128(row, chunk), valid ? x + row * stride + column + chunk * 8 : x, valid);
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

    /// Copies 64 columns; `inside`: this thread's chunk of them exists.
    __device__ __forceinline__ void fetch(std::uint32_t address, std::int64_t column, bool inside) const {
        const std::uint32_t to = address + swizzle128(static_cast<int>(threadIdx.x) >> 3, static_cast<int>(threadIdx.x) & 7);
        const Bf16* from = first + column;
        if (valid == 0xFF && inside) {
#pragma unroll
            for (int i = 0; i < 8; ++i) copyAsync16Stream(to + i * 2048, from + (i & 1) * odd + (i >> 1) * pair, true, policy);
            return;
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            const bool exists = inside && (valid >> i & 1) != 0;
            copyAsync16Stream(to + i * 2048, exists ? from + (i & 1) * odd + (i >> 1) * pair : first, exists, policy);
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
static_assert(kTileRows == 128 && kTileColumns == 64 && kThreads == 128);

// ---- dense: out[split][t, m]

template <int NT, class S>
__global__ void __launch_bounds__(kThreads, 2)
    denseKernel(const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, int t, float* out) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    const int steps = static_cast<int>((k + kTileColumns - 1) / kTileColumns);
    const int splits = static_cast<int>(gridDim.y);
    const int split = static_cast<int>(blockIdx.y);
    const int first = steps * split / splits;
    const int last = steps * (split + 1) / splits;
    const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.x) * kTileRows;
    Accumulators<NT> acc;
    clear<NT>(acc);
    WeightWalk walk;
    walk.plain(w, row0, m, k);
    const int chunk = (static_cast<int>(threadIdx.x) & 7) * 8;
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        const std::int64_t column = static_cast<std::int64_t>(first + g) * kTileColumns;
        walk.fetch(address, column, column + chunk < k);
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        fetchPassRows<NT>(address, x, k, static_cast<std::int64_t>(first + g) * kTileColumns, k,
                          [&](int row) { return row < t; });
    };
    runPipeline<NT, true, S>(last - first, acc, shared, fetchWeights, fetchRows, [](int) {});
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    float* part = out + static_cast<std::int64_t>(split) * t * m;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const std::int64_t row = row0 + warp * 32 + i * 16 + (lane >> 2) + (j >> 1) * 8;
                const int column = n * 8 + (lane & 3) * 2 + (j & 1);
                if (row < m && column < t) part[column * m + row] = acc[i][n][j];
            }
}

// ---- experts, first product: a tile is 64 gate rows and the 64 up rows that belong to them, 16 and 16 in each warp

template <int NT, class S>
__global__ void __launch_bounds__(kThreads, 2)
    gateUpKernel(ExpertWeights w, ActiveExperts active, const Bf16* x, int t, Bf16* act) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    gridWait();
    const int entries = *active.count;
    const int hidden = w.hidden;
    const int perTile = (hidden + kTileColumns - 1) / kTileColumns;
    const int maxWidth = w.width > w.sharedWidth ? w.width : w.sharedWidth;
    const int tilesEach = (w.width + 63) / 64;
    const int tiles = (entries - 1) * tilesEach + (w.sharedWidth + 63) / 64;
    const int grid = static_cast<int>(gridDim.x);
    // Tiles that do not fill the device once more are cut in two or four, so that all blocks end together.
    const int whole = tiles / grid * grid;
    const int rest = tiles - whole;
    const int parts = rest * 4 <= grid ? 4 : rest * 2 <= grid ? 2 : 1;
    const int items = whole + rest * parts;
    const int mine = static_cast<int>(blockIdx.x) < items ? (items - 1 - static_cast<int>(blockIdx.x)) / grid + 1 : 0;
    // The tile that fetches are in, and the one that is being multiplied. Bit i of groups: its columns 16 i to 16 i + 15 are
    // wanted.
    struct Place {
        int entry, column, width;
        unsigned groups;
        const Bf16* weights;
    };
    const auto locate = [&](int item) {
        Place p;
        const int past = max(item - whole, 0);
        const int tile = item - past + past / parts;
        p.groups = item < whole ? 15U : ((16U >> (4 - 4 / parts)) - 1) << past % parts * (4 / parts);
        p.entry = min(tile / tilesEach, entries - 1);
        p.column = (tile - p.entry * tilesEach) * 64;
        const bool isShared = p.entry == entries - 1;
        p.width = isShared ? w.sharedWidth : w.width;
        p.weights = isShared ? static_cast<const Bf16*>(w.sharedGateUp)
                             : static_cast<const Bf16*>(w.gateUp) +
                                   static_cast<std::int64_t>(active.expert[p.entry]) * 2 * w.width * hidden;
        return p;
    };
    const std::uint64_t allRows = t == 64 ? ~0ULL : (1ULL << t) - 1;
    int fetchTile = -1;
    int fetchStep = perTile - 1;
    std::uint64_t fetchMask = 0;
    WeightWalk walk;
    const int chunk = (static_cast<int>(threadIdx.x) & 7) * 8;
    // Called with g = 0, 1, 2, …: counts its tile and step instead of dividing.
    const auto fetchWeights = [&](int, std::uint32_t address) {
        if (++fetchStep == perTile) {
            fetchStep = 0;
            const Place from = locate(static_cast<int>(blockIdx.x) + ++fetchTile * static_cast<int>(gridDim.x));
            fetchMask = from.entry == entries - 1 ? allRows : active.rowMask[from.entry];
            const int own = from.column + (static_cast<int>(threadIdx.x) >> 3);
            walk.valid = 0;
#pragma unroll
            for (int i = 0; i < 8; ++i)
                walk.valid |= own + (i >> 1) * 16 < from.width && (from.groups >> (i >> 1) & 1) != 0 ? 1U << i : 0U;
            walk.first = from.weights + (walk.valid != 0 ? static_cast<std::int64_t>(own) * hidden + chunk : 0);
            walk.odd = static_cast<std::int64_t>(from.width) * hidden;
            walk.pair = static_cast<std::int64_t>(16) * hidden;
        }
        walk.fetch(address, fetchStep * kTileColumns, fetchStep * kTileColumns + chunk < hidden);
    };
    const auto fetchRows = [&](int, std::uint32_t address) {
        fetchPassRows<NT>(address, x, hidden, fetchStep * kTileColumns, hidden,
                          [&](int row) { return (fetchMask >> row & 1) != 0; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    int doneStep = 0;
    int doneTile = 0;
    const auto done = [&](int) {
        if (++doneStep < perTile) return;
        doneStep = 0;
        const Place p = locate(static_cast<int>(blockIdx.x) + doneTile++ * static_cast<int>(gridDim.x));
        const std::uint64_t mask = p.entry == entries - 1 ? allRows : active.rowMask[p.entry];
        const float* weight = active.weight + static_cast<std::int64_t>(active.expert[p.entry]) * kSmallRows;
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int column = p.column + warp * 16 + (lane >> 2) + (j >> 1) * 8;
                const int row = n * 8 + (lane & 3) * 2 + (j & 1);
                if (column < p.width && (mask >> row & 1) != 0 && (p.groups >> warp & 1) != 0)
                    act[(static_cast<std::int64_t>(p.entry) * t + row) * maxWidth + column] =
                        fromFloat<Bf16>(weight[row] * silu(acc[0][n][j]) * acc[1][n][j]);
            }
        clear<NT>(acc);
    };
    runPipeline<NT, false, S>(mine * perTile, acc, shared, fetchWeights, fetchRows, done);
}

// ---- the same for at most eight rows, which touch few experts: tiles of 16 gate and 16 up rows, so that there are enough of
// them for the whole device. The four warps share the columns of a step and add up at the end of a tile.

constexpr int kFewStages = 8;
constexpr int kFewTile = 16;
constexpr int kFewWeightBytes = 2 * kFewTile * 128;
constexpr int kFewStageBytes = kFewWeightBytes + 8 * 128;
constexpr int kFewBlocks = 4;  // a multiprocessor

__global__ void __launch_bounds__(kThreads, kFewBlocks)
    gateUpFewKernel(ExpertWeights w, ActiveExperts active, const Bf16* x, int t, Bf16* act) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    __shared__ float sums[4][2][kFewTile][8];
    gridRelease();
    gridWait();
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

// ---- experts, second product: one long sum over (entry, column), so that the rows' sums need no scatter

template <int NT, class S>
__global__ void __launch_bounds__(kThreads, 2)
    downKernel(ExpertWeights w, ActiveExperts active, const Bf16* act, int t, float* out) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    gridWait();
    const int entries = *active.count;
    const int maxWidth = w.width > w.sharedWidth ? w.width : w.sharedWidth;
    const int stepsEach = (w.width + kTileColumns - 1) / kTileColumns;
    const int steps = (entries - 1) * stepsEach + (w.sharedWidth + kTileColumns - 1) / kTileColumns;
    const int splits = static_cast<int>(gridDim.y);
    const int split = static_cast<int>(blockIdx.y);
    const int first = static_cast<int>(static_cast<std::int64_t>(steps) * split / splits);
    const int last = static_cast<int>(static_cast<std::int64_t>(steps) * (split + 1) / splits);
    const int row0 = static_cast<int>(blockIdx.x) * kTileRows;
    const std::uint64_t allRows = t == 64 ? ~0ULL : (1ULL << t) - 1;
    int entryOf = min(first / stepsEach, entries - 1) - 1;
    int fetchStep = 0;  // within the entry
    int entrySteps = 0;
    std::uint64_t mask = 0;
    int width = 0;
    WeightWalk walk;
    const int chunk = (static_cast<int>(threadIdx.x) & 7) * 8;
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        if (++fetchStep >= entrySteps) {
            const bool start = entrySteps == 0;
            ++entryOf;
            const bool isShared = entryOf == entries - 1;
            width = isShared ? w.sharedWidth : w.width;
            mask = isShared ? allRows : active.rowMask[entryOf];
            entrySteps = (width + kTileColumns - 1) / kTileColumns;
            fetchStep = start ? first + g - entryOf * stepsEach : 0;
            walk.plain(isShared ? static_cast<const Bf16*>(w.sharedDown)
                                : static_cast<const Bf16*>(w.down) +
                                      static_cast<std::int64_t>(active.expert[entryOf]) * w.hidden * w.width,
                       row0, w.hidden, width);
        }
        walk.fetch(address, fetchStep * kTileColumns, fetchStep * kTileColumns + chunk < width);
    };
    const auto fetchRows = [&](int, std::uint32_t address) {
        fetchPassRows<NT>(address, act + static_cast<std::int64_t>(entryOf) * t * maxWidth, maxWidth, fetchStep * kTileColumns,
                          width, [&](int row) { return (mask >> row & 1) != 0; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    runPipeline<NT, false, S>(last - first, acc, shared, fetchWeights, fetchRows, [](int) {});
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

// ---- LM head

/// A stage less than elsewhere: with the logits, two blocks still fit a multiprocessor. Where a block has less than 100 KiB, as
/// many as fit beside them.
template <int NT>
using HeadShape = Shape<NT, 4>;
template <int NT>
using SmallHeadShape = Shape<NT, NT == 64 ? 2 : 3>;
template <int NT, class S>
constexpr int kHeadBytes = S::kBytes + NT*(kTileRows + 1) * 4 + 128 * static_cast<int>(sizeof(RowSummary));
static_assert(kHeadBytes<64, SmallHeadShape<64>> <= 99 * 1024 && kHeadBytes<32, SmallHeadShape<32>> <= 99 * 1024);
static_assert(SmallShape<64>::kBytes <= 99 * 1024 && SmallShape<32>::kBytes <= 99 * 1024);

template <int NT, class S>
__global__ void __launch_bounds__(kThreads, NT == 64 ? 1 : 2)
    headKernel(const Bf16* w, int vocab, int hidden, const Bf16* x, int t, const PassParams* params, ControlTables tables,
               bool sample, HeadRecord* records) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    constexpr int kPitch = kTileRows + 1;
    float* logits = reinterpret_cast<float*>(shared + S::kBytes);                                      // [NT][kPitch]
    auto* quarters = reinterpret_cast<RowSummary*>(shared + S::kBytes + NT * kPitch * sizeof(float));  // [4][32]
    __shared__ TokenTable tokens[kTileRows];
    const PassParams& controls = *params;
    gridRelease();
    const int perTile = (hidden + kTileColumns - 1) / kTileColumns;
    const int tiles = (vocab + kTileRows - 1) / kTileRows;
    const int mine =
        static_cast<int>(blockIdx.x) < tiles ? (tiles - 1 - static_cast<int>(blockIdx.x)) / static_cast<int>(gridDim.x) + 1 : 0;
    WeightWalk walk;
    int fetchTile = -1;
    int fetchStep = perTile - 1;  // of the weights
    int rowStep = perTile - 1;    // of the rows, which start later
    const int chunk = (static_cast<int>(threadIdx.x) & 7) * 8;
    const auto fetchWeights = [&](int, std::uint32_t address) {
        if (++fetchStep == perTile) {
            fetchStep = 0;
            walk.plain(
                w,
                static_cast<std::int64_t>(static_cast<int>(blockIdx.x) + ++fetchTile * static_cast<int>(gridDim.x)) * kTileRows,
                vocab, hidden);
        }
        walk.fetch(address, fetchStep * kTileColumns, fetchStep * kTileColumns + chunk < hidden);
    };
    const auto fetchRows = [&](int, std::uint32_t address) {
        if (++rowStep == perTile) rowStep = 0;
        fetchPassRows<NT>(address, x, hidden, rowStep * kTileColumns, hidden, [&](int row) { return row < t; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    constexpr int kHalves = (NT + 31) / 32;
    RowSummary own[kHalves];
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    int doneStep = 0;
    int doneTile = 0;
    const auto done = [&](int) {
        if (++doneStep < perTile) return;
        doneStep = 0;
        const int tile = static_cast<int>(blockIdx.x) + doneTile++ * static_cast<int>(gridDim.x);
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int n = 0; n < NT / 8; ++n)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    logits[(n * 8 + (lane & 3) * 2 + (j & 1)) * kPitch + warp * 32 + i * 16 + (lane >> 2) + (j >> 1) * 8] =
                        acc[i][n][j];
        {
            const int id = tile * kTileRows + static_cast<int>(threadIdx.x);
            tokens[threadIdx.x] = id < vocab ? lookUp(tables, id) : TokenTable{};
        }
        __syncthreads();
        // A thread reads a quarter of a row: the ids that a warp looks at are then the same in all lanes, and so are their
        // tables. Its summary goes on from tile to tile, so that few logits still enter the top five.
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
            const int row = half * 32 + lane;
            if (row >= t) continue;
            RowSummary& sum = own[half];
            const std::uint64_t key = sample ? noiseKey(controls.seed, controls.position[row], controls.step) : 0;
            float* l = logits + row * kPitch + warp * 32;
            const int end = min(32, vocab - tile * kTileRows - warp * 32);
            float largest = -INFINITY;
            for (int i = 0; i < end; ++i) {
                const int id = tile * kTileRows + warp * 32 + i;
                const TokenTable token = tokens[warp * 32 + i];
                float value = l[i];
                if (token.flags != 0 || token.count != 0 || id == controls.thinkEndId) {
                    value = adjustLogit(controls, token, row, id, value);
                    l[i] = value;
                }
                largest = fmaxf(largest, value);
                sum.addTop(value, id);
                if (sample) sum.addCandidate(value, gumbel(key, id), id, controls.temperature);
            }
            if (largest == -INFINITY) continue;
            const float max = fmaxf(sum.max, largest);
            float part = 0.0F;
            for (int i = 0; i < end; ++i) part += expf(l[i] - max);
            sum.sum = (sum.max == -INFINITY ? 0.0F : sum.sum * expf(sum.max - max)) + part;
            sum.max = max;
        }
        __syncthreads();
        clear<NT>(acc);
    };
    runPipeline<NT, true, S>(mine * perTile, acc, shared, fetchWeights, fetchRows, done);
#pragma unroll
    for (int half = 0; half < kHalves; ++half) {
        __syncthreads();
        if (half * 32 + lane < t) quarters[warp * 32 + lane] = own[half];
        __syncthreads();
        const int merged = warp * 8 + lane;  // eight rows a warp
        if (lane >= 8 || half * 32 + merged >= t) continue;
        RowSummary sum = quarters[merged];
        for (int i = 1; i < 4; ++i) {
            const RowSummary& other = quarters[i * 32 + merged];
            sum.addSum(other.max, other.sum);
            for (int j = 0; j < kTop; ++j) sum.addTop(other.topLogits[j], other.topIds[j]);
            if (sample) sum.addCandidate(other.bestLogit, other.bestNoise, other.bestId, controls.temperature);
        }
        HeadRecord r;
        r.max = sum.max;
        r.sum = sum.sum;
#pragma unroll
        for (int j = 0; j < kTop; ++j) {
            r.topLogits[j] = sum.topLogits[j];
            r.topIds[j] = sum.topIds[j];
        }
        r.bestLogit = sum.bestLogit;
        r.bestNoise = sum.bestNoise;
        r.bestId = sum.bestId;
        records[static_cast<std::int64_t>(half * 32 + merged) * gridDim.x + blockIdx.x] = r;
    }
}

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

}  // namespace

int skinnySplits(std::int64_t rows, std::int64_t columns, int sms) {
    const std::int64_t tiles = (rows + kTileRows - 1) / kTileRows;
    const std::int64_t steps = (columns + kTileColumns - 1) / kTileColumns;
    // As many blocks as fit at once (two a multiprocessor), and at least four steps in each so that the pipeline fills.
    const std::int64_t wanted = std::max<std::int64_t>(1, 2 * sms / std::max<std::int64_t>(tiles, 1));
    return static_cast<int>(
        std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, std::min<std::int64_t>(steps / 4, 16))));
}

int expertDownSplits(std::int64_t hidden, int sms) {
    const std::int64_t tiles = (hidden + kTileRows - 1) / kTileRows;
    return static_cast<int>(std::clamp<std::int64_t>(2 * sms / tiles, 1, 16));
}

cudaError_t skinnyGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, int t, int splits,
                       float* out) {
    const dim3 grid(static_cast<unsigned>((m + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withShape(on, t, [&](auto n, auto shape) {
        constexpr int NT = decltype(n)::value;
        using S = decltype(shape);
        return launch(on, denseKernel<NT, S>, grid, dim3(kThreads), S::kBytes, w, m, k, x, t, out);
    });
}

cudaError_t expertGateUp(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* x, int t,
                         Bf16* act) {
    if (t <= 8)
        return launch(on, gateUpFewKernel, dim3(static_cast<unsigned>(kFewBlocks * on.sms)), dim3(kThreads),
                      kFewStages * kFewStageBytes, w, active, x, t, act);
    return withShape(on, t, [&](auto n, auto shape) {
        constexpr int NT = decltype(n)::value;
        using S = decltype(shape);
        return launch(on, gateUpKernel<NT, S>, dim3(static_cast<unsigned>(2 * on.sms)), dim3(kThreads), S::kBytes, w, active, x,
                      t, act);
    });
}

cudaError_t expertDown(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* act, int t,
                       int splits, float* out) {
    const dim3 grid(static_cast<unsigned>((w.hidden + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withShape(on, t, [&](auto n, auto shape) {
        constexpr int NT = decltype(n)::value;
        using S = decltype(shape);
        return launch(on, downKernel<NT, S>, grid, dim3(kThreads), S::kBytes, w, active, act, t, out);
    });
}

cudaError_t headRecords(const Launcher& on, const Bf16* w, std::int64_t vocab, std::int64_t hidden, const Bf16* x, int t,
                        const PassParams* params, const ControlTables& tables, bool sample, HeadRecord* records) {
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        const auto run = [&](auto shape) {
            using S = decltype(shape);
            return launch(on, headKernel<NT, S>, dim3(static_cast<unsigned>(headBlocks(on.sms))), dim3(kThreads),
                          kHeadBytes<NT, S>, w, static_cast<int>(vocab), static_cast<int>(hidden), x, t, params, tables, sample,
                          records);
        };
        return kHeadBytes<NT, HeadShape<NT>> <= static_cast<int>(on.sharedBytes) ? run(HeadShape<NT>{})
                                                                                 : run(SmallHeadShape<NT>{});
    });
}

}  // namespace trefoil::cuda
