#include "engine/runtime/devices.h"

#include <fstream>
#include <string>
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

Error unknownDevice(const std::string& device) {
    return makeError(ErrorKind::InvalidArgument, "there is no device named '" + device + "'", "use auto, cpu, cuda or cuda:N");
}

}  // namespace

std::vector<DeviceInfo> listDevices() { return {cpuDevice()}; }

Result<MemoryPlan> planMemory(const Checkpoint& checkpoint, const DeviceOptions& options) {
    if (options.device != "auto" && options.device != "cpu") return unknownDevice(options.device);
    MemoryPlan plan = planCpuMemory(checkpoint, {options.threads, options.context});
    plan.available = cpuDevice().memoryFree;
    return plan;
}

Result<std::unique_ptr<Executor>> makeExecutor(const Checkpoint& checkpoint, const DeviceOptions& options,
                                               const LoadProgress& progress, const CancelFlag* cancel) {
    auto plan = planMemory(checkpoint, options);
    if (!plan.ok()) return plan.error();
    const std::uint64_t need = plan->weights + plan->states + plan->workspace;  // K and V grow with use
    if (plan->available > 0 && need > plan->available) {
        const auto gigabytes = [](std::uint64_t bytes) {
            const std::string tenths = std::to_string(bytes / 100000000);
            return (tenths.size() > 1 ? tenths.substr(0, tenths.size() - 1) : "0") + "." + tenths.back() + " GB";
        };
        return makeError(ErrorKind::DoesNotFit,
                         "the model needs " + gigabytes(need) + " of memory; " + gigabytes(plan->available) + " are free",
                         "close other programs or choose a smaller model");
    }
    return makeCpuExecutor(checkpoint, {options.threads, options.context}, progress, cancel);
}

}  // namespace trefoil
