#include "app/core/store_rows.h"

#include "app/core/store_schema.h"
#include "app/core/trace_store.h"

#include <QCoreApplication>
#include <QSqlQuery>
#include <QtEndian>

#include <algorithm>

namespace trefoil::rows {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConversationStore)
};

qint64 toMs(const QDateTime& time) { return time.isValid() ? time.toMSecsSinceEpoch() : 0; }
QDateTime fromMs(const QVariant& value) { return QDateTime::fromMSecsSinceEpoch(value.toLongLong(), Qt::UTC); }

/// A null QString would be stored as NULL, which the columns refuse.
QString text(const QString& value) { return value.isNull() ? QStringLiteral("") : value; }
QVariant textOrNull(const QString& value) { return value.isEmpty() ? QVariant() : QVariant(value); }
/// JSON columns are TEXT.
QString json(const QByteArray& value) { return QString::fromUtf8(value); }

QByteArray packIds(const QList<qint32>& ids) {
    QByteArray bytes(ids.size() * 4, Qt::Uninitialized);
    for (qsizetype i = 0; i < ids.size(); ++i) qToLittleEndian(ids[i], bytes.data() + 4 * i);
    return bytes;
}

QList<qint32> unpackIds(const QByteArray& bytes) {
    QList<qint32> ids(bytes.size() / 4);
    for (qsizetype i = 0; i < ids.size(); ++i) ids[i] = qFromLittleEndian<qint32>(bytes.constData() + 4 * i);
    return ids;
}

StoreProblem noSuch(const QString& what, const QString& id) {
    return {StoreProblemKind::NotFound, Text::tr("The history has no %1 “%2”.").arg(what, id),
            Text::tr("It may have been removed by another window.")};
}

/// One operation's statements. Every operator() returns the first problem.
class OperationWriter {
public:
    OperationWriter(const QSqlDatabase& database, qint64 writer) : m_database(database), m_writer(writer) {}

