// Devices: what this program can run on, and how a checkpoint becomes an Executor on one of them.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/runtime/cpu_executor.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/gpu_choice.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trefoil {

struct DeviceInfo {
    std::string id;  ///< "cpu", "cuda:0"; of several GPUs together "cuda:0,cuda:1"
    std::string name;
    bool usable = false;
    std::string reason;             ///< why not, when not usable
    std::uint64_t memoryTotal = 0;  ///< bytes
    std::uint64_t memoryFree = 0;   ///< bytes; what is available now
};

/// The CPU and whatever the GPU plugin reports; unusable devices say why.
[[nodiscard]] std::vector<DeviceInfo> listDevices();

/// What a loaded model holds on its device, and would give back.
struct ModelFootprint {
    std::string deviceId;  ///< "cpu", "cuda:0", "cuda:0,cuda:1"; empty: there is no model
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> partBytes = {};  ///< where deviceId names several GPUs: on each
};

struct DeviceOptions {
    std::string device = "auto";    ///< "auto", "cpu", "cuda", "cuda:N", or "cuda:0,cuda:1": layers split over these
    int threads = 0;                ///< CPU threads; 0: all cores
    std::int64_t context = 0;       ///< positions to plan for; 0, or more than the model has: the model's
    std::uint64_t memoryLimit = 0;  ///< most main memory that models may take together, in bytes; 0: what is free
    ModelFootprint inUse = {};      ///< the model in use, which can be let go for the new one
    /// Bytes of each GPU that this program may take in all; experts that do not fit stay in main memory. 0: what is free, and
    /// then all experts must fit.
    std::uint64_t gpuMemory = 0;
};

/// The device that `options` lead to.
struct DeviceChoice {
    std::vector<int> gpus;        ///< CUDA's numbers, a part of the layers on each; empty: the CPU
    MemoryPlan plan;              ///< of all parts together
    std::vector<PartPlan> parts;  ///< one for each of `gpus`
    std::string note;             ///< of "auto": why the CPU was taken although there is a GPU; otherwise empty
    MemoryFit fit = MemoryFit::Fits;

    [[nodiscard]] std::string id() const { return gpus.empty() ? "cpu" : gpusId(gpus); }
};

/// What a checkpoint would take on one device, or on several GPUs together.
struct DevicePlan {
    DeviceInfo device;
    std::optional<MemoryPlan> plan;  ///< absent: `problem` says why
    std::vector<PartPlan> parts;     ///< of a GPU's plan: its layers, GPU by GPU
    MemoryFit fit = MemoryFit::DoesNotFit;
    std::string problem;  ///< why the model cannot run there; empty when it can
};

/// One for each of listDevices(), from headers alone; where `options` name several GPUs, or the machine has several, one more for
/// these together.
[[nodiscard]] std::vector<DevicePlan> planDevices(const Checkpoint& checkpoint, const DeviceOptions& options);

/// "auto" and "cuda": the first GPU that the plan fits (beside the model in use if one does), otherwise as few GPUs together as
/// it fits, those with the most free memory; where none does, the CPU for "auto" and the first GPU for "cuda". A device that was
/// named and cannot be used is an error with the reason. From headers alone; whether the plan fits a named device is for the
/// caller to see.
[[nodiscard]] Result<DeviceChoice> chooseDevice(const Checkpoint& checkpoint, const DeviceOptions& options);

/// Loads the weights onto a chosen device. DoesNotFit, with the numbers, before anything is read: also of a choice that fits
/// alone only, so choose anew once the model in use is gone.
Result<std::unique_ptr<Executor>> makeExecutor(const Checkpoint& checkpoint, const DeviceChoice& choice,
                                               const DeviceOptions& options, const LoadProgress& progress,
                                               const CancelFlag* cancel);

}  // namespace trefoil
