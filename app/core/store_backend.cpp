#include "app/core/store_backend.h"

#include "app/core/trace_store.h"

#include <QDeadlineTimer>
#include <QThread>

namespace trefoil {

namespace {

constexpr int kRetryMs = 500;
constexpr int kReopenMs = 1000;
constexpr unsigned long kFlushPollMs = 20;

}  // namespace

StoreBackend::StoreBackend() : m_retry(this), m_reopen(this) {
    m_retry.setSingleShot(true);
    m_retry.setInterval(kRetryMs);
    connect(&m_retry, &QTimer::timeout, this, &StoreBackend::drain);
    m_reopen.setSingleShot(true);
    m_reopen.setInterval(kReopenMs);
    connect(&m_reopen, &QTimer::timeout, this, &StoreBackend::openAgain);
}

void StoreBackend::open(RequestId id, Opening opening, const QString& path) {
    m_reopen.stop();
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
    // Not where each try would leave a copy from before a migration.
    if (opening == Opening::Existing && report.problem.retryable() && report.backupPath.isEmpty()) {
        m_openRequest = id;
        m_failed = report;
        m_reopen.start();
    }
    emit opened(id, report);
    drain();
}

/// A full disk, or another program's lock, may have passed.
void StoreBackend::openAgain() {
    const OpenReport report = m_store.open(m_failed.path);
    const bool same = report.problem.kind == m_failed.problem.kind;
    if (report.problem.retryable() && report.backupPath.isEmpty())
        m_reopen.start();
    else
        m_reopen.stop();
    m_failed = report;
    if (same) return;
    emit opened(m_openRequest, report);
    drain();
}

void StoreBackend::loadList(RequestId id) {
    StoreResult<QList<ConversationSummary>> list = m_store.list(restoredConversations(m_waiting));
    if (list.ok()) overlayOnList(m_waiting, &list.value);
    emit listLoaded(id, list.value, list.problem);
}

StoreProblem StoreBackend::readWhole(const QString& id, ConversationRecord* conversation, QList<MessageRecord>* messages,
                                     QList<MessageRecord>* aside) {
    StoreResult<ConversationRecord> record = m_store.conversation(id);
    StoreResult<QList<MessageRecord>> shown;
    StoreResult<QList<MessageRecord>> others;
    if (record.ok()) shown = m_store.messages(id);
    if (record.ok() && shown.ok()) {
        others = m_store.messagesAside(id);
        shown.problem = others.problem;
    }
    StoreProblem problem = record.ok() ? shown.problem : record.problem;
    overlayOnConversation(m_waiting, id, &record.value, &shown.value, &others.value);
    if (problem.kind == StoreProblemKind::NotFound && !record.value.id.isEmpty()) problem = {};  // known from the queue
    *conversation = record.value;
    *messages = shown.value;
    *aside = others.value;
    return problem;
}

void StoreBackend::loadConversation(RequestId id, const QString& conversationId) {
    ConversationRecord conversation;
    QList<MessageRecord> messages;
    QList<MessageRecord> aside;
    const StoreProblem problem = readWhole(conversationId, &conversation, &messages, &aside);
    emit conversationLoaded(id, conversation, messages, problem, aside);
}

void StoreBackend::loadArchive(RequestId id, const QString& conversationId) {
    ArchivedConversation archived;
    QList<MessageRecord> messages;
    QList<MessageRecord> aside;
    StoreProblem problem = readWhole(conversationId, &archived.record, &messages, &aside);
    if (!messages.isEmpty()) archived.activeLeaf = messages.constLast().id;
    for (const MessageRecord& message : messages + aside) {
        if (!problem.ok()) break;
        StoreResult<QList<QByteArray>> trace = m_store.tracePieces(message.id);
        problem = trace.problem;
        TraceView waiting;
        overlayOnTrace(m_waiting, message.id, &waiting);
        if (!waiting.passes.isEmpty()) trace.value += packTrace(waiting);
        archived.messages.append({message, trace.value});
    }
    sortForArchive(&archived.messages);
    emit archiveLoaded(id, archived, problem);
}

bool StoreBackend::waits(const QString& conversationId) const {
    ConversationRecord record;
    QList<MessageRecord> messages;
    QList<MessageRecord> aside;
    overlayOnConversation(m_waiting, conversationId, &record, &messages, &aside);
    return !record.id.isEmpty();
}

void StoreBackend::importConversations(RequestId id, const QList<ArchivedConversation>& conversations, ExistingChoice existing) {
    ImportReport report;
    ImportConversations operation;
    for (const ArchivedConversation& conversation : conversations) {
        const StoreResult<bool> stored = m_store.isHere(conversation);
        if (!stored.ok()) return emit imported(id, {}, stored.problem);
        const bool here = stored.value || waits(conversation.record.id);
        if (here && existing == ExistingChoice::LeaveOut) {
            ++report.alreadyHere;
        } else if (here) {
            ++report.copies;
            operation.conversations.append(markedCopy(conversation));
        } else if (existing != ExistingChoice::OnlyCopy) {
            operation.conversations.append(conversation);
        }
    }
    report.added = static_cast<int>(operation.conversations.size());
    if (report.added > 0) {
        report.first = operation.conversations.constFirst().record.id;
        enqueue(operation);
    }
    emit imported(id, report, {});
}

void StoreBackend::loadTrace(RequestId id, const QString& messageId) {
    StoreResult<TraceView> trace = m_store.trace(messageId);
    if (trace.ok()) overlayOnTrace(m_waiting, messageId, &trace.value);
    emit traceLoaded(id, messageId, trace.value, trace.problem);
}

void StoreBackend::backUp(RequestId id, const QString& path) { emit backedUp(id, path, m_store.backUp(path)); }

void StoreBackend::loadFigures(RequestId id, int limit) {
    const StoreResult<QList<AnswerFigures>> figures = m_store.figures(limit);
    emit figuresLoaded(id, figures.value, figures.problem);
}

void StoreBackend::restore(RequestId id, const QString& backup) {
    drain();
    RestoreReport report;
    if (!m_waiting.isEmpty()) {
        report.problem = m_reason;
    } else {
        report = m_store.restore(backup);
    }
    emit restored(id, report);
    if (report.ok()) emit opened(id, report.opened);
}

void StoreBackend::search(RequestId id, const QString& text) {
    const StoreResult<SearchResult> result = m_store.search(text);
    emit searched(id, result.value, result.problem);
}

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

FlushReport StoreBackend::flush(int timeoutMs, bool close) {
    const QDeadlineTimer deadline(timeoutMs);
    if (m_reopen.isActive()) openAgain();
    drain();
    while (!m_waiting.isEmpty() && !deadline.hasExpired()) {
        QThread::msleep(kFlushPollMs);
        drain();
    }
    if (!m_waiting.isEmpty())
        return {false, static_cast<int>(m_waiting.size()), m_reopen.isActive() ? m_failed.problem : m_reason};
    if (close) m_store.close();
    return {true, 0, {}};
}

}  // namespace trefoil
