// The half of StoreWorker that lives on its thread: the store, the queue of writes and their retries. Internal.
#pragma once

#include "app/core/conversation_store.h"

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <memory>

namespace trefoil {

class StoreBackend : public QObject {
    Q_OBJECT
public:
    StoreBackend();

    enum class Opening : quint8 { Existing, Fresh, Temporary };
    void open(RequestId id, Opening opening, const QString& path);
    void loadList(RequestId id);
    void loadConversation(RequestId id, const QString& conversationId);
    void loadTrace(RequestId id, const QString& messageId);
    void backUp(RequestId id, const QString& path);
    void loadFigures(RequestId id, int limit);
    void restore(RequestId id, const QString& backup);
    void loadArchive(RequestId id, const QString& conversationId);
    void importConversations(RequestId id, const QList<ArchivedConversation>& conversations, ExistingChoice existing);
    void search(RequestId id, const QString& text);
    void enqueue(const StoreOperation& operation);
    /// Tries for at most `timeoutMs`. `close`: the history, when all is stored.
    FlushReport flush(int timeoutMs, bool close);

signals:
    void opened(trefoil::RequestId id, const trefoil::OpenReport& report);
    void listLoaded(trefoil::RequestId id, const QList<trefoil::ConversationSummary>& list, const trefoil::StoreProblem& problem);
    void conversationLoaded(trefoil::RequestId id, const trefoil::ConversationRecord& conversation,
                            const QList<trefoil::MessageRecord>& messages, const trefoil::StoreProblem& problem,
                            const QList<trefoil::MessageRecord>& aside);
    void traceLoaded(trefoil::RequestId id, const QString& messageId, const trefoil::TraceView& trace,
                     const trefoil::StoreProblem& problem);
    void searched(trefoil::RequestId id, const trefoil::SearchResult& result, const trefoil::StoreProblem& problem);
    void backedUp(trefoil::RequestId id, const QString& path, const trefoil::StoreProblem& problem);
    void figuresLoaded(trefoil::RequestId id, const QList<trefoil::AnswerFigures>& figures, const trefoil::StoreProblem& problem);
    void restored(trefoil::RequestId id, const trefoil::RestoreReport& report);
    void archiveLoaded(trefoil::RequestId id, const trefoil::ArchivedConversation& conversation,
                       const trefoil::StoreProblem& problem);
    void imported(trefoil::RequestId id, const trefoil::ImportReport& report, const trefoil::StoreProblem& problem);
    void notSaved(const trefoil::StoreProblem& reason, int waiting);
    void saved();
    void writeRejected(const trefoil::StoreProblem& problem);

private:
    void drain();
    void openAgain();
    /// The conversation and all its messages, what waits to be written included.
    StoreProblem readWhole(const QString& id, ConversationRecord* conversation, QList<MessageRecord>* messages,
                           QList<MessageRecord>* aside);
    [[nodiscard]] bool waits(const QString& conversationId) const;

    ConversationStore m_store;
    QList<StoreOperation> m_waiting;
    StoreProblem m_reason;  ///< why the first of m_waiting is not stored
    QTimer m_retry;
    RequestId m_openRequest = 0;
    OpenReport m_failed;  ///< of the history that is opened as soon as that is possible
    QTimer m_reopen;
};

}  // namespace trefoil
