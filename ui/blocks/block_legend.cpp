#include "ui/blocks/block_legend.h"

#include "ui/blocks/cell_painter.h"
#include "ui/theme/theme.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

QFont legendFont(const QFont& base) {
    QFont font = base;
    // A little smaller than the cells: it is looked at once. Pixel sizes stay valid for fonts that have no point size.
    if (font.pointSizeF() > 0) {
        font.setPointSizeF(std::max(font.pointSizeF() * 0.88, 6.0));
    } else {
        font.setPixelSize(std::max(static_cast<int>(font.pixelSize() * 0.88), 8));
    }
    return font;
}

CellView sampleOf(CellState state) {
    CellView cell;
    cell.state = state;
    cell.now = state == CellState::ResolvedNow;
    return cell;
}

}  // namespace

BlockLegend::BlockLegend(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("blockLegend"));
    setAccessibleName(tr("Legend"));
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    QStringList labels;
    for (const Entry& entry : entries(1000)) labels.append(entry.label);
    setAccessibleDescription(labels.join(QStringLiteral(", ")));
}

void BlockLegend::setPromptShown(bool shown) {
    if (shown == m_promptShown) return;
    m_promptShown = shown;
    updateGeometry();
    update();
}

QList<BlockLegend::Entry> BlockLegend::entries(int width) const {
    QList<Entry> list{
        {sampleOf(CellState::Masked), tr("masked"), tr("Not looked at yet"), {}},
        {sampleOf(CellState::Candidate),
         tr("candidate"),
         tr("What the model would put here. The bar is its confidence; the tick is the threshold that it must pass."),
         {}},
        {sampleOf(CellState::ResolvedNow), tr("this pass"), tr("Resolved by the pass shown"), {}},
        {sampleOf(CellState::ResolvedEarlier), tr("earlier"), tr("Resolved by an earlier pass"), {}},
        {sampleOf(CellState::Forced),
         tr("forced"),
         tr("No candidate passed the threshold, so the most confident one was taken"),
         {}},
        {sampleOf(CellState::Dropped),
         tr("dropped"),
         tr("After the end of the response, or refused by the check of a draft; not part of the text"),
         {}},
    };
    if (m_promptShown)
        list.append({sampleOf(CellState::Prompt), tr("prompt"), tr("The prompt's last tokens begin this block"), {}});

    const QFontMetricsF metrics(legendFont(font()));
    const double height = std::ceil(metrics.height() * 1.15);
    const double gap = metrics.averageCharWidth() * 1.6;
    double x = 2.0;
    double y = 1.0;
    for (Entry& entry : list) {
        const double wide = height * 1.5 + metrics.horizontalAdvance(entry.label);
        if (x > 2.0 && x + wide > width - 2.0) {
            x = 2.0;
            y += std::ceil(height * 1.25);
        }
        entry.rect = QRectF(x, y, wide, height);
        x += wide + gap;
    }
    return list;
}

QSize BlockLegend::sizeHint() const {
    const int width = static_cast<int>(QFontMetricsF(font()).averageCharWidth() * 40);
    return {width, heightForWidth(width)};
}

QSize BlockLegend::minimumSizeHint() const { return {static_cast<int>(QFontMetricsF(font()).averageCharWidth() * 14), 0}; }

int BlockLegend::heightForWidth(int width) const { return static_cast<int>(std::ceil(entries(width).last().rect.bottom())) + 2; }

bool BlockLegend::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    for (const Entry& entry : entries(width())) {
        if (!entry.rect.contains(help->pos())) continue;
        QToolTip::showText(help->globalPos(), entry.toolTip, this, entry.rect.toAlignedRect());
        return true;
    }
    QToolTip::hideText();
    return true;
}

void BlockLegend::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) updateGeometry();
    QWidget::changeEvent(event);
}

void BlockLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    CellLook look;
    look.palette = palette();
    look.font = legendFont(font());
    // The samples' borders and corners are drawn for a cell half as high.
    CellLook small = look;
    if (small.font.pointSizeF() > 0) small.font.setPointSizeF(small.font.pointSizeF() * 0.75);
    for (const Entry& entry : entries(width())) {
        const double side = std::floor(entry.rect.height() * 0.82);
        paintCell(painter,
                  alignToDevice(QRectF(entry.rect.left(), entry.rect.center().y() - side / 2.0, side * 1.25, side),
                                devicePixelRatioF()),
                  entry.sample, QStringLiteral(" "), small);
        painter.setFont(look.font);
        painter.setPen(theme::tone(theme::Tone::Subtle, palette()));
        painter.drawText(entry.rect.adjusted(entry.rect.height() * 1.4, 0, 8, 0),
                         Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine | Qt::TextDontClip, entry.label);
    }
}

}  // namespace trefoil
