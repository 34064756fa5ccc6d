#include "kernels/cuda/head.h"

namespace trefoil::cuda {
namespace {

constexpr int kMergeThreads = 128;
constexpr int kChooseThreads = 1024;

struct Pair {
    float value;
    float noise;
    int id;
};

/// The best of every thread's pair, to all threads. `before(a, b)`: a ranks before b. scratch: 33 pairs.
template <class Before>
__device__ Pair blockBest(Pair own, Pair* scratch, Before before) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const auto reduce = [&](Pair p) {
        for (int d = 16; d > 0; d >>= 1) {
            const Pair other{__shfl_xor_sync(0xFFFFFFFFU, p.value, d), __shfl_xor_sync(0xFFFFFFFFU, p.noise, d),
                             __shfl_xor_sync(0xFFFFFFFFU, p.id, d)};
            if (before(other, p)) p = other;
        }
        return p;
    };
    own = reduce(own);
    __syncthreads();
    if (lane == 0) scratch[warp] = own;
    __syncthreads();
    own = lane < static_cast<int>(blockDim.x) >> 5 ? scratch[lane] : Pair{-INFINITY, 0.0F, -1};
    return reduce(own);
}

__device__ bool largerLogit(const Pair& a, const Pair& b) { return ranksBefore(a.value, a.id, b.value, b.id); }

/// Merges every thread's summary; fills what all modes share and returns maximum and sum.
__device__ float2 mergeSummaries(RowSummary& own, Pair* scratch, float* sums, RowResult* result) {
    const Pair top =
        blockBest(Pair{own.max, 0.0F, own.max > -INFINITY ? static_cast<int>(threadIdx.x) : -1}, scratch, largerLogit);
    const float max = top.value;
    const float sum = blockSum(own.max > -INFINITY ? own.sum * expf(own.max - max) : 0.0F, sums);
    int next = 0;
    for (int i = 0; i < kTop; ++i) {
        Pair head{-INFINITY, 0.0F, -1};
#pragma unroll
        for (int j = 0; j < kTop; ++j)
            if (j == next) head = Pair{own.topLogits[j], 0.0F, own.topIds[j]};
        const Pair best = blockBest(head, scratch, largerLogit);
        if (best.id >= 0 && best.id == head.id) ++next;
        if (threadIdx.x == 0) {
            result->topIds[i] = best.id;
            result->topProbabilities[i] = best.id >= 0 ? expf(best.value - max) / sum : 0.0F;
            if (i == 0) {
                result->token = best.id;
                result->confidence = expf(best.value - max) / sum;
            }
        }
    }
    return make_float2(max, sum);
}

__device__ void writeCandidate(const RowSummary& own, float2 maxSum, float temperature, Pair* scratch, RowResult* result) {
    const Pair best = blockBest(Pair{own.bestLogit, own.bestNoise, own.bestId}, scratch, [&](const Pair& a, const Pair& b) {
        return samplesBefore(a.value, a.noise, a.id, b.value, b.noise, b.id, temperature);
    });
    if (threadIdx.x == 0) {
        result->token = best.id;
        result->confidence = expf(best.value - maxSum.x) / maxSum.y;
    }
}

__global__ void __launch_bounds__(kMergeThreads)
    mergeKernel(const HeadRecord* records, int count, const PassParams* params, bool sample, RowResult* results) {
    __shared__ Pair scratch[33];
    __shared__ float sums[32];
    gridRelease();
    gridWait();
    const std::int64_t row = blockIdx.x;
    RowSummary own;
    const float temperature = params->temperature;
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kMergeThreads) {
        const HeadRecord& r = records[row * count + i];
        own.addSum(r.max, r.sum);
        for (int j = 0; j < kTop; ++j) own.addTop(r.topLogits[j], r.topIds[j]);
        if (sample) own.addCandidate(r.bestLogit, r.bestNoise, r.bestId, temperature);
    }
    const float2 maxSum = mergeSummaries(own, scratch, sums, results + row);
    if (sample) writeCandidate(own, maxSum, temperature, scratch, results + row);
}

