// The whole window with the real demo model, through key and mouse events: ask, watch, stop, come back tomorrow.
#include "tests/support/slowdown.h"
#include "tests/support/window_fixture.h"
#include "ui/blocks/block_dock.h"
#include "ui/blocks/block_view.h"
#include "ui/chat/composer.h"
#include "ui/chat/conversation_list.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/transcript_view.h"
#include "ui/settings/generation_dock.h"
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QListView>
#include <QSlider>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>

#include <atomic>
#include <ctime>
#include <utility>

namespace {

using trefoil::EndReason;
using trefoil::MessageRecord;
using trefoil::testing::WindowFixture;

double threadCpuMs() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

/// Measures the CPU time of each event that the UI thread handles (nested ones belong to their outermost).
class MeasuredApplication : public QApplication {
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override {
        if (!measuring || QThread::currentThread() != thread() || m_depth > 0) return QApplication::notify(receiver, event);
        ++m_depth;
        const double start = threadCpuMs();
        const QByteArray what = QByteArray(receiver->metaObject()->className()) + ' ' + QByteArray::number(event->type());
        const bool result = QApplication::notify(receiver, event);
        const double spent = threadCpuMs() - start;
        if (spent > longest) {
            longest = spent;
            longestWhat = what;
        }
        --m_depth;
        return result;
    }
    std::atomic<bool> measuring = false;  ///< read by every thread that has an event loop
    double longest = 0.0;
    QByteArray longestWhat;

private:
    int m_depth = 0;
};

class MainWindowTest : public QObject {
    Q_OBJECT

private:
    /// Moves the clock of the event loop along without a nested qWaitFor of its own.
    static void press(QAbstractButton* button) {
        QVERIFY(button != nullptr);
        QTest::mouseClick(button, Qt::LeftButton);
    }

private slots:
    void examplesAreAnsweredRight();
    void asksAndShowsTheAnswer();
    void blocksFillAndReplay();
    void stopsWithinAPass();
    void stopsInEveryMode();
    void findsTheConversationAgain();
    void controlsTakeEffect();
    void valuesBelongToTheConversation();
    void refusesWhatCannotFit();
    void emptyPromptIsNotSent();
    void draftsAreKept();
    void regenerateGivesTheSameText();
    void deleteCanBeUndone();
    void closingWhileAnsweringKeepsTheText();
    void askedAgainToCloseItStillKeepsTheAnswer();
    void brokenModelKeepsTheOldOne();
    void eventsStayShort();
    void looksRight();
};

void MainWindowTest::examplesAreAnsweredRight() {
    const QHash<QString, QString> expected{
        {QStringLiteral("What is 347 + 586?"), QStringLiteral("933")},
        {QStringLiteral("Make a multiplication table for 7."), QStringLiteral("| 10 x 7 | 70 |")},
        {QStringLiteral("What is block diffusion?"), QStringLiteral("block of tokens at once")},
        {QStringLiteral("Write a Python function that reverses a string."), QStringLiteral("return text[::-1]")},
        {QStringLiteral("How do you say water in Japanese?"), QStringLiteral("水")},
        {QStringLiteral("Count from 1 to 40."), QStringLiteral("38, 39, 40")}};
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    for (const QString& question : trefoil::MainWindow::demoExamples()) {
        QVERIFY2(expected.contains(question), qPrintable(question));
        QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
        w.ask(question);
        QVERIFY(w.waitForAnswer());
        QVERIFY2(w.lastMessage().content.contains(expected.value(question)),
                 qPrintable(question + QLatin1Char('\n') + w.lastMessage().content));
    }
}

void MainWindowTest::asksAndShowsTheAnswer() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    // The first start offers examples; clicking one asks it.
    auto* example = w.find<QAbstractButton>("exampleButton0");
    QVERIFY(example != nullptr);
    QTRY_VERIFY(example->isVisible());
    QTest::mouseClick(example, Qt::LeftButton);
    QVERIFY(w.waitForAnswer());
    const MessageRecord answer = w.lastMessage();
    QCOMPARE(answer.stopReason, EndReason::End);
    QCOMPARE(answer.content, QStringLiteral("347 + 586 = **933**"));
    QVERIFY(answer.thinking.startsWith(QLatin1String("Add the digits")));
    QVERIFY(answer.hasThinking && answer.thinkingClosed);
    QCOMPARE(answer.stats.passes, 5);
    QCOMPARE(answer.responseIds.size(), 97);
    auto* transcript = w.window->findChild<trefoil::TranscriptView*>();
    QCOMPARE(transcript->messages().size(), 2);
    QCOMPARE(transcript->messages().constLast().content, answer.content);
    QVERIFY(!transcript->messages().constLast().streaming);
    auto* list = w.window->findChild<trefoil::ConversationList*>();
    QCOMPARE(list->current(), w.chat->conversation().id);
    QVERIFY(w.window->windowTitle().contains(QLatin1String("347")) ||
            w.chat->conversation().title.contains(QLatin1String("347")));
}

