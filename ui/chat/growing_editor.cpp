#include "ui/chat/growing_editor.h"

#include <QAbstractTextDocumentLayout>
#include <QEvent>
#include <QMimeData>
#include <QTextBlock>
#include <QTextDocument>

#include <algorithm>
#include <cmath>

namespace trefoil {

GrowingEditor::GrowingEditor(int minimumLines, int maximumLines, QWidget* parent)
    : QPlainTextEdit(parent), m_minimumLines(minimumLines), m_maximumLines(std::max(minimumLines, maximumLines)) {
    setFrameShape(QFrame::NoFrame);
    setTabChangesFocus(true);
    setLineWrapMode(QPlainTextEdit::WidgetWidth);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(this, &QPlainTextEdit::textChanged, this, [this] {
        updateHeight();
        if (m_setting) return;
        QString now = text();
        if (now == m_known) return;
        m_known = std::move(now);
        emit edited();
    });
    // A long preedit text wraps too.
    connect(document()->documentLayout(), &QAbstractTextDocumentLayout::documentSizeChanged, this, [this] { updateHeight(); });
    updateHeight();
}

QString GrowingEditor::text() const {
    // toPlainText() would turn no-break spaces into ordinary ones.
    QString raw = document()->toRawText();
    raw.replace(QChar::ParagraphSeparator, QLatin1Char('\n'));
    return raw;
}

void GrowingEditor::setText(const QString& text) {
    m_setting = true;
    setPlainText(text);
    moveCursor(QTextCursor::End);
    m_known = this->text();
    m_setting = false;
    updateHeight();
}

void GrowingEditor::breakLine() {
    textCursor().insertText(QStringLiteral("\n"));
    ensureCursorVisible();
}

bool GrowingEditor::isBlank() const {
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        const QString line = block.text();
        if (std::any_of(line.begin(), line.end(), [](QChar c) { return !c.isSpace(); })) return false;
    }
    return true;
}

bool GrowingEditor::canInsertFromMimeData(const QMimeData* source) const { return source->hasText() || source->hasHtml(); }

void GrowingEditor::insertFromMimeData(const QMimeData* source) {
    QString text = source->text();
    if (text.isEmpty() && source->hasHtml()) {
        QTextDocument rich;
        rich.setHtml(source->html());
        text = rich.toPlainText();
    }
    if (text.isEmpty()) return;
    textCursor().insertText(text);
    ensureCursorVisible();
}

int GrowingEditor::frameHeight() const {
    const QMargins margins = contentsMargins() + viewportMargins();
    return 2 * static_cast<int>(std::ceil(document()->documentMargin())) + margins.top() + margins.bottom();
}

int GrowingEditor::heightOfLines(int lines) const { return fontMetrics().lineSpacing() * lines + frameHeight(); }

void GrowingEditor::updateHeight() {
    const int most = heightOfLines(m_maximumLines);
    // The last block's rectangle includes the document's margin below it.
    double content = frameHeight() - document()->documentMargin();
    // Only as many blocks as can be seen: laying out a pasted book for its height would be waste.
    for (QTextBlock block = document()->begin(); block.isValid() && content <= most; block = block.next())
        content += document()->documentLayout()->blockBoundingRect(block).height();
    // Lines in a fallback font may be higher than the font's own.
    const int height = std::clamp(static_cast<int>(std::ceil(content)), heightOfLines(m_minimumLines), most);
    setVerticalScrollBarPolicy(content > most ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
    if (height != minimumHeight() || height != maximumHeight()) setFixedHeight(height);
}

QSize GrowingEditor::sizeHint() const { return {fontMetrics().averageCharWidth() * 40, minimumHeight()}; }

QSize GrowingEditor::minimumSizeHint() const { return {fontMetrics().averageCharWidth() * 12, minimumHeight()}; }

void GrowingEditor::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    updateHeight();
}

void GrowingEditor::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) updateHeight();
}

}  // namespace trefoil
