// UndoBar: says what was just done and offers to take it back for a while.
#pragma once

#include <QFrame>
#include <QString>
#include <QTimer>

class QLabel;

namespace trefoil {

class PillButton;

/// "Conversation deleted.  Undo". One offer at a time: a newer one lets the older expire. The time stands still while the pointer
/// or the keyboard focus is on the bar. Every offer ends in exactly one of undoRequested and expired.
class UndoBar : public QFrame {
    Q_OBJECT
public:
    static constexpr int kDefaultTimeoutMs = 10'000;

    explicit UndoBar(QWidget* parent = nullptr);

    void setTimeout(int milliseconds) { m_timeoutMs = milliseconds; }
    /// `key` comes back in the signals. `text`: plain, one line.
    void offer(const QString& key, const QString& text);
    /// Lets a standing offer expire now (for example before the program ends).
    void expireNow();
    [[nodiscard]] bool isOffering() const { return m_offering; }
    /// Of the offer that stands.
    [[nodiscard]] QString key() const { return m_offering ? m_key : QString(); }
    [[nodiscard]] QString text() const;
    /// The offer's time runs.
    [[nodiscard]] bool isCounting() const { return m_timer.isActive(); }

signals:
    void undoRequested(const QString& key);
    void expired(const QString& key);

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void undo();
    void updateClock();

    int m_timeoutMs = kDefaultTimeoutMs;
    int m_remainingMs = 0;
    bool m_offering = false;
    QString m_key;
    QTimer m_timer;
    QLabel* m_text;
    PillButton* m_undo;
    PillButton* m_dismiss;
};

}  // namespace trefoil