/// State of the search for the smallest probability that top_k and top_p leave.
struct Cut {
    unsigned int histogram[256];
    unsigned long long mass[256];
    unsigned int bits;          // bits of the value found so far
    unsigned int rank;          // how many of the remaining range are still wanted
    unsigned long long wanted;  // mass still wanted
    unsigned int lastId;        // of the values equal to the cut, ids up to this one stay
};

constexpr float kMassUnit = 1099511627776.0F;  // 2^40: masses are added as integers, so that no order changes them

/// Probability of one token at the sampling temperature.
__device__ __forceinline__ float sampleProbability(float l, float max, float temperature, float sum) {
    return expf(l / temperature - max / temperature) / sum;
}

/// Bits of the k-th largest probability of the row (equal ones counted each).
__device__ void findTopK(Cut& cut, const float* l, std::int64_t vocab, int k, float max, float temperature, float sum) {
    if (threadIdx.x == 0) {
        cut.bits = 0;
        cut.rank = static_cast<unsigned>(k);
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int i = static_cast<int>(threadIdx.x); i < 256; i += kChooseThreads) cut.histogram[i] = 0;
        __syncthreads();
        const unsigned known = shift == 24 ? 0 : cut.bits >> (shift + 8);
        for (std::int64_t i = threadIdx.x; i < vocab; i += kChooseThreads) {
            const unsigned bits = __float_as_uint(sampleProbability(l[i], max, temperature, sum));
            if (shift == 24 || bits >> (shift + 8) == known) atomicAdd(&cut.histogram[bits >> shift & 255], 1U);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int digit = 255;
            while (digit > 0 && cut.histogram[digit] < cut.rank) cut.rank -= cut.histogram[digit--];
            cut.bits |= static_cast<unsigned>(digit) << shift;
        }
        __syncthreads();
    }
}

/// Bits of the smallest probability, at least `floorBits`, in the shortest head of the descending order whose mass reaches topP.
__device__ void findTopP(Cut& cut, const float* l, std::int64_t vocab, float topP, unsigned floorBits, float max,
                         float temperature, float sum) {
    const auto massOf = [](float p) { return static_cast<unsigned long long>(p * kMassUnit); };
    if (threadIdx.x == 0) cut.wanted = 0;
    __syncthreads();
    unsigned long long own = 0;
    for (std::int64_t i = threadIdx.x; i < vocab; i += kChooseThreads) {
        const float p = sampleProbability(l[i], max, temperature, sum);
        if (__float_as_uint(p) >= floorBits) own += massOf(p);
    }
    atomicAdd(&cut.wanted, own);
    __syncthreads();
    if (threadIdx.x == 0) {
        cut.wanted = static_cast<unsigned long long>(static_cast<double>(topP) * static_cast<double>(cut.wanted));
        if (cut.wanted == 0) cut.wanted = 1;
        cut.bits = 0;
    }
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int i = static_cast<int>(threadIdx.x); i < 256; i += kChooseThreads) cut.mass[i] = 0;
        __syncthreads();
        const unsigned known = shift == 24 ? 0 : cut.bits >> (shift + 8);
        for (std::int64_t i = threadIdx.x; i < vocab; i += kChooseThreads) {
            const float p = sampleProbability(l[i], max, temperature, sum);
            const unsigned bits = __float_as_uint(p);
            if (bits >= floorBits && (shift == 24 || bits >> (shift + 8) == known))
                atomicAdd(&cut.mass[bits >> shift & 255], massOf(p));
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int digit = 255;
            while (digit > 0 && cut.mass[digit] < cut.wanted) cut.wanted -= cut.mass[digit--];
            cut.bits |= static_cast<unsigned>(digit) << shift;
        }
        __syncthreads();
    }
    // Equal probabilities: lower ids first, as many as the rest of the mass asks for.
    const float value = __uint_as_float(cut.bits);
    const unsigned long long each = massOf(value);
    const unsigned long long keep = each == 0 ? ~0ULL : (cut.wanted + each - 1) / each;
    unsigned long long seen = 0;
    if (threadIdx.x == 0) cut.lastId = 0xFFFFFFFFU;
    __syncthreads();
    for (std::int64_t first = 0; first < vocab && each != 0; first += kChooseThreads) {
        const std::int64_t i = first + threadIdx.x;
        const bool equal = i < vocab && __float_as_uint(sampleProbability(l[i], max, temperature, sum)) == cut.bits;
        const auto n = static_cast<unsigned long long>(__syncthreads_count(equal ? 1 : 0));
        if (seen + n >= keep) {
            if (threadIdx.x == 0) {
                std::int64_t id = first;
                for (;; ++id)
                    if (__float_as_uint(sampleProbability(l[id], max, temperature, sum)) == cut.bits && ++seen == keep) break;
                cut.lastId = static_cast<unsigned>(id);
            }
            break;
        }
        seen += n;
    }
    __syncthreads();
}

