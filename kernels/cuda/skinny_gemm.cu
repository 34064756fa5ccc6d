#include "kernels/cuda/skinny_gemm.h"

#include <algorithm>

namespace trefoil::cuda {
namespace {

// One block computes tiles of kTileRows weight rows by all rows of the pass, kTileColumns columns a step, kStages steps in flight.
constexpr int kTileRows = 128;
constexpr int kTileColumns = 64;
constexpr int kThreads = 128;

template <int NT>
struct Shape {
    static constexpr int kStages = NT == 64 ? 4 : 5;
    static constexpr int kWeightBytes = kTileRows * 128;
    static constexpr int kRowBytes = NT * 128;
    static constexpr int kStageBytes = kWeightBytes + kRowBytes;
    static constexpr int kBytes = kStages * kStageBytes;
};

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

/// The pipeline: step g of `total` is fetched by fetchWeights(g, address) and fetchRows(g, address), multiplied in order, and after
/// it done(g) may use the accumulators (at the end of a tile). Weights of the first steps are asked for before gridWait when
/// kPrefetch: they depend on no other kernel.
template <int NT, bool kPrefetch, class FetchWeights, class FetchRows, class Done>
__device__ __forceinline__ void runPipeline(int total, Accumulators<NT>& acc, std::uint8_t* shared, FetchWeights fetchWeights,
                                            FetchRows fetchRows, Done done) {
    using S = Shape<NT>;
    const std::uint32_t base = sharedAddress(shared);
    if constexpr (kPrefetch) {
#pragma unroll
        for (int g = 0; g < S::kStages - 1; ++g)
            if (g < total) fetchWeights(g, base + g * S::kStageBytes);
        gridWait();
    }
#pragma unroll
    for (int g = 0; g < S::kStages - 1; ++g) {
        if (g < total) {
            if constexpr (!kPrefetch) fetchWeights(g, base + g * S::kStageBytes);
            fetchRows(g, base + g * S::kStageBytes + S::kWeightBytes);
        }
        copyAsyncCommit();
    }
    int stage = 0;
    int next = S::kStages - 1;
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

// ---- dense: out[split][t, m]

template <int NT>
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
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        const std::int64_t column = static_cast<std::int64_t>(first + g) * kTileColumns;
#pragma unroll
        for (int i = 0; i < kTileRows * 8 / kThreads; ++i) {
            const int c = static_cast<int>(threadIdx.x) + i * kThreads;
            const int row = c >> 3;
            const int chunk = c & 7;
            const bool valid = row0 + row < m && column + chunk * 8 < k;
            copyAsync16Stream(address + swizzle128(row, chunk), valid ? w + (row0 + row) * k + column + chunk * 8 : w, valid);
        }
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        fetchPassRows<NT>(address, x, k, static_cast<std::int64_t>(first + g) * kTileColumns, k, [&](int row) { return row < t; });
    };
    runPipeline<NT, true>(last - first, acc, shared, fetchWeights, fetchRows, [](int) {});
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

template <int NT>
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
    const int mine = static_cast<int>(blockIdx.x) < tiles ? (tiles - 1 - static_cast<int>(blockIdx.x)) / static_cast<int>(gridDim.x) + 1 : 0;
    // The tile that fetches are in, and the one that is being multiplied.
    struct Place {
        int entry, column, width;
        const Bf16* weights;
    };
    const auto locate = [&](int tile) {
        Place p;
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
    Place from{};
    std::uint64_t fetchMask = 0;
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        const int tile = g / perTile;
        if (tile != fetchTile) {
            fetchTile = tile;
            from = locate(static_cast<int>(blockIdx.x) + tile * static_cast<int>(gridDim.x));
            fetchMask = from.entry == entries - 1 ? allRows : active.rowMask[from.entry];
        }
        const int column = (g - tile * perTile) * kTileColumns;
#pragma unroll
        for (int i = 0; i < kTileRows * 8 / kThreads; ++i) {
            const int c = static_cast<int>(threadIdx.x) + i * kThreads;
            const int row = c >> 3;
            const int chunk = c & 7;
            const int own = from.column + (row >> 5) * 16 + (row & 15);
            const bool valid = own < from.width && column + chunk * 8 < hidden;
            const std::int64_t weightRow = ((row >> 4) & 1) * from.width + own;
            copyAsync16Stream(address + swizzle128(row, chunk),
                              valid ? from.weights + weightRow * hidden + column + chunk * 8 : from.weights, valid);
        }
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        fetchPassRows<NT>(address, x, hidden, (g % perTile) * kTileColumns, hidden,
                          [&](int row) { return (fetchMask >> row & 1) != 0; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const auto done = [&](int g) {
        if ((g + 1) % perTile != 0) return;
        const Place p = locate(static_cast<int>(blockIdx.x) + g / perTile * static_cast<int>(gridDim.x));
        const std::uint64_t mask = p.entry == entries - 1 ? allRows : active.rowMask[p.entry];
        const float* weight = active.weight + static_cast<std::int64_t>(active.expert[p.entry]) * kSmallRows;
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const int column = p.column + warp * 16 + (lane >> 2) + (j >> 1) * 8;
                const int row = n * 8 + (lane & 3) * 2 + (j & 1);
                if (column < p.width && (mask >> row & 1) != 0)
                    act[(static_cast<std::int64_t>(p.entry) * t + row) * maxWidth + column] =
                        fromFloat<Bf16>(weight[row] * silu(acc[0][n][j]) * acc[1][n][j]);
            }
        clear<NT>(acc);
    };
    runPipeline<NT, false>(mine * perTile, acc, shared, fetchWeights, fetchRows, done);
}

// ---- experts, second product: one long sum over (entry, column), so that the rows' sums need no scatter

template <int NT>
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
    int entryOf = -1;
    const Bf16* weights = nullptr;
    std::uint64_t mask = 0;
    int width = 0;
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        const int entry = min((first + g) / stepsEach, entries - 1);
        if (entry != entryOf) {
            entryOf = entry;
            const bool isShared = entry == entries - 1;
            width = isShared ? w.sharedWidth : w.width;
            mask = isShared ? allRows : active.rowMask[entry];
            weights = isShared ? static_cast<const Bf16*>(w.sharedDown)
                               : static_cast<const Bf16*>(w.down) +
                                     static_cast<std::int64_t>(active.expert[entry]) * w.hidden * w.width;
        }
        const int column = (first + g - entry * stepsEach) * kTileColumns;
#pragma unroll
        for (int i = 0; i < kTileRows * 8 / kThreads; ++i) {
            const int c = static_cast<int>(threadIdx.x) + i * kThreads;
            const int row = c >> 3;
            const int chunk = c & 7;
            const bool valid = row0 + row < w.hidden && column + chunk * 8 < width;
            copyAsync16Stream(address + swizzle128(row, chunk),
                              valid ? weights + static_cast<std::int64_t>(row0 + row) * width + column + chunk * 8 : weights, valid);
        }
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        fetchPassRows<NT>(address, act + static_cast<std::int64_t>(entryOf) * t * maxWidth, maxWidth,
                          (first + g - entryOf * stepsEach) * kTileColumns, width, [&](int row) { return (mask >> row & 1) != 0; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    runPipeline<NT, false>(last - first, acc, shared, fetchWeights, fetchRows, [](int) {});
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

__device__ __forceinline__ std::uint32_t orderedBits(float x) {
    const std::uint32_t bits = __float_as_uint(x);
    return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

/// Summary of 128 logits of one row, four in each lane, written by lane 0.
__device__ __forceinline__ void summarise(float (&l)[4], int firstId, int vocab, bool sample, std::uint64_t key, float temperature,
                                          TileRecord* record) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float m = fmaxf(fmaxf(l[0], l[1]), fmaxf(l[2], l[3]));
    m = warpMax(m);
    float sum = 0.0F;
    if (m > -INFINITY)
#pragma unroll
        for (float v : l) sum += expf(v - m);
    sum = warpSum(sum);
    TileRecord r;
    r.max = m;
    r.sum = sum;
    if (sample) {
        float bestL = -INFINITY;
        float bestNoise = 0.0F;
        int bestId = -1;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const int id = firstId + i * 32 + lane;
            if (id >= vocab) continue;
            const float noise = gumbel(key, id);
            if (samplesBefore(l[i], noise, id, bestL, bestNoise, bestId, temperature)) {
                bestL = l[i];
                bestNoise = noise;
                bestId = id;
            }
        }
        for (int d = 16; d > 0; d >>= 1) {
            const float otherL = __shfl_xor_sync(0xFFFFFFFFU, bestL, d);
            const float otherNoise = __shfl_xor_sync(0xFFFFFFFFU, bestNoise, d);
            const int otherId = __shfl_xor_sync(0xFFFFFFFFU, bestId, d);
            if (samplesBefore(otherL, otherNoise, otherId, bestL, bestNoise, bestId, temperature)) {
                bestL = otherL;
                bestNoise = otherNoise;
                bestId = otherId;
            }
        }
        r.bestLogit = bestL;
        r.bestNoise = bestNoise;
        r.bestId = bestId;
    }
    unsigned taken = 0;
#pragma unroll
    for (int round = 0; round < kTop; ++round) {
        std::uint32_t bits = 0;
        int which = -1;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if ((taken >> i & 1) == 0 && firstId + i * 32 + lane < vocab && (which < 0 || orderedBits(l[i]) > bits)) {
                bits = orderedBits(l[i]);
                which = i;
            }
        const std::uint32_t top = __reduce_max_sync(0xFFFFFFFFU, bits);
        const int id = which >= 0 && bits == top ? firstId + which * 32 + lane : 0x7FFFFFFF;
        const int winner = __reduce_min_sync(0xFFFFFFFFU, id);
        float value = -INFINITY;
#pragma unroll
        for (int i = 0; i < 4; ++i)
            if (winner == firstId + i * 32 + lane) {
                value = l[i];
                taken |= 1U << i;
            }
        value = __shfl_sync(0xFFFFFFFFU, value, (winner - firstId) & 31);
        r.topIds[round] = winner == 0x7FFFFFFF ? -1 : winner;
        r.topLogits[round] = winner == 0x7FFFFFFF ? -INFINITY : value;
    }
    if (lane == 0) *record = r;
}

template <int NT>
__global__ void __launch_bounds__(kThreads, NT == 64 ? 1 : 2)
    headKernel(const Bf16* w, int vocab, int hidden, const Bf16* x, int t, const PassParams* params, ControlTables tables, bool sample,
               TileRecord* records) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    constexpr int kPitch = kTileRows + 1;
    float* logits = reinterpret_cast<float*>(shared + Shape<NT>::kBytes);  // [NT][kPitch]
    gridRelease();
    const int perTile = (hidden + kTileColumns - 1) / kTileColumns;
    const int tiles = (vocab + kTileRows - 1) / kTileRows;
    const int mine = static_cast<int>(blockIdx.x) < tiles ? (tiles - 1 - static_cast<int>(blockIdx.x)) / static_cast<int>(gridDim.x) + 1 : 0;
    const auto fetchWeights = [&](int g, std::uint32_t address) {
        const int tile = g / perTile;
        const int row0 = (static_cast<int>(blockIdx.x) + tile * static_cast<int>(gridDim.x)) * kTileRows;
        const int column = (g - tile * perTile) * kTileColumns;
#pragma unroll
        for (int i = 0; i < kTileRows * 8 / kThreads; ++i) {
            const int c = static_cast<int>(threadIdx.x) + i * kThreads;
            const int row = c >> 3;
            const int chunk = c & 7;
            const bool valid = row0 + row < vocab && column + chunk * 8 < hidden;
            copyAsync16Stream(address + swizzle128(row, chunk),
                              valid ? w + static_cast<std::int64_t>(row0 + row) * hidden + column + chunk * 8 : w, valid);
        }
    };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        fetchPassRows<NT>(address, x, hidden, (g % perTile) * kTileColumns, hidden, [&](int row) { return row < t; });
    };
    Accumulators<NT> acc;
    clear<NT>(acc);
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const auto done = [&](int g) {
        if ((g + 1) % perTile != 0) return;
        const int tile = static_cast<int>(blockIdx.x) + g / perTile * static_cast<int>(gridDim.x);
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int n = 0; n < NT / 8; ++n)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    logits[(n * 8 + (lane & 3) * 2 + (j & 1)) * kPitch + warp * 32 + i * 16 + (lane >> 2) + (j >> 1) * 8] = acc[i][n][j];
        __syncthreads();
        for (int row = warp; row < t; row += kThreads / 32) {
            float l[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int id = tile * kTileRows + i * 32 + lane;
                l[i] = id < vocab ? adjustLogit(*params, tables, row, id, logits[row * kPitch + i * 32 + lane]) : -INFINITY;
            }
            const std::uint64_t key = sample ? noiseKey(params->seed, params->position[row], params->step) : 0;
            summarise(l, tile * kTileRows, vocab, sample, key, params->temperature, records + static_cast<std::int64_t>(row) * tiles + tile);
        }
        __syncthreads();
        clear<NT>(acc);
    };
    runPipeline<NT, true>(mine * perTile, acc, shared, fetchWeights, fetchRows, done);
}

/// Calls f with the smallest of 8, 32 and 64 that holds t rows, as a constant.
template <class F>
cudaError_t withRows(int t, F f) {
    if (t <= 8) return f(std::integral_constant<int, 8>{});
    if (t <= 32) return f(std::integral_constant<int, 32>{});
    if (t <= kSmallRows) return f(std::integral_constant<int, 64>{});
    return cudaErrorInvalidValue;
}

}  // namespace

