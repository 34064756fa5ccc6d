// Quantised panels: weights of 8 or 4 bits with scales, laid out for the matrix kernel, which widens a tile at a time
// (model-contract.md, section 1).
#pragma once

#include "kernels/cpu/weight_format.h"

#include <cstddef>
#include <cstdint>

namespace trefoil::kernels {

enum class QuantisedCodes : std::uint8_t {
    Fp8,   ///< F8_E4M3, one byte a weight; no code is NaN
    Int4,  ///< 0…15, two in a byte
};

/// How the panels of a quantised matrix [rows, columns] are stored. A panel of 32 rows holds, each part at a multiple of 64
/// bytes:
///   codes        [columns][32] bytes (Fp8), or [columns][16] bytes: byte j has row j in its low and row j + 16 in its high half
///   scales       [⌈columns/group⌉][32] of type scaleFormat
///   zero points  [⌈columns/group⌉][32] bytes, where there are any; without them 8 is the zero of Int4
/// A weight is code · scale (Fp8), (code - zero) · scale (Int4), multiplied in float32 and rounded to nearest even in the type
/// values(). Scales are finite and leave every weight finite.
struct QuantisedLayout {
    QuantisedCodes codes = QuantisedCodes::Fp8;
    std::int64_t group = 128;  ///< columns that share a scale of their row
    WeightFormat scaleFormat = WeightFormat::F32;
    bool hasZeroPoints = false;

    [[nodiscard]] constexpr WeightFormat values() const {
        return codes == QuantisedCodes::Fp8 ? WeightFormat::BF16 : scaleFormat;
    }
    [[nodiscard]] constexpr std::int64_t groups(std::int64_t columns) const { return (columns + group - 1) / group; }
    /// Where a panel's scales and its zero points begin, and where the panel ends.
    [[nodiscard]] constexpr std::int64_t scalesAt(std::int64_t columns) const {
        return aligned(columns * (codes == QuantisedCodes::Fp8 ? kPanel : kHalfPanel));
    }
    [[nodiscard]] constexpr std::int64_t zeroPointsAt(std::int64_t columns) const {
        return scalesAt(columns) + aligned(groups(columns) * kPanel * formatBytes(scaleFormat));
    }
    [[nodiscard]] constexpr std::int64_t panelBytes(std::int64_t columns) const {
        return zeroPointsAt(columns) + (hasZeroPoints ? aligned(groups(columns) * kPanel) : 0);
    }
    friend bool operator==(const QuantisedLayout&, const QuantisedLayout&) = default;

private:
    static constexpr std::int64_t aligned(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }
};

/// Columns that are widened at once: a tile of float32 that stays in the first-level cache.
inline constexpr std::int64_t kTileColumns = 128;

/// Columns [first, first + count) of a panel as float32 into out [count][32]; count <= kTileColumns, `out` aligned to 64 bytes.
/// Twin: reference::dequantised, bit for bit.
void widenPanel(const QuantisedLayout& layout, const std::byte* panel, std::int64_t columns, std::int64_t first,
                std::int64_t count, float* out);

}  // namespace trefoil::kernels
