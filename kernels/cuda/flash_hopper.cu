#include <cuda.h>

#include <algorithm>
#include <cmath>

#include "kernels/cuda/flash_hopper.h"
#include "kernels/cuda/flash_wgmma.cuh"

namespace trefoil::cuda {
namespace {

// A block holds 128 query rows of one key/value head (row r is token r / G, query head r % G of the group), 64 in each of two
// warpgroups that compute; a third one feeds them. Sharing each tile between the two blocks of a cluster was tried: it was
// slower.

constexpr int kQueryRows = 128;
constexpr int kThreads = 384;
constexpr int kStages = 2;
constexpr int kPanelColumns = 64;  ///< 128 bytes: the span of the swizzle

template <int kDim>
struct Layout {
    static constexpr int kKeys = kDim == 256 ? 80 : 128;  ///< positions of a tile
    static constexpr int kPanels = kDim / kPanelColumns;
    static constexpr std::uint32_t kQueryPanel = kQueryRows * 128;
    static constexpr std::uint32_t kPanel = kKeys * 128;
    static constexpr std::uint32_t kTile = kPanels * kPanel;
    static constexpr std::uint32_t kKeysAt = kPanels * kQueryPanel;
    static constexpr std::uint32_t kValuesAt = kKeysAt + kStages * kTile;
    static constexpr std::uint32_t kBarriersAt = kValuesAt + kStages * kTile;
    static constexpr std::size_t kBytes = kBarriersAt + 4 * kStages * 8 + 1024;  ///< 1024 to align the base
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL)

using namespace hopper;

constexpr int kGroupRows = kQueryRows / 2;

/// What a thread needs to know of a pass. Positions and query rows fit in 32 bits.
struct Pass {
    int prefix;
    int clean;
    int t;
    int group;    ///< query heads of a key/value head
    int queries;  ///< rows of a key/value head
    /// Positions that query row `row` sees.
    [[nodiscard]] __device__ int visible(int row) const {
        const int token = row / group;
        return prefix + (token < clean ? token + 1 : t);
    }
};

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
    const __nv_bfloat162 v = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&v);
}

/// The four barriers of a stage: keys and values have come, keys and values may be overwritten.
struct Barriers {
    std::uint32_t base;
    [[nodiscard]] __device__ std::uint32_t keysFull(int stage) const { return base + stage * 8; }
    [[nodiscard]] __device__ std::uint32_t valuesFull(int stage) const { return base + (kStages + stage) * 8; }
    [[nodiscard]] __device__ std::uint32_t keysFree(int stage) const { return base + (2 * kStages + stage) * 8; }
    [[nodiscard]] __device__ std::uint32_t valuesFree(int stage) const { return base + (3 * kStages + stage) * 8; }
};

__device__ __forceinline__ void release(std::uint32_t barrier, int lane) {
    if (lane == 0) barrierArrive(barrier);
}

/// One thread asks for the tiles as their places become free.
template <int kDim>
__device__ __forceinline__ void feed(const CUtensorMap& keyMap, const CUtensorMap& valueMap, std::uint32_t base,
                                     Barriers barriers, int kvHead, int firstTile, int lastTile) {
    using L = Layout<kDim>;
    for (int tile = firstTile; tile < lastTile; ++tile) {
        const int stage = (tile - firstTile) % kStages;
        const std::uint32_t parity = ((tile - firstTile) / kStages & 1) ^ 1;
        barrierWait(barriers.keysFree(stage), parity);
        barrierExpect(barriers.keysFull(stage), L::kTile);
        tensorCopy(base + L::kKeysAt + stage * L::kTile, &keyMap, barriers.keysFull(stage), 0, tile * L::kKeys,
                   kvHead * L::kPanels);
        barrierWait(barriers.valuesFree(stage), parity);
        barrierExpect(barriers.valuesFull(stage), L::kTile);
        tensorCopy(base + L::kValuesAt + stage * L::kTile, &valueMap, barriers.valuesFull(stage), 0, tile * L::kKeys,
                   kvHead * L::kPanels);
    }
}

