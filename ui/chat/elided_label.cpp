#include "ui/chat/elided_label.h"

#include <QEvent>

#include <algorithm>

namespace trefoil {

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedLabel::setFullText(const QString& text) {
    if (text == m_full) return;
    m_full = text;
    setAccessibleName(text);
    updateGeometry();
    refresh();
}

QSize ElidedLabel::sizeHint() const {
    const QMargins margins = contentsMargins();
    const int width = fontMetrics().horizontalAdvance(m_full.left(500).simplified());
    return {width + margins.left() + margins.right() + 2, fontMetrics().height() + margins.top() + margins.bottom()};
}

QSize ElidedLabel::minimumSizeHint() const {
    const int few = fontMetrics().averageCharWidth() * 6;
    return {std::min(sizeHint().width(), few), sizeHint().height()};
}

void ElidedLabel::refresh() {
    const QString line = m_full.left(500).simplified();
    const QString shown = fontMetrics().elidedText(line, Qt::ElideRight, contentsRect().width());
    QLabel::setText(shown);
    // Words with an ampersand or a tag in them are still words.
    setToolTip(shown == m_full ? QString() : QStringLiteral("<p>%1</p>").arg(m_full.left(2000).toHtmlEscaped()));
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    refresh();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) refresh();
}

}  // namespace trefoil
