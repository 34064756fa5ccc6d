#include "engine/runtime/cuda_plugin.h"

#include "engine/runtime/gpu_choice.h"
#include "engine/runtime/main_memory.h"
#include "kernels/cuda/plugin_interface.h"

#include <dlfcn.h>
#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

namespace trefoil {
namespace {

constexpr const char* kFileName = "libtrefoil_cuda.so";

/// The opened plugin, or why there is none. Opened once and never closed: executors point into it.
struct Plugin {
    cuda::DevicesFunction devices = nullptr;
    cuda::PlanFunction plan = nullptr;
    cuda::MakeExecutorFunction makeExecutor = nullptr;
    cuda::ForceExpertsFunction forceExperts = nullptr;
    cuda::SkewRouterFunction skewRouter = nullptr;
    cuda::BandwidthFunction bandwidth = nullptr;
    std::string reason;  ///< empty when it is open
};

template <class F>
bool find(void* library, const char* symbol, F& function) {
    function = reinterpret_cast<F>(dlsym(library, symbol));
    return function != nullptr;
}

/// The program's own library directory: ../lib/trefoil beside the folder that the running executable lies in. Nowhere else is
/// looked.
std::filesystem::path pluginPath() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    return program.parent_path().parent_path() / "lib" / "trefoil" / kFileName;
}

std::string lastError() {
    const char* text = dlerror();
    return text != nullptr ? text : "unknown error";
}

/// What is wrong with a library's file before it is mapped: touching pages past the end of a cut one would end the program. Empty
/// when its headers and everything that they name lie within it.
std::string damage(const std::filesystem::path& path) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr header{};
    if (error || !file.read(reinterpret_cast<char*>(&header), sizeof(header)) ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return "it is not a shared library";
    const auto inside = [&](std::uint64_t at, std::uint64_t bytes) { return at <= size && bytes <= size - at; };
    bool whole = inside(header.e_shoff, std::uint64_t{header.e_shnum} * header.e_shentsize) &&
                 header.e_phentsize == sizeof(Elf64_Phdr) && inside(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr));
    file.seekg(static_cast<std::streamoff>(whole ? header.e_phoff : 0));
    for (int i = 0; whole && i < header.e_phnum; ++i) {
        Elf64_Phdr part{};
        whole = !file.read(reinterpret_cast<char*>(&part), sizeof(part)).fail() && inside(part.p_offset, part.p_filesz);
    }
    return whole ? std::string() : "its file is cut short (" + std::to_string(size) + " bytes)";
}

Plugin openPlugin() {
    Plugin plugin;
    const std::filesystem::path path = pluginPath();
    std::error_code error;
    if (path.empty() || !std::filesystem::is_regular_file(path, error)) {
        plugin.reason =
            "the GPU plugin is not installed (" + (path.empty() ? std::string(kFileName) : path.string()) + " is missing)";
        return plugin;
    }
    if (const std::string what = damage(path); !what.empty()) {
        plugin.reason = "the GPU plugin " + path.string() + " cannot be opened: " + what + "; install it again";
        return plugin;
    }
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        plugin.reason = "the GPU plugin cannot be opened: " + lastError();
        return plugin;
    }
    cuda::InterfaceFunction interface = nullptr;
    const bool named = find(library, cuda::kInterfaceSymbol, interface);
    const std::string found = named ? interface() : "none";
    if (found != cuda::interfaceVersion()) {
        plugin.reason = "the GPU plugin " + path.string() + " is of another build (interface \"" + found + "\", expected \"" +
                        cuda::interfaceVersion() + "\"); install program and plugin together";
        return plugin;
    }
    if (!find(library, cuda::kDevicesSymbol, plugin.devices) || !find(library, cuda::kPlanSymbol, plugin.plan) ||
        !find(library, cuda::kMakeExecutorSymbol, plugin.makeExecutor) ||
        !find(library, cuda::kForceExpertsSymbol, plugin.forceExperts) ||
        !find(library, cuda::kSkewRouterSymbol, plugin.skewRouter) || !find(library, cuda::kBandwidthSymbol, plugin.bandwidth))
        plugin.reason = "the GPU plugin " + path.string() + " is incomplete: " + lastError();
    return plugin;
}

const Plugin& plugin() {
    static const Plugin opened = openPlugin();
    return opened;
}

/// The device by number, or why it cannot be used.
Result<CudaDevice> usableDevice(int index) {
    const std::vector<CudaDevice> devices = listCudaDevices();
    for (const CudaDevice& device : devices) {
        if (device.index == index && device.usable) return device;
        if (device.index == index || device.index < 0)
            return makeError(ErrorKind::DeviceUnavailable, "cuda:" + std::to_string(index) + " cannot be used: " + device.reason,
                             "use --device cpu or another device");
    }
    return makeError(
        ErrorKind::DeviceUnavailable,
        "there is no cuda:" + std::to_string(index) + "; " + std::to_string(devices.size()) + " CUDA devices were found",
        "use --device cpu or another device");
}

