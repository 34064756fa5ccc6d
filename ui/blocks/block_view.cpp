#include "ui/blocks/block_view.h"

#include "ui/blocks/cell_painter.h"
#include "ui/blocks/piece_text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyle>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

constexpr int kMargin = 4;
constexpr int kUsualColumns = 8;
constexpr double kMostGrowth = 1.6;  ///< of a cell's height where there is room
/// Beyond this many texts the cache starts anew; a response rarely has as many different tokens.
constexpr qsizetype kMostCached = 4096;

int spacing(const QFont& font) { return std::max(4, static_cast<int>(std::lround(QFontMetricsF(font).height() / 4.0))); }

}  // namespace

BlockView::BlockView(QWidget* parent) : QWidget(parent) {
    installPaintedItemsAccessibility();
    setObjectName(QStringLiteral("blockView"));
    setAccessibleName(tr("Block"));
    setAccessibleDescription(tr("The positions of the block. Arrow keys choose one; its candidates are listed below."));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_fade.setStartValue(0.0);
    m_fade.setEndValue(1.0);
    connect(&m_fade, &QVariantAnimation::valueChanged, this, [this] { update(); });
}

void BlockView::setCells(const QList<CellView>& cells, double threshold, bool fade) {
    if (cells == m_cells && threshold == m_threshold) return;
    const bool resized = cells.size() != m_cells.size();
    m_fade.stop();
    const int duration = style()->styleHint(QStyle::SH_Widget_Animation_Duration, nullptr, this);
    if (fade && !resized && duration > 0) {
        m_before = m_cells;
        m_fade.setDuration(duration);
        m_fade.start();
    } else {
        m_before.clear();
    }
    m_cells = cells;
    m_threshold = threshold;
    if (m_chosen >= m_cells.size()) m_chosen = -1;
    if (m_hovered >= m_cells.size()) m_hovered = -1;
    if (resized) updateGeometry();
    update();
    announceItemsChanged(this);
    emit shownCellChanged();
}

int BlockView::shownRow() const { return m_hovered >= 0 ? m_hovered : m_chosen; }

std::optional<CellView> BlockView::shownCell() const {
    const int row = shownRow();
    return row >= 0 && row < m_cells.size() ? std::optional(m_cells[row]) : std::nullopt;
}

QString BlockView::describe(const CellView& cell) {
    QStringList parts{tr("row %1").arg(cell.row + 1)};
    if (cell.state != CellState::Masked) parts.append(quotedPiece(cell.text, cell.token));
    if (cell.confidence >= 0.0) parts.append(probabilityText(cell.confidence));
    const int pass = cell.resolvedPass + 1;
    switch (cell.state) {
        case CellState::Masked:
            parts.append(tr("masked"));
            break;
        case CellState::Candidate:
            parts.append(tr("candidate"));
            break;
        case CellState::ResolvedNow:
        case CellState::ResolvedEarlier:
            parts.append(cell.byHand ? tr("fixed by hand") : tr("resolved in pass %1").arg(pass));
            break;
        case CellState::Forced:
            parts.append(tr("forced below the threshold in pass %1").arg(pass));
            break;
        case CellState::Dropped:
            parts.append(cell.refused ? tr("dropped: the check chose another token") : tr("dropped: after the end"));
            break;
        case CellState::Prompt:
            parts.append(tr("part of the prompt"));
            break;
    }
    return parts.join(QStringLiteral(", "));
}

void BlockView::setColumns(int columns) {
    if (columns == m_columns) return;
    m_columns = columns;
    updateGeometry();
    update();
}

int BlockView::columnsFitting(int width, bool dense) const {
    const int gap = spacing(font());
    const double cell = cellSizeHint(font(), dense).width();
    const int fit = static_cast<int>((width - 2 * kMargin + gap) / (cell + gap));
    if (fit < kUsualColumns) return fit >= 4 ? 4 : std::clamp(fit, 1, 2);
    // Twice the usual number only where the cells still are wide.
    return itemCount() > 2 * kUsualColumns && width > 2.4 * 2 * kUsualColumns * cell ? 2 * kUsualColumns : kUsualColumns;
}

int BlockView::heightForColumns(int columns) const {
    const int lines = linesFor(columns);
    const int cellHeight = static_cast<int>(std::ceil(cellSizeHint(font()).height()));
    return lines == 0 ? 0 : lines * cellHeight + (lines - 1) * spacing(font()) + 2 * kMargin;
}

int BlockView::columns() const { return columnsFor(width()); }

QRectF BlockView::cellRect(int index) const {
    const int columnCount = columns();
    const double gap = spacing(font());
    const double cellWidth = (width() - 2.0 * kMargin - (columnCount - 1) * gap) / columnCount;
    const double least = std::ceil(cellSizeHint(font()).height());
    const int lines = std::max(1, linesFor(columnCount));
    const double cellHeight = std::clamp((height() - 2.0 * kMargin - (lines - 1) * gap) / lines, least, least * kMostGrowth);
    const int line = index / columnCount;
    const int column = index % columnCount;
    return alignToDevice(
        QRectF(kMargin + column * (cellWidth + gap), kMargin + line * (cellHeight + gap), std::max(cellWidth, 1.0), cellHeight),
        devicePixelRatioF());
}

QString BlockView::itemName(int index) const {
    return index >= 0 && index < m_cells.size() ? describe(m_cells[index]) : QString();
}

QRect BlockView::itemRect(int index) const {
    return index >= 0 && index < m_cells.size() ? cellRect(index).toAlignedRect() : QRect();
}

int BlockView::itemAt(const QPoint& point) const {
    for (int index = 0; index < itemCount(); ++index)
        if (cellRect(index).contains(point)) return index;
    return -1;
}