__device__ __forceinline__ float exponential2(float x) {
    float y = 0.0F;
    asm("ex2.approx.ftz.f32 %0, %1;\n" : "=f"(y) : "f"(x));
    return y;
}

/// What a thread has of the softmax: two rows.
struct Softmax {
    float top[2] = {-INFINITY, -INFINITY};
    float sum[2] = {0.0F, 0.0F};
};

/// Scores to exponentials; says by how much earlier results shrink.
template <int kCount>
__device__ __forceinline__ void exponentials(float (&s)[kCount], Softmax& state, float (&shrink)[2], float scale) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        float top = state.top[i];
#pragma unroll
        for (int n = 0; n < kCount / 4; ++n) top = fmaxf(top, fmaxf(s[4 * n + 2 * i], s[4 * n + 2 * i + 1]));
        top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 1));
        top = fmaxf(top, __shfl_xor_sync(0xFFFFFFFFU, top, 2));
        const float base = top == -INFINITY ? 0.0F : top * scale;
        shrink[i] = exponential2(state.top[i] * scale - base);
        state.top[i] = top;
        float sum = 0.0F;
#pragma unroll
        for (int n = 0; n < kCount / 4; ++n) {
            s[4 * n + 2 * i] = exponential2(s[4 * n + 2 * i] * scale - base);
            s[4 * n + 2 * i + 1] = exponential2(s[4 * n + 2 * i + 1] * scale - base);
            sum += s[4 * n + 2 * i] + s[4 * n + 2 * i + 1];
        }
        state.sum[i] = state.sum[i] * shrink[i] + sum;
    }
}

/// Scores of positions that a row does not see.
template <int kCount>
__device__ __forceinline__ void mask(float (&s)[kCount], int firstColumn, const int (&sees)[2]) {
#pragma unroll
    for (int n = 0; n < kCount / 4; ++n)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (firstColumn + n * 8 + (j & 1) >= sees[j >> 1]) s[4 * n + j] = -INFINITY;
}

template <int kCount>
__device__ __forceinline__ void toOperand(std::uint32_t (&p)[kCount / 2], const float (&s)[kCount]) {
#pragma unroll
    for (int i = 0; i < kCount / 2; ++i) p[i] = pack(s[2 * i], s[2 * i + 1]);
}

template <int kDim>
__device__ __forceinline__ void scores(float (&s)[Layout<kDim>::kKeys / 2], std::uint64_t queries, std::uint64_t keys) {
    using L = Layout<kDim>;
    pin(s);
    productFence();
#pragma unroll
    for (int k = 0; k < kDim / 16; ++k)
        scoreProduct<L::kKeys>(s, queries + k / 4 * (L::kQueryPanel / 16) + k % 4 * 2,
                               keys + k / 4 * (L::kPanel / 16) + k % 4 * 2, k);
    productCommit();
}

template <int kDim>
__device__ __forceinline__ void addValues(float (&o)[kDim / 2], const std::uint32_t (&p)[Layout<kDim>::kKeys / 4],
                                          std::uint64_t values) {
    pin(o);
    productFence();
#pragma unroll
    for (int k = 0; k < Layout<kDim>::kKeys / 16; ++k) valueProduct<kDim>(o, p + 4 * k, values + k * (2048 / 16));
    productCommit();
}

