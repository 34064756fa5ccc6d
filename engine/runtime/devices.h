// Devices: what this program can run on, and how a checkpoint becomes an Executor on one of them.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/runtime/cpu_executor.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trefoil {

struct DeviceInfo {
    std::string id;  ///< "cpu", "cuda:0"
    std::string name;
    bool usable = false;
    std::string reason;             ///< why not, when not usable
    std::uint64_t memoryTotal = 0;  ///< bytes
    std::uint64_t memoryFree = 0;   ///< bytes; what is available now
};

/// The CPU and whatever the GPU plugin reports; unusable devices say why.
[[nodiscard]] std::vector<DeviceInfo> listDevices();

struct DeviceOptions {
    std::string device = "auto";  ///< "auto", "cpu", "cuda", "cuda:N"
    int threads = 0;              ///< CPU threads; 0: all cores
    std::int64_t context = 0;     ///< positions to plan for; 0: the model's
};

/// The device that `options` lead to.
struct DeviceChoice {
    int cuda = -1;  ///< CUDA's number; -1: the CPU
    MemoryPlan plan;
    std::string note;  ///< of "auto": why the CPU was taken although there is a GPU; otherwise empty

    [[nodiscard]] std::string id() const { return cuda < 0 ? "cpu" : "cuda:" + std::to_string(cuda); }
};

/// "auto": the first GPU that the plan fits, otherwise the CPU. A device that was named and cannot be used is an error with the
/// reason. From headers alone; whether the plan fits a named device is for the caller to see.
[[nodiscard]] Result<DeviceChoice> chooseDevice(const Checkpoint& checkpoint, const DeviceOptions& options);

/// Loads the weights onto a chosen device. DoesNotFit, with the numbers, before anything is read.
Result<std::unique_ptr<Executor>> makeExecutor(const Checkpoint& checkpoint, const DeviceChoice& choice,
                                               const DeviceOptions& options, const LoadProgress& progress,
                                               const CancelFlag* cancel);

}  // namespace trefoil