    StoreProblem operator()(const CreateConversation& op) {
        const ConversationRecord& record = op.record;
        return run(
            QStringLiteral("INSERT INTO conversations(id, title, title_is_manual, created_utc, updated_utc, system_prompt, "
                           "controls, model_folder, draft, engine, edited, edit) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                           "ON CONFLICT(id) DO NOTHING"),
            {record.id, text(record.title), record.titleIsManual, toMs(record.createdUtc),
             toMs(std::max(record.createdUtc, record.updatedUtc)), text(record.systemPrompt),
             json(controlsToJson(record.controls)), text(record.modelFolder), text(record.draft), text(record.engine),
             text(record.edited), text(record.edit)});
    }
    StoreProblem operator()(const RenameConversation& op) {
        return runOne(QStringLiteral("UPDATE conversations SET title = ?, title_is_manual = ? WHERE id = ?"),
                      {text(op.title), !op.title.isEmpty(), op.id});
    }
    StoreProblem operator()(const SetSystemPrompt& op) {
        return runOne(QStringLiteral("UPDATE conversations SET system_prompt = ? WHERE id = ?"), {text(op.systemPrompt), op.id});
    }
    StoreProblem operator()(const SetControls& op) {
        return runOne(QStringLiteral("UPDATE conversations SET controls = ? WHERE id = ?"),
                      {json(controlsToJson(op.controls)), op.id});
    }
    StoreProblem operator()(const SetModelFolder& op) {
        return runOne(QStringLiteral("UPDATE conversations SET model_folder = ? WHERE id = ?"), {text(op.modelFolder), op.id});
    }
    StoreProblem operator()(const SetEngine& op) {
        return runOne(QStringLiteral("UPDATE conversations SET engine = ? WHERE id = ?"), {text(op.engine), op.id});
    }
    StoreProblem operator()(const SetDraft& op) {
        return runOne(QStringLiteral("UPDATE conversations SET draft = ? WHERE id = ?"), {text(op.draft), op.id});
    }
    StoreProblem operator()(const SetEdit& op) {
        return runOne(QStringLiteral("UPDATE conversations SET edited = ?, edit = ? WHERE id = ?"),
                      {text(op.edited), text(op.edit), op.id});
    }
    StoreProblem operator()(const DeleteConversation& op) {
        return runOne(QStringLiteral("UPDATE conversations SET deleted_at = ? WHERE id = ?"), {toMs(op.atUtc), op.id});
    }
    StoreProblem operator()(const RestoreConversation& op) {
        return runOne(QStringLiteral("UPDATE conversations SET deleted_at = NULL WHERE id = ?"), {op.id});
    }
    StoreProblem operator()(const PurgeDeleted& op) {
        // Messages and traces go with their conversation (ON DELETE CASCADE).
        const StoreProblem problem = run(
            QStringLiteral("DELETE FROM conversations WHERE deleted_at IS NOT NULL AND deleted_at < ?"), {toMs(op.beforeUtc)});
        if (!problem.ok()) return problem;
        const StoreResult<QVariant> changed = schema::single(m_database, QStringLiteral("SELECT changes()"));
        if (!changed.ok() || changed.value.toInt() == 0) return changed.problem;
        return schema::forgetRemoved(m_database);
    }
    StoreProblem operator()(const AppendMessage& op) {
        const StoreProblem problem = insert(op.record, false);
        if (!problem.ok() || op.record.role != QLatin1String("user")) return problem;
        return run(QStringLiteral("UPDATE conversations SET title = ? WHERE id = ? AND title = '' AND title_is_manual = 0"),
                   {titleFromQuestion(op.record.content), op.record.conversationId});
    }
    StoreProblem operator()(const BeginAnswer& op) { return insert(op.record, true); }
    StoreProblem operator()(const UpdateAnswer& op) { return update(op.update); }
    StoreProblem operator()(const FinishAnswer& op) {
        const StoreProblem problem = update(op.update);
        if (!problem.ok()) return problem;
        return runOne(QStringLiteral("UPDATE messages SET in_progress = 0, stop_reason = ?, error = ? WHERE id = ?"),
                      {endReasonName(op.reason), text(op.error), op.update.messageId});
    }
    StoreProblem operator()(const SetAsideAnswer& op) {
        // Nothing to do when it is not the newest any more.
        return run(QStringLiteral("UPDATE conversations SET active_leaf = (SELECT parent_id FROM messages WHERE id = ?) "
                                  "WHERE active_leaf = ?"),
                   {op.messageId, op.messageId});
    }
    StoreProblem operator()(const ChooseBranch& op) {
        const StoreProblem problem =
            run(QStringLiteral("UPDATE conversations SET active_leaf = ? WHERE id = ? AND (? IS NULL OR "
                               "EXISTS (SELECT 1 FROM messages WHERE id = ? AND conversation_id = ?))"),
                {textOrNull(op.leafId), op.conversationId, textOrNull(op.leafId), textOrNull(op.leafId), op.conversationId});
        return problem.ok() ? mustHaveChanged(op.leafId.isEmpty() ? op.conversationId : op.leafId) : problem;
    }
    StoreProblem operator()(const ResumeAnswer& op) {
        return runOne(
            QStringLiteral("UPDATE messages SET in_progress = 1, writer = ?, stop_reason = 'none', error = '' WHERE id = ?"),
            {m_writer, op.messageId});
    }
    StoreProblem operator()(const RestoreAnswer& op) {
        return runOne(QStringLiteral("UPDATE conversations SET active_leaf = ? "
                                     "WHERE id = (SELECT conversation_id FROM messages WHERE id = ?)"),
                      {op.messageId, op.messageId});
    }

    StoreProblem operator()(const ImportConversations& op) {
        for (const ArchivedConversation& conversation : op.conversations)
            if (const StoreProblem problem = insert(conversation); !problem.ok()) return problem;
        return {};
    }

private:
    StoreProblem run(const QString& statement, const QVariantList& values) {
        return schema::execute(m_database, statement, values);
    }
    /// The last value is the id of the row that must be there.
    StoreProblem runOne(const QString& statement, const QVariantList& values) {
        const StoreProblem problem = run(statement, values);
        return problem.ok() ? mustHaveChanged(values.last().toString()) : problem;
    }
    StoreProblem mustHaveChanged(const QString& id) {
        const StoreResult<QVariant> changed = schema::single(m_database, QStringLiteral("SELECT changes()"));
        if (!changed.ok()) return changed.problem;
        if (changed.value.toInt() == 0) return noSuch(Text::tr("entry"), id);
        return {};
    }

    StoreProblem insert(const MessageRecord& record, bool inProgress) {
        const StoreResult<QVariant> known =
            schema::single(m_database, QStringLiteral("SELECT 1 FROM messages WHERE id = ?"), {record.id});
        if (!known.ok() || known.value.isValid()) return known.problem;
        if (record.id.isEmpty()) {
            return {StoreProblemKind::Invalid, Text::tr("A message without an id cannot be stored."),
                    Text::tr("Please report this.")};
        }
        const StoreResult<QVariant> exists =
            schema::single(m_database, QStringLiteral("SELECT 1 FROM conversations WHERE id = ?"), {record.conversationId});
        if (!exists.ok()) return exists.problem;
        if (!exists.value.isValid()) return noSuch(Text::tr("conversation"), record.conversationId);
        QVariant parent = textOrNull(record.parentId);
        if (record.parentId.isEmpty()) {
            const StoreResult<QVariant> leaf = schema::single(
                m_database, QStringLiteral("SELECT active_leaf FROM conversations WHERE id = ?"), {record.conversationId});
            if (!leaf.ok()) return leaf.problem;
            parent = leaf.value;
        }
        if (const StoreProblem problem = insertRow(record, parent, inProgress); !problem.ok()) return problem;
        return run(QStringLiteral("UPDATE conversations SET active_leaf = ?, updated_utc = max(updated_utc, ?) WHERE id = ?"),
                   {record.id, toMs(record.createdUtc), record.conversationId});
    }

    StoreProblem insertRow(const MessageRecord& record, const QVariant& parent, bool inProgress) {
        return run(
            QStringLiteral("INSERT INTO messages(id, conversation_id, parent_id, role, content, thinking, has_thinking, "
                           "thinking_closed, response_ids, in_progress, writer, stop_reason, error, stats, created_utc, model, "
                           "settings) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
            {record.id, record.conversationId, parent, text(record.role), text(record.content), text(record.thinking),
             record.hasThinking, record.thinkingClosed, packIds(record.responseIds), inProgress,
             inProgress ? m_writer : qint64{0}, endReasonName(record.stopReason), text(record.error),
             json(statsToJson(record.stats)), toMs(record.createdUtc), text(record.model),
             json(controlsToJson(record.settings))});
    }

    /// A conversation from a file. Nothing is inserted when it is there already.
    StoreProblem insert(const ArchivedConversation& conversation) {
        const QString& id = conversation.record.id;
        StoreProblem problem = run(QStringLiteral("DELETE FROM conversations WHERE id = ? AND deleted_at IS NOT NULL"), {id});
        if (!problem.ok()) return problem;
        const StoreResult<bool> here = isHere(m_database, conversation);
        if (!here.ok() || here.value) return here.problem;
        problem = (*this)(CreateConversation{conversation.record});
        for (const ArchivedMessage& entry : conversation.messages) {
            if (!problem.ok()) return problem;
            problem = insertRow(entry.message, textOrNull(entry.message.parentId), false);
            if (problem.ok()) problem = insertTrace(entry.message.id, entry.trace);
        }
        if (!problem.ok()) return problem;
        return run(QStringLiteral("UPDATE conversations SET active_leaf = ? WHERE id = ?"),
                   {textOrNull(conversation.activeLeaf), id});
    }

    StoreProblem insertTrace(const QString& messageId, const QList<QByteArray>& pieces) {
        for (const QByteArray& piece : pieces) {
            const StoreProblem problem =
                run(QStringLiteral("INSERT INTO traces(message_id, data) VALUES(?, ?)"), {messageId, piece});
            if (!problem.ok()) return problem;
        }
        return {};
    }

    StoreProblem update(const AnswerUpdate& answer) {
        const StoreProblem problem =
            runOne(QStringLiteral(
                       "UPDATE messages SET content = ?, thinking = ?, has_thinking = ?, thinking_closed = ?, response_ids = ?, "
                       "stats = ? WHERE id = ?"),
                   {text(answer.content), text(answer.thinking), answer.hasThinking, answer.thinkingClosed,
                    packIds(answer.responseIds), json(statsToJson(answer.stats)), answer.messageId});
        if (!problem.ok() || answer.trace.passes.isEmpty()) return problem;
        return insertTrace(answer.messageId, packTrace(answer.trace));
    }

    QSqlDatabase m_database;
    qint64 m_writer;
};

/// Runs a reading query; calls `row` for each row.
template <class F>
StoreProblem select(const QSqlDatabase& database, const QString& statement, const QVariantList& values, F row) {
    QSqlQuery query(database);
    query.setForwardOnly(true);
    bool ok = query.prepare(statement);
    if (ok) {
        for (const QVariant& value : values) query.addBindValue(value);
        ok = query.exec();
    }
    while (ok && query.next()) row(query);
    if (!query.lastError().isValid()) return {};
    const QString what = Text::tr("The history could not be read");
    return schema::problemFrom(query.lastError(), what);
}

}  // namespace

StoreProblem write(const QSqlDatabase& database, const StoreOperation& operation, qint64 writer) {
    return std::visit(OperationWriter(database, writer), operation);
}

StoreResult<QList<ConversationSummary>> readList(const QSqlDatabase& database, const QSet<QString>& alsoDeleted) {
    StoreResult<QList<ConversationSummary>> result;
    const QString columns = QStringLiteral("SELECT id, title, created_utc, updated_utc FROM conversations ");
    const auto add = [&result](const QSqlQuery& query) {
        result.value.append(
            {query.value(0).toString(), query.value(1).toString(), fromMs(query.value(2)), fromMs(query.value(3))});
    };
    result.problem =
        select(database, columns + QStringLiteral("WHERE deleted_at IS NULL ORDER BY updated_utc DESC, seq DESC"), {}, add);
    for (const QString& id : alsoDeleted) {
        if (!result.ok()) break;
        result.problem = select(database, columns + QStringLiteral("WHERE deleted_at IS NOT NULL AND id = ?"), {id}, add);
    }
    return result;
}

StoreResult<ConversationRecord> readConversation(const QSqlDatabase& database, const QString& id) {
    StoreResult<ConversationRecord> result;
    result.problem =
        select(database,
               QStringLiteral("SELECT id, title, title_is_manual, created_utc, updated_utc, system_prompt, controls, "
                              "model_folder, draft, engine, edited, edit FROM conversations WHERE id = ?"),
               {id}, [&result](const QSqlQuery& query) {
                   ConversationRecord& record = result.value;
                   record.id = query.value(0).toString();
                   record.title = query.value(1).toString();
                   record.titleIsManual = query.value(2).toBool();
                   record.createdUtc = fromMs(query.value(3));
                   record.updatedUtc = fromMs(query.value(4));
                   record.systemPrompt = query.value(5).toString();
                   controlsFromJson(query.value(6).toString().toUtf8(), &record.controls);
                   record.modelFolder = query.value(7).toString();
                   record.draft = query.value(8).toString();
                   record.engine = query.value(9).toString();
                   record.edited = query.value(10).toString();
                   record.edit = query.value(11).toString();
               });
    if (result.ok() && result.value.id.isEmpty()) result.problem = noSuch(Text::tr("conversation"), id);
    return result;
}

StoreResult<QList<MessageRecord>> readMessages(const QSqlDatabase& database, const QString& conversationId, const StoreLock& lock,
                                               Branch which) {
    StoreResult<QList<MessageRecord>> result;
    // From the newest message of the branch up to the first. UNION (not ALL) ends a circle that only damage can make.
    const QString statement = QStringLiteral(
        "WITH RECURSIVE branch(id) AS (SELECT active_leaf FROM conversations WHERE id = ? UNION "
        "SELECT m.parent_id FROM messages m JOIN branch b ON m.id = b.id WHERE m.parent_id IS NOT NULL) "
        "SELECT m.id, conversation_id, parent_id, role, content, thinking, has_thinking, thinking_closed, response_ids, "
        "in_progress, "
        "writer, stop_reason, error, stats, created_utc, model, settings FROM ");
    const bool shown = which == Branch::Shown;
    const QString rows = shown ? QStringLiteral("branch JOIN messages m ON m.id = branch.id ORDER BY m.seq")
                               : QStringLiteral(
                                     "messages m WHERE m.conversation_id = ? AND NOT EXISTS "
                                     "(SELECT 1 FROM branch b WHERE b.id = m.id) ORDER BY m.seq");
    const QVariantList values = shown ? QVariantList{conversationId} : QVariantList{conversationId, conversationId};
    result.problem = select(database, statement + rows, values, [&result, &lock](const QSqlQuery& query) {
        MessageRecord record;
        record.id = query.value(0).toString();
        record.conversationId = query.value(1).toString();
        record.parentId = query.value(2).toString();
        record.role = query.value(3).toString();
        record.content = query.value(4).toString();
        record.thinking = query.value(5).toString();
        record.hasThinking = query.value(6).toBool();
        record.thinkingClosed = query.value(7).toBool();
        record.responseIds = unpackIds(query.value(8).toByteArray());
        record.inProgress = query.value(9).toBool();
        record.stopReason = endReasonFromName(query.value(11).toString());
        if (record.inProgress && !lock.isAlive(query.value(10).toLongLong())) {
            record.inProgress = false;
            record.stopReason = EndReason::Interrupted;
        }
        record.error = query.value(12).toString();
        record.stats = statsFromJson(query.value(13).toString().toUtf8());
        record.createdUtc = fromMs(query.value(14));
        record.model = query.value(15).toString();
        controlsFromJson(query.value(16).toString().toUtf8(), &record.settings);
        result.value.append(record);
    });
    return result;
}

StoreResult<QList<QByteArray>> readTracePieces(const QSqlDatabase& database, const QString& messageId) {
    StoreResult<QList<QByteArray>> result;
    result.problem = select(database, QStringLiteral("SELECT data FROM traces WHERE message_id = ? ORDER BY seq"), {messageId},
                            [&result](const QSqlQuery& query) { result.value.append(query.value(0).toByteArray()); });
    return result;
}

StoreResult<QList<AnswerFigures>> readFigures(const QSqlDatabase& database, int limit) {
    StoreResult<QList<AnswerFigures>> result;
    result.problem =
        select(database,
               QStringLiteral("SELECT m.model, m.created_utc, m.stop_reason, m.stats, m.settings FROM messages m "
                              "JOIN conversations c ON c.id = m.conversation_id WHERE m.role = 'assistant' AND m.in_progress = 0 "
                              "AND m.model <> '' AND c.deleted_at IS NULL ORDER BY m.created_utc DESC, m.seq DESC LIMIT ?"),
               {limit}, [&result](const QSqlQuery& query) {
                   AnswerFigures figures;
                   figures.model = query.value(0).toString();
                   figures.createdUtc = fromMs(query.value(1));
                   figures.stopReason = endReasonFromName(query.value(2).toString());
                   figures.stats = statsFromJson(query.value(3).toString().toUtf8());
                   ControlValues settings;
                   controlsFromJson(query.value(4).toString().toUtf8(), &settings);
                   figures.decoding = settings.value(QStringLiteral("decoding")).toString();
                   // Refused and failed requests have nothing to tell.
                   if (figures.stats.passes > 0) result.value.append(figures);
               });
    std::reverse(result.value.begin(), result.value.end());
    return result;
}

StoreResult<bool> isHere(const QSqlDatabase& database, const ArchivedConversation& conversation) {
    StoreResult<bool> result;
    const auto found = [&](const QString& statement, const QVariantList& values) {
        const StoreResult<QVariant> row = schema::single(database, statement, values);
        result.problem = row.problem;
        result.value = row.value.isValid();
        return result.value || !result.ok();
    };
    if (found(QStringLiteral("SELECT 1 FROM conversations WHERE id = ? AND deleted_at IS NULL"), {conversation.record.id}))
        return result;
    // A hidden conversation makes way for the file's; another one's messages do not.
    const QString message = QStringLiteral("SELECT 1 FROM messages WHERE id = ? AND conversation_id <> ?");
    for (const ArchivedMessage& entry : conversation.messages)
        if (found(message, {entry.message.id, conversation.record.id})) return result;
    return result;
}

}  // namespace trefoil::rows
