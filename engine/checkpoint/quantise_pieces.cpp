#include "engine/checkpoint/quantise_pieces.h"

#include "engine/checkpoint/number_formats.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace trefoil {
namespace {

constexpr std::int64_t kPieceElements = std::int64_t{1} << 20;

/// For one scale: the sum of squares that remains, and the scale that would be best for the values that it leads to.
struct Trial {
    double error = 0;
    float best = 0;
};
Trial tryScale(std::span<const float> weights, std::span<const float> importance, float scale) {
    double products = 0;
    double squares = 0;
    double error = 0;
    const float inverse = 1.0F / scale;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const float w = weights[i];
        const float q = std::clamp(std::nearbyint(w * inverse), -8.0F, 7.0F);
        const double rest = static_cast<double>(w) - static_cast<double>(q) * static_cast<double>(scale);
        const double counts = importance.empty() ? 1.0 : static_cast<double>(importance[i]);
        error += counts * rest * rest;
        products += counts * static_cast<double>(w) * static_cast<double>(q);
        squares += counts * static_cast<double>(q) * static_cast<double>(q);
    }
    return {error, squares > 0 ? static_cast<float>(products / squares) : scale};
}

}  // namespace

std::vector<QuantisePiece> piecesOf(const QuantiseShard& shard) {
    std::vector<QuantisePiece> pieces;
    for (const QuantiseUnit& unit : shard.units) {
        const bool plain = unit.format == QuantisedFormat::None;
        const std::int64_t rows = plain ? unit.columns : unit.rows;  // plain units are cut anywhere
        std::int64_t step = plain ? kPieceElements : std::max<std::int64_t>(1, kPieceElements / unit.columns);
        if (unit.format == QuantisedFormat::Fp8Blocks) step = std::max<std::int64_t>(1, step / kScaleBlock) * kScaleBlock;
        for (std::int64_t at = 0; at < rows; at += step) pieces.push_back({&unit, at, std::min(step, rows - at)});
    }
    return pieces;
}

Result<std::uint64_t> PieceWriter::write(const QuantisePiece& piece) {
    m_written = 0;
    const QuantiseUnit& unit = *piece.unit;
    if (unit.format == QuantisedFormat::None) {
        if (auto ok = copy(piece); !ok.ok()) return ok.error();
        return m_written;
    }
    const std::int64_t count = piece.rows * unit.columns;
    m_stored.resize(static_cast<std::size_t>(count) * dtypeSize(unit.source->dtype));
    const std::int64_t first = unit.first + piece.firstRow * unit.columns;
    if (auto ok = m_checkpoint.read(*unit.source, first, count, m_stored); !ok.ok()) return ok.error();
    m_values.resize(static_cast<std::size_t>(count));
    toFloat32(unit.source->dtype, m_stored, m_values);
    for (const float v : m_values)
        if (!std::isfinite(v))
            return makeError(ErrorKind::Format, unit.module + " holds a weight that is no finite number",
                             "fetch the checkpoint again");
    if (auto ok = unit.format == QuantisedFormat::Fp8Blocks ? writeFp8(piece) : writeInt4(piece); !ok.ok()) return ok.error();
    return m_written;
}

Status PieceWriter::put(const void* data, std::size_t size, const OutputTensor& tensor, std::uint64_t skip) {
    m_written += size;
    if (m_file.write(data, size, m_dataStart + tensor.offset + skip)) return {};
    return ioError("writing the weights failed");
}

Status PieceWriter::copy(const QuantisePiece& piece) {
    const QuantiseUnit& unit = *piece.unit;  // one row of all elements; a piece's "rows" are elements of it
    const std::size_t size = dtypeSize(unit.source->dtype);
    m_stored.resize(static_cast<std::size_t>(piece.rows) * size);
    if (auto ok = m_checkpoint.read(*unit.source, unit.first + piece.firstRow, piece.rows, m_stored); !ok.ok()) return ok;
    return put(m_stored.data(), m_stored.size(), unit.tensors[0], static_cast<std::uint64_t>(piece.firstRow) * size);
}

