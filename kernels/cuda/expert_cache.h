// ExpertCache: the experts of one layer whose records lie in main memory, with slots on the card for some of them. Between the
// router and the products a small pass looks up what it names, decides which slots change hands, and copies the records that are
// missing; what got no slot is read from main memory by the products themselves. Everything happens in the stream, so passes stay
// graphs and nothing waits for the host; results do not depend on what lies where.
//
// Scores (expert_scores.h): each pass that names an expert adds to its score, which halves every few passes. A missing expert
// takes the slot of the coldest one that the pass does not name, if that is colder than itself.
//
// Ownership: device memory of ModelWeights, records in its pinned memory. Errors: the launch's cudaError_t. Contract: section 5
// (results are those without a cache). Twin: decide() in expert_scores.h; tests/kernels/cuda/expert_cache_test.cu.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/expert_scores.h"
#include "kernels/cuda/pass_params.h"

namespace trefoil::cuda {

/// What a pass is to copy.
struct CacheWork {
    std::int32_t count = 0;
    std::int32_t pass = 0;  ///< passes so far: the clock of the scores
    unsigned ticket = 0;    ///< zero between kernels
    std::int32_t unused = 0;
    unsigned long long began = 0;  ///< nanoseconds
};

struct ExpertCache {
    const std::byte** table = nullptr;   ///< [E]: where each record lies now
    std::int32_t* slotOf = nullptr;      ///< [E]; -1: none
    std::int32_t* expertIn = nullptr;    ///< [slots]; -1: free
    float* score = nullptr;              ///< [E], as of pass `stamp`
    std::int32_t* stamp = nullptr;       ///< [E]
    std::int32_t* copyExpert = nullptr;  ///< [slots]: work
    std::int32_t* copySlot = nullptr;    ///< [slots]
    CacheWork* work = nullptr;           ///< [1]
    std::byte* slots = nullptr;          ///< [slotCount, recordBytes] on the card
    const std::byte* records = nullptr;  ///< [E, recordBytes] in main memory
    std::int64_t recordBytes = 0;
    int experts = 0;
    int slotCount = 0;

    [[nodiscard]] bool inUse() const { return records != nullptr; }
};

/// Empties the cache: every entry of the table names main memory.
cudaError_t clearCache(cudaStream_t stream, const ExpertCache& cache);
/// Looks up the routed entries of `active` (t rows), decides, and copies. result->missed: entries that were not on the card;
/// result->stall: microseconds from the decision to the last byte.
cudaError_t fillCache(const Launcher& on, const ExpertCache& cache, const ActiveExperts& active, int t, LayerResult* result);
/// Adds to result->missed the experts of [first, first + count) with used[e - first] = 1 that are not on the card.
cudaError_t countMissing(const Launcher& on, const ExpertCache& cache, const std::uint8_t* used, int first, int count,
                         LayerResult* result);

}  // namespace trefoil::cuda
