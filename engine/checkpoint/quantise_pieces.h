// The weights of a quantised checkpoint, piece by piece: read, quantised, written. Private to the engine.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/output_file.h"
#include "engine/checkpoint/quantise.h"
#include "engine/checkpoint/quantise_plan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trefoil {

/// Rows [firstRow, firstRow + count) of a unit.
struct QuantisePiece {
    const QuantiseUnit* unit = nullptr;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
};

/// A shard cut into pieces that can be written in any order, a few MB each.
[[nodiscard]] std::vector<QuantisePiece> piecesOf(const QuantiseShard& shard);

/// Writes pieces of one shard. One object a thread: it keeps the buffers.
class PieceWriter {
public:
    /// Everything named must outlive the writer; `dataStart`: where the tensors begin in the file.
    PieceWriter(const Checkpoint& checkpoint, const QuantiseOptions& options, const OutputFile& file, std::uint64_t dataStart)
        : m_checkpoint(checkpoint), m_options(options), m_file(file), m_dataStart(dataStart) {}

    /// Gives the bytes written. Format error where a weight is no finite number.
    Result<std::uint64_t> write(const QuantisePiece& piece);

private:
    Status put(const void* data, std::size_t size, const OutputTensor& tensor, std::uint64_t skip);
    Status copy(const QuantisePiece& piece);
    Status writeFp8(const QuantisePiece& piece);
    Status writeInt4(const QuantisePiece& piece);

    const Checkpoint& m_checkpoint;
    const QuantiseOptions& m_options;
    const OutputFile& m_file;
    const std::uint64_t m_dataStart;
    std::uint64_t m_written = 0;  ///< of the piece at hand
    std::vector<std::byte> m_stored;
    std::vector<float> m_values;
    std::vector<std::uint8_t> m_codes;
};

}  // namespace trefoil
