#include "ui/chat/quiet_button.h"

#include "ui/theme/theme.h"

#include <QEvent>

namespace trefoil {

QuietButton::QuietButton(const QString& iconName, const QString& text, QWidget* parent)
    : QToolButton(parent), m_iconName(iconName) {
    setText(text);
    setToolTip(text);
    setAccessibleName(text);
    setIcon(theme::icon(iconName, palette()));
    setIconSize({16, 16});
    setAutoRaise(true);
    setFocusPolicy(Qt::TabFocus);
}

void QuietButton::setAwake(bool awake) {
    if (m_awake == awake) return;
    m_awake = awake;
    update();
}

void QuietButton::showText() { setToolButtonStyle(Qt::ToolButtonTextBesideIcon); }

void QuietButton::paintEvent(QPaintEvent* event) {
    if (m_awake || hasFocus() || underMouse() || isDown()) QToolButton::paintEvent(event);
}

void QuietButton::changeEvent(QEvent* event) {
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) setIcon(theme::icon(m_iconName, palette()));
}

}  // namespace trefoil
