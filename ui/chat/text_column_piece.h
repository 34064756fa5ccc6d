// A piece of a TextColumn: what its own sources share, and nobody else includes.
#pragma once

#include "ui/chat/markdown_renderer.h"
#include "ui/chat/text_column.h"

#include <QList>
#include <QToolButton>

#include <memory>
#include <vector>

namespace trefoil {

struct TextColumn::Piece {
    MarkdownBlock block;
    std::unique_ptr<ClosedTextDocument> document;
    QList<CodeBox> boxes;
    std::vector<std::shared_ptr<const CodeText>> codes;
    QList<QToolButton*> buttons;
    qreal gap = 0.0;
    qreal y = 0.0;          ///< of the document's top
    qreal inset = 0.0;      ///< room above the document: a QTextDocument drops the margin of its first block
    qreal height = 0.0;     ///< inset included
    int laidOutWidth = -1;  ///< -1: to do
    bool stale = true;      ///< the document does not show `block` in today's style
    struct HeatRange {
        int from = 0;
        int length = 0;
        qsizetype stretch = 0;
    };
    qsizetype heatFrom = 0;  ///< in the source of the heat
    QList<HeatRange> heat;
    bool heatPlaced = false;
};

}  // namespace trefoil
