// A killed writer loses at most the block that it was writing.
#include "app/core/conversation_store.h"
#include "tests/app/store_samples.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace trefoil;

class StoreKillTest : public QObject {
    Q_OBJECT
private slots:
    void killedWhileWriting();
};

void StoreKillTest::killedWhileWriting() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("history.db"));
    QStringList conversations;
    // Killed after the first block, after some, and after the log was written into the file (every 1,000 pages). Each round opens
    // what the round before left.
    for (const int killAfter : {1, 2, 5, 12, 400}) {
        QProcess writer;
        writer.start(QStringLiteral(STORE_WRITER), {path});
        QVERIFY(writer.waitForStarted());
        int reported = 0;
        QString id;
        while (reported < killAfter) {
            if (!writer.canReadLine()) QVERIFY2(writer.waitForReadyRead(), writer.readAllStandardError());
            while (writer.canReadLine()) {
                const QString line = QString::fromUtf8(writer.readLine()).trimmed();
                if (line.startsWith(QStringLiteral("conversation "))) {
                    id = line.mid(13);
                } else {
                    QVERIFY2(line.startsWith(QStringLiteral("block ")), qPrintable(line));
                    reported = line.mid(6).toInt();
                }
            }
        }
        writer.kill();
        QVERIFY(writer.waitForFinished());
        QCOMPARE(writer.exitStatus(), QProcess::CrashExit);
        while (writer.canReadLine()) {  // stored and told between the last look and the kill
            const QString line = QString::fromUtf8(writer.readLine()).trimmed();
            reported = std::max(reported, line.mid(6).toInt());
        }
        conversations.append(id);

        ConversationStore store;
        const OpenReport report = store.open(path);
        QVERIFY2(report.ok(), qPrintable(report.problem.text()));
        QVERIFY2(report.notice.ok(), qPrintable(report.notice.text()));
        QCOMPARE(report.interrupted, 1);
        const MessageRecord answer = store.messages(id).value.value(1);
        QCOMPARE(answer.stopReason, EndReason::Interrupted);
        // The last one may be stored without having been told.
        const auto blocks = static_cast<int>(answer.stats.blocks);
        QVERIFY2(blocks == reported || blocks == reported + 1, qPrintable(QString::number(blocks)));
        QCOMPARE(answer.content, samples::answer(answer.id, blocks).content);
        QCOMPARE(answer.responseIds, samples::answer(answer.id, blocks).responseIds);
        const auto trace = store.trace(answer.id);
        QVERIFY(trace.ok());
        QCOMPARE(trace.value.passes.size(), 2 * blocks);
    }
    ConversationStore store;
    QVERIFY(store.open(path).ok());
    QCOMPARE(store.list().value.size(), conversations.size());
    for (const QString& id : conversations) QCOMPARE(store.messages(id).value.size(), 2);
    samples::OtherProgram other(path);
    QCOMPARE(other.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
    QCOMPARE(other.value(QStringLiteral("SELECT count(*) FROM messages WHERE in_progress = 1")).toInt(), 0);
}

QTEST_GUILESS_MAIN(StoreKillTest)
#include "store_kill_test.moc"