int skinnySplits(std::int64_t rows, std::int64_t columns, int sms) {
    const std::int64_t tiles = (rows + kTileRows - 1) / kTileRows;
    const std::int64_t steps = (columns + kTileColumns - 1) / kTileColumns;
    // As many blocks as fit at once (two a multiprocessor), and at least four steps in each so that the pipeline fills.
    const std::int64_t wanted = std::max<std::int64_t>(1, 2 * sms / std::max<std::int64_t>(tiles, 1));
    return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, std::min<std::int64_t>(steps / 4, 16))));
}

int expertDownSplits(std::int64_t hidden, int sms) {
    const std::int64_t tiles = (hidden + kTileRows - 1) / kTileRows;
    return static_cast<int>(std::clamp<std::int64_t>(2 * sms / tiles, 1, 16));
}

cudaError_t skinnyGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, int t, int splits, float* out) {
    const dim3 grid(static_cast<unsigned>((m + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        return launch(on, denseKernel<NT>, grid, dim3(kThreads), Shape<NT>::kBytes, w, m, k, x, t, out);
    });
}

cudaError_t expertGateUp(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* x, int t, Bf16* act) {
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        return launch(on, gateUpKernel<NT>, dim3(static_cast<unsigned>(2 * on.sms)), dim3(kThreads), Shape<NT>::kBytes, w, active, x, t, act);
    });
}

cudaError_t expertDown(const Launcher& on, const ExpertWeights& w, const ActiveExperts& active, const Bf16* act, int t, int splits,
                       float* out) {
    const dim3 grid(static_cast<unsigned>((w.hidden + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        return launch(on, downKernel<NT>, grid, dim3(kThreads), Shape<NT>::kBytes, w, active, act, t, out);
    });
}

cudaError_t headRecords(const Launcher& on, const Bf16* w, std::int64_t vocab, std::int64_t hidden, const Bf16* x, int t,
                        const PassParams* params, const ControlTables& tables, bool sample, TileRecord* records) {
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        constexpr int kBytes = Shape<NT>::kBytes + NT * (kTileRows + 1) * 4;
        return launch(on, headKernel<NT>, dim3(static_cast<unsigned>(2 * on.sms)), dim3(kThreads), kBytes, w, static_cast<int>(vocab),
                      static_cast<int>(hidden), x, t, params, tables, sample, records);
    });
}

}  // namespace trefoil::cuda