void BlockView::chooseItem(int index) {
    const int wanted = index >= 0 && index < m_cells.size() ? index : -1;
    m_hovered = -1;
    if (wanted != m_chosen) {
        m_chosen = wanted;
        announceCurrentItem(this, m_chosen);
    }
    update();
    emit shownCellChanged();
    if (m_chosen >= 0) emit revealWanted(itemRect(m_chosen).adjusted(-kMargin, -kMargin, kMargin, kMargin));
}

QSize BlockView::sizeHint() const {
    const int width = static_cast<int>(std::ceil(kUsualColumns * cellSizeHint(font()).width())) +
                      (kUsualColumns - 1) * spacing(font()) + 2 * kMargin;
    return {width, heightForWidth(width)};
}

QSize BlockView::minimumSizeHint() const {
    return {static_cast<int>(std::ceil(cellSizeHint(font(), true).width())) + 2 * kMargin, 0};
}

int BlockView::heightForWidth(int width) const { return heightForColumns(columnsFor(width)); }

int BlockView::tallestForWidth(int width) const {
    const double growth = (kMostGrowth - 1.0) * std::ceil(cellSizeHint(font()).height());
    return heightForWidth(width) + static_cast<int>(linesFor(columnsFor(width)) * growth);
}

bool BlockView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const int index = itemAt(help->pos());
        if (index < 0 || m_cells[index].text.isEmpty()) {
            QToolTip::hideText();
            event->ignore();
        } else {
            // Code points tell apart what looks alike, and name the signs that no font here has.
            const CellView& cell = m_cells[index];
            QToolTip::showText(help->globalPos(), describe(cell) + QLatin1Char('\n') + codePoints(cell.text), this,
                               itemRect(index));
        }
        return true;
    }
    return QWidget::event(event);
}

void BlockView::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        m_drawn.clear();
        updateGeometry();
    }
    QWidget::changeEvent(event);
}

void BlockView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    // Coming by key, there is something to see at once.
    if (m_chosen < 0 && !m_cells.isEmpty() && event->reason() != Qt::MouseFocusReason) chooseItem(0);
    announceCurrentItem(this, m_chosen);
    update();
}

void BlockView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

int BlockView::rowAfterKey(int key) const {
    const int last = itemCount() - 1;
    if (last < 0) return -1;
    const int from = shownRow();
    const int columnCount = columns();
    const int forward = layoutDirection() == Qt::RightToLeft ? Qt::Key_Left : Qt::Key_Right;
    const int backward = layoutDirection() == Qt::RightToLeft ? Qt::Key_Right : Qt::Key_Left;
    if (key == Qt::Key_Home) return 0;
    if (key == Qt::Key_End) return last;
    if (key != forward && key != backward && key != Qt::Key_Up && key != Qt::Key_Down) return -1;
    if (from < 0) return 0;
    if (key == forward) return std::min(from + 1, last);
    if (key == backward) return std::max(from - 1, 0);
    if (key == Qt::Key_Up) return from >= columnCount ? from - columnCount : from;
    if (from + columnCount <= last) return from + columnCount;
    return from / columnCount < last / columnCount ? last : from;
}

void BlockView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && shownRow() >= 0) {
        chooseItem(-1);
        return;
    }
    const int row = rowAfterKey(event->key());
    if (row < 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    chooseItem(row);
}

void BlockView::hover(int index) {
    if (index == m_hovered) return;
    m_hovered = index;
    update();
    emit shownCellChanged();
}

void BlockView::leaveEvent(QEvent* event) {
    hover(-1);
    QWidget::leaveEvent(event);
}

void BlockView::mouseMoveEvent(QMouseEvent* event) {
    const int index = itemAt(event->position().toPoint());
    // The gaps between cells keep the last one, so that the details do not flicker.
    if (index >= 0 || !rect().contains(event->position().toPoint())) hover(index);
}

void BlockView::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        QWidget::mousePressEvent(event);
        return;
    }
    const int index = itemAt(event->position().toPoint());
    chooseItem(index == m_chosen ? -1 : index);
    if (index >= 0) hover(index);
}

QString BlockView::drawn(const CellView& cell) {
    if (cell.text.isEmpty()) return cell.token < 0 ? QString() : visiblePiece(cell.text, cell.token);
    const auto known = m_drawn.constFind(cell.text);
    if (known != m_drawn.constEnd()) return *known;
    if (m_drawn.size() >= kMostCached) m_drawn.clear();
    return *m_drawn.insert(cell.text, drawablePiece(cell.text, cell.token, font()));
}

void BlockView::paintEvent(QPaintEvent* event) {
    ++m_paintCount;
    QPainter painter(this);
    CellLook look{palette(), font(), m_threshold};
    const int shown = shownRow();
    for (int index = 0; index < itemCount(); ++index) {
        const QRectF rect = cellRect(index);
        if (!event->region().intersects(rect.toAlignedRect().adjusted(-kMargin, -kMargin, kMargin, kMargin))) continue;
        const CellView& cell = m_cells[index];
        look.selected = index == shown;
        look.focused = index == m_chosen && hasFocus();
        if (index >= m_before.size() || m_before[index].state == cell.state || m_fade.state() != QAbstractAnimation::Running) {
            paintCell(painter, rect, cell, drawn(cell), look);
            continue;
        }
        paintCell(painter, rect, m_before[index], drawn(m_before[index]), look);
        painter.setOpacity(m_fade.currentValue().toDouble());
        paintCell(painter, rect, cell, drawn(cell), look);
        painter.setOpacity(1.0);
    }
}

}  // namespace trefoil
