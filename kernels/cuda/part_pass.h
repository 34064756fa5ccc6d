// PartPass: puts the work of a pass, as far as a part's layers do it, into the part's stream. One class for the seam between the
// two precisions: which T the activations have is decided in makePartPass.
#pragma once

#include "engine/runtime/executor.h"
#include "kernels/cuda/device_part.h"
#include "kernels/cuda/pass_shape.h"

#include <cstdint>
#include <memory>

namespace trefoil::cuda {

class PartPass {
public:
    virtual ~PartPass() = default;
    /// The pass whose parameters are in the part's host buffers; its device must be the current one. The first part begins with
    /// the ids, the others with the x that they received; x ends complete (no partial sums left) on all but the last, which ends
    /// with the choices. `prefix`: tokens in the cache. `capture` (may be null) gets the intermediates, and then the call waits.
    virtual cudaError_t enqueue(const PassShape& shape, std::int64_t prefix, PassCapture* capture) = 0;
};

/// Of a loaded part, which must outlive it.
[[nodiscard]] std::unique_ptr<PartPass> makePartPass(DevicePart& part);

}  // namespace trefoil::cuda
