#include "kernels/cuda/expert_resident.h"

#include "kernels/cuda/expert_entries.cuh"
#include "kernels/cuda/resident_rows.cuh"

namespace trefoil::cuda {
namespace {

/// Warps of a block, one block a multiprocessor: as many as two stages of registers leave room for.
template <class F>
constexpr int kWarpsOf = F::kPerLoad < 4                ? 8
                         : unitLayout(F::kFormat).zeros ? 12
                                                        : 16;

/// An entry, in shared memory.
struct Listed {
    const std::byte* data;
    std::int32_t expert;
    std::uint32_t rows;
};

/// The rows; at the end, 4 KiB of sums of every warp.
__host__ __device__ constexpr int rowBytesFor(const PackedExperts& w) {
    constexpr int kSums = 16 * 4096;
    const int rows = kResidentRows * w.hidden * static_cast<int>(sizeof(Bf16));
    return rows > kSums ? rows : kSums;
}
std::size_t bytesFor(const PackedExperts& w) {
    return static_cast<std::size_t>(rowBytesFor(w)) + static_cast<std::size_t>(w.experts + 1) * sizeof(Listed);
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

/// How jobs are dealt out to `slots` warps: whole ones as long as every warp has one; what is left over is shared by up to eight
/// warps each, side by side along the columns, so that all end together.
struct JobDeal {
    static constexpr int kMostParts = 8;
    int rounds, whole, parts;

    __device__ __forceinline__ JobDeal(int total, int warps, int units) {
        const int grid = static_cast<int>(gridDim.x);
        rounds = total / (grid * warps);
        whole = rounds * grid * warps;
        const int rest = total - whole;
        parts = 1;
        while (parts < kMostParts && rest > 0 && rest <= grid * (warps / (2 * parts)) && units % (4 * parts) == 0) parts *= 2;
        if (rest > 0) ++rounds;
    }
    struct Item {
        int job, unit, count;
    };
    /// Item `round` of a warp; count 0: it has none.
    [[nodiscard]] __device__ __forceinline__ Item locate(int round, int warp, int warps, int units, int total) const {
        const int block = static_cast<int>(blockIdx.x);
        const int grid = static_cast<int>(gridDim.x);
        const int job = block + grid * (warp + warps * round);
        if (job < whole) return {job, 0, units};
        const int rest = whole + block + grid * (warp / parts);
        const bool exists = round < rounds && rest < total && warp / parts < warps / parts;
        return {rest, warp % parts * (units / parts), exists ? units / parts : 0};
    }
};

/// The rows of a warp's expert, moved together, in shared memory.
struct OwnRows {
    float weight[kResidentRows];  ///< combination weights
    std::uint8_t row[kResidentRows];

    __device__ __forceinline__ void gather(std::uint32_t mask, const float* weights) {
        const int lane = static_cast<int>(threadIdx.x) & 31;
        __syncwarp();
        if ((mask >> lane & 1U) != 0) {
            const int index = __popc(mask & ((1U << lane) - 1U));
            row[index] = static_cast<std::uint8_t>(lane);
            weight[index] = __ldcg(weights + lane);
        }
        __syncwarp();
    }
};
/// Tiles of eight rows; at least one.
__device__ __forceinline__ int tilesOf(int count) { return max(1, (count + 7) / 8); }

__device__ __forceinline__ void clearPair(float (&acc)[2][4][4]) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < 4; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) acc[i][n][j] = 0.0F;
}

/// A warp's sums to shared memory, 4 KiB, and from there to another's.
__device__ __forceinline__ void leavePart(const float (&acc)[2][4][4], float4* to, int tiles) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i)
            if (n < tiles) to[(n * 2 + i) * 32 + lane] = make_float4(acc[i][n][0], acc[i][n][1], acc[i][n][2], acc[i][n][3]);
}
__device__ __forceinline__ void addPart(float (&acc)[2][4][4], const float4* from, int tiles) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
#pragma unroll
    for (int n = 0; n < 4; ++n)
#pragma unroll
        for (int i = 0; i < 2; ++i) {
            if (n >= tiles) continue;
            const float4 part = from[(n * 2 + i) * 32 + lane];
            acc[i][n][0] += part.x;
            acc[i][n][1] += part.y;
            acc[i][n][2] += part.z;
            acc[i][n][3] += part.w;
        }
}

