// Passes for the tests of the Block dock: hand-made ones, and those of the golden traces.
#pragma once

#include "app/core/generation_types.h"

#include <QList>
#include <QString>

namespace trefoil::test {

constexpr qint32 kMask = 4;
constexpr qint32 kEnd = 3;

/// "t17"; of the mask id an empty text.
QString tokenText(qint32 token);
/// One row with its candidate and four less likely ones.
RowView rowOf(qint32 token, float probability);

/// Writes a block's denoise passes one after the other, as the decoder would.
class BlockWriter {
public:
    explicit BlockWriter(qint32 block, qint32 size = 8, qint32 promptRows = 0);
    /// Every masked row gets a candidate (100 + row) with `confidence`; the rows of `confident` get 0.99. `resolved` are
    /// resolved.
    PassView pass(const QList<qint32>& resolved, float confidence = 0.4F, const QList<qint32>& confident = {});

private:
    qint32 m_block;
    qint32 m_promptRows;
    qint32 m_step = 0;
    QList<qint32> m_tokens;
};

/// A response of `blocks` blocks: the even ones of one pass, the odd ones of three, one of them forced.
TraceView madeTrace(qint32 blocks, qint32 size = 8);

struct GoldenCase {
    QString question;
    QString decoding;
    TraceView trace;
    QList<qint32> response;
    qint32 promptRows = 0;
};

/// The cases of a golden traces file that have passes. Empty, with a warning, when it cannot be read.
QList<GoldenCase> goldenCases(const QString& path);

}  // namespace trefoil::test
