// Conversions between float32 and the short number formats of checkpoints. Private to the engine.
#pragma once

#include <bit>
#include <cstdint>

namespace trefoil {

/// Nearest BF16, ties to even. Values beyond its range become infinite; NaN is not looked after.
[[nodiscard]] constexpr std::uint16_t toBrain(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}
[[nodiscard]] constexpr float fromBrain(std::uint16_t bits) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Nearest F16, ties to even; beyond 65504 infinite.
[[nodiscard]] std::uint16_t toHalf(float value);

/// The value of an F8_E4M3 code (no infinities; 0x7F and 0xFF are NaN); exact.
[[nodiscard]] float fromFp8(std::uint8_t code);
/// The code nearest to a finite value, ties to even; what lies beyond ±448 becomes ±448.
[[nodiscard]] std::uint8_t toFp8(float value);

inline constexpr float kLargestFp8 = 448.0F;

}  // namespace trefoil
