// The window with a served model: chosen for one conversation, asked through a stand-in for the servers, broken off, continued;
// what the server cannot do is greyed with the reason.
#include "tests/support/stand_in_server.h"
#include "tests/support/window_fixture.h"
#include "ui/blocks/block_dock.h"
#include "ui/blocks/block_view.h"
#include "ui/chat/composer.h"
#include "ui/chat/context_meter.h"
#include "ui/chat/elided_label.h"
#include "ui/chat/notice_bar.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include <algorithm>

namespace {

using namespace trefoil;
using trefoil::test::recordedStream;
using trefoil::test::StandInAnswer;
using trefoil::test::StandInServer;
using trefoil::testing::WindowFixture;

const QString kAnswer = QString::fromUtf8("347 + 586 = 933 — fertig 🍀");

StandInAnswer recording(const char* name) {
    StandInAnswer answer;
    answer.body = recordedStream(QString::fromLatin1(name));
    return answer;
}

ServerEntry entryFor(const StandInServer& server, ServerKind kind) {
    ServerEntry entry;
    entry.profile.id = QStringLiteral("lab-id");
    entry.profile.name = QStringLiteral("Lab");
    entry.profile.address = server.address();
    entry.profile.kind = kind;
    entry.profile.model = QStringLiteral("clover");
    return entry;
}

/// The beginning of its answer, and then nothing, for as long as the connection lasts.
StandInAnswer unfinished(const char* name) {
    StandInAnswer answer = recording(name);
    answer.silentAfterBody = true;
    answer.body = answer.body.left(answer.body.indexOf("data: [DONE]"));
    answer.body = answer.body.left(answer.body.lastIndexOf("data: {\"id\""));
    answer.body = answer.body.left(answer.body.lastIndexOf("data: {\"id\""));
    return answer;
}

QJsonObject lastBody(const StandInServer& server) { return QJsonDocument::fromJson(server.requests().last().body).object(); }

class ServedWindowTest : public QObject {
    Q_OBJECT

private:
    /// A window whose open conversation is answered by the stand-in.
    static void choose(const WindowFixture& w, const StandInServer& server, ServerKind kind = ServerKind::SGLang) {
        w.servers->put(entryFor(server, kind));
        w.chat->chooseEngine(QStringLiteral("lab-id"));
        QVERIFY(w.chat->capabilities().reachesOut);
    }
    static QString notice(const WindowFixture& w) {
        const Notice shown = w.window->findChild<NoticeBar*>()->current();
        return shown.text;
    }

private slots:
    void chatsAndSaysWhere() {
        QTemporaryDir folder;
        StandInServer server;
        server.answerChat(recording("sglang_parser.sse"));
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        auto* where = w.find<QToolButton>("statusEngine");
        QCOMPARE(where->text(), QStringLiteral("This computer"));
        w.servers->put(entryFor(server, ServerKind::SGLang));
        // Set up, and still nothing was sent: not for a conversation that did not choose it.
        w.ask(QStringLiteral("What is 2 + 3?"));
        QVERIFY(w.waitForAnswer());
        QVERIFY(server.requests().isEmpty());
        w.chat->newConversation();
        const QList<QAction*> choices = where->menu()->actions();
        const auto action = std::find_if(choices.cbegin(), choices.cend(),
                                         [](const QAction* a) { return a->data().toString() == QLatin1String("lab-id"); });
        QVERIFY(action != choices.cend());
        (*action)->trigger();
        QVERIFY2(where->text().contains(QStringLiteral("Lab")) && where->text().contains(QStringLiteral("127.0.0.1")),
                 qPrintable(where->text()));
        QVERIFY(where->accessibleDescription().contains(QStringLiteral("127.0.0.1")));
        w.screenshot(QStringLiteral("served-empty"));
        QTest::qWait(300);  // the draft's count
        QVERIFY(server.requests().isEmpty());
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        const MessageRecord answer = w.lastMessage();
        QCOMPARE(answer.content, kAnswer);
        QCOMPARE(answer.thinking, QStringLiteral("Add the units first: 7 and 6 are 13."));
        QCOMPARE(answer.stopReason, EndReason::End);
        QCOMPARE(answer.model, QStringLiteral("clover"));
        QCOMPARE(answer.stats.responseTokens, 31);
        QCOMPARE(server.requests().size(), 1);
        const QJsonArray sent = lastBody(server).value(QStringLiteral("messages")).toArray();
        QCOMPARE(sent.size(), 1);
        QCOMPARE(sent.at(0).toObject().value(QStringLiteral("content")).toString(), QStringLiteral("What is 347 + 586?"));
        // The dock has the pieces, and says what is missing.
        const QString facts = w.find<QLabel>("blockFacts")->text();
        QVERIFY2(facts.contains(QStringLiteral("no confidences")), qPrintable(facts));
        QVERIFY(!w.find<BlockView>("blockView")->cells().isEmpty());
        w.screenshot(QStringLiteral("served-answer"));
        // In sight at any size of the window.
        w.window->resize(w.window->minimumSizeHint().expandedTo({760, 480}));
        QTest::qWait(20);
        QVERIFY(where->isVisible());
        QCOMPARE(where->visibleRegion().boundingRect(), where->rect());
        w.screenshot(QStringLiteral("served-narrow"));
        // The other conversation is still answered here.
        const QString served = w.chat->conversation().id;
        w.chat->newConversation();
        QCOMPARE(where->text(), QStringLiteral("This computer"));
        w.chat->openConversation(served);
        QTRY_VERIFY(where->text().contains(QStringLiteral("Lab")));
        QCOMPARE(w.chat->messages().size(), 2);
    }

