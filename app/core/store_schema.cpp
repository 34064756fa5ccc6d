#include "app/core/store_schema.h"

#include "app/core/store_search.h"

#include <sqlite3.h>

#include <QCoreApplication>
#include <QFile>
#include <QSqlDriver>
#include <QSqlQuery>
#include <QUrl>

#include <algorithm>
#include <cstdio>

namespace trefoil::schema {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConversationStore)
};

// Times are milliseconds since 1970, UTC. `seq` gives rows a number that VACUUM keeps, which the search index relies on.
QStringList toVersion1() {
    return {
        QStringLiteral("CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"),
        QStringLiteral(
            "CREATE TABLE conversations("
            "seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL DEFAULT '', "
            "title_is_manual INTEGER NOT NULL DEFAULT 0, created_utc INTEGER NOT NULL, updated_utc INTEGER NOT NULL, "
            "system_prompt TEXT NOT NULL DEFAULT '', controls TEXT NOT NULL DEFAULT '{}', "
            "model_folder TEXT NOT NULL DEFAULT '', draft TEXT NOT NULL DEFAULT '', active_leaf TEXT, deleted_at INTEGER)"),
        QStringLiteral("CREATE INDEX conversations_by_date ON conversations(deleted_at, updated_utc)"),
        QStringLiteral(
            "CREATE TABLE messages("
            "seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, "
            "conversation_id TEXT NOT NULL REFERENCES conversations(id) ON DELETE CASCADE, parent_id TEXT, "
            "role TEXT NOT NULL, content TEXT NOT NULL DEFAULT '', thinking TEXT NOT NULL DEFAULT '', "
            "has_thinking INTEGER NOT NULL DEFAULT 0, thinking_closed INTEGER NOT NULL DEFAULT 1, response_ids BLOB, "
            "in_progress INTEGER NOT NULL DEFAULT 0, writer INTEGER NOT NULL DEFAULT 0, "
            "stop_reason TEXT NOT NULL DEFAULT 'none', error TEXT NOT NULL DEFAULT '', stats TEXT NOT NULL DEFAULT '{}', "
            "created_utc INTEGER NOT NULL, model TEXT NOT NULL DEFAULT '', settings TEXT NOT NULL DEFAULT '{}')"),
        QStringLiteral("CREATE INDEX messages_by_conversation ON messages(conversation_id)"),
        QStringLiteral("CREATE INDEX messages_in_progress ON messages(in_progress) WHERE in_progress = 1"),
        QStringLiteral("CREATE TABLE traces("
                       "seq INTEGER PRIMARY KEY, message_id TEXT NOT NULL REFERENCES messages(id) ON DELETE CASCADE, "
                       "data BLOB NOT NULL)"),
        QStringLiteral("CREATE INDEX traces_by_message ON traces(message_id)"),
    };
}

