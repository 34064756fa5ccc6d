#include "engine/runtime/devices.h"

#include "engine/runtime/cuda_plugin.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace trefoil {
namespace {

/// MemTotal and MemAvailable of the machine, in bytes; zeros where /proc does not tell.
void readMemory(DeviceInfo& device) {
    std::ifstream file("/proc/meminfo");
    std::string key;
    std::string unit;
    std::uint64_t kib = 0;
    while (file >> key >> kib) {
        if (key == "MemTotal:") device.memoryTotal = kib * 1024;
        if (key == "MemAvailable:") device.memoryFree = kib * 1024;
        std::getline(file, unit);
    }
}

DeviceInfo cpuDevice() {
    DeviceInfo cpu;
    cpu.id = "cpu";
    cpu.name = "CPU, " + std::to_string(std::thread::hardware_concurrency()) + " threads";
    cpu.usable = true;
    readMemory(cpu);
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

/// Of the CPU's plan, keys and values grow with use and may stay small.
bool fitsCpu(const MemoryPlan& plan) {
    return plan.available == 0 || plan.weights + plan.states + plan.workspace <= plan.available;
}
bool fitsGpu(const MemoryPlan& plan) { return plan.available == 0 || plan.total() <= plan.available; }

DeviceChoice cpuChoice(const Checkpoint& checkpoint, const DeviceOptions& options) {
    DeviceChoice choice;
    choice.plan = planCpuMemory(checkpoint, {options.threads, options.context});
    choice.plan.available = cpuDevice().memoryFree;
    return choice;
}

Result<DeviceChoice> cudaChoice(const Checkpoint& checkpoint, const DeviceOptions& options, const CudaDevice& device) {
    if (!device.usable)
        return makeError(ErrorKind::DeviceUnavailable, "the GPU cannot be used: " + device.reason, "use --device cpu");
    auto plan = planCudaMemory(weightSource(checkpoint), device.index, options.context);
    if (!plan.ok()) return plan.error();
    return DeviceChoice{device.index, *plan, {}};
}

/// The first GPU that the plan fits; otherwise the CPU, with a note when a GPU is there.
DeviceChoice automaticChoice(const Checkpoint& checkpoint, const DeviceOptions& options) {
    std::string note;
    for (const CudaDevice& device : listCudaDevices()) {
        if (device.index < 0) continue;
        const auto choice = cudaChoice(checkpoint, options, device);
        if (choice.ok() && fitsGpu(choice->plan)) return *choice;
        if (note.empty())
            note = "runs on the CPU: cuda:" + std::to_string(device.index) + ": " +
                   (choice.ok() ? doesNotFit(choice->plan) : choice.error().message);
    }
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

std::vector<DeviceInfo> listDevices() {
    std::vector<DeviceInfo> out{cpuDevice()};
    for (const CudaDevice& gpu : listCudaDevices())
        out.push_back({gpu.index < 0 ? "cuda" : "cuda:" + std::to_string(gpu.index), gpu.index < 0 ? "GPU" : gpu.name, gpu.usable,
                       gpu.reason, gpu.memoryTotal, gpu.memoryFree});
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
    if (!(choice.cuda < 0 ? fitsCpu(choice.plan) : fitsGpu(choice.plan)))
        return makeError(ErrorKind::DoesNotFit, doesNotFit(choice.plan),
                         "close other programs, choose a smaller model or a shorter context");
    if (choice.cuda >= 0) return makeCudaExecutor(weightSource(checkpoint), choice.cuda, options.context, progress, cancel);
    return makeCpuExecutor(checkpoint, {options.threads, options.context}, progress, cancel);
}

}  // namespace trefoil
