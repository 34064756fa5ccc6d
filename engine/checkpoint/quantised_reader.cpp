#include "engine/checkpoint/quantised_reader.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/number_formats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace trefoil {
namespace {

constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;

void store(DType type, float value, std::byte* destination) {
    if (type == DType::F32) {
        std::memcpy(destination, &value, sizeof value);
        return;
    }
    const std::uint16_t bits = type == DType::BF16 ? toBrain(value) : toHalf(value);
    std::memcpy(destination, &bits, sizeof bits);
}

/// Whether a magnitude stays finite in a type.
bool fits(DType type, float magnitude) {
    if (!std::isfinite(magnitude)) return false;
    if (type == DType::F16) return magnitude < 65520.0F;
    return type == DType::F32 || std::isfinite(fromBrain(toBrain(magnitude)));
}

class Reader {
public:
    Reader(const TensorSegment& segment, std::span<const SafetensorsFile> files)
        : m_segment(segment),
          m_storage(*segment.quantised),
          m_files(files),
          m_form(m_storage.form),
          m_isFp8(m_form.format == QuantisedFormat::Fp8Blocks),
          m_columns(m_form.columns),
          m_rows(segment.elements / m_columns),
          m_groups(m_form.groups()),
          m_rowBytes(m_form.rowBytes()) {}

    Status read(std::int64_t first, std::int64_t count, std::span<std::byte> destination) {
        const auto size = static_cast<std::int64_t>(dtypeSize(m_segment.dtype));
        std::vector<std::byte> row(static_cast<std::size_t>(m_columns * size));
        const std::int64_t end = first + count;
        const std::int64_t rowsAtOnce = std::max<std::int64_t>(1, kPieceBytes / m_rowBytes);
        for (std::int64_t at = first; at < end;) {
            const std::int64_t firstRow = at / m_columns;
            const std::int64_t lastRow = std::min({(end - 1) / m_columns + 1, firstRow + rowsAtOnce, m_rows});
            if (auto ok = fetch(firstRow, lastRow - firstRow); !ok.ok()) return ok;
            for (std::int64_t r = firstRow; r < lastRow; ++r) {
                const std::int64_t from = at - r * m_columns;
                const std::int64_t to = std::min(m_columns, end - r * m_columns);
                std::byte* out = destination.data() + (at - first) * size;
                const bool whole = from == 0 && to == m_columns;
                if (auto ok = decode(r, firstRow, whole ? out : row.data()); !ok.ok()) return ok;
                if (!whole) std::memcpy(out, row.data() + from * size, static_cast<std::size_t>((to - from) * size));
                at += to - from;
            }
        }
        return {};
    }

    Status append(std::int64_t firstRow, std::int64_t count, QuantisedRows& rows) {
        if (auto ok = fetch(firstRow, count); !ok.ok()) return ok;
        const std::size_t scaleSize = dtypeSize(m_form.scaleType);
        for (std::int64_t r = firstRow; r < firstRow + count; ++r) {
            if (m_isFp8)
                if (auto ok = checkCodes(r, m_weights.data() + (r - firstRow) * m_rowBytes); !ok.ok()) return ok;
            const std::int64_t scaleRow = (m_isFp8 ? r / kScaleBlock : r) - m_firstScaleRow;
            const auto from = m_storedScales.begin() + scaleRow * m_groups * static_cast<std::int64_t>(scaleSize);
            rows.scales.insert(rows.scales.end(), from, from + m_groups * static_cast<std::int64_t>(scaleSize));
            for (std::int64_t g = 0; m_form.hasZeroPoints && g < m_groups; ++g)
                rows.zeroPoints.push_back(static_cast<std::uint8_t>(zeroPoint(r, g)));
        }
        rows.codes.insert(rows.codes.end(), m_weights.begin(), m_weights.end());
        return {};
    }

private:
    Status readAt(const StoredPlace& place, std::uint64_t skip, std::span<std::byte> destination) const {
        return m_files[place.file].file().readAt(place.offset + skip, destination);
    }

    /// Weights, scales and zero points of some rows.
    Status fetch(std::int64_t firstRow, std::int64_t count) {
        m_weights.resize(static_cast<std::size_t>(count * m_rowBytes));
        if (auto ok = readAt({m_segment.file, m_segment.offset}, static_cast<std::uint64_t>(firstRow * m_rowBytes), m_weights);
            !ok.ok())
            return ok;
        m_firstScaleRow = m_isFp8 ? firstRow / kScaleBlock : firstRow;
        const std::int64_t lastScaleRow = m_isFp8 ? (firstRow + count - 1) / kScaleBlock : firstRow + count - 1;
        const std::int64_t scaleCount = (lastScaleRow - m_firstScaleRow + 1) * m_groups;
        const std::size_t scaleSize = dtypeSize(m_form.scaleType);
        m_storedScales.resize(static_cast<std::size_t>(scaleCount) * scaleSize);
        if (auto ok =
                readAt(m_storage.scales, static_cast<std::uint64_t>(m_firstScaleRow * m_groups) * scaleSize, m_storedScales);
            !ok.ok())
            return ok;
        m_scales.resize(static_cast<std::size_t>(scaleCount));
        toFloat32(m_form.scaleType, m_storedScales, m_scales);
        if (auto ok = checkScales(); !ok.ok()) return ok;
        if (!m_form.hasZeroPoints) return {};
        m_firstZeroRow = firstRow / kNibblesPerWord;
        const std::int64_t zeroCount = ((firstRow + count - 1) / kNibblesPerWord - m_firstZeroRow + 1) * m_groups;
        m_zeroPoints.resize(static_cast<std::size_t>(zeroCount));
        return readAt(m_storage.zeroPoints, static_cast<std::uint64_t>(m_firstZeroRow * m_groups) * sizeof(std::uint32_t),
                      std::as_writable_bytes(std::span(m_zeroPoints)));
    }

