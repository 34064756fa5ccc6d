// A killed writer loses at most the block that it was writing. At 20 moments from a fixed seed; TREFOIL_KILLS=N: at N.
#include "app/core/conversation_store.h"
#include "app/core/store_schema.h"
#include "tests/app/store_samples.h"

#include <QHash>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <algorithm>
#include <random>
#include <utility>

using namespace trefoil;

class StoreKillTest : public QObject {
    Q_OBJECT
private slots:
    void killedWhileWriting();
    void killedAtAnyMoment();

private:
    /// What a killed writer said that it had stored.
    struct Told {
        QHash<QString, QString> messages;  ///< contents by id
        QHash<QString, QString> titles;
        QSet<QString> doomed;
        QSet<QString> gone;
        QStringList fresh;                    ///< messages whose search was not checked yet
        QHash<QString, QStringList> batches;  ///< conversations of an import by its number
        QSet<QString> imported;               ///< batches
        void add(const QString& line);
    };
    void generate(const QString& path, int blocks, unsigned long microseconds, QStringList* conversations);
    void kill(const QString& path, const QString& task, int lines, unsigned long microseconds, Told* told);
    static void check(const QString& path, Told* told);
    static void checkImports(const QString& path, const Told& told);
    static void checkSearch(ConversationStore& store, const QSet<QString>& stored, Told* told);
    void migrate(const QString& path, unsigned long microseconds);
};

void StoreKillTest::Told::add(const QString& line) {
    const QString id = line.section(QLatin1Char(' '), 1, 1);
    const QString rest = line.section(QLatin1Char(' '), 2);
    if (line.startsWith(QStringLiteral("message "))) {
        messages.insert(id, rest);
        fresh.append(id);
    }
    if (line.startsWith(QStringLiteral("title "))) titles.insert(id, rest);
    if (line.startsWith(QStringLiteral("doomed "))) doomed.insert(id);
    if (line.startsWith(QStringLiteral("gone "))) gone.insert(id);
    if (line.startsWith(QStringLiteral("batch "))) batches.insert(id, rest.split(QLatin1Char(' ')));
    if (line.startsWith(QStringLiteral("imported "))) imported.insert(id);
}