Status checkDevices(std::span<const CudaShare> devices) {
    if (devices.empty()) return makeError(ErrorKind::InvalidArgument, "no GPU was named");
    for (const CudaShare& share : devices)
        if (const auto found = usableDevice(share.device); !found.ok()) return found.error();
    return {};
}

cuda::LoadRequest makeRequest(const WeightSource& source, std::span<const CudaShare> devices, const CudaLimits& limits) {
    cuda::LoadRequest request;
    request.config = source.config;
    request.tensors = source.tensors;
    request.read = source.read;
    request.readRows = source.readRows;
    for (const CudaShare& share : devices) request.devices.push_back({share.device, share.alsoFree});
    request.context = limits.context;
    request.gpuMemory = limits.gpuMemory;
    return request;
}

/// DoesNotFit, with the numbers, where experts are to stay in main memory and that has no room for them.
Status checkMainMemory(const cuda::LoadRequest& request) {
    if (request.gpuMemory == 0) return {};
    Result<std::vector<PartPlan>> parts = makeError(ErrorKind::Internal, "the GPU plugin gave no plan");
    plugin().plan(&request, &parts);
    if (!parts.ok()) return parts.error();
    std::uint64_t needed = 0;
    for (const PartPlan& part : *parts) needed += part.memory.host;
    const std::uint64_t free = readMainMemory().free;
    if (needed == 0 || free == 0 || needed <= free) return {};
    return makeError(ErrorKind::DoesNotFit,
                     "the experts that the GPU has no room for take " + gigabytes(needed) + " of main memory, and " +
                         gigabytes(free) + " are free",
                     "close other programs, give the GPU more memory, or use a smaller format of the model");
}

}  // namespace

std::vector<CudaDevice> listCudaDevices() {
    const Plugin& p = plugin();
    std::vector<CudaDevice> devices;
    if (!p.reason.empty()) {
        CudaDevice none;
        none.name = "CUDA";
        none.reason = p.reason;
        devices.push_back(none);
        return devices;
    }
    std::vector<cuda::DeviceReport> reports;
    p.devices(&reports);
    for (const cuda::DeviceReport& r : reports)
        devices.push_back({r.index, r.name, r.usable, r.reason, r.memoryTotal, r.memoryFree, r.peakRead});
    return devices;
}

WeightSource weightSource(const Checkpoint& checkpoint) {
    WeightSource source;
    source.config = &checkpoint.config();
    source.tensors = checkpoint.tensors();
    source.read = [&checkpoint](std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination) {
        return checkpoint.read(checkpoint.tensors()[tensor], first, count, destination);
    };
    source.readRows = [&checkpoint](std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) {
        return checkpoint.readRows(checkpoint.tensors()[tensor], first, count, rows);
    };
    return source;
}

Result<std::vector<PartPlan>> planCudaMemory(const WeightSource& source, std::span<const CudaShare> devices,
                                             const CudaLimits& limits) {
    if (const Status s = checkDevices(devices); !s.ok()) return s.error();
    Result<std::vector<PartPlan>> plan = makeError(ErrorKind::Internal, "the GPU plugin gave no plan");
    const cuda::LoadRequest request = makeRequest(source, devices, limits);
    plugin().plan(&request, &plan);
    return plan;
}

Result<std::unique_ptr<Executor>> makeCudaExecutor(const WeightSource& source, std::span<const CudaShare> devices,
                                                   const CudaLimits& limits, const LoadProgress& progress,
                                                   const CancelFlag* cancel) {
    if (const Status s = checkDevices(devices); !s.ok()) return s.error();
    Result<std::unique_ptr<Executor>> executor = makeError(ErrorKind::Internal, "the GPU plugin gave no executor");
    const cuda::LoadRequest request = makeRequest(source, devices, limits);
    if (const Status s = checkMainMemory(request); !s.ok()) return s.error();
    plugin().makeExecutor(&request, &progress, cancel, &executor);
    return executor;
}

void forceCudaExperts(Executor& executor, int experts) {
    if (plugin().reason.empty()) plugin().forceExperts(&executor, experts);
}

void skewCudaRouter(Executor& executor, double skew) {
    if (plugin().reason.empty()) plugin().skewRouter(&executor, skew);
}

CudaBandwidth measureCudaBandwidth(int device) {
    CudaBandwidth measured;
    if (plugin().reason.empty() && usableDevice(device).ok())
        plugin().bandwidth(device, &measured.deviceRead, &measured.pinnedCopy);
    return measured;
}

}  // namespace trefoil
