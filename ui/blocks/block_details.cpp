#include "ui/blocks/block_details.h"

#include "ui/blocks/block_view.h"
#include "ui/blocks/cell_painter.h"
#include "ui/blocks/piece_text.h"
#include "ui/theme/theme.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

QFont boldFont(const QFont& base) {
    QFont font = base;
    font.setWeight(QFont::DemiBold);
    return font;
}

double lineHeight(const QWidget& widget) { return std::ceil(QFontMetricsF(widget.font()).height() * 1.25); }

}  // namespace

BlockDetails::BlockDetails(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("blockDetails"));
    setAccessibleName(tr("Candidates"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleDescription(text());
}

void BlockDetails::setCell(const std::optional<CellView>& cell, double threshold) {
    if (cell == m_cell && threshold == m_threshold) return;
    m_cell = cell;
    m_threshold = threshold;
    setAccessibleDescription(text());
    update();
}

QString BlockDetails::heading() const {
    if (!m_cell) return {};
    const QString row = tr("Row %1").arg(m_cell->row + 1);
    return m_cell->state == CellState::Prompt || m_cell->position < 0
               ? row
               : tr("%1 · token %2 of the response").arg(row).arg(m_cell->position + 1);
}

QString BlockDetails::explanation() const {
    const CellView& cell = *m_cell;
    const int pass = cell.resolvedPass + 1;
    const QString confidence = probabilityText(std::max(cell.confidence, 0.0));
    const QString threshold = probabilityText(m_threshold);
    switch (cell.state) {
        case CellState::Masked:
            return tr("Masked");
        case CellState::Candidate:
            if (cell.causal) return tr("Chosen by the pass before; confidence %1").arg(confidence);
            if (!cell.thresholded) return tr("Drafted, to be checked; confidence %1").arg(confidence);
            return tr("Candidate; confidence %1, threshold %2").arg(confidence, threshold);
        case CellState::ResolvedNow:
        case CellState::ResolvedEarlier:
            if (cell.byHand) return tr("Fixed by hand after pass %1").arg(pass);
            return cell.confidence < 0.0 ? tr("Resolved in pass %1").arg(pass)
                                         : tr("Resolved in pass %1; confidence %2").arg(pass).arg(confidence);
        case CellState::Forced:
            return tr("Forced in pass %1; confidence %2 is not above %3").arg(pass).arg(confidence, threshold);
        case CellState::Dropped:
            return cell.refused ? tr("Dropped; the check chose another token") : tr("Dropped; after the end of the response");
        case CellState::Prompt:
            return tr("The prompt's last tokens begin this block");
    }
    return {};
}

QString BlockDetails::text() const {
    if (!m_cell) return tr("Point at a cell, or choose one with the arrow keys, to see its candidates.");
    QStringList lines{heading(), explanation()};
    for (const TokenChoice& choice : m_cell->top.mid(0, kCandidates))
        lines.append(quotedPiece(choice.text, choice.token) + QLatin1Char(' ') +
                     probabilityText(static_cast<double>(choice.probability)));
    return lines.join(QLatin1Char('\n'));
}

void BlockDetails::setRows(int rows) {
    const int wanted = std::clamp(rows, kFewest, kCandidates);
    if (wanted == m_rows) return;
    m_rows = wanted;
    updateGeometry();
    update();
}

int BlockDetails::heightForRows(int rows) const { return static_cast<int>(std::ceil(lineHeight(*this) * (2 + rows))) + 4; }

QSize BlockDetails::sizeHint() const {
    return {static_cast<int>(QFontMetricsF(font()).averageCharWidth() * 32), heightForRows(m_rows)};
}

QSize BlockDetails::minimumSizeHint() const {
    return {static_cast<int>(QFontMetricsF(font()).averageCharWidth() * 14), heightForRows(m_rows)};
}

bool BlockDetails::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !m_cell) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const auto line = static_cast<qsizetype>(help->pos().y() / lineHeight(*this)) - 2;
    if (line < 0) {
        QToolTip::showText(help->globalPos(), heading() + QLatin1Char('\n') + explanation(), this);
    } else if (line < std::min<qsizetype>(m_cell->top.size(), m_rows)) {
        const TokenChoice& choice = m_cell->top[line];
        QToolTip::showText(
            help->globalPos(),
            tr("%1, token %2\n%3").arg(quotedPiece(choice.text, choice.token)).arg(choice.token).arg(codePoints(choice.text)),
            this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

void BlockDetails::paintHint(QPainter& painter) const {
    painter.setPen(theme::tone(theme::Tone::Subtle, palette()));
    painter.drawText(rect().adjusted(4, 0, -4, 0), Qt::AlignCenter | Qt::TextWordWrap, text());
}

void BlockDetails::paintCandidate(QPainter& painter, const QRectF& rect, const TokenChoice& choice, double textWidth) const {
    const bool chosen = choice.token == m_cell->token;
    const QFontMetricsF plain(font());
    const double numberWidth = QFontMetricsF(boldFont(font())).horizontalAdvance(QLocale().toString(0.888, 'f', 3));
    const double gap = plain.averageCharWidth();
    const QFont face = chosen ? boldFont(font()) : font();
    painter.setFont(face);
    painter.setPen(palette().color(QPalette::Text));
    const QRectF textRect(rect.left(), rect.top(), textWidth, rect.height());
    painter.drawText(textRect, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                     QFontMetricsF(face).elidedText(drawablePiece(choice.text, choice.token, font()), Qt::ElideRight, textWidth));
    const QRectF numberRect(rect.right() - numberWidth, rect.top(), numberWidth, rect.height());
    painter.drawText(numberRect, Qt::AlignVCenter | Qt::AlignRight | Qt::TextSingleLine | Qt::TextDontClip,
                     probabilityText(static_cast<double>(choice.probability)));
    const double height = std::max(4.0, std::round(rect.height() * 0.34));
    const QRectF track = alignToDevice(QRectF(textRect.right() + gap, rect.center().y() - height / 2.0,
                                              std::max(numberRect.left() - textRect.right() - 2.0 * gap, 1.0), height),
                                       devicePixelRatioF());
    QColor back = palette().color(QPalette::Text);
    back.setAlphaF(0.10F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(back);
    painter.drawRoundedRect(track, height / 2.0, height / 2.0);
    const double share = std::clamp(static_cast<double>(choice.probability), 0.0, 1.0);
    if (share > 0.0) {
        painter.setBrush(chosen ? theme::tone(theme::Tone::Accent, palette())
                                : theme::tone(theme::Tone::CandidateLow, palette()));
        const double filled = std::max(track.width() * share, std::min(height, track.width()));
        painter.drawRoundedRect(QRectF(track.left(), track.top(), filled, height), height / 2.0, height / 2.0);
    }
    if (!chosen || !m_cell->thresholded) return;
    const double ratio = devicePixelRatioF();
    const double width = std::max(1.0, std::round(ratio)) / ratio;
    const double x = std::min(track.left() + track.width() * std::clamp(m_threshold, 0.0, 1.0), track.right() - width);
    painter.fillRect(alignToDevice(QRectF(x, track.top() - 2.0, width, track.height() + 4.0), ratio),
                     palette().color(QPalette::Text));
}

void BlockDetails::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!m_cell) {
        paintHint(painter);
        return;
    }
    const double line = lineHeight(*this);
    const QRectF content = QRectF(rect()).adjusted(4, 0, -4, 0);
    QRectF row(content.left(), content.top(), content.width(), line);
    const QFontMetricsF metrics(font());
    const QFont bold = boldFont(font());
    painter.setFont(bold);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                     QFontMetricsF(bold).elidedText(heading(), Qt::ElideRight, row.width()));
    row.translate(0, line);
    painter.setFont(font());
    painter.setPen(theme::tone(theme::Tone::Subtle, palette()));
    painter.drawText(row, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine,
                     metrics.elidedText(explanation(), Qt::ElideRight, row.width()));
    const double textWidth = std::min(content.width() * 0.32, metrics.averageCharWidth() * 16.0);
    for (const TokenChoice& choice : m_cell->top.mid(0, m_rows)) {
        row.translate(0, line);
        paintCandidate(painter, row, choice, textWidth);
    }
}

}  // namespace trefoil
