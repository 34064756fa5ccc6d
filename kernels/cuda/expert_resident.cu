#include "kernels/cuda/expert_resident.h"

#include "kernels/cuda/expert_entries.cuh"
#include "kernels/cuda/resident_rows.cuh"

namespace trefoil::cuda {
namespace {

/// Warps of a block, one block a multiprocessor: as many as two stages of registers leave room for.
template <class F>
constexpr int kWarpsOf = F::kPerLoad < 4 ? 8 : unitLayout(F::kFormat).zeros ? 12 : 16;

/// An entry, in shared memory.
struct Listed {
    const std::byte* data;
    std::int32_t expert;
    std::uint32_t rows;
};

std::size_t bytesFor(const PackedExperts& w) {
    return static_cast<std::size_t>(kResidentRows) * w.hidden * sizeof(Bf16) +
           static_cast<std::size_t>(w.experts + 1) * sizeof(Listed);
}

/// Jobs: a pair of row blocks (16 gate, 16 up rows) of an entry. The shared expert's come first: they have every row.
struct PairJobs {
    int entries, routed, pairs, sharedPairs, total;

    __device__ __forceinline__ PairJobs(const PackedExperts& w, const EntryRange& range, ExpertEntries which) {
        entries = range.count;
        pairs = (w.width + kUnitRows - 1) / kUnitRows;
        sharedPairs = which == ExpertEntries::Routed ? 0 : (w.sharedWidth + kUnitRows - 1) / kUnitRows;
        routed = which == ExpertEntries::Shared ? 0 : range.count - 1;
        total = sharedPairs + routed * pairs;
    }
    [[nodiscard]] __device__ __forceinline__ int entryOf(int job) const {
        return job < sharedPairs ? entries - 1 : (job - sharedPairs) / pairs;
    }
    [[nodiscard]] __device__ __forceinline__ int pairOf(int job) const {
        return job < sharedPairs ? job : (job - sharedPairs) % pairs;
    }
};

/// The rows of an expert, moved together: lane i knows the i-th one and its weight.
struct OwnRows {
    int count = 0;
    int row = 0;
    float weight = 0.0F;

    __device__ __forceinline__ void gather(std::uint32_t mask, std::uint8_t* list, const float* weights) {
        const int lane = static_cast<int>(threadIdx.x) & 31;
        count = __popc(mask);
        if ((mask >> lane & 1U) != 0) list[__popc(mask & ((1U << lane) - 1U))] = static_cast<std::uint8_t>(lane);
        __syncwarp();
        row = count > 0 ? list[min(lane, count - 1)] : 0;
        __syncwarp();
        weight = __ldcg(weights + row);
    }
};

/// Stores what a warp has of its pair: act of columns `column` and on.
__device__ __forceinline__ void storePair(const float (&acc)[2][4][4], const OwnRows& own, int tiles, int column, int width,
                                          Bf16* act, int pitch) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        if (n >= tiles) break;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int index = n * 8 + (lane & 3) * 2 + (j & 1);
            const int row = __shfl_sync(0xFFFFFFFFU, own.row, index);
            const float weight = __shfl_sync(0xFFFFFFFFU, own.weight, index);
            const int at = column + (lane >> 2) + (j >> 1) * 8;
            if (index < own.count && at < width)
                act[static_cast<std::int64_t>(row) * pitch + at] =
                    fromFloat<Bf16>(weight * fastSilu(acc[0][n][j]) * acc[1][n][j]);
        }
    }
}