    void whatItCannotDoIsGreyed() {
        QTemporaryDir folder;
        StandInServer server;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        auto* threshold = w.find<QWidget>("control_threshold");
        auto* temperature = w.find<QWidget>("control_max_new_tokens");
        QVERIFY(threshold->isEnabled() && temperature->isEnabled());
        choose(w, server);
        QVERIFY(!threshold->isEnabled());
        QVERIFY(temperature->isEnabled());
        QVERIFY2(threshold->accessibleDescription().contains(QStringLiteral("SGLang")),
                 qPrintable(threshold->accessibleDescription()));
        QVERIFY(threshold->toolTip().contains(QStringLiteral("SGLang")));
        auto* pause = w.find<QToolButton>("steerPause");
        QVERIFY(!pause->isEnabled() && !pause->accessibleDescription().isEmpty());
        QVERIFY(!w.find<QAction>("actionPause")->isEnabled());
        QVERIFY(w.find<QLabel>("expertSummary") != nullptr && !w.find<QWidget>("expertLayers")->isEnabled());
        QTRY_VERIFY(w.find<ContextMeter>("contextMeter")->accessibleName().contains(QStringLiteral("About")));
        w.chat->chooseEngine({});
        QVERIFY(threshold->isEnabled() && pause->isEnabled());
        QVERIFY(w.find<QWidget>("expertLayers")->isEnabled());
        QTRY_VERIFY(!w.find<ContextMeter>("contextMeter")->accessibleName().contains(QStringLiteral("About")));
    }

