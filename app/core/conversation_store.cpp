#include "app/core/conversation_store.h"

#include "app/core/store_lock.h"
#include "app/core/store_rows.h"
#include "app/core/store_schema.h"
#include "app/core/store_search.h"
#include "app/core/trace_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QtEndian>

#include <algorithm>

namespace trefoil {

namespace {

/// Short, since a waiting writer holds up the reads behind it; StoreWorker tries again.
constexpr int kBusyTimeoutMs = 250;
constexpr int kOpeningTimeoutMs = 3000;
/// Larger files are checked on opening only when a log was left behind: the check reads every page.
constexpr qint64 kAlwaysCheckedBytes = 32 * 1024 * 1024;
constexpr char kSqliteMagic[] = "SQLite format 3";
constexpr qsizetype kHeaderBytes = 100;
/// Two bytes, big endian; the 1 that stands for 65,536 divides every size and checks nothing.
constexpr qsizetype kPageSizeOffset = 16;

QString dateForFileName() { return QDateTime::currentDateTimeUtc().toString(QStringLiteral("yyyyMMdd-HHmmss")); }

/// "dir/name-suffix.db", with a number when that exists.
QString freeNameBeside(const QString& path, const QString& suffix) {
    const QFileInfo info(path);
    for (int number = 1;; ++number) {
        const QString counter = number == 1 ? QString() : QStringLiteral("-%1").arg(number);
        const QString candidate =
            info.dir().filePath(info.completeBaseName() + QLatin1Char('-') + suffix + counter + QStringLiteral(".db"));
        if (!QFileInfo::exists(candidate) && !QFileInfo::exists(candidate + QStringLiteral("-wal"))) return candidate;
    }
}

}  // namespace

class ConversationStore::Private {
public:
    ~Private() { close(); }

    void close() {
        if (m_database.isValid()) {
            const QString name = m_database.connectionName();
            m_database.close();
            m_database = QSqlDatabase();
            QSqlDatabase::removeDatabase(name);
        }
        m_lock.close();
        m_path.clear();
    }

    OpenReport open(const QString& path);
    OpenReport openTemporary();

    static StoreProblem takeIn(const QString& backup, const QString& copy);

    [[nodiscard]] bool isOpen() const { return m_database.isOpen(); }
    static StoreProblem closed() {
        return {StoreProblemKind::Closed, tr("No history is open."), tr("Open one, or go on with a temporary history.")};
    }

