// The router of a small pass on Hopper: its product, softmax, top k, the coreset and the list of active experts in one kernel, on
// one cluster of blocks. Each block multiplies a slice of the columns; a row's logits then come together in one block.
//
// Contract: sections 2 and 5. Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin: routeSmall
// (tests/kernels/cuda/small_pass_test.cu).
#pragma once

#include "kernels/cuda/route.h"

namespace trefoil::cuda {

/// Blocks of the widest cluster that the current device runs, for Launcher::clusterBlocks: 16, or 8, which every one does.
[[nodiscard]] int widestCluster();

/// True if the kernel runs passes of `t` rows of these sizes on this device.
[[nodiscard]] bool routeClusterSupports(const Launcher& on, const RouteOptions& options, std::int64_t hidden, std::int64_t t);

/// What routeSmall does, from h [T, D] bf16 and the router's weights w [E + 1, D] bf16 (the last row the shared expert's gate).
/// `routing.probabilities` is left alone.
cudaError_t routeCluster(const Launcher& on, const Bf16* w, const Bf16* h, int hidden, int t, const RouteOptions& options,
                         const PassParams* params, const Routing& routing, const ActiveExperts& active, LayerResult* result);

}  // namespace trefoil::cuda