    void brokenOffAndContinued() {
        QTemporaryDir folder;
        StandInServer server;
        StandInAnswer broken = recording("vllm_reasoning.sse");
        // Behind the first words of the answer.
        const qsizetype at = broken.body.indexOf("347 + 586");
        QVERIFY(at > 0);
        broken.breakAfter = broken.body.indexOf("\n\n", at) + 2;
        server.answerChat(broken);
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server, ServerKind::Vllm);
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        const MessageRecord cut = w.lastMessage();
        QCOMPARE(cut.stopReason, EndReason::Failed);
        QVERIFY(!cut.error.isEmpty());
        QVERIFY2(cut.content.startsWith(QStringLiteral("347 + 586")), qPrintable(cut.content));
        QVERIFY(w.chat->canContinue(cut.id));
        QVERIFY(w.find<QAction>("actionContinue")->isEnabled());
        w.screenshot(QStringLiteral("served-broken"));
        StandInAnswer rest;
        rest.body =
            "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\" and so on\"},\"finish_reason\":null}]}\n\n"
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        server.answerChat(rest);
        w.find<QAction>("actionContinue")->trigger();
        QTRY_COMPARE(w.lastMessage().stopReason, EndReason::End);
        const MessageRecord whole = w.lastMessage();
        QCOMPARE(whole.id, cut.id);
        QCOMPARE(whole.content, cut.content + QStringLiteral(" and so on"));
        QCOMPARE(whole.thinking, cut.thinking);
        QVERIFY(whole.error.isEmpty());
        const QJsonObject body = lastBody(server);
        QVERIFY(body.value(QStringLiteral("continue_final_message")).toBool());
        const QJsonObject last = body.value(QStringLiteral("messages")).toArray().last().toObject();
        QCOMPARE(last.value(QStringLiteral("role")).toString(), QStringLiteral("assistant"));
        QCOMPARE(last.value(QStringLiteral("content")).toString(), cut.content);
    }

