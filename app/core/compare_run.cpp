#include "app/core/compare_run.h"

namespace trefoil {

CompareRun::CompareRun(ChatController* chat, QObject* parent) : QObject(parent), m_chat(chat) {
    setObjectName(QStringLiteral("compareRun"));
    // Queued: the controller is through with the answer before the next one begins.
    connect(chat, &ChatController::answerEnded, this, &CompareRun::onEnded, Qt::QueuedConnection);
}

bool CompareRun::start(const ControlValues& left, const ControlValues& right) {
    const QList<MessageRecord>& messages = m_chat->messages();
    if (isRunning() || m_chat->isRunning() || !m_chat->model() || messages.isEmpty() ||
        messages.constLast().role != QLatin1String("assistant"))
        return false;
    m_conversation = m_chat->conversation().id;
    m_right = right;
    m_right.insert(QStringLiteral("seed"), left.value(QStringLiteral("seed")));
    m_leftId.clear();
    m_step = Step::Left;
    m_chat->regenerateWith(messages.constLast().id, left);
    m_writing = m_chat->runningMessage();
    if (!m_writing.isEmpty()) return true;
    end({});
    return false;
}

void CompareRun::stop() {
    if (isRunning()) m_chat->stop();
}

void CompareRun::onEnded(const MessageRecord& answer) {
    // The end of the answer before may still have been on its way.
    if (!isRunning() || answer.id != m_writing) return;
    if (m_step == Step::Right) return end(answer.id);
    m_leftId = answer.id;
    // Stopped, or the person went elsewhere: the second one is not begun.
    if (answer.stopReason == EndReason::Cancelled || answer.stopReason == EndReason::Failed || m_chat->isRunning() ||
        m_chat->conversation().id != m_conversation || m_chat->messages().isEmpty() ||
        m_chat->messages().constLast().id != answer.id)
        return end({});
    m_step = Step::Right;
    m_chat->regenerateWith(answer.id, m_right);
    m_writing = m_chat->runningMessage();
    if (m_writing.isEmpty()) end({});
}

void CompareRun::end(const QString& rightId) {
    m_step = Step::Idle;
    emit finished(m_leftId, rightId);
}

}  // namespace trefoil
