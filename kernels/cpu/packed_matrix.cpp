#include "kernels/cpu/packed_matrix.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace trefoil::kernels {
namespace {

std::int64_t panelsFor(std::int64_t rows, RowOrder order) {
    return order == RowOrder::Paired ? divideUp(rows / 2, kHalfPanel) : divideUp(rows, kPanel);
}

float widenHalf(std::uint16_t h) {
    const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000U) << 16;
    const std::uint32_t exponent = (h >> 10) & 0x1FU;
    const std::uint32_t fraction = h & 0x3FFU;
    if (exponent == 0) {  // zero or subnormal: fraction · 2^-24, exact in float32
        const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide = exponent == 31 ? 0xFFU : exponent + 112;
    return std::bit_cast<float>(sign | (wide << 23) | (fraction << 13));
}

float widenBrain(std::uint16_t b) { return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16); }

template <class Element>
Element load(const std::byte* from, std::int64_t index) {
    Element e;
    std::memcpy(&e, from + index * static_cast<std::int64_t>(sizeof(Element)), sizeof(Element));
    return e;
}

/// source [columns] to every 32nd element from `destination` on.
template <class Element>
void scatterRow(const std::byte* source, std::int64_t columns, std::byte* destination) {
    auto* out = reinterpret_cast<Element*>(destination);
    for (std::int64_t k = 0; k < columns; ++k) out[k * kPanel] = load<Element>(source, k);
}

}  // namespace

void widen(const std::byte* source, WeightFormat format, std::int64_t count, float* out) {
    switch (format) {
        case WeightFormat::F32:
            std::memcpy(out, source, static_cast<std::size_t>(count) * sizeof(float));
            break;
        case WeightFormat::F16:
            for (std::int64_t i = 0; i < count; ++i) out[i] = widenHalf(load<std::uint16_t>(source, i));
            break;
        case WeightFormat::BF16:
            for (std::int64_t i = 0; i < count; ++i) out[i] = widenBrain(load<std::uint16_t>(source, i));
            break;
    }
}

PackedMatrix::PackedMatrix(WeightFormat format, std::int64_t items, std::int64_t rows, std::int64_t columns, RowOrder order)
    : m_format(format),
      m_order(order),
      m_items(items),
      m_rows(rows),
      m_columns(columns),
      m_panels(panelsFor(rows, order)),
      m_panelBytes(columns * kPanel * formatBytes(format)),
      m_data(items * m_panels * m_panelBytes) {}

PackedMatrix::PackedMatrix(const QuantisedLayout& layout, std::int64_t items, std::int64_t rows, std::int64_t columns,
                           RowOrder order)
    : m_format(layout.values()),
      m_quantised(layout),
      m_order(order),
      m_items(items),
      m_rows(rows),
      m_columns(columns),
      m_panels(panelsFor(rows, order)),
      m_panelBytes(layout.panelBytes(columns)),
      m_data(items * m_panels * m_panelBytes) {}

std::uint64_t PackedMatrix::plannedBytes(const QuantisedLayout& layout, std::int64_t items, std::int64_t rows,
                                         std::int64_t columns, RowOrder order) {
    return static_cast<std::uint64_t>(items * panelsFor(rows, order) * layout.panelBytes(columns));
}

std::uint64_t PackedMatrix::plannedBytes(WeightFormat format, std::int64_t items, std::int64_t rows, std::int64_t columns,
                                         RowOrder order) {
    return static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(panelsFor(rows, order)) *
           static_cast<std::uint64_t>(columns * kPanel * formatBytes(format));
}

PackedMatrix::Place PackedMatrix::placeOf(std::int64_t row) const {
    if (m_order == RowOrder::Plain) return {row / kPanel, row % kPanel};
    const std::int64_t half = m_rows / 2;
    const std::int64_t within = row < half ? row : row - half;
    return {within / kHalfPanel, within % kHalfPanel + (row < half ? 0 : kHalfPanel)};
}

std::int64_t PackedMatrix::offsetOf(std::int64_t column) const {
    if (m_format != WeightFormat::BF16) return column;
    return column % kHalfPanel * 2 + column / kHalfPanel;
}

void PackedMatrix::pack(std::int64_t item, std::int64_t first, std::int64_t count, const std::byte* source,
                        WeightFormat sourceFormat) {
    pack(item, first, count, source, sourceFormat, 0, m_columns);
}