    QSqlDatabase m_database;
    StoreLock m_lock;
    QString m_path;

private:
    StoreProblem prepareFile(const QString& path, OpenReport* report);
    StoreProblem connectTo(const QString& name);
    StoreProblem checkAndMigrate(const QString& path, bool check, const QString& mainFileEpoch, OpenReport* report);
    StoreProblem configure();
    StoreProblem markInterrupted(int* count);
};

/// Looks at the file before SQLite does, and makes it when there is none.
StoreProblem ConversationStore::Private::prepareFile(const QString& path, OpenReport* report) {
    const QFileInfo folder(QFileInfo(path).absolutePath());
    if (!folder.exists() && !QDir().mkpath(folder.absoluteFilePath())) {
        report->canOpenFresh = false;
        return {StoreProblemKind::ReadOnly, tr("The folder “%1” for the history cannot be made.").arg(folder.absoluteFilePath()),
                tr("Give yourself write permission there, or go on with a temporary history.")};
    }
    if (!folder.isDir() && folder.exists()) {
        report->canOpenFresh = false;
        return {StoreProblemKind::ReadOnly,
                tr("“%1” should be the folder of the history and is a file.").arg(folder.absoluteFilePath()),
                tr("Move it away, or go on with a temporary history.")};
    }
    const QFileInfo info(path);
    if (info.exists() && !info.isFile()) {
        return {StoreProblemKind::Damaged, tr("“%1” should be the history and is no file.").arg(path),
                tr("Move it away, or go on with a new history beside it.")};
    }
    const bool hasLog = QFileInfo(path + QStringLiteral("-wal")).size() > 0;
    if (info.size() == 0 && hasLog) {
        // SQLite would throw the log away here, and with it what it holds.
        return {StoreProblemKind::WalMismatch, tr("The history “%1” is missing or empty, but its log (-wal) is there.").arg(path),
                tr("Put the file back beside its log, or go on with a new history.")};
    }
    QFile file(path);
    if (!info.exists()) {
        if (!file.open(QIODevice::WriteOnly | QIODevice::NewOnly, QFileDevice::ReadOwner | QFileDevice::WriteOwner)) {
            report->canOpenFresh = false;
            return {StoreProblemKind::ReadOnly, tr("The history “%1” cannot be made: %2.").arg(path, file.errorString()),
                    tr("Give yourself write permission for the folder, or go on with a temporary history.")};
        }
        report->created = true;
        return {};
    }
    if (!file.open(QIODevice::ReadOnly)) {
        return {StoreProblemKind::ReadOnly, tr("The history “%1” cannot be read: %2.").arg(path, file.errorString()),
                tr("Give yourself permission to read and write it, or go on with a temporary history.")};
    }
    const QByteArray header = file.read(kHeaderBytes);
    if (info.size() > 0 && !header.startsWith(QByteArray(kSqliteMagic, sizeof kSqliteMagic))) {
        return {StoreProblemKind::Damaged, tr("“%1” is no history of Trefoil.").arg(path),
                tr("It is left as it is; restore a backup, or go on with a new history beside it.")};
    }
    if (header.size() == kHeaderBytes && !hasLog) {
        // SQLite reads what is missing of the last page as zeros.
        const qint64 page = std::max<qint64>(1, qFromBigEndian<quint16>(header.constData() + kPageSizeOffset));
        if (info.size() % page != 0) {
            return {StoreProblemKind::Damaged, tr("The history “%1” is cut off.").arg(path),
                    tr("It is left as it is; restore a backup, or go on with a new history beside it.")};
        }
    }
    if (!info.isWritable()) {
        return {StoreProblemKind::ReadOnly, tr("The history “%1” cannot be written.").arg(path),
                tr("Give yourself write permission, or go on with a temporary history.")};
    }
    return {};
}

StoreProblem ConversationStore::Private::connectTo(const QString& name) {
    m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("trefoil-") + newRecordId());
    if (!m_database.isValid()) {
        return {StoreProblemKind::Io, tr("Qt's SQLite driver is missing."), tr("Install the package libqt6sql6-sqlite.")};
    }
    m_database.setDatabaseName(name);
    m_database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(kBusyTimeoutMs));
    if (m_database.open()) return schema::prepareConnection(m_database);
    return schema::problemFrom(m_database.lastError(), tr("The history “%1” could not be opened").arg(name));
}

/// Reads the version, checks, and migrates. Until this has succeeded nothing is written to an existing file.
StoreProblem ConversationStore::Private::checkAndMigrate(const QString& path, bool check, const QString& mainFileEpoch,
                                                         OpenReport* report) {
    const StoreResult<QVariant> version = schema::single(m_database, QStringLiteral("PRAGMA user_version"));
    if (!version.ok()) return version.problem;
    const StoreResult<QVariant> application = schema::single(m_database, QStringLiteral("PRAGMA application_id"));
    const StoreResult<QVariant> tables = schema::single(m_database, QStringLiteral("SELECT count(*) FROM sqlite_schema"));
    if (!tables.ok()) return tables.problem;
    if (tables.value.toInt() > 0 && application.value.toInt() != schema::kApplicationId) {
        return {StoreProblemKind::Damaged, tr("“%1” is another program's database.").arg(path),
                tr("It is left as it is; go on with a new history beside it.")};
    }
    const int found = version.value.toInt();
    if (found > schema::kVersion) {
        return {
            StoreProblemKind::NewerVersion,
            tr("The history was written by a newer Trefoil (format %1, this program knows %2).").arg(found).arg(schema::kVersion),
            tr("It is left as it is; update Trefoil, or go on with a new history beside it.")};
    }
    if (const StoreProblem problem = schema::checkEpoch(m_database, mainFileEpoch); !problem.ok()) return problem;
    if (check) {
        if (const StoreProblem problem = schema::quickCheck(m_database); !problem.ok()) return problem;
    }
    if (found == schema::kVersion) return {};
    if (found > 0) {
        report->backupPath = freeNameBeside(path, QStringLiteral("format%1-%2").arg(found).arg(dateForFileName()));
        if (const StoreProblem problem = schema::backUp(m_database, report->backupPath); !problem.ok()) {
            report->backupPath.clear();
            return problem;
        }
        report->migratedFrom = found;
    } else if (const StoreProblem problem = configure(); !problem.ok()) {
        return problem;  // a new file becomes a WAL file before its first table
    }
    return schema::migrate(m_database, found);
}