// Full-text search over titles and finished messages. A growing answer is indexed once, when it is complete.
QStringList toVersion2() {
    return {
        QStringLiteral("CREATE VIRTUAL TABLE message_search USING fts5(content, content='messages', content_rowid='seq', "
                       "tokenize='trigram')"),
        QStringLiteral("CREATE VIRTUAL TABLE title_search USING fts5(title, content='conversations', content_rowid='seq', "
                       "tokenize='trigram')"),
        QStringLiteral("INSERT INTO message_search(rowid, content) SELECT seq, content FROM messages WHERE in_progress = 0"),
        QStringLiteral("INSERT INTO title_search(rowid, title) SELECT seq, title FROM conversations"),
        QStringLiteral("CREATE TRIGGER message_search_insert AFTER INSERT ON messages WHEN new.in_progress = 0 BEGIN "
                       "INSERT INTO message_search(rowid, content) VALUES(new.seq, new.content); END"),
        QStringLiteral("CREATE TRIGGER message_search_delete AFTER DELETE ON messages WHEN old.in_progress = 0 BEGIN "
                       "INSERT INTO message_search(message_search, rowid, content) VALUES('delete', old.seq, old.content); END"),
        QStringLiteral("CREATE TRIGGER message_search_leave AFTER UPDATE OF content, in_progress ON messages "
                       "WHEN old.in_progress = 0 BEGIN "
                       "INSERT INTO message_search(message_search, rowid, content) VALUES('delete', old.seq, old.content); END"),
        QStringLiteral("CREATE TRIGGER message_search_enter AFTER UPDATE OF content, in_progress ON messages "
                       "WHEN new.in_progress = 0 BEGIN "
                       "INSERT INTO message_search(rowid, content) VALUES(new.seq, new.content); END"),
        QStringLiteral("CREATE TRIGGER title_search_insert AFTER INSERT ON conversations BEGIN "
                       "INSERT INTO title_search(rowid, title) VALUES(new.seq, new.title); END"),
        QStringLiteral("CREATE TRIGGER title_search_delete AFTER DELETE ON conversations BEGIN "
                       "INSERT INTO title_search(title_search, rowid, title) VALUES('delete', old.seq, old.title); END"),
        QStringLiteral("CREATE TRIGGER title_search_update AFTER UPDATE OF title ON conversations BEGIN "
                       "INSERT INTO title_search(title_search, rowid, title) VALUES('delete', old.seq, old.title); "
                       "INSERT INTO title_search(rowid, title) VALUES(new.seq, new.title); END"),
    };
}

// Words of one and two letters, which trigrams cannot find, and searching by model. Titles are searched in the list itself: their
// index goes. The terms are those of shortTerms().
QStringList toVersion3() {
    const QString add =
        QStringLiteral("INSERT INTO short_search(rowid, terms) VALUES(new.seq, trefoil_short_terms(new.content)); END");
    const QString remove = QStringLiteral(
        "INSERT INTO short_search(short_search, rowid, terms) VALUES('delete', old.seq, trefoil_short_terms(old.content)); END");
    return {
        QStringLiteral("DROP TRIGGER title_search_insert"),
        QStringLiteral("DROP TRIGGER title_search_delete"),
        QStringLiteral("DROP TRIGGER title_search_update"),
        QStringLiteral("DROP TABLE title_search"),
        QStringLiteral("CREATE VIRTUAL TABLE short_search USING fts5(terms, content='', columnsize=0, detail=none, "
                       "tokenize='ascii')"),
        QStringLiteral("INSERT INTO short_search(rowid, terms) SELECT seq, trefoil_short_terms(content) FROM messages "
                       "WHERE in_progress = 0"),
        QStringLiteral("CREATE TRIGGER short_search_insert AFTER INSERT ON messages WHEN new.in_progress = 0 BEGIN ") + add,
        QStringLiteral("CREATE TRIGGER short_search_delete AFTER DELETE ON messages WHEN old.in_progress = 0 BEGIN ") + remove,
        QStringLiteral("CREATE TRIGGER short_search_leave AFTER UPDATE OF content, in_progress ON messages "
                       "WHEN old.in_progress = 0 BEGIN ") +
            remove,
        QStringLiteral("CREATE TRIGGER short_search_enter AFTER UPDATE OF content, in_progress ON messages "
                       "WHEN new.in_progress = 0 BEGIN ") +
            add,
        QStringLiteral("CREATE INDEX messages_by_model ON messages(model, conversation_id)"),
    };
}

// What answers a conversation (EngineIdentity::id); those of before were answered by the embedded engine.
QStringList toVersion4() { return {QStringLiteral("ALTER TABLE conversations ADD COLUMN engine TEXT NOT NULL DEFAULT ''")}; }

// A further version of a question that was begun (ConversationRecord::edited and edit).
QStringList toVersion5() {
    return {QStringLiteral("ALTER TABLE conversations ADD COLUMN edited TEXT NOT NULL DEFAULT ''"),
            QStringLiteral("ALTER TABLE conversations ADD COLUMN edit TEXT NOT NULL DEFAULT ''")};
}

