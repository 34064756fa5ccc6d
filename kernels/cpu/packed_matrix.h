// PackedMatrix: weights laid out for the matrix kernel, in the type of the checkpoint or as it has quantised them.
#pragma once

#include "kernels/cpu/aligned_array.h"
#include "kernels/cpu/quantised_panel.h"
#include "kernels/cpu/weight_format.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trefoil::kernels {

/// Which row of a matrix [N, K] goes to which column of which panel.
enum class RowOrder : std::uint8_t {
    Plain,   ///< row n: panel n / 32, column n % 32
    Paired,  ///< gate rows 0…N/2-1 in the left halves of the panels, the up rows that belong to them in the right halves
};

/// `items` matrices [rows, columns] (more than one for experts). Panel p of an item is [columns][32]: the weights that one
/// element of the input meets stand together. BF16 panels are kept as pairs (column j, column j + 16), so that one shift and one
/// mask widen a vector of them. Columns that no row fills are zero. Quantised panels: see QuantisedLayout.
class PackedMatrix {
public:
    PackedMatrix() = default;
    /// Zeroed. Throws std::bad_alloc. Paired needs an even number of rows.
    PackedMatrix(WeightFormat format, std::int64_t items, std::int64_t rows, std::int64_t columns, RowOrder order);
    PackedMatrix(const QuantisedLayout& layout, std::int64_t items, std::int64_t rows, std::int64_t columns, RowOrder order);

    /// Copies `count` consecutive rows of `source` ([count, columns], elements of type `sourceFormat`, as stored) to rows first…
    /// of `item`. The types must be equal, unless this matrix is F32, to which every type widens exactly.
    void pack(std::int64_t item, std::int64_t first, std::int64_t count, const std::byte* source, WeightFormat sourceFormat);
    /// The same, of columns [firstColumn, firstColumn + columnCount) alone. Calls for columns that do not overlap may run at the
    /// same time: they write to different cache lines.
    void pack(std::int64_t item, std::int64_t first, std::int64_t count, const std::byte* source, WeightFormat sourceFormat,
              std::int64_t firstColumn, std::int64_t columnCount);

    /// The same for a quantised matrix. `codes`: [count, columns] bytes (Fp8), or [count, ⌈columns/8⌉ · 4] bytes, the lower half
    /// of each byte first (Int4); `scales` and `zeroPoints` (null where the layout has none): [count, groups], the latter in
    /// bytes.
    void packQuantised(std::int64_t item, std::int64_t first, std::int64_t count, const std::byte* codes, const std::byte* scales,
                       const std::uint8_t* zeroPoints);

    /// Row `row` of `item` in float32 into out [columns]. For embeddings that share their storage with the head.
    void unpack(std::int64_t item, std::int64_t row, float* out) const;

    [[nodiscard]] const std::byte* panel(std::int64_t item, std::int64_t index) const {
        return m_data.data() + (item * m_panels + index) * m_panelBytes;
    }
    /// Type of the elements; of a quantised matrix what they are rounded to when they are widened.
    [[nodiscard]] WeightFormat format() const { return m_format; }
    [[nodiscard]] const std::optional<QuantisedLayout>& quantised() const { return m_quantised; }
    [[nodiscard]] RowOrder order() const { return m_order; }
    [[nodiscard]] std::int64_t items() const { return m_items; }
    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    [[nodiscard]] std::int64_t columns() const { return m_columns; }
    [[nodiscard]] std::int64_t panels() const { return m_panels; }
    [[nodiscard]] bool empty() const { return m_data.size() == 0; }
    /// Memory in use, and the weights' own bytes (without what fills up the last panel) per item.
    [[nodiscard]] std::uint64_t bytes() const { return m_data.bytes(); }
    [[nodiscard]] std::uint64_t weightBytesPerItem() const {
        return static_cast<std::uint64_t>(m_rows * (m_panelBytes / kPanel));
    }

    /// What bytes() of such a matrix will be.
    [[nodiscard]] static std::uint64_t plannedBytes(WeightFormat format, std::int64_t items, std::int64_t rows,
                                                    std::int64_t columns, RowOrder order);
    [[nodiscard]] static std::uint64_t plannedBytes(const QuantisedLayout& layout, std::int64_t items, std::int64_t rows,
                                                    std::int64_t columns, RowOrder order);

private:
    struct Place {
        std::int64_t panel;
        std::int64_t column;
    };
    [[nodiscard]] Place placeOf(std::int64_t row) const;
    [[nodiscard]] std::int64_t offsetOf(std::int64_t column) const;

    WeightFormat m_format = WeightFormat::F32;
    std::optional<QuantisedLayout> m_quantised;
    RowOrder m_order = RowOrder::Plain;
    std::int64_t m_items = 0;
    std::int64_t m_rows = 0;
    std::int64_t m_columns = 0;
    std::int64_t m_panels = 0;
    std::int64_t m_panelBytes = 0;
    AlignedArray<std::byte> m_data;
};

/// Widens `count` elements of type `format` to float32; exact.
void widen(const std::byte* source, WeightFormat format, std::int64_t count, float* out);

}  // namespace trefoil::kernels
