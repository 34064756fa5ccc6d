// Which GPUs a model may use: their names, and the combinations that an automatic choice tries. No GPU is asked here.
#pragma once

#include "engine/runtime/cuda_plugin.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// The numbers in "cuda:0" or "cuda:0,cuda:1", in order, perhaps one several times; absent for any other text.
[[nodiscard]] std::optional<std::vector<int>> parseGpus(std::string_view device);
/// The reverse: "cuda:0,cuda:1".
[[nodiscard]] std::string gpusId(std::span<const int> gpus);

/// What an automatic choice tries, in this order: every usable GPU alone, then the two, three, ... with the most free memory
/// together, each combination by ascending number.
[[nodiscard]] std::vector<std::vector<int>> gpuCandidates(std::span<const CudaDevice> devices);

/// Whether a plan fits a device's free memory.
enum class MemoryFit : std::uint8_t {
    Fits,
    FitsAlone,  ///< only when the model in use is let go first
    DoesNotFit,
};

/// Of the CPU's plan, keys and values grow with use and need not fit beforehand. `reclaimable`: bytes that letting go of the
/// model in use gives back on this device. An unknown `available` (0) fits.
[[nodiscard]] MemoryFit memoryFit(const MemoryPlan& plan, bool onCpu, std::uint64_t reclaimable);
/// The worst of the parts; `reclaimable` by part.
[[nodiscard]] MemoryFit partsFit(std::span<const PartPlan> parts, std::span<const std::uint64_t> reclaimable);

/// What a plan over several GPUs needs and has, GPU by GPU: "cuda:0: layers 0 to 19 need 36.1 GB, 80.2 GB are free; ...".
[[nodiscard]] std::string partsText(std::span<const PartPlan> parts);

/// 12345678901 bytes as "12.4 GB", rounded up.
[[nodiscard]] std::string gigabytes(std::uint64_t bytes);

}  // namespace trefoil
