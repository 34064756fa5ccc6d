// What the experts' products of packed weights share (expert_packed.cu, expert_resident.cu): entries of a launch and where their
// records lie.
#pragma once

#include "kernels/cuda/expert_resident.h"
#include "kernels/cuda/expert_rows.cuh"

namespace trefoil::cuda {

__host__ __device__ constexpr int maxWidthOf(const PackedExperts& w) { return w.width > w.sharedWidth ? w.width : w.sharedWidth; }

/// Where the record of a routed expert lies. Read past L1: tables change from pass to pass.
__device__ __forceinline__ const std::byte* recordOf(const PackedExperts& w, int expert) {
    if (w.table == nullptr) return w.records + static_cast<std::int64_t>(expert) * w.recordBytes;
    return reinterpret_cast<const std::byte*>(__ldcg(reinterpret_cast<const unsigned long long*>(w.table + expert)));
}

/// The entries of a launch, [base, base + entries) of `count`; the last of `count` is the shared expert.
struct EntryRange {
    int count, base, entries;

    __device__ __forceinline__ EntryRange(ExpertEntries which, int all) : count(all) {
        base = which == ExpertEntries::Shared ? all - 1 : 0;
        entries = which == ExpertEntries::All ? all : which == ExpertEntries::Routed ? all - 1 : 1;
    }
    [[nodiscard]] __device__ __forceinline__ bool isShared(int entry) const { return entry == count - 1; }
};

}  // namespace trefoil::cuda
