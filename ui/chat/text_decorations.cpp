#include "ui/chat/text_decorations.h"

#include "ui/chat/text_properties.h"
#include "ui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QPainter>
#include <QPainterPath>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextTable>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

constexpr qreal kRadius = 6.0;

/// A rectangle with round corners where the code begins and ends, square ones where it goes on.
QPainterPath boxPath(const QRectF& box, bool roundTop, bool roundBottom) {
    QPainterPath path;
    QPainterPath square;
    path.addRoundedRect(box, kRadius, kRadius);
    if (!roundTop) square.addRect(box.adjusted(0, 0, 0, -std::min(box.height() / 2, kRadius)));
    if (!roundBottom) square.addRect(box.adjusted(0, std::min(box.height() / 2, kRadius), 0, 0));
    return path.united(square);
}

void paintBars(QPainter& painter, const QVariantList& bars, const QRectF& rect, const QColor& colour) {
    for (const QVariant& bar : bars) painter.fillRect(QRectF(bar.toReal(), rect.top(), 3.0, rect.height()), colour);
}

/// Bars of the quotes. They span the gap between two blocks that both have them.
void paintQuotes(QPainter& painter, const QTextDocument& document, const TextStyle& style, qreal gapAbove) {
    QAbstractTextDocumentLayout* layout = document.documentLayout();
    const QColor colour =
        theme::blend(theme::tone(theme::Tone::Border, style.palette), theme::tone(theme::Tone::Accent, style.palette), 0.35);
    QVariantList previous;
    qreal bottom = -gapAbove;
    const QTextFrame* root = document.rootFrame();
    for (auto it = root->begin(); !it.atEnd(); ++it) {
        QVariantList bars;
        QRectF rect;
        if (QTextFrame* frame = it.currentFrame()) {
            bars = frame->frameFormat().property(kQuoteBars).toList();
            rect = layout->frameBoundingRect(frame);
        } else {
            const QTextBlock block = it.currentBlock();
            bars = block.blockFormat().property(kQuoteBars).toList();
            rect = layout->blockBoundingRect(block);
            const int code = block.blockFormat().intProperty(kCodePart);
            if ((code & kCodeStart) != 0) {
                const qreal unit = QFontMetricsF(style.font).height();
                rect.setTop(rect.top() - codeHeaderHeight(unit) - std::round(codePadding(unit) * 0.8));
            }
            if ((code & kCodeEnd) != 0) rect.setBottom(rect.bottom() + codePadding(QFontMetricsF(style.font).height()));
        }
        QVariantList shared;
        const bool atTop = it == root->begin();
        for (const QVariant& bar : std::as_const(bars)) {
            if (previous.contains(bar) || (atTop && gapAbove > 0.0)) shared.append(bar);
        }
        paintBars(painter, shared, QRectF(0, bottom, 0, rect.top() - bottom), colour);
        paintBars(painter, bars, rect, colour);
        previous = bars;
        bottom = rect.bottom();
    }
}

}  // namespace

QList<CodeBox> codeBoxes(const QTextDocument& document, const TextStyle& style) {
    QAbstractTextDocumentLayout* layout = document.documentLayout();
    const qreal unit = QFontMetricsF(style.font).height();
    const qreal pad = codePadding(unit);
    const qreal header = codeHeaderHeight(unit);
    QList<CodeBox> boxes;
    const qreal right = document.textWidth();
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const QTextBlockFormat format = block.blockFormat();
        const int part = format.intProperty(kCodePart);
        if (part == 0) continue;
        const QRectF line = layout->blockBoundingRect(block);
        if ((part & (kCodeStart | kCodeContinues)) != 0) {
            CodeBox box;
            const qreal left = format.doubleProperty(kCodeLeft);
            box.continuesPrevious = (part & kCodeContinues) != 0;
            const qreal top = box.continuesPrevious ? line.top() : line.top() - std::round(pad * 0.8) - header;
            box.box = QRectF(left, top, right - left, line.bottom() - top);
            if (!box.continuesPrevious) box.header = QRectF(left, top, right - left, header);
            boxes.append(box);
        }
        if (boxes.isEmpty()) continue;
        boxes.back().box.setBottom(line.bottom() + ((part & kCodeEnd) != 0 ? pad : 0.0));
        boxes.back().goesOn = (part & kCodeGoesOn) != 0;
    }
    return boxes;
}

