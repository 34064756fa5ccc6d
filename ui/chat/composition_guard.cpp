#include "ui/chat/composition_guard.h"

#include <QCoreApplication>
#include <QGuiApplication>
#include <QInputMethod>
#include <QInputMethodEvent>
#include <QKeyEvent>
#include <QTimer>
#include <QWidget>

namespace trefoil {

namespace {

// Over a bus the confirming key arrives some milliseconds after the commit; nobody presses Enter again within that time.
constexpr qint64 kGraceMs = 30;

bool isEnter(const QKeyEvent& event) { return event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter; }
bool isModifier(const QKeyEvent& event) {
    switch (event.key()) {
        case Qt::Key_Shift:
        case Qt::Key_Control:
        case Qt::Key_Alt:
        case Qt::Key_AltGr:
        case Qt::Key_Meta:
            return true;
        default:
            return false;
    }
}
bool isGuarded(const QKeyEvent& event) { return isEnter(event) || event.key() == Qt::Key_Escape; }

}  // namespace

CompositionGuard::CompositionGuard(QWidget* field) : QObject(field), m_field(field) { field->installEventFilter(this); }

bool CompositionGuard::eventFilter(QObject* watched, QEvent* event) { return watched == m_field && filterEvent(event); }

bool CompositionGuard::filterEvent(QEvent* event) {
    switch (event->type()) {
        case QEvent::InputMethod:
            observe(*static_cast<QInputMethodEvent*>(event));
            return false;
        case QEvent::ShortcutOverride: {
            // Accepting it keeps the key from the window's shortcuts; the key press itself follows.
            const bool owned = owns(*static_cast<QKeyEvent*>(event));
            if (owned) event->accept();
            return owned;
        }
        case QEvent::KeyPress:
            return filterKeyPress(static_cast<QKeyEvent*>(event));
        default:
            return false;
    }
}

bool CompositionGuard::owns(const QKeyEvent& event) const {
    if (!isGuarded(event)) return false;
    if (composing()) return true;
    if (m_keyIsHeld && event.isAutoRepeat()) return true;
    if (!m_settling) return false;
    // Events without a time of their own come from this process, not from a window system that may deliver them late.
    return !m_turnIsOver || (event.timestamp() != 0 && m_sinceCommit.elapsed() < kGraceMs);
}

bool CompositionGuard::filterKeyPress(QKeyEvent* event) {
    if (owns(*event)) {
        const bool composes = composing();
        if (composes && event->key() == Qt::Key_Escape) cancel();
        m_keyIsHeld = true;
        // One key confirms one composition: after it, the next fresh press is the person's own.
        if (!composes && !event->isAutoRepeat()) m_settling = false;
        event->accept();
        return true;
    }
    if (!event->isAutoRepeat() && !isModifier(*event)) {
        m_keyIsHeld = false;
        m_settling = false;
    }
    return false;
}

void CompositionGuard::observe(const QInputMethodEvent& event) {
    const bool wasComposing = composing();
    m_preedit = event.preeditString();
    if (!composing() && (wasComposing || !event.commitString().isEmpty())) settle();
    if (composing() != wasComposing) emit composingChanged(composing());
}

void CompositionGuard::settle() {
    m_settling = true;
    m_turnIsOver = false;
    m_keyIsHeld = true;
    m_sinceCommit.start();
    const quint64 turn = ++m_turn;
    QTimer::singleShot(0, this, [this, turn] {
        if (turn == m_turn) m_turnIsOver = true;
    });
}

void CompositionGuard::commit() {
    if (!composing()) return;
    QGuiApplication::inputMethod()->commit();
    if (!composing()) return;
    // The input method did not answer at once: take what the person sees.
    QInputMethodEvent event;
    event.setCommitString(m_preedit);
    QCoreApplication::sendEvent(m_field, &event);
    QGuiApplication::inputMethod()->reset();
}

void CompositionGuard::cancel() {
    if (!composing()) return;
    QGuiApplication::inputMethod()->reset();
    // A platform's reset sends no event; the field has to drop the preedit text itself.
    QInputMethodEvent event;
    QCoreApplication::sendEvent(m_field, &event);
    m_settling = false;
}

}  // namespace trefoil
