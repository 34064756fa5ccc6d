// The real program, driven by window_driver, is killed at 20 moments from a fixed seed (TREFOIL_KILLS=N: at N), or ended by a
// signal. What its history held for another program before the end is there afterwards, and the program goes on with it.
#include "app/core/conversation_store.h"
#include "app/core/store_schema.h"
#include "tests/app/store_samples.h"

#include <QDir>
#include <QFile>
#include <QHash>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <csignal>
#include <random>
#include <utility>

using namespace trefoil;

namespace {

constexpr int kStartMs = 60'000;  // a bound for what never comes, on a busy machine with sanitizers

/// Of the messages that a history holds.
struct Seen {
    QHash<QString, QString> contents;
    QHash<QString, QString> conversations;  ///< of the messages
    QSet<QString> deleted;                  ///< conversations
    int running = 0;
};

/// As another program sees it while Trefoil writes; nothing before there is a history.
Seen look(const QString& path) {
    Seen seen;
    const QString name = newRecordId();
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(path);
        database.setConnectOptions(QStringLiteral("QSQLITE_OPEN_READONLY;QSQLITE_BUSY_TIMEOUT=5000"));
        if (QFile::exists(path) && database.open()) {
            QSqlQuery query(database);
            if (query.exec(
                    QStringLiteral("SELECT m.id, m.content, m.conversation_id, m.in_progress, c.deleted_at IS NOT NULL FROM "
                                   "messages m JOIN conversations c ON c.id = m.conversation_id"))) {
                while (query.next()) {
                    seen.contents.insert(query.value(0).toString(), query.value(1).toString());
                    seen.conversations.insert(query.value(0).toString(), query.value(2).toString());
                    seen.running += query.value(3).toInt();
                    if (query.value(4).toBool()) seen.deleted.insert(query.value(2).toString());
                }
            }
        }
    }
    QSqlDatabase::removeDatabase(name);
    return seen;
}

}  // namespace

class ProgramKillTest : public QObject {
    Q_OBJECT

private slots:
    void killedAtAnyMoment();
    void endedBySignals_data();
    void endedBySignals();

private:
    static void start(QProcess* program, const QString& home, const QString& task, const QString& file = {});
    static QString history(const QString& home) { return home + QStringLiteral("/data/history.db"); }
    /// Before Trefoil opens it again.
    static void checkFile(const QString& path);
    static void check(const QString& path, const Seen& before);
    static void makeOldHistory(const QString& path, int messages);
    static QString makeImport(const QString& folder, int number);
    static void waitForMessages(const QString& path, int messages);
};

void ProgramKillTest::start(QProcess* program, const QString& home, const QString& task, const QString& file) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("HOME"), home);
    environment.insert(QStringLiteral("TREFOIL_DATA_DIR"), home + QStringLiteral("/data"));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("DBUS_SESSION_BUS_ADDRESS"), QStringLiteral("disabled:"));
    environment.insert(QStringLiteral("QT_PLUGIN_PATH"), QStringLiteral(WINDOW_DRIVER_FOLDER));
    if (!task.isEmpty()) environment.insert(QStringLiteral("QT_QPA_GENERIC_PLUGINS"), QStringLiteral("trefoildriver:") + task);
    environment.insert(QStringLiteral("TREFOIL_DRIVER_FILE"), file);
    program->setProcessEnvironment(environment);
    program->start(QStringLiteral(TREFOIL_APP), {QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--model"),
                                                 QStringLiteral(TREFOIL_SOURCE_DIR "/resources/demo-model")});
    QVERIFY(program->waitForStarted());
}

void ProgramKillTest::waitForMessages(const QString& path, int messages) {
    QTRY_VERIFY_WITH_TIMEOUT(look(path).contents.size() >= messages, kStartMs);
}

void ProgramKillTest::checkFile(const QString& path) {
    if (!QFile::exists(path)) return;  // killed before its first transaction
    samples::OtherProgram other(path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
}

void ProgramKillTest::check(const QString& path, const Seen& before) {
    checkFile(path);
    if (QTest::currentTestFailed()) return;
    {
        ConversationStore store;
        const OpenReport report = store.open(path);
        QVERIFY2(report.ok(), qPrintable(report.problem.text()));
        QVERIFY2(report.notice.ok(), qPrintable(report.notice.text()));
        QHash<QString, QString> stored;
        const auto list = store.list();
        QVERIFY(list.ok());
        for (const ConversationSummary& row : list.value)
            for (const auto& messages : {store.messages(row.id), store.messagesAside(row.id)}) {
                QVERIFY(messages.ok());
                for (const MessageRecord& message : messages.value) {
                    stored.insert(message.id, message.content);
                    if (message.role != QLatin1String("assistant")) continue;
                    const auto trace = store.trace(message.id);
                    QVERIFY2(trace.ok(), qPrintable(trace.problem.text()));
                }
            }
        const Seen now = look(path);
        QCOMPARE(now.running, 0);
        for (auto it = before.contents.cbegin(); it != before.contents.cend(); ++it) {
            if (now.deleted.contains(before.conversations.value(it.key()))) continue;
            QVERIFY2(stored.contains(it.key()), qPrintable(it.value()));
            // An answer may have gone on after the look.
            QVERIFY2(stored.value(it.key()).startsWith(it.value()),
                     qPrintable(it.value() + QStringLiteral(" → ") + stored.value(it.key())));
        }
    }
    samples::OtherProgram other(path);
    QVERIFY(other.run(QStringLiteral("INSERT INTO message_search(message_search) VALUES('integrity-check')")));
    QVERIFY(other.run(QStringLiteral("INSERT INTO short_search(short_search) VALUES('integrity-check')")));
}

void ProgramKillTest::makeOldHistory(const QString& path, int messages) {
    const QString name = newRecordId();
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(path);
        QVERIFY(database.open());
        QVERIFY(schema::migrate(database, 0, 2).ok());
        QVERIFY(schema::execute(database,
                                QStringLiteral("INSERT INTO conversations(id, title, created_utc, updated_utc, active_leaf) "
                                               "VALUES('c', 'Water', 1, 2, 'm%1')")
                                    .arg(messages - 1))
                    .ok());
        schema::Transaction transaction(database);
        for (int i = 0; i < messages; ++i) {
            const QVariant parent = i == 0 ? QVariant() : QVariant(QStringLiteral("m%1").arg(i - 1));
            QVERIFY(
                schema::execute(database,
                                QStringLiteral("INSERT INTO messages(id, conversation_id, parent_id, role, content, created_utc) "
                                               "VALUES(?, 'c', ?, 'user', ?, 1)"),
                                {QStringLiteral("m%1").arg(i), parent, QStringLiteral("水 number %1").arg(i)})
                    .ok());
        }
        QVERIFY(transaction.commit().ok());
    }
    QSqlDatabase::removeDatabase(name);
}

