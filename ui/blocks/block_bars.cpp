#include "ui/blocks/block_bars.h"

#include "ui/blocks/cell_painter.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

constexpr double kNarrowest = 7.0;  ///< still easy to hit
constexpr double kWidest = 32.0;
constexpr int kPage = 10;

QFont labelFont(const QFont& base) {
    QFont font = base;
    if (font.pointSizeF() > 0) font.setPointSizeF(std::max(font.pointSizeF() * 0.8, 6.0));
    return font;
}

}  // namespace

BlockBars::BlockBars(QWidget* parent) : QAbstractScrollArea(parent) {
    installPaintedItemsAccessibility();
    setObjectName(QStringLiteral("blockBars"));
    setAccessibleName(tr("Blocks of the response"));
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    viewport()->setMouseTracking(true);
    viewport()->setAutoFillBackground(false);
}

void BlockBars::refresh(const BlockModel* model, qint32 current) {
    const bool moved = current != m_current;
    m_model = model;
    m_current = current;
    layOut();
    if (moved) {
        reveal(m_current);
        setAccessibleDescription(describe(m_current));
        announceCurrentItem(this, m_current);
    }
    viewport()->update();
}

QString BlockBars::describe(qint32 block) const {
    if (block < 0 || block >= itemCount()) return {};
    const BlockSummary summary = m_model->block(block);
    const QString name = tr("Block %1").arg(block + 1);
    const QString tokens = tr("%n tokens", nullptr, summary.resolved);
    if (summary.type == PassType::Token) return tr("%1: %2, one at a time").arg(name, tokens);
    QStringList parts{tr("%n passes", nullptr, summary.passes)};
    if (summary.forced > 0) parts.append(tr("%n forced", nullptr, summary.forced));
    parts.append(tokens);
    return name + QStringLiteral(": ") + parts.join(QStringLiteral(", "));
}

int BlockBars::itemCount() const { return m_model != nullptr ? m_model->blockCount() : 0; }

double BlockBars::pitch() const {
    const double scale = std::max(1.0, QFontMetricsF(font()).height() / 16.0);
    const int count = std::max(itemCount(), 1);
    return std::clamp(static_cast<double>(viewport()->width() - 4) / count, kNarrowest * scale, kWidest * scale);
}

QRectF BlockBars::slot(int index) const {
    return {2.0 + index * pitch() - horizontalScrollBar()->value(), 0.0, pitch(), static_cast<double>(viewport()->height())};
}

QRect BlockBars::itemRect(int index) const {
    if (index < 0 || index >= itemCount()) return {};
    return slot(index).toAlignedRect().intersected(viewport()->rect());
}

int BlockBars::itemAt(const QPoint& point) const {
    if (!viewport()->rect().contains(point)) return -1;
    const auto index = static_cast<int>(std::floor((point.x() - 2.0 + horizontalScrollBar()->value()) / pitch()));
    return index >= 0 && index < itemCount() ? index : -1;
}

void BlockBars::chooseItem(int index) {
    if (index < 0 || index >= itemCount()) return;
    reveal(index);
    emit blockChosen(index);
}

QSize BlockBars::minimumSizeHint() const {
    const double line = QFontMetricsF(font()).height();
    return {static_cast<int>(line * 4), static_cast<int>(std::ceil(line * 3.4)) + horizontalScrollBar()->sizeHint().height()};
}

QSize BlockBars::sizeHint() const { return {static_cast<int>(QFontMetricsF(font()).height() * 16), minimumSizeHint().height()}; }

void BlockBars::layOut() {
    const int all = static_cast<int>(std::ceil(itemCount() * pitch())) + 4;
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(static_cast<int>(pitch()));
    horizontalScrollBar()->setRange(0, std::max(0, all - viewport()->width()));
}

void BlockBars::reveal(int index) {
    if (index < 0) return;
    const QRectF bar = slot(index);
    QScrollBar* const scroll = horizontalScrollBar();
    if (bar.left() < 0.0) {
        scroll->setValue(scroll->value() + static_cast<int>(std::floor(bar.left())) - 2);
    } else if (bar.right() > viewport()->width()) {
        scroll->setValue(scroll->value() + static_cast<int>(std::ceil(bar.right())) - viewport()->width() + 2);
    }
}

void BlockBars::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        updateGeometry();
        layOut();
    }
}

void BlockBars::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    announceCurrentItem(this, m_current);
    viewport()->update();
}

void BlockBars::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

void BlockBars::keyPressEvent(QKeyEvent* event) {
    const int last = itemCount() - 1;
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    int wanted = -1;
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            wanted = m_current + ((event->key() == Qt::Key_Right) != mirrored ? 1 : -1);
            break;
        case Qt::Key_PageUp:
            wanted = m_current - kPage;
            break;
        case Qt::Key_PageDown:
            wanted = m_current + kPage;
            break;
        case Qt::Key_Home:
            wanted = 0;
            break;
        case Qt::Key_End:
            wanted = last;
            break;
        default:
            event->ignore();
            return;
    }
    if (last >= 0) chooseItem(std::clamp(wanted, 0, last));
}

