#include "engine/runtime/devices.h"

#include "engine/runtime/cuda_plugin.h"
#include "engine/runtime/main_memory.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>

namespace trefoil {
namespace {

DeviceInfo cpuDevice() {
    DeviceInfo cpu;
    cpu.id = "cpu";
    cpu.name = "CPU, " + std::to_string(std::thread::hardware_concurrency()) + " threads";
    cpu.usable = true;
    const MainMemory memory = readMainMemory();
    cpu.memoryTotal = memory.total;
    cpu.memoryFree = memory.free;
    return cpu;
}

std::string doesNotFit(const DeviceChoice& choice) {
    const MemoryPlan& plan = choice.plan;
    if (choice.parts.size() > 1) return "the model needs " + gigabytes(plan.total()) + " of memory; " + partsText(choice.parts);
    return "the model needs " + gigabytes(plan.total()) + " of memory (weights " + gigabytes(plan.weights) +
           ", keys and values " + gigabytes(plan.keyValue) + ", states and workspace " + gigabytes(plan.states + plan.workspace) +
           "); " + gigabytes(plan.available) + " are free";
}

/// Bytes that the model in use would give back on one device.
std::uint64_t reclaimableOn(const std::string& deviceId, const DeviceOptions& options) {
    const ModelFootprint& held = options.inUse;
    if (held.deviceId == deviceId) return held.bytes;
    const auto gpus = parseGpus(held.deviceId);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; gpus && i < gpus->size() && i < held.partBytes.size(); ++i)
        if (gpusId({&(*gpus)[i], 1}) == deviceId) bytes += held.partBytes[i];
    return bytes;
}

/// What models may still take of the main memory; 0 (unknown) becomes nothing less than a byte where a limit is spent.
std::uint64_t freeMainMemory(const DeviceOptions& options) {
    const std::uint64_t free = cpuDevice().memoryFree;
    if (options.memoryLimit == 0) return free;
    const std::uint64_t taken = std::min(options.memoryLimit, reclaimableOn("cpu", options));
    const std::uint64_t left = std::max<std::uint64_t>(1, options.memoryLimit - taken);
    return free == 0 ? left : std::min(free, left);
}

DeviceChoice cpuChoice(const Checkpoint& checkpoint, const DeviceOptions& options) {
    DeviceChoice choice;
    choice.plan = planCpuMemory(checkpoint, {options.threads, options.context});
    choice.plan.available = freeMainMemory(options);
    choice.fit = memoryFit(choice.plan, true, reclaimableOn("cpu", options));
    return choice;
}

/// The plan with the layers on `gpus`, which are usable.
Result<DeviceChoice> gpuChoice(const Checkpoint& checkpoint, const DeviceOptions& options, const std::vector<int>& gpus) {
    std::vector<CudaShare> shares;
    std::vector<std::uint64_t> reclaimable;
    for (const int gpu : gpus) {
        const auto parts = static_cast<std::uint64_t>(std::count(gpus.begin(), gpus.end(), gpu));
        shares.push_back({gpu, 0});
        reclaimable.push_back(reclaimableOn(gpusId({&gpu, 1}), options) / parts);
    }
    DeviceChoice choice;
    choice.gpus = gpus;
    // The layers are divided by what is free; where that does not suffice, by what could be.
    for (const bool reclaims : {false, true}) {
        for (std::size_t i = 0; reclaims && i < shares.size(); ++i) shares[i].alsoFree = reclaimable[i];
        auto parts = planCudaMemory(weightSource(checkpoint), shares, {options.context, options.gpuMemory});
        if (!parts.ok()) return parts.error();
        choice.parts = *std::move(parts);
        choice.fit = partsFit(choice.parts, reclaimable);
        if (choice.fit != MemoryFit::DoesNotFit || gpus.size() == 1) break;
    }
    for (const PartPlan& part : choice.parts) choice.plan += part.memory;
    return choice;
}

/// GPUs that the plan fits, best beside the model in use; the first GPU's numbers, or why it cannot be used, when none does.
struct AutomaticGpus {
    std::optional<DeviceChoice> choice;
    std::string problem;  ///< "cuda:0: ..."; empty when there is no GPU at all
};

AutomaticGpus automaticGpus(const Checkpoint& checkpoint, const DeviceOptions& options) {
    AutomaticGpus out;
    const std::vector<CudaDevice> devices = listCudaDevices();
    for (const CudaDevice& device : devices)
        if (device.index >= 0 && !device.usable && out.problem.empty())
            out.problem = gpusId({&device.index, 1}) + ": the GPU cannot be used: " + device.reason;
    for (const std::vector<int>& gpus : gpuCandidates(devices)) {
        auto choice = gpuChoice(checkpoint, options, gpus);
        if (choice.ok() && choice->fit == MemoryFit::Fits) return {*std::move(choice), {}};
        if (choice.ok() && choice->fit == MemoryFit::FitsAlone && !out.choice) out.choice = *choice;
        if (out.problem.empty()) out.problem = gpusId(gpus) + ": " + (choice.ok() ? doesNotFit(*choice) : choice.error().message);
    }
    return out;
}

/// GPUs that the plan fits; otherwise the CPU, with a note when a GPU is there.
DeviceChoice automaticChoice(const Checkpoint& checkpoint, const DeviceOptions& options) {
    AutomaticGpus gpus = automaticGpus(checkpoint, options);
    if (gpus.choice) return *std::move(gpus.choice);
    DeviceChoice cpu = cpuChoice(checkpoint, options);
    if (!gpus.problem.empty()) cpu.note = "runs on the CPU: " + gpus.problem;
    return cpu;
}

/// The numbers of named GPUs, all of which are there and usable.
Status checkGpus(const std::vector<int>& gpus) {
    const std::vector<CudaDevice> devices = listCudaDevices();
    for (const int gpu : gpus) {
        const auto found = std::find_if(devices.begin(), devices.end(), [&](const CudaDevice& d) { return d.index == gpu; });
        if (found == devices.end() && devices.front().index >= 0)
            return makeError(
                ErrorKind::DeviceUnavailable,
                "there is no " + gpusId({&gpu, 1}) + "; this machine has " + std::to_string(devices.size()) + " GPU(s)",
                "see trefoil-cli info for the devices");
        const CudaDevice& device = found == devices.end() ? devices.front() : *found;
        if (!device.usable)
            return makeError(ErrorKind::DeviceUnavailable, "the GPU cannot be used: " + device.reason, "use --device cpu");
    }
    return {};
}

/// What "cuda" means: GPUs that fit, otherwise the first usable one.
Result<DeviceChoice> anyGpu(const Checkpoint& checkpoint, const DeviceOptions& options) {
    AutomaticGpus gpus = automaticGpus(checkpoint, options);
    if (gpus.choice) return *std::move(gpus.choice);
    const std::vector<CudaDevice> devices = listCudaDevices();
    const auto usable = std::find_if(devices.begin(), devices.end(), [](const CudaDevice& d) { return d.usable; });
    if (usable != devices.end()) return gpuChoice(checkpoint, options, {usable->index});
    return makeError(ErrorKind::DeviceUnavailable, "the GPU cannot be used: " + devices.front().reason, "use --device cpu");
}

/// "layers 0 to 19 on cuda:0, 20 to 39 on cuda:1".
std::string layersText(const std::vector<PartPlan>& parts) {
    std::string text;
    for (const PartPlan& part : parts)
        text += (text.empty() ? "layers " : ", ") + std::to_string(part.firstLayer) + " to " +
                std::to_string(part.firstLayer + part.layers - 1) + " on cuda:" + std::to_string(part.device);
    return text;
}

/// The plan for one device, or for GPUs together.
DevicePlan planOn(const Checkpoint& checkpoint, const DeviceOptions& options, DeviceInfo device) {
    DevicePlan entry;
    entry.device = std::move(device);
    entry.problem = entry.device.usable ? "" : entry.device.reason;
    if (!entry.device.usable) return entry;
    DeviceOptions here = options;
    here.device = entry.device.id;
    const auto choice = chooseDevice(checkpoint, here);
    if (!choice.ok()) {
        entry.problem = choice.error().message;
        return entry;
    }
    entry.plan = choice->plan;
    entry.parts = choice->parts;
    entry.fit = choice->fit;
    if (entry.fit == MemoryFit::DoesNotFit) entry.problem = doesNotFit(*choice);
    return entry;
}

/// The GPUs that a further line of planDevices is about; empty: there is none.
std::vector<int> gpusTogether(const Checkpoint& checkpoint, const DeviceOptions& options) {
    if (auto named = parseGpus(options.device); named && named->size() > 1 && checkGpus(*named).ok()) return *std::move(named);
    auto candidates = gpuCandidates(listCudaDevices());
    if (candidates.empty() || candidates.back().size() < 2) return {};
    if (const auto gpus = automaticGpus(checkpoint, options); gpus.choice && gpus.choice->gpus.size() > 1)
        return gpus.choice->gpus;
    return std::move(candidates.back());
}

}  // namespace

