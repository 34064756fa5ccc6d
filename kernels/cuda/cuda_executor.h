// CudaExecutor: one loaded model on one or more CUDA devices, behind the engine's Executor. It goes through the parts of the
// model (device_part.h) in order; of one part a small pass is one graph and one synchronisation.
//
// Two precisions share all code but the products: BF16 activations (the default) and float32 ones
// (TREFOIL_CUDA_PRECISION=float32), the debug mode that golden files are compared in. The residual stream, norms, softmaxes,
// states, logits and controls are float32 in both.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor.h"
#include "kernels/cuda/plugin_interface.h"

#include <memory>
#include <vector>

namespace trefoil::cuda {

/// What a model would take on each device that `request` names.
[[nodiscard]] Result<std::vector<PartPlan>> planDeviceMemory(const LoadRequest& request);
/// Loads a model. DoesNotFit, with the numbers of each device, when the plan exceeds what is free.
[[nodiscard]] Result<std::unique_ptr<Executor>> makeCudaExecutor(const LoadRequest& request, const Progress& progress,
                                                                 const CancelFlag* cancel);
/// See ForceExpertsFunction.
void forceExperts(Executor& executor, int experts);
/// See SkewRouterFunction.
void skewRouter(Executor& executor, double skew);

}  // namespace trefoil::cuda
