// The history behind its thread: order, retries, what the window sees meanwhile, and a bounded end.
#include "app/core/store_worker.h"
#include "tests/app/store_samples.h"

#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace trefoil;

namespace {

/// No file of this process may grow beyond the limit while this lives: a disk that takes no more.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) {
        m_handler = ::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit limit{bytes, m_before.rlim_max};
        m_works = ::setrlimit(RLIMIT_FSIZE, &limit) == 0;
    }
    ~FileSizeLimit() { lift(); }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;
    [[nodiscard]] bool works() const { return m_works; }
    void lift() {
        if (!m_works) return;
        ::setrlimit(RLIMIT_FSIZE, &m_before);
        ::signal(SIGXFSZ, m_handler);
        m_works = false;
    }

private:
    rlimit m_before{};
    void (*m_handler)(int) = SIG_DFL;
    bool m_works = false;
};

double threadCpuMs() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace

class StoreWorkerTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void opensWritesAndReads();
    void writesBeforeOpeningWait();
    void lockedWritesWaitInOrder();
    void ownChangesAreSeenWhileTheyWait();
    void deleteAndRestoreWhileWaiting();
    void fullDiskKeepsTheAnswerUntilThereIsRoom();
    void fullDiskAtTheStartIsNotForEver();
    void impossibleWritesDoNotHoldUpTheRest();
    void flushTellsWhatIsNotStored();
    void goesOnWithTemporaryHistory();
    void callsReturnAtOnce();
    void mergedUpdatesKeepEveryPass();
    void backsUp();

private:
    /// The answer may have come before anybody waits for it.
    static bool arrived(QSignalSpy& spy) { return !spy.isEmpty() || spy.wait(); }

    OpenReport open() {
        QSignalSpy spy(m_worker.get(), &StoreWorker::opened);
        const RequestId id = m_worker->openAsync(m_path);
        if (!arrived(spy) || spy[0][0].value<RequestId>() != id) return {};
        return spy[0][1].value<OpenReport>();
    }
    QList<ConversationSummary> list() {
        QSignalSpy spy(m_worker.get(), &StoreWorker::listLoaded);
        m_worker->loadListAsync();
        return arrived(spy) ? spy[0][1].value<QList<ConversationSummary>>() : QList<ConversationSummary>();
    }
    QList<MessageRecord> messages(const QString& id, ConversationRecord* conversation = nullptr) {
        QSignalSpy spy(m_worker.get(), &StoreWorker::conversationLoaded);
        m_worker->loadConversationAsync(id);
        if (!arrived(spy)) return {};
        if (conversation != nullptr) *conversation = spy[0][1].value<ConversationRecord>();
        return spy[0][2].value<QList<MessageRecord>>();
    }
    TraceView trace(const QString& id) {
        QSignalSpy spy(m_worker.get(), &StoreWorker::traceLoaded);
        m_worker->loadTraceAsync(id);
        return arrived(spy) ? spy[0][2].value<TraceView>() : TraceView();
    }
    void ask(const QString& id) {
        m_worker->createConversation(samples::conversation(id));
        m_worker->appendMessage(
            samples::message(id + QStringLiteral("-q"), id, QStringLiteral("user"), QStringLiteral("Why?"), 1));
        m_worker->beginAnswer(samples::message(id + QStringLiteral("-a"), id, QString(), QString(), 2));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<StoreWorker> m_worker;
    QString m_path;
};

void StoreWorkerTest::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->filePath(QStringLiteral("history.db"));
    m_worker = std::make_unique<StoreWorker>();
}

void StoreWorkerTest::cleanup() { m_worker.reset(); }