template <int kDim>
__device__ __forceinline__ void compute(const Bf16* q, const Pass& pass, const AttentionParts& parts, std::uint32_t base,
                                        Barriers barriers, int row0, int kvHead, int firstTile, int lastTile) {
    using L = Layout<kDim>;
    constexpr int kKeys = L::kKeys;
    const int thread = static_cast<int>(threadIdx.x) & 127;
    const int lane = thread & 31;
    const int warpgroup = static_cast<int>(threadIdx.x) / 128 - 1;
    const int queryHeads = static_cast<int>(gridDim.y) * pass.group;
    const int groupRow = row0 + warpgroup * kGroupRows;
    if (groupRow >= pass.queries) {  // no rows: only make way for the tiles
        for (int tile = firstTile; tile < lastTile; ++tile) {
            const int stage = (tile - firstTile) % kStages;
            const std::uint32_t parity = (tile - firstTile) / kStages & 1;
            barrierWait(barriers.keysFull(stage), parity);
            release(barriers.keysFree(stage), lane);
            barrierWait(barriers.valuesFull(stage), parity);
            release(barriers.valuesFree(stage), lane);
        }
        if (firstTile < lastTile) groupSync(3, 256);
        return;
    }
    constexpr int kChunks = kDim / 8;
    const int chunk = thread % kChunks;
#pragma unroll 4
    for (int row = thread / kChunks; row < kGroupRows; row += 128 / kChunks) {
        const int query = groupRow + row;
        const bool valid = query < pass.queries;
        const int token = query / pass.group;
        const int head = kvHead * pass.group + query - token * pass.group;
        copyAsync16(base + chunk / 8 * L::kQueryPanel + warpgroup * kGroupRows * 128 + swizzle128(row, chunk % 8),
                    q + (valid ? (static_cast<std::int64_t>(token) * queryHeads + head) * kDim + chunk * 8 : 0), valid);
    }
    copyAsyncCommit();

    const int passEnd = pass.prefix + pass.t;
    const int warpRow = groupRow + thread / 32 * 16;
    int sees[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) sees[i] = pass.visible(warpRow + (lane >> 2) + i * 8);
    const int leastSeen = min(pass.visible(warpRow), passEnd);
    const float scale = rsqrtf(static_cast<float>(kDim)) * 1.4426950408889634F;  // exponentials to base 2
    const std::uint64_t queryTile = rowsDescriptor(base + warpgroup * kGroupRows * 128);
    const std::uint64_t keyTile = rowsDescriptor(base + L::kKeysAt);
    const std::uint64_t valueTile = columnsDescriptor(base + L::kValuesAt, L::kPanel);
    copyAsyncWait<0>();
    proxyFence();
    groupSync(1 + warpgroup, 128);

    float o[kDim / 2];
#pragma unroll
    for (int i = 0; i < kDim / 2; ++i) o[i] = 0.0F;
    float score[kKeys / 2];
    std::uint32_t p[kKeys / 4];
    float shrink[2];
    Softmax state;
    if (firstTile < lastTile) {
        barrierWait(barriers.keysFull(0), 0);
        scores<kDim>(score, queryTile, keyTile);
        productWait<0>();
        pin(score);
        release(barriers.keysFree(0), lane);
        if ((firstTile + 1) * kKeys > leastSeen) mask(score, firstTile * kKeys + (lane & 3) * 2, sees);
        exponentials(score, state, shrink, scale);
        toOperand(p, score);
        // The scores of a tile and the values of the one before it are in work at once; the softmax runs beside the values.
        for (int tile = firstTile + 1; tile < lastTile; ++tile) {
            const int done = tile - 1 - firstTile;
            const int stage = (done + 1) % kStages;
            const int before = done % kStages;
            barrierWait(barriers.keysFull(stage), (done + 1) / kStages & 1);
            scores<kDim>(score, queryTile, keyTile + stage * (L::kTile / 16));
            barrierWait(barriers.valuesFull(before), done / kStages & 1);
            addValues<kDim>(o, p, valueTile + before * (L::kTile / 16));
            productWait<1>();
            pin(score);
            release(barriers.keysFree(stage), lane);
            if ((tile + 1) * kKeys > leastSeen) mask(score, tile * kKeys + (lane & 3) * 2, sees);
            exponentials(score, state, shrink, scale);
            productWait<0>();
            pin(o);
            release(barriers.valuesFree(before), lane);
#pragma unroll
            for (int n = 0; n < kDim / 8; ++n) {
                o[4 * n] *= shrink[0];
                o[4 * n + 1] *= shrink[0];
                o[4 * n + 2] *= shrink[1];
                o[4 * n + 3] *= shrink[1];
            }
            toOperand(p, score);
        }
        const int done = lastTile - 1 - firstTile;
        const int before = done % kStages;
        barrierWait(barriers.valuesFull(before), done / kStages & 1);
        if (lastTile * kKeys > passEnd) {
            // Positions behind the pass have weight 0, but what lies there may be no number.
            const int rows = passEnd - (lastTile - 1) * kKeys;
            for (int i = rows * 8 + thread; i < kKeys * 8; i += 128)
#pragma unroll
                for (int panel = 0; panel < L::kPanels; ++panel)
                    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};\n" ::"r"(base + L::kValuesAt + before * L::kTile +
                                                                                    panel * L::kPanel + i * 16),
                                 "r"(0)
                                 : "memory");
            proxyFence();
            groupSync(1 + warpgroup, 128);
        }
        addValues<kDim>(o, p, valueTile + before * (L::kTile / 16));
        productWait<0>();
        pin(o);
        release(barriers.valuesFree(before), lane);
    }
    const int splitAt = static_cast<int>(blockIdx.z) * pass.t;
    const auto jobOf = [&](int row) {
        const int token = row / pass.group;
        return static_cast<std::int64_t>(splitAt + token) * queryHeads + kvHead * pass.group + row - token * pass.group;
    };
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        float l = state.sum[i];
        l += __shfl_xor_sync(0xFFFFFFFFU, l, 1);
        l += __shfl_xor_sync(0xFFFFFFFFU, l, 2);
        const int row = warpRow + (lane >> 2) + i * 8;
        if ((lane & 3) == 0 && row < pass.queries) {
            const std::int64_t job = jobOf(row);
            parts.maxSum[job * 2] = state.top[i] * (scale * 0.6931471805599453F);  // back to base e
            parts.maxSum[job * 2 + 1] = l;
        }
    }
    if (firstTile == lastTile) return;  // an empty part: nobody reads more of it
    // Through shared memory, where the tiles were, so that whole rows leave at once.
    constexpr int kRowBytes = kDim * 4 + 32;  // 32: eight rows of a warp touch all banks
    static_assert(2 * kGroupRows * kRowBytes <= 2 * kStages * static_cast<int>(L::kTile));
    groupSync(3, 256);
    const std::uint32_t rowsAt = base + L::kKeysAt + warpgroup * kGroupRows * kRowBytes;
    const std::uint32_t own = rowsAt + (thread / 32 * 16 + (lane >> 2)) * kRowBytes + (lane & 3) * 8;
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n) {
        storeShared(own + n * 32, o[4 * n], o[4 * n + 1]);
        storeShared(own + 8 * kRowBytes + n * 32, o[4 * n + 2], o[4 * n + 3]);
    }
    proxyFence();
    groupSync(1 + warpgroup, 128);
    if (thread < kGroupRows && groupRow + thread < pass.queries) {
        bulkStore(parts.o + jobOf(groupRow + thread) * kDim, rowsAt + thread * kRowBytes, kDim * 4);
        bulkStoreWait();
    }
}

