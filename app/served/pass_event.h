// What a server of kind Trefoil says about its passes (docs/serving.md, "Pass events"), as the values that the window shows.
// Pure.
#pragma once

#include "app/core/generation_types.h"

#include <QJsonObject>
#include <QMetaType>

#include <optional>

namespace trefoil {

/// What the passes need to be drawn; comes before them.
struct ServedTrace {
    qint32 maskId = -1;
    qint32 blockSize = 32;
    double threshold = 0.95;
    qint64 context = -1;
    qint64 promptTokens = -1;
    bool operator==(const ServedTrace&) const = default;
};

/// nullopt where the object is none, or says what cannot be (a block of no size).
std::optional<ServedTrace> readTraceEvent(const QJsonObject& object);

/// nullopt where the object is no pass, or one that could not be drawn: more rows than a block can have, rows and texts of
/// different number, a resolved row outside the block. Members that are missing have PassView's defaults.
std::optional<PassView> readPassEvent(const QJsonObject& object);

/// What the answer cost, from the object with the end of the answer.
GenerationStats readStatsEvent(const QJsonObject& object);

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::ServedTrace)
