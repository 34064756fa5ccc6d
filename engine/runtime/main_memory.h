// MainMemory: what this process may use of the machine's memory.
#pragma once

#include <cstdint>
#include <filesystem>

namespace trefoil {

struct MainMemory {
    std::uint64_t total = 0;  ///< bytes; 0: unknown
    std::uint64_t free = 0;   ///< bytes that can be had without swapping; 0: unknown
    bool limited = false;     ///< a control group allows less than the machine has: both figures are the group's
};

/// The machine's memory, or less where a control group of this process (a container, a service, a batch job) or one above it sets
/// a limit, in version 2 (memory.max) or 1 (memory.limit_in_bytes). Cached files of a group count as free, since they make way.
/// Reads proc and sys/fs/cgroup below `root`; what cannot be read sets no limit.
[[nodiscard]] MainMemory readMainMemory(const std::filesystem::path& root = "/");

}  // namespace trefoil