void MainWindowTest::blocksFillAndReplay() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QList<trefoil::PassView> passes;
    connect(w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(),
            [&](const trefoil::PassView& p) { passes.append(p); });
    auto* dock = w.window->findChild<trefoil::BlockDock*>();
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(QTest::qWaitFor([&] { return dock->replay().block() >= 0; }, 30000));
    QVERIFY(w.waitForAnswer());
    QCOMPARE(passes.size(), 5);
    QTRY_COMPARE(dock->replay().model().trace().passes.size(), 5);
    // A single pass that lasted one frame is there to be replayed as well.
    QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
    w.ask(QStringLiteral("How do you say water in Japanese?"));
    QVERIFY(w.waitForAnswer());
    QTRY_COMPARE(dock->replay().model().trace().passes.size(), 1);
    QCOMPARE(w.lastMessage().responseIds.size(), 20);
    QVERIFY(dock->replay().canStepBack());
    const QImage filled = w.find<QWidget>("blockView")->grab().toImage();
    QTest::mouseClick(w.find<QAbstractButton>("blockStepBack"), Qt::LeftButton);
    QTest::qWait(400);
    QVERIFY(w.find<QWidget>("blockView")->grab().toImage() != filled);
}

void MainWindowTest::stopsWithinAPass() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    trefoil::ControlValues values = w.chat->controls();
    values.insert(QStringLiteral("threshold"), 1.0);
    w.chat->setControls(values);
    int passes = 0;
    auto* composer = w.window->findChild<trefoil::Composer*>();
    connect(w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(), [&](const trefoil::PassView& pass) {
        ++passes;
        if (pass.block == 1 && pass.step == 0) QTest::keyClick(w.find<QWidget>("composerEditor"), Qt::Key_Escape);
    });
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    QVERIFY(!composer->busy());
    QVERIFY(w.lastMessage().responseIds.size() >= 32);
    // On a starved machine the engine may have ended before the key arrived; the decoder's own test holds the bound of one pass.
    if (w.lastMessage().stopReason == EndReason::End) return;
    QCOMPARE(w.lastMessage().stopReason, EndReason::Cancelled);
    QCOMPARE(w.lastMessage().responseIds.size() % 32, 0);
    QVERIFY(w.lastMessage().responseIds.size() < 150);
}