__global__ void __launch_bounds__(kChooseThreads) chooseKernel(float* logits, std::int64_t vocab, const PassParams* params,
                                                               ControlTables tables, bool sample, RowResult* results) {
    __shared__ Pair scratch[33];
    __shared__ float sums[32];
    __shared__ Cut cut;
    gridRelease();
    gridWait();
    const int row = static_cast<int>(blockIdx.x);
    float* l = logits + row * vocab;
    const float temperature = params->temperature;
    const int topK = params->topK;
    const bool truncates = sample && (params->topP < 1.0F || (topK > 0 && topK < vocab));
    const std::uint64_t key = noiseKey(params->seed, params->position[row], params->step);
    RowSummary own;
    for (std::int64_t i = threadIdx.x; i < vocab; i += kChooseThreads) {
        const int id = static_cast<int>(i);
        const float v = adjustLogit(*params, lookUp(tables, id), row, id, l[i]);
        l[i] = v;
        own.addSum(v, 1.0F);
        own.addTop(v, id);
        if (sample && !truncates) own.addCandidate(v, gumbel(key, id), id, temperature);
    }
    const float2 maxSum = mergeSummaries(own, scratch, sums, results + row);
    if (!sample) return;
    if (!truncates) {
        writeCandidate(own, maxSum, temperature, scratch, results + row);
        return;
    }
    float part = 0.0F;
    for (std::int64_t i = threadIdx.x; i < vocab; i += kChooseThreads) part += expf(l[i] / temperature - maxSum.x / temperature);
    const float sum = blockSum(part, sums);
    unsigned floorBits = 0;
    if (topK > 0 && topK < vocab) {
        findTopK(cut, l, vocab, topK, maxSum.x, temperature, sum);
        floorBits = cut.bits;
        __syncthreads();
    }
    unsigned lastId = 0xFFFFFFFFU;
    if (params->topP < 1.0F) {
        findTopP(cut, l, vocab, params->topP, floorBits, maxSum.x, temperature, sum);
        floorBits = cut.bits;
        lastId = cut.lastId;
    }
    Pair best{-INFINITY, 0.0F, -1};
    for (std::int64_t i = threadIdx.x; i < vocab; i += kChooseThreads) {
        const float p = sampleProbability(l[i], maxSum.x, temperature, sum);
        const unsigned bits = __float_as_uint(p);
        if (p == 0.0F || bits < floorBits || (bits == floorBits && static_cast<unsigned>(i) > lastId)) continue;
        const Pair next{logf(p) + gumbel(key, static_cast<int>(i)), l[i], static_cast<int>(i)};
        if (largerLogit(next, best)) best = next;
    }
    best = blockBest(best, scratch, largerLogit);
    if (threadIdx.x == 0 && best.id >= 0) {
        results[row].token = best.id;
        results[row].confidence = expf(best.noise - maxSum.x) / maxSum.y;
    }
}

}  // namespace

cudaError_t mergeRecords(const Launcher& on, const HeadRecord* records, int count, int t, const PassParams* params, bool sample,
                         RowResult* results) {
    return launch(on, mergeKernel, dim3(static_cast<unsigned>(t)), dim3(kMergeThreads), 0, records, count, params, sample,
                  results);
}

cudaError_t chooseRows(const Launcher& on, float* logits, std::int64_t vocab, int t, const PassParams* params,
                       const ControlTables& tables, bool sample, RowResult* results) {
    return launch(on, chooseKernel, dim3(static_cast<unsigned>(t)), dim3(kChooseThreads), 0, logits, vocab, params, tables,
                  sample, results);
}

}  // namespace trefoil::cuda
