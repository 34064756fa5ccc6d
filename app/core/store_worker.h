// The window's way to the history: ConversationStore on a thread of its own. Nothing here waits for the disk except
// flush and flushAndClose.
//
// Ids come from the caller (newRecordId), so nothing waits for an answer. Writes are stored in the order of the calls; one that
// fails for a passing reason (lock, full disk, read-only) stays first in the queue and is tried again until it succeeds: notSaved
// is given when that starts or its reason changes, saved when all is stored again. Reads include what still waits.
#pragma once

#include "app/core/search_query.h"
#include "app/core/store_operations.h"
#include "app/core/store_types.h"

#include <QObject>
#include <QString>

#include <memory>

namespace trefoil {

class StoreWorker : public QObject {
    Q_OBJECT
public:
    explicit StoreWorker(QObject* parent = nullptr);
    /// Stores what can be stored at once and ends the thread (see flushAndClose for a bounded wait that tells).
    ~StoreWorker() override;

    // Opening. Each answers with `opened`. Writes given while no history is open wait for one.
    /// What cannot be opened for a passing reason (a full disk, a lock) is tried again until something else is opened; `opened`
    /// then comes once more.
    RequestId openAsync(const QString& path);
    /// A new file beside `path`, which is left as it is. The report says its name; the caller remembers it (Settings).
    RequestId openFreshAsync(const QString& path);
    RequestId openTemporaryAsync();

    // Reading.
    RequestId loadListAsync();  ///< answers with listLoaded
    /// Answers with conversationLoaded: the branch on show, and the messages `aside` of it.
    RequestId loadConversationAsync(const QString& id);
    RequestId loadTraceAsync(const QString& messageId);  ///< answers with traceLoaded
    /// See ConversationStore::search; answers with searched. What still waits to be stored is not found yet.
    RequestId searchAsync(const QString& text);
    RequestId backUpAsync(const QString& path);  ///< answers with backedUp
    /// What the newest answers took, oldest first, at most `limit`; answers with figuresLoaded.
    RequestId loadFiguresAsync(int limit);
    /// Answers with restored and, when it worked, with opened as well. Nothing may be written on meanwhile: see to it that no
    /// answer is under way.
    RequestId restoreAsync(const QString& backup);
    /// Everything of a conversation, what waits to be written included; answers with archiveLoaded.
    RequestId loadArchiveAsync(const QString& conversationId);
    /// Answers with imported as soon as it is decided what is taken; all of it is then one write like any other.
    RequestId importAsync(const QList<ArchivedConversation>& conversations, ExistingChoice existing);

    // Writing. Times default to now.
    void createConversation(const ConversationRecord& record);
    void renameConversation(const QString& id, const QString& title);
    void setSystemPrompt(const QString& id, const QString& systemPrompt);
    void setControls(const QString& id, const ControlValues& controls);
    void setModelFolder(const QString& id, const QString& modelFolder);
    void setEngine(const QString& id, const QString& engine);
    void setDraft(const QString& id, const QString& draft);
    void setEdit(const QString& id, const QString& edited, const QString& edit);
    void deleteConversation(const QString& id);
    void restoreConversation(const QString& id);
    /// Removes for good what was deleted more than `olderThanMs` ago.
    void purgeDeleted(qint64 olderThanMs);
    /// A question, or a complete message from elsewhere. The first question becomes the title (see titleFromQuestion).
    void appendMessage(const MessageRecord& record);
    void beginAnswer(const MessageRecord& record);
    void updateAnswer(const AnswerUpdate& update);
    void finishAnswer(const AnswerUpdate& last, EndReason reason, const QString& error = {});
    /// Takes the conversation's newest answer out of it, to answer anew; it stays as an earlier version.
    void setAsideAnswer(const QString& messageId);
    void restoreAnswer(const QString& messageId);
    /// Shows the branch that ends with this message; empty: none.
    void chooseBranch(const QString& conversationId, const QString& leafId);
    /// An answer that ended is written on.
    void resumeAnswer(const QString& messageId);
    /// Any of the above as a value.
    void write(const StoreOperation& operation);

    /// Waits at most `timeoutMs` for everything to be stored; the history stays open.
    FlushReport flush(int timeoutMs);
    /// Waits at most `timeoutMs` for everything to be stored, then closes the history. When not all is stored, nothing is closed:
    /// the caller can ask the person, then wait again or quit.
    FlushReport flushAndClose(int timeoutMs);

signals:
    void opened(trefoil::RequestId id, const trefoil::OpenReport& report);
    void listLoaded(trefoil::RequestId id, const QList<trefoil::ConversationSummary>& list, const trefoil::StoreProblem& problem);
    void conversationLoaded(trefoil::RequestId id, const trefoil::ConversationRecord& conversation,
                            const QList<trefoil::MessageRecord>& messages, const trefoil::StoreProblem& problem,
                            const QList<trefoil::MessageRecord>& aside);
    /// With a problem, `trace` may hold the passes before the damage.
    void traceLoaded(trefoil::RequestId id, const QString& messageId, const trefoil::TraceView& trace,
                     const trefoil::StoreProblem& problem);
    void searched(trefoil::RequestId id, const trefoil::SearchResult& result, const trefoil::StoreProblem& problem);
    void backedUp(trefoil::RequestId id, const QString& path, const trefoil::StoreProblem& problem);
    void figuresLoaded(trefoil::RequestId id, const QList<trefoil::AnswerFigures>& figures, const trefoil::StoreProblem& problem);
    void restored(trefoil::RequestId id, const trefoil::RestoreReport& report);
    void archiveLoaded(trefoil::RequestId id, const trefoil::ArchivedConversation& conversation,
                       const trefoil::StoreProblem& problem);
    void imported(trefoil::RequestId id, const trefoil::ImportReport& report, const trefoil::StoreProblem& problem);
    /// `waiting` writes are kept in memory and tried again.
    void notSaved(const trefoil::StoreProblem& reason, int waiting);
    void saved();
    /// A write that can never succeed was left out (its conversation is gone, a damaged file).
    void writeRejected(const trefoil::StoreProblem& problem);

private:
    class Private;
    std::unique_ptr<Private> d;
};

}  // namespace trefoil