void StoreWorkerTest::opensWritesAndReads() {
    QVERIFY(open().created);
    ask(QStringLiteral("c"));
    m_worker->updateAnswer(samples::answer(QStringLiteral("c-a"), 1));
    m_worker->finishAnswer(samples::answer(QStringLiteral("c-a"), 2), EndReason::End);
    ConversationRecord conversation;
    const auto loaded = messages(QStringLiteral("c"), &conversation);
    QCOMPARE(loaded.size(), 2);
    QCOMPARE(loaded[1].stopReason, EndReason::End);
    QCOMPARE(loaded[1].role, QStringLiteral("assistant"));
    QCOMPARE(conversation.title, QStringLiteral("Why?"));
    QCOMPARE(trace(QStringLiteral("c-a")).passes.size(), 4);
    const FlushReport flushed = m_worker->flushAndClose(5000);
    QVERIFY(flushed.allStored);
    m_worker = std::make_unique<StoreWorker>();
    QVERIFY(!open().created);
    QCOMPARE(list().size(), 1);
}

void StoreWorkerTest::writesBeforeOpeningWait() {
    QSignalSpy notSaved(m_worker.get(), &StoreWorker::notSaved);
    QSignalSpy saved(m_worker.get(), &StoreWorker::saved);
    ask(QStringLiteral("c"));
    QVERIFY(notSaved.wait());
    QCOMPARE(notSaved[0][0].value<StoreProblem>().kind, StoreProblemKind::Closed);
    QVERIFY(open().ok());
    QTRY_COMPARE(saved.size(), 1);
    QCOMPARE(messages(QStringLiteral("c")).size(), 2);
}

void StoreWorkerTest::lockedWritesWaitInOrder() {
    QVERIFY(open().ok());
    ask(QStringLiteral("c"));
    QCOMPARE(list().size(), 1);
    QSignalSpy notSaved(m_worker.get(), &StoreWorker::notSaved);
    QSignalSpy saved(m_worker.get(), &StoreWorker::saved);
    samples::OtherProgram other(m_path);
    QVERIFY(other.run(QStringLiteral("BEGIN IMMEDIATE")));
    m_worker->renameConversation(QStringLiteral("c"), QStringLiteral("first"));
    m_worker->setSystemPrompt(QStringLiteral("c"), QStringLiteral("be brief"));
    m_worker->renameConversation(QStringLiteral("c"), QStringLiteral("second"));
    m_worker->finishAnswer(samples::answer(QStringLiteral("c-a"), 1), EndReason::End);
    QVERIFY(notSaved.wait());
    QCOMPARE(notSaved[0][0].value<StoreProblem>().kind, StoreProblemKind::Locked);
    QVERIFY(!notSaved[0][0].value<StoreProblem>().hint.isEmpty());
    QVERIFY(saved.isEmpty());
    QCOMPARE(other.value(QStringLiteral("SELECT title FROM conversations")).toString(), QStringLiteral("Why?"));
    QVERIFY(other.run(QStringLiteral("ROLLBACK")));
    QTRY_COMPARE(saved.size(), 1);
    QCOMPARE(notSaved.size(), 1);  // told once, not at every try
    QCOMPARE(other.value(QStringLiteral("SELECT title FROM conversations")).toString(), QStringLiteral("second"));
    QCOMPARE(other.value(QStringLiteral("SELECT system_prompt FROM conversations")).toString(), QStringLiteral("be brief"));
    QCOMPARE(other.value(QStringLiteral("SELECT stop_reason FROM messages WHERE id = 'c-a'")).toString(), QStringLiteral("end"));
}

