// Reads quantised weights as the values that they stand for. Private to the engine.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/tensor_catalogue.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace trefoil {

/// Elements [first, first + count) of a quantised segment, in segment.dtype, into `destination` (count · dtypeSize bytes).
/// FP8: value · scale in float32, rounded to BF16. 4 bits: (value - zero point) · scale, rounded to the scale's type, which is
/// what compressed-tensors computes. Format error, naming the stored tensor, where a scale or a value is NaN or infinite or a
/// product is beyond the type. Needs a few MB, whatever is asked for.
Status readQuantised(const TensorSegment& segment, std::span<const SafetensorsFile> files, std::int64_t first, std::int64_t count,
                     std::span<std::byte> destination);

/// Appends rows [first, first + count) of a quantised segment to `rows`, as Checkpoint::readRows.
Status appendQuantisedRows(const TensorSegment& segment, std::span<const SafetensorsFile> files, std::int64_t first,
                           std::int64_t count, QuantisedRows& rows);

}  // namespace trefoil
