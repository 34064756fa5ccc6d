#include "kernels/cuda/skinny_gemm.h"

#include "kernels/cuda/skinny_pipeline.cuh"

#include <algorithm>

namespace trefoil::cuda {
namespace {

// ---- dense: out[split][t, m]

template <int NT, class S>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
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

/// Adds logits l[0 … n) of ids firstId and on to a row's summary. kCount: n where it is known, so that all loads are under way at
/// once; or 0.
template <int kCount>
__device__ __forceinline__ void summarise(RowSummary& own, const float* l, int n, int firstId) {
    constexpr int kChunk = kCount > 0 ? 16 : 1;
    float largest = -INFINITY;
#pragma unroll 1
    for (int first = 0; first < n; first += kChunk) {
        float values[kChunk];
#pragma unroll
        for (int i = 0; i < kChunk; ++i) {
            values[i] = l[first + i];
            largest = fmaxf(largest, values[i]);
        }
#pragma unroll
        for (int i = 0; i < kChunk; ++i) own.addTop(values[i], firstId + first + i);
    }
    if (largest == -INFINITY) return;
    const float max = fmaxf(own.max, largest);
    float part = 0.0F;
#pragma unroll 8
    for (int i = 0; i < n; ++i) part += expf(l[i] - max);
    own.sum = (own.max == -INFINITY ? 0.0F : own.sum * expf(own.max - max)) + part;
    own.max = max;
}

template <int NT, class S>
__global__ void __launch_bounds__(kSkinnyThreads, NT == 64 ? 1 : 2)
    headKernel(const Bf16* w, int vocab, int hidden, const Bf16* x, int t, const PassParams* params, ControlTables tables,
               bool sample, HeadRecord* records) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    constexpr int kPitch = kTileRows + 1;
    float* logits = reinterpret_cast<float*>(shared + S::kBytes);                                      // [NT][kPitch]
    auto* quarters = reinterpret_cast<RowSummary*>(shared + S::kBytes + NT * kPitch * sizeof(float));  // [4][32]
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
    TokenTable token;  // of id warp · 32 + lane of the tile
    const auto done = [&](int) {
        const int tile = static_cast<int>(blockIdx.x) + doneTile * static_cast<int>(gridDim.x);
        const int firstId = tile * kTileRows + warp * 32;
        const int count = min(32, vocab - firstId);
        // Asked for early in a tile, so that its end does not wait for it.
        if (++doneStep == 1) token = lane < count ? lookUp(tables, firstId + lane) : TokenTable{};
        if (doneStep < perTile) return;
        doneStep = 0;
        ++doneTile;
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int n = 0; n < NT / 8; ++n)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    logits[(n * 8 + (lane & 3) * 2 + (j & 1)) * kPitch + warp * 32 + i * 16 + (lane >> 2) + (j >> 1) * 8] =
                        acc[i][n][j];
        clear<NT>(acc);
        const unsigned controlled = __ballot_sync(
            0xFFFFFFFFU, lane < count && (token.flags != 0 || token.count != 0 || firstId + lane == controls.thinkEndId));
        __syncthreads();
        // A thread reads a quarter of a row: the ids that a warp looks at are then the same in all lanes. Its summary goes on
        // from tile to tile, so that few logits still enter the top five.
#pragma unroll
        for (int half = 0; half < kHalves; ++half) {
            const int row = half * 32 + lane;
            float* l = logits + row * kPitch + warp * 32;
            for (unsigned left = controlled; left != 0; left &= left - 1) {
                const int i = __ffs(static_cast<int>(left)) - 1;
                const TokenTable of{static_cast<std::uint8_t>(__shfl_sync(0xFFFFFFFFU, token.flags, i)),
                                    __shfl_sync(0xFFFFFFFFU, token.count, i)};
                if (row < t) l[i] = adjustLogit(controls, of, row, firstId + i, l[i]);
            }
            if (row >= t) continue;
            if (count == 32)
                summarise<32>(own[half], l, 32, firstId);
            else
                summarise<0>(own[half], l, count, firstId);
            if (!sample) continue;
            const std::uint64_t key = noiseKey(controls.seed, controls.position[row], controls.step);
            for (int i = 0; i < count; ++i)
                own[half].addCandidate(l[i], gumbel(key, firstId + i), firstId + i, controls.temperature);
        }
        __syncthreads();
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

}  // namespace

int skinnySplits(std::int64_t rows, std::int64_t columns, int sms) {
    const std::int64_t tiles = (rows + kTileRows - 1) / kTileRows;
    const std::int64_t steps = (columns + kTileColumns - 1) / kTileColumns;
    // As many blocks as fit at once (two a multiprocessor), and at least four steps in each so that the pipeline fills.
    const std::int64_t wanted = std::max<std::int64_t>(1, 2 * sms / std::max<std::int64_t>(tiles, 1));
    return static_cast<int>(
        std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(1, std::min<std::int64_t>(steps / 4, 16))));
}

cudaError_t skinnyGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, int t, int splits,
                       float* out) {
    const dim3 grid(static_cast<unsigned>((m + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withShape(on, t, [&](auto n, auto shape) {
        constexpr int NT = decltype(n)::value;
        using S = decltype(shape);
        return launch(on, denseKernel<NT, S>, grid, dim3(kSkinnyThreads), S::kBytes, w, m, k, x, t, out);
    });
}

cudaError_t headRecords(const Launcher& on, const Bf16* w, std::int64_t vocab, std::int64_t hidden, const Bf16* x, int t,
                        const PassParams* params, const ControlTables& tables, bool sample, HeadRecord* records) {
    return withRows(t, [&](auto n) {
        constexpr int NT = decltype(n)::value;
        const auto run = [&](auto shape) {
            using S = decltype(shape);
            return launch(on, headKernel<NT, S>, dim3(static_cast<unsigned>(headBlocks(on.sms))), dim3(kSkinnyThreads),
                          kHeadBytes<NT, S>, w, static_cast<int>(vocab), static_cast<int>(hidden), x, t, params, tables, sample,
                          records);
        };
        return kHeadBytes<NT, HeadShape<NT>> <= static_cast<int>(on.sharedBytes) ? run(HeadShape<NT>{})
                                                                                 : run(SmallHeadShape<NT>{});
    });
}

}  // namespace trefoil::cuda