void BlockBars::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) chooseItem(itemAt(event->position().toPoint()));
}

void BlockBars::mouseMoveEvent(QMouseEvent* event) {
    const int index = itemAt(event->position().toPoint());
    if ((event->buttons() & Qt::LeftButton) != 0 && index >= 0 && index != m_current) chooseItem(index);
}

void BlockBars::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
    reveal(m_current);
}

void BlockBars::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const int step = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() - step / 2);
    event->accept();
}

bool BlockBars::viewportEvent(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const int index = itemAt(help->pos());
    if (index < 0) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), describe(index), this);
    }
    return true;
}

int BlockBars::labelStep() const {
    const double widest = QFontMetricsF(labelFont(font())).horizontalAdvance(QString::number(itemCount())) + 4.0;
    for (const int step : {1, 2, 5, 10, 20, 50, 100, 200, 500})
        if (pitch() * step >= widest) return step;
    return 1000;
}

void BlockBars::paintBar(QPainter& painter, int index, const BarStyle& style) const {
    const BlockSummary summary = m_model->block(index);
    const bool current = index == m_current;
    const double ratio = devicePixelRatioF();
    const QRectF place = slot(index);
    const double gap = std::max(1.0, std::min(4.0 * style.unit, place.width() * 0.25));
    // Few passes still differ visibly: the scale never has fewer than four steps.
    const double height = std::max(3.0 * style.unit, style.tallest * summary.passes / std::max(m_model->mostPasses(), 4));
    const QRectF bar = alignToDevice(QRectF(place.left() + gap / 2.0, style.base - height, place.width() - gap, height), ratio);
    painter.fillRect(bar, current ? style.accent : style.quiet);
    if (summary.forced > 0) {
        // Both the part and the mark show forced cells: the mark for those who do not see the colour.
        const double share = std::min(1.0, static_cast<double>(summary.forced) / std::max(summary.passes, 1));
        const double part = std::max(2.0 * style.unit, height * share);
        painter.fillRect(alignToDevice(QRectF(bar.left(), style.base - part, bar.width(), part), ratio), style.forced);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.warning);
        const double r = std::min(3.0 * style.unit, bar.width() / 2.0);
        const QPointF top(bar.center().x(), bar.top() - r - 2.0 * style.unit);
        painter.drawPolygon(QPolygonF({top + QPointF(-r, r), top + QPointF(r, r), top + QPointF(0, -r)}));
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    if (!current) return;
    painter.fillRect(alignToDevice(QRectF(bar.left(), style.base + style.unit, bar.width(), 2.0 * style.unit), ratio),
                     style.accent);
    if (!hasFocus()) return;
    painter.setPen(QPen(palette().color(QPalette::Text), std::max(1.0, std::round(ratio)) / ratio));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(alignToDevice(bar.adjusted(-2.0, -2.0, 2.0, 4.0 * style.unit), ratio));
}

void BlockBars::paintEvent(QPaintEvent* event) {
    if (itemCount() == 0) return;
    QPainter painter(viewport());
    const QFont face = labelFont(font());
    const double labelHeight = std::ceil(QFontMetricsF(face).height());
    BarStyle style;
    style.unit = std::max(1.0, QFontMetricsF(font()).height() / 16.0);
    style.base = std::round(viewport()->height() - labelHeight - 4.0 * style.unit);
    style.tallest = style.base - 10.0 * style.unit;
    style.accent = theme::tone(theme::Tone::Accent, palette());
    style.warning = theme::tone(theme::Tone::Warning, palette());
    style.quiet = theme::blend(theme::tone(theme::Tone::Border, palette()), style.accent, 0.45);
    style.forced = theme::blend(theme::tone(theme::Tone::Forced, palette()), style.warning, 0.45);
    const double step = pitch();
    const int first = std::max(0, static_cast<int>((event->rect().left() + horizontalScrollBar()->value()) / step) - 1);
    const int last =
        std::min(itemCount() - 1, static_cast<int>((event->rect().right() + horizontalScrollBar()->value()) / step) + 1);
    const int every = labelStep();
    for (int index = first; index <= last; ++index) {
        paintBar(painter, index, style);
        if ((index + 1) % every != 0 && index != 0) continue;
        painter.setFont(face);
        painter.setPen(index == m_current ? palette().color(QPalette::Text) : theme::tone(theme::Tone::Subtle, palette()));
        const QRectF place = slot(index);
        painter.drawText(QRectF(place.center().x() - 40.0, style.base + 3.5 * style.unit, 80.0, labelHeight),
                         Qt::AlignHCenter | Qt::AlignTop | Qt::TextSingleLine | Qt::TextDontClip, QString::number(index + 1));
    }
}

}  // namespace trefoil
