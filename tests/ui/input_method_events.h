// What an input method sends to a text field, for tests.
#pragma once

#include <QCoreApplication>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QString>
#include <QWidget>

namespace trefoil::test {

/// Text that is being composed and not confirmed yet.
inline void compose(QWidget* field, const QString& preedit) {
    QInputMethodEvent event(preedit, {});
    QCoreApplication::sendEvent(field, &event);
}

/// The composition is confirmed as `text`.
inline void commitText(QWidget* field, const QString& text) {
    QInputMethodEvent event;
    event.setCommitString(text);
    QCoreApplication::sendEvent(field, &event);
}

/// A key press as the window system sends it while a key is held down.
inline void repeatKey(QWidget* field, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QKeyEvent event(QEvent::KeyPress, key, modifiers, key == Qt::Key_Escape ? QString() : QStringLiteral("\r"), true);
    QCoreApplication::sendEvent(field, &event);
}

}  // namespace trefoil::test
