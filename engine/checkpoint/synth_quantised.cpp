#include "engine/checkpoint/synth_quantised.h"

#include "engine/checkpoint/number_formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

namespace trefoil {
namespace {

/// Bytes of the table: a prime, so that rows do not repeat within a matrix for long.
constexpr std::size_t kTableBytes = 4194301;
/// Standard deviation of the values that codes stand for, scale 1: -7 … 7 alike; e4m3 of a normal of 32.
constexpr float kInt4Deviation = 4.3204938F;
constexpr float kFp8Deviation = 32.0F;

std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

bool isCandidate(std::string_view name, const SynthFormat& format) {
    if (name == "lm_head.weight") return format.head;
    if (format.withoutShared && name.find(".shared_expert.") != std::string_view::npos) return false;
    constexpr std::array<std::string_view, 12> kEnds{".in_proj_qkv.weight", ".in_proj_z.weight",     ".out_proj.weight",
                                                     ".q_proj.weight",      ".k_proj.weight",        ".v_proj.weight",
                                                     ".o_proj.weight",      ".gate_proj.weight",     ".up_proj.weight",
                                                     ".down_proj.weight",   ".experts.gate_up_proj", ".experts.down_proj"};
    return std::any_of(kEnds.begin(), kEnds.end(), [name](std::string_view end) { return name.ends_with(end); });
}

/// Four uniform numbers make a normal one, near enough.
float normalish(std::uint64_t bits) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<float>(bits >> (16 * i) & 0xFFFF) / 65536.0F - 0.5F;
    return sum * 1.7320508F;
}

}  // namespace

SyntheticQuantised::SyntheticQuantised(const ModelConfig& config, std::uint64_t seed, const SynthFormat& format)
    : m_seed(seed), m_plain(config, seed), m_tensors(m_plain.tensors()), m_codes(kTableBytes) {
    const bool isFp8 = format.format == QuantisedFormat::Fp8Blocks;
    for (TensorInfo& tensor : m_tensors) {
        if (format.format == QuantisedFormat::None || tensor.shape.size() < 2 || !isCandidate(tensor.name, format)) continue;
        QuantisedForm form;
        form.format = format.format;
        form.columns = tensor.shape.back();
        form.groupSize = isFp8 ? kScaleBlock : format.group;
        form.scaleType = isFp8 ? DType::F32 : DType::BF16;
        form.hasZeroPoints = !isFp8 && format.zeroPoints;
        if (!isFp8 && form.columns % form.groupSize != 0) continue;
        tensor.quantised = form;
    }
    for (std::size_t i = 0; i < m_codes.size(); ++i) {
        const std::uint64_t bits = mix(seed + 77 + i);
        m_codes[i] = isFp8 ? std::byte{toFp8(kFp8Deviation * normalish(bits))}
                           : std::byte(static_cast<unsigned char>((1 + bits % 15) | (1 + (bits >> 32) % 15) << 4));
    }
}

float SyntheticQuantised::scaleOf(std::size_t tensor, std::int64_t row, std::int64_t group) const {
    const QuantisedForm& form = *m_tensors[tensor].quantised;
    const bool isFp8 = form.format == QuantisedFormat::Fp8Blocks;
    const float deviation = 1.0F / std::sqrt(static_cast<float>(form.columns));
    const auto place = static_cast<std::uint64_t>((isFp8 ? row / kScaleBlock : row) * form.groups() + group);
    const float vary = 0.75F + 0.5F * static_cast<float>(mix(m_seed ^ mix(tensor + 1) ^ mix(place)) >> 40) / 16777216.0F;
    return deviation * vary / (isFp8 ? kFp8Deviation : kInt4Deviation);
}

void SyntheticQuantised::readRows(std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) const {
    const QuantisedForm& form = *m_tensors[tensor].quantised;
    const bool isFp8 = form.format == QuantisedFormat::Fp8Blocks;
    rows.codes.resize(static_cast<std::size_t>(count * form.rowBytes()));
    rows.scales.resize(static_cast<std::size_t>(count * form.groups()) * dtypeSize(form.scaleType));
    rows.zeroPoints.resize(form.hasZeroPoints ? static_cast<std::size_t>(count * form.groups()) : 0);
    for (std::int64_t r = 0; r < count; ++r) {
        std::size_t at = mix(m_seed ^ mix(tensor * 1000003 + static_cast<std::size_t>(first + r))) % kTableBytes;
        auto left = static_cast<std::size_t>(form.rowBytes());
        std::byte* out = rows.codes.data() + r * form.rowBytes();
        while (left > 0) {
            const std::size_t n = std::min(left, kTableBytes - at);
            std::memcpy(out, m_codes.data() + at, n);
            out += n;
            left -= n;
            at = 0;
        }
        for (std::int64_t g = 0; g < form.groups(); ++g) {
            const float scale = scaleOf(tensor, first + r, g);
            const auto place = static_cast<std::size_t>(r * form.groups() + g);
            if (isFp8) {
                std::memcpy(rows.scales.data() + place * sizeof scale, &scale, sizeof scale);
            } else {
                const std::uint16_t bits = toBrain(scale);
                std::memcpy(rows.scales.data() + place * sizeof bits, &bits, sizeof bits);
            }
            // Around 8, so that values stay centred.
            if (form.hasZeroPoints) rows.zeroPoints[place] = static_cast<std::uint8_t>(7 + (first + r + g) % 3);
        }
    }
}

void SyntheticQuantised::read(std::size_t tensor, std::int64_t first, std::int64_t count,
                              std::span<std::byte> destination) const {
    if (!m_tensors[tensor].quantised) {
        m_plain.read(tensor, first, count, destination);
        return;
    }
    const QuantisedForm& form = *m_tensors[tensor].quantised;
    const bool isFp8 = form.format == QuantisedFormat::Fp8Blocks;
    QuantisedRows rows;
    std::int64_t row = -1;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t own = (first + i) / form.columns;
        const std::int64_t column = (first + i) % form.columns;
        if (own != row) readRows(tensor, row = own, 1, rows);
        const auto group = static_cast<std::size_t>(column / form.groupSize);
        float value = 0;
        if (isFp8) {
            float scale = 0;
            std::memcpy(&scale, rows.scales.data() + group * sizeof scale, sizeof scale);
            value = fromFp8(static_cast<std::uint8_t>(rows.codes[static_cast<std::size_t>(column)])) * scale;
        } else {
            std::uint16_t bits = 0;
            std::memcpy(&bits, rows.scales.data() + group * sizeof bits, sizeof bits);
            const auto code =
                static_cast<std::uint32_t>(rows.codes[static_cast<std::size_t>(column / 2)]) >> (4 * (column % 2)) & 15U;
            const int zero = form.hasZeroPoints ? rows.zeroPoints[group] : 8;
            value = static_cast<float>(static_cast<int>(code) - zero) * fromBrain(bits);
        }
        const std::uint16_t bits = toBrain(value);
        std::memcpy(destination.data() + 2 * i, &bits, sizeof bits);
    }
}

}  // namespace trefoil