std::vector<DeviceInfo> listDevices() {
    std::vector<DeviceInfo> out{cpuDevice()};
    for (const CudaDevice& gpu : listCudaDevices())
        out.push_back({gpu.index < 0 ? "cuda" : gpusId({&gpu.index, 1}), gpu.index < 0 ? "GPU" : gpu.name, gpu.usable, gpu.reason,
                       gpu.memoryTotal, gpu.memoryFree});
    return out;
}

std::vector<DevicePlan> planDevices(const Checkpoint& checkpoint, const DeviceOptions& options) {
    std::vector<DevicePlan> out;
    for (DeviceInfo& device : listDevices()) out.push_back(planOn(checkpoint, options, std::move(device)));
    const std::vector<int> together = gpusTogether(checkpoint, options);
    if (together.empty()) return out;
    DeviceInfo several;
    several.id = gpusId(together);
    several.name = std::to_string(together.size()) + " parts";
    several.usable = true;
    for (const CudaDevice& gpu : listCudaDevices())
        if (std::find(together.begin(), together.end(), gpu.index) != together.end()) {
            several.memoryTotal += gpu.memoryTotal;
            several.memoryFree += gpu.memoryFree;
        }
    DevicePlan entry = planOn(checkpoint, options, std::move(several));
    if (!entry.parts.empty()) entry.device.name = layersText(entry.parts);
    out.push_back(std::move(entry));
    return out;
}

