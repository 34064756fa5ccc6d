#include "kernels/cuda/device_memory.h"

namespace trefoil::cuda {

Error cudaFailure(cudaError_t error, const std::string& doing) {
    const std::string text =
        doing + " failed on the GPU: " + cudaGetErrorString(error) + " (CUDA error " + std::to_string(error) + ")";
    switch (error) {
        case cudaErrorMemoryAllocation:
            cudaGetLastError();  // not sticky: later calls may succeed
            return makeError(ErrorKind::OutOfMemory, text, "close other programs that use the GPU, or choose a smaller context");
        case cudaErrorInvalidValue:
        case cudaErrorInvalidConfiguration:
        case cudaErrorInvalidDeviceFunction:
        case cudaErrorNoKernelImageForDevice:
            cudaGetLastError();
            return makeError(ErrorKind::Internal, text, "please report this");
        default:
            return makeError(ErrorKind::DeviceLost, text, "open the model again, or use the CPU");
    }
}

}  // namespace trefoil::cuda
