#include "app/core/transfer/archive_types.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <set>

namespace trefoil {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Archive)
};

bool older(const ArchivedMessage& a, const ArchivedMessage& b) {
    return a.message.createdUtc != b.message.createdUtc ? a.message.createdUtc < b.message.createdUtc
                                                        : a.message.id < b.message.id;
}

}  // namespace

ArchivedConversation markedCopy(const ArchivedConversation& conversation) {
    ArchivedConversation copy = conversation;
    const QString title = conversation.record.title;
    copy.record.id = newRecordId();
    copy.record.title = title.isEmpty() ? Text::tr("Copy") : Text::tr("%1 (copy)").arg(title);
    copy.record.titleIsManual = true;
    QHash<QString, QString> ids;
    for (ArchivedMessage& entry : copy.messages) {
        const QString id = newRecordId();
        ids.insert(entry.message.id, id);
        entry.message.id = id;
        entry.message.conversationId = copy.record.id;
    }
    for (ArchivedMessage& entry : copy.messages) entry.message.parentId = ids.value(entry.message.parentId);
    copy.activeLeaf = ids.value(conversation.activeLeaf);
    copy.record.edited = ids.value(conversation.record.edited);
    return copy;
}

void sortForArchive(QList<ArchivedMessage>* messages) {
    std::sort(messages->begin(), messages->end(), older);
    QHash<QString, qsizetype> index;
    for (qsizetype i = 0; i < messages->size(); ++i) index.insert(messages->at(i).message.id, i);
    QHash<QString, QList<qsizetype>> children;
    std::set<qsizetype> next;
    for (qsizetype i = 0; i < messages->size(); ++i) {
        const QString parent = messages->at(i).message.parentId;
        if (index.contains(parent)) {
            children[parent].append(i);
        } else {
            next.insert(i);
        }
    }
    // As a rule a child is younger than its parent and nothing moves; a clock that was set back must not break the order.
    QList<ArchivedMessage> sorted;
    sorted.reserve(messages->size());
    while (!next.empty()) {
        const qsizetype i = *next.begin();
        next.erase(next.begin());
        sorted.append(messages->at(i));
        for (const qsizetype child : children.take(messages->at(i).message.id)) next.insert(child);
    }
    *messages = sorted;
}

}  // namespace trefoil
