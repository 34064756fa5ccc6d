#include "engine/checkpoint/number_formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace trefoil {
namespace {

float decodeFp8(unsigned code) {
    const unsigned exponent = code >> 3 & 15U;
    const unsigned fraction = code & 7U;
    float magnitude = 0.0F;
    if (exponent == 15 && fraction == 7)
        magnitude = std::numeric_limits<float>::quiet_NaN();
    else if (exponent == 0)
        magnitude = std::ldexp(static_cast<float>(fraction), -9);
    else
        magnitude = std::ldexp(static_cast<float>(fraction + 8), static_cast<int>(exponent) - 10);
    return (code & 128U) != 0 ? -magnitude : magnitude;
}

std::array<float, 256> fp8Table() {
    std::array<float, 256> table{};
    for (unsigned code = 0; code < table.size(); ++code) table[code] = decodeFp8(code);
    return table;
}

}  // namespace

float fromFp8(std::uint8_t code) {
    static const std::array<float, 256> kTable = fp8Table();
    return kTable[code];
}

std::uint8_t toFp8(float value) {
    const float magnitude = std::min(std::fabs(value), kLargestFp8);
    const unsigned sign = std::signbit(value) ? 128U : 0U;
    if (magnitude < 0x1p-6F)  // subnormal: multiples of 2^-9; eight of them are the smallest normal number
        return static_cast<std::uint8_t>(sign | static_cast<unsigned>(std::nearbyint(magnitude * 0x1p9F)));
    const auto bits = std::bit_cast<std::uint32_t>(magnitude);
    const std::uint32_t rounded = bits + 0x7FFFFU + (bits >> 20 & 1U);  // to 3 bits of fraction
    const std::uint32_t exponent = (rounded >> 23) - 120U;              // bias 127 to 7
    return static_cast<std::uint8_t>(sign | exponent << 3 | (rounded >> 20 & 7U));
}

std::uint16_t toHalf(float value) {
    const auto sign = std::signbit(value) ? 0x8000U : 0U;
    const float magnitude = std::fabs(value);
    if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
    if (magnitude < 0x1p-14F)
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::nearbyint(magnitude * 0x1p24F)));
    const auto bits = std::bit_cast<std::uint32_t>(magnitude);
    const std::uint32_t rounded = bits + 0xFFFU + (bits >> 13 & 1U);
    return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112U << 10)));
}

}  // namespace trefoil
