// Branches of a conversation: messages form a tree by their parents; one path from its root is on show, the rest is aside.
#pragma once

#include "app/core/store_types.h"

#include <QHash>
#include <QList>
#include <QString>
#include <QStringList>

namespace trefoil {

/// Puts the path from the root to `leafId` into `branch`, oldest first, and everything else into `aside`. An empty id empties the
/// branch; with an unknown one nothing changes.
void chooseBranch(const QString& leafId, QList<MessageRecord>* branch, QList<MessageRecord>* aside);

/// The newest message below `id`, going from each message to its newest answer or question; `id` itself when nothing follows it.
QString newestLeaf(const QString& id, const QList<MessageRecord>& branch, const QList<MessageRecord>& aside);

/// Which messages are versions of each other: same parent and role, oldest first.
class MessageVersions {
public:
    MessageVersions() = default;
    MessageVersions(const QList<MessageRecord>& branch, const QList<MessageRecord>& aside);
    /// The newest of all.
    void add(const MessageRecord& message);
    /// The ids of its versions, itself included.
    [[nodiscard]] QStringList of(const MessageRecord& message) const { return m_ids.value(key(message)); }

private:
    static QString key(const MessageRecord& message) { return message.parentId + QLatin1Char('/') + message.role; }
    QHash<QString, QStringList> m_ids;
};

}  // namespace trefoil
