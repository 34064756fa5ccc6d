// What the program and the GPU plugin (libtrefoil_cuda.so) say to each other. No CUDA type appears here.
//
// Both sides are built by one compiler from one source tree, so C++ values may cross; interfaceVersion() makes sure of it. It is
// compared as text through the one entry point with a C type (kInterfaceSymbol) before any other is called. See
// docs/adr/0005-gpu-plugin-shares-cpp-types.md.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/runtime/executor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#ifndef TREFOIL_CUDA_SEAM
#error "TREFOIL_CUDA_SEAM is the checksum of the headers that cross this border; kernels/cuda/CMakeLists.txt defines it"
#endif

namespace trefoil::cuda {

/// Name of this build's interface: equal only when both sides saw the same headers and the same compiler.
[[nodiscard]] inline std::string interfaceVersion() { return "trefoil-cuda 4 " TREFOIL_CUDA_SEAM " " __VERSION__; }

struct DeviceReport {
    int index = -1;  ///< CUDA's number; -1 when the whole of CUDA is unusable
    std::string name;
    bool usable = false;
    std::string reason;             ///< why not; or, of a usable device, what it lacks (empty: nothing)
    std::uint64_t memoryTotal = 0;  ///< bytes, from CUDA itself
    std::uint64_t memoryFree = 0;
    double peakRead = 0.0;  ///< bytes a second that memory clock and bus width allow; 0: CUDA does not say
};

/// A device that a model is to use. Named twice, it holds two parts of the model.
struct DeviceShare {
    int index = 0;
    std::uint64_t alsoFree = 0;  ///< bytes that count as free where layers are divided, e.g. of a model that can be let go
};

/// A checkpoint to load, without the checkpoint's code: the catalogue and a way to read it.
struct LoadRequest {
    const ModelConfig* config = nullptr;  ///< not owned; copied
    std::span<const TensorInfo> tensors;  ///< not owned; used during the call only
    /// Checkpoint::read of tensors[tensor]; called from several threads.
    std::function<Status(std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination)> read;
    /// Checkpoint::readRows of tensors[tensor], where its `quantised` is set; called from several threads. Empty: everything is
    /// read as values.
    std::function<Status(std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows)> readRows = {};
    std::vector<DeviceShare> devices;  ///< at least one; the layers are split over them in this order
    std::int64_t context = 0;          ///< positions to plan K and V for; 0: the model's
    /// Bytes of each card that this process may take in all; experts that do not fit stay in main memory. 0: what is free, and
    /// then all experts must fit.
    std::uint64_t gpuMemory = 0;
};

using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// The entry points. Results come back through pointers, because the symbols have C names.
extern "C" {
using InterfaceFunction = const char* (*)();
using DevicesFunction = void (*)(std::vector<DeviceReport>* devices);
using PlanFunction = void (*)(const LoadRequest* request, Result<std::vector<PartPlan>>* plan);
using MakeExecutorFunction = void (*)(const LoadRequest* request, const Progress* progress, const CancelFlag* cancel,
                                      Result<std::unique_ptr<Executor>>* executor);
/// Benchmark only: from now on every layer uses this many distinct experts (0: what the router says).
using ForceExpertsFunction = void (*)(Executor* executor, int experts);
/// Benchmark only: small passes draw their experts at random in proportion to rank^-skew; negative: as the router says.
using SkewRouterFunction = void (*)(Executor* executor, double skew);
/// For benchmarks and estimates: bytes a second that the device reads from its memory, and that pinned memory is copied to it.
using BandwidthFunction = void (*)(int device, double* readBytes, double* copyBytes);
}

inline constexpr const char* kInterfaceSymbol = "trefoilCudaInterface";
inline constexpr const char* kDevicesSymbol = "trefoilCudaDevices";
inline constexpr const char* kPlanSymbol = "trefoilCudaPlan";
inline constexpr const char* kMakeExecutorSymbol = "trefoilCudaMakeExecutor";
inline constexpr const char* kForceExpertsSymbol = "trefoilCudaForceExperts";
inline constexpr const char* kSkewRouterSymbol = "trefoilCudaSkewRouter";
inline constexpr const char* kBandwidthSymbol = "trefoilCudaBandwidth";

}  // namespace trefoil::cuda
