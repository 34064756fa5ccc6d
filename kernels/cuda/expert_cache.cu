#include "kernels/cuda/expert_cache.h"

#include "kernels/cuda/route.h"

namespace trefoil::cuda {
namespace {

constexpr int kCopyThreads = 256;
constexpr int kCopyBlocks = 4;    // a multiprocessor
constexpr int kCopiesAtOnce = 4;  // 16 bytes each, a thread: 8 MB under way on a card of 132 multiprocessors

__device__ __forceinline__ unsigned long long nanoseconds() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void __launch_bounds__(256) clearKernel(ExpertCache c) {
    for (int i = static_cast<int>(threadIdx.x); i < c.experts; i += static_cast<int>(blockDim.x)) {
        c.table[i] = c.records + i * c.recordBytes;
        c.slotOf[i] = -1;
        c.score[i] = 0.0F;
        c.stamp[i] = 0;
    }
    for (int i = static_cast<int>(threadIdx.x); i < c.slotCount; i += static_cast<int>(blockDim.x)) c.expertIn[i] = -1;
    if (threadIdx.x == 0) *c.work = CacheWork{};
}

/// One block, a thread an expert and a slot. Ranks among what is missing and among what may go are counted, which needs no sort:
/// each thread looks at all others, from shared memory, all lanes of a warp at the same word.
__global__ void __launch_bounds__(kMaxExperts) decideKernel(ExpertCache c, ActiveExperts active, LayerResult* result) {
    __shared__ float missingScore[kMaxExperts];  // of an expert that is missing; else -1
    __shared__ float heat[kMaxExperts];          // of a slot; -1: free; infinite: stays
    __shared__ bool named[kMaxExperts];
    __shared__ int missingByRank[kMaxExperts];
    __shared__ int slotByRank[kMaxExperts];
    __shared__ int copies;
    gridRelease();
    gridWait();
    const int own = static_cast<int>(threadIdx.x);
    named[own] = false;
    missingScore[own] = -1.0F;
    heat[own] = INFINITY;
    if (own == 0) copies = 0;
    __syncthreads();
    const int routed = *active.count - 1;
    for (int i = own; i < routed; i += kMaxExperts) named[active.expert[i]] = true;
    const int pass = c.work->pass + 1;
    __syncthreads();
    const bool isExpert = own < c.experts;
    const bool isNamed = isExpert && named[own];
    float score = 0.0F;
    if (isExpert) score = scoreAfter(c.score[own], pass - c.stamp[own]);
    if (isNamed) {
        score += kScoreStep;
        c.score[own] = score;
        c.stamp[own] = pass;
        if (c.slotOf[own] < 0) missingScore[own] = score;
    }
    if (own < c.slotCount) {
        const int holds = c.expertIn[own];
        if (holds < 0)
            heat[own] = -1.0F;
        else if (!named[holds])
            heat[own] = scoreAfter(c.score[holds], pass - c.stamp[holds]);  // not named, so nobody writes it now
    }
    const bool isMissing = missingScore[own] >= 0.0F;  // its own entry
    const int missed = __syncthreads_count(isMissing ? 1 : 0);
    const bool mayGo = heat[own] < INFINITY;
    const int victims = __syncthreads_count(mayGo ? 1 : 0);
    if (missed > 0) {
        int rank = 0;
        if (isMissing) {
            for (int i = 0; i < c.experts; ++i)
                rank += missingScore[i] > missingScore[own] || (missingScore[i] == missingScore[own] && i < own) ? 1 : 0;
            missingByRank[rank] = own;
        }
        if (mayGo) {
            rank = 0;
            for (int i = 0; i < c.slotCount; ++i) rank += heat[i] < heat[own] || (heat[i] == heat[own] && i < own) ? 1 : 0;
            slotByRank[rank] = own;
        }
        __syncthreads();
        // The colder the slot, the warmer the expert: those that change hands come first.
        if (own < min(missed, victims)) {
            const int expert = missingByRank[own];
            const int slot = slotByRank[own];
            if (heat[slot] < missingScore[expert]) {
                const int before = c.expertIn[slot];
                if (before >= 0) {
                    c.slotOf[before] = -1;
                    c.table[before] = c.records + before * c.recordBytes;
                }
                c.expertIn[slot] = expert;
                c.slotOf[expert] = slot;
                c.table[expert] = c.slots + slot * c.recordBytes;
                c.copyExpert[own] = expert;
                c.copySlot[own] = slot;
                atomicAdd(&copies, 1);
            }
        }
    }
    __syncthreads();
    if (own != 0) return;
    c.work->count = copies;
    c.work->pass = pass;
    c.work->began = nanoseconds();
    result->missed = missed;
    result->stall = 0;
}

/// Copies records from main memory to their slots, all threads over all bytes; the last block says how long it took.
__global__ void __launch_bounds__(kCopyThreads) copyKernel(ExpertCache c, LayerResult* result) {
    gridWait();
    // Only now: what follows may begin when the copies are decided, and waits for them itself.
    gridRelease();
    const int count = c.work->count;
    const auto each = static_cast<std::int64_t>(c.recordBytes / 16);
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kCopyThreads;
    const std::int64_t total = each * count;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kCopyThreads + threadIdx.x;
    for (std::int64_t at = first; at < total; at += step * kCopiesAtOnce) {
        uint4 values[kCopiesAtOnce];
        uint4* to[kCopiesAtOnce];
#pragma unroll
        for (int i = 0; i < kCopiesAtOnce; ++i) {
            const std::int64_t chunk = at + i * step;
            to[i] = nullptr;
            if (chunk >= total) continue;
            const auto copy = static_cast<int>(chunk / each);
            const std::int64_t within = chunk - copy * each;
            values[i] = __ldcs(reinterpret_cast<const uint4*>(c.records + c.copyExpert[copy] * c.recordBytes) + within);
            to[i] = reinterpret_cast<uint4*>(c.slots + c.copySlot[copy] * c.recordBytes) + within;
        }
#pragma unroll
        for (int i = 0; i < kCopiesAtOnce; ++i)
            if (to[i] != nullptr) __stcg(to[i], values[i]);
    }
    if (count == 0) return;
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (atomicAdd(&c.work->ticket, 1U) + 1 < gridDim.x) return;
    c.work->ticket = 0;
    result->stall = static_cast<std::int32_t>((nanoseconds() - c.work->began + 500) / 1000);
}

__global__ void __launch_bounds__(kMaxExperts)
    missingKernel(ExpertCache c, const std::uint8_t* used, int first, int count, LayerResult* result) {
    gridRelease();
    gridWait();
    const int own = static_cast<int>(threadIdx.x);
    const bool missing = own < count && used[own] != 0 && c.slotOf[first + own] < 0;
    const int missed = __syncthreads_count(missing ? 1 : 0);
    if (own != 0) return;
    result->missed = (first == 0 ? 0 : result->missed) + missed;
    result->stall = 0;  // the products read main memory themselves
}

}  // namespace

cudaError_t clearCache(cudaStream_t stream, const ExpertCache& cache) {
    Launcher on;
    on.stream = stream;
    return launch(on, clearKernel, dim3(1), dim3(256), 0, cache);
}

cudaError_t fillCache(const Launcher& on, const ExpertCache& cache, const ActiveExperts& active, int t, LayerResult* result) {
    if (cache.experts > kMaxExperts || t > kSmallRows) return cudaErrorInvalidValue;
    if (const cudaError_t e = launch(on, decideKernel, dim3(1), dim3(kMaxExperts), 0, cache, active, result); e != cudaSuccess)
        return e;
    return launch(on, copyKernel, dim3(static_cast<unsigned>(kCopyBlocks * on.sms)), dim3(kCopyThreads), 0, cache, result);
}

cudaError_t countMissing(const Launcher& on, const ExpertCache& cache, const std::uint8_t* used, int first, int count,
                         LayerResult* result) {
    if (count > kMaxExperts) return cudaErrorInvalidValue;
    return launch(on, missingKernel, dim3(1), dim3(kMaxExperts), 0, cache, used, first, count, result);
}

}  // namespace trefoil::cuda
