// Backups of the whole history, taken while an answer is written, and putting one back in the history's place.
#include "app/core/conversation_store.h"
#include "app/core/store_worker.h"
#include "tests/app/store_samples.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace {

using namespace trefoil;

/// A conversation with a question and an answer of `blocks` blocks that is still being written.
void write(ConversationStore& store, const QString& id, int blocks) {
    QVERIFY(store.apply(CreateConversation{samples::conversation(id)}).ok());
    QVERIFY(store.apply(AppendMessage{samples::message(id + QStringLiteral("-q"), id, QStringLiteral("user"), id)}).ok());
    QVERIFY(store.apply(BeginAnswer{samples::message(id + QStringLiteral("-a"), id, QStringLiteral("assistant"), {}, 1)}).ok());
    for (int block = 1; block <= blocks; ++block)
        QVERIFY(store.apply(UpdateAnswer{samples::answer(id + QStringLiteral("-a"), block)}).ok());
}

QStringList idsOf(ConversationStore& store) {
    QStringList ids;
    for (const ConversationSummary& row : store.list().value) ids.append(row.id);
    ids.sort();
    return ids;
}

void copySet(const QString& from, const QString& to) {
    for (const char* part : {"", "-wal", "-shm"}) {
        QFile::remove(to + QLatin1String(part));
        if (QFile::exists(from + QLatin1String(part))) QVERIFY(QFile::copy(from + QLatin1String(part), to + QLatin1String(part)));
    }
}

class BackupTest : public QObject {
    Q_OBJECT

private slots:
    void aBackupTakenLiveStandsAlone();
    void aBackupReplacesTheHistoryAsAWhole();
    void aLogLeftBesideABackupIsNoticed();
    void whatCannotBeRestoredChangesNothing();
    void theHistoryIsNotItsOwnBackup();
    void throughTheWorker();
};

void BackupTest::aBackupTakenLiveStandsAlone() {
    const QTemporaryDir folder;
    ConversationStore store;
    QVERIFY(store.open(folder.filePath(QStringLiteral("h.db"))).ok());
    write(store, QStringLiteral("c"), 3);
    QVERIFY(QFileInfo(folder.filePath(QStringLiteral("h.db-wal"))).size() > 0);
    const QString backup = folder.filePath(QStringLiteral("b.db"));
    QVERIFY(store.backUp(backup).ok());
    QVERIFY(store.backUp(backup).ok());  // again, in place of the first
    QVERIFY(store.apply(UpdateAnswer{samples::answer(QStringLiteral("c-a"), 4)}).ok());
    QCOMPARE(QFile::permissions(backup) & (QFileDevice::ReadGroup | QFileDevice::ReadOther), QFileDevice::Permissions());
    // Alone elsewhere.
    const QTemporaryDir elsewhere;
    const QString moved = elsewhere.filePath(QStringLiteral("x.db"));
    QVERIFY(QFile::copy(backup, moved));
    {
        samples::OtherProgram sqlite(moved);
        QCOMPARE(sqlite.value(QStringLiteral("PRAGMA integrity_check")).toString(), QStringLiteral("ok"));
        QCOMPARE(sqlite.value(QStringLiteral("PRAGMA journal_mode")).toString(), QStringLiteral("delete"));
    }
    ConversationStore other;
    QVERIFY(other.open(moved).ok());
    const QList<MessageRecord> messages = other.messages(QStringLiteral("c")).value;
    QCOMPARE(messages.size(), 2);
    QCOMPARE(messages.last().content, samples::answer(QStringLiteral("c-a"), 3).content);
    QCOMPARE(messages.last().stopReason, EndReason::Interrupted);
    QCOMPARE(other.trace(QStringLiteral("c-a")).value.passes.size(), 6);
}

void BackupTest::aBackupReplacesTheHistoryAsAWhole() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("h.db"));
    const QString backup = folder.filePath(QStringLiteral("b.db"));
    ConversationStore store;
    QVERIFY(store.open(path).ok());
    write(store, QStringLiteral("old"), 1);
    QVERIFY(store.backUp(backup).ok());
    write(store, QStringLiteral("new"), 2);
    const RestoreReport report = store.restore(backup);
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QCOMPARE(report.opened.path, path);
    QCOMPARE(idsOf(store), QStringList{QStringLiteral("old")});
    // It can be written, and the backup can be restored again.
    write(store, QStringLiteral("newest"), 1);
    ConversationStore aside;
    QVERIFY(aside.open(report.aside).ok());
    QCOMPARE(idsOf(aside), (QStringList{QStringLiteral("new"), QStringLiteral("old")}));
    QCOMPARE(aside.messages(QStringLiteral("new")).value.last().content, samples::answer(QStringLiteral("new-a"), 2).content);
    QVERIFY(store.restore(backup).ok());
    QCOMPARE(idsOf(store), QStringList{QStringLiteral("old")});
    QVERIFY(!QFileInfo::exists(path + QStringLiteral("-restored")));
}