QStringList statementsTo(int version) {
    if (version == 1) return toVersion1();
    if (version == 2) return toVersion2();
    if (version == 3) return toVersion3();
    return version == 4 ? toVersion4() : toVersion5();
}

sqlite3* handleOf(const QSqlDatabase& database) {
    const QVariant handle = database.driver()->handle();
    if (!handle.isValid() || qstrcmp(handle.typeName(), "sqlite3*") != 0) return nullptr;
    return *static_cast<sqlite3* const*>(handle.constData());
}

QString epochValue(const QSqlDatabase& database, const QString& key) {
    return single(database, QStringLiteral("SELECT value FROM meta WHERE key = ?"), {key}).value.toString();
}

StoreProblem setMeta(const QSqlDatabase& database, const QString& key, const QString& value) {
    return execute(
        database,
        QStringLiteral("INSERT INTO meta(key, value) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value"),
        {key, value});
}

StoreProblem markOf(const QSqlDatabase& database, const QString& epoch, const QString& pending) {
    Transaction transaction(database);
    if (!transaction.problem().ok()) return transaction.problem();
    if (const StoreProblem problem = setMeta(database, QStringLiteral("epoch"), epoch); !problem.ok()) return problem;
    if (const StoreProblem problem = setMeta(database, QStringLiteral("pending_epoch"), pending); !problem.ok()) return problem;
    return transaction.commit();
}

/// A mark that no log carries.
StoreProblem markCopy(const QString& path) {
    const QString name = QStringLiteral("trefoil-copy-") + newRecordId();
    StoreProblem problem;
    {
        QSqlDatabase copy = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        copy.setDatabaseName(path);
        if (!copy.open()) {
            problem = problemFrom(copy.lastError(), Text::tr("The backup could not be completed"));
        } else {
            // Without a log of its own: one file is the whole backup.
            problem = single(copy, QStringLiteral("PRAGMA journal_mode = DELETE")).problem;
            if (problem.ok()) problem = markOf(copy, newRecordId(), QStringLiteral("-"));
        }
    }
    QSqlDatabase::removeDatabase(name);
    return problem;
}

}  // namespace

StoreProblem problemFrom(const QSqlError& error, const QString& action) {
    const int code = error.nativeErrorCode().toInt();
    const QString found = error.databaseText().isEmpty() ? error.driverText() : error.databaseText();
    const QString message = Text::tr("%1: %2.").arg(action, found);
    // The log's index cannot get its pages on a full disk; SQLite calls that an I/O error.
    switch (code == SQLITE_IOERR_SHMSIZE ? SQLITE_FULL : code & 0xFF) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {StoreProblemKind::Locked, Text::tr("%1: another program is using the history.").arg(action),
                    Text::tr("It is tried again; if this stays, close the other program.")};
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN:
        case SQLITE_AUTH:
            return {StoreProblemKind::ReadOnly, Text::tr("%1: the file or its folder cannot be written (%2).").arg(action, found),
                    Text::tr("Give yourself write permission, or go on with a temporary history.")};
        case SQLITE_FULL:
            return {StoreProblemKind::DiskFull, Text::tr("%1: the disk is full.").arg(action),
                    Text::tr("Free some space; it is tried again until then.")};
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
        case SQLITE_FORMAT:
            return {StoreProblemKind::Damaged, Text::tr("%1: the file is damaged (%2).").arg(action, found),
                    Text::tr("It is left as it is; restore a backup, or go on with a new history beside it.")};
        case SQLITE_OK:  // Qt's own complaint: a mistake in a statement, which no retry mends
        case SQLITE_CONSTRAINT:
        case SQLITE_MISMATCH:
        case SQLITE_TOOBIG:
        case SQLITE_ERROR:
            return {StoreProblemKind::Invalid, message, Text::tr("Please report this.")};
        default:
            return {StoreProblemKind::Io, message, Text::tr("Check the disk and its free space; it is tried again.")};
    }
}

