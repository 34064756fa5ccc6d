#include "kernels/cuda/unpack.h"

#include "kernels/cuda/packed_formats.cuh"

namespace trefoil::cuda {
namespace {

constexpr int kWarps = 8;

/// Items of one format that are unpacked alike.
struct Items {
    const std::byte* data = nullptr;          ///< item i at i · stride, where there is no table
    const std::byte* const* table = nullptr;  ///< where item i lies
    std::int64_t stride = 0;
    std::int64_t skip = 0;               ///< from there to the matrix
    const std::uint8_t* used = nullptr;  ///< by item; null: all
    std::int64_t rows = 0;               ///< of an item; pairs: 2 · width
    std::int64_t columns = 0;
    bool paired = false;
};

/// Which row of the matrix row `row` of block `block` is; -1 where it fills up.
__device__ __forceinline__ std::int64_t rowOf(const Items& items, std::int64_t block, int row) {
    if (!items.paired) {
        const std::int64_t own = block * kUnitRows + row;
        return own < items.rows ? own : -1;
    }
    const std::int64_t width = items.rows / 2;
    const std::int64_t own = (block >> 1) * kUnitRows + row;
    return own < width ? (block & 1) * width + own : -1;
}

__device__ __forceinline__ void store(Bf16* to, Bf16 value) { *to = value; }
__device__ __forceinline__ void store(float* to, Bf16 value) { *to = __bfloat162float(value); }

/// A warp a unit: fragments to shared memory, rows from there. A row of 128 values is padded by 16 bytes: the eight rows that a
/// fragment writes to then lie 4 banks apart.
template <class F, class T>
__global__ void __launch_bounds__(kWarps * 32) unpackKernel(Items items, T* out) {
    constexpr int kPitch = kUnitColumns + 8;
    __shared__ __align__(16) Bf16 tiles[kWarps][kUnitRows * kPitch];
    gridRelease();
    gridWait();
    const int item = static_cast<int>(blockIdx.y);
    if (items.used != nullptr && items.used[item] == 0) return;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const std::int64_t units = (items.columns + kUnitColumns - 1) / kUnitColumns;
    const std::int64_t rowsHere = items.paired ? items.rows / 2 : items.rows;
    const std::int64_t blocks = (rowsHere + kUnitRows - 1) / kUnitRows * (items.paired ? 2 : 1);
    const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kWarps + warp;
    if (index >= units * blocks) return;
    const std::byte* data =
        items.table == nullptr
            ? items.data + item * items.stride
            : reinterpret_cast<const std::byte*>(__ldcg(reinterpret_cast<const unsigned long long*>(items.table + item)));
    const FromMemory unit{data + items.skip + index * F::kUnitBytes};
    Bf16* tile = tiles[warp];
    const typename F::Scales scales = F::load(unit, lane);
    uint4 raw[8 / F::kPerLoad];
#pragma unroll
    for (int i = 0; i < 8 / F::kPerLoad; ++i) raw[i] = unit.at(i * 512 + lane * 16).load16();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
        std::uint32_t a[4];
        F::values(a, raw[kk / F::kPerLoad], kk % F::kPerLoad, kk, scales);
#pragma unroll
        for (int i = 0; i < 4; ++i)
            *reinterpret_cast<std::uint32_t*>(tile + ((lane >> 2) + (i & 1) * 8) * kPitch + kk * 16 + (i >> 1) * 8 +
                                              (lane & 3) * 2) = a[i];
    }
    __syncwarp();
    const std::int64_t block = index / units;
    const std::int64_t column = index % units * kUnitColumns + (lane & 15) * 8;
    T* matrix = out + static_cast<std::int64_t>(item) * items.rows * items.columns;
    for (int i = 0; i < kUnitRows / 2; ++i) {
        const int row = i * 2 + (lane >> 4);
        const std::int64_t to = rowOf(items, block, row);
        if (to < 0) continue;
        const Bf16* from = tile + row * kPitch + (lane & 15) * 8;
        T* destination = matrix + to * items.columns + column;
        if constexpr (std::is_same_v<T, Bf16>) {
            if (items.columns % 8 == 0) {
                if (column < items.columns) *reinterpret_cast<uint4*>(destination) = *reinterpret_cast<const uint4*>(from);
                continue;
            }
        }
        for (int c = 0; c < 8 && column + c < items.columns; ++c) store(destination + c, from[c]);
    }
}

cudaError_t unpack(const Launcher& on, PackFormat format, const Items& items, int count, WeightFormat to, void* out) {
    const std::int64_t blocks = items.paired ? 2 * rowBlocksOf(items.rows / 2) : rowBlocksOf(items.rows);
    const std::int64_t warps = blocks * unitsOf(items.columns);
    const dim3 grid(static_cast<unsigned>((warps + kWarps - 1) / kWarps), static_cast<unsigned>(count));
    if (warps == 0 || count == 0) return cudaSuccess;
    return withPackFormat(format, [&](auto chosen) {
        using F = decltype(chosen);
        if (to == WeightFormat::BFloat16)
            return launch(on, unpackKernel<F, Bf16>, grid, dim3(kWarps * 32), 0, items, static_cast<Bf16*>(out));
        return launch(on, unpackKernel<F, float>, grid, dim3(kWarps * 32), 0, items, static_cast<float*>(out));
    });
}

constexpr int kSliceThreads = 1024;

/// One block. Tiles are in the order of experts, so those of a slice lie together.
__global__ void __launch_bounds__(kSliceThreads)
    sliceKernel(ExpertGroups groups, int experts, int first, int count, bool last, ExpertSlice slice) {
    __shared__ int from;
    __shared__ int tiles;
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
        from = INT32_MAX;
        tiles = 0;
    }
    for (int i = thread; i < count; i += kSliceThreads) slice.used[i] = 0;
    __syncthreads();
    const int all = *groups.tileCount;
    const auto inSlice = [&](int expert) { return (expert >= first && expert < first + count) || (last && expert == experts); };
    for (int i = thread; i < all; i += kSliceThreads) {
        const int expert = groups.tiles[i].expert;
        if (!inSlice(expert)) continue;
        atomicMin(&from, i);
        atomicAdd(&tiles, 1);
        if (expert < experts) slice.used[expert - first] = 1;
    }
    __syncthreads();
    for (int i = thread; i < tiles; i += kSliceThreads) {
        GroupTile tile = groups.tiles[from + i];
        tile.expert = tile.expert == experts ? count : tile.expert - first;
        slice.tiles[i] = tile;
    }
    if (thread == 0) *slice.tileCount = tiles;
}

}  // namespace

