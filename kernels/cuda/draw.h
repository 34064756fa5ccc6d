// Benchmark only: experts drawn at random instead of chosen by the router, some more often than others, so that a cache of
// experts meets what it would meet with a real model's uneven use.
//
// Ownership: device memory of the caller. Errors: the launch's cudaError_t.
#pragma once

#include "kernels/cuda/route.h"

namespace trefoil::cuda {

/// Replaces what the router left of a pass of at most kSmallRows rows: each row draws k experts without repetition in proportion
/// to rank^-params->skew, ranks being another order in each layer, and weighs them alike; params->draw numbers the passes. The
/// shared expert stays. experts: at most kMaxExperts; k: at most 32.
cudaError_t drawExperts(const Launcher& on, const PassParams* params, int layer, int experts, int k, int t,
                        const Routing& routing, const ActiveExperts& active, LayerResult* result);

}  // namespace trefoil::cuda