void StoreWorkerTest::ownChangesAreSeenWhileTheyWait() {
    QVERIFY(open().ok());
    ask(QStringLiteral("c"));
    QCOMPARE(messages(QStringLiteral("c")).size(), 2);
    samples::OtherProgram other(m_path);
    QVERIFY(other.run(QStringLiteral("BEGIN IMMEDIATE")));
    m_worker->updateAnswer(samples::answer(QStringLiteral("c-a"), 1));
    m_worker->finishAnswer(samples::answer(QStringLiteral("c-a"), 2), EndReason::Length);
    m_worker->renameConversation(QStringLiteral("c"), QStringLiteral("Renamed"));
    m_worker->setDraft(QStringLiteral("c"), QStringLiteral("draft"));
    m_worker->setEngine(QStringLiteral("c"), QStringLiteral("a-server"));
    m_worker->setAsideAnswer(QStringLiteral("c-a"));
    m_worker->restoreAnswer(QStringLiteral("c-a"));
    ask(QStringLiteral("new"));
    ConversationRecord conversation;
    auto loaded = messages(QStringLiteral("c"), &conversation);
    QCOMPARE(conversation.title, QStringLiteral("Renamed"));
    QCOMPARE(conversation.draft, QStringLiteral("draft"));
    QCOMPARE(conversation.engine, QStringLiteral("a-server"));
    QCOMPARE(loaded.size(), 2);
    QCOMPARE(loaded[1].content, samples::answer(QStringLiteral("c-a"), 2).content);
    QCOMPARE(loaded[1].stopReason, EndReason::Length);
    QVERIFY(!loaded[1].inProgress);
    QCOMPARE(trace(QStringLiteral("c-a")).passes.size(), 4);
    loaded = messages(QStringLiteral("new"), &conversation);
    QCOMPARE(conversation.id, QStringLiteral("new"));
    QCOMPARE(loaded.size(), 2);
    QVERIFY(loaded[1].inProgress);
    QCOMPARE(list().size(), 2);
    QVERIFY(other.run(QStringLiteral("ROLLBACK")));
    // The same afterwards, from the file.
    QVERIFY(m_worker->flushAndClose(5000).allStored);
    QVERIFY(open().ok());
    QCOMPARE(list().size(), 2);
    loaded = messages(QStringLiteral("c"), &conversation);
    QCOMPARE(loaded.size(), 2);
    QCOMPARE(loaded[1].stopReason, EndReason::Length);
    QCOMPARE(conversation.title, QStringLiteral("Renamed"));
}

void StoreWorkerTest::deleteAndRestoreWhileWaiting() {
    QVERIFY(open().ok());
    ask(QStringLiteral("stored"));
    ask(QStringLiteral("both"));
    m_worker->deleteConversation(QStringLiteral("stored"));
    QCOMPARE(list().size(), 1);
    samples::OtherProgram other(m_path);
    QVERIFY(other.run(QStringLiteral("BEGIN IMMEDIATE")));
    m_worker->restoreConversation(QStringLiteral("stored"));
    QCOMPARE(list().size(), 2);
    m_worker->deleteConversation(QStringLiteral("both"));
    QCOMPARE(list().size(), 1);
    m_worker->restoreConversation(QStringLiteral("both"));
    QCOMPARE(list().size(), 2);
    QVERIFY(other.run(QStringLiteral("ROLLBACK")));
    QVERIFY(m_worker->flushAndClose(5000).allStored);
    QVERIFY(open().ok());
    QCOMPARE(list().size(), 2);
}

void StoreWorkerTest::fullDiskKeepsTheAnswerUntilThereIsRoom() {
    QVERIFY(open().ok());
    ask(QStringLiteral("c"));
    QCOMPARE(messages(QStringLiteral("c")).size(), 2);
    QSignalSpy notSaved(m_worker.get(), &StoreWorker::notSaved);
    QSignalSpy saved(m_worker.get(), &StoreWorker::saved);
    FileSizeLimit limit(static_cast<rlim_t>(QFile(m_path + QStringLiteral("-wal")).size() + 1000));
    if (!limit.works()) QSKIP("file sizes cannot be limited here");
    for (int blocks = 1; blocks <= 20; ++blocks) m_worker->updateAnswer(samples::answer(QStringLiteral("c-a"), blocks));
    QVERIFY(notSaved.wait());
    QVERIFY(notSaved[0][0].value<StoreProblem>().retryable());
    // The window still has it all.
    QCOMPARE(messages(QStringLiteral("c")).value(1).content, samples::answer(QStringLiteral("c-a"), 20).content);
    m_worker->finishAnswer(samples::answer(QStringLiteral("c-a"), 21), EndReason::End);
    limit.lift();
    QTRY_COMPARE(saved.size(), 1);
    QVERIFY(m_worker->flushAndClose(5000).allStored);
    QVERIFY(open().ok());
    QCOMPARE(messages(QStringLiteral("c")).value(1).content, samples::answer(QStringLiteral("c-a"), 21).content);
    QCOMPARE(trace(QStringLiteral("c-a")).passes.size(), 42);
}