cudaError_t unpackMatrix(const Launcher& on, const WeightMatrix& matrix, WeightFormat to, void* out) {
    const std::int64_t size = to == WeightFormat::BFloat16 ? 2 : 4;
    for (int i = 0; i < matrix.segments; ++i) {
        const PackedSegment& s = matrix.segment[i];
        Items items;
        items.data = s.data;
        items.rows = s.rows;
        items.columns = matrix.columns;
        if (const cudaError_t e =
                unpack(on, s.format, items, 1, to, static_cast<std::byte*>(out) + s.first * matrix.columns * size);
            e != cudaSuccess)
            return e;
    }
    return cudaSuccess;
}

cudaError_t unpackExperts(const Launcher& on, const PackedExperts& w, int first, int count, const std::uint8_t* used,
                          WeightFormat to, void* gateUp, void* down) {
    Items items;
    items.data = w.records == nullptr ? nullptr : w.records + first * w.recordBytes;
    items.table = w.table == nullptr ? nullptr : w.table + first;
    items.stride = w.recordBytes;
    items.used = used;
    items.rows = 2LL * w.width;
    items.columns = w.hidden;
    items.paired = true;
    if (const cudaError_t e = unpack(on, w.gateUp, items, count, to, gateUp); e != cudaSuccess) return e;
    items.skip = w.downAt;
    items.rows = w.hidden;
    items.columns = w.width;
    items.paired = false;
    return unpack(on, w.down, items, count, to, down);
}

cudaError_t unpackShared(const Launcher& on, const PackedExperts& w, WeightFormat to, void* gateUp, void* down) {
    Items items;
    items.data = w.sharedGateUpData;
    items.rows = 2LL * w.sharedWidth;
    items.columns = w.hidden;
    items.paired = true;
    if (const cudaError_t e = unpack(on, w.sharedGateUp, items, 1, to, gateUp); e != cudaSuccess) return e;
    items.data = w.sharedDownData;
    items.rows = w.hidden;
    items.columns = w.sharedWidth;
    items.paired = false;
    return unpack(on, w.sharedDown, items, 1, to, down);
}

cudaError_t sliceGroups(const Launcher& on, const ExpertGroups& groups, int experts, int first, int count, bool last,
                        const ExpertSlice& slice) {
    return launch(on, sliceKernel, dim3(1), dim3(kSliceThreads), 0, groups, experts, first, count, last, slice);
}

}  // namespace trefoil::cuda
