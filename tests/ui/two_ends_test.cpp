// Both ends in two processes: the window as the client of `trefoil-cli serve` shows the confidences and the replay that the
// embedded engine shows for the same question.
#include "tests/support/window_fixture.h"
#include "ui/blocks/block_dock.h"
#include "ui/theme/style.h"

#include <QApplication>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>

namespace {

using namespace trefoil;
using trefoil::testing::WindowFixture;

const QString kQuestion = QStringLiteral("What is 347 + 586?");

class TwoEndsTest : public QObject {
    Q_OBJECT

private:
    QProcess m_server;
    QUrl m_address;

    /// The answer's passes as the history has them.
    static TraceView storedTrace(const WindowFixture& w, const QString& messageId) {
        TraceView out;
        bool there = false;
        const auto connection = QObject::connect(w.store.get(), &StoreWorker::traceLoaded, w.store.get(),
                                                 [&](RequestId, const QString& id, const TraceView& trace, const StoreProblem&) {
                                                     if (id != messageId) return;
                                                     out = trace;
                                                     there = true;
                                                 });
        w.store->loadTraceAsync(messageId);
        (void)QTest::qWaitFor([&] { return there; }, 20000);
        QObject::disconnect(connection);
        return out;
    }
    void choose(const WindowFixture& w) const {
        ServerEntry entry;
        entry.profile.id = QStringLiteral("other-machine");
        entry.profile.name = QStringLiteral("Other machine");
        entry.profile.address = m_address;
        entry.profile.kind = ServerKind::Trefoil;
        entry.profile.model = QStringLiteral("demo-model");
        w.servers->put(entry);
        w.chat->chooseEngine(entry.profile.id);
    }

private slots:
    void initTestCase() {
        m_server.start(QStringLiteral(TREFOIL_CLI), {QStringLiteral("serve"), trefoil::testing::demoModelFolder(),
                                                     QStringLiteral("--port"), QStringLiteral("0"), QStringLiteral("--device"),
                                                     QStringLiteral("cpu"), QStringLiteral("--threads"), QStringLiteral("2")});
        QVERIFY(m_server.waitForStarted());
        QByteArray said;
        static const QRegularExpression url(QStringLiteral("(http://\\S+)"));
        QRegularExpressionMatch found;
        QVERIFY(QTest::qWaitFor(
            [&] {
                said += m_server.readAllStandardOutput();
                found = url.match(QString::fromUtf8(said));
                return found.hasMatch() && said.endsWith('\n');
            },
            60000));
        m_address = QUrl(found.captured(1));
        QVERIFY(m_address.isValid());
    }

    void sameAnswerSamePasses() {
        QTemporaryDir folder;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        w.ask(kQuestion);
        QVERIFY(w.waitForAnswer());
        const MessageRecord here = w.lastMessage();
        QCOMPARE(here.stopReason, EndReason::End);
        w.chat->newConversation();
        choose(w);
        w.ask(kQuestion);
        QVERIFY(w.waitForAnswer());
        const MessageRecord there = w.lastMessage();
        QVERIFY2(there.stopReason == EndReason::End, qPrintable(there.error));
        QCOMPARE(there.content, here.content);
        QCOMPARE(there.thinking, here.thinking);
        QCOMPARE(there.responseIds, here.responseIds);
        QCOMPARE(there.stats.passes, here.stats.passes);
        QCOMPARE(there.stats.promptTokens, here.stats.promptTokens);
        // The replay from the history, pass by pass.
        const TraceView first = storedTrace(w, here.id);
        const TraceView second = storedTrace(w, there.id);
        QVERIFY(!first.passes.isEmpty());
        QCOMPARE(second.maskId, first.maskId);
        QCOMPARE(second.blockSize, first.blockSize);
        QCOMPARE(second.threshold, first.threshold);
        QCOMPARE(second.passes.size(), first.passes.size());
        for (qsizetype i = 0; i < first.passes.size(); ++i) {
            const PassView& a = first.passes[i];
            const PassView& b = second.passes[i];
            QCOMPARE(b.block, a.block);
            QCOMPARE(b.step, a.step);
            QCOMPARE(b.tokens, a.tokens);
            QCOMPARE(b.texts, a.texts);
            QCOMPARE(b.resolved, a.resolved);
            QCOMPARE(b.rows.size(), a.rows.size());
            for (qsizetype row = 0; row < a.rows.size(); ++row) {
                QCOMPARE(b.rows[row].choice.token, a.rows[row].choice.token);
                QVERIFY(std::abs(b.rows[row].choice.probability - a.rows[row].choice.probability) < 1e-4F);
                QCOMPARE(b.rows[row].top.size(), a.rows[row].top.size());
            }
        }
        // On show.
        const BlockModel& shown = w.find<BlockDock>("blockDockContent")->replay().model();
        QCOMPARE(shown.trace().passes.size(), second.passes.size());
        const QList<CellView> cells = shown.cells(0, shown.frameCount(0));
        QVERIFY(std::any_of(cells.cbegin(), cells.cend(), [](const CellView& cell) { return cell.confidence > 0.9; }));
        w.screenshot(QStringLiteral("two-ends"));
    }

    void stoppedThenContinued() {
        QTemporaryDir folder;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w);
        ControlValues values = w.chat->controls();
        values.insert(QStringLiteral("max_new_tokens"), 32);
        w.chat->setControls(values);
        w.ask(QStringLiteral("Count from 1 to 40."));
        QVERIFY(w.waitForAnswer());
        const MessageRecord cut = w.lastMessage();
        QVERIFY2(cut.stopReason == EndReason::Length, qPrintable(cut.error));
        QVERIFY(w.chat->canContinue(cut.id));
        QSignalSpy ended(w.chat.get(), &ChatController::answerEnded);
        w.chat->continueAnswer(cut.id);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, 60000);
        const MessageRecord more = w.lastMessage();
        QCOMPARE(more.id, cut.id);
        QVERIFY2(more.error.isEmpty(), qPrintable(more.error));
        QVERIFY2(more.content.size() > cut.content.size() || more.thinking.size() > cut.thinking.size(),
                 qPrintable(more.content));
        QVERIFY(more.content.startsWith(cut.content.left(cut.content.size() / 2)));
        QVERIFY(more.stats.responseTokens > cut.stats.responseTokens);
    }

    void serverEndsInTheMiddle() {
        QTemporaryDir folder;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w);
        m_server.kill();
        QVERIFY(m_server.waitForFinished());
        w.ask(kQuestion);
        QVERIFY(w.waitForAnswer());
        QCOMPARE(w.lastMessage().stopReason, EndReason::Failed);
        QVERIFY2(w.lastMessage().error.contains(QStringLiteral("127.0.0.1")), qPrintable(w.lastMessage().error));
    }

    void cleanupTestCase() {
        if (m_server.state() == QProcess::NotRunning) return;
        m_server.kill();
        m_server.waitForFinished();
    }
};

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    TwoEndsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "two_ends_test.moc"
