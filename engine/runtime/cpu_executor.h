// CpuExecutor: the model on the CPU, float32 activations, weights in the type of the checkpoint (BF16, F16 or F32).
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace trefoil {

/// Bytes done and bytes in all. Called from the loading thread, at most every few MB.
using LoadProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct CpuOptions {
    int threads = 0;           ///< 0: as many as there are cores
    std::int64_t context = 0;  ///< positions to plan K and V for; 0: max_position_embeddings. They are allocated as they fill.
};

/// Bytes the checkpoint will take on the CPU, from headers alone.
[[nodiscard]] MemoryPlan planCpuMemory(const Checkpoint& checkpoint, const CpuOptions& options);

/// Reads all weights and returns an executor. Cancelled when `cancel` is requested meanwhile (may be nullptr).
Result<std::unique_ptr<Executor>> makeCpuExecutor(const Checkpoint& checkpoint, const CpuOptions& options,
                                                  const LoadProgress& progress, const CancelFlag* cancel);

}  // namespace trefoil
