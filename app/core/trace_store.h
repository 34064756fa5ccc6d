// Traces as bytes: a response's passes, packed per block of it, compressed with zstd. The store keeps the pieces of a message in
// order; joining them gives the whole trace, so that a further block never rewrites the earlier ones.
#pragma once

#include "app/core/store_types.h"

#include <QByteArray>
#include <QList>

namespace trefoil {

/// Packs the passes of `trace` (with its mask id, block size and threshold): one piece, more when it is very large.
QList<QByteArray> packTrace(const TraceView& trace);
/// Reads one packed piece. Damaged, cut or oversized input gives a problem (kind Damaged), never a crash.
StoreResult<TraceView> unpackTrace(const QByteArray& packed);
/// Joins pieces in order. With a damaged piece: the problem, and in `value` the passes before it.
StoreResult<TraceView> unpackTraces(const QList<QByteArray>& pieces);

}  // namespace trefoil
