#include "ui/chat/card_frame.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QPainter>

namespace trefoil {

CardFrame::CardFrame(QWidget* editor, QWidget* parent) : QFrame(parent), m_editor(editor) { editor->installEventFilter(this); }

bool CardFrame::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
    return QFrame::eventFilter(watched, event);
}

void CardFrame::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool focused = m_editor->hasFocus();
    const double width = focused ? 2.0 : 1.0;
    painter.setPen(QPen(theme::tone(focused ? theme::Tone::Accent : theme::Tone::Border, palette()), width));
    painter.setBrush(palette().color(QPalette::Base));
    const double inset = width / 2.0;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 10, 10);
}

}  // namespace trefoil
