// Paints what stands behind a rendered text (bars of quotes, boxes of code with their labels, rules) and copies from it.
#pragma once

#include "ui/chat/markdown_renderer.h"

#include <QList>
#include <QRectF>
#include <QString>
#include <QStringList>

class QPainter;
class QTextDocument;

namespace trefoil {

/// A code block, or the part of one, in a laid out document; document coordinates.
struct CodeBox {
    QRectF box;     ///< background, header included
    QRectF header;  ///< where label and copy button go; empty when the code began in an earlier piece
    bool continuesPrevious = false;
    bool goesOn = false;
};

[[nodiscard]] QList<CodeBox> codeBoxes(const QTextDocument& document, const TextStyle& style);

/// Behind the text. `labels`: one for each box that has a header. `gapAbove`: how far the bars of a piece that continues the one
/// before reach up; `height`: of the whole piece.
void paintDecorations(QPainter& painter, const QTextDocument& document, const QList<CodeBox>& boxes, const QStringList& labels,
                      const TextStyle& style, qreal gapAbove, qreal height);

/// The text in [from, to) of the document as it is copied: list markers as they are written, table cells with tabs between.
[[nodiscard]] QString copiedText(const QTextDocument& document, int from, int to);

}  // namespace trefoil