Status PieceWriter::writeFp8(const QuantisePiece& piece) {
    const std::int64_t columns = piece.unit->columns;
    const std::int64_t across = piecesFor(columns, kScaleBlock);
    std::vector<float> scales(static_cast<std::size_t>(piecesFor(piece.rows, kScaleBlock) * across), 0.0F);
    const auto scaleOf = [&](std::int64_t r, std::int64_t c) -> float& {
        return scales[static_cast<std::size_t>(r / kScaleBlock * across + c / kScaleBlock)];
    };
    for (std::int64_t r = 0; r < piece.rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
            scaleOf(r, c) = std::max(scaleOf(r, c), std::fabs(m_values[static_cast<std::size_t>(r * columns + c)]));
    for (float& s : scales) s = s / kLargestFp8 > 0x1p-120F ? s / kLargestFp8 : 1.0F;
    m_codes.resize(m_values.size());
    for (std::int64_t r = 0; r < piece.rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
            const auto i = static_cast<std::size_t>(r * columns + c);
            m_codes[i] = toFp8(m_values[i] / scaleOf(r, c));
        }
    const auto& tensors = piece.unit->tensors;
    const auto skip = static_cast<std::uint64_t>(piece.firstRow * columns);
    if (auto ok = put(m_codes.data(), m_codes.size(), tensors[0], skip); !ok.ok()) return ok;
    const auto skipScales = static_cast<std::uint64_t>(piece.firstRow / kScaleBlock * across) * sizeof(float);
    return put(scales.data(), scales.size() * sizeof(float), tensors[1], skipScales);
}

Status PieceWriter::writeInt4(const QuantisePiece& piece) {
    const std::int64_t columns = piece.unit->columns;
    const std::int64_t size = m_options.groupSize;
    const std::int64_t groups = columns / size;
    const std::int64_t rowBytes = piecesFor(columns, kNibblesPerWord) * 4;
    m_codes.assign(static_cast<std::size_t>(piece.rows * rowBytes), 0);
    std::vector<std::uint16_t> scales(static_cast<std::size_t>(piece.rows * groups));
    for (std::int64_t r = 0; r < piece.rows; ++r)
        for (std::int64_t g = 0; g < groups; ++g) {
            const std::span<const float> group(m_values.data() + r * columns + g * size, static_cast<std::size_t>(size));
            const auto importance = piece.unit->importance.empty()
                                        ? std::span<const float>()
                                        : piece.unit->importance.subspan(static_cast<std::size_t>(g * size), group.size());
            const float scale = int4Scale(group, importance);
            scales[static_cast<std::size_t>(r * groups + g)] = toBrain(scale);
            for (std::int64_t i = 0; i < size; ++i) {
                const std::int64_t c = g * size + i;
                const float q = std::clamp(std::nearbyint(group[static_cast<std::size_t>(i)] / scale), -8.0F, 7.0F);
                const auto nibble = static_cast<unsigned>(static_cast<int>(q) + 8);
                std::uint8_t& byte = m_codes[static_cast<std::size_t>(r * rowBytes + c / 2)];
                byte = static_cast<std::uint8_t>(byte | nibble << (4 * (c % 2)));
            }
        }
    const auto& tensors = piece.unit->tensors;
    const auto skip = static_cast<std::uint64_t>(piece.firstRow * rowBytes);
    if (auto ok = put(m_codes.data(), m_codes.size(), tensors[0], skip); !ok.ok()) return ok;
    const auto skipScales = static_cast<std::uint64_t>(piece.firstRow * groups) * sizeof(std::uint16_t);
    if (auto ok = put(scales.data(), scales.size() * sizeof(std::uint16_t), tensors[1], skipScales); !ok.ok()) return ok;
    if (piece.firstRow != 0) return {};
    const std::array<std::int64_t, 2> shape{piece.unit->rows, columns};
    return put(shape.data(), sizeof shape, tensors[2], 0);
}

float int4Scale(std::span<const float> weights, std::span<const float> importance) {
    float largest = 0.0F;
    for (const float w : weights) largest = std::max(largest, std::fabs(w));
    if (!(largest > 0x1p-100F)) return 1.0F;
    float chosen = importance.empty() ? fromBrain(toBrain(largest / 7.0F)) : int4Scale(weights);
    double least = tryScale(weights, importance, chosen).error;
    // From where the largest weight is cut a little to where it is well inside; each time also the least-squares scale of the
    // values that come out, so that a scale is judged as it will be stored.
    for (int step = 0; step <= 10; ++step) {
        const float start = largest / (6.5F + 0.3F * static_cast<float>(step));
        const float refined = tryScale(weights, importance, start).best;
        for (const float candidate : {start, refined}) {
            const float stored = fromBrain(toBrain(candidate));
            if (!(stored > 0.0F)) continue;
            const double error = tryScale(weights, importance, stored).error;
            if (error < least) {
                least = error;
                chosen = stored;
            }
        }
    }
    return chosen;
}

}  // namespace trefoil
