#include "kernels/cuda/tile_gemm_hopper.h"

#include "kernels/cuda/wgmma.cuh"

#include <algorithm>
#include <initializer_list>

namespace trefoil::cuda {
namespace {

// A block has two warpgroups that multiply and one that loads. A tile is 256 weight rows (A of the products; 128 a warpgroup) by
// up to 176 rows of the pass (B); the products' N is the tile's row count rounded up, so that experts with few rows cost little.
constexpr int kWeightRows = 256;
constexpr int kColumns = 64;  // columns a step
constexpr int kStages = 4;
constexpr int kThreads = 384;
constexpr int kGatherThreads = 96;
constexpr int kBlockBytes = 64 * 128;            // what one product reads of A in a step
constexpr int kWeightBytes = kWeightRows * 128;  // four of them
constexpr int kRowBytes = kGroupTileRows * 128;
constexpr int kStageBytes = kWeightBytes + kRowBytes;
constexpr int kBoxRows = 16;  // rows of the pass that one copy brings
constexpr int kSharedBytes = kStages * kStageBytes + 1024 + kStages * 16;
constexpr int kLoaderRegisters = 56;
constexpr int kProductRegisters = 224;

enum class Kind { Dense, GateUp, Down };

/// Columns of act that a gate-and-up tile makes, or weight rows of the others.
template <Kind kKind>
constexpr int kTileOutputs = kKind == Kind::GateUp ? kWeightRows / 2 : kWeightRows;

struct Arguments {
    CUtensorMap weights;        // of the experts, or the dense matrix
    CUtensorMap sharedWeights;  // of the shared expert
    CUtensorMap rows;           // Down, Dense: rows of the pass
    CUtensorMap sharedRows;     // Down: the same for the shared expert's columns
    const Bf16* x;              // GateUp: rows to gather
    void* out;
    const GroupTile* tiles;
    const std::int32_t* tileCount;
    const std::int32_t* rowOf;
    std::int64_t t;  // Dense
    int outputs;     // Dense: M; GateUp: the greater width; Down: D
    int columns;     // Dense: K
    int experts, hidden, width, sharedWidth;
    bool outFloat;  // Dense
};

#if TREFOIL_WGMMA_CODE

/// What a block does next: rows [first, first + rows) by weight rows from `base` on (GateUp: columns of act).
struct Work {
    int expert = 0;
    int first = 0;
    int rows = 0;
    int base = 0;
};

/// Tiles in the order in which blocks take them: the shared expert's first, they are the largest.
template <Kind kKind>
struct Items {
    const Arguments& a;
    int across;
    int count;

