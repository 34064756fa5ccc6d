// Versions of questions and answers in the whole window, with the real demo model: edit, regenerate, move between them, go on.
#include "tests/support/window_fixture.h"
#include "ui/blocks/block_bars.h"
#include "ui/blocks/block_dock.h"
#include "ui/blocks/block_view.h"
#include "ui/chat/composer.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/transcript_view.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

#include <algorithm>
#include <utility>

namespace {

using trefoil::ControlValues;
using trefoil::EndReason;
using trefoil::MessageRecord;
using trefoil::MessageWidget;
using trefoil::TraceView;
using trefoil::testing::WindowFixture;

class BranchesTest : public QObject {
    Q_OBJECT

private:
    /// The buttons of a message, by name; nullptr when it has no widget.
    static QAbstractButton* button(const WindowFixture& w, const QString& message, const char* name) {
        const MessageWidget* widget = w.find<trefoil::TranscriptView>("transcriptView")->messageWidget(message);
        return widget == nullptr ? nullptr : widget->findChild<QAbstractButton*>(QString::fromLatin1(name));
    }
    static QString versionText(const WindowFixture& w, const QString& message) {
        const MessageWidget* widget = w.find<trefoil::TranscriptView>("transcriptView")->messageWidget(message);
        const QLabel* label = widget == nullptr ? nullptr : widget->findChild<QLabel*>(QStringLiteral("versionLabel"));
        return label == nullptr || label->isHidden() ? QString() : label->text();
    }
    static void click(QAbstractButton* button) {
        QVERIFY(button != nullptr && button->isVisible() && button->isEnabled());
        QTest::mouseClick(button, Qt::LeftButton);
    }
    static bool idle(const WindowFixture& w) {
        return QTest::qWaitFor([&w] { return !w.chat->isRunning(); }, 60000);
    }
    /// Waits for another last message than `before`, complete.
    static bool answeredAfter(const WindowFixture& w, const QString& before) {
        return QTest::qWaitFor(
            [&] {
                return w.lastMessage().id != before && w.lastMessage().role == QLatin1String("assistant") && !w.chat->isRunning();
            },
            60000);
    }
    static void set(const WindowFixture& w, const QString& name, const QVariant& value) {
        ControlValues values = w.chat->controls();
        values.insert(name, value);
        w.chat->setControls(values);
    }
    static TraceView traceOf(const WindowFixture& w, const QString& message) {
        QSignalSpy spy(w.chat.get(), &trefoil::ChatController::traceReady);
        w.chat->requestTrace(message);
        return spy.wait(30000) ? spy.takeFirst().at(1).value<TraceView>() : TraceView();
    }

private slots:
    void anyAnswerIsRegeneratedAndVersionsStay();
    void aQuestionIsEditedInTheComposer();
    void editingCanBeLeft();
    void aBegunEditIsKept();
    void aStoppedAnswerGoesOn();
    void anAnswerCutByItsLengthGoesOn();
    void theBlocksBeforeStay();
    void thePromptIsReused();
    void controlsChangeWhileItWrites();
    void pausedSteppedAndChangedByHand();
    void looksRight();
};

void BranchesTest::anyAnswerIsRegeneratedAndVersionsStay() {
    const QTemporaryDir folder;
    QString first;
    QString anew;
    QString followUp;
    QString conversation;
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        first = w.lastMessage().id;
        w.ask(QStringLiteral("What is 128 + 64?"));
        QVERIFY(w.waitForAnswer());
        followUp = w.lastMessage().id;
        QCOMPARE(w.chat->messages().size(), 4);
        QCOMPARE(versionText(w, first), QString());
        // The first answer, though it is not the last.
        click(button(w, first, "regenerateButton"));
        QVERIFY(answeredAfter(w, followUp));
        anew = w.lastMessage().id;
        QCOMPARE(w.chat->messages().size(), 2);
        QCOMPARE(versionText(w, anew), QStringLiteral("2/2"));
        QVERIFY(!button(w, anew, "nextVersionButton")->isEnabled());
        // Back, by keyboard: what followed the first version comes with it.
        QAbstractButton* previous = button(w, anew, "previousVersionButton");
        QCOMPARE(previous->accessibleName(), QStringLiteral("Previous version, 1 of 2"));
        previous->setFocus();
        QTest::keyClick(previous, Qt::Key_Space);
        QTRY_COMPARE(w.chat->messages().size(), 4);
        QCOMPARE(w.chat->messages().at(1).id, first);
        QCOMPARE(w.lastMessage().id, followUp);
        QCOMPARE(versionText(w, first), QStringLiteral("1/2"));
        QTRY_VERIFY(button(w, first, "nextVersionButton")->hasFocus());
        click(button(w, first, "nextVersionButton"));
        QTRY_COMPARE(w.lastMessage().id, anew);
        conversation = w.chat->conversation().id;
    }
    // The choice and all versions are there tomorrow.
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.chat->openConversation(conversation);
    QTRY_COMPARE(w.lastMessage().id, anew);
    QCOMPARE(versionText(w, anew), QStringLiteral("2/2"));
    click(button(w, anew, "previousVersionButton"));
    QTRY_COMPARE(w.lastMessage().id, followUp);
}

