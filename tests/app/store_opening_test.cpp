// Every way in which a history cannot be used: told apart, left as it is, and a way on.
#include "app/core/conversation_store.h"
#include "app/core/store_schema.h"
#include "tests/app/store_samples.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace trefoil;

class StoreOpeningTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void migratesFormat1AfterACopy();
    void failedMigrationLeavesTheFile();
    void newerFormatIsLeftAlone();
    void noDatabase_data();
    void noDatabase();
    void anotherProgramsDatabase();
    void cutFile();
    void overwrittenPages();
    void lockedForWriting();
    void lockedForGood();
    void lockedWhileMigrating();
    void folderThatIsAFile();
    void historyThatIsAFolder();
    void readOnlyPlaces();
    void logWithoutDatabase();
    void logOfAnotherDatabase();
    void olderCopyBesideANewerLog();
    void rightfulLogIsUsed();
    void backupIsCompleteOnItsOwn();
    void everyProblemAllowsGoingOn();

private:
    QByteArray contents() {
        QFile file(m_path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void put(const QByteArray& bytes, const QString& suffix = {}) {
        QFile file(m_path + suffix);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
    /// A history with `messages` questions, closed properly.
    void makeHistory(int messages) {
        ConversationStore store;
        QVERIFY(store.open(m_path).ok());
        fill(&store, messages);
    }
    static void fill(ConversationStore* store, int messages) {
        const QString id = QStringLiteral("c");
        QVERIFY(store->apply(CreateConversation{samples::conversation(id)}).ok());
        for (int i = 0; i < messages; ++i) {
            const auto message =
                samples::message(newRecordId(), id, QStringLiteral("user"), QStringLiteral("Question %1").arg(i), i);
            QVERIFY(store->apply(AppendMessage{message}).ok());
        }
    }
    /// Copies the file and its log as they are while `store` has them open: what a killed process leaves.
    void copySetTo(const QString& target, bool withDatabase, bool withLog) {
        if (withDatabase) QVERIFY(QFile::copy(m_path, target));
        if (withLog) QVERIFY(QFile::copy(m_path + QStringLiteral("-wal"), target + QStringLiteral("-wal")));
    }
    void makeFormat1() {
        const QString name = newRecordId();
        {
            QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
            database.setDatabaseName(m_path);
            QVERIFY(database.open());
            QVERIFY(schema::migrate(database, 0, 1).ok());
            QSqlQuery query(database);
            QVERIFY(query.exec(QStringLiteral("PRAGMA journal_mode=WAL")));
            query.finish();
            QVERIFY(
                query.exec(QStringLiteral("INSERT INTO conversations(id, title, created_utc, updated_utc, active_leaf) "
                                          "VALUES('c', 'Clover leaves', 1, 2, 'm')")));
            QVERIFY(
                query.exec(QStringLiteral("INSERT INTO messages(id, conversation_id, role, content, created_utc) "
                                          "VALUES('m', 'c', 'user', 'How many leaves?', 1)")));
            database.close();
        }
        QSqlDatabase::removeDatabase(name);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_path;
};

void StoreOpeningTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("history.db"));
}

void StoreOpeningTest::migratesFormat1AfterACopy() {
    makeFormat1();
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QCOMPARE(report.migratedFrom, 1);
    QCOMPARE(store.messages(QStringLiteral("c")).value.value(0).content, QStringLiteral("How many leaves?"));
    samples::OtherProgram migrated(m_path);
    QCOMPARE(migrated.value(QStringLiteral("PRAGMA user_version")).toInt(), schema::kVersion);
    QCOMPARE(migrated.value(QStringLiteral("SELECT rowid FROM message_search WHERE message_search MATCH 'leaves'")).toInt(), 1);
    // Conversations of before stay with the embedded engine, and can be given to another one.
    QCOMPARE(store.conversation(QStringLiteral("c")).value.engine, QString());
    QVERIFY(store.apply(SetEngine{QStringLiteral("c"), QStringLiteral("a-server")}).ok());
    QCOMPARE(store.conversation(QStringLiteral("c")).value.engine, QStringLiteral("a-server"));
    QCOMPARE(store.conversation(QStringLiteral("c")).value.edited, QString());
    QVERIFY(store.apply(SetEdit{QStringLiteral("c"), QStringLiteral("m"), QStringLiteral("How many")}).ok());
    QCOMPARE(store.conversation(QStringLiteral("c")).value.edit, QStringLiteral("How many"));
    QVERIFY(QFileInfo::exists(report.backupPath));
    samples::OtherProgram copy(report.backupPath);
    QCOMPARE(copy.value(QStringLiteral("PRAGMA user_version")).toInt(), 1);
    QCOMPARE(copy.value(QStringLiteral("SELECT count(*) FROM pragma_table_info('conversations') WHERE name = 'engine'")).toInt(),
             0);
    QCOMPARE(copy.value(QStringLiteral("SELECT content FROM messages")).toString(), QStringLiteral("How many leaves?"));
    QCOMPARE(copy.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
    store.close();
    const OpenReport again = store.open(m_path);
    QVERIFY(again.ok());
    QCOMPARE(again.migratedFrom, 0);
    QVERIFY(again.backupPath.isEmpty());
}

void StoreOpeningTest::failedMigrationLeavesTheFile() {
    makeFormat1();
    {
        samples::OtherProgram other(m_path);
        // In the way of the table that format 2 makes.
        QVERIFY(other.run(QStringLiteral("CREATE TABLE title_search(x)")));
    }
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    QVERIFY(!report.ok());
    QVERIFY(!store.isOpen());
    samples::OtherProgram other(m_path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA user_version")).toInt(), 1);
    QCOMPARE(other.value(QStringLiteral("SELECT count(*) FROM sqlite_schema WHERE name = 'message_search'")).toInt(), 0);
    QCOMPARE(other.value(QStringLiteral("SELECT content FROM messages")).toString(), QStringLiteral("How many leaves?"));
}

void StoreOpeningTest::newerFormatIsLeftAlone() {
    makeHistory(3);
    {
        samples::OtherProgram other(m_path);
        QVERIFY(other.run(QStringLiteral("PRAGMA user_version = 99")));
        QVERIFY(other.run(QStringLiteral("PRAGMA wal_checkpoint(TRUNCATE)")));
    }
    const QByteArray before = contents();
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    QCOMPARE(report.problem.kind, StoreProblemKind::NewerVersion);
    QVERIFY(report.problem.message.contains(QStringLiteral("99")));
    QVERIFY(!report.problem.hint.isEmpty());
    QVERIFY(!store.isOpen());
    QCOMPARE(contents(), before);
}

void StoreOpeningTest::noDatabase_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("text") << QByteArray("This is a shopping list.\n").repeated(400);
    QTest::newRow("one byte") << QByteArray("x");
    QTest::newRow("zeros") << QByteArray(8192, '\0');
    QTest::newRow("header only") << QByteArray("SQLite format 3\0", 16);
    QTest::newRow("header and noise") << QByteArray("SQLite format 3\0", 16) + QByteArray(8176, '\xa5');
}

void StoreOpeningTest::noDatabase() {
    QFETCH(QByteArray, bytes);
    put(bytes);
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    QCOMPARE(report.problem.kind, StoreProblemKind::Damaged);
    QVERIFY(!report.problem.message.isEmpty());
    QCOMPARE(contents(), bytes);
}

void StoreOpeningTest::anotherProgramsDatabase() {
    {
        samples::OtherProgram other(m_path);
        QVERIFY(other.run(QStringLiteral("CREATE TABLE recipes(x)")));
    }
    const QByteArray before = contents();
    ConversationStore store;
    QCOMPARE(store.open(m_path).problem.kind, StoreProblemKind::Damaged);
    QCOMPARE(contents(), before);
}

void StoreOpeningTest::cutFile() {
    makeHistory(200);
    const QByteArray whole = contents();
    for (const qsizetype size : {whole.size() - 1, whole.size() / 2, qsizetype{4096}, qsizetype{100}}) {
        put(whole.left(size));
        ConversationStore store;
        const OpenReport report = store.open(m_path);
        QCOMPARE(report.problem.kind, StoreProblemKind::Damaged);
        QCOMPARE(contents(), whole.left(size));
    }
}

void StoreOpeningTest::overwrittenPages() {
    makeHistory(200);
    QByteArray bytes = contents();
    for (qsizetype i = 8192; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31);
    put(bytes);
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    QCOMPARE(report.problem.kind, StoreProblemKind::Damaged);
    QCOMPARE(contents(), bytes);
}

void StoreOpeningTest::lockedForWriting() {
    makeHistory(2);
    samples::OtherProgram other(m_path);
    QVERIFY(other.run(QStringLiteral("BEGIN IMMEDIATE")));
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    // Reading works; the notice tells why writing does not.
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QCOMPARE(report.notice.kind, StoreProblemKind::Locked);
    QCOMPARE(store.messages(QStringLiteral("c")).value.size(), 2);
    QCOMPARE(store.apply(SetDraft{QStringLiteral("c"), QStringLiteral("x")}).kind, StoreProblemKind::Locked);
    QVERIFY(other.run(QStringLiteral("ROLLBACK")));
    QVERIFY(store.apply(SetDraft{QStringLiteral("c"), QStringLiteral("x")}).ok());
}

void StoreOpeningTest::lockedForGood() {
    makeHistory(2);
    samples::OtherProgram other(m_path);
    QVERIFY(other.run(QStringLiteral("PRAGMA locking_mode = EXCLUSIVE")));
    QVERIFY(other.run(QStringLiteral("UPDATE conversations SET draft = 'held'")));
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    QCOMPARE(report.problem.kind, StoreProblemKind::Locked);
    QVERIFY(report.problem.retryable());
    QVERIFY(!store.isOpen());
}

void StoreOpeningTest::lockedWhileMigrating() {
    makeFormat1();
    ConversationStore store;
    {
        samples::OtherProgram other(m_path);
        QVERIFY(other.run(QStringLiteral("BEGIN IMMEDIATE")));
        QCOMPARE(store.open(m_path).problem.kind, StoreProblemKind::Locked);
        QCOMPARE(other.value(QStringLiteral("PRAGMA user_version")).toInt(), 1);
    }
    QVERIFY(store.open(m_path).ok());
}

void StoreOpeningTest::folderThatIsAFile() {
    put("a file");
    ConversationStore store;
    const OpenReport report = store.open(m_path + QStringLiteral("/history.db"));
    QCOMPARE(report.problem.kind, StoreProblemKind::ReadOnly);
    QVERIFY(!report.canOpenFresh);
    QCOMPARE(contents(), QByteArray("a file"));
}

void StoreOpeningTest::historyThatIsAFolder() {
    QVERIFY(QDir().mkdir(m_path));
    ConversationStore store;
    const OpenReport report = store.open(m_path);
    QVERIFY(!report.ok());
    QVERIFY(report.canOpenFresh);
    QVERIFY(store.openFresh(m_path).ok());
}

void StoreOpeningTest::readOnlyPlaces() {
    ConversationStore store;
    // Nobody, not even root, makes a folder there.
    QCOMPARE(store.open(QStringLiteral("/proc/trefoil/history.db")).problem.kind, StoreProblemKind::ReadOnly);
    QCOMPARE(store.open(QStringLiteral("/proc/history.db")).problem.kind, StoreProblemKind::ReadOnly);
    makeHistory(1);
    QVERIFY(QFile::setPermissions(m_path, QFileDevice::ReadOwner));
    QVERIFY(QFile::setPermissions(m_folder->path(), QFileDevice::ReadOwner | QFileDevice::ExeOwner));
    const bool everythingIsWritable = QFileInfo(m_path).isWritable();
    const OpenReport report = store.open(m_path);
    QVERIFY(QFile::setPermissions(m_folder->path(), QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner));
    if (everythingIsWritable) QSKIP("permissions do not bind this user (root)");
    QCOMPARE(report.problem.kind, StoreProblemKind::ReadOnly);
}

void StoreOpeningTest::logWithoutDatabase() {
    ConversationStore writer;
    QVERIFY(writer.open(m_path).ok());
    fill(&writer, 3);
    const QString alone = m_folder->filePath(QStringLiteral("alone.db"));
    copySetTo(alone, false, true);
    ConversationStore store;
    const OpenReport report = store.open(alone);
    QCOMPARE(report.problem.kind, StoreProblemKind::WalMismatch);
    QVERIFY(QFileInfo(alone + QStringLiteral("-wal")).size() > 0);
    QVERIFY(!QFileInfo::exists(alone));
}

void StoreOpeningTest::logOfAnotherDatabase() {
    ConversationStore writer;
    QVERIFY(writer.open(m_path).ok());
    fill(&writer, 3);
    const QString mixed = m_folder->filePath(QStringLiteral("mixed.db"));
    {
        ConversationStore other;
        QVERIFY(other.open(mixed).ok());
        fill(&other, 1);
    }
    copySetTo(mixed, false, true);
    ConversationStore store;
    QCOMPARE(store.open(mixed).problem.kind, StoreProblemKind::WalMismatch);
}

void StoreOpeningTest::olderCopyBesideANewerLog() {
    makeHistory(1);
    const QString mixed = m_folder->filePath(QStringLiteral("mixed.db"));
    QVERIFY(QFile::copy(m_path, mixed));  // a backup from between two runs
    {
        ConversationStore later;
        QVERIFY(later.open(m_path).ok());
        QVERIFY(later.apply(SetDraft{QStringLiteral("c"), QStringLiteral("a later run")}).ok());
    }
    ConversationStore writer;
    QVERIFY(writer.open(m_path).ok());
    QVERIFY(writer.apply(SetDraft{QStringLiteral("c"), QStringLiteral("in the log")}).ok());
    copySetTo(mixed, false, true);
    QFile before(mixed);
    QVERIFY(before.open(QIODevice::ReadOnly));
    const QByteArray bytes = before.readAll();
    ConversationStore store;
    const OpenReport report = store.open(mixed);
    QCOMPARE(report.problem.kind, StoreProblemKind::WalMismatch);
    QVERIFY(QFileInfo(mixed + QStringLiteral("-wal")).size() > 0);
    before.seek(0);
    QCOMPARE(before.readAll(), bytes);
}

void StoreOpeningTest::rightfulLogIsUsed() {
    makeHistory(1);
    ConversationStore writer;
    QVERIFY(writer.open(m_path).ok());
    QVERIFY(writer.apply(SetDraft{QStringLiteral("c"), QStringLiteral("in the log")}).ok());
    const QString killed = m_folder->filePath(QStringLiteral("killed.db"));
    copySetTo(killed, true, true);
    ConversationStore store;
    const OpenReport report = store.open(killed);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QCOMPARE(store.conversation(QStringLiteral("c")).value.draft, QStringLiteral("in the log"));
}

void StoreOpeningTest::backupIsCompleteOnItsOwn() {
    ConversationStore writer;
    QVERIFY(writer.open(m_path).ok());
    fill(&writer, 5);
    const QString copy = m_folder->filePath(QStringLiteral("copy.db"));
    QVERIFY(writer.backUp(copy).ok());
    QVERIFY(!QFileInfo::exists(copy + QStringLiteral("-wal")));
    QVERIFY(!QFileInfo::exists(copy + QStringLiteral(".part")));
    ConversationStore store;
    QVERIFY(store.open(copy).ok());
    QCOMPARE(store.messages(QStringLiteral("c")).value.size(), 5);
    // Never over a history that somebody has open; a backup that is there is replaced as a whole.
    QVERIFY(!writer.backUp(copy).ok());
    store.close();
    fill(&writer, 6);
    QVERIFY(writer.backUp(copy).ok());
    QVERIFY(store.open(copy).ok());
    QCOMPARE(store.messages(QStringLiteral("c")).value.size(), 11);
    store.close();
    QVERIFY(!writer.backUp(QStringLiteral("/proc/copy.db")).ok());
}

void StoreOpeningTest::everyProblemAllowsGoingOn() {
    put("no database");
    ConversationStore store;
    QVERIFY(!store.open(m_path).ok());
    const OpenReport first = store.openFresh(m_path);
    QVERIFY(first.ok());
    QVERIFY(first.created);
    QVERIFY(first.path != m_path);
    QCOMPARE(QFileInfo(first.path).absolutePath(), QFileInfo(m_path).absolutePath());
    QVERIFY(store.apply(CreateConversation{samples::conversation(QStringLiteral("c"))}).ok());
    const OpenReport second = store.openFresh(m_path);  // in the same second: another name
    QVERIFY(second.ok());
    QVERIFY(second.path != first.path);
    QCOMPARE(contents(), QByteArray("no database"));
    QVERIFY(store.openTemporary().ok());
}

QTEST_GUILESS_MAIN(StoreOpeningTest)
#include "store_opening_test.moc"