    [[nodiscard]] Error damaged(const std::string& what) const {
        return makeError(ErrorKind::Format, printable(m_storage.name) + ": " + what,
                         "the checkpoint is damaged or was made wrongly: fetch or make it again");
    }

    [[nodiscard]] Status checkScales() const {
        const float largest = m_isFp8 ? kLargestFp8 : m_form.hasZeroPoints ? 15.0F : 8.0F;
        for (std::size_t i = 0; i < m_scales.size(); ++i) {
            if (fits(m_segment.dtype, std::fabs(m_scales[i]) * largest)) continue;
            const auto row = m_firstScaleRow + static_cast<std::int64_t>(i) / m_groups;
            const auto column = static_cast<std::int64_t>(i) % m_groups;
            return damaged("its scale in row " + std::to_string(row) + ", column " + std::to_string(column) + " is " +
                           std::to_string(m_scales[i]) + "; a finite number is expected that leaves every weight within " +
                           std::string(dtypeName(m_segment.dtype)));
        }
        return {};
    }

    [[nodiscard]] Status checkCodes(std::int64_t row, const std::byte* codes) const {
        const auto isNaN = [](std::byte code) { return (code & std::byte{0x7F}) == std::byte{0x7F}; };
        const std::byte* found = std::find_if(codes, codes + m_columns, isNaN);
        if (found == codes + m_columns) return {};
        return damaged("its value in row " + std::to_string(row) + ", column " + std::to_string(found - codes) + " is NaN");
    }

    /// As it is stored: plus 8.
    [[nodiscard]] std::uint32_t zeroPoint(std::int64_t row, std::int64_t group) const {
        const std::int64_t word = (row / kNibblesPerWord - m_firstZeroRow) * m_groups + group;
        return m_zeroPoints[static_cast<std::size_t>(word)] >> (4 * (row % kNibblesPerWord)) & 15U;
    }

    Status decode(std::int64_t row, std::int64_t firstRow, std::byte* out) const {
        const std::byte* weights = m_weights.data() + (row - firstRow) * m_rowBytes;
        const std::int64_t scaleRow = (m_isFp8 ? row / kScaleBlock : row) - m_firstScaleRow;
        const float* scales = m_scales.data() + scaleRow * m_groups;
        return m_isFp8 ? decodeFp8(row, weights, scales, out) : decodeInt4(row, weights, scales, out);
    }

    Status decodeFp8(std::int64_t row, const std::byte* weights, const float* scales, std::byte* out) const {
        if (auto ok = checkCodes(row, weights); !ok.ok()) return ok;
        const std::size_t size = dtypeSize(m_segment.dtype);
        for (std::int64_t c = 0; c < m_columns; ++c, out += size) {
            const float value = fromFp8(static_cast<std::uint8_t>(weights[c]));
            store(m_segment.dtype, value * scales[c / kScaleBlock], out);
        }
        return {};
    }

    Status decodeInt4(std::int64_t row, const std::byte* weights, const float* scales, std::byte* out) const {
        const std::size_t size = dtypeSize(m_segment.dtype);
        for (std::int64_t group = 0; group < m_groups; ++group) {
            const std::uint32_t zero = m_form.hasZeroPoints ? zeroPoint(row, group) : 8;
            const std::int64_t end = (group + 1) * m_form.groupSize;
            for (std::int64_t c = group * m_form.groupSize; c < end; ++c, out += size) {
                const std::uint32_t value = static_cast<std::uint32_t>(weights[c / 2]) >> (4 * (c % 2)) & 15U;
                const int difference = static_cast<int>(value) - static_cast<int>(zero);
                store(m_segment.dtype, static_cast<float>(difference) * scales[group], out);
            }
        }
        return {};
    }

    const TensorSegment& m_segment;
    const QuantisedStorage& m_storage;
    std::span<const SafetensorsFile> m_files;
    const QuantisedForm& m_form;
    const bool m_isFp8;
    const std::int64_t m_columns;
    const std::int64_t m_rows;
    const std::int64_t m_groups;
    const std::int64_t m_rowBytes;
    std::vector<std::byte> m_weights;
    std::vector<std::byte> m_storedScales;
    std::vector<float> m_scales;
    std::vector<std::uint32_t> m_zeroPoints;
    std::int64_t m_firstScaleRow = 0;
    std::int64_t m_firstZeroRow = 0;
};

}  // namespace

Status readQuantised(const TensorSegment& segment, std::span<const SafetensorsFile> files, std::int64_t first, std::int64_t count,
                     std::span<std::byte> destination) {
    return Reader(segment, files).read(first, count, destination);
}

Status appendQuantisedRows(const TensorSegment& segment, std::span<const SafetensorsFile> files, std::int64_t first,
                           std::int64_t count, QuantisedRows& rows) {
    return Reader(segment, files).append(first, count, rows);
}

}  // namespace trefoil