void BranchesTest::aQuestionIsEditedInTheComposer() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    const QString question = w.chat->messages().constFirst().id;
    const QString answer = w.lastMessage().id;
    auto* composer = w.find<trefoil::Composer>("composer");
    composer->setText(QStringLiteral("a draft"));
    click(button(w, question, "editMessageButton"));
    QCOMPARE(composer->text(), QStringLiteral("What is 347 + 586?"));
    QVERIFY(!composer->problem().isEmpty());
    composer->setText(QStringLiteral("What is 128 + 64?"));
    QTest::keyClick(w.find<QWidget>("composerEditor"), Qt::Key_Return);
    QVERIFY(answeredAfter(w, answer));
    QCOMPARE(w.chat->messages().size(), 2);
    QVERIFY(w.lastMessage().content.contains(QStringLiteral("192")));
    const QString edited = w.chat->messages().constFirst().id;
    QCOMPARE(w.chat->messages().constFirst().content, QStringLiteral("What is 128 + 64?"));
    QCOMPARE(versionText(w, edited), QStringLiteral("2/2"));
    QCOMPARE(composer->text(), QStringLiteral("a draft"));
    QVERIFY(composer->problem().isEmpty());
    // The answer of the first version is not fed to the second.
    QCOMPARE(w.lastMessage().parentId, edited);
    click(button(w, edited, "previousVersionButton"));
    QTRY_COMPARE(w.lastMessage().id, answer);
    QCOMPARE(w.chat->messages().constFirst().id, question);
}

void BranchesTest::editingCanBeLeft() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("What is 12 + 30?"));
    QVERIFY(w.waitForAnswer());
    auto* composer = w.find<trefoil::Composer>("composer");
    composer->setText(QStringLiteral("a draft"));
    w.window->findChild<QAction*>(QStringLiteral("actionEditQuestion"))->trigger();
    QCOMPARE(composer->text(), QStringLiteral("What is 12 + 30?"));
    QTest::keyClick(w.find<QWidget>("composerEditor"), Qt::Key_Escape);
    QCOMPARE(composer->text(), QStringLiteral("a draft"));
    QVERIFY(composer->problem().isEmpty());
    QCOMPARE(w.chat->messages().size(), 2);
    QCOMPARE(w.chat->conversation().draft, QStringLiteral("a draft"));
}

