#include "ui/blocks/cell_painter.h"

#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <QPen>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

using theme::Tone;

/// Lengths of a cell, in logical pixels, that grow with the font.
struct Measure {
    qreal unit;  ///< about a sixteenth of the line: 1 at usual sizes
    qreal radius;
    qreal padding;
    qreal barHeight;
};

Measure measure(const QFont& font) {
    const qreal line = QFontMetricsF(font).height();
    const qreal unit = std::max(1.0, line / 16.0);
    return {unit, 4.0 * unit, 4.0 * unit, std::max(3.0, 3.0 * unit)};
}

/// A pen width of whole device pixels, at least one.
qreal crisp(qreal width, qreal ratio) { return std::max(1.0, std::round(width * ratio)) / ratio; }

void strokeInside(QPainter& painter, const QRectF& rect, qreal radius, const QColor& colour, qreal width, Qt::PenStyle style) {
    QPen pen(colour, width, style);
    pen.setCapStyle(Qt::FlatCap);
    if (style == Qt::DashLine) pen.setDashPattern({3.0, 2.5});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    const qreal half = width / 2.0;
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), std::max(0.0, radius - half), std::max(0.0, radius - half));
}

void hatch(QPainter& painter, const QPainterPath& path, const QColor& colour, qreal step, qreal width) {
    painter.save();
    painter.setClipPath(path, Qt::IntersectClip);
    painter.setPen(QPen(colour, width));
    const QRectF box = path.boundingRect();
    for (qreal x = box.left() - box.height(); x < box.right(); x += step)
        painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
    painter.restore();
}

QColor fillOf(const CellView& cell, const QPalette& palette) {
    switch (cell.state) {
        case CellState::Masked:
            return theme::tone(Tone::Masked, palette);
        case CellState::Candidate:
            return palette.color(QPalette::Base);
        case CellState::ResolvedNow:
            return theme::tone(Tone::ResolvedNow, palette);
        case CellState::ResolvedEarlier:
            return theme::tone(Tone::ResolvedEarlier, palette);
        case CellState::Forced:
            return theme::tone(Tone::Forced, palette);
        case CellState::Dropped:
            return theme::tone(Tone::Dropped, palette);
        case CellState::Prompt:
            break;
    }
    return QColor(Qt::transparent);
}

QColor textOf(const CellView& cell, const QPalette& palette) {
    switch (cell.state) {
        case CellState::Candidate:
            return theme::blend(theme::tone(Tone::CandidateLow, palette), theme::tone(Tone::CandidateHigh, palette),
                                cell.confidence < 0.0 ? 0.5 : cell.confidence);
        case CellState::Masked:
        case CellState::Dropped:
        case CellState::Prompt:
            return theme::tone(Tone::Subtle, palette);
        default:
            return palette.color(QPalette::Text);
    }
}

void paintFrame(QPainter& painter, const QRectF& rect, const CellView& cell, const QPalette& palette, const Measure& m) {
    const qreal ratio = painter.device()->devicePixelRatioF();
    const qreal hair = crisp(1.0, ratio);
    const qreal bold = crisp(2.0 * m.unit, ratio);
    QPainterPath path;
    path.addRoundedRect(rect, m.radius, m.radius);
    painter.fillPath(path, fillOf(cell, palette));
    const QColor border = theme::tone(Tone::Border, palette);
    const QColor accent = theme::tone(Tone::Accent, palette);
    const QColor warning = theme::tone(Tone::Warning, palette);
    switch (cell.state) {
        case CellState::Masked:
            break;
        case CellState::Candidate:
            strokeInside(painter, rect, m.radius, theme::blend(border, theme::tone(Tone::Subtle, palette), 0.45), hair,
                         Qt::DashLine);
            break;
        case CellState::ResolvedNow:
            strokeInside(painter, rect, m.radius, accent, bold, Qt::SolidLine);
            break;
        case CellState::ResolvedEarlier:
            strokeInside(painter, rect, m.radius, theme::blend(fillOf(cell, palette), accent, 0.35), hair, Qt::SolidLine);
            break;
        case CellState::Forced: {
            strokeInside(painter, rect, m.radius, warning, cell.now ? bold : hair, Qt::SolidLine);
            painter.save();
            painter.setClipPath(path, Qt::IntersectClip);
            const qreal side = 8.0 * m.unit;
            QPainterPath corner(rect.topRight());
            corner.lineTo(rect.right() - side, rect.top());
            corner.lineTo(rect.right(), rect.top() + side);
            corner.closeSubpath();
            painter.fillPath(corner, warning);
            painter.restore();
            break;
        }
        case CellState::Dropped:
            hatch(painter, path, border, 6.0 * m.unit, hair);
            break;
        case CellState::Prompt:
            painter.fillRect(QRectF(rect.left() + m.padding, rect.bottom() - hair, rect.width() - 2.0 * m.padding, hair),
                             theme::tone(Tone::Subtle, palette));
            break;
    }
}

bool hasBar(const CellView& cell) {
    return cell.confidence >= 0.0 &&
           (cell.state == CellState::Candidate || cell.state == CellState::Forced || cell.state == CellState::ResolvedNow);
}