void MainWindowTest::stopsInEveryMode() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    for (const char* mode : {"low_confidence", "self_speculative", "autoregressive"}) {
        QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
        trefoil::ControlValues values = w.chat->controls();
        values.insert(QStringLiteral("decoding"), QString::fromLatin1(mode));
        w.chat->setControls(values);
        const auto once = connect(w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(),
                                  [&](const trefoil::PassView&) { w.chat->stop(); });
        w.ask(QStringLiteral("Count from 1 to 40."));
        QVERIFY2(w.waitForAnswer(), mode);
        disconnect(once);
        // A short answer may end before the request to stop is read; otherwise it says cancelled.
        QVERIFY2(w.lastMessage().stopReason == EndReason::Cancelled || w.lastMessage().stopReason == EndReason::End, mode);
        QVERIFY2(w.lastMessage().stopReason == EndReason::End || w.lastMessage().responseIds.size() <= 150, mode);
    }
    // Stopping before anything ran: no text, and the next question works.
    QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(QTest::qWaitFor([&] { return w.chat->isRunning(); }, 10000));
    w.chat->stop();
    QVERIFY(w.waitForAnswer());
    QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    QVERIFY(w.lastMessage().content.contains(QLatin1String("933")));
}

void MainWindowTest::findsTheConversationAgain() {
    const QTemporaryDir folder;
    QString id;
    trefoil::TraceView trace;
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        id = w.chat->conversation().id;
        trace = w.window->findChild<trefoil::BlockDock*>()->replay().model().trace();
        QVERIFY(w.window->close());
    }
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    auto* view = w.find<QListView>("conversationList");
    QTRY_VERIFY(w.window->findChild<trefoil::ConversationList*>()->model()->indexOf(id).isValid());
    const QModelIndex row = w.window->findChild<trefoil::ConversationList*>()->model()->indexOf(id);
    QVERIFY(row.data().toString().contains(QLatin1String("347 + 586")));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(row).center());
    QTRY_COMPARE(w.chat->conversation().id, id);
    QCOMPARE(w.chat->messages().size(), 2);
    QCOMPARE(w.lastMessage().content, QStringLiteral("347 + 586 = **933**"));
    QCOMPARE(w.lastMessage().stopReason, EndReason::End);
    // The blocks can be replayed as on the day before.
    auto* dock = w.window->findChild<trefoil::BlockDock*>();
    QTRY_COMPARE(dock->replay().model().trace().passes.size(), 5);
    QCOMPARE(dock->replay().model().trace(), trace);
}

void MainWindowTest::controlsTakeEffect() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    auto* box = w.find<QAbstractSpinBox>("control_max_new_tokens");
    QVERIFY(box != nullptr);
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, QStringLiteral("40"));
    QTest::keyClick(box, Qt::Key_Tab);
    QCOMPARE(w.chat->controls().value(QStringLiteral("max_new_tokens")).toLongLong(), 40);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    QCOMPARE(w.lastMessage().responseIds.size(), 40);
    QCOMPARE(w.lastMessage().stopReason, EndReason::Length);
    // The thinking toggle and the dock's control are one.
    QTest::mouseClick(w.find<QAbstractButton>("thinkingToggle"), Qt::LeftButton);
    QCOMPARE(w.chat->controls().value(QStringLiteral("enable_thinking")).toBool(), false);
    w.ask(QStringLiteral("What does the threshold do?"));
    QVERIFY(w.waitForAnswer());
    QVERIFY(!w.lastMessage().hasThinking);
    QVERIFY(w.lastMessage().content.startsWith(QLatin1String("The **threshold**")));
}

void MainWindowTest::valuesBelongToTheConversation() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    const QString first = w.chat->conversation().id;
    trefoil::ControlValues values = w.chat->controls();
    values.insert(QStringLiteral("threshold"), 0.5);
    w.chat->setControls(values);
    QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
    QCOMPARE(w.chat->controls().value(QStringLiteral("threshold")).toDouble(), 0.95);
    w.chat->openConversation(first);
    QTRY_COMPARE(w.chat->conversation().id, first);
    QCOMPARE(w.chat->controls().value(QStringLiteral("threshold")).toDouble(), 0.5);
    QCOMPARE(w.find<QDoubleSpinBox>("control_threshold")->value(), 0.5);
}

