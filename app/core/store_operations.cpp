#include "app/core/store_operations.h"

#include "app/core/message_branches.h"
#include "app/core/trace_store.h"

#include <QHash>

#include <algorithm>

namespace trefoil {

namespace {

/// Replaces the last operation by a newer one on the same conversation.
template <class T>
bool replaceSameId(StoreOperation* last, const StoreOperation& next) {
    auto* older = std::get_if<T>(last);
    const auto* newer = std::get_if<T>(&next);
    if (older == nullptr || newer == nullptr || older->id != newer->id) return false;
    *older = *newer;
    return true;
}

/// The newer answer with the passes of both.
AnswerUpdate joined(const AnswerUpdate& older, const AnswerUpdate& newer) {
    AnswerUpdate result = newer;
    if (newer.trace.passes.isEmpty()) {
        result.trace = older.trace;
    } else {
        result.trace.passes = older.trace.passes + newer.trace.passes;
    }
    return result;
}

/// Titles and dates of the list after the operations, in the order in which they were given.
class ListOverlay {
public:
    explicit ListOverlay(const QList<ConversationSummary>& list) : m_list(list) {
        for (qsizetype i = 0; i < m_list.size(); ++i) m_index.insert(m_list[i].id, i);
    }

    void operator()(const CreateConversation& op) {
        if (m_index.contains(op.record.id)) return;
        m_index.insert(op.record.id, m_list.size());
        m_list.append({op.record.id, op.record.title, op.record.createdUtc, op.record.updatedUtc});
    }
    void operator()(const RenameConversation& op) {
        if (auto* row = find(op.id)) row->title = op.title;
    }
    void operator()(const DeleteConversation& op) { m_deleted.insert(op.id); }
    void operator()(const RestoreConversation& op) { m_deleted.remove(op.id); }
    void operator()(const AppendMessage& op) {
        auto* row = find(op.record.conversationId);
        if (row == nullptr) return;
        row->updatedUtc = std::max(row->updatedUtc, op.record.createdUtc);
        if (row->title.isEmpty() && op.record.role == QLatin1String("user")) row->title = titleFromQuestion(op.record.content);
    }
    void operator()(const BeginAnswer& op) {
        if (auto* row = find(op.record.conversationId)) row->updatedUtc = std::max(row->updatedUtc, op.record.createdUtc);
    }
    void operator()(const ImportConversations& op) {
        for (const ArchivedConversation& c : op.conversations) {
            m_deleted.remove(c.record.id);
            (*this)(CreateConversation{c.record});
        }
    }
    template <class T>
    void operator()(const T&) {}  // changes nothing that the list shows

    [[nodiscard]] QList<ConversationSummary> result() const {
        QList<ConversationSummary> kept;
        for (const ConversationSummary& row : m_list) {
            if (!m_deleted.contains(row.id)) kept.append(row);
        }
        std::stable_sort(kept.begin(), kept.end(),
                         [](const ConversationSummary& a, const ConversationSummary& b) { return a.updatedUtc > b.updatedUtc; });
        return kept;
    }

private:
    ConversationSummary* find(const QString& id) {
        const auto it = m_index.constFind(id);
        return it == m_index.cend() ? nullptr : &m_list[*it];
    }

    QList<ConversationSummary> m_list;
    QHash<QString, qsizetype> m_index;
    QSet<QString> m_deleted;
};

/// One conversation after the operations.
class ConversationOverlay {
public:
    ConversationOverlay(const QString& id, ConversationRecord* record, QList<MessageRecord>* messages,
                        QList<MessageRecord>* aside)
        : m_id(id), m_record(record), m_messages(messages), m_aside(aside) {}