/// In another window, another conversation, another branch, and tomorrow.
void BranchesTest::aBegunEditIsKept() {
    const QTemporaryDir folder;
    QString conversation;
    const QString begun = QStringLiteral("What is 12 + 30, and 5");
    const QString draft = QStringLiteral("a draft");
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        w.ask(QStringLiteral("What is 12 + 30?"));
        QVERIFY(w.waitForAnswer());
        conversation = w.chat->conversation().id;
        const QString answer = w.lastMessage().id;
        const auto composer = [&w] { return w.find<trefoil::Composer>("composer"); };
        composer()->setText(draft);
        w.find<QAction>("actionEditQuestion")->trigger();
        composer()->setText(begun);
        w.replaceWindow();
        QCOMPARE(composer()->text(), begun);
        QVERIFY(!composer()->problem().isEmpty());
        w.find<QAction>("actionNewChat")->trigger();
        QCOMPARE(composer()->text(), QString());
        QVERIFY(composer()->problem().isEmpty());
        w.chat->openConversation(conversation);
        QTRY_COMPARE(composer()->text(), begun);
        // Sent, it is a version of its question; the draft comes back, and the edit is over.
        composer()->focusEditor();
        QTest::keyClick(w.find<QWidget>("composerEditor"), Qt::Key_Return);
        QVERIFY(answeredAfter(w, answer));
        QCOMPARE(w.chat->versionsOf(w.chat->messages().constFirst()).size(), 2);
        QCOMPARE(composer()->text(), draft);
        QVERIFY(composer()->problem().isEmpty());
        QVERIFY(w.chat->conversation().edited.isEmpty());
        // Another version on show takes it over. An answer before it that is written anew puts it aside.
        w.ask(QString());  // sends the draft
        QVERIFY(w.waitForAnswer());
        composer()->setText(draft);
        w.find<QAction>("actionEditQuestion")->trigger();
        composer()->setText(begun);
        const QString second = w.chat->messages().at(1).id;
        QCOMPARE(w.chat->messages().size(), 4);
        w.chat->regenerate(second);
        QCOMPARE(composer()->text(), draft);
        QVERIFY(composer()->problem().isEmpty());
        QVERIFY(answeredAfter(w, second));
        w.chat->showVersion(second);
        QCOMPARE(w.chat->messages().size(), 4);
        QCOMPARE(composer()->text(), begun);
        QVERIFY(w.window->close());
    }
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.chat->openConversation(conversation);
    auto* composer = w.find<trefoil::Composer>("composer");
    QTRY_COMPARE(composer->text(), begun);
    QTest::keyClick(w.find<QWidget>("composerEditor"), Qt::Key_Escape);
    QCOMPARE(composer->text(), draft);
    QVERIFY(w.chat->conversation().edited.isEmpty());
}

void BranchesTest::aStoppedAnswerGoesOn() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    set(w, QStringLiteral("do_sample"), true);
    set(w, QStringLiteral("temperature"), 1.1);
    set(w, QStringLiteral("seed"), QVariant::fromValue<qulonglong>(7));
    set(w, QStringLiteral("max_new_tokens"), 256);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    const MessageRecord whole = w.lastMessage();
    QVERIFY(button(w, whole.id, "continueButton")->isHidden());
    // The same again, stopped in its second block.
    const auto stopper =
        connect(w.chat.get(), &trefoil::ChatController::passArrived, w.chat.get(), [&w](const trefoil::PassView& pass) {
            if (pass.block == 1) w.chat->stop();
        });
    w.chat->regenerate(whole.id);
    QVERIFY(answeredAfter(w, whole.id));
    disconnect(stopper);
    const MessageRecord stopped = w.lastMessage();
    QCOMPARE(stopped.stopReason, EndReason::Cancelled);
    QVERIFY(stopped.responseIds.size() < whole.responseIds.size());
    const TraceView begun = traceOf(w, stopped.id);
    click(button(w, stopped.id, "continueButton"));
    QTRY_VERIFY(w.lastMessage().responseIds.size() > stopped.responseIds.size());
    QVERIFY(idle(w));
    QCOMPARE(w.lastMessage().id, stopped.id);
    QCOMPARE(w.lastMessage().responseIds, whole.responseIds);
    QCOMPARE(w.lastMessage().content, whole.content);
    QCOMPARE(w.lastMessage().thinking, whole.thinking);
    QCOMPARE(w.lastMessage().stopReason, whole.stopReason);
    QVERIFY(button(w, stopped.id, "continueButton")->isHidden());
    // One trace, its blocks in a row; the pass that was stopped half-way is not repeated under another number.
    const TraceView trace = traceOf(w, stopped.id);
    QVERIFY(trace.passes.size() > begun.passes.size());
    QCOMPARE(trace.passes.first(begun.passes.size()), begun.passes);
    qint32 block = 0;
    for (const trefoil::PassView& pass : trace.passes) {
        QVERIFY(pass.block == block || pass.block == block + 1);
        block = pass.block;
    }
    // Regenerate after all that gives the same text still.
    w.chat->regenerate(stopped.id);
    QVERIFY(answeredAfter(w, stopped.id));
    QCOMPARE(w.lastMessage().responseIds, whole.responseIds);
}