/// A bar as long as the confidence, and a tick where the threshold lies.
void paintConfidence(QPainter& painter, const QRectF& rect, const CellView& cell, const CellLook& look, const Measure& m) {
    const bool candidate = cell.state == CellState::Candidate;
    const bool forced = cell.state == CellState::Forced;
    if (!hasBar(cell)) return;
    const qreal ratio = painter.device()->devicePixelRatioF();
    const qreal inset = m.padding + m.unit;
    const QRectF track = alignToDevice(
        QRectF(rect.left() + inset, rect.bottom() - 2.2 * m.unit - m.barHeight, rect.width() - 2.0 * inset, m.barHeight), ratio);
    const QColor text = textOf(cell, look.palette);
    QColor back = look.palette.color(QPalette::Text);
    back.setAlphaF(0.13F);
    painter.fillRect(track, back);
    const QColor fill = forced      ? theme::tone(Tone::Warning, look.palette)
                        : candidate ? theme::blend(text, theme::tone(Tone::Subtle, look.palette), 0.35)
                                    : theme::tone(Tone::Accent, look.palette);
    painter.fillRect(QRectF(track.left(), track.top(), track.width() * std::clamp(cell.confidence, 0.0, 1.0), track.height()),
                     fill);
    if (!cell.thresholded) return;
    const qreal width = crisp(1.0, ratio);
    const qreal x = std::min(track.left() + track.width() * std::clamp(look.threshold, 0.0, 1.0), track.right() - width);
    const qreal reach = crisp(m.unit, ratio);
    painter.fillRect(alignToDevice(QRectF(x, track.top() - reach, width, track.height() + 2.0 * reach), ratio),
                     look.palette.color(QPalette::Text));
}

/// The text in the middle of `room`; marks of white space at its ends are drawn fainter than the text itself.
void paintPiece(QPainter& painter, const QRectF& room, const QString& text, const QFontMetricsF& metrics, const QColor& colour,
                const QColor& faint) {
    constexpr QChar kSpace(0x2423);
    qsizetype lead = 0;
    while (lead < text.size() && text[lead] == kSpace) ++lead;
    qsizetype tail = text.size();
    while (tail > lead && text[tail - 1] == kSpace) --tail;
    const qreal width = metrics.horizontalAdvance(text);
    const qreal baseline = room.center().y() + (metrics.ascent() - metrics.descent()) / 2.0;
    qreal x = room.center().x() - width / 2.0;
    const bool only = tail == lead;
    const auto draw = [&](const QString& part, const QColor& tone) {
        if (part.isEmpty()) return;
        painter.setPen(tone);
        painter.drawText(QPointF(x, baseline), part);
        x += metrics.horizontalAdvance(part);
    };
    draw(text.left(lead), only ? colour : faint);
    draw(text.mid(lead, tail - lead), colour);
    draw(text.mid(tail), faint);
}

void paintText(QPainter& painter, const QRectF& rect, const CellView& cell, const QString& drawn, const CellLook& look,
               const Measure& m) {
    const QColor colour = textOf(cell, look.palette);
    if (cell.state == CellState::Masked || drawn.isEmpty()) {
        // Painted, not a letter, so that no font can lack it.
        QColor dot = theme::tone(Tone::Subtle, look.palette);
        dot.setAlphaF(0.55F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(dot);
        painter.drawEllipse(rect.center(), 2.2 * m.unit, 2.2 * m.unit);
        return;
    }
    QFont font = look.font;
    if (cell.now && cell.state != CellState::Dropped) font.setWeight(QFont::DemiBold);
    if (cell.state == CellState::Prompt) font.setItalic(true);
    const QFontMetricsF metrics(font);
    const qreal below = hasBar(cell) ? m.barHeight + 3.0 * m.unit : 0.0;
    const QRectF room = rect.adjusted(m.padding, 0.0, -m.padding, -below);
    const QString elided = metrics.elidedText(drawn, Qt::ElideRight, room.width());
    painter.setFont(font);
    paintPiece(painter, room, elided, metrics, colour, theme::blend(fillOf(cell, look.palette), colour, 0.5));
    if (cell.state == CellState::Dropped) {
        const qreal width = std::min(metrics.horizontalAdvance(elided), room.width());
        const qreal ratio = painter.device()->devicePixelRatioF();
        painter.fillRect(alignToDevice(QRectF(room.center().x() - width / 2.0 - m.unit, room.center().y(), width + 2.0 * m.unit,
                                              crisp(m.unit, ratio)),
                                       ratio),
                         colour);
    }
}

}  // namespace

QSizeF cellSizeHint(const QFont& font, bool dense) {
    const QFontMetricsF metrics(font);
    const Measure m = measure(font);
    return {metrics.averageCharWidth() * (dense ? 3.0 : 6.0) + 2.0 * m.padding, metrics.height() + m.barHeight + 8.0 * m.unit};
}

QRectF alignToDevice(const QRectF& rect, qreal devicePixelRatio) {
    const auto snap = [devicePixelRatio](qreal v) { return std::round(v * devicePixelRatio) / devicePixelRatio; };
    const qreal left = snap(rect.left());
    const qreal top = snap(rect.top());
    return {left, top, std::max(snap(rect.right()) - left, 1.0 / devicePixelRatio),
            std::max(snap(rect.bottom()) - top, 1.0 / devicePixelRatio)};
}

void paintCell(QPainter& painter, const QRectF& rect, const CellView& cell, const QString& drawn, const CellLook& look) {
    const Measure m = measure(look.font);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    paintFrame(painter, rect, cell, look.palette, m);
    paintText(painter, rect, cell, drawn, look, m);
    paintConfidence(painter, rect, cell, look, m);
    if (look.selected) {
        const qreal ratio = painter.device()->devicePixelRatioF();
        const qreal gap = crisp(2.0 * m.unit, ratio);
        strokeInside(painter, rect.adjusted(-gap, -gap, gap, gap), m.radius + gap, look.palette.color(QPalette::Text),
                     crisp(look.focused ? 2.0 * m.unit : 1.0, ratio), Qt::SolidLine);
    }
    painter.restore();
}

}  // namespace trefoil