StoreProblem execute(const QSqlDatabase& database, const QString& statement, const QVariantList& values) {
    QSqlQuery query(database);
    query.setForwardOnly(true);
    bool ok = query.prepare(statement);
    if (ok) {
        for (const QVariant& value : values) query.addBindValue(value);
        ok = query.exec();
    }
    if (ok) return {};
    return problemFrom(query.lastError(), Text::tr("The history could not be written"));
}

StoreResult<QVariant> single(const QSqlDatabase& database, const QString& statement, const QVariantList& values) {
    QSqlQuery query(database);
    query.setForwardOnly(true);
    bool ok = query.prepare(statement);
    if (ok) {
        for (const QVariant& value : values) query.addBindValue(value);
        ok = query.exec();
    }
    if (ok && query.next()) return {query.value(0), {}};
    if (query.lastError().isValid()) return {{}, problemFrom(query.lastError(), Text::tr("The history could not be read"))};
    return {};
}

Transaction::Transaction(const QSqlDatabase& database)
    : m_database(database), m_problem(execute(database, QStringLiteral("BEGIN IMMEDIATE"))), m_open(m_problem.ok()) {}

Transaction::~Transaction() {
    // SQLite may have rolled back by itself (disk full); a second rollback then fails without harm.
    if (m_open) execute(m_database, QStringLiteral("ROLLBACK"));
}

StoreProblem Transaction::commit() {
    if (!m_open) return m_problem;
    m_problem = execute(m_database, QStringLiteral("COMMIT"));
    if (m_problem.ok()) m_open = false;
    return m_problem;
}

StoreProblem migrate(const QSqlDatabase& database, int from, int to) {
    Transaction transaction(database);
    if (!transaction.problem().ok()) return transaction.problem();
    // Another program may have migrated while this one waited for the lock.
    const StoreResult<QVariant> current = single(database, QStringLiteral("PRAGMA user_version"));
    if (!current.ok()) return current.problem;
    for (int version = std::max(from, current.value.toInt()) + 1; version <= to; ++version) {
        for (const QString& statement : statementsTo(version)) {
            if (const StoreProblem problem = execute(database, statement); !problem.ok()) return problem;
        }
        if (const StoreProblem problem = execute(database, QStringLiteral("PRAGMA user_version = %1").arg(version));
            !problem.ok()) {
            return problem;
        }
    }
    if (const StoreProblem problem = execute(database, QStringLiteral("PRAGMA application_id = %1").arg(kApplicationId));
        !problem.ok()) {
        return problem;
    }
    return transaction.commit();
}

StoreProblem backUp(const QSqlDatabase& database, const QString& path) {
    const QString part = path + QStringLiteral(".part");
    QFile::remove(part);
    // Made here so that it is private from the start; VACUUM INTO takes an empty file.
    QFile file(part);
    if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly, QFileDevice::ReadOwner | QFileDevice::WriteOwner)) {
        return {StoreProblemKind::ReadOnly, Text::tr("The backup “%1” could not be made: %2.").arg(part, file.errorString()),
                Text::tr("Give yourself write permission for the folder.")};
    }
    file.close();
    StoreProblem problem = execute(database, QStringLiteral("VACUUM INTO ?"), {part});
    if (problem.ok()) problem = markCopy(part);
    if (problem.ok() && std::rename(QFile::encodeName(part).constData(), QFile::encodeName(path).constData()) != 0) {
        problem = {StoreProblemKind::Io, Text::tr("The backup could not be named “%1”.").arg(path),
                   Text::tr("Check the folder.")};
    }
    if (!problem.ok()) QFile::remove(part);
    return problem;
}

StoreProblem quickCheck(const QSqlDatabase& database) {
    const StoreResult<QVariant> found = single(database, QStringLiteral("PRAGMA quick_check(1)"));
    if (!found.ok()) return found.problem;
    if (found.value.toString() == QLatin1String("ok")) return {};
    return {StoreProblemKind::Damaged, Text::tr("The history is damaged (%1).").arg(found.value.toString().simplified()),
            Text::tr("It is left as it is; restore a backup, or go on with a new history beside it.")};
}

