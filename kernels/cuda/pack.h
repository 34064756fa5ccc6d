// Packing: rows of a checkpoint into the units of weight_matrix.h, on the CPU while weights are uploaded. No CUDA here.
// Twin: packedValue(), tests/kernels/pack_test.cpp (bit for bit).
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "kernels/cuda/weight_matrix.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace trefoil::cuda {

/// The format that rows of a checkpoint are packed in; None where the kernels know none, and the rows are to be read as values.
/// exact: also what the kernels would round (scales of Int4 that are not BF16) counts as unknown.
[[nodiscard]] PackFormat packFormatOf(const std::optional<QuantisedForm>& form, bool exact);

/// One row of a checkpoint: values in BF16, or codes as QuantisedRows has them.
struct PackRow {
    const std::byte* codes = nullptr;
    const std::byte* scales = nullptr;
    const std::uint8_t* zeroPoints = nullptr;
    DType scaleType = DType::F32;
    std::int64_t groupSize = 0;
};

/// Writes a row of `columns` to row `row` (0 … 15) of a row block, which was zero there. Scales of Int4 that are not BF16 are
/// rounded to it.
void packRow(PackFormat format, std::int64_t columns, int row, const PackRow& source, std::byte* block);

/// What an element of a row block stands for: rounded to BF16, as the kernels see it.
[[nodiscard]] float packedValue(PackFormat format, const std::byte* block, int row, std::int64_t column);

/// BF16 from values of any type, rounded to nearest, ties to even.
void toBf16(DType type, const std::byte* source, std::int64_t count, std::byte* out);

}  // namespace trefoil::cuda