void PackedMatrix::pack(std::int64_t item, std::int64_t first, std::int64_t count, const std::byte* source,
                        WeightFormat sourceFormat, std::int64_t firstColumn, std::int64_t columnCount) {
    assert(!m_quantised && (sourceFormat == m_format || m_format == WeightFormat::F32));
    assert(firstColumn >= 0 && firstColumn + columnCount <= m_columns);
    const std::int64_t rowBytes = m_columns * formatBytes(sourceFormat);
    for (std::int64_t r = 0; r < count; ++r) {
        const Place place = placeOf(first + r);
        std::byte* destination = m_data.data() + (item * m_panels + place.panel) * m_panelBytes +
                                 (firstColumn * kPanel + offsetOf(place.column)) * formatBytes(m_format);
        const std::byte* row = source + r * rowBytes + firstColumn * formatBytes(sourceFormat);
        if (m_format != WeightFormat::F32) {
            scatterRow<std::uint16_t>(row, columnCount, destination);
        } else if (sourceFormat == WeightFormat::F32) {
            scatterRow<float>(row, columnCount, destination);
        } else {
            auto* out = reinterpret_cast<float*>(destination);
            for (std::int64_t k = 0; k < columnCount; ++k)
                widen(row + k * formatBytes(sourceFormat), sourceFormat, 1, out + k * kPanel);
        }
    }
}

void PackedMatrix::packQuantised(std::int64_t item, std::int64_t first, std::int64_t count, const std::byte* codes,
                                 const std::byte* scales, const std::uint8_t* zeroPoints) {
    assert(m_quantised && (zeroPoints != nullptr) == m_quantised->hasZeroPoints);
    const QuantisedLayout& layout = *m_quantised;
    const bool isFp8 = layout.codes == QuantisedCodes::Fp8;
    const std::int64_t rowBytes = isFp8 ? m_columns : divideUp(m_columns, 8) * 4;
    const std::int64_t groups = layout.groups(m_columns);
    const std::int64_t scaleBytes = formatBytes(layout.scaleFormat);
    for (std::int64_t r = 0; r < count; ++r) {
        const Place place = placeOf(first + r);
        std::byte* to = m_data.data() + (item * m_panels + place.panel) * m_panelBytes;
        const std::byte* row = codes + r * rowBytes;
        if (isFp8) {
            for (std::int64_t k = 0; k < m_columns; ++k) to[k * kPanel + place.column] = row[k];
        } else {
            const unsigned shift = place.column < kHalfPanel ? 0 : 4;
            std::byte* column = to + place.column % kHalfPanel;
            for (std::int64_t k = 0; k < m_columns; ++k)
                column[k * kHalfPanel] |= (row[k / 2] >> (4 * (k % 2)) & std::byte{15}) << shift;
        }
        std::byte* scale = to + layout.scalesAt(m_columns) + place.column * scaleBytes;
        for (std::int64_t g = 0; g < groups; ++g)
            std::copy_n(scales + (r * groups + g) * scaleBytes, scaleBytes, scale + g * kPanel * scaleBytes);
        if (!layout.hasZeroPoints) continue;
        std::byte* zero = to + layout.zeroPointsAt(m_columns) + place.column;
        for (std::int64_t g = 0; g < groups; ++g) zero[g * kPanel] = static_cast<std::byte>(zeroPoints[r * groups + g]);
    }
}

void PackedMatrix::unpack(std::int64_t item, std::int64_t row, float* out) const {
    const Place place = placeOf(row);
    if (m_quantised) {
        AlignedArray<float> tile(kTileColumns * kPanel);
        for (std::int64_t k = 0; k < m_columns; k += kTileColumns) {
            const std::int64_t count = std::min(kTileColumns, m_columns - k);
            widenPanel(*m_quantised, panel(item, place.panel), m_columns, k, count, tile.data());
            for (std::int64_t i = 0; i < count; ++i) out[k + i] = tile[i * kPanel + place.column];
        }
        return;
    }
    const std::byte* from = panel(item, place.panel) + offsetOf(place.column) * formatBytes(m_format);
    for (std::int64_t k = 0; k < m_columns; ++k) widen(from + k * kPanel * formatBytes(m_format), m_format, 1, out + k);
}

}  // namespace trefoil::kernels