/// Stores what a warp has of a job: act of 16 columns.
__device__ __forceinline__ void storeJob(const float (&acc)[2][4][4], const OwnRows& own, int count, const PairJobs& jobs,
                                         int job, const PackedExperts& w, int t, Bf16* act, int pitch) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int entry = jobs.entryOf(job);
    const int column = jobs.pairOf(job) * kUnitRows;
    const int width = entry == jobs.entries - 1 ? w.sharedWidth : w.width;
    act += static_cast<std::int64_t>(entry) * t * pitch;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
        if (n * 8 >= count) break;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const int index = n * 8 + (lane & 3) * 2 + (j & 1);
            const int at = column + (lane >> 2) + (j >> 1) * 8;
            if (index < count && at < width)
                act[static_cast<std::int64_t>(own.row[index]) * pitch + at] =
                    fromFloat<Bf16>(own.weight[index] * fastSilu(acc[0][n][j]) * acc[1][n][j]);
        }
    }
}

template <class F>
__global__ void __launch_bounds__(kWarpsOf<F> * 32, 1)
    residentGateUpKernel(PackedExperts w, ActiveExperts active, ExpertEntries which, const Bf16* x, int t, bool rowsReady,
                         Bf16* act) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    __shared__ OwnRows ownRows[kWarpsOf<F>];
    const std::uint32_t rows = sharedAddress(shared);
    const int hidden = w.hidden;
    auto* listed = reinterpret_cast<Listed*>(shared + rowBytesFor(w));
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

    constexpr int kWarps = kWarpsOf<F>;
    const PairJobs jobs(w, range, which);
    const int units = hidden / kUnitColumns;
    const JobDeal deal(jobs.total, kWarps, units);
    const std::int64_t blockBytes = static_cast<std::int64_t>(units) * F::kUnitBytes;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int pitch = maxWidthOf(w);
    const auto itemOf = [&](int round) { return deal.locate(round, warp, kWarps, units, jobs.total); };
    const auto dataOf = [&](const JobDeal::Item& item) {
        return listed[jobs.entryOf(item.job)].data + 2 * jobs.pairOf(item.job) * blockBytes + item.unit * F::kUnitBytes;
    };
    JobDeal::Item item = itemOf(0);
    UnitStage<F, 2> even;
    UnitStage<F, 2> odd;
    const std::byte* data = nullptr;
    if (item.count > 0) {
        data = dataOf(item);
        even.load(data, blockBytes);
        odd.load(data + F::kUnitBytes, blockBytes);
    }
    copyAsyncWait<0>();
    __syncthreads();
    OwnRows& own = ownRows[warp];
    float acc[2][4][4];
    int count = 0;  // rows of the entry
#pragma unroll 1
    for (int round = 0; item.count > 0; ++round) {
        const Listed& entry = listed[jobs.entryOf(item.job)];
        count = __popc(entry.rows);
        own.gather(entry.rows, active.weight + static_cast<std::int64_t>(entry.expert) * kSmallRows);
        std::uint32_t places[4];
#pragma unroll
        for (int n = 0; n < 4; ++n) {
            const int index = min(n * 8 + (lane & 7), count - 1);
            places[n] = residentPlace(rows, index < 0 ? 0 : own.row[index], hidden);
        }
        clearPair(acc);
        const int tiles = tilesOf(count);
        std::uint32_t at = static_cast<std::uint32_t>(item.unit) * 256;
#pragma unroll 1
        for (int left = item.count; left > 0; left -= 2, at += 512) {
            // Two units ahead; at the end of a job, of the next one.
            if (left > 2) {
                data += 2 * F::kUnitBytes;
            } else {
                const JobDeal::Item next = itemOf(round + 1);
                data = next.count > 0 ? dataOf(next) : nullptr;
            }
            multiplyResident<F, 2, 4>(acc, even, places, at, tiles);
            if (data != nullptr) even.load(data, blockBytes);
            multiplyResident<F, 2, 4>(acc, odd, places, at + 256, tiles);
            if (data != nullptr) odd.load(data + F::kUnitBytes, blockBytes);
        }
        if (item.count < units) break;  // a part of the last job: the others' parts are added below
        storeJob(acc, own, count, jobs, item.job, w, t, act, pitch);
        item = itemOf(round + 1);
    }
    if (deal.parts == 1) return;
    // The rows are used up; their place holds the sums of the parts.
    auto* sums = reinterpret_cast<float4*>(shared);
    const bool partial = item.count > 0 && item.count < units;
    const int part = warp % deal.parts;
    __syncthreads();
    if (partial && part > 0) leavePart(acc, sums + warp * 256, tilesOf(count));
    __syncthreads();
    if (!partial || part > 0) return;
    for (int i = 1; i < deal.parts; ++i) addPart(acc, sums + (warp + i) * 256, tilesOf(count));
    storeJob(acc, own, count, jobs, item.job, w, t, act, pitch);
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
