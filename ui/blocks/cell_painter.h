// Draws one cell of a block, for the view and the legend. States differ in border and texture as well as in colour.
#pragma once

#include "ui/blocks/block_model.h"

#include <QFont>
#include <QPainter>
#include <QPalette>
#include <QRectF>
#include <QString>

namespace trefoil {

/// What a cell's look depends on beside its state.
struct CellLook {
    QPalette palette;
    QFont font;
    double threshold = 0.95;
    bool selected = false;  ///< the cell that the details belong to
    bool focused = false;   ///< and it has the keyboard
};

/// The size that a cell needs with this font so that nothing of it is clipped; texts longer than it are elided.
/// `dense`: as narrow as is of use.
[[nodiscard]] QSizeF cellSizeHint(const QFont& font, bool dense = false);
/// `drawn` is the cell's text as drawablePiece gives it. `rect` should lie on device pixels (alignToDevice).
void paintCell(QPainter& painter, const QRectF& rect, const CellView& cell, const QString& drawn, const CellLook& look);
/// The rectangle with its edges moved to the nearest device pixels.
[[nodiscard]] QRectF alignToDevice(const QRectF& rect, qreal devicePixelRatio);

}  // namespace trefoil