/// The history is opened by itself once there is room, and what was done meanwhile is stored.
void StoreWorkerTest::fullDiskAtTheStartIsNotForEver() {
    QSignalSpy opened(m_worker.get(), &StoreWorker::opened);
    FileSizeLimit limit(0);
    if (!limit.works()) QSKIP("RLIMIT_FSIZE cannot be set");
    const RequestId id = m_worker->openAsync(m_path);
    QVERIFY(arrived(opened));
    QVERIFY(opened[0][1].value<OpenReport>().problem.retryable());
    ask(QStringLiteral("c"));
    const FlushReport refused = m_worker->flush(50);
    QVERIFY(!refused.allStored);
    QCOMPARE(refused.problem, opened[0][1].value<OpenReport>().problem);
    limit.lift();
    QTRY_COMPARE_WITH_TIMEOUT(opened.size(), 2, 30000);
    QCOMPARE(opened[1][0].value<RequestId>(), id);
    QVERIFY(opened[1][1].value<OpenReport>().ok());
    QVERIFY(m_worker->flush(30000).allStored);
    samples::OtherProgram other(m_path);
    QCOMPARE(other.value(QStringLiteral("SELECT count(*) FROM messages")).toInt(), 2);
    QCOMPARE(list().size(), 1);
}

void StoreWorkerTest::impossibleWritesDoNotHoldUpTheRest() {
    QVERIFY(open().ok());
    QSignalSpy rejected(m_worker.get(), &StoreWorker::writeRejected);
    QSignalSpy notSaved(m_worker.get(), &StoreWorker::notSaved);
    m_worker->setDraft(QStringLiteral("gone"), QStringLiteral("x"));
    ask(QStringLiteral("c"));
    QCOMPARE(list().size(), 1);
    QCOMPARE(rejected.size(), 1);
    QCOMPARE(rejected[0][0].value<StoreProblem>().kind, StoreProblemKind::NotFound);
    QVERIFY(notSaved.isEmpty());
}

void StoreWorkerTest::flushTellsWhatIsNotStored() {
    QVERIFY(open().ok());
    ask(QStringLiteral("c"));
    QCOMPARE(list().size(), 1);
    samples::OtherProgram other(m_path);
    QVERIFY(other.run(QStringLiteral("BEGIN IMMEDIATE")));
    m_worker->setDraft(QStringLiteral("c"), QStringLiteral("not to be lost"));
    const FlushReport refused = m_worker->flushAndClose(50);
    QVERIFY(!refused.allStored);
    QCOMPARE(refused.waiting, 1);
    QCOMPARE(refused.problem.kind, StoreProblemKind::Locked);
    QVERIFY(other.run(QStringLiteral("ROLLBACK")));
    const FlushReport stored = m_worker->flushAndClose(5000);
    QVERIFY(stored.allStored);
    QCOMPARE(other.value(QStringLiteral("SELECT draft FROM conversations")).toString(), QStringLiteral("not to be lost"));
}