QString epochOfMainFile(const QString& path) {
    // "immutable" makes SQLite read the file alone: no -wal, no locks, nothing written.
    const QByteArray uri = "file:" + QUrl::toPercentEncoding(path, "/") + "?immutable=1";
    sqlite3* handle = nullptr;
    QString epochs;
    if (sqlite3_open_v2(uri.constData(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) == SQLITE_OK) {
        sqlite3_stmt* statement = nullptr;
        const char* select =
            "SELECT (SELECT value FROM meta WHERE key = 'epoch') || ' ' || (SELECT value FROM meta WHERE key = 'pending_epoch')";
        if (sqlite3_prepare_v2(handle, select, -1, &statement, nullptr) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW) {
            epochs = QString::fromUtf8(reinterpret_cast<const char*>(sqlite3_column_text(statement, 0)));
        }
        sqlite3_finalize(statement);
    }
    sqlite3_close(handle);
    return epochs;
}

StoreProblem checkEpoch(const QSqlDatabase& database, const QString& mainFileEpoch) {
    if (mainFileEpoch.isEmpty()) return {};
    const QString epoch = epochValue(database, QStringLiteral("epoch"));
    if (epoch.isEmpty() || mainFileEpoch.split(QLatin1Char(' ')).contains(epoch)) return {};
    return {
        StoreProblemKind::WalMismatch, Text::tr("The history and its log (-wal) beside it do not belong together."),
        Text::tr("Both are left as they are: put back the file that belongs to the log, or move the log away, and open again.")};
}

// The main file learns the next mark as "pending" before the log starts to carry it. A log is then rightful for a main file that
// knows the log's mark as its own or as pending; a copy from an earlier run knows neither.
StoreProblem renewEpoch(const QSqlDatabase& database) {
    const QString next = newRecordId();
    const QString before = epochValue(database, QStringLiteral("epoch"));
    if (const StoreProblem problem = markOf(database, before.isEmpty() ? next : before, next); !problem.ok()) return problem;
    const StoreResult<QVariant> busy = single(database, QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)"));
    if (!busy.ok()) return busy.problem;
    if (busy.value.toInt() != 0) return {};  // a reader is in the way: the old mark stays good
    return markOf(database, next, QStringLiteral("-"));
}

StoreProblem touchEpoch(const QSqlDatabase& database) {
    return execute(database, QStringLiteral("UPDATE meta SET value = value WHERE key = 'epoch'"));
}

StoreProblem prepareConnection(const QSqlDatabase& database) {
    // Before a migration drops anything. A file that cannot be read says so when it is looked at.
    single(database, QStringLiteral("PRAGMA secure_delete = ON"));
    return search::registerFunctions(handleOf(database));
}

StoreProblem forgetRemoved(const QSqlDatabase& database) {
    // FTS5 only notes what is gone; rewriting an index as one segment leaves it out.
    for (const char* index : {"message_search", "short_search"}) {
        const QString statement = QStringLiteral("INSERT INTO %1(%1) VALUES('optimize')").arg(QLatin1String(index));
        if (const StoreProblem problem = execute(database, statement); !problem.ok()) return problem;
    }
    return {};
}

StoreProblem tidyUp(const QSqlDatabase& database) {
    // The free pages are zeroed already (secure_delete); giving them back is worth rewriting the file when they are many.
    constexpr int kWorthIt = 4;
    const StoreResult<QVariant> unused = single(database, QStringLiteral("PRAGMA freelist_count"));
    const StoreResult<QVariant> pages = single(database, QStringLiteral("PRAGMA page_count"));
    if (!unused.ok() || !pages.ok()) return unused.ok() ? pages.problem : unused.problem;
    if (unused.value.toInt() > pages.value.toInt() / kWorthIt) {
        if (const StoreProblem problem = execute(database, QStringLiteral("VACUUM")); !problem.ok()) return problem;
    }
    return single(database, QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")).problem;
}

void setKeepWal(const QSqlDatabase& database, bool keep) {
    if (sqlite3* handle = handleOf(database)) sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

}  // namespace trefoil::schema
