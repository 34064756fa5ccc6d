// Every change of the history as a value: it can wait in a queue, be retried after a failure, and be shown before it is stored.
#pragma once

#include "app/core/store_types.h"
#include "app/core/transfer/archive_types.h"

#include <QSet>

#include <variant>

namespace trefoil {

struct CreateConversation {
    ConversationRecord record;
};
/// An empty title gives the title back to the first question.
struct RenameConversation {
    QString id;
    QString title;
};
struct SetSystemPrompt {
    QString id;
    QString systemPrompt;
};
struct SetControls {
    QString id;
    ControlValues controls;
};
struct SetModelFolder {
    QString id;
    QString modelFolder;
};
/// What answers the conversation: EngineIdentity::id.
struct SetEngine {
    QString id;
    QString engine;
};
struct SetDraft {
    QString id;
    QString draft;
};
/// A further version of a question, as far as it is written; an empty `edited`: none.
struct SetEdit {
    QString id;
    QString edited;
    QString edit;
};
/// Hides it; the rows stay until PurgeDeleted.
struct DeleteConversation {
    QString id;
    QDateTime atUtc;
};
struct RestoreConversation {
    QString id;
};
/// Removes for good what was deleted before this moment.
struct PurgeDeleted {
    QDateTime beforeUtc;
};
/// A complete message. Its parent is the conversation's newest message unless `parentId` is set.
struct AppendMessage {
    MessageRecord record;
};
/// A row for an answer that is about to be written.
struct BeginAnswer {
    MessageRecord record;
};
struct UpdateAnswer {
    AnswerUpdate update;
};
struct FinishAnswer {
    AnswerUpdate update;
    EndReason reason = EndReason::End;
    QString error;
};
/// Takes the newest message out of the conversation before it is answered anew. The row stays as an earlier version.
struct SetAsideAnswer {
    QString messageId;
};
/// Shows another branch: `leafId` becomes the newest message; empty: none is left, the next one begins the conversation anew.
struct ChooseBranch {
    QString conversationId;
    QString leafId;
};
/// An answer that ended is written on: further updates and a FinishAnswer follow.
struct ResumeAnswer {
    QString messageId;
};
/// Makes the message the newest of its conversation again.
struct RestoreAnswer {
    QString messageId;
};

/// Whole conversations from a file, all in one transaction. Those that are there already stay as they are, hidden ones are
/// replaced.
struct ImportConversations {
    QList<ArchivedConversation> conversations;
};

using StoreOperation =
    std::variant<CreateConversation, RenameConversation, SetSystemPrompt, SetControls, SetModelFolder, SetEngine, SetDraft,
                 SetEdit, DeleteConversation, RestoreConversation, PurgeDeleted, AppendMessage, BeginAnswer, UpdateAnswer,
                 FinishAnswer, SetAsideAnswer, ChooseBranch, ResumeAnswer, RestoreAnswer, ImportConversations>;

/// Joins `next` into `last` when one write then does for both (a newer draft, further blocks of one answer). False: keep both.
bool mergeOperations(StoreOperation* last, const StoreOperation& next);

/// Applies waiting operations to a list read from the store, so that the window sees its own changes. `list` also holds the
/// deleted conversations that are to be restored (see restoredConversations). Newest first afterwards.
void overlayOnList(const QList<StoreOperation>& operations, QList<ConversationSummary>* list);
/// Conversations that a waiting operation brings back.
QSet<QString> restoredConversations(const QList<StoreOperation>& operations);
/// The same for one conversation and its messages, those of the branch on show and those `aside` of it; `conversation` has an
/// empty id while the store does not know it.
void overlayOnConversation(const QList<StoreOperation>& operations, const QString& id, ConversationRecord* conversation,
                           QList<MessageRecord>* messages, QList<MessageRecord>* aside);

/// The passes that wait for the message, after those that the store has.
void overlayOnTrace(const QList<StoreOperation>& operations, const QString& messageId, TraceView* trace);

/// The message after an update (without the trace, which is kept apart).
void applyUpdate(const AnswerUpdate& update, MessageRecord* message);

}  // namespace trefoil
