#include "kernels/cuda/pack.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace trefoil::cuda {
namespace {

constexpr bool isInt4(PackFormat format) { return static_cast<int>(format) >= static_cast<int>(PackFormat::Int4By32); }

std::uint16_t brain(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return static_cast<std::uint16_t>((bits + 0x7FFFU + (bits >> 16 & 1U)) >> 16);
}
float unbrain(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

template <class T>
T at(const std::byte* from, std::int64_t index = 0) {
    T value;
    std::memcpy(&value, from + index * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
}

float half(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    const float magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                            : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                            : std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

float number(DType type, const std::byte* from, std::int64_t index) {
    switch (type) {
        case DType::F32:
            return at<float>(from, index);
        case DType::F16:
            return half(at<std::uint16_t>(from, index));
        case DType::BF16:
            return unbrain(at<std::uint16_t>(from, index));
    }
    return 0.0F;
}

/// An e4m3 code that is not NaN.
float fp8(std::uint8_t code) {
    const int exponent = code >> 3 & 15;
    const int fraction = code & 7;
    const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -9)
                                          : std::ldexp(static_cast<float>(fraction + 8), exponent - 10);
    return (code & 0x80) != 0 ? -magnitude : magnitude;
}

void packCodes(PackFormat format, std::int64_t columns, int row, const std::byte* codes, std::byte* block) {
    const int unitBytes = unitLayout(format).bytes();
    // By place within 16 columns; a step further is the same place `step` bytes on.
    UnitPlace places[16];
    for (int c = 0; c < 16; ++c) places[c] = codePlace(format, row, c);
    for (std::int64_t first = 0; first < columns; first += 16) {
        std::byte* to =
            block + first / kUnitColumns * unitBytes + codePlace(format, 0, static_cast<int>(first % kUnitColumns)).offset;
        const int count = static_cast<int>(columns - first < 16 ? columns - first : 16);
        if (format == PackFormat::BFloat16) {
            for (int c = 0; c < count; ++c) std::memcpy(to + places[c].offset, codes + (first + c) * 2, 2);
        } else if (format == PackFormat::Fp8) {
            for (int c = 0; c < count; ++c) to[places[c].offset] = codes[first + c];
        } else {
            for (int c = 0; c < count; ++c) {
                const std::byte code = codes[(first + c) / 2] >> (4 * (c & 1)) & std::byte{15};
                to[places[c].offset] |= code << places[c].shift;
            }
        }
    }
}

}  // namespace

PackFormat packFormatOf(const std::optional<QuantisedForm>& form, bool exact) {
    if (!form) return PackFormat::None;
    if (form->format == QuantisedFormat::Fp8Blocks) return form->groupSize == kUnitColumns ? PackFormat::Fp8 : PackFormat::None;
    if (form->format != QuantisedFormat::Int4Groups || (exact && form->scaleType != DType::BF16)) return PackFormat::None;
    if (form->groupSize % kUnitColumns == 0) return form->hasZeroPoints ? PackFormat::Int4ZerosBy128 : PackFormat::Int4By128;
    if (form->groupSize % 32 == 0) return form->hasZeroPoints ? PackFormat::Int4ZerosBy32 : PackFormat::Int4By32;
    return PackFormat::None;
}

void packRow(PackFormat format, std::int64_t columns, int row, const PackRow& source, std::byte* block) {
    packCodes(format, columns, row, source.codes, block);
    const UnitLayout layout = unitLayout(format);
    if (layout.groups == 0) return;
    const int step = kUnitColumns / layout.groups;
    for (std::int64_t column = 0; column < columns; column += step) {
        std::byte* unit = block + column / kUnitColumns * layout.bytes();
        const int index = scaleIndex(layout, row, static_cast<int>(column % kUnitColumns));
        const std::int64_t group = column / source.groupSize;
        const float scale = number(source.scaleType, source.scales, group);
        if (isInt4(format)) {
            const std::uint16_t bits = brain(scale);
            std::memcpy(unit + layout.codeBytes + index * 2, &bits, 2);
        } else {
            std::memcpy(unit + layout.codeBytes + index * 4, &scale, 4);
        }
        if (layout.zeros) unit[layout.zerosAt() + index] = static_cast<std::byte>(source.zeroPoints[group]);
    }
}

float packedValue(PackFormat format, const std::byte* block, int row, std::int64_t column) {
    const UnitLayout layout = unitLayout(format);
    const std::byte* unit = block + column / kUnitColumns * layout.bytes();
    const int within = static_cast<int>(column % kUnitColumns);
    const UnitPlace place = codePlace(format, row, within);
    if (format == PackFormat::BFloat16) return unbrain(at<std::uint16_t>(unit + place.offset));
    const int index = scaleIndex(layout, row, within);
    const auto code = static_cast<std::uint8_t>(unit[place.offset]);
    if (format == PackFormat::Fp8) return unbrain(brain(fp8(code) * at<float>(unit + layout.codeBytes, index)));
    const int zero = layout.zeros ? static_cast<int>(unit[layout.zerosAt() + index]) : 8;
    const float difference = static_cast<float>((code >> place.shift & 15) - zero);
    return unbrain(brain(difference * unbrain(at<std::uint16_t>(unit + layout.codeBytes, index))));
}

void toBf16(DType type, const std::byte* source, std::int64_t count, std::byte* out) {
    if (type == DType::BF16) {
        std::memcpy(out, source, static_cast<std::size_t>(count) * 2);
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint16_t bits = brain(number(type, source, i));
        std::memcpy(out + i * 2, &bits, 2);
    }
}

}  // namespace trefoil::cuda
