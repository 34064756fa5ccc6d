// The history's statements: operations to rows, rows to records. Internal to ConversationStore.
#pragma once

#include "app/core/store_lock.h"
#include "app/core/store_operations.h"
#include "app/core/store_types.h"

#include <QByteArray>
#include <QList>
#include <QSet>
#include <QSqlDatabase>

namespace trefoil::rows {

/// Writes one operation inside the caller's transaction. `writer` goes into the rows of answers in progress.
StoreProblem write(const QSqlDatabase& database, const StoreOperation& operation, qint64 writer);

StoreResult<QList<ConversationSummary>> readList(const QSqlDatabase& database, const QSet<QString>& alsoDeleted);
StoreResult<ConversationRecord> readConversation(const QSqlDatabase& database, const QString& id);
/// The branch on show, or all messages that are not in it.
enum class Branch : quint8 { Shown, Aside };
StoreResult<QList<MessageRecord>> readMessages(const QSqlDatabase& database, const QString& conversationId, const StoreLock& lock,
                                               Branch which);
/// The packed trace pieces of a message, in order.
StoreResult<QList<QByteArray>> readTracePieces(const QSqlDatabase& database, const QString& messageId);
/// The figures of the newest answers, oldest first; at most `limit`.
StoreResult<QList<AnswerFigures>> readFigures(const QSqlDatabase& database, int limit);
/// Whether the history has the conversation, not hidden, or one of its messages in another conversation.
StoreResult<bool> isHere(const QSqlDatabase& database, const ArchivedConversation& conversation);

}  // namespace trefoil::rows
