// What the plan and the kernels need to know of a CUDA device.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace trefoil::cuda {

struct DeviceFacts {
    int index = 0;
    std::string name;
    int major = 0;  ///< compute capability
    int sms = 1;
    std::size_t sharedBytes = 0;  ///< that a block may have
    std::uint64_t freeBytes = 0;  ///< now
};

/// Asks CUDA; makes `device` the current one.
[[nodiscard]] Result<DeviceFacts> readDevice(int device);

/// Whether an environment variable has this value.
[[nodiscard]] bool environmentIs(const char* name, const char* value);

}  // namespace trefoil::cuda
