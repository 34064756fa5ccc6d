#include "engine/runtime/devices.h"

#include "engine/runtime/cuda_plugin.h"
#include "engine/runtime/main_memory.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
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

std::string gigabytes(std::uint64_t bytes) {
    const std::uint64_t tenths = (bytes + 99'999'999) / 100'000'000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

std::string doesNotFit(const MemoryPlan& plan) {
    return "the model needs " + gigabytes(plan.total()) + " of memory (weights " + gigabytes(plan.weights) +
           ", keys and values " + gigabytes(plan.keyValue) + ", states and workspace " + gigabytes(plan.states + plan.workspace) +
           "); " + gigabytes(plan.available) + " are free";
}

std::uint64_t reclaimableOn(const std::string& deviceId, const DeviceOptions& options) {
    return options.inUse.deviceId == deviceId ? options.inUse.bytes : 0;
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

Result<DeviceChoice> cudaChoice(const Checkpoint& checkpoint, const DeviceOptions& options, const CudaDevice& device) {
    if (checkpoint.summary().quantised)
        return makeError(ErrorKind::Unsupported,
                         "the weights are " + checkpoint.summary().format + ", and the GPU reads BF16, F16 and F32 only so far",
                         "use --device cpu, or the BF16 checkpoint");
    if (!device.usable)
        return makeError(ErrorKind::DeviceUnavailable, "the GPU cannot be used: " + device.reason, "use --device cpu");
    auto plan = planCudaMemory(weightSource(checkpoint), device.index, options.context);
    if (!plan.ok()) return plan.error();
    DeviceChoice choice{device.index, *plan, {}};
    choice.fit = memoryFit(choice.plan, false, reclaimableOn(choice.id(), options));
    return choice;
}

/// A GPU that the plan fits, best beside the model in use; otherwise the CPU, with a note when a GPU is there.
DeviceChoice automaticChoice(const Checkpoint& checkpoint, const DeviceOptions& options) {
    std::string note;
    std::optional<DeviceChoice> alone;
    for (const CudaDevice& device : listCudaDevices()) {
        if (device.index < 0) continue;
        auto choice = cudaChoice(checkpoint, options, device);
        if (choice.ok() && choice->fit == MemoryFit::Fits) return *std::move(choice);
        if (choice.ok() && choice->fit == MemoryFit::FitsAlone && !alone) alone = *choice;
        if (note.empty())
            note = "runs on the CPU: cuda:" + std::to_string(device.index) + ": " +
                   (choice.ok() ? doesNotFit(choice->plan) : choice.error().message);
    }
    if (alone) return *alone;
    DeviceChoice cpu = cpuChoice(checkpoint, options);
    cpu.note = std::move(note);
    return cpu;
}

/// The number in "cuda:N".
std::optional<int> cudaNumber(std::string_view device) {
    constexpr std::string_view kPrefix = "cuda:";
    int number = -1;
    if (device.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
    const char* end = device.data() + device.size();
    const auto parsed = std::from_chars(device.data() + kPrefix.size(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end && number >= 0 ? std::optional<int>(number) : std::nullopt;
}

}  // namespace

MemoryFit memoryFit(const MemoryPlan& plan, bool onCpu, std::uint64_t reclaimable) {
    const std::uint64_t needed = onCpu ? plan.weights + plan.states + plan.workspace : plan.total();
    if (plan.available == 0 || needed <= plan.available) return MemoryFit::Fits;
    return needed - plan.available <= reclaimable ? MemoryFit::FitsAlone : MemoryFit::DoesNotFit;
}

std::vector<DeviceInfo> listDevices() {
    std::vector<DeviceInfo> out{cpuDevice()};
    for (const CudaDevice& gpu : listCudaDevices())
        out.push_back({gpu.index < 0 ? "cuda" : "cuda:" + std::to_string(gpu.index), gpu.index < 0 ? "GPU" : gpu.name, gpu.usable,
                       gpu.reason, gpu.memoryTotal, gpu.memoryFree});
    return out;
}

std::vector<DevicePlan> planDevices(const Checkpoint& checkpoint, const DeviceOptions& options) {
    std::vector<DevicePlan> out;
    for (DeviceInfo& device : listDevices()) {
        DevicePlan entry;
        entry.device = std::move(device);
        entry.problem = entry.device.usable ? "" : entry.device.reason;
        if (entry.device.usable) {
            DeviceOptions here = options;
            here.device = entry.device.id;
            if (const auto choice = chooseDevice(checkpoint, here); choice.ok()) {
                entry.plan = choice->plan;
                entry.fit = choice->fit;
                if (entry.fit == MemoryFit::DoesNotFit) entry.problem = doesNotFit(choice->plan);
            } else {
                entry.problem = choice.error().message;
            }
        }
        out.push_back(std::move(entry));
    }
    return out;
}

Result<DeviceChoice> chooseDevice(const Checkpoint& checkpoint, const DeviceOptions& options) {
    if (options.device == "cpu") return cpuChoice(checkpoint, options);
    if (options.device == "auto") return automaticChoice(checkpoint, options);
    const auto number = cudaNumber(options.device);
    if (options.device != "cuda" && !number)
        return makeError(ErrorKind::InvalidArgument, "there is no device named '" + options.device + "'",
                         "use auto, cpu, cuda or cuda:N");
    const std::vector<CudaDevice> devices = listCudaDevices();
    const auto wanted =
        std::find_if(devices.begin(), devices.end(), [&](const CudaDevice& d) { return number ? d.index == *number : d.usable; });
    if (wanted != devices.end()) return cudaChoice(checkpoint, options, *wanted);
    if (number && devices.front().index >= 0)
        return makeError(ErrorKind::DeviceUnavailable,
                         "there is no " + options.device + "; this machine has " + std::to_string(devices.size()) + " GPU(s)",
                         "see trefoil-cli info for the devices");
    return cudaChoice(checkpoint, options, devices.front());
}

Result<std::unique_ptr<Executor>> makeExecutor(const Checkpoint& checkpoint, const DeviceChoice& choice,
                                               const DeviceOptions& options, const LoadProgress& progress,
                                               const CancelFlag* cancel) {
    if (choice.fit != MemoryFit::Fits)
        return makeError(ErrorKind::DoesNotFit, doesNotFit(choice.plan),
                         "close other programs, choose a smaller model or a shorter context");
    if (choice.cuda >= 0) return makeCudaExecutor(weightSource(checkpoint), choice.cuda, options.context, progress, cancel);
    return makeCpuExecutor(checkpoint, {options.threads, options.context}, progress, cancel);
}

}  // namespace trefoil
