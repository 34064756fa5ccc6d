#include "app/core/message_branches.h"

#include <QSet>

#include <algorithm>

namespace trefoil {
namespace {

bool older(const MessageRecord& a, const MessageRecord& b) {
    return a.createdUtc != b.createdUtc ? a.createdUtc < b.createdUtc : a.id < b.id;
}

}  // namespace

void chooseBranch(const QString& leafId, QList<MessageRecord>* branch, QList<MessageRecord>* aside) {
    const QList<MessageRecord> all = *branch + *aside;
    QHash<QString, qsizetype> index;
    for (qsizetype i = 0; i < all.size(); ++i) index.insert(all[i].id, i);
    if (!leafId.isEmpty() && !index.contains(leafId)) return;
    QList<MessageRecord> path;
    QSet<QString> onPath;
    // A circle of parents, which only damage can make, ends the walk.
    for (QString id = leafId; index.contains(id) && !onPath.contains(id); id = all[index.value(id)].parentId) {
        onPath.insert(id);
        path.prepend(all[index.value(id)]);
    }
    QList<MessageRecord> rest;
    for (const MessageRecord& message : all)
        if (!onPath.contains(message.id)) rest.append(message);
    *branch = path;
    *aside = rest;
}

QString newestLeaf(const QString& id, const QList<MessageRecord>& branch, const QList<MessageRecord>& aside) {
    QHash<QString, const MessageRecord*> newest;  // by parent
    for (const QList<MessageRecord>* list : {&branch, &aside}) {
        for (const MessageRecord& message : *list) {
            const MessageRecord*& child = newest[message.parentId];
            if (child == nullptr || older(*child, message)) child = &message;
        }
    }
    QString leaf = id;
    QSet<QString> seen;
    while (const MessageRecord* child = newest.value(leaf)) {
        if (seen.contains(child->id)) break;
        seen.insert(child->id);
        leaf = child->id;
    }
    return leaf;
}

MessageVersions::MessageVersions(const QList<MessageRecord>& branch, const QList<MessageRecord>& aside) {
    QList<MessageRecord> all = branch + aside;
    std::sort(all.begin(), all.end(), older);
    for (const MessageRecord& message : std::as_const(all)) add(message);
}

void MessageVersions::add(const MessageRecord& message) {
    QStringList& ids = m_ids[key(message)];
    if (!ids.contains(message.id)) ids.append(message.id);
}

}  // namespace trefoil
