// Where a weight matrix lies on a device, and how quantised ones are laid out there. No CUDA here: the upload packs with it, the
// plan counts with it, and the kernels (packed_formats.cuh) unpack with it.
//
// A packed matrix [M, K] is made of units of 16 rows by 128 columns, one after the other along K, then along M; what fills up the
// last units is zero. A unit holds, for the fragments of mma.m16n8k16 with the weights as operand A, what lane l takes in step kk
// (16 columns) side by side, so that a warp copies a unit in whole lines, and each lane reads 16 bytes at l · 16 (no two lanes of
// a quarter warp meet in a bank):
//   codes   BFloat16: step kk at kk · 512, 16 bytes a lane; Fp8: two steps to 512 bytes; Int4: four
//   scales  [8 row pairs (r, r + 8)][2][groups of the unit]: float32 (Fp8), BF16 (Int4)
//   zeros   the same order, a byte each; only of the formats with zero points
// Values: BFloat16 as they are; Fp8: code · scale; Int4: (code - zero) · scale, zero 8 unless stored.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trefoil::cuda {

/// How the units of a packed matrix are stored. The number is the columns that share a scale. Fp8: e4m3 without NaN; blocks of
/// 128 × 128 are kept as a scale a row, since rows of several tensors may share a unit.
enum class PackFormat : int { None, BFloat16, Fp8, Int4By32, Int4By128, Int4ZerosBy32, Int4ZerosBy128 };

inline constexpr int kUnitRows = 16;
inline constexpr int kUnitColumns = 128;

struct UnitLayout {
    int codeBytes = 0;
    int scaleSize = 0;  ///< bytes of one; 0: no scales
    int groups = 0;     ///< scales of a row in a unit
    bool zeros = false;

    [[nodiscard]] constexpr int scaleBytes() const { return kUnitRows * groups * scaleSize; }
    [[nodiscard]] constexpr int zerosAt() const { return codeBytes + scaleBytes(); }
    [[nodiscard]] constexpr int bytes() const { return zerosAt() + (zeros ? kUnitRows * groups : 0); }
};

[[nodiscard]] constexpr UnitLayout unitLayout(PackFormat format) {
    switch (format) {
        case PackFormat::BFloat16:
            return {4096, 0, 0, false};
        case PackFormat::Fp8:
            return {2048, 4, 1, false};
        case PackFormat::Int4By32:
            return {1024, 2, 4, false};
        case PackFormat::Int4By128:
            return {1024, 2, 1, false};
        case PackFormat::Int4ZerosBy32:
            return {1024, 2, 4, true};
        case PackFormat::Int4ZerosBy128:
            return {1024, 2, 1, true};
        case PackFormat::None:
            break;
    }
    return {};
}
// Copied 16 bytes at a time, so every part begins at a multiple of 16 (zeros of Int4ZerosBy128 end one).
static_assert(unitLayout(PackFormat::BFloat16).bytes() == 4096 && unitLayout(PackFormat::Fp8).bytes() == 2112);
static_assert(unitLayout(PackFormat::Int4By32).bytes() == 1152 && unitLayout(PackFormat::Int4By128).bytes() == 1056);
static_assert(unitLayout(PackFormat::Int4ZerosBy32).bytes() == 1216 && unitLayout(PackFormat::Int4ZerosBy128).bytes() == 1072);

[[nodiscard]] constexpr std::int64_t unitsOf(std::int64_t columns) { return (columns + kUnitColumns - 1) / kUnitColumns; }
[[nodiscard]] constexpr std::int64_t rowBlocksOf(std::int64_t rows) { return (rows + kUnitRows - 1) / kUnitRows; }
/// Bytes of 16 rows.
[[nodiscard]] constexpr std::int64_t rowBlockBytes(PackFormat format, std::int64_t columns) {
    return unitsOf(columns) * unitLayout(format).bytes();
}
[[nodiscard]] constexpr std::int64_t packedBytes(PackFormat format, std::int64_t rows, std::int64_t columns) {
    return rowBlocksOf(rows) * rowBlockBytes(format, columns);
}
/// Gate and up rows [2 · width, K] as pairs of row blocks: 16 gate rows, then the 16 up rows that belong to them.
[[nodiscard]] constexpr std::int64_t pairedBytes(PackFormat format, std::int64_t width, std::int64_t columns) {
    return 2 * rowBlocksOf(width) * rowBlockBytes(format, columns);
}

/// Where an element of a unit lies, in bytes, and how far its bits are shifted up there (Int4).
struct UnitPlace {
    int offset = 0;
    int shift = 0;
};
[[nodiscard]] constexpr UnitPlace codePlace(PackFormat format, int row, int column) {
    const int kk = column / 16;
    const int lane = (row & 7) * 4 + ((column & 7) >> 1);
    const int part = (column >> 3 & 1) * 2 + (row >> 3);  // of the fragment's four registers
    const int half = column & 1;                          // of a register
    if (format == PackFormat::BFloat16) return {kk * 512 + lane * 16 + part * 4 + half * 2, 0};
    if (format == PackFormat::Fp8) return {kk / 2 * 512 + lane * 16 + (kk & 1) * 8 + (part >> 1) * 4 + (part & 1) + half * 2, 0};
    const int nibble = part + half * 4;
    return {kk / 4 * 512 + lane * 16 + (kk & 3) * 4 + nibble / 2, (nibble & 1) * 4};
}
/// Which of the unit's scales (and zeros) belongs to an element.
[[nodiscard]] constexpr int scaleIndex(const UnitLayout& layout, int row, int column) {
    return ((row & 7) * 2 + (row >> 3)) * layout.groups + column * layout.groups / kUnitColumns;
}

/// Rows [first, first + rows) of a matrix, packed in one format.
struct PackedSegment {
    PackFormat format = PackFormat::None;
    std::int64_t first = 0;
    std::int64_t rows = 0;
    const std::byte* data = nullptr;
};

/// A matrix [rows, columns] on a device: plain (row by row, BF16 or float32 as the whole model), or packed.
struct WeightMatrix {
    static constexpr int kMaxSegments = 4;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    const void* plain = nullptr;
    int segments = 0;  ///< 0: plain
    PackedSegment segment[kMaxSegments];

    [[nodiscard]] bool packed() const { return segments > 0; }
};

/// Experts of one layer whose matrices are packed. A record holds an expert: gate and up in pairs, then down at downAt.
struct PackedExperts {
    PackFormat gateUp = PackFormat::None;
    PackFormat down = PackFormat::None;
    PackFormat sharedGateUp = PackFormat::None;
    PackFormat sharedDown = PackFormat::None;
    const std::byte* records = nullptr;       ///< expert e at e · recordBytes, where there is no table
    const std::byte* const* table = nullptr;  ///< [E], device memory: where each record lies, on the card or in main memory
    const std::byte* sharedGateUpData = nullptr;
    const std::byte* sharedDownData = nullptr;
    std::int64_t recordBytes = 0;
    std::int64_t downAt = 0;
    int experts = 0;      ///< E
    int hidden = 0;       ///< D
    int width = 0;        ///< I
    int sharedWidth = 0;  ///< Is

    [[nodiscard]] bool inUse() const { return gateUp != PackFormat::None; }
};

}  // namespace trefoil::cuda