    __device__ explicit Items(const Arguments& arguments)
        : a(arguments), across((arguments.outputs + kTileOutputs<kKind> - 1) / kTileOutputs<kKind>) {
        if constexpr (kKind == Kind::Dense)
            count = across * static_cast<int>((a.t + kGroupTileRows - 1) / kGroupTileRows);
        else
            count = across * *a.tileCount;
    }
    __device__ Work at(int item) const {
        Work work;
        if (item >= count) return work;
        const int tile = item / across;
        work.base = (item - tile * across) * kTileOutputs<kKind>;
        if constexpr (kKind == Kind::Dense) {
            work.first = tile * kGroupTileRows;
            work.rows = static_cast<int>(min(a.t - work.first, static_cast<std::int64_t>(kGroupTileRows)));
        } else {
            const GroupTile group = a.tiles[count / across - 1 - tile];
            work.expert = group.expert;
            work.first = group.first;
            work.rows = group.rows;
        }
        return work;
    }
    __device__ bool isShared(const Work& work) const { return kKind != Kind::Dense && work.expert == a.experts; }
    __device__ int width(const Work& work) const { return isShared(work) ? a.sharedWidth : a.width; }
    __device__ int steps(const Work& work) const {
        const int columns = kKind == Kind::Dense ? a.columns : kKind == Kind::GateUp ? a.hidden : width(work);
        return (columns + kColumns - 1) / kColumns;
    }
    /// Nothing to do: the other expert's width is greater.
    __device__ bool isEmpty(const Work& work) const { return kKind == Kind::GateUp && work.base >= width(work); }
};

struct Stages {
    std::uint32_t base;
    __device__ std::uint32_t weights(int stage) const { return base + static_cast<std::uint32_t>(stage * kStageBytes); }
    __device__ std::uint32_t rows(int stage) const { return weights(stage) + kWeightBytes; }
    __device__ std::uint32_t full(int stage) const {
        return base + static_cast<std::uint32_t>(kStages * kStageBytes + stage * 8);
    }
    __device__ std::uint32_t empty(int stage) const { return full(kStages + stage); }
};

/// Position in the ring of stages.
struct Turn {
    int stage = 0;
    unsigned parity = 0;
    __device__ void next() {
        if (++stage == kStages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/// One thread: the weights of every step.
template <Kind kKind>
__device__ void loadWeights(const Arguments& a, const Stages& s) {
    const std::uint64_t policy = evictFirstPolicy();
    const Items<kKind> items(a);
    Turn turn;
    Work next = items.at(static_cast<int>(blockIdx.x));
    for (int item = static_cast<int>(blockIdx.x); item < items.count; item += static_cast<int>(gridDim.x)) {
        const Work work = next;
        next = items.at(item + static_cast<int>(gridDim.x));
        if (items.isEmpty(work)) continue;
        const int steps = items.steps(work);
        const bool isShared = items.isShared(work);
        const CUtensorMap& map = isShared ? a.sharedWeights : a.weights;
        const int expert = isShared ? 0 : work.expert;
        // Where the first weight row of each warpgroup lies in the map's last dimension: see the maps below.
        const int first = kKind == Kind::GateUp ? (expert * 2 * items.width(work) + work.base) / 16
                          : kKind == Kind::Down ? (expert * (a.hidden / 32) + work.base / 32)
                                                : work.base;
        for (int step = 0; step < steps; ++step) {
            barrierWait(s.empty(turn.stage), turn.parity ^ 1);
            barrierArriveExpect(s.full(turn.stage), kWeightBytes);
#pragma unroll
            for (int block = 0; block < 4; ++block) {
                const std::uint32_t to = s.weights(turn.stage) + block * kBlockBytes;
                if constexpr (kKind == Kind::Dense)
                    copyTensor2(to, map, s.full(turn.stage), step * kColumns, first + block * 64, policy);
                else if constexpr (kKind == Kind::GateUp)
                    copyTensor5(to, map, s.full(turn.stage), {step * kColumns, (block & 1) * 2, 0, 0, first + (block >> 1) * 4},
                                policy);
                else
                    copyTensor5(to, map, s.full(turn.stage), {step * kColumns, 0, 0, (block & 1) * 2, first + (block >> 1) * 4},
                                policy);
            }
            turn.next();
        }
    }
}

/// 96 threads: rows of x by the table of rows, eight threads a row.
__device__ void gatherRows(const Arguments& a, const Stages& s, int thread) {
    constexpr int kAtOnce = kGatherThreads / 8;
    constexpr int kEach = (kGroupTileRows + kAtOnce - 1) / kAtOnce;
    static_assert(kAtOnce % 8 == 4);
    const Items<Kind::GateUp> items(a);
    const int chunk = thread & 7;
    const int row = thread >> 3;
    const std::uint32_t even = swizzle128(row, chunk);
    const std::uint32_t odd = swizzle128(row + kAtOnce, chunk);  // eight rows are a period, 12 are one and a half
    Turn turn;
    Work next = items.at(static_cast<int>(blockIdx.x));
    for (int item = static_cast<int>(blockIdx.x); item < items.count; item += static_cast<int>(gridDim.x)) {
        const Work work = next;
        if (items.isEmpty(work)) {
            next = items.at(item + static_cast<int>(gridDim.x));
            continue;
        }
        const int steps = items.steps(work);
        std::uint32_t from[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i)
            from[i] = row + i * kAtOnce < work.rows ? static_cast<std::uint32_t>(a.rowOf[work.first + row + i * kAtOnce]) *
                                                          static_cast<std::uint32_t>(a.hidden)
                                                    : 0;
        next = items.at(item + static_cast<int>(gridDim.x));
        const int own = (work.rows - row + kAtOnce - 1) / kAtOnce;
        for (int step = 0; step < steps; ++step) {
            const int column = step * kColumns + chunk * 8;
            const Bf16* x = a.x + column;
            const bool inside = column < a.hidden;
            barrierWait(s.empty(turn.stage), turn.parity ^ 1);
            const std::uint32_t to = s.rows(turn.stage);
#pragma unroll
            for (int i = 0; i < kEach; ++i)
                if (i < own)
                    copyAsync16(to + ((i & 1) != 0 ? odd + (i - 1) * kAtOnce * 128 : even + i * kAtOnce * 128),
                                inside ? x + from[i] : a.x, inside);
            barrierArriveAfterCopies(s.full(turn.stage));
            turn.next();
        }
    }
}

/// One warp: rows of the pass that lie one after the other.
template <Kind kKind>
__device__ void loadRows(const Arguments& a, const Stages& s, int lane) {
    const Items<kKind> items(a);
    Turn turn;
    Work next = items.at(static_cast<int>(blockIdx.x));
    for (int item = static_cast<int>(blockIdx.x); item < items.count; item += static_cast<int>(gridDim.x)) {
        const Work work = next;
        next = items.at(item + static_cast<int>(gridDim.x));
        const int steps = items.steps(work);
        const CUtensorMap& map = items.isShared(work) ? a.sharedRows : a.rows;
        const int boxes = (work.rows + kBoxRows - 1) / kBoxRows;
        for (int step = 0; step < steps; ++step) {
            barrierWait(s.empty(turn.stage), turn.parity ^ 1);
            if (lane == 0) barrierArriveExpect(s.full(turn.stage), static_cast<unsigned>(boxes * kBoxRows * 128));
            __syncwarp();
            if (lane < boxes)
                copyTensor2(s.rows(turn.stage) + lane * kBoxRows * 128, map, s.full(turn.stage), step * kColumns,
                            work.first + lane * kBoxRows);
            turn.next();
        }
    }
}

/// An 8 × 8 matrix of 16-bit values held as mma's fragments are, transposed.
__device__ __forceinline__ std::uint32_t transposed(std::uint32_t x) {
    std::uint32_t y;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}
__device__ __forceinline__ std::uint32_t pack(float low, float high) {
    const __nv_bfloat162 both = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&both);
}

/// Writes the sums of a tile; after the transposition lane l holds row l / 4 of eight and neighbouring outputs.
template <Kind kKind, int kN>
__device__ __forceinline__ void writeTile(const Arguments& a, const Items<kKind>& items, const Work& work, float (&d)[2][kN / 2],
                                          int group, int warp, int lane) {
    const int row = lane >> 2;
    const int quarter = lane & 3;
    if constexpr (kKind == Kind::GateUp) {
        const int stride = max(a.width, a.sharedWidth);
        const int column = work.base + group * 64 + warp * 16 + quarter * 4;
        const bool inside = column < items.width(work);
        auto* to = static_cast<Bf16*>(a.out) + (static_cast<std::int64_t>(work.first) + row) * stride + column;
#pragma unroll
        for (int j = 0; j < kN / 8; ++j) {
            uint2 both;
            both.x = transposed(pack(fastSilu(d[0][4 * j]) * d[0][4 * j + 2], fastSilu(d[0][4 * j + 1]) * d[0][4 * j + 3]));
            both.y = transposed(pack(fastSilu(d[1][4 * j]) * d[1][4 * j + 2], fastSilu(d[1][4 * j + 1]) * d[1][4 * j + 3]));
            if (inside && j * 8 + row < work.rows)
                *reinterpret_cast<uint2*>(to + static_cast<std::int64_t>(j) * 8 * stride) = both;
        }
    } else if constexpr (kKind == Kind::Down) {
        const int column = work.base + group * 128 + warp * 32 + quarter * 8;
        const bool inside = column < a.hidden;
        auto* to = static_cast<Bf16*>(a.out) + (static_cast<std::int64_t>(work.first) + row) * a.hidden + column;
#pragma unroll
        for (int j = 0; j < kN / 8; ++j) {
            uint4 all;
            all.x = transposed(pack(d[0][4 * j], d[0][4 * j + 1]));
            all.y = transposed(pack(d[0][4 * j + 2], d[0][4 * j + 3]));
            all.z = transposed(pack(d[1][4 * j], d[1][4 * j + 1]));
            all.w = transposed(pack(d[1][4 * j + 2], d[1][4 * j + 3]));
            if (inside && j * 8 + row < work.rows)
                *reinterpret_cast<uint4*>(to + static_cast<std::int64_t>(j) * 8 * a.hidden) = all;
        }
    } else {
        const bool even = (a.outputs & 1) == 0;
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const int column = work.base + group * 128 + (q >> 1) * 64 + warp * 16 + (q & 1) * 8 + quarter * 2;
#pragma unroll
            for (int j = 0; j < kN / 8; ++j) {
                const float v0 = d[q >> 1][4 * j + (q & 1) * 2];
                const float v1 = d[q >> 1][4 * j + (q & 1) * 2 + 1];
                const bool inside = column < a.outputs && j * 8 + row < work.rows;
                const std::int64_t at = (static_cast<std::int64_t>(work.first) + j * 8 + row) * a.outputs + column;
                if (a.outFloat) {  // both halves of a value are transposed
                    const std::uint32_t high = transposed(__byte_perm(__float_as_uint(v0), __float_as_uint(v1), 0x7632));
                    const std::uint32_t low = transposed(__byte_perm(__float_as_uint(v0), __float_as_uint(v1), 0x5410));
                    const float first = __uint_as_float(__byte_perm(low, high, 0x5410));
                    const float second = __uint_as_float(__byte_perm(low, high, 0x7632));
                    auto* to = static_cast<float*>(a.out) + at;
                    if (inside && even) *reinterpret_cast<float2*>(to) = make_float2(first, second);
                    if (inside && !even) {
                        to[0] = first;
                        if (column + 1 < a.outputs) to[1] = second;
                    }
                } else {
                    const std::uint32_t both = transposed(pack(v0, v1));
                    auto* to = static_cast<std::uint16_t*>(a.out) + at;
                    if (inside && even) *reinterpret_cast<std::uint32_t*>(to) = both;
                    if (inside && !even) {
                        to[0] = static_cast<std::uint16_t>(both);
                        if (column + 1 < a.outputs) to[1] = static_cast<std::uint16_t>(both >> 16);
                    }
                }
            }
        }
    }
}

/// A tile by both warpgroups, 128 weight rows each, with kN ≥ work.rows.
template <Kind kKind, int kN>
__device__ __forceinline__ void multiplyTile(const Arguments& a, const Stages& s, const Items<kKind>& items, const Work& work,
                                             Turn& turn, int group, int warp, int lane) {
    const int steps = items.steps(work);
    float d[2][kN / 2];
#pragma unroll
    for (auto& sums : d)
#pragma unroll
        for (float& v : sums) v = 0.0F;
    int last = 0;
    for (int step = 0; step < steps; ++step) {
        barrierWait(s.full(turn.stage), turn.parity);
        if constexpr (kKind == Kind::GateUp) fenceAsyncProxy();
        const std::uint64_t weights = tileDescriptor(s.weights(turn.stage) + group * 2 * kBlockBytes);
        const std::uint64_t rows = tileDescriptor(s.rows(turn.stage));
        productFence();
#pragma unroll
        for (int k = 0; k < kColumns / 16; ++k) {
            product<kN>(d[0], weights + k * 2, rows + k * 2);
            product<kN>(d[1], weights + k * 2 + (kBlockBytes >> 4), rows + k * 2);
        }
        productCommit();
        if (step > 0) {
            productWait<1>();
            if (lane == 0) barrierArrive(s.empty(last));
        }
        last = turn.stage;
        turn.next();
    }
    productWait<0>();
    sumsReady(d[0]);
    sumsReady(d[1]);
    if (lane == 0) barrierArrive(s.empty(last));
    writeTile<kKind, kN>(a, items, work, d, group, warp, lane);
}

template <Kind kKind>
__device__ void multiply(const Arguments& a, const Stages& s, int group, int warp, int lane) {
    const Items<kKind> items(a);
    Turn turn;
    Work next = items.at(static_cast<int>(blockIdx.x));
    for (int item = static_cast<int>(blockIdx.x); item < items.count; item += static_cast<int>(gridDim.x)) {
        const Work work = next;
        next = items.at(item + static_cast<int>(gridDim.x));
        if (items.isEmpty(work)) continue;
        // Eight columns more a case up to 64, then 16.
        switch (work.rows <= 64 ? (work.rows + 7) / 8 : 8 + (work.rows - 64 + 15) / 16) {
#define TREFOIL_CASE(index, columns)                                              \
    case index:                                                                   \
        multiplyTile<kKind, columns>(a, s, items, work, turn, group, warp, lane); \
        break;
            TREFOIL_CASE(3, 24)
            TREFOIL_CASE(4, 32)
            TREFOIL_CASE(5, 40)
            TREFOIL_CASE(6, 48)
            TREFOIL_CASE(7, 56)
            TREFOIL_CASE(8, 64)
            TREFOIL_CASE(9, 80)
            TREFOIL_CASE(10, 96)
            TREFOIL_CASE(11, 112)
            TREFOIL_CASE(12, 128)
            TREFOIL_CASE(13, 144)
            TREFOIL_CASE(14, 160)
            TREFOIL_CASE(15, 176)
#undef TREFOIL_CASE
            default:
                multiplyTile<kKind, 16>(a, s, items, work, turn, group, warp, lane);
        }
    }
}

#endif  // TREFOIL_WGMMA_CODE

template <Kind kKind>
__global__ void __launch_bounds__(kThreads, 1) hopperKernel(const __grid_constant__ Arguments a) {
#if TREFOIL_WGMMA_CODE
    extern __shared__ std::uint8_t shared[];
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const Stages s{(sharedAddress(shared) + 1023) & ~1023U};
    if (thread == 0) {
        for (int stage = 0; stage < kStages; ++stage) {
            barrierInit(s.full(stage), 1 + (kKind == Kind::GateUp ? kGatherThreads : 1));
            barrierInit(s.empty(stage), 8);
        }
        barrierInitDone();
    }
    __syncthreads();
    if (thread >= 256) {
        giveRegisters<kLoaderRegisters>();
        const int warp = (thread - 256) >> 5;
        if (warp == 0) {
            // The weights of Down may be read while GateUp is still at work: its blocks were started after GateUp's had waited
            // for the grouping, so the tiles are known.
            if constexpr (kKind != Kind::Down) {
                gridWait();
                gridRelease();
            }
            if (lane == 0) loadWeights<kKind>(a, s);
        } else {
            gridWait();
            gridRelease();
            if constexpr (kKind == Kind::GateUp)
                gatherRows(a, s, thread - 288);
            else if (warp == 1)
                loadRows<kKind>(a, s, lane);
        }
    } else {
        takeRegisters<kProductRegisters>();
        gridWait();
        gridRelease();
        multiply<kKind>(a, s, thread >> 7, (thread >> 5) & 3, lane);
    }
#endif
}

// ---- maps for the copy engine

using EncodeTiled = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*, const cuuint64_t*,
                                 const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

/// The driver's function, which no library of the toolkit has; null if the driver lacks it.
EncodeTiled encodeTiled() {
    static const EncodeTiled function = []() -> EncodeTiled {
        void* entry = nullptr;
        cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
        if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found) != cudaSuccess ||
            found != cudaDriverEntryPointSuccess)
            return nullptr;
        return reinterpret_cast<EncodeTiled>(entry);
    }();
    return function;
}

/// A dimension of a map after the first: how far apart its elements are (bytes), how many there are, how many a copy takes.
struct Dimension {
    std::int64_t stride, size;
    int box;
};

/// Copies of 64 columns, swizzled; what lies past `columns` or past a dimension's size is zero.
cudaError_t makeMap(CUtensorMap& map, const void* data, std::int64_t columns, std::initializer_list<Dimension> more) {
    const EncodeTiled encode = encodeTiled();
    if (encode == nullptr) return cudaErrorNotSupported;
    cuuint64_t sizes[5] = {static_cast<cuuint64_t>(columns)};
    cuuint64_t strides[4] = {};
    cuuint32_t box[5] = {kColumns};
    cuuint32_t steps[5] = {1};
    cuuint32_t rank = 1;
    for (const Dimension& d : more) {
        sizes[rank] = static_cast<cuuint64_t>(d.size);
        strides[rank - 1] = static_cast<cuuint64_t>(d.stride);
        box[rank] = static_cast<cuuint32_t>(d.box);
        steps[rank] = 1;
        ++rank;
    }
    constexpr CUtensorMapL2promotion kPromotion = CU_TENSOR_MAP_L2_PROMOTION_L2_256B;
    const CUresult result =
        encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank, const_cast<void*>(data), sizes, strides, box, steps,
               CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, kPromotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

/// Rows [count, columns] that lie `stride` values apart.
cudaError_t makeRowMap(CUtensorMap& map, const void* data, std::int64_t columns, std::int64_t stride, std::int64_t count,
                       int box) {
    return makeMap(map, data, columns, {{stride * 2, count, box}});
}

/// Gate and up rows of E experts, in the order in which a thread's sums make neighbouring values of act: of each 64 rows of a
/// product, warp w has in its rows 0 to 7 the gate and in rows 8 to 15 the up of act columns 16 w + 4 (i / 2) + 2 b + i % 2,
/// where i is the row of the eight and b tells the warpgroup's two products.
cudaError_t makeGateUpMap(CUtensorMap& map, const void* data, std::int64_t hidden, std::int64_t width, std::int64_t experts) {
    const std::int64_t row = hidden * 2;
    return makeMap(map, data, hidden,
                   {{row, 4, 2}, {4 * row, 4, 4}, {width * row, 2, 2}, {16 * row, (2 * experts - 1) * width / 16, 4}});
}

/// Down rows of E experts likewise: row 8 h + i of warp w in product b is output 32 w + 8 (i / 2) + 4 b + 2 h + i % 2.
cudaError_t makeDownMap(CUtensorMap& map, const void* data, std::int64_t hidden, std::int64_t width, std::int64_t experts) {
    const std::int64_t row = width * 2;
    return makeMap(map, data, width, {{row, 2, 2}, {8 * row, 4, 4}, {2 * row, 4, 2}, {32 * row, experts * hidden / 32, 4}});
}

Arguments groupArguments(const ExpertWeights& w, const ExpertGroups& groups, void* out) {
    Arguments a{};
    a.out = out;
    a.tiles = groups.tiles;
    a.tileCount = groups.tileCount;
    a.rowOf = groups.rowOf;
    a.experts = w.experts;
    a.hidden = w.hidden;
    a.width = w.width;
    a.sharedWidth = w.sharedWidth;
    return a;
}

template <Kind kKind>
cudaError_t start(const Launcher& on, const Arguments& a, std::int64_t tiles) {
    const std::int64_t items = tiles * ((a.outputs + kTileOutputs<kKind> - 1) / kTileOutputs<kKind>);
    const auto grid = static_cast<unsigned>(std::min<std::int64_t>(items, on.sms));
    return launch(on, hopperKernel<kKind>, dim3(grid), dim3(kThreads), kSharedBytes, a);
}

}  // namespace

cudaError_t hopperTileGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, std::int64_t t,
                           void* out, bool outFloat) {
    Arguments a{};
    a.out = out;
    a.outFloat = outFloat;
    a.t = t;
    a.outputs = static_cast<int>(m);
    a.columns = static_cast<int>(k);
    if (const cudaError_t e = makeRowMap(a.weights, w, k, k, m, 64); e != cudaSuccess) return e;
    if (const cudaError_t e = makeRowMap(a.rows, x, k, k, t, kBoxRows); e != cudaSuccess) return e;
    return start<Kind::Dense>(on, a, (t + kGroupTileRows - 1) / kGroupTileRows);
}