    void cutInsideTheThinkingIsAskedAnew() {
        QTemporaryDir folder;
        StandInServer server;
        StandInAnswer broken = recording("vllm_reasoning.sse");
        broken.breakAfter = broken.body.indexOf("\n\n", broken.body.indexOf("Add the units")) + 2;
        server.answerChat(broken);
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server, ServerKind::Vllm);
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        const MessageRecord cut = w.lastMessage();
        QVERIFY(!cut.thinking.isEmpty() && cut.content.isEmpty());
        server.answerChat(recording("vllm_reasoning.sse"));
        w.chat->continueAnswer(cut.id);
        QTRY_COMPARE(w.lastMessage().content, kAnswer);
        QTRY_VERIFY(!w.chat->isRunning());
        QVERIFY(w.lastMessage().id != cut.id);
        QVERIFY2(notice(w).contains(QStringLiteral("asked anew")), qPrintable(notice(w)));
        QCOMPARE(w.chat->versionsOf(w.lastMessage()).size(), 2);
    }

    void htmlIsNoAnswer() {
        QTemporaryDir folder;
        StandInServer server;
        StandInAnswer page;
        page.contentType = "text/html";
        page.body = "<html><body>Sign in to the hotel's network</body></html>";
        server.answerChat(page);
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server);
        w.ask(QStringLiteral("Anyone there?"));
        QVERIFY(w.waitForAnswer());
        QCOMPARE(w.lastMessage().stopReason, EndReason::Failed);
        QVERIFY2(w.lastMessage().error.contains(QStringLiteral("web page")), qPrintable(w.lastMessage().error));
        QCOMPARE(w.chat->messages().size(), 2);  // the question is kept
    }

    void waitsOnlyWhenAsked() {
        QTemporaryDir folder;
        StandInServer server;
        StandInAnswer full;
        full.status = 429;
        full.contentType = "application/json";
        full.headers = {{"Retry-After", "1"}};
        full.body = "{\"error\":{\"message\":\"busy\"}}";
        server.answerChat(full);
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server);
        w.ask(QStringLiteral("Now?"));
        QVERIFY(w.waitForAnswer());
        QTRY_VERIFY(notice(w).contains(QStringLiteral("1 second")));
        server.answerChat(recording("sglang_parser.sse"));
        QCOMPARE(server.requests().size(), 1);
        emit w.window->findChild<NoticeBar*>()->actionTriggered(QStringLiteral("wait"), QStringLiteral("retry"));
        QTRY_COMPARE_WITH_TIMEOUT(w.lastMessage().content, kAnswer, 20000);
        QCOMPARE(server.requests().size(), 2);
    }

    /// Another question ends the wait, and what the status bar says of it.
    void askedOtherwiseWhileItWaits() {
        QTemporaryDir folder;
        StandInServer server;
        StandInAnswer full;
        full.status = 429;
        full.contentType = "application/json";
        full.headers = {{"Retry-After", "3600"}};
        full.body = "{\"error\":{\"message\":\"busy\"}}";
        server.answerChat(full);
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server);
        w.ask(QStringLiteral("Now?"));
        QVERIFY(w.waitForAnswer());
        QTRY_VERIFY(notice(w).contains(QStringLiteral("second")));
        emit w.window->findChild<NoticeBar*>()->actionTriggered(QStringLiteral("wait"), QStringLiteral("retry"));
        auto* activity = w.find<ElidedLabel>("statusActivity");
        QVERIFY2(activity->fullText().contains(QStringLiteral("Waiting")), qPrintable(activity->fullText()));
        server.answerChat(unfinished("sglang_parser.sse"));
        w.ask(QStringLiteral("And this?"));
        QTRY_VERIFY(w.chat->isRunning() && !w.lastMessage().content.isEmpty());
        QVERIFY2(!activity->fullText().contains(QStringLiteral("Waiting")), qPrintable(activity->fullText()));
        w.chat->stop();
        QTRY_VERIFY(!w.chat->isRunning());
    }

    /// What a Trefoil server takes with a question cannot be changed while it answers it.
    void liveControlsWaitForTheEnd() {
        QTemporaryDir folder;
        StandInServer server;
        server.answerChat(unfinished("trefoil_passes.sse"));
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server, ServerKind::Trefoil);
        auto* threshold = w.find<QWidget>("control_threshold");
        const auto* temperature = w.find<QWidget>("control_max_new_tokens");
        QVERIFY(threshold->isEnabled());
        w.ask(QStringLiteral("Hello?"));
        QTRY_VERIFY(w.chat->isRunning());
        QVERIFY(!threshold->isEnabled());
        QVERIFY(temperature->isEnabled());
        QVERIFY2(threshold->toolTip().contains(QStringLiteral("after the answer")), qPrintable(threshold->toolTip()));
        // Another conversation with the same server is not being answered.
        const QString id = w.chat->conversation().id;
        w.chat->newConversation();
        w.chat->chooseEngine(QStringLiteral("lab-id"));
        QVERIFY(threshold->isEnabled());
        w.chat->openConversation(id);
        QTRY_VERIFY(!threshold->isEnabled());
        w.chat->stop();
        QTRY_VERIFY(!w.chat->isRunning());
        QVERIFY(threshold->isEnabled());
    }

    /// The same server for both: its entry in the menu is greyed in the one that is being answered only.
    void menuFollowsTheConversation() {
        QTemporaryDir folder;
        StandInServer server;
        server.answerChat(unfinished("sglang_parser.sse"));
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server);
        const auto* button = w.find<QToolButton>("statusEngine");
        const auto free = [button] { return button->menu()->actions().constFirst()->isEnabled(); };
        QVERIFY(free());
        w.ask(QStringLiteral("What is 347 + 586?"));
        QTRY_VERIFY(w.chat->isRunning() && !w.lastMessage().content.isEmpty());
        QVERIFY(!free());
        const QString answered = w.chat->conversation().id;
        w.chat->newConversation();
        w.chat->chooseEngine(QStringLiteral("lab-id"));
        QVERIFY(free());
        w.chat->openConversation(answered);
        QTRY_COMPARE(w.chat->conversation().id, answered);
        QVERIFY(!free());
        w.chat->stop();
        QTRY_VERIFY(!w.chat->isRunning());
        QVERIFY(free());
    }

    void shortContextLeavesRoomForAnEmptyDraft() {
        QTemporaryDir folder;
        StandInServer server;
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        ServerEntry entry = entryFor(server, ServerKind::Vllm);
        entry.context = 256;
        w.servers->put(entry);
        QSignalSpy counted(w.chat.get(), &ChatController::promptCounted);
        w.chat->chooseEngine(QStringLiteral("lab-id"));
        QTRY_VERIFY(!counted.isEmpty());
        const auto* meter = w.find<ContextMeter>("contextMeter");
        QVERIFY2(!meter->accessibleName().contains(QStringLiteral("too many")), qPrintable(meter->accessibleName()));
        QVERIFY2(meter->accessibleName().contains(QStringLiteral("256")), qPrintable(meter->accessibleName()));
    }

    void goneServerAsksForAnotherOne() {
        QTemporaryDir folder;
        StandInServer server;
        server.answerChat(recording("sglang_parser.sse"));
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server);
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        const QString id = w.chat->conversation().id;
        w.servers->remove(QStringLiteral("lab-id"));
        QVERIFY(w.chat->engineMissing());
        QVERIFY2(notice(w).contains(QStringLiteral("not set up any more")), qPrintable(notice(w)));
        QVERIFY(!w.find<QWidget>("sendButton")->isEnabled());
        w.screenshot(QStringLiteral("served-gone"));
        w.chat->newConversation();
        QVERIFY(notice(w).isEmpty());
        w.chat->openConversation(id);
        QTRY_VERIFY(w.chat->engineMissing());
        emit w.window->findChild<NoticeBar*>()->actionTriggered(QStringLiteral("engine"), QStringLiteral("embedded"));
        QVERIFY(!w.chat->engineMissing());
        QVERIFY(w.chat->model().has_value());
    }

    void removedWhileItAnswers() {
        QTemporaryDir folder;
        StandInServer server;
        server.answerChat(unfinished("sglang_parser.sse"));
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server);
        w.ask(QStringLiteral("What is 347 + 586?"));
        QTRY_VERIFY(w.chat->isRunning() && !w.lastMessage().content.isEmpty());
        // Another conversation is shown: the answer keeps its engine.
        const QString id = w.chat->conversation().id;
        w.chat->newConversation();
        QVERIFY(w.chat->isRunning());
        w.servers->remove(QStringLiteral("lab-id"));
        QVERIFY(!w.chat->isRunning());
        w.chat->openConversation(id);
        QTRY_COMPARE(w.chat->messages().size(), 2);
        QCOMPARE(w.lastMessage().stopReason, EndReason::Cancelled);
        QVERIFY(w.lastMessage().content.startsWith(QStringLiteral("347")));
    }

    void passesShowConfidences() {
        QTemporaryDir folder;
        StandInServer server;
        server.answerChat(recording("trefoil_passes.sse"));
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        choose(w, server, ServerKind::Trefoil);
        w.ask(QStringLiteral("Hello?"));
        QVERIFY(w.waitForAnswer());
        QVERIFY2(w.lastMessage().error.isEmpty(), qPrintable(w.lastMessage().error));
        QVERIFY(w.lastMessage().stats.passes > 0);
        QVERIFY(!w.lastMessage().responseIds.isEmpty());
        const auto* dock = w.find<BlockDock>("blockDockContent");
        QVERIFY(dock->replay().model().blockCount() > 0);
        const QList<CellView> cells = dock->replay().model().cells(0, 1);
        QCOMPARE(cells.value(0).state, CellState::Prompt);
        QVERIFY(std::any_of(cells.cbegin(), cells.cend(), [](const CellView& cell) { return cell.confidence > 0.9; }));
        QVERIFY(lastBody(server).value(QStringLiteral("trefoil_passes")).toBool());
        // The usual length may be more than the model holds: the server's own limit then.
        QVERIFY(!lastBody(server).contains(QStringLiteral("max_new_tokens")));
        QVERIFY(w.find<QWidget>("control_threshold")->isEnabled());
    }
};

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    if (qEnvironmentVariableIntValue("TREFOIL_SCREENSHOT_DARK") != 0) QApplication::setPalette(trefoil::theme::darkPalette());
    ServedWindowTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "served_window_test.moc"
