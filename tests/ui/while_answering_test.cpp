// What a person does elsewhere while an answer is written: the answer goes to its own conversation, and to no other.
#include "tests/app/store_samples.h"
#include "tests/support/window_fixture.h"
#include "ui/chat/conversation_list.h"
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QMessageBox>
#include <QSessionManager>
#include <QTemporaryDir>
#include <QtTest>

using namespace trefoil;
using trefoil::testing::WindowFixture;

class WhileAnsweringTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QApplication::setStyle(theme::makeStyle()); }

    void theAnswerGoesToItsConversation() {
        const QTemporaryDir folder;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        const QString b = other(w);
        const QString a = begin(w);
        if (QTest::currentTestFailed()) return;
        auto* list = w.find<ConversationList>("conversationPanel");
        // Another conversation, with a draft; new chats; a new title; other settings; another conversation deleted.
        w.chat->openConversation(b);
        QTRY_COMPARE(w.chat->conversation().id, b);
        // Nothing runs: the engine was done before a starved window could look.
        if (w.chat->isRunning()) QCOMPARE(w.chat->runningConversation(), a);
        QTest::keyClicks(w.find<QWidget>("composerEditor"), QStringLiteral("a draft"));
        w.find<QAction>("actionNewChat")->trigger();
        w.find<QAction>("actionNewChat")->trigger();
        w.chat->renameConversation(a, QStringLiteral("Counting"));
        ControlValues values = w.chat->controls();
        values.insert(QStringLiteral("max_new_tokens"), 7);
        w.chat->setControls(values);
        w.chat->openConversation(b);
        QTRY_COMPARE(w.chat->conversation().id, b);
        QCOMPARE(w.chat->messages().size(), 2);
        QCOMPARE(w.find<QWidget>("composerEditor")->property("plainText").toString(), QStringLiteral("a draft"));
        w.chat->deleteConversation(b);
        QTRY_VERIFY(!list->model()->indexOf(b).isValid());
        QVERIFY(list->model()->indexOf(a).isValid());
        QVERIFY2(QTest::qWaitFor([&] { return !w.chat->isRunning(); }, 60000), "the answer does not end");
        QVERIFY(w.chat->messages().isEmpty());  // of the new chat
        w.chat->openConversation(a);
        QTRY_COMPARE(w.chat->conversation().id, a);
        QCOMPARE(w.chat->messages().size(), 2);
        QCOMPARE(w.chat->conversation().title, QStringLiteral("Counting"));
        QCOMPARE(w.lastMessage().stopReason, EndReason::End);
        QVERIFY2(w.lastMessage().content.contains(QStringLiteral("40")), qPrintable(w.lastMessage().content));
    }

    /// A session manager has everything stored before it ends the session; it may also only ask, so the answer goes on.
    void logOutFindsEverythingStored() {
        const QTemporaryDir folder;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        auto* manager = qApp->findChild<QSessionManager*>();
        QVERIFY(manager != nullptr);
        const QString a = begin(w);
        if (QTest::currentTestFailed()) return;
        QTest::keyClicks(w.find<QWidget>("composerEditor"), QStringLiteral("a draft"));
        ControlValues values = w.chat->controls();
        values.insert(QStringLiteral("temperature"), 0.125);
        w.chat->setControls(values);
        emit qApp->commitDataRequest(*manager);
        samples::OtherProgram history(folder.filePath(QStringLiteral("history.db")));
        QCOMPARE(history.value(QStringLiteral("SELECT draft FROM conversations")).toString(), QStringLiteral("a draft"));
        QVERIFY(history.value(QStringLiteral("SELECT controls FROM conversations")).toString().contains(QStringLiteral("0.125")));
        QCOMPARE(history.value(QStringLiteral("SELECT count(*) FROM messages")).toInt(), 2);
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("trefoil.ini"))));
        QVERIFY(w.window->isVisible());
        QVERIFY2(QTest::qWaitFor([&] { return !w.chat->isRunning(); }, 60000), "the answer does not end");
        QCOMPARE(w.chat->conversation().id, a);
        QCOMPARE(w.lastMessage().stopReason, EndReason::End);
        // What cannot be stored holds up nobody where no question may be asked.
        QVERIFY(QTest::qWaitFor([&] { return history.run(QStringLiteral("BEGIN IMMEDIATE")); }, 30000));
        QTest::keyClicks(w.find<QWidget>("composerEditor"), QStringLiteral(" more"));
        emit qApp->commitDataRequest(*manager);
        QVERIFY(QApplication::activeModalWidget() == nullptr);
        QVERIFY(history.run(QStringLiteral("ROLLBACK")));
        QTRY_COMPARE_WITH_TIMEOUT(history.value(QStringLiteral("SELECT draft FROM conversations")).toString(),
                                  QStringLiteral("a draft more"), 30000);
    }

    /// At the next start; not where it is gone, or something was begun already.
    void whatWasOnShowComesBack() {
        const QTemporaryDir folder;
        QString id;
        {
            WindowFixture w(folder.path());
            QVERIFY(w.ready());
            id = other(w);
        }
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        QSignalSpy problems(w.chat.get(), &ChatController::storeProblem);
        QSignalSpy shown(w.chat.get(), &ChatController::conversationShown);
        QSignalSpy loaded(w.store.get(), &StoreWorker::conversationLoaded);
        w.chat->resumeConversation({});
        w.chat->resumeConversation(QStringLiteral("gone"));
        QTRY_COMPARE(loaded.size(), 1);
        w.chat->setDraft(QStringLiteral("begun"));
        w.chat->resumeConversation(id);
        w.chat->setDraft({});
        QVERIFY(shown.isEmpty());
        w.chat->resumeConversation(id);
        QTRY_COMPARE(w.chat->conversation().id, id);
        QCOMPARE(w.chat->messages().size(), 2);
        QCOMPARE(loaded.size(), 2);
        QCOMPARE(problems.size(), 0);
    }

    /// The question about what is not stored goes when it is.
    void theQuestionAtTheEndAnswersItself() {
        const QTemporaryDir folder;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        (void)other(w);
        samples::OtherProgram history(folder.filePath(QStringLiteral("history.db")));
        QVERIFY(QTest::qWaitFor([&] { return history.run(QStringLiteral("BEGIN IMMEDIATE")); }, 30000));
        QTest::keyClicks(w.find<QWidget>("composerEditor"), QStringLiteral("a draft"));
        bool asked = false;
        int looks = 0;
        QTimer look;
        connect(&look, &QTimer::timeout, this, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (box == nullptr) return;
            if (!asked) asked = history.run(QStringLiteral("ROLLBACK"));
            if (++looks == 600) box->reject();
        });
        look.start(50);
        QVERIFY(w.window->close());
        QVERIFY(asked);
        QCOMPARE(history.value(QStringLiteral("SELECT count(*) FROM conversations WHERE draft = 'a draft'")).toInt(), 1);
    }

    void deletingStopsItAndUndoBringsItBack() {
        const QTemporaryDir folder;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        const QString a = begin(w);
        if (QTest::currentTestFailed()) return;
        w.chat->deleteConversation(a);
        QVERIFY(QTest::qWaitFor([&] { return !w.chat->isRunning(); }, 60000));
        QVERIFY(!w.find<ConversationList>("conversationPanel")->model()->indexOf(a).isValid());
        auto* undo = w.find<QAbstractButton>("undoButton");
        QTRY_VERIFY(undo->isVisible() && undo->width() > 20);
        QTest::mouseClick(undo, Qt::LeftButton);
        QTRY_COMPARE(w.chat->conversation().id, a);
        QTRY_COMPARE(w.chat->messages().size(), 2);
        QVERIFY(w.lastMessage().responseIds.size() >= 32);
        // End: the engine was done before a starved window could delete.
        QVERIFY(w.lastMessage().stopReason == EndReason::Cancelled || w.lastMessage().stopReason == EndReason::End);
    }

private:
    static QString other(WindowFixture& w) {
        w.ask(QStringLiteral("What is 347 + 586?"));
        if (!w.waitForAnswer()) return {};
        const QString id = w.chat->conversation().id;
        w.find<QAction>("actionNewChat")->trigger();
        return id;
    }
    /// A long answer, a block of which is there.
    static QString begin(WindowFixture& w) {
        ControlValues values = w.chat->controls();
        values.insert(QStringLiteral("threshold"), 1.0);
        w.chat->setControls(values);
        bool second = false;
        const auto connection = connect(w.chat.get(), &ChatController::passArrived, w.window.get(),
                                        [&second](const PassView& pass) { second = second || pass.block >= 1; });
        w.ask(QStringLiteral("Count from 1 to 40."));
        const bool begun = QTest::qWaitFor([&second] { return second; }, 60000);
        disconnect(connection);
        if (!begun || !w.chat->isRunning()) qWarning("the answer was over before anything could be done");
        return w.chat->conversation().id;
    }
};

QTEST_MAIN(WhileAnsweringTest)
#include "while_answering_test.moc"
