// The plan of a loaded model: which layers live on which device, and every byte that they take there. Exact: planning and
// allocation carve with the same code.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/model_config.h"
#include "engine/runtime/executor.h"
#include "kernels/cuda/device_facts.h"
#include "kernels/cuda/layer_split.h"
#include "kernels/cuda/model_weights.h"
#include "kernels/cuda/workspace.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trefoil::cuda {

/// One part of a model: a range of layers on one device.
struct PartSetup {
    DeviceFacts device;
    LayerRange range;
    WorkspaceShape size;
    WeightForms forms;
    ExpertPlacement experts;
    MemoryPlan plan;       ///< available: this part's share of what its device has free, or of what may be taken there
    bool limited = false;  ///< may be taken: less than is free
};

struct PlanOptions {
    bool floats = false;       ///< the debug mode: weights and activations in float32
    std::int64_t context = 0;  ///< positions to plan K and V for; 0, or more than the model has: the model's
    WeightForms forms = {};    ///< what is packed
    /// Bytes of a device that the process may take in all, CUDA's own included: the workspace shrinks with it, and experts that
    /// do not fit stay in main memory. 0: what is free, and all experts on the device.
    std::uint64_t gpuMemory = 0;
};

/// What CUDA itself takes of a device: context, kernels, the runtime's own buffers.
inline constexpr std::uint64_t kContextBytes = std::uint64_t{640} << 20;

/// The precision that TREFOIL_CUDA_PRECISION asks for.
[[nodiscard]] bool floatPrecision();

/// One part per entry of `devices`, in order; a device that is named several times shares its free memory among its parts.
/// `alsoFree`, by entry or empty: bytes that count as free where the layers are divided. Asks no device. InvalidArgument when
/// there are more devices than layers; what does not fit is planned all the same.
[[nodiscard]] Result<std::vector<PartSetup>> planParts(const ModelConfig& config, std::span<const DeviceFacts> devices,
                                                       std::span<const std::uint64_t> alsoFree, const PlanOptions& options);

/// Sizes that the kernels cannot run on a device. Empty when they can.
[[nodiscard]] std::string unsupportedSizes(const ModelConfig& config, std::size_t sharedBytes);

/// "NVIDIA H200 (cuda:0 and cuda:1)"; devices of several names one by one.
[[nodiscard]] std::string nameOf(std::span<const PartSetup> parts);

/// Bytes of all parts together.
[[nodiscard]] MemoryPlan sumOf(std::span<const PartSetup> parts);

/// DoesNotFit with the numbers of every device that lacks memory.
[[nodiscard]] Status checkFits(std::span<const PartSetup> parts);

}  // namespace trefoil::cuda