cudaError_t hopperGateUp(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* x,
                         std::int64_t positions, Bf16* act) {
    Arguments a = groupArguments(w, groups, act);
    a.x = x;
    a.outputs = w.maxWidth();
    if (const cudaError_t e = makeGateUpMap(a.weights, w.gateUp, w.hidden, w.width, w.experts); e != cudaSuccess) return e;
    if (const cudaError_t e = makeGateUpMap(a.sharedWeights, w.sharedGateUp, w.hidden, w.sharedWidth, 1); e != cudaSuccess)
        return e;
    return start<Kind::GateUp>(on, a, maxGroupTiles(positions, w.experts));
}

cudaError_t hopperDown(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* act,
                       std::int64_t positions, Bf16* out) {
    Arguments a = groupArguments(w, groups, out);
    a.outputs = w.hidden;
    if (const cudaError_t e = makeDownMap(a.weights, w.down, w.hidden, w.width, w.experts); e != cudaSuccess) return e;
    if (const cudaError_t e = makeDownMap(a.sharedWeights, w.sharedDown, w.hidden, w.sharedWidth, 1); e != cudaSuccess) return e;
    const std::int64_t stride = w.maxWidth();
    if (const cudaError_t e = makeRowMap(a.rows, act, w.width, stride, positions, kBoxRows); e != cudaSuccess) return e;
    if (const cudaError_t e = makeRowMap(a.sharedRows, act, w.sharedWidth, stride, positions, kBoxRows); e != cudaSuccess)
        return e;
    return start<Kind::Down>(on, a, maxGroupTiles(positions, w.experts));
}

}  // namespace trefoil::cuda
