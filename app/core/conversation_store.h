// The history: conversations, messages and traces in one SQLite file. Synchronous and bound to the thread that opened it; the
// window uses StoreWorker instead.
//
// Promises: a change that apply() reported as stored survives the end of the process and of the machine (WAL, synchronous=FULL);
// a file that cannot be used is left as it is; an answer whose writer ended is given as interrupted.
#pragma once

#include "app/core/search_query.h"
#include "app/core/store_operations.h"
#include "app/core/store_types.h"

#include <QCoreApplication>
#include <QSet>
#include <QString>

#include <memory>

namespace trefoil {

class ConversationStore {
    Q_DECLARE_TR_FUNCTIONS(ConversationStore)
public:
    ConversationStore();
    ~ConversationStore();
    ConversationStore(const ConversationStore&) = delete;
    ConversationStore& operator=(const ConversationStore&) = delete;

    /// Opens or creates the file; migrates an older one after copying it. Closes what was open.
    OpenReport open(const QString& path);
    /// Creates a file with date and time in its name beside `path`, which is left alone, and opens it.
    OpenReport openFresh(const QString& path);
    /// A history in memory that ends with the program.
    OpenReport openTemporary();
    void close();
    [[nodiscard]] bool isOpen() const;
    [[nodiscard]] QString path() const;

    /// One change, in one transaction: stored, or nothing changed. An unknown id gives NotFound; doing CreateConversation,
    /// AppendMessage or BeginAnswer again with the same id changes nothing and succeeds.
    StoreProblem apply(const StoreOperation& operation);

    /// Newest first, without the deleted ones except those in `alsoDeleted`.
    StoreResult<QList<ConversationSummary>> list(const QSet<QString>& alsoDeleted = {});
    /// Also a deleted one. NotFound when there is no such conversation.
    StoreResult<ConversationRecord> conversation(const QString& id);
    /// The active branch, oldest first. Answers of ended writers come as Interrupted.
    StoreResult<QList<MessageRecord>> messages(const QString& conversationId);
    /// Every message that is not in the active branch: earlier versions and what followed them. In the order of writing.
    StoreResult<QList<MessageRecord>> messagesAside(const QString& conversationId);
    /// The whole trace of an answer; without passes when none was kept.
    StoreResult<TraceView> trace(const QString& messageId);
    /// What the newest answers took, oldest first; at most `limit`.
    StoreResult<QList<AnswerFigures>> figures(int limit);
    /// The packed trace of an answer, in pieces.
    StoreResult<QList<QByteArray>> tracePieces(const QString& messageId);
    /// Whether a conversation of a file is here already, or one of its messages in another conversation. A hidden one is not.
    StoreResult<bool> isHere(const ArchivedConversation& conversation);
    /// Finished messages that satisfy parseSearch(text), at most 200 conversations. Titles are not looked at but for `title:`.
    StoreResult<SearchResult> search(const QString& text);
    /// A copy with everything that is stored so far, usable on its own.
    StoreProblem backUp(const QString& path);
    /// Puts what a backup holds in the place of this history, file and log together, and opens it. The history that was open is
    /// kept beside it. On failure it is open again as it was.
    RestoreReport restore(const QString& backup);

    /// Limits the file to this many pages of 4,096 bytes: a full disk at will, for tests.
    StoreProblem setPageLimit(int pages);

private:
    class Private;
    std::unique_ptr<Private> d;
};

}  // namespace trefoil
