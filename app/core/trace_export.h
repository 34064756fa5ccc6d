// An answer's trace for other programs: everything as JSON, or a table as CSV.
#pragma once

#include "app/core/generation_types.h"

#include <QByteArray>

namespace trefoil {

/// Version 1: an object with `format` "trefoil-trace", `version`, `mask_id`, `block_size`, `threshold` and `passes`; names and
/// units as in PassView. What is not known is left out. UTF-8, indented.
[[nodiscard]] QByteArray traceJson(const TraceView& trace);

/// One line for each row of each pass, after a line of headings (RFC 4180, UTF-8, points in numbers): pass (from 1 over the whole
/// answer; of a change by hand the pass before), type, block and row (from 1), position (from 1 in the response; prompt rows
/// below 1), token and text as the block stands after the pass, candidate and its text and confidence, resolved (1 by this pass),
/// and the pass's milliseconds.
[[nodiscard]] QByteArray traceCsv(const TraceView& trace);

}  // namespace trefoil