void paintDecorations(QPainter& painter, const QTextDocument& document, const QList<CodeBox>& boxes, const QStringList& labels,
                      const TextStyle& style, qreal gapAbove, qreal height) {
    const QColor border = theme::tone(theme::Tone::Border, style.palette);
    const QColor subtle = theme::tone(theme::Tone::Subtle, style.palette);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    qsizetype label = 0;
    for (const CodeBox& code : boxes) {
        QRectF box = code.box;
        if (code.goesOn) box.setBottom(height);
        painter.fillPath(boxPath(box, !code.continuesPrevious, !code.goesOn),
                         theme::tone(theme::Tone::CodeBackground, style.palette));
        if (code.header.isEmpty()) continue;
        QFont font = style.font;
        font.setPointSizeF(std::max(1.0, QFontInfo(style.font).pointSizeF() * 0.86));
        painter.setFont(font);
        painter.setPen(subtle);
        const QString text = label < labels.size() ? labels[label] : QString();
        const qreal pad = codePadding(QFontMetricsF(style.font).height());
        painter.drawText(code.header.adjusted(pad + 2, 0, -90, 0), Qt::AlignVCenter | Qt::AlignLeft, text);
        painter.fillRect(QRectF(code.header.left(), code.header.bottom(), code.header.width(), 1.0), border);
        ++label;
    }
    paintQuotes(painter, document, style, gapAbove);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (!block.blockFormat().boolProperty(kRule)) continue;
        const QRectF line = document.documentLayout()->blockBoundingRect(block);
        const qreal left = block.blockFormat().leftMargin();
        painter.fillRect(QRectF(left, std::round(line.center().y()), document.textWidth() - left, 1.0), border);
    }
    painter.restore();
}

QString copiedText(const QTextDocument& document, int from, int to) {
    QString result;
    QTextTable* previousTable = nullptr;
    int previousRow = -1;
    bool first = true;
    for (QTextBlock block = document.findBlock(from); block.isValid() && block.position() <= to; block = block.next()) {
        const QTextBlockFormat format = block.blockFormat();
        QTextTable* table = QTextCursor(block).currentTable();
        const int row = table != nullptr ? table->cellAt(block.position()).row() : -1;
        // The empty blocks that a table needs before and after itself are not part of the text.
        const bool filler = table == nullptr && block.length() == 1 &&
                            (previousTable != nullptr || QTextCursor(block.next()).currentTable() != nullptr) &&
                            block.blockFormat().properties().isEmpty();
        if (filler) continue;
        if (!first) {
            if (table != nullptr && table == previousTable) {
                result += row == previousRow ? u'\t' : u'\n';
            } else {
                const bool gap = table != previousTable || format.hasProperty(kGapBefore);
                const bool listItem = format.textIndent() < 0;
                result += gap && !listItem ? QStringLiteral("\n\n") : QStringLiteral("\n");
            }
        }
        first = false;
        previousTable = table;
        previousRow = row;
        if (format.boolProperty(kRule)) result += QStringLiteral("---");
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            const QTextFragment fragment = it.fragment();
            const int start = std::max(from, fragment.position());
            const int end = std::min(to, fragment.position() + fragment.length());
            if (start >= end) continue;
            const QTextCharFormat text = fragment.charFormat();
            if (text.hasProperty(kCopyText)) {
                // Whether or not the whole marker is selected: half a marker is of no use.
                result += text.stringProperty(kCopyText);
                continue;
            }
            result += QStringView(fragment.text()).mid(start - fragment.position(), end - start);
        }
    }
    result.replace(QChar(QChar::LineSeparator), u'\n');
    return result;
}

}  // namespace trefoil
