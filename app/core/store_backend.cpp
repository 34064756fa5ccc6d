#include "app/core/store_backend.h"

#include <QDeadlineTimer>
#include <QThread>

namespace trefoil {

namespace {

constexpr int kRetryMs = 500;
constexpr unsigned long kFlushPollMs = 20;

}  // namespace

StoreBackend::StoreBackend() : m_retry(this) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(kRetryMs);
    connect(&m_retry, &QTimer::timeout, this, &StoreBackend::drain);
}

void StoreBackend::open(RequestId id, Opening opening, const QString& path) {
    OpenReport report;
    switch (opening) {
        case Opening::Existing:
            report = m_store.open(path);
            break;
        case Opening::Fresh:
            report = m_store.openFresh(path);
            break;
        case Opening::Temporary:
            report = m_store.openTemporary();
            break;
    }
    emit opened(id, report);
    drain();
}

void StoreBackend::loadList(RequestId id) {
    StoreResult<QList<ConversationSummary>> list = m_store.list(restoredConversations(m_waiting));
    if (list.ok()) overlayOnList(m_waiting, &list.value);
    emit listLoaded(id, list.value, list.problem);
}

void StoreBackend::loadConversation(RequestId id, const QString& conversationId) {
    StoreResult<ConversationRecord> conversation = m_store.conversation(conversationId);
    StoreResult<QList<MessageRecord>> messages;
    StoreResult<QList<MessageRecord>> aside;
    if (conversation.ok()) messages = m_store.messages(conversationId);
    if (conversation.ok() && messages.ok()) {
        aside = m_store.messagesAside(conversationId);
        messages.problem = aside.problem;
    }
    StoreProblem problem = conversation.ok() ? messages.problem : conversation.problem;
    overlayOnConversation(m_waiting, conversationId, &conversation.value, &messages.value, &aside.value);
    if (problem.kind == StoreProblemKind::NotFound && !conversation.value.id.isEmpty()) problem = {};  // known from the queue
    emit conversationLoaded(id, conversation.value, messages.value, problem, aside.value);
}

void StoreBackend::loadTrace(RequestId id, const QString& messageId) {
    StoreResult<TraceView> trace = m_store.trace(messageId);
    if (trace.ok()) overlayOnTrace(m_waiting, messageId, &trace.value);
    emit traceLoaded(id, messageId, trace.value, trace.problem);
}

void StoreBackend::backUp(RequestId id, const QString& path) { emit backedUp(id, path, m_store.backUp(path)); }

void StoreBackend::enqueue(const StoreOperation& operation) {
    if (m_waiting.isEmpty() || !mergeOperations(&m_waiting.last(), operation)) m_waiting.append(operation);
    // While a write waits, the timer decides when to try again: each try may hold up the thread for the busy timeout.
    if (m_reason.ok()) drain();
}

void StoreBackend::drain() {
    m_retry.stop();
    while (!m_waiting.isEmpty()) {
        const StoreProblem problem = m_store.apply(m_waiting.first());
        if (problem.retryable()) {
            const bool news = m_reason.kind != problem.kind;
            m_reason = problem;
            m_retry.start();
            if (news) emit notSaved(problem, static_cast<int>(m_waiting.size()));
            return;
        }
        m_waiting.removeFirst();
        if (!problem.ok()) emit writeRejected(problem);
    }
    if (!m_reason.ok()) {
        m_reason = {};
        emit saved();
    }
}

FlushReport StoreBackend::flushAndClose(int timeoutMs) {
    const QDeadlineTimer deadline(timeoutMs);
    drain();
    while (!m_waiting.isEmpty() && !deadline.hasExpired()) {
        QThread::msleep(kFlushPollMs);
        drain();
    }
    if (!m_waiting.isEmpty()) return {false, static_cast<int>(m_waiting.size()), m_reason};
    m_store.close();
    return {true, 0, {}};
}

}  // namespace trefoil
