// The plugin's entry points (plugin_interface.h).
#include "kernels/cuda/bandwidth.h"
#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/cuda_executor.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/plugin_interface.h"

#include <cuda_runtime.h>

#include <cstdlib>
#include <new>
#include <string>

namespace {

using trefoil::ErrorKind;
using trefoil::Executor;
using trefoil::Result;
namespace cuda = trefoil::cuda;

std::string visibleDevices() {
    const char* text = std::getenv("CUDA_VISIBLE_DEVICES");
    return text == nullptr ? std::string() : " (CUDA_VISIBLE_DEVICES is \"" + std::string(text) + "\")";
}

/// Why CUDA as a whole cannot be used, in words a person can act on.
std::string unusableReason(cudaError_t error) {
    switch (error) {
        case cudaErrorInsufficientDriver: {
            int driver = 0;
            if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
                return "NVIDIA's driver is not installed, or its library libcuda.so.1 cannot be found";
            return "NVIDIA's driver supports CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10) +
                   "; this program needs " + std::to_string(CUDART_VERSION / 1000) + "." +
                   std::to_string(CUDART_VERSION % 1000 / 10) + ": update the driver";
        }
        case cudaErrorNoDevice:
            return "no NVIDIA GPU is visible" + visibleDevices();
        default:
            return std::string("CUDA could not start: ") + cudaGetErrorString(error) + visibleDevices();
    }
}

/// Two transfers a clock, as every kind of memory on these cards has.
double peakRead(int index) {
    int kilohertz = 0;
    int bits = 0;
    if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, index) != cudaSuccess ||
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, index) != cudaSuccess) {
        cudaGetLastError();
        return 0.0;
    }
    return 2.0 * 1000.0 * static_cast<double>(kilohertz) * static_cast<double>(bits) / 8.0;
}

cuda::DeviceReport describe(int index) {
    cuda::DeviceReport device;
    device.index = index;
    cudaDeviceProp properties{};
    cudaError_t e = cudaGetDeviceProperties(&properties, index);
    if (e == cudaSuccess) {
        device.name = properties.name;
        device.memoryTotal = properties.totalGlobalMem;
        if (properties.major < 8) {
            device.reason = "its compute capability is " + std::to_string(properties.major) + "." +
                            std::to_string(properties.minor) + "; 8.0 is the least that works";
            return device;
        }
        // What every card of compute capability 8.0 and up has.
        constexpr std::size_t kSharedBytes = 99 * 1024;
        if (properties.sharedMemPerBlockOptin < kSharedBytes) {
            device.reason = "its blocks have " + std::to_string(properties.sharedMemPerBlockOptin / 1024) +
                            " KiB of shared memory; the kernels need " + std::to_string(kSharedBytes / 1024);
            return device;
        }
        e = cudaSetDevice(index);
    }
    std::size_t freeBytes = 0;
    std::size_t totalBytes = 0;
    if (e == cudaSuccess) e = cudaMemGetInfo(&freeBytes, &totalBytes);
    if (e != cudaSuccess) {
        cudaGetLastError();
        device.reason = std::string("it cannot be opened: ") + cudaGetErrorString(e);
        return device;
    }
    device.memoryTotal = totalBytes;
    device.memoryFree = freeBytes;
    device.peakRead = peakRead(index);
    device.usable = true;
    device.reason = cuda::CublasLt::missing();
    return device;
}

/// No exception crosses the border; what the standard library throws here is std::bad_alloc.
template <class T, class Body>
void guarded(Result<T>* result, Body body) {
    try {
        *result = body();
    } catch (const std::bad_alloc&) {
        *result = trefoil::makeError(ErrorKind::OutOfMemory, "the GPU plugin ran out of main memory", "close other programs");
    } catch (const std::exception& e) {
        *result = trefoil::makeError(ErrorKind::Internal, std::string("the GPU plugin failed: ") + e.what());
    }
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) const char* trefoilCudaInterface() {
    static const std::string version = cuda::interfaceVersion();
    return version.c_str();
}

__attribute__((visibility("default"))) void trefoilCudaDevices(std::vector<cuda::DeviceReport>* devices) {
    int count = 0;
    const cudaError_t e = cudaGetDeviceCount(&count);
    if (e != cudaSuccess || count <= 0) {
        cudaGetLastError();
        cuda::DeviceReport none;
        none.name = "CUDA";
        none.reason = unusableReason(e == cudaSuccess ? cudaErrorNoDevice : e);
        devices->push_back(none);
        return;
    }
    for (int i = 0; i < count; ++i) devices->push_back(describe(i));
}

__attribute__((visibility("default"))) void trefoilCudaPlan(const cuda::LoadRequest* request,
                                                            Result<std::vector<trefoil::PartPlan>>* plan) {
    guarded(plan, [&] { return cuda::planDeviceMemory(*request); });
}

__attribute__((visibility("default"))) void trefoilCudaMakeExecutor(const cuda::LoadRequest* request,
                                                                    const cuda::Progress* progress,
                                                                    const trefoil::CancelFlag* cancel,
                                                                    Result<std::unique_ptr<Executor>>* executor) {
    guarded(executor, [&] { return cuda::makeCudaExecutor(*request, *progress, cancel); });
}

__attribute__((visibility("default"))) void trefoilCudaForceExperts(Executor* executor, int experts) {
    cuda::forceExperts(*executor, experts);
}

__attribute__((visibility("default"))) void trefoilCudaSkewRouter(Executor* executor, double skew) {
    cuda::skewRouter(*executor, skew);
}

__attribute__((visibility("default"))) void trefoilCudaBandwidth(int device, double* readBytes, double* copyBytes) {
    cuda::measureBandwidth(device, *readBytes, *copyBytes);
}
}