void MainWindowTest::refusesWhatCannotFit() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    trefoil::ControlValues values = w.chat->controls();
    values.insert(QStringLiteral("max_new_tokens"), 8190);
    w.chat->setControls(values);
    w.ask(QStringLiteral("What is 347 + 586?"));
    auto* composer = w.window->findChild<trefoil::Composer*>();
    QTRY_VERIFY(composer->problem().contains(QLatin1String("8,192")));
    QVERIFY(composer->problem().contains(QLatin1String("8,190")));
    QVERIFY(w.chat->messages().isEmpty());
    QCOMPARE(composer->text(), QStringLiteral("What is 347 + 586?"));  // nothing is lost
    auto* shorter = w.find<QAbstractButton>("noticeAction_shorter");
    QVERIFY(shorter != nullptr);
    QTest::mouseClick(shorter, Qt::LeftButton);
    QVERIFY(w.waitForAnswer());
    QVERIFY(w.lastMessage().content.contains(QLatin1String("933")));
    QCOMPARE(w.chat->controls().value(QStringLiteral("max_new_tokens")).toLongLong(), 8160);
    QVERIFY(composer->text().isEmpty());

    // A long history: the oldest turns can be left out of what is sent, while the transcript keeps them.
    values.insert(QStringLiteral("max_new_tokens"), 8130);
    w.chat->setControls(values);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QTRY_VERIFY(!composer->problem().isEmpty());
    auto* oldest = w.find<QAbstractButton>("noticeAction_oldest");
    QVERIFY(oldest != nullptr);
    QTest::mouseClick(oldest, Qt::LeftButton);
    QVERIFY(QTest::qWaitFor([&] { return w.chat->messages().size() == 4 && !w.chat->isRunning(); }, 60000));
    QVERIFY(w.lastMessage().content.contains(QLatin1String("39, 40")));
    QCOMPARE(w.lastMessage().stats.promptTokens, 19);  // the question alone
}

void MainWindowTest::emptyPromptIsNotSent() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("   "));
    w.ask(QString());
    QTest::qWait(200);
    QVERIFY(w.chat->messages().isEmpty());
    QVERIFY(!w.chat->isRunning());
}

void MainWindowTest::draftsAreKept() {
    const QTemporaryDir folder;
    const QString draft = QStringLiteral("half a thought");
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        auto* composer = w.window->findChild<trefoil::Composer*>();
        QTest::keyClicks(w.find<QWidget>("composerEditor"), draft);
        // An example is asked from another place: the draft stays in the composer.
        w.chat->send(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        QCOMPARE(composer->text(), draft);
        const QString id = w.chat->conversation().id;
        QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
        QVERIFY(composer->text().isEmpty());
        w.chat->openConversation(id);
        QTRY_COMPARE(composer->text(), draft);
        // A draft in a chat that was never sent.
        QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
        QTest::keyClicks(w.find<QWidget>("composerEditor"), QStringLiteral("another"));
        QVERIFY(w.window->close());
    }
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QStringList drafts;
    connect(w.chat.get(), &trefoil::ChatController::conversationShown, w.window.get(),
            [&](const trefoil::ConversationRecord& c, const QList<MessageRecord>&) { drafts.append(c.draft); });
    QList<trefoil::ConversationSummary> list;
    connect(w.store.get(), &trefoil::StoreWorker::listLoaded, w.window.get(),
            [&](trefoil::RequestId, const QList<trefoil::ConversationSummary>& l, const trefoil::StoreProblem&) { list = l; });
    w.store->loadListAsync();
    QTRY_COMPARE(list.size(), 2);
    // The list may come again while the conversations are opened (the window asks for it as well): not the one gone through here.
    const QList<trefoil::ConversationSummary> listed = list;
    for (const trefoil::ConversationSummary& c : listed) {
        w.chat->openConversation(c.id);
        QTRY_COMPARE(w.chat->conversation().id, c.id);
    }
    drafts.sort();
    QCOMPARE(drafts, (QStringList{QStringLiteral("another"), draft}));
}