/// An answer grows until it is killed, some time after `blocks` of it were told.
void StoreKillTest::generate(const QString& path, int blocks, unsigned long microseconds, QStringList* conversations) {
    QProcess writer;
    writer.start(QStringLiteral(STORE_WRITER), {path});
    QVERIFY(writer.waitForStarted());
    int reported = 0;
    QString id;
    const auto read = [&] {
        const QString line = QString::fromUtf8(writer.readLine()).trimmed();
        if (line.startsWith(QStringLiteral("conversation "))) {
            id = line.mid(13);
        } else {
            QVERIFY2(line.startsWith(QStringLiteral("block ")), qPrintable(line));
            reported = line.mid(6).toInt();
        }
    };
    while (reported < blocks) {
        if (!writer.canReadLine()) QVERIFY2(writer.waitForReadyRead(), writer.readAllStandardError());
        while (writer.canReadLine()) read();
        if (QTest::currentTestFailed()) return;
    }
    QThread::usleep(microseconds);
    writer.kill();
    QVERIFY(writer.waitForFinished());
    QCOMPARE(writer.exitStatus(), QProcess::CrashExit);
    while (writer.canReadLine()) read();  // stored and told between the last look and the kill
    conversations->append(id);

    ConversationStore store;
    const OpenReport report = store.open(path);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QVERIFY2(report.notice.ok(), qPrintable(report.notice.text()));
    QCOMPARE(report.interrupted, 1);
    const MessageRecord answer = store.messages(id).value.value(1);
    QCOMPARE(answer.stopReason, EndReason::Interrupted);
    // The last one may be stored without having been told.
    const auto stored = static_cast<int>(answer.stats.blocks);
    QVERIFY2(stored == reported || stored == reported + 1, qPrintable(QString::number(stored)));
    QCOMPARE(answer.content, samples::answer(answer.id, stored).content);
    QCOMPARE(answer.responseIds, samples::answer(answer.id, stored).responseIds);
    const auto trace = store.trace(answer.id);
    QVERIFY2(trace.ok(), qPrintable(trace.problem.text()));
    QCOMPARE(trace.value.passes.size(), 2 * stored);
    QCOMPARE(store.list().value.size(), conversations->size());
    for (const QString& each : std::as_const(*conversations)) QCOMPARE(store.messages(each).value.size(), 2);
    samples::OtherProgram other(path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
    QCOMPARE(other.value(QStringLiteral("SELECT count(*) FROM messages WHERE in_progress = 1")).toInt(), 0);
}

void StoreKillTest::killedWhileWriting() {
    const QTemporaryDir folder;
    QStringList conversations;
    // Killed after the first block, after some, and after the log was written into the file (every 1,000 pages). Each round opens
    // what the round before left.
    for (const int killAfter : {1, 2, 5, 12, 400}) {
        generate(folder.filePath(QStringLiteral("history.db")), killAfter, 0, &conversations);
        if (QTest::currentTestFailed()) return;
    }
}

/// Starts a task that has no end, and kills it some time after it told `lines` things.
void StoreKillTest::kill(const QString& path, const QString& task, int lines, unsigned long microseconds, Told* told) {
    QProcess writer;
    writer.start(QStringLiteral(STORE_WRITER), {path, task});
    QVERIFY(writer.waitForStarted());
    for (int read = 0; read < lines;) {
        if (!writer.canReadLine()) QVERIFY2(writer.waitForReadyRead(), writer.readAllStandardError());
        for (; writer.canReadLine(); ++read) told->add(QString::fromUtf8(writer.readLine()).trimmed());
    }
    QThread::usleep(microseconds);
    writer.kill();
    QVERIFY(writer.waitForFinished());
    QCOMPARE(writer.exitStatus(), QProcess::CrashExit);
    while (writer.canReadLine()) told->add(QString::fromUtf8(writer.readLine()).trimmed());
}

void StoreKillTest::check(const QString& path, Told* told) {
    ConversationStore store;
    const OpenReport report = store.open(path);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    samples::OtherProgram other(path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
    const auto list = store.list();
    QVERIFY(list.ok());
    QHash<QString, QString> stored;
    QHash<QString, QString> titles;
    for (const ConversationSummary& row : list.value) {
        titles.insert(row.id, row.title);
        for (const auto& messages : {store.messages(row.id), store.messagesAside(row.id)}) {
            QVERIFY(messages.ok());
            for (const MessageRecord& message : messages.value) stored.insert(message.id, message.content);
        }
    }
    for (auto it = told->titles.cbegin(); it != told->titles.cend(); ++it)
        if (!told->doomed.contains(it.key())) QCOMPARE(titles.value(it.key()), it.value());
    for (const QString& id : std::as_const(told->gone)) QVERIFY(!titles.contains(id));
    // The contents end with the conversation.
    for (auto it = told->messages.cbegin(); it != told->messages.cend(); ++it) {
        if (stored.contains(it.key()))
            QCOMPARE(stored.value(it.key()), it.value());
        else
            QVERIFY2(told->doomed.contains(it.value().section(QLatin1Char(' '), -1)), qPrintable(it.value()));
    }
    checkSearch(store, {stored.keyBegin(), stored.keyEnd()}, told);
    QVERIFY(other.run(QStringLiteral("INSERT INTO message_search(message_search) VALUES('integrity-check')")));
    QVERIFY(other.run(QStringLiteral("INSERT INTO short_search(short_search) VALUES('integrity-check')")));
}

/// Each message once, after the kill that followed it: looking for all of them again every time would be most of the test.
void StoreKillTest::checkSearch(ConversationStore& store, const QSet<QString>& stored, Told* told) {
    for (const QString& message : std::as_const(told->fresh)) {
        if (!stored.contains(message)) continue;
        const QString content = told->messages.value(message);
        // Before the conversation stands the answer, where it is one.
        const bool answer = content.startsWith(QStringLiteral("Answer"));
        const QString id = content.section(QLatin1Char(' '), 1, 1);
        const auto longWord = store.search(QLatin1Char('"') + content + QLatin1Char('"'));
        QCOMPARE(longWord.value.hits.size(), 1);
        const auto shortWord = store.search((answer ? QStringLiteral("木 ") : QStringLiteral("水 ")) + id);
        QCOMPARE(shortWord.value.hits.size(), 1);
    }
    told->fresh.clear();
}

/// A file is taken in as a whole or not at all.
void StoreKillTest::checkImports(const QString& path, const Told& told) {
    ConversationStore store;
    const OpenReport report = store.open(path);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QSet<QString> there;
    for (const ConversationSummary& row : store.list().value) there.insert(row.id);
    for (auto batch = told.batches.cbegin(); batch != told.batches.cend(); ++batch) {
        const auto count = std::count_if(batch->cbegin(), batch->cend(), [&](const QString& id) { return there.contains(id); });
        QVERIFY2(count == batch->size() || (count == 0 && !told.imported.contains(batch.key())), qPrintable(batch.key()));
        if (count == 0) continue;
        for (const QString& id : *batch) {
            const auto messages = store.messages(id);
            QCOMPARE(messages.value.size(), samples::kImportedMessages);
            QCOMPARE(messages.value.constLast().content, samples::importedText(id, samples::kImportedMessages - 1));
        }
    }
    samples::OtherProgram other(path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
    QVERIFY(other.run(QStringLiteral("INSERT INTO message_search(message_search) VALUES('integrity-check')")));
}

void StoreKillTest::migrate(const QString& path, unsigned long microseconds) {
    constexpr int kMessages = 300;
    const QString name = newRecordId();
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(path);
        QVERIFY(database.open());
        QVERIFY(schema::migrate(database, 0, 2).ok());
        QVERIFY(schema::execute(database,
                                QStringLiteral("INSERT INTO conversations(id, title, created_utc, updated_utc, active_leaf) "
                                               "VALUES('c', 'Water', 1, 2, 'm299')"))
                    .ok());
        schema::Transaction transaction(database);
        for (int i = 0; i < kMessages; ++i) {
            const QVariant parent = i == 0 ? QVariant() : QVariant(QStringLiteral("m%1").arg(i - 1));
            QVERIFY(schema::execute(database,
                                    QStringLiteral("INSERT INTO messages(id, conversation_id, parent_id, role, content, "
                                                   "created_utc) VALUES(?, 'c', ?, 'user', ?, 1)"),
                                    {QStringLiteral("m%1").arg(i), parent, QStringLiteral("水 number %1").arg(i)})
                        .ok());
        }
        QVERIFY(transaction.commit().ok());
    }
    QSqlDatabase::removeDatabase(name);
    QProcess opener;
    opener.start(QStringLiteral(STORE_WRITER), {path, QStringLiteral("opening")});
    QVERIFY(opener.waitForStarted());
    QThread::usleep(microseconds);
    opener.kill();
    QVERIFY(opener.waitForFinished());
    ConversationStore store;
    const OpenReport report = store.open(path);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QCOMPARE(store.messages(QStringLiteral("c")).value.size(), kMessages);
    QCOMPARE(store.search(QStringLiteral("水")).value.hits.value(0).count, kMessages);
    samples::OtherProgram other(path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
}

// Generating, editing and importing, each on one history that every round finds as the round before left it, and migrations of a
// fresh one, in turn.
void StoreKillTest::killedAtAnyMoment() {
    bool given = false;
    const int wanted = qEnvironmentVariableIntValue("TREFOIL_KILLS", &given);
    const int moments = given ? wanted : 20;
    std::mt19937 random(20261202);
    const QTemporaryDir folder;
    const QString generated = folder.filePath(QStringLiteral("generated.db"));
    const QString edited = folder.filePath(QStringLiteral("edited.db"));
    const QString imported = folder.filePath(QStringLiteral("imported.db"));
    QStringList conversations;
    Told edits;
    Told imports;
    for (int moment = 0; moment < moments; ++moment) {
        const int lines = 1 + static_cast<int>(random() % 40);
        const unsigned long microseconds = random() % 8'000;
        switch (moment % 4) {
            case 0:
                kill(edited, QStringLiteral("editing"), lines, microseconds, &edits);
                if (!QTest::currentTestFailed()) check(edited, &edits);
                break;
            case 1:
                migrate(folder.filePath(QStringLiteral("old%1.db").arg(moment)), random() % 120'000);
                break;
            case 2:
                kill(imported, QStringLiteral("importing"), 1 + lines / 4, microseconds, &imports);
                if (!QTest::currentTestFailed()) checkImports(imported, imports);
                break;
            default:
                generate(generated, lines, microseconds, &conversations);
                break;
        }
        if (QTest::currentTestFailed()) {
            qWarning("at moment %d", moment);
            return;
        }
    }
}

QTEST_GUILESS_MAIN(StoreKillTest)
#include "store_kill_test.moc"
