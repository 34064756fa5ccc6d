#include "engine/runtime/gpu_choice.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace trefoil {

std::optional<std::vector<int>> parseGpus(std::string_view device) {
    constexpr std::string_view kPrefix = "cuda:";
    std::vector<int> gpus;
    while (true) {
        const std::string_view one = device.substr(0, device.find(','));
        int number = -1;
        if (one.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
        const char* end = one.data() + one.size();
        const auto parsed = std::from_chars(one.data() + kPrefix.size(), end, number);
        if (parsed.ec != std::errc() || parsed.ptr != end || number < 0) return std::nullopt;
        gpus.push_back(number);
        if (one.size() == device.size()) return gpus;
        device.remove_prefix(one.size() + 1);
    }
}

std::string gpusId(std::span<const int> gpus) {
    std::string id;
    for (const int gpu : gpus) id += (id.empty() ? "cuda:" : ",cuda:") + std::to_string(gpu);
    return id;
}

std::vector<std::vector<int>> gpuCandidates(std::span<const CudaDevice> devices) {
    std::vector<std::vector<int>> candidates;
    std::vector<CudaDevice> usable;
    for (const CudaDevice& device : devices) {
        if (device.index < 0 || !device.usable) continue;
        candidates.push_back({device.index});
        usable.push_back(device);
    }
    std::stable_sort(usable.begin(), usable.end(),
                     [](const CudaDevice& a, const CudaDevice& b) { return a.memoryFree > b.memoryFree; });
    std::vector<int> together;
    for (const CudaDevice& device : usable) {
        together.push_back(device.index);
        if (together.size() < 2) continue;
        candidates.push_back(together);
        std::sort(candidates.back().begin(), candidates.back().end());
    }
    return candidates;
}

MemoryFit memoryFit(const MemoryPlan& plan, bool onCpu, std::uint64_t reclaimable) {
    const std::uint64_t needed = onCpu ? plan.weights + plan.states + plan.workspace : plan.total();
    if (plan.available == 0 || needed <= plan.available) return MemoryFit::Fits;
    return needed - plan.available <= reclaimable ? MemoryFit::FitsAlone : MemoryFit::DoesNotFit;
}

MemoryFit partsFit(std::span<const PartPlan> parts, std::span<const std::uint64_t> reclaimable) {
    auto worst = MemoryFit::Fits;
    for (std::size_t i = 0; i < parts.size(); ++i)
        worst = std::max(worst, memoryFit(parts[i].memory, false, i < reclaimable.size() ? reclaimable[i] : 0));
    return worst;
}

std::string partsText(std::span<const PartPlan> parts) {
    std::string text;
    for (const PartPlan& part : parts)
        text += (text.empty() ? "cuda:" : "; cuda:") + std::to_string(part.device) + ": layers " +
                std::to_string(part.firstLayer) + " to " + std::to_string(part.firstLayer + part.layers - 1) + " need " +
                gigabytes(part.memory.total()) + ", " + gigabytes(part.memory.available) + " are free";
    return text;
}

std::string gigabytes(std::uint64_t bytes) {
    const std::uint64_t tenths = (bytes + 99'999'999) / 100'000'000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

}  // namespace trefoil