Result<DeviceChoice> chooseDevice(const Checkpoint& checkpoint, const DeviceOptions& options) {
    if (options.device == "cpu") return cpuChoice(checkpoint, options);
    if (options.device == "auto") return automaticChoice(checkpoint, options);
    const bool any = options.device == "cuda";
    const auto gpus = any ? std::nullopt : parseGpus(options.device);
    if (!any && !gpus)
        return makeError(ErrorKind::InvalidArgument, "there is no device named '" + options.device + "'",
                         "use auto, cpu, cuda, cuda:N, or several GPUs as cuda:0,cuda:1");
    // Before the GPUs themselves: another GPU would not help.
    if (any) return anyGpu(checkpoint, options);
    if (const Status s = checkGpus(*gpus); !s.ok()) return s.error();
    return gpuChoice(checkpoint, options, *gpus);
}

Result<std::unique_ptr<Executor>> makeExecutor(const Checkpoint& checkpoint, const DeviceChoice& choice,
                                               const DeviceOptions& options, const LoadProgress& progress,
                                               const CancelFlag* cancel) {
    if (choice.fit != MemoryFit::Fits)
        return makeError(ErrorKind::DoesNotFit, doesNotFit(choice),
                         "close other programs, choose a smaller model or a shorter context");
    if (!choice.gpus.empty()) {
        std::vector<CudaShare> shares;
        for (const int gpu : choice.gpus) shares.push_back({gpu, 0});
        return makeCudaExecutor(weightSource(checkpoint), shares, {options.context, options.gpuMemory}, progress, cancel);
    }
    return makeCpuExecutor(checkpoint, {options.threads, options.context}, progress, cancel);
}

}  // namespace trefoil