void StoreWorkerTest::goesOnWithTemporaryHistory() {
    QFile file(m_path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no database at all");
    file.close();
    QCOMPARE(open().problem.kind, StoreProblemKind::Damaged);
    ask(QStringLiteral("c"));
    QSignalSpy opened(m_worker.get(), &StoreWorker::opened);
    m_worker->openTemporaryAsync();
    QVERIFY(opened.wait());
    QVERIFY(opened[0][1].value<OpenReport>().temporary);
    QCOMPARE(messages(QStringLiteral("c")).size(), 2);
    QVERIFY(m_worker->flushAndClose(1000).allStored);
    m_worker->openFreshAsync(m_path);
    QVERIFY(opened.wait());
    const auto report = opened.last()[1].value<OpenReport>();
    QVERIFY(report.ok());
    QVERIFY(report.path != m_path);
}

void StoreWorkerTest::callsReturnAtOnce() {
    QVERIFY(open().ok());
    ask(QStringLiteral("c"));
    AnswerUpdate large = samples::answer(QStringLiteral("c-a"), 50);
    large.content = QString(2'000'000, u'x');
    large.trace = samples::trace(300);
    const double before = threadCpuMs();
    for (int i = 0; i < 20; ++i) m_worker->updateAnswer(large);
    m_worker->loadConversationAsync(QStringLiteral("c"));
    const double spent = threadCpuMs() - before;
    // CPU time of this thread: packing and writing happen elsewhere, however busy the machine is.
    QVERIFY2(spent < 50.0, qPrintable(QString::number(spent)));
    QVERIFY(m_worker->flushAndClose(60'000).allStored);
}

void StoreWorkerTest::mergedUpdatesKeepEveryPass() {
    StoreOperation last = UpdateAnswer{samples::answer(QStringLiteral("a"), 1)};
    QVERIFY(mergeOperations(&last, UpdateAnswer{samples::answer(QStringLiteral("a"), 2)}));
    QVERIFY(!mergeOperations(&last, UpdateAnswer{samples::answer(QStringLiteral("b"), 1)}));
    AnswerUpdate end = samples::answer(QStringLiteral("a"), 2);
    end.trace = {};
    QVERIFY(mergeOperations(&last, FinishAnswer{end, EndReason::End, QString()}));
    QVERIFY(!mergeOperations(&last, UpdateAnswer{samples::answer(QStringLiteral("a"), 3)}));
    const auto& finish = std::get<FinishAnswer>(last);
    QCOMPARE(finish.update.trace.passes, samples::trace(2, 0).passes + samples::trace(2, 1).passes);
    QCOMPARE(finish.update.trace.blockSize, 4);
    StoreOperation draft = SetDraft{QStringLiteral("c"), QStringLiteral("1")};
    QVERIFY(mergeOperations(&draft, SetDraft{QStringLiteral("c"), QStringLiteral("2")}));
    QVERIFY(!mergeOperations(&draft, SetDraft{QStringLiteral("d"), QStringLiteral("3")}));
    QCOMPARE(std::get<SetDraft>(draft).draft, QStringLiteral("2"));
    StoreOperation edit = SetEdit{QStringLiteral("c"), QStringLiteral("q"), QStringLiteral("1")};
    QVERIFY(!mergeOperations(&edit, SetDraft{QStringLiteral("c"), QStringLiteral("2")}));
    QVERIFY(mergeOperations(&edit, SetEdit{QStringLiteral("c"), QString(), QString()}));
    QCOMPARE(std::get<SetEdit>(edit).edited, QString());
}

void StoreWorkerTest::backsUp() {
    QVERIFY(open().ok());
    ask(QStringLiteral("c"));
    QSignalSpy spy(m_worker.get(), &StoreWorker::backedUp);
    const QString copy = m_folder->filePath(QStringLiteral("copy.db"));
    m_worker->backUpAsync(copy);
    QVERIFY(arrived(spy));
    QVERIFY(spy[0][2].value<StoreProblem>().ok());
    samples::OtherProgram other(copy);
    QCOMPARE(other.value(QStringLiteral("SELECT count(*) FROM messages")).toInt(), 2);
}

QTEST_GUILESS_MAIN(StoreWorkerTest)
#include "store_worker_test.moc"
