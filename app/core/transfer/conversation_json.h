// Conversations as JSON: Trefoil's own complete form (docs/conversation-json.md) and, for reading, the common list of messages
// with role and content. A broken file is refused as a whole, with the line and the field.
#pragma once

#include "app/core/transfer/archive_types.h"

#include <QByteArray>
#include <QDateTime>
#include <QStringList>

#include <functional>

namespace trefoil {

/// "format" of the files; "version" is the highest that this program reads, and the one that it writes.
inline const QString kArchiveFormat = QStringLiteral("trefoil-conversations");
constexpr int kArchiveVersion = 1;
/// Larger files are refused before they are read.
constexpr qint64 kLargestArchive = qint64{1} << 30;

/// A file is the head, the conversations with a separator between them, and the tail: nothing has to be in memory at once.
QByteArray archiveHead(const QDateTime& exportedUtc);
QByteArray archiveSeparator();
QByteArray archiveTail();
/// Depends on the conversation only. An answer that is being written is kept as far as it is there, as an interrupted one.
QByteArray conversationToJson(const ArchivedConversation& conversation);

struct ArchiveReading {
    /// For messages without a time.
    QDateTime nowUtc;
    /// What is wrong with a control's value; empty: nothing (see controlProblem). Not called for names that are not the engine's.
    std::function<QString(const QString& name, const QVariant& value)> controlProblem;
    /// Asked now and then; true ends the reading.
    std::function<bool()> cancelled;
};

struct ConversationArchive {
    QList<ArchivedConversation> conversations;
    QStringList ignored;  ///< names of unknown fields, each once
};

/// Ids of files without ids follow from their texts, so that the same file gives the same ids. Problems are of the kind Invalid.
StoreResult<ConversationArchive> readConversationJson(const QByteArray& bytes, const ArchiveReading& reading);

}  // namespace trefoil
