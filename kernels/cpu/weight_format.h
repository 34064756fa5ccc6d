// WeightFormat: element types of weights in memory, and the width of the panels that they stand in.
#pragma once

#include <cstdint>

namespace trefoil::kernels {

/// Element type of weights in memory. Kernels that read weights take it as a parameter; activations are always float32.
/// Weights of fewer bits: QuantisedLayout.
enum class WeightFormat : std::uint8_t { F32, F16, BF16 };

[[nodiscard]] constexpr std::int64_t formatBytes(WeightFormat f) { return f == WeightFormat::F32 ? 4 : 2; }

/// Output rows of a weight matrix stand side by side in panels of this many columns.
inline constexpr std::int64_t kPanel = 32;
inline constexpr std::int64_t kHalfPanel = kPanel / 2;

}  // namespace trefoil::kernels