void BranchesTest::anAnswerCutByItsLengthGoesOn() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    set(w, QStringLiteral("enable_thinking"), false);
    set(w, QStringLiteral("max_new_tokens"), 40);
    w.ask(QStringLiteral("What does the threshold do?"));
    QVERIFY(w.waitForAnswer());
    const MessageRecord cut = w.lastMessage();
    QCOMPARE(cut.stopReason, EndReason::Length);
    QCOMPARE(cut.responseIds.size(), 40);
    w.window->findChild<QAction*>(QStringLiteral("actionContinue"))->trigger();
    QTRY_VERIFY(w.lastMessage().responseIds.size() > 40);
    QVERIFY(idle(w));
    QCOMPARE(w.lastMessage().id, cut.id);
    QCOMPARE(w.lastMessage().responseIds.first(40), cut.responseIds);
    QVERIFY(w.lastMessage().content.startsWith(cut.content));
}

void BranchesTest::theBlocksBeforeStay() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    set(w, QStringLiteral("max_new_tokens"), 256);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    const MessageRecord whole = w.lastMessage();
    QVERIFY(whole.stats.blocks > 2);
    // From the transcript's menu, block 3, as other words would have it.
    MessageWidget* widget = w.find<trefoil::TranscriptView>("transcriptView")->messageWidget(whole.id);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(5, 5), widget->mapToGlobal(QPoint(5, 5)));
    QApplication::sendEvent(widget, &event);
    auto* from = widget->findChild<QMenu*>(QStringLiteral("regenerateFromMenu"));
    QVERIFY(from != nullptr);
    QCOMPARE(from->actions().size(), whole.stats.blocks - 1);
    from->actions().at(1)->trigger();
    from->parentWidget()->close();
    QVERIFY(answeredAfter(w, whole.id));
    const MessageRecord anew = w.lastMessage();
    QCOMPARE(anew.responseIds, whole.responseIds);  // same seed, same words
    QCOMPARE(anew.stats.keptTokens, 64);
    QCOMPARE(versionText(w, anew.id), QStringLiteral("2/2"));
    QCOMPARE(traceOf(w, anew.id).passes.size(), traceOf(w, whole.id).passes.size());
    // From the Block dock, with another seed.
    set(w, QStringLiteral("do_sample"), true);
    set(w, QStringLiteral("temperature"), 50.0);
    set(w, QStringLiteral("seed"), QVariant::fromValue<qulonglong>(99));
    auto* dock = w.find<trefoil::BlockDock>("blockDockContent");
    QTRY_VERIFY(!dock->replay().isLive());
    w.find<trefoil::BlockBars>("blockBars")->chooseItem(1);
    QCOMPARE(dock->replay().block(), 1);
    click(w.find<QAbstractButton>("blockRegenerate"));
    QVERIFY(answeredAfter(w, anew.id));
    QCOMPARE(w.lastMessage().responseIds.first(32), whole.responseIds.first(32));
    QVERIFY(w.lastMessage().responseIds != whole.responseIds);
    QCOMPARE(versionText(w, w.lastMessage().id), QStringLiteral("3/3"));
}

void BranchesTest::thePromptIsReused() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    QCOMPARE(w.lastMessage().stats.reusedTokens, 0);
    auto* reused = w.find<QLabel>("statusReused");
    QVERIFY(reused->isHidden());
    w.ask(QStringLiteral("What is 128 + 64?"));
    QVERIFY(w.waitForAnswer());
    const MessageRecord with = w.lastMessage();
    QVERIFY(with.stats.reusedTokens > 0 && with.stats.reusedTokens < with.stats.promptTokens);
    QVERIFY(!reused->isHidden());
    QVERIFY2(reused->text().contains(QString::number(with.stats.reusedTokens)), qPrintable(reused->text()));
    w.engine->setPrefixBudget(0);
    w.chat->regenerate(with.id);
    QVERIFY(answeredAfter(w, with.id));
    QCOMPARE(w.lastMessage().stats.reusedTokens, 0);
    QCOMPARE(w.lastMessage().responseIds, with.responseIds);
}

void BranchesTest::controlsChangeWhileItWrites() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    set(w, QStringLiteral("threshold"), 1.0);  // a token a pass
    set(w, QStringLiteral("max_new_tokens"), 192);
    bool given = false;
    connect(w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(), [&](const trefoil::PassView&) {
        if (!std::exchange(given, true)) set(w, QStringLiteral("threshold"), 0.3);
    });
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    const MessageRecord answer = w.lastMessage();
    const TraceView trace = traceOf(w, answer.id);
    qsizetype marked = 0;
    for (const trefoil::PassView& pass : trace.passes) {
        if (pass.changed.isEmpty()) continue;
        ++marked;
        QCOMPARE(pass.changed.value(QStringLiteral("threshold")).toDouble(), 0.3);
        QVERIFY(pass.block > 0 || pass.step > 0);
    }
    QCOMPARE(marked, 1);
    QVERIFY(answer.stats.passes < answer.stats.responseTokens);
    QCOMPARE(answer.settings.value(QStringLiteral("threshold")).toDouble(), 1.0);  // as it began
}

