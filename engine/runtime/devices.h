// Devices: what this program can run on, and how a checkpoint becomes an Executor on one of them.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/runtime/cpu_executor.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <memory>
#include <optional>
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

/// What a loaded model holds on its device, and would give back.
struct ModelFootprint {
    std::string deviceId;  ///< "cpu", "cuda:0"; empty: there is no model
    std::uint64_t bytes = 0;
};

struct DeviceOptions {
    std::string device = "auto";    ///< "auto", "cpu", "cuda", "cuda:N"
    int threads = 0;                ///< CPU threads; 0: all cores
    std::int64_t context = 0;       ///< positions to plan for; 0, or more than the model has: the model's
    std::uint64_t memoryLimit = 0;  ///< most main memory that models may take together, in bytes; 0: what is free
    ModelFootprint inUse = {};      ///< the model in use, which can be let go for the new one
};

/// Whether a plan fits a device's free memory.
enum class MemoryFit : std::uint8_t {
    Fits,
    FitsAlone,  ///< only when the model in use is let go first
    DoesNotFit,
};

/// Of the CPU's plan, keys and values grow with use and need not fit beforehand. `reclaimable`: bytes that letting go of the
/// model in use gives back on this device. An unknown `available` (0) fits.
[[nodiscard]] MemoryFit memoryFit(const MemoryPlan& plan, bool onCpu, std::uint64_t reclaimable);

/// The device that `options` lead to.
struct DeviceChoice {
    int cuda = -1;  ///< CUDA's number; -1: the CPU
    MemoryPlan plan;
    std::string note;  ///< of "auto": why the CPU was taken although there is a GPU; otherwise empty
    MemoryFit fit = MemoryFit::Fits;

    [[nodiscard]] std::string id() const { return cuda < 0 ? "cpu" : "cuda:" + std::to_string(cuda); }
};

/// What a checkpoint would take on one device.
struct DevicePlan {
    DeviceInfo device;
    std::optional<MemoryPlan> plan;  ///< absent: `problem` says why
    MemoryFit fit = MemoryFit::DoesNotFit;
    std::string problem;  ///< why the model cannot run there; empty when it can
};

/// One for each of listDevices(), from headers alone.
[[nodiscard]] std::vector<DevicePlan> planDevices(const Checkpoint& checkpoint, const DeviceOptions& options);

/// "auto": the first GPU that the plan fits (beside the model in use if one does), otherwise the CPU. A device that was named and
/// cannot be used is an error with the reason. From headers alone; whether the plan fits a named device is for the caller to see.
[[nodiscard]] Result<DeviceChoice> chooseDevice(const Checkpoint& checkpoint, const DeviceOptions& options);

/// Loads the weights onto a chosen device. DoesNotFit, with the numbers, before anything is read: also of a choice that fits
/// alone only, so choose anew once the model in use is gone.
Result<std::unique_ptr<Executor>> makeExecutor(const Checkpoint& checkpoint, const DeviceChoice& choice,
                                               const DeviceOptions& options, const LoadProgress& progress,
                                               const CancelFlag* cancel);

}  // namespace trefoil