void BackupTest::aLogLeftBesideABackupIsNoticed() {
    // As after kill -9: file, log and index as they lie while a program writes.
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("h.db"));
    const QString backup = folder.filePath(QStringLiteral("b.db"));
    const QString killed = folder.filePath(QStringLiteral("killed.db"));
    {
        ConversationStore store;
        QVERIFY(store.open(path).ok());
        write(store, QStringLiteral("old"), 1);
        QVERIFY(store.backUp(backup).ok());
        write(store, QStringLiteral("new"), 2);
        copySet(path, killed);
    }
    QVERIFY(QFileInfo(killed + QStringLiteral("-wal")).size() > 0);
    const QTemporaryDir whole;
    copySet(killed, whole.filePath(QStringLiteral("h.db")));
    ConversationStore store;
    QVERIFY(store.open(whole.filePath(QStringLiteral("h.db"))).ok());
    QCOMPARE(idsOf(store), (QStringList{QStringLiteral("new"), QStringLiteral("old")}));
    store.close();
    // By hand: the backup of the same run over the file, the log stays.
    QVERIFY(QFile::remove(killed));
    QVERIFY(QFile::copy(backup, killed));
    const OpenReport report = store.open(killed);
    QCOMPARE(report.problem.kind, StoreProblemKind::WalMismatch);
    QVERIFY(QFileInfo(killed + QStringLiteral("-wal")).size() > 0);
    // Nor can such a mix be restored.
    QVERIFY(store.open(path).ok());
    QCOMPARE(store.restore(killed).problem.kind, StoreProblemKind::WalMismatch);
    QCOMPARE(idsOf(store), (QStringList{QStringLiteral("new"), QStringLiteral("old")}));
}

void BackupTest::whatCannotBeRestoredChangesNothing() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("h.db"));
    ConversationStore store;
    QVERIFY(store.open(path).ok());
    write(store, QStringLiteral("c"), 1);
    const QString backup = folder.filePath(QStringLiteral("b.db"));
    QVERIFY(store.backUp(backup).ok());
    const auto refused = [&](StoreProblemKind kind, const QString& file) {
        const RestoreReport report = store.restore(file);
        QCOMPARE(report.problem.kind, kind);
        QVERIFY(report.aside.isEmpty());
        QVERIFY(!report.problem.message.isEmpty() && !report.problem.hint.isEmpty());
        QCOMPARE(idsOf(store), QStringList{QStringLiteral("c")});
    };
    refused(StoreProblemKind::NotFound, folder.filePath(QStringLiteral("none.db")));
    QFile text(folder.filePath(QStringLiteral("text.db")));
    QVERIFY(text.open(QIODevice::WriteOnly) && text.write(QByteArray(5000, 'x')) == 5000);
    text.close();
    refused(StoreProblemKind::Damaged, text.fileName());
    QFile cut(backup);
    QVERIFY(cut.resize(cut.size() / 2));
    refused(StoreProblemKind::Damaged, backup);
    QVERIFY(store.backUp(backup).ok());
    {
        samples::OtherProgram newer(backup);
        QVERIFY(newer.run(QStringLiteral("PRAGMA user_version = 99")));
    }
    refused(StoreProblemKind::NewerVersion, backup);
    QVERIFY(store.backUp(backup).ok());
    ConversationStore second;  // another window
    QVERIFY(second.open(path).ok());
    refused(StoreProblemKind::Locked, backup);
    second.close();
    QVERIFY(store.restore(backup).ok());
    ConversationStore temporary;
    QVERIFY(temporary.openTemporary().ok());
    QCOMPARE(temporary.restore(backup).problem.kind, StoreProblemKind::Closed);
}

void BackupTest::theHistoryIsNotItsOwnBackup() {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("h.db"));
    ConversationStore store;
    QVERIFY(store.open(path).ok());
    write(store, QStringLiteral("c"), 1);
    QVERIFY(QFile::link(path, folder.filePath(QStringLiteral("link.db"))));
    QCOMPARE(store.backUp(path).kind, StoreProblemKind::Invalid);
    QCOMPARE(store.backUp(folder.filePath(QStringLiteral("link.db"))).kind, StoreProblemKind::Invalid);
    QCOMPARE(idsOf(store), QStringList{QStringLiteral("c")});
}

void BackupTest::throughTheWorker() {
    const QTemporaryDir folder;
    StoreWorker store;
    QSignalSpy opened(&store, &StoreWorker::opened);
    QSignalSpy backedUp(&store, &StoreWorker::backedUp);
    QSignalSpy restored(&store, &StoreWorker::restored);
    store.openAsync(folder.filePath(QStringLiteral("h.db")));
    store.createConversation(samples::conversation(QStringLiteral("old")));
    store.backUpAsync(folder.filePath(QStringLiteral("b.db")));
    QVERIFY(backedUp.wait());
    QVERIFY(backedUp.first().at(2).value<StoreProblem>().ok());
    store.createConversation(samples::conversation(QStringLiteral("new")));
    store.restoreAsync(folder.filePath(QStringLiteral("b.db")));
    QVERIFY(restored.wait());
    const auto report = restored.first().at(1).value<RestoreReport>();
    QVERIFY2(report.ok(), qPrintable(report.problem.text()));
    QTRY_COMPARE(opened.count(), 2);
    // What was written just before is in the history that was kept.
    ConversationStore aside;
    QVERIFY(aside.open(report.aside).ok());
    QCOMPARE(idsOf(aside), (QStringList{QStringLiteral("new"), QStringLiteral("old")}));
}

}  // namespace

QTEST_GUILESS_MAIN(BackupTest)
#include "backup_test.moc"
