#include "ui/statistics/figure_chart.h"

#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace trefoil {

namespace {

constexpr int kLines = 4;
constexpr qreal kDot = 3.0;
constexpr qreal kNear = 12.0;
constexpr qsizetype kWindow = 15;  // answers under the running median

/// The next of 1, 2, 2.5 or 5 times a power of ten.
double roundedUp(double value) {
    if (!(value > 0)) return 0;
    const double power = std::pow(10.0, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 2.5, 5.0})
        if (value <= step * power * (1 + 1e-9)) return step * power;
    return 10 * power;
}

QList<double> runningMedian(const QList<double>& values) {
    QList<double> out;
    for (qsizetype i = 0; i < values.size(); ++i) {
        QList<double> window = values.mid(std::max<qsizetype>(0, i - kWindow + 1), std::min(i + 1, kWindow));
        std::nth_element(window.begin(), window.begin() + window.size() / 2, window.end());
        out.append(window.at(window.size() / 2));
    }
    return out;
}

}  // namespace

FigureChart::FigureChart(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("figureChart"));
    setAccessibleName(tr("Chart of the chosen figure"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void FigureChart::setValues(const QList<double>& values, const QStringList& tips, const QString& caption) {
    m_values = values;
    m_tips = tips;
    m_caption = caption;
    m_end = values.isEmpty() ? 0.0 : roundedUp(*std::max_element(values.begin(), values.end()));
    update();
}

QRectF FigureChart::plot() const {
    const QFontMetricsF metrics(font());
    qreal labels = 0;
    for (int line = 0; line <= kLines; ++line)
        labels = std::max(labels, metrics.horizontalAdvance(locale().toString(m_end * line / kLines, 'g', 4)));
    return QRectF(rect()).adjusted(labels + 16, 1.5 * metrics.height() + 12, -14, -metrics.height() - 12);
}

QPointF FigureChart::pointOf(qsizetype index) const {
    const QRectF area = plot();
    const qreal step = m_values.size() > 1 ? area.width() / static_cast<qreal>(m_values.size() - 1) : 0;
    const qreal x = m_values.size() > 1 ? area.left() + step * static_cast<qreal>(index) : area.center().x();
    return {x, area.bottom() - (m_end > 0 ? m_values.at(index) / m_end : 0) * area.height()};
}

qsizetype FigureChart::valueAt(const QPointF& place) const {
    qsizetype best = -1;
    qreal nearest = kNear;
    for (qsizetype i = 0; i < m_values.size(); ++i) {
        const QPointF way = pointOf(i) - place;
        const qreal distance = std::hypot(way.x(), way.y());
        if (distance < nearest) {
            nearest = distance;
            best = i;
        }
    }
    return best;
}

bool FigureChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const qsizetype index = valueAt(help->pos());
    if (index >= 0 && index < m_tips.size()) {
        QToolTip::showText(help->globalPos(), m_tips.at(index), this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

void FigureChart::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor quiet = theme::tone(theme::Tone::Subtle, palette());
    painter.fillRect(rect(), palette().color(QPalette::Base));
    if (m_values.isEmpty()) {
        painter.setPen(quiet);
        painter.drawText(rect(), static_cast<int>(Qt::AlignCenter) | static_cast<int>(Qt::TextWordWrap),
                         tr("No answer tells this yet."));
        return;
    }
    const QRectF area = plot();
    const qreal height = QFontMetricsF(font()).height();
    for (int line = 0; line <= kLines; ++line) {
        const qreal y = area.bottom() - area.height() * line / kLines;
        painter.setPen(QPen(theme::tone(theme::Tone::Border, palette()), 1));
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        painter.setPen(quiet);
        painter.drawText(QRectF(0, y - height / 2, area.left() - 8, height), Qt::AlignRight | Qt::AlignVCenter,
                         locale().toString(m_end * line / kLines, 'g', 4));
    }
    const QRectF below(area.left(), area.bottom() + 6, area.width(), height);
    painter.drawText(below, Qt::AlignLeft, tr("oldest"));
    painter.drawText(below, Qt::AlignRight, tr("newest"));
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRectF(area.left(), 6, area.width(), height), Qt::AlignLeft | Qt::AlignVCenter, m_caption);

    const QList<double> medians = runningMedian(m_values);
    QPainterPath path;
    for (qsizetype i = 0; i < medians.size(); ++i) {
        const QPointF at(pointOf(i).x(), area.bottom() - (m_end > 0 ? medians.at(i) / m_end : 0) * area.height());
        if (i == 0) {
            path.moveTo(at);
        } else {
            path.lineTo(at);
        }
    }
    painter.setPen(QPen(theme::tone(theme::Tone::Accent, palette()), 2));
    painter.drawPath(path);
    QColor dot = palette().color(QPalette::Text);
    dot.setAlphaF(0.65F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(dot);
    for (qsizetype i = 0; i < m_values.size(); ++i) painter.drawEllipse(pointOf(i), kDot, kDot);
}

}  // namespace trefoil
