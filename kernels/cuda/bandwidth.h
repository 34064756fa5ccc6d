// What this card can do, for the floors that benchmarks compare with.
#pragma once

namespace trefoil::cuda {

/// Bytes a second read from device memory by a kernel that only reads (4 GB, median of ten), and copied to the device from pinned
/// memory (1 GB, best of five). Zeros when the device has no room for the buffers.
void measureBandwidth(int device, double& readBytes, double& copyBytes);

}  // namespace trefoil::cuda
