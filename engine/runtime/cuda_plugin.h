// The GPU plugin, seen from the engine: found, checked and opened once, at the first question about GPUs. No CUDA type appears
// here, and a machine without CUDA, without the plugin or with a broken one only gets reasons.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/runtime/cpu_executor.h"
#include "engine/runtime/executor.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

/// One CUDA device, or, with index -1, why there is none.
struct CudaDevice {
    int index = -1;
    std::string name;
    bool usable = false;
    std::string reason;             ///< why it is not usable; of a usable one a remark, or empty
    std::uint64_t memoryTotal = 0;  ///< bytes, from CUDA
    std::uint64_t memoryFree = 0;
    double peakRead = 0.0;  ///< bytes a second that memory clock and width allow; 0: unknown
};

/// All CUDA devices; never empty: a single entry with index -1 says why there are none.
[[nodiscard]] std::vector<CudaDevice> listCudaDevices();

/// Weights from wherever they come: a catalogue in canonical names and a way to read it (Checkpoint::read; several threads).
struct WeightSource {
    const ModelConfig* config = nullptr;  ///< not owned
    std::span<const TensorInfo> tensors;  ///< not owned
    std::function<Status(std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination)> read;
    /// Checkpoint::readRows, where a tensor's `quantised` is set. Empty: what is quantised is read as values.
    std::function<Status(std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows)> readRows = {};
};
/// The weights of a checkpoint, which must outlive the source.
[[nodiscard]] WeightSource weightSource(const Checkpoint& checkpoint);

/// A device that a model is to use; the layers are split over all that are named. Named twice, it holds two parts.
struct CudaShare {
    int device = 0;
    std::uint64_t alsoFree = 0;  ///< bytes that count as free where layers are divided, e.g. of a model that can be let go
};

/// What a model may take of a GPU.
struct CudaLimits {
    std::int64_t context = 0;  ///< positions to plan for; 0: the model's
    std::uint64_t gpuMemory =
        0;  ///< bytes of each GPU for all of this process; experts beyond stay in main memory. 0: what is free
};

/// What the checkpoint would take, a part for each of `devices`, in order; `available` is the part's share of what is free there.
/// InvalidArgument for more devices than layers.
[[nodiscard]] Result<std::vector<PartPlan>> planCudaMemory(const WeightSource& source, std::span<const CudaShare> devices,
                                                           const CudaLimits& limits);

/// Uploads the weights. DeviceUnavailable with the reason when there is no such device; DoesNotFit with the numbers, of main
/// memory too where experts stay there.
Result<std::unique_ptr<Executor>> makeCudaExecutor(const WeightSource& source, std::span<const CudaShare> devices,
                                                   const CudaLimits& limits, const LoadProgress& progress,
                                                   const CancelFlag* cancel);

/// Benchmark only: every layer of this executor (which must be of makeCudaExecutor) uses that many distinct experts; 0 ends it.
void forceCudaExperts(Executor& executor, int experts);

/// Benchmark only: instead of the router, small passes draw their experts at random in proportion to rank^-skew; negative ends
/// it.
void skewCudaRouter(Executor& executor, double skew);

/// Measured bytes a second, for benchmarks and estimates; zeros when they cannot be measured. Takes about a second.
struct CudaBandwidth {
    double deviceRead = 0.0;
    double pinnedCopy = 0.0;
};
[[nodiscard]] CudaBandwidth measureCudaBandwidth(int device);

}  // namespace trefoil