void BranchesTest::pausedSteppedAndChangedByHand() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    set(w, QStringLiteral("threshold"), 1.0);  // a token a pass
    bool asked = false;
    connect(w.chat.get(), &trefoil::ChatController::passArrived, w.window.get(), [&](const trefoil::PassView&) {
        if (!std::exchange(asked, true)) w.find<QAction>("actionPause")->trigger();
    });
    w.ask(QStringLiteral("Count from 1 to 40."));
    auto* const state = w.find<QLabel>("steerText");
    QTRY_VERIFY(state->text().startsWith(QLatin1String("Paused after pass ")));
    auto* const view = w.find<trefoil::BlockView>("blockView");
    const auto resolved = [&] {
        return std::count_if(view->cells().cbegin(), view->cells().cend(),
                             [](const trefoil::CellView& c) { return c.resolvedPass >= 0; });
    };
    // One pass, one token.
    const auto before = resolved();
    w.find<QToolButton>("steerStep")->click();
    QTRY_COMPARE(resolved(), before + 1);
    // The first resolved position once more.
    int row = 0;
    while (view->cells().at(row).resolvedPass < 0) ++row;
    view->chooseItem(row);
    auto* const mask = w.find<QToolButton>("steerMask");
    QTRY_VERIFY(mask->isEnabled());
    mask->click();
    QTRY_COMPARE(resolved(), before);
    QCOMPARE(view->cells().at(row).state, trefoil::CellState::Masked);
    // A text by hand.
    auto* const token = w.find<QComboBox>("steerToken");
    token->setEditText(QStringLiteral("7"));
    w.find<QToolButton>("steerFix")->click();
    QTRY_VERIFY(view->cells().at(row).byHand);
    const qint32 fixed = view->cells().at(row).token;
    w.screenshot(QStringLiteral("paused"));
    w.window->setPalette(trefoil::theme::darkPalette());
    w.screenshot(QStringLiteral("paused-dark"));
    w.find<QToolButton>("steerPause")->click();
    QVERIFY(w.waitForAnswer());
    const MessageRecord answer = w.lastMessage();
    QCOMPARE(answer.responseIds.at(row), fixed);
    const TraceView trace = traceOf(w, answer.id);
    const auto edits = std::count_if(trace.passes.cbegin(), trace.passes.cend(),
                                     [](const trefoil::PassView& p) { return p.type == trefoil::PassType::Edit; });
    QVERIFY(edits >= 2);
    QCOMPARE(answer.stats.passes, trace.passes.size() - edits);
    QVERIFY(!w.find<QWidget>("steerBar")->isVisible());

    // Stopping while it is paused.
    asked = false;
    w.ask(QStringLiteral("Count from 1 to 40."));
    QTRY_VERIFY(state->text().startsWith(QLatin1String("Paused after pass ")));
    w.find<QAction>("actionStop")->trigger();
    QVERIFY(w.waitForAnswer());
    QCOMPARE(w.lastMessage().stopReason, trefoil::EndReason::Cancelled);
}

void BranchesTest::looksRight() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.window->resize(1280, 800);
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    const QString question = w.chat->messages().constFirst().id;
    const QString sum = w.lastMessage().id;
    w.chat->sendEdited(question, QStringLiteral("What is 128 + 64?"));
    QVERIFY(answeredAfter(w, sum));
    set(w, QStringLiteral("max_new_tokens"), 64);
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    const QString cut = w.lastMessage().id;
    w.chat->regenerate(cut);
    QVERIFY(answeredAfter(w, cut));
    QVERIFY(button(w, w.lastMessage().id, "continueButton")->isVisible());
    w.screenshot(QStringLiteral("versions-light"));
    w.window->findChild<QAction*>(QStringLiteral("actionTheme2"))->trigger();
    w.window->findChild<QAction*>(QStringLiteral("actionEditQuestion"))->trigger();
    w.screenshot(QStringLiteral("editing-dark"));
    w.window->findChild<QAction*>(QStringLiteral("actionTheme0"))->trigger();
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    BranchesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "branches_test.moc"