QString ProgramKillTest::makeImport(const QString& folder, int number) {
    QByteArray json = "[";
    for (int i = 0; i < 200; ++i)
        json += (i > 0 ? "," : "") + QStringLiteral(
                                         "{\"title\":\"Import %1 %2\",\"messages\":[{\"role\":\"user\",\"content\":\"question "
                                         "%1 %2\"},{\"role\":\"assistant\",\"content\":\"answer %1 %2\"}]}")
                                         .arg(number)
                                         .arg(i)
                                         .toUtf8();
    QFile file(folder + QStringLiteral("/import%1.json").arg(number));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(json + "]");
    return file.fileName();
}

void ProgramKillTest::killedAtAnyMoment() {
    bool given = false;
    const int wanted = qEnvironmentVariableIntValue("TREFOIL_KILLS", &given);
    const int moments = given ? wanted : 20;
    std::mt19937 random(20261203);
    const QTemporaryDir folder;
    const QString kept = folder.path();
    for (int moment = 0; moment < moments; ++moment) {
        const auto delay = static_cast<unsigned long>(random() % 400'000);
        QProcess program;
        if (moment % 4 == 3) {
            // A history of an older program, killed at any time from the start on.
            const QTemporaryDir old;
            QVERIFY(QDir().mkpath(old.filePath(QStringLiteral("data"))));
            makeOldHistory(history(old.path()), 300);
            const Seen before = look(history(old.path()));
            QCOMPARE(before.contents.size(), 300);
            start(&program, old.path(), QString());
            QThread::usleep(delay);
            program.kill();
            QVERIFY(program.waitForFinished());
            check(history(old.path()), before);
        } else {
            const qsizetype old = look(history(kept)).contents.size();
            const QString task =
                QStringList{QStringLiteral("asking"), QStringLiteral("editing"), QStringLiteral("importing")}.at(moment % 4);
            start(&program, kept, task, makeImport(kept, moment));
            if (QTest::currentTestFailed()) return;
            // Something of this round is there; then at any moment.
            waitForMessages(history(kept), static_cast<int>(old) + 1);
            QThread::usleep(delay);
            const Seen before = look(history(kept));
            program.kill();
            QVERIFY(program.waitForFinished());
            QCOMPARE(program.exitStatus(), QProcess::CrashExit);
            check(history(kept), before);
            // A file is taken in as a whole or not at all.
            const Seen now = look(history(kept));
            const auto taken = std::count_if(now.contents.cbegin(), now.contents.cend(), [&](const QString& text) {
                return text.startsWith(QStringLiteral("question %1 ").arg(moment));
            });
            QVERIFY2(taken == 0 || taken == 200, qPrintable(QString::number(taken)));
        }
        if (QTest::currentTestFailed()) {
            qWarning("at moment %d", moment);
            return;
        }
    }
}

void ProgramKillTest::endedBySignals_data() {
    QTest::addColumn<QList<int>>("signals_");
    QTest::newRow("SIGTERM") << QList<int>{SIGTERM};
    QTest::newRow("SIGHUP") << QList<int>{SIGHUP};
    QTest::newRow("SIGINT") << QList<int>{SIGINT};
    QTest::newRow("twice") << QList<int>{SIGTERM, SIGTERM};
}

/// During an answer: everything up to the last block is there, and the program ends by itself.
void ProgramKillTest::endedBySignals() {
    QFETCH(QList<int>, signals_);
    const QTemporaryDir home;
    QProcess program;
    start(&program, home.path(), QStringLiteral("asking"));
    QTRY_VERIFY_WITH_TIMEOUT(look(history(home.path())).running == 1, kStartMs);
    const Seen before = look(history(home.path()));
    for (const int signal : std::as_const(signals_)) ::kill(static_cast<pid_t>(program.processId()), signal);
    QVERIFY(program.waitForFinished(kStartMs));
    QCOMPARE(program.exitStatus(), QProcess::NormalExit);
    QCOMPARE(program.exitCode(), 0);
    QCOMPARE(look(history(home.path())).running, 0);
    check(history(home.path()), before);
}

QTEST_GUILESS_MAIN(ProgramKillTest)
#include "program_kill_test.moc"
