// Pass events of a Trefoil server (docs/serving.md, "Pass events") as PassViews.
#pragma once

#include "app/core/generation_types.h"

#include <QJsonObject>
#include <QSet>

namespace trefoil {

/// Reads the passes of one response in their order. Rows that are not resolved hold the token -1, whatever the server's mask is:
/// a TraceView of these passes has the maskId -1.
class PassReader {
public:
    /// `firstBlock` is added to the server's block numbers.
    explicit PassReader(qint32 firstBlock = 0) : m_firstBlock(firstBlock) {}
    /// Fields that are missing or make no sense take their defaults: what a server sends may be anything.
    PassView read(const QJsonObject& pass);

private:
    qint32 m_firstBlock;
    qint32 m_block = -1;
    QSet<qint32> m_resolved;  ///< rows of m_block
};

}  // namespace trefoil
