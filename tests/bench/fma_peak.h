// The most float32 fused multiply-adds that one core can do, as a yardstick for the kernels.
#pragma once

namespace trefoil::bench {

/// Floating-point operations (two a fused multiply-add) per second on the calling thread: the best of `tries` short runs.
[[nodiscard]] double measureFmaPeak(int tries);

}  // namespace trefoil::bench
