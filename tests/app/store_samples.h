// Records for the tests of the history.
#pragma once

#include "app/core/store_types.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QString>

namespace trefoil::samples {

inline QDateTime moment(qint64 ms) { return QDateTime::fromMSecsSinceEpoch(1'780'000'000'000 + ms, Qt::UTC); }

inline ConversationRecord conversation(const QString& id, qint64 ms = 0) {
    ConversationRecord record;
    record.id = id;
    record.createdUtc = moment(ms);
    record.updatedUtc = moment(ms);
    return record;
}

inline MessageRecord message(const QString& id, const QString& conversationId, const QString& role, const QString& content,
                             qint64 ms = 0) {
    MessageRecord record;
    record.id = id;
    record.conversationId = conversationId;
    record.role = role;
    record.content = content;
    record.createdUtc = moment(ms);
    return record;
}

/// `passes` passes of block `block` with rows, alternatives and odd texts.
inline TraceView trace(int passes, int block = 0) {
    TraceView view;
    view.maskId = 3;
    view.blockSize = 4;
    view.threshold = 0.95;
    for (int step = 0; step < passes; ++step) {
        PassView pass;
        pass.type = step % 2 == 0 ? PassType::Denoise : PassType::Verify;
        pass.block = block;
        pass.step = step;
        pass.firstPosition = block * 4 - 1;
        pass.promptRows = 1;
        pass.tokens = {7, 3, step, -1};
        pass.texts = {QStringLiteral("seven"), QStringLiteral("<|mask|>"), QString::number(step), QStringLiteral("日本 🍀")};
        for (int row = 0; row < 4; ++row) {
            RowView view2;
            view2.choice = {row, 0.1F * static_cast<float>(row), QStringLiteral("t%1").arg(row)};
            view2.top = {view2.choice, {99, 0.01F, QStringLiteral("<0xE6>")}};
            pass.rows.append(view2);
        }
        pass.resolved = {1, 2};
        pass.accepted = step;
        pass.droppedFrom = 3;
        pass.milliseconds = 1.0 / 3.0;
        pass.meanDistinctExperts = 20.25;
        pass.meanCoresetSize = 7.5;
        view.passes.append(pass);
    }
    return view;
}

inline AnswerUpdate answer(const QString& messageId, int blocks) {
    AnswerUpdate update;
    update.messageId = messageId;
    for (int block = 0; block < blocks; ++block) {
        update.content += QStringLiteral("block %1 of the answer. ").arg(block);
        for (int i = 0; i < 4; ++i) update.responseIds.append(block * 4 + i);
    }
    update.stats.blocks = blocks;
    update.stats.responseTokens = update.responseIds.size();
    update.stats.decodeMs = 12.5;
    if (blocks > 0) update.trace = trace(2, blocks - 1);
    return update;
}

/// Of the conversations that store_writer imports.
constexpr int kImportedMessages = 12;
inline QString importedText(const QString& conversationId, int number) {
    return QStringLiteral("Message %1 of %2, 水").arg(number).arg(conversationId);
}

/// A second connection to a history, as another program has it.
class OtherProgram {
public:
    explicit OtherProgram(const QString& path) : m_name(newRecordId()) {
        m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_name);
        m_database.setDatabaseName(path);
        m_database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=0"));
        m_open = m_database.open();
    }
    ~OtherProgram() {
        m_database.close();
        m_database = QSqlDatabase();
        QSqlDatabase::removeDatabase(m_name);
    }
    OtherProgram(const OtherProgram&) = delete;
    OtherProgram& operator=(const OtherProgram&) = delete;

    bool run(const QString& statement) { return m_open && QSqlQuery(m_database).exec(statement); }
    QVariant value(const QString& statement) {
        QSqlQuery query(m_database);
        return query.exec(statement) && query.next() ? query.value(0) : QVariant();
    }

private:
    QString m_name;
    QSqlDatabase m_database;
    bool m_open = false;
};

}  // namespace trefoil::samples