#endif

template <int kDim>
__global__ void __launch_bounds__(kThreads, 1)
    hopperKernel(const __grid_constant__ CUtensorMap keyMap, const __grid_constant__ CUtensorMap valueMap, const Bf16* q,
                 const PassParams* params, int t, int group, AttentionParts parts) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL)
    using L = Layout<kDim>;
    extern __shared__ std::uint8_t shared[];
    const std::uint32_t base = (sharedAddress(shared) + 1023U) & ~1023U;
    const Barriers barriers{base + L::kBarriersAt};
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        tensorPrefetch(&keyMap);
        tensorPrefetch(&valueMap);
        for (int i = 0; i < kStages; ++i) {
            barrierInit(barriers.keysFull(i), 1);
            barrierInit(barriers.valuesFull(i), 1);
            barrierInit(barriers.keysFree(i), 8);  // each warp that computes
            barrierInit(barriers.valuesFree(i), 8);
        }
        barrierInitFence();
    }
    __syncthreads();
    gridRelease();
    gridWait();
    const Pass pass{static_cast<int>(params->prefix), params->clean, t, group, t * group};
    const int kvHead = static_cast<int>(blockIdx.y);
    // The last rows of a causal pass see most: start with them, so that short ones fill the end.
    const int row0 = static_cast<int>(gridDim.x - 1 - blockIdx.x) * kQueryRows;
    const int tiles = (pass.visible(min(row0 + kQueryRows, pass.queries) - 1) + L::kKeys - 1) / L::kKeys;
    const int splits = static_cast<int>(gridDim.z);
    const int split = static_cast<int>(blockIdx.z);
    const int firstTile = tiles * split / splits;
    const int lastTile = tiles * (split + 1) / splits;
    if (thread < 128) {
        registersDown<24>();
        if (thread == 0) feed<kDim>(keyMap, valueMap, base, barriers, kvHead, firstTile, lastTile);
    } else {
        registersUp<240>();
        compute<kDim>(q, pass, parts, base, barriers, row0, kvHead, firstTile, lastTile);
    }
