// Conversations on their way into or out of the history: complete, with every version, every pass and the choice of the branch.
#pragma once

#include "app/core/store_types.h"

#include <QByteArray>
#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

namespace trefoil {

struct ArchivedMessage {
    MessageRecord message;
    QList<QByteArray> trace;  ///< packed pieces in order (see trace_store.h)
    bool operator==(const ArchivedMessage&) const = default;
};

struct ArchivedConversation {
    ConversationRecord record;
    QString activeLeaf;               ///< the last message of the branch on show; empty: none
    QList<ArchivedMessage> messages;  ///< a parent stands before what follows it
    bool operator==(const ArchivedConversation&) const = default;
};

/// What becomes of a conversation that the history has already.
enum class ExistingChoice : quint8 {
    LeaveOut,  ///< it stays as it is
    AddCopy,   ///< a copy with other ids is added, its title marked
    OnlyCopy,  ///< the same, and nothing else of the file is taken
};

struct ImportReport {
    int added = 0;
    int copies = 0;       ///< of them marked copies
    int alreadyHere = 0;  ///< left as they were
    QString first;        ///< id of the first that was added
    QStringList ignored;  ///< names of fields that this program does not know, each once
    bool operator==(const ImportReport&) const = default;
};

/// New ids for the conversation and its messages, and a title that says that it is a copy.
ArchivedConversation markedCopy(const ArchivedConversation& conversation);

/// Brings messages into the order of writing, each after its parent; the same for the same messages.
void sortForArchive(QList<ArchivedMessage>* messages);

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::ArchivedConversation)
Q_DECLARE_METATYPE(trefoil::ImportReport)