void MainWindowTest::regenerateGivesTheSameText() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    trefoil::ControlValues values = w.chat->controls();
    values.insert(QStringLiteral("do_sample"), true);
    values.insert(QStringLiteral("temperature"), 1.1);
    values.insert(QStringLiteral("seed"), QVariant::fromValue<qulonglong>(7));
    values.insert(QStringLiteral("max_new_tokens"), 256);
    w.chat->setControls(values);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    const MessageRecord first = w.lastMessage();
    auto* regenerate = w.window->findChild<QAction*>(QStringLiteral("actionRegenerate"));
    regenerate->trigger();
    QTRY_VERIFY(w.lastMessage().id != first.id && !w.chat->isRunning());
    QCOMPARE(w.lastMessage().responseIds, first.responseIds);
    QCOMPARE(w.chat->messages().size(), 2);
    // After another conversation.
    const QString id = w.chat->conversation().id;
    QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
    w.ask(QStringLiteral("What is 12 + 30?"));
    QVERIFY(w.waitForAnswer());
    w.chat->openConversation(id);
    QTRY_COMPARE(w.chat->conversation().id, id);
    const QString second = w.lastMessage().id;
    regenerate->trigger();
    QTRY_VERIFY(w.lastMessage().id != second && !w.chat->isRunning());
    QCOMPARE(w.lastMessage().responseIds, first.responseIds);
}

void MainWindowTest::deleteCanBeUndone() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    const QString id = w.chat->conversation().id;
    auto* list = w.window->findChild<trefoil::ConversationList*>();
    w.chat->deleteConversation(id);
    QTRY_VERIFY(!list->model()->indexOf(id).isValid());
    QVERIFY(w.chat->conversation().id != id);
    auto* undo = w.find<QAbstractButton>("undoButton");
    QTRY_VERIFY(undo->isVisible() && undo->width() > 20);
    QTest::mouseClick(undo, Qt::LeftButton);
    QTRY_VERIFY(list->model()->indexOf(id).isValid());
    QTRY_COMPARE(w.chat->conversation().id, id);
    QCOMPARE(w.chat->messages().size(), 2);
}

void MainWindowTest::askedAgainToCloseItStillKeepsTheAnswer() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    const QSignalSpy closed(w.window.get(), &trefoil::MainWindow::closed);
    const QSignalSpy ended(w.chat.get(), &trefoil::ChatController::answerEnded);
    bool asked = false;
    qsizetype closedEarly = 0;
    connect(
        w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(),
        [&] {
            if (std::exchange(asked, true) || !w.chat->isRunning()) return;
            w.window->close();
            w.window->close();
            closedEarly = closed.count();
        },
        Qt::QueuedConnection);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QTRY_COMPARE_WITH_TIMEOUT(closed.count(), 1, 60000);
    QCOMPARE(closedEarly, 0);
    QCOMPARE(ended.count(), 1);
    QVERIFY(!w.lastMessage().inProgress);
}

void MainWindowTest::closingWhileAnsweringKeepsTheText() {
    const QTemporaryDir folder;
    QString id;
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        const QSignalSpy closed(w.window.get(), &trefoil::MainWindow::closed);
        trefoil::ControlValues values = w.chat->controls();
        values.insert(QStringLiteral("threshold"), 1.0);
        w.chat->setControls(values);
        bool closing = false;
        connect(w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(), [&](const trefoil::PassView& pass) {
            if (pass.block == 2 && !closing) {
                closing = true;
                id = w.chat->conversation().id;
                QMetaObject::invokeMethod(w.window.get(), &QWidget::close, Qt::QueuedConnection);
            }
        });
        w.ask(QStringLiteral("Count from 1 to 40."));
        QVERIFY(QTest::qWaitFor([&] { return closing && !w.chat->isRunning(); }, 60000));
        QTRY_VERIFY(!w.window->isVisible());
        QTRY_VERIFY(!closed.isEmpty());
    }
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.chat->openConversation(id);
    QTRY_COMPARE(w.chat->conversation().id, id);
    QCOMPARE(w.chat->messages().size(), 2);
    QVERIFY(w.lastMessage().responseIds.size() >= 64);
    // End: the engine was done before a starved window could close.
    QVERIFY(w.lastMessage().stopReason == EndReason::Cancelled || w.lastMessage().stopReason == EndReason::End);
}