template <class F>
__global__ void __launch_bounds__(kWarpsOf<F> * 32, 1)
    residentGateUpKernel(PackedExperts w, ActiveExperts active, ExpertEntries which, const Bf16* x, int t, bool rowsReady,
                         Bf16* act) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    __shared__ std::uint8_t lists[kWarpsOf<F>][kResidentRows];
    const std::uint32_t rows = sharedAddress(shared);
    const int hidden = w.hidden;
    auto* listed = reinterpret_cast<Listed*>(shared + static_cast<std::size_t>(kResidentRows) * hidden * sizeof(Bf16));
    if (rowsReady) fetchResident(rows, x, hidden, t, kResidentRows, hidden);
    gridWait();
    // Only now: what the router leaves is then there for the second product as soon as that starts.
    gridRelease();
    if (!rowsReady) fetchResident(rows, x, hidden, t, kResidentRows, hidden);
    copyAsyncCommit();
    const EntryRange range(which, __ldcg(active.count));
    for (int i = static_cast<int>(threadIdx.x); i < range.count; i += static_cast<int>(blockDim.x)) {
        Entry entry;
        entry.load(active, i, t);
        listed[i] = {range.isShared(i) ? w.sharedGateUpData : recordOf(w, entry.expert), entry.expert,
                     static_cast<std::uint32_t>(entry.rows)};
    }
    __syncthreads();

    const PairJobs jobs(w, range, which);
    const int units = hidden / kUnitColumns;
    const std::int64_t blockBytes = static_cast<std::int64_t>(units) * F::kUnitBytes;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int stride = static_cast<int>(gridDim.x) * kWarpsOf<F>;
    const int pitch = maxWidthOf(w);
    const auto dataOf = [&](int job) { return listed[jobs.entryOf(job)].data + 2 * jobs.pairOf(job) * blockBytes; };
    int job = static_cast<int>(blockIdx.x) + static_cast<int>(gridDim.x) * warp;
    UnitStage<F, 2> even;
    UnitStage<F, 2> odd;
    const std::byte* data = nullptr;
    if (job < jobs.total) {
        data = dataOf(job);
        even.load(data, blockBytes);
        odd.load(data + F::kUnitBytes, blockBytes);
    }
    copyAsyncWait<0>();
    __syncthreads();
#pragma unroll 1
    while (job < jobs.total) {
        const int entry = jobs.entryOf(job);
        OwnRows own;
        own.gather(listed[entry].rows, lists[warp], active.weight + static_cast<std::int64_t>(listed[entry].expert) * kSmallRows);
        const int tiles = max(1, (own.count + 7) / 8);
        std::uint32_t places[4];
#pragma unroll
        for (int n = 0; n < 4; ++n)
            places[n] = residentPlace(rows, __shfl_sync(0xFFFFFFFFU, own.row, n * 8 + (lane & 7)), hidden);
        const int next = job + stride;
        const std::byte* nextData = next < jobs.total ? dataOf(next) : nullptr;
        float acc[2][4][4] = {};
        const std::byte* ahead = data;
#pragma unroll 1
        for (int unit = 0; unit < units; unit += 2) {
            // Two units ahead; at the end of a job, of the next one.
            ahead = unit + 2 < units ? ahead + 2 * F::kUnitBytes : nextData;
            multiplyResident<F, 2, 4>(acc, even, places, static_cast<std::uint32_t>(unit) * 256, tiles);
            if (ahead != nullptr) even.load(ahead, blockBytes);
            multiplyResident<F, 2, 4>(acc, odd, places, static_cast<std::uint32_t>(unit + 1) * 256, tiles);
            if (ahead != nullptr) odd.load(ahead + F::kUnitBytes, blockBytes);
        }
        storePair(acc, own, tiles, jobs.pairOf(job) * kUnitRows, entry == range.count - 1 ? w.sharedWidth : w.width,
                  act + static_cast<std::int64_t>(entry) * t * pitch, pitch);
        job = next;
        data = nextData;
    }
}

}  // namespace

bool residentGateUpSupports(const Launcher& on, const PackedExperts& w, int t) {
    return t > 8 && t <= kResidentRows && w.hidden % (2 * kUnitColumns) == 0 && bytesFor(w) + 4096 <= on.sharedBytes;
}

cudaError_t residentGateUp(const Launcher& on, PackFormat format, const PackedExperts& w, const ActiveExperts& active,
                           ExpertEntries which, const Bf16* x, int t, bool rowsReady, Bf16* act) {
    return withPackFormat(format, [&](auto chosen) {
        using F = decltype(chosen);
        return launch(on, residentGateUpKernel<F>, dim3(static_cast<unsigned>(on.sms)), dim3(kWarpsOf<F> * 32), bytesFor(w), w,
                      active, which, x, t, rowsReady, act);
    });
}

}  // namespace trefoil::cuda
