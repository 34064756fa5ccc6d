#include "engine/runtime/main_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace trefoil {
namespace {

namespace fs = std::filesystem;

/// The files of a memory controller.
struct Controller {
    fs::path mount;  ///< below the root
    const char* limit;
    const char* usage;
    const char* inactive;  ///< in memory.stat: bytes of cached files
    const char* active;
};

const Controller kVersion2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file", "active_file"};
const Controller kVersion1{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                           "total_active_file"};

/// The number that a file consists of; nothing for "max" and for files that cannot be read.
std::optional<std::uint64_t> numberIn(const fs::path& path) {
    std::ifstream file(path);
    std::string text;
    if (!(file >> text)) return std::nullopt;
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Sum of the entries of a group's memory.stat with these names.
std::uint64_t cachedFiles(const fs::path& group, const Controller& controller) {
    std::ifstream file(group / "memory.stat");
    std::string key;
    std::uint64_t value = 0;
    std::uint64_t sum = 0;
    while (file >> key >> value)
        if (key == controller.inactive || key == controller.active) sum += value;
    return sum;
}

/// Lowers `memory` to what one group allows.
void applyGroup(const fs::path& group, const Controller& controller, MainMemory& memory) {
    const auto limit = numberIn(group / controller.limit);
    // Version 1 writes "no limit" as a number that no machine reaches.
    if (!limit || (memory.total != 0 && *limit >= memory.total)) return;
    const std::uint64_t usage = numberIn(group / controller.usage).value_or(0);
    const std::uint64_t held = usage - std::min(usage, cachedFiles(group, controller));
    // A byte at least: 0 would mean unknown.
    const std::uint64_t left = std::max<std::uint64_t>(1, *limit - std::min(*limit, held));
    memory.total = *limit;
    memory.free = memory.free == 0 ? left : std::min(memory.free, left);
    memory.limited = true;
}

/// The group at `path` below the controller's mount and all above it: each has a limit of its own. In a container the path may be
/// the host's and not be there; what the mount itself says is then the container's.
void applyGroups(const fs::path& root, const Controller& controller, fs::path path, MainMemory& memory) {
    for (path = path.relative_path().lexically_normal(); !path.empty(); path = path.parent_path())
        if (*path.begin() != "..") applyGroup(root / controller.mount / path, controller, memory);
    applyGroup(root / controller.mount, controller, memory);
}

bool hasMemoryController(std::string_view controllers) {
    while (!controllers.empty()) {
        const std::size_t comma = std::min(controllers.find(','), controllers.size());
        if (controllers.substr(0, comma) == "memory") return true;
        controllers.remove_prefix(std::min(comma + 1, controllers.size()));
    }
    return false;
}

}  // namespace

MainMemory readMainMemory(const fs::path& root) {
    MainMemory memory;
    std::ifstream machine(root / "proc/meminfo");
    std::string key;
    std::string unit;
    std::uint64_t kib = 0;
    while (machine >> key >> kib) {
        if (key == "MemTotal:") memory.total = kib * 1024;
        if (key == "MemAvailable:") memory.free = kib * 1024;
        std::getline(machine, unit);
    }
    // Lines "number:controllers:path"; version 2 names no controllers.
    std::ifstream groups(root / "proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':');
        const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
        if (controllers.empty())
            applyGroups(root, kVersion2, line.substr(second + 1), memory);
        else if (hasMemoryController(controllers))
            applyGroups(root, kVersion1, line.substr(second + 1), memory);
    }
    return memory;
}

}  // namespace trefoil