StoreProblem ConversationStore::Private::configure() {
    const auto mode = schema::single(m_database, QStringLiteral("PRAGMA journal_mode = WAL"));
    if (!mode.ok()) return mode.problem;
    for (const char* pragma : {"PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON", "PRAGMA secure_delete = ON",
                               "PRAGMA journal_size_limit = 4194304"}) {
        if (const auto result = schema::single(m_database, QLatin1String(pragma)); !result.ok()) return result.problem;
    }
    return {};
}

/// Answers of writers that are gone. Also the first write of a run: it shows whether the file can be written now.
StoreProblem ConversationStore::Private::markInterrupted(int* count) {
    schema::Transaction transaction(m_database);
    if (!transaction.problem().ok()) return transaction.problem();
    QStringList ids;
    {
        QSqlQuery query(m_database);
        query.setForwardOnly(true);
        if (!query.exec(QStringLiteral("SELECT id, writer FROM messages WHERE in_progress = 1"))) {
            return schema::problemFrom(query.lastError(), tr("The history could not be read"));
        }
        while (query.next()) {
            if (!m_lock.isAlive(query.value(1).toLongLong())) ids.append(query.value(0).toString());
        }
    }
    for (const QString& id : ids) {
        const StoreProblem problem = schema::execute(
            m_database, QStringLiteral("UPDATE messages SET in_progress = 0, stop_reason = 'interrupted' WHERE id = ?"), {id});
        if (!problem.ok()) return problem;
    }
    if (const StoreProblem problem = schema::touchEpoch(m_database); !problem.ok()) return problem;
    const StoreProblem problem = transaction.commit();
    if (problem.ok()) *count = static_cast<int>(ids.size());
    return problem;
}

OpenReport ConversationStore::Private::open(const QString& givenPath) {
    close();
    OpenReport report;
    report.path = QFileInfo(givenPath).absoluteFilePath();
    report.problem = prepareFile(report.path, &report);
    if (!report.ok()) return report;

    const bool locked = m_lock.open(report.path);
    const bool opening = m_lock.beginOpening(kOpeningTimeoutMs);
    const bool alone = locked && opening && !m_lock.othersAlive();
    const bool leftLog = alone && QFileInfo(report.path + QStringLiteral("-wal")).size() > 0;
    const QString mainFileEpoch = leftLog ? schema::epochOfMainFile(report.path) : QString();
    const bool check = leftLog || QFileInfo(report.path).size() <= kAlwaysCheckedBytes;

    report.problem = connectTo(report.path);
    if (report.ok()) {
        schema::setKeepWal(m_database, true);
        report.problem = checkAndMigrate(report.path, check, mainFileEpoch, &report);
    }
    if (report.ok()) report.problem = configure();
    if (report.ok()) {
        const StoreProblem problem = markInterrupted(&report.interrupted);
        // A lock or a full disk passes; reading works meanwhile, and StoreWorker keeps what is to be written.
        if (problem.kind == StoreProblemKind::Locked || problem.kind == StoreProblemKind::DiskFull) {
            report.notice = problem;
        } else {
            report.problem = problem;
        }
        if (problem.ok() && alone) report.notice = schema::renewEpoch(m_database);
    }
    if (report.ok()) {
        schema::setKeepWal(m_database, false);
        m_path = report.path;
        m_lock.endOpening();
    } else {
        close();
    }
    return report;
}

OpenReport ConversationStore::Private::openTemporary() {
    close();
    OpenReport report;
    report.temporary = true;
    report.created = true;
    report.problem = connectTo(QStringLiteral(":memory:"));
    if (report.ok()) report.problem = schema::execute(m_database, QStringLiteral("PRAGMA foreign_keys = ON"));
    if (report.ok()) report.problem = schema::migrate(m_database, 0);
    if (!report.ok()) close();
    return report;
}

ConversationStore::ConversationStore() : d(std::make_unique<Private>()) {}
ConversationStore::~ConversationStore() = default;

