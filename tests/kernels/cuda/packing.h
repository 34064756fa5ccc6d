// Random packed weights for the tests of single kernels, and what they stand for.
#pragma once

#include "kernels/cuda/pack.h"
#include "kernels/cuda/weight_matrix.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace trefoil::cuda {

inline constexpr PackFormat kPackFormats[] = {PackFormat::BFloat16,  PackFormat::Fp8,           PackFormat::Int4By32,
                                              PackFormat::Int4By128, PackFormat::Int4ZerosBy32, PackFormat::Int4ZerosBy128};

inline const char* nameOf(PackFormat format) {
    constexpr const char* kNames[] = {
        "none", "bf16", "fp8", "int4 by 32", "int4 by 128", "int4 zeros by 32", "int4 zeros by 128"};
    return kNames[static_cast<int>(format)];
}

/// What the products make of packed weights besides summing: FP8's values are multiplied by float32 scales instead of rounded
/// ones.
inline double productError(PackFormat format) { return format == PackFormat::Fp8 ? 3e-3 : 2e-5; }

/// A packed matrix with random codes and scales, and its values [rows, columns].
struct RandomPacked {
    std::vector<std::byte> bytes;
    std::vector<float> values;
};

/// Rows are of a matrix, or (paired) first gate rows, then up rows. Values have a standard deviation of about `scale`.
inline RandomPacked randomPacked(PackFormat format, std::int64_t rows, std::int64_t columns, bool paired, float scale,
                                 std::mt19937& random) {
    RandomPacked out;
    const std::int64_t blockBytes = rowBlockBytes(format, columns);
    out.bytes.resize(
        static_cast<std::size_t>(paired ? pairedBytes(format, rows / 2, columns) : packedBytes(format, rows, columns)));
    out.values.resize(static_cast<std::size_t>(rows * columns));
    const std::int64_t group = unitLayout(format).groups > 0 ? kUnitColumns / unitLayout(format).groups : columns;
    const std::int64_t groups = (columns + group - 1) / group;
    std::vector<std::byte> codes(static_cast<std::size_t>(columns * 2));
    std::vector<float> scales(static_cast<std::size_t>(groups));
    std::vector<std::uint8_t> zeros(static_cast<std::size_t>(groups));
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
            if (format == PackFormat::BFloat16) {
                const float value = (static_cast<float>(random() >> 8) / 8388608.0F - 1.0F) * scale;
                toBf16(DType::F32, reinterpret_cast<const std::byte*>(&value), 1, codes.data() + c * 2);
            } else {
                auto code = static_cast<unsigned>(random());
                if (format == PackFormat::Fp8 && (code & 0x7F) == 0x7F) code ^= 1;  // NaN
                // Also subnormal and large ones, at a scale that keeps all of them near each other's size.
                codes[static_cast<std::size_t>(c)] = static_cast<std::byte>(code & 0xFF);
            }
        }
        for (std::int64_t g = 0; g < groups; ++g) {
            const float unit = format == PackFormat::Fp8 ? scale / 120.0F : scale / 5.0F;
            scales[static_cast<std::size_t>(g)] = unit * (0.5F + static_cast<float>(random() % 1000) / 1000.0F);
            zeros[static_cast<std::size_t>(g)] = static_cast<std::uint8_t>(random() % 16);
        }
        const std::int64_t own = paired ? r % (rows / 2) : r;
        const std::int64_t block = paired ? own / kUnitRows * 2 + r / (rows / 2) : own / kUnitRows;
        std::byte* to = out.bytes.data() + block * blockBytes;
        PackRow row;
        row.codes = codes.data();
        row.scales = reinterpret_cast<const std::byte*>(scales.data());
        row.zeroPoints = zeros.data();
        row.scaleType = DType::F32;
        row.groupSize = group;
        packRow(format, columns, static_cast<int>(own % kUnitRows), row, to);
        for (std::int64_t c = 0; c < columns; ++c)
            out.values[static_cast<std::size_t>(r * columns + c)] = packedValue(format, to, static_cast<int>(own % kUnitRows), c);
    }
    return out;
}

}  // namespace trefoil::cuda
