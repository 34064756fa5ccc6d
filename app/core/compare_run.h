// CompareRun: one question answered under two settings and one seed, one answer after the other. Both become versions of the
// answer; the conversation's own settings stay as they are. Outlives the window that began it.
#pragma once

#include "app/core/chat_controller.h"

#include <QObject>
#include <QString>

namespace trefoil {

class CompareRun : public QObject {
    Q_OBJECT
public:
    /// `chat` is not owned and outlives this object.
    explicit CompareRun(ChatController* chat, QObject* parent = nullptr);

    [[nodiscard]] bool isRunning() const { return m_step != Step::Idle; }
    /// The open conversation's last message must be an answer and nothing may be under way; false otherwise. The seed of `left`
    /// counts for both.
    bool start(const ControlValues& left, const ControlValues& right);
    /// Ends the answer that is being written; what is there stays.
    void stop();

signals:
    /// Both are there; `rightId` is empty when it was stopped before.
    void finished(const QString& leftId, const QString& rightId);

private:
    enum class Step : quint8 { Idle, Left, Right };
    void onEnded(const MessageRecord& answer);
    void end(const QString& rightId);

    ChatController* m_chat;
    Step m_step = Step::Idle;
    QString m_conversation;
    ControlValues m_right;
    QString m_leftId;
    QString m_writing;  ///< the answer that is being written for the comparison
};

}  // namespace trefoil