void MainWindowTest::brokenModelKeepsTheOldOne() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    const QTemporaryDir empty;
    w.window->openModel(empty.path());
    auto* notices = w.window->findChild<trefoil::NoticeBar*>(QStringLiteral("noticeBar"));
    QTRY_VERIFY(notices->current().text.contains(QLatin1String("could not be loaded")));
    QVERIFY(w.chat->model().has_value());
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    QVERIFY(w.lastMessage().content.contains(QLatin1String("933")));
}

void MainWindowTest::eventsStayShort() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("What is 347 + 586?"));  // fonts, caches and lazily built widgets
    QVERIFY(w.waitForAnswer());
    trefoil::ControlValues values = w.chat->controls();
    values.insert(QStringLiteral("threshold"), 1.0);  // one token a pass: as many passes and repaints as can be
    w.chat->setControls(values);
    auto* app = static_cast<MeasuredApplication*>(qApp);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(QTest::qWaitFor([&] { return w.chat->isRunning(); }, 10000));
    app->longest = 0;
    app->measuring = true;
    QVERIFY(w.waitForAnswer(120000));
    app->measuring = false;
    QVERIFY(w.lastMessage().responseIds.size() > 100);
    QVERIFY2(app->longest < 50.0 * trefoil::test::kSlowdown,
             qPrintable(QStringLiteral("%1 ms in %2").arg(app->longest).arg(QString::fromLatin1(app->longestWhat))));
    qInfo("longest event: %.1f ms of CPU time (%s)", app->longest, app->longestWhat.constData());
}

void MainWindowTest::looksRight() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.window->resize(1280, 800);
    w.screenshot(QStringLiteral("welcome-light"));
    for (const char* question :
         {"What is 347 + 586?", "Make a multiplication table for 7.", "Write a Python function that reverses a string."}) {
        const qsizetype before = w.chat->messages().size();
        w.ask(QString::fromLatin1(question));
        QVERIFY(QTest::qWaitFor([&] { return w.chat->messages().size() == before + 2 && !w.chat->isRunning(); }, 60000));
    }
    w.screenshot(QStringLiteral("answers-light"));
    w.window->findChild<QAction*>(QStringLiteral("actionTheme2"))->trigger();
    w.screenshot(QStringLiteral("answers-dark"));
    w.window->resize(900, 640);
    w.screenshot(QStringLiteral("answers-dark-small"));
    // Mid-block: a slow threshold leaves time to look.
    trefoil::ControlValues values = w.chat->controls();
    values.insert(QStringLiteral("threshold"), 0.9999);
    w.chat->setControls(values);
    bool shot = false;
    w.window->resize(1280, 800);
    connect(w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(), [&](const trefoil::PassView& pass) {
        if (pass.block < 1 || pass.step < 2 || shot) return;
        shot = true;
        QTimer::singleShot(40, w.window.get(), [&w] { w.screenshot(QStringLiteral("mid-block-dark")); });
    });
    w.ask(QStringLiteral("What is 4829 + 3977?"));
    QVERIFY(QTest::qWaitFor([&] { return w.chat->messages().size() == 8 && !w.chat->isRunning(); }, 60000));
    w.window->findChild<QAction*>(QStringLiteral("actionTheme0"))->trigger();
    // Every part is on the screen and inside the window.
    for (const char* name : {"composerEditor", "sendButton", "blockView", "transcriptView", "conversationList"}) {
        auto* part = w.find<QWidget>(name);
        QVERIFY2(part != nullptr && part->isVisible(), name);
        QVERIFY2(w.window->rect().contains(QRect(part->mapTo(w.window.get(), QPoint(0, 0)), part->size()).center()), name);
    }
}

}  // namespace

int main(int argc, char** argv) {
    MeasuredApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    MainWindowTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "main_window_test.moc"