OpenReport ConversationStore::open(const QString& path) { return d->open(path); }

OpenReport ConversationStore::openFresh(const QString& path) { return d->open(freeNameBeside(path, dateForFileName())); }

OpenReport ConversationStore::openTemporary() { return d->openTemporary(); }

void ConversationStore::close() { d->close(); }
bool ConversationStore::isOpen() const { return d->isOpen(); }
QString ConversationStore::path() const { return d->m_path; }

StoreProblem ConversationStore::apply(const StoreOperation& operation) {
    if (!isOpen()) return Private::closed();
    schema::Transaction transaction(d->m_database);
    if (!transaction.problem().ok()) return transaction.problem();
    if (const StoreProblem problem = rows::write(d->m_database, operation, d->m_lock.writer()); !problem.ok()) return problem;
    if (const StoreProblem problem = schema::touchEpoch(d->m_database); !problem.ok()) return problem;
    if (const StoreProblem problem = transaction.commit(); !problem.ok()) return problem;
    // What was asked for is done; if tidying up fails now, the next one gets another chance.
    if (std::holds_alternative<PurgeDeleted>(operation)) schema::tidyUp(d->m_database);
    return {};
}

StoreResult<QList<ConversationSummary>> ConversationStore::list(const QSet<QString>& alsoDeleted) {
    if (!isOpen()) return {{}, Private::closed()};
    return rows::readList(d->m_database, alsoDeleted);
}

StoreResult<ConversationRecord> ConversationStore::conversation(const QString& id) {
    if (!isOpen()) return {{}, Private::closed()};
    return rows::readConversation(d->m_database, id);
}

StoreResult<QList<MessageRecord>> ConversationStore::messages(const QString& conversationId) {
    if (!isOpen()) return {{}, Private::closed()};
    return rows::readMessages(d->m_database, conversationId, d->m_lock, rows::Branch::Shown);
}

StoreResult<QList<MessageRecord>> ConversationStore::messagesAside(const QString& conversationId) {
    if (!isOpen()) return {{}, Private::closed()};
    return rows::readMessages(d->m_database, conversationId, d->m_lock, rows::Branch::Aside);
}

StoreResult<TraceView> ConversationStore::trace(const QString& messageId) {
    if (!isOpen()) return {{}, Private::closed()};
    const StoreResult<QList<QByteArray>> pieces = rows::readTracePieces(d->m_database, messageId);
    if (!pieces.ok()) return {{}, pieces.problem};
    return unpackTraces(pieces.value);
}

StoreResult<QList<QByteArray>> ConversationStore::tracePieces(const QString& messageId) {
    if (!isOpen()) return {{}, Private::closed()};
    return rows::readTracePieces(d->m_database, messageId);
}

StoreResult<QList<AnswerFigures>> ConversationStore::figures(int limit) {
    if (!isOpen()) return {{}, Private::closed()};
    return rows::readFigures(d->m_database, limit);
}

StoreResult<bool> ConversationStore::isHere(const ArchivedConversation& conversation) {
    if (!isOpen()) return {{}, Private::closed()};
    return rows::isHere(d->m_database, conversation);
}

StoreResult<SearchResult> ConversationStore::search(const QString& text) {
    if (!isOpen()) return {{}, Private::closed()};
    return search::find(d->m_database, text);
}

StoreProblem ConversationStore::backUp(const QString& path) {
    if (!isOpen()) return Private::closed();
    // By another name, or through a link, it would still be the history itself.
    const QFileInfo target(path);
    if (!d->m_path.isEmpty() && target.exists() && QFileInfo(d->m_path).canonicalFilePath() == target.canonicalFilePath()) {
        return {StoreProblemKind::Invalid, tr("“%1” is the history itself.").arg(path),
                tr("Choose another name for the backup.")};
    }
    if (QFileInfo(path + QStringLiteral("-wal")).size() > 0) {
        return {StoreProblemKind::Invalid, tr("“%1” is a history that is in use.").arg(path),
                tr("Choose another name for the backup.")};
    }
    return schema::backUp(d->m_database, path);
}