    void operator()(const CreateConversation& op) {
        if (op.record.id == m_id && m_record->id.isEmpty()) *m_record = op.record;
    }
    void operator()(const RenameConversation& op) {
        if (!concerns(op.id)) return;
        m_record->title = op.title;
        m_record->titleIsManual = !op.title.isEmpty();
    }
    void operator()(const SetSystemPrompt& op) {
        if (concerns(op.id)) m_record->systemPrompt = op.systemPrompt;
    }
    void operator()(const SetControls& op) {
        if (concerns(op.id)) m_record->controls = op.controls;
    }
    void operator()(const SetModelFolder& op) {
        if (concerns(op.id)) m_record->modelFolder = op.modelFolder;
    }
    void operator()(const SetEngine& op) {
        if (concerns(op.id)) m_record->engine = op.engine;
    }
    void operator()(const SetDraft& op) {
        if (concerns(op.id)) m_record->draft = op.draft;
    }
    void operator()(const SetEdit& op) {
        if (!concerns(op.id)) return;
        m_record->edited = op.edited;
        m_record->edit = op.edit;
    }
    void operator()(const AppendMessage& op) {
        if (!concerns(op.record.conversationId)) return;
        append(op.record);
        if (m_record->title.isEmpty() && op.record.role == QLatin1String("user")) {
            m_record->title = titleFromQuestion(op.record.content);
        }
    }
    void operator()(const BeginAnswer& op) {
        if (!concerns(op.record.conversationId)) return;
        append(op.record);
        m_messages->last().inProgress = true;
    }
    void operator()(const UpdateAnswer& op) {
        if (MessageRecord* message = find(op.update.messageId)) applyUpdate(op.update, message);
    }
    void operator()(const FinishAnswer& op) {
        MessageRecord* message = find(op.update.messageId);
        if (message == nullptr) return;
        applyUpdate(op.update, message);
        message->stopReason = op.reason;
        message->error = op.error;
        message->inProgress = false;
    }
    void operator()(const ImportConversations& op) {
        for (const ArchivedConversation& c : op.conversations) {
            if (c.record.id != m_id || !m_record->id.isEmpty()) continue;
            *m_record = c.record;
            for (const ArchivedMessage& entry : c.messages) m_aside->append(entry.message);
            chooseBranch(c.activeLeaf, m_messages, m_aside);
        }
    }
    void operator()(const SetAsideAnswer& op) {
        if (!m_messages->isEmpty() && m_messages->last().id == op.messageId) m_aside->append(m_messages->takeLast());
    }
    void operator()(const RestoreAnswer& op) {
        if (find(op.messageId) != nullptr) chooseBranch(op.messageId, m_messages, m_aside);
    }
    void operator()(const ChooseBranch& op) {
        if (concerns(op.conversationId)) chooseBranch(op.leafId, m_messages, m_aside);
    }
    void operator()(const ResumeAnswer& op) {
        MessageRecord* message = find(op.messageId);
        if (message == nullptr) return;
        message->inProgress = true;
        message->stopReason = EndReason::None;
        message->error.clear();
    }
    template <class T>
    void operator()(const T&) {}  // does not concern the contents

private:
    [[nodiscard]] bool concerns(const QString& id) const { return id == m_id && !m_record->id.isEmpty(); }
    void append(MessageRecord message) {
        if (message.parentId.isEmpty() && !m_messages->isEmpty()) message.parentId = m_messages->last().id;
        m_record->updatedUtc = std::max(m_record->updatedUtc, message.createdUtc);
        m_messages->append(message);
    }
    MessageRecord* find(const QString& id) {
        for (QList<MessageRecord>* list : {m_messages, m_aside}) {
            for (qsizetype i = list->size(); i-- > 0;) {
                if (list->at(i).id == id) return &(*list)[i];
            }
        }
        return nullptr;
    }

    QString m_id;
    ConversationRecord* m_record;
    QList<MessageRecord>* m_messages;
    QList<MessageRecord>* m_aside;
};

}  // namespace

bool mergeOperations(StoreOperation* last, const StoreOperation& next) {
    if (replaceSameId<SetDraft>(last, next) || replaceSameId<SetEdit>(last, next) || replaceSameId<SetControls>(last, next) ||
        replaceSameId<SetSystemPrompt>(last, next)) {
        return true;
    }
    auto* older = std::get_if<UpdateAnswer>(last);
    if (older == nullptr) return false;
    if (const auto* update = std::get_if<UpdateAnswer>(&next)) {
        if (older->update.messageId != update->update.messageId) return false;
        older->update = joined(older->update, update->update);
        return true;
    }
    if (const auto* finish = std::get_if<FinishAnswer>(&next)) {
        if (older->update.messageId != finish->update.messageId) return false;
        FinishAnswer merged = *finish;
        merged.update = joined(older->update, finish->update);
        *last = merged;
        return true;
    }
    return false;
}

void overlayOnList(const QList<StoreOperation>& operations, QList<ConversationSummary>* list) {
    ListOverlay overlay(*list);
    for (const StoreOperation& operation : operations) std::visit(overlay, operation);
    *list = overlay.result();
}

QSet<QString> restoredConversations(const QList<StoreOperation>& operations) {
    QSet<QString> ids;
    for (const StoreOperation& operation : operations) {
        if (const auto* restore = std::get_if<RestoreConversation>(&operation)) ids.insert(restore->id);
    }
    return ids;
}

void overlayOnConversation(const QList<StoreOperation>& operations, const QString& id, ConversationRecord* conversation,
                           QList<MessageRecord>* messages, QList<MessageRecord>* aside) {
    ConversationOverlay overlay(id, conversation, messages, aside);
    for (const StoreOperation& operation : operations) std::visit(overlay, operation);
}

void overlayOnTrace(const QList<StoreOperation>& operations, const QString& messageId, TraceView* trace) {
    for (const StoreOperation& operation : operations) {
        if (const auto* import = std::get_if<ImportConversations>(&operation)) {
            for (const ArchivedConversation& c : import->conversations)
                for (const ArchivedMessage& entry : c.messages)
                    if (entry.message.id == messageId && trace->passes.isEmpty()) *trace = unpackTraces(entry.trace).value;
            continue;
        }
        const AnswerUpdate* update = nullptr;
        if (const auto* further = std::get_if<UpdateAnswer>(&operation)) update = &further->update;
        if (const auto* finish = std::get_if<FinishAnswer>(&operation)) update = &finish->update;
        if (update == nullptr || update->messageId != messageId || update->trace.passes.isEmpty()) continue;
        if (trace->passes.isEmpty()) {
            *trace = update->trace;
        } else {
            trace->passes += update->trace.passes;
        }
    }
}

void applyUpdate(const AnswerUpdate& update, MessageRecord* message) {
    message->content = update.content;
    message->thinking = update.thinking;
    message->hasThinking = update.hasThinking;
    message->thinkingClosed = update.thinkingClosed;
    message->responseIds = update.responseIds;
    message->stats = update.stats;
}

}  // namespace trefoil
