// Notifier: tells through the desktop (org.freedesktop.Notifications) that a long answer is written while the person looks
// elsewhere.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>

namespace trefoil {

class Notifier : public QObject {
    Q_OBJECT
public:
    /// Answers that took less are not worth an interruption.
    static constexpr qint64 kLongAnswerMs = 10'000;

    explicit Notifier(QObject* parent = nullptr);

    void answerBegan();
    /// Sends a notification when the answer took `longMs` or more. Does not wait; without a session bus nothing happens.
    void answerEnded(const QString& title, const QString& text, qint64 longMs = kLongAnswerMs);

signals:
    /// The person clicked the notification.
    void activated();

private slots:
    void onAction(uint id, const QString& action);

private:
    QElapsedTimer m_since;
    uint m_last = 0;  ///< replaced by the next one, so that they do not pile up
};

}  // namespace trefoil