#endif
}

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, by the runtime: nothing here links to the driver's library.
EncodeTiled encodeTiled() {
    static const EncodeTiled found = [] {
        void* entry = nullptr;
        cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
        const cudaError_t error =
            cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &result);
#else
        const cudaError_t error = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &result);
#endif
        return error == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<EncodeTiled>(entry) : nullptr;
    }();
    return found;
}

/// Keys or values [positions, Hkv * Dh] as [panels, positions, 64]; a box is `panels` panels of a tile.
cudaError_t tensorMap(CUtensorMap& map, const Bf16* data, std::int64_t positions, int columns, int keys, int panels) {
    const EncodeTiled encode = encodeTiled();
    if (encode == nullptr) return cudaErrorNotSupported;
    const cuuint64_t sizes[3] = {kPanelColumns, static_cast<cuuint64_t>(positions),
                                 static_cast<cuuint64_t>(columns / kPanelColumns)};
    const cuuint64_t strides[2] = {static_cast<cuuint64_t>(columns) * sizeof(Bf16), kPanelColumns * sizeof(Bf16)};
    const cuuint32_t box[3] = {kPanelColumns, static_cast<cuuint32_t>(keys), static_cast<cuuint32_t>(panels)};
    const cuuint32_t steps[3] = {1, 1, 1};
    const CUresult result = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, const_cast<Bf16*>(data), sizes, strides, box, steps,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

template <int kDim>
cudaError_t hopperOf(const Launcher& on, const AttentionShape& s, const Bf16* q, const Bf16* keys, const Bf16* values,
                     std::int64_t positions, const PassParams* params, std::int64_t t, int splits, const AttentionParts& parts) {
    using L = Layout<kDim>;
    CUtensorMap maps[2];
    for (int i = 0; i < 2; ++i) {
        const cudaError_t error =
            tensorMap(maps[i], i == 0 ? keys : values, positions, s.keyValueHeads * kDim, L::kKeys, L::kPanels);
        if (error != cudaSuccess) return error;
    }
    const int group = s.queryHeads / s.keyValueHeads;
    const dim3 grid(static_cast<unsigned>((t * group + kQueryRows - 1) / kQueryRows), static_cast<unsigned>(s.keyValueHeads),
                    static_cast<unsigned>(splits));
    return launch(on, hopperKernel<kDim>, grid, dim3(kThreads), L::kBytes, maps[0], maps[1], q, params, static_cast<int>(t),
                  group, parts);
}

}  // namespace

bool flashHopperSupports(const AttentionShape& shape) { return flashSupports(shape); }

cudaError_t flashHopper(const Launcher& on, const AttentionShape& shape, const Bf16* q, const Bf16* keys, const Bf16* values,
                        std::int64_t positions, const PassParams* params, std::int64_t t, int splits,
                        const AttentionParts& parts) {
    switch (shape.headDim) {
        case 64:
            return hopperOf<64>(on, shape, q, keys, values, positions, params, t, splits, parts);
        case 128:
            return hopperOf<128>(on, shape, q, keys, values, positions, params, t, splits, parts);
        case 256:
            return hopperOf<256>(on, shape, q, keys, values, positions, params, t, splits, parts);
        default:
            return cudaErrorInvalidValue;
    }
}

}  // namespace trefoil::cuda
