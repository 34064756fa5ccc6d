#include "kernels/cuda/device_facts.h"

#include "kernels/cuda/device_memory.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace trefoil::cuda {

Result<DeviceFacts> readDevice(int device) {
    DeviceFacts facts;
    facts.index = device;
    cudaDeviceProp properties{};
    if (const cudaError_t e = cudaSetDevice(device); e != cudaSuccess) return cudaFailure(e, "selecting the device");
    if (const cudaError_t e = cudaGetDeviceProperties(&properties, device); e != cudaSuccess)
        return cudaFailure(e, "asking for the device's properties");
    std::size_t freeBytes = 0;
    std::size_t totalBytes = 0;
    if (const cudaError_t e = cudaMemGetInfo(&freeBytes, &totalBytes); e != cudaSuccess)
        return cudaFailure(e, "asking for the free memory");
    facts.name = properties.name;
    facts.major = properties.major;
    facts.sms = properties.multiProcessorCount;
    facts.freeBytes = freeBytes;
    // A smaller value tries the shapes of smaller cards on a larger one.
    const char* least = std::getenv("TREFOIL_CUDA_SHARED_KIB");
    facts.sharedBytes = least == nullptr
                            ? properties.sharedMemPerBlockOptin
                            : std::min<std::size_t>(properties.sharedMemPerBlockOptin, std::strtoull(least, nullptr, 10) * 1024);
    return facts;
}

bool environmentIs(const char* name, const char* value) {
    const char* text = std::getenv(name);
    return text != nullptr && std::strcmp(text, value) == 0;
}

}  // namespace trefoil::cuda
