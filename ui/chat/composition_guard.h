// CompositionGuard: keeps the keys of an input method's composition from doing anything else in a text field.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>

class QInputMethodEvent;
class QKeyEvent;
class QWidget;

namespace trefoil {

/// Watches one text field. While a candidate is being composed, and for the key event that belongs to its confirmation, Enter and
/// Escape are the input method's own: they never reach the field, nor a shortcut of the window. Escape during a composition
/// cancels the candidate.
///
/// Input methods often let the confirming key through: the commit and the key then arrive one right after the other. An Enter
/// counts as part of the composition when it arrives in the same turn of the event loop as the commit, when it is stamped by the
/// window system and follows the commit faster than a hand can, or when it is the automatic repeat of such a key.
class CompositionGuard : public QObject {
    Q_OBJECT
public:
    /// `field` owns the guard. The guard installs itself as an event filter; install other filters on the field before it, or ask
    /// `filterEvent` from them first (the filter that was installed last sees an event first).
    explicit CompositionGuard(QWidget* field);

    /// There is preedit text that is not committed yet.
    [[nodiscard]] bool composing() const { return !m_preedit.isEmpty(); }
    /// True when the event belongs to the composition and must go no further.
    bool filterEvent(QEvent* event);
    /// Takes the preedit text into the field, as if it had been confirmed.
    void commit();
    /// Drops the preedit text.
    void cancel();

signals:
    void composingChanged(bool composing);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] bool owns(const QKeyEvent& event) const;
    bool filterKeyPress(QKeyEvent* event);
    void observe(const QInputMethodEvent& event);
    void settle();

    QWidget* m_field;
    QString m_preedit;
    QElapsedTimer m_sinceCommit;
    quint64 m_turn = 0;         ///< numbers the commits, so that an old turn's end cannot end a newer one
    bool m_settling = false;    ///< a commit happened and its key may still come
    bool m_turnIsOver = false;  ///< the commit's turn of the event loop has ended
    bool m_keyIsHeld = false;   ///< the confirming key may still be down and repeat
};

}  // namespace trefoil