/// A complete, checked copy of the backup at `copy`, which is ready to be opened.
StoreProblem ConversationStore::Private::takeIn(const QString& backup, const QString& copy) {
    if (!QFileInfo(backup).isFile()) {
        return {StoreProblemKind::NotFound, tr("There is no backup “%1”.").arg(backup), tr("Choose another file.")};
    }
    QFile file(backup);
    if (!file.open(QIODevice::ReadOnly) || !file.peek(kHeaderBytes).startsWith(QByteArray(kSqliteMagic, sizeof kSqliteMagic))) {
        return {StoreProblemKind::Damaged, tr("“%1” is no history of Trefoil.").arg(backup), tr("Choose another file.")};
    }
    // Opened only for reading: the backup stays as it is. A log beside it counts where it belongs to it.
    const QString mark = QFileInfo(backup + QStringLiteral("-wal")).size() > 0 ? schema::epochOfMainFile(backup) : QString();
    Private source;
    source.m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("trefoil-") + newRecordId());
    source.m_database.setDatabaseName(backup);
    source.m_database.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY;QSQLITE_BUSY_TIMEOUT=%1").arg(kOpeningTimeoutMs));
    if (!source.m_database.open()) {
        return schema::problemFrom(source.m_database.lastError(), tr("The backup “%1” could not be opened").arg(backup));
    }
    const auto application = schema::single(source.m_database, QStringLiteral("PRAGMA application_id"));
    const auto version = schema::single(source.m_database, QStringLiteral("PRAGMA user_version"));
    if (!version.ok()) return version.problem;
    if (application.value.toInt() != schema::kApplicationId) {
        return {StoreProblemKind::Damaged, tr("“%1” is another program's database.").arg(backup), tr("Choose another file.")};
    }
    if (version.value.toInt() > schema::kVersion) {
        return {StoreProblemKind::NewerVersion,
                tr("The backup was written by a newer Trefoil (format %1, this program knows %2).")
                    .arg(version.value.toInt())
                    .arg(schema::kVersion),
                tr("Update Trefoil, then restore it.")};
    }
    if (const StoreProblem problem = schema::checkEpoch(source.m_database, mark); !problem.ok()) return problem;
    if (const StoreProblem problem = schema::quickCheck(source.m_database); !problem.ok()) return problem;
    return schema::backUp(source.m_database, copy);
}

RestoreReport ConversationStore::restore(const QString& backup) {
    RestoreReport report;
    const QString path = d->m_path;
    if (!isOpen() || path.isEmpty()) {
        report.problem = {StoreProblemKind::Closed, tr("A temporary history cannot be replaced by a backup."),
                          tr("Open a history on the disk first.")};
        return report;
    }
    if (d->m_lock.othersAlive()) {
        report.problem = {StoreProblemKind::Locked, tr("Another Trefoil has this history open."),
                          tr("Close the other window, then restore the backup.")};
        return report;
    }
    const QString copy = path + QStringLiteral("-restored");
    report.problem = Private::takeIn(QFileInfo(backup).absoluteFilePath(), copy);
    if (!report.ok()) return report;
    d->close();
    // The file first: a log without its file is noticed at the next start, a file without its log would not be.
    report.aside = freeNameBeside(path, QStringLiteral("replaced-") + dateForFileName());
    QStringList moved;
    for (const QString& part : {QString(), QStringLiteral("-wal"), QStringLiteral("-shm")}) {
        if (!QFileInfo::exists(path + part)) continue;
        if (!QFile::rename(path + part, report.aside + part)) break;
        moved.append(part);
    }
    const bool free = !QFileInfo::exists(path) && !QFileInfo::exists(path + QStringLiteral("-wal"));
    if (!free || !QFile::rename(copy, path)) {
        report.problem = {StoreProblemKind::Io,
                          tr("The backup could not be put in the history's place in “%1”.").arg(QFileInfo(path).path()),
                          tr("Check that the folder can be written. The history is as it was.")};
        for (const QString& part : moved) QFile::rename(report.aside + part, path + part);
        QFile::remove(copy);
        report.aside.clear();
    }
    report.opened = d->open(path);
    if (report.ok()) report.problem = report.opened.problem;
    return report;
}

StoreProblem ConversationStore::setPageLimit(int pages) {
    if (!isOpen()) return Private::closed();
    return schema::single(d->m_database, QStringLiteral("PRAGMA max_page_count = %1").arg(pages)).problem;
}

}  // namespace trefoil
