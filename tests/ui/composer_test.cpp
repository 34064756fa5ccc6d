// The composer, driven by keys, mouse and input method events.
#include "ui/chat/composer.h"

#include "tests/ui/input_method_events.h"
#include "ui/chat/context_meter.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMainWindow>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextBlock>
#include <QTextLayout>

using trefoil::Composer;
using trefoil::ContextMeter;
using trefoil::test::commitText;
using trefoil::test::compose;
using trefoil::test::repeatKey;

class ComposerTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<Composer> m_composer;
    QPlainTextEdit* m_editor = nullptr;
    QPushButton* m_send = nullptr;

    [[nodiscard]] QString preedit() const { return m_editor->textCursor().block().layout()->preeditAreaText(); }
    [[nodiscard]] QLabel* label(const char* name) const { return m_composer->findChild<QLabel*>(QLatin1String(name)); }

private slots:
    void init() {
        m_composer = std::make_unique<Composer>();
        m_editor = m_composer->findChild<QPlainTextEdit*>(QStringLiteral("composerEditor"));
        m_send = m_composer->findChild<QPushButton*>(QStringLiteral("sendButton"));
        QVERIFY(m_editor != nullptr);
        QVERIFY(m_send != nullptr);
        m_composer->resize(600, 200);
        m_composer->show();
        m_composer->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_composer.get()));
        m_composer->focusEditor();
        QVERIFY(m_editor->hasFocus());
    }
    void cleanup() { m_composer.reset(); }

    void enterSends_data() {
        QTest::addColumn<int>("key");
        QTest::addColumn<Qt::KeyboardModifiers>("modifiers");
        QTest::newRow("Return") << int(Qt::Key_Return) << Qt::KeyboardModifiers(Qt::NoModifier);
        QTest::newRow("Ctrl+Return") << int(Qt::Key_Return) << Qt::KeyboardModifiers(Qt::ControlModifier);
        QTest::newRow("keypad") << int(Qt::Key_Enter) << Qt::KeyboardModifiers(Qt::KeypadModifier);
        QTest::newRow("Ctrl+keypad") << int(Qt::Key_Enter) << (Qt::KeypadModifier | Qt::ControlModifier);
    }
    void enterSends() {
        QFETCH(int, key);
        QFETCH(Qt::KeyboardModifiers, modifiers);
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QTest::keyClicks(m_editor, QStringLiteral("What is 2 + 2?"));
        QTest::keyClick(m_editor, Qt::Key(key), modifiers);
        QCOMPARE(sent.count(), 1);
        QCOMPARE(sent[0][0].toString(), QStringLiteral("What is 2 + 2?"));
        // The owner empties it once the question is stored.
        QCOMPARE(m_composer->text(), QStringLiteral("What is 2 + 2?"));
    }

    void shiftEnterBreaksTheLine() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QTest::keyClicks(m_editor, QStringLiteral("a"));
        QTest::keyClick(m_editor, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(m_editor, Qt::Key_Enter, Qt::ShiftModifier | Qt::KeypadModifier);
        QTest::keyClicks(m_editor, QStringLiteral("b"));
        QCOMPARE(m_composer->text(), QStringLiteral("a\n\nb"));
        QCOMPARE(sent.count(), 0);
    }

    void blankTextIsNotSent() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QVERIFY(!m_send->isEnabled());
        QTest::keyClick(m_editor, Qt::Key_Return);
        QVERIFY(!label("composerHint")->text().isEmpty());
        QTest::keyClicks(m_editor, QStringLiteral("  \t"));
        QTest::keyClick(m_editor, Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(label("composerHint")->text().isEmpty());
        QVERIFY(!m_send->isEnabled());
        QTest::keyClick(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 0);
        QTest::keyClicks(m_editor, QStringLiteral("x"));
        QVERIFY(m_send->isEnabled());
    }

    void heldEnterSendsOnce() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QTest::keyClicks(m_editor, QStringLiteral("x"));
        QTest::keyPress(m_editor, Qt::Key_Return);
        repeatKey(m_editor, Qt::Key_Return);
        repeatKey(m_editor, Qt::Key_Return);
        QTest::keyRelease(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 1);
        QCOMPARE(m_composer->text(), QStringLiteral("x"));
    }

    void buttonSendsAndStops() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QSignalSpy stopped(m_composer.get(), &Composer::stopRequested);
        m_composer->setText(QStringLiteral("x"));
        const int width = m_send->width();
        QTest::mouseClick(m_send, Qt::LeftButton);
        QCOMPARE(sent.count(), 1);
        m_composer->setBusy(true);
        QCOMPARE(m_send->text(), QStringLiteral("Stop"));
        QCoreApplication::processEvents();
        QCOMPARE(m_send->width(), width);
        QTest::mouseClick(m_send, Qt::LeftButton);
        QCOMPARE(stopped.count(), 1);
        QCOMPARE(sent.count(), 1);
        QVERIFY(m_editor->hasFocus());
    }

    void secondClickOfADoubleClickDoesNotStop() {
        QSignalSpy stopped(m_composer.get(), &Composer::stopRequested);
        connect(m_composer.get(), &Composer::sendRequested, m_composer.get(), [this] { m_composer->setBusy(true); });
        m_composer->setText(QStringLiteral("x"));
        QTest::mouseClick(m_send, Qt::LeftButton);
        QTest::mouseDClick(m_send, Qt::LeftButton);
        QTest::mouseRelease(m_send, Qt::LeftButton);
        QVERIFY(m_composer->busy());
        QCOMPARE(stopped.count(), 0);
    }

    void escapeStopsOnlyWhileBusy() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QSignalSpy stopped(m_composer.get(), &Composer::stopRequested);
        m_composer->setText(QStringLiteral("next question"));
        QTest::keyClick(m_editor, Qt::Key_Escape);
        QCOMPARE(stopped.count(), 0);
        m_composer->setBusy(true);
        QTest::keyClick(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 0);
        QVERIFY(!label("composerHint")->text().isEmpty());
        QTest::keyClick(m_editor, Qt::Key_Escape);
        QCOMPARE(stopped.count(), 1);
        QCOMPARE(m_composer->text(), QStringLiteral("next question"));
    }

    void enterDuringCompositionIsTheInputMethods_data() { enterSends_data(); }
    void enterDuringCompositionIsTheInputMethods() {
        QFETCH(int, key);
        QFETCH(Qt::KeyboardModifiers, modifiers);
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QTest::keyClicks(m_editor, QStringLiteral("x"));
        compose(m_editor, QStringLiteral("みず"));
        QVERIFY(m_composer->composing());
        QTest::keyClick(m_editor, Qt::Key(key), modifiers);
        QTest::keyClick(m_editor, Qt::Key(key), modifiers | Qt::ShiftModifier);
        QCOMPARE(sent.count(), 0);
        QCOMPARE(m_composer->text(), QStringLiteral("x"));
        QCOMPARE(preedit(), QStringLiteral("みず"));
    }

    void enterRightAfterTheCommitIsTheInputMethods_data() { enterSends_data(); }
    void enterRightAfterTheCommitIsTheInputMethods() {
        QFETCH(int, key);
        QFETCH(Qt::KeyboardModifiers, modifiers);
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        compose(m_editor, QStringLiteral("みず"));
        commitText(m_editor, QStringLiteral("水"));
        QTest::keyClick(m_editor, Qt::Key(key), modifiers);
        QCOMPARE(sent.count(), 0);
        QCOMPARE(m_composer->text(), QStringLiteral("水"));
        // The next press is the person's own.
        QTest::keyClick(m_editor, Qt::Key(key), modifiers);
        QCOMPARE(sent.count(), 1);
        QCOMPARE(sent[0][0].toString(), QStringLiteral("水"));
    }

    void repeatsOfTheConfirmingEnterAreTheInputMethods() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        compose(m_editor, QStringLiteral("みず"));
        commitText(m_editor, QStringLiteral("水"));
        repeatKey(m_editor, Qt::Key_Return);
        repeatKey(m_editor, Qt::Key_Return);
        // The key is still down turns later, and Shift makes no difference.
        QCoreApplication::processEvents();
        repeatKey(m_editor, Qt::Key_Return);
        repeatKey(m_editor, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(sent.count(), 0);
        QCOMPARE(m_composer->text(), QStringLiteral("水"));
        QTest::keyRelease(m_editor, Qt::Key_Return);
        QTest::keyClick(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 1);
    }

    void enterInALaterTurnSends() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        compose(m_editor, QStringLiteral("みず"));
        commitText(m_editor, QStringLiteral("水"));
        QTest::qWait(50);
        QTest::keyClick(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 1);
    }

    void commitThatBeginsTheNextCompositionGoesOn() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        QInputMethodEvent event(QStringLiteral("글"), {});
        event.setCommitString(QStringLiteral("한"));
        QCoreApplication::sendEvent(m_editor, &event);
        QTest::keyClick(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 0);
        QCOMPARE(m_composer->text(), QStringLiteral("한"));
        QCOMPARE(preedit(), QStringLiteral("글"));
    }

    void escapeDuringCompositionCancelsTheCandidate() {
        QSignalSpy stopped(m_composer.get(), &Composer::stopRequested);
        m_composer->setBusy(true);
        QTest::keyClicks(m_editor, QStringLiteral("x"));
        compose(m_editor, QStringLiteral("みず"));
        QTest::keyClick(m_editor, Qt::Key_Escape);
        QCOMPARE(stopped.count(), 0);
        QVERIFY(!m_composer->composing());
        QVERIFY(preedit().isEmpty());
        QCOMPARE(m_composer->text(), QStringLiteral("x"));
        QTest::keyClick(m_editor, Qt::Key_Escape);
        QCOMPARE(stopped.count(), 1);
    }

    void escapeThatTheInputMethodPassesOnDoesNotStop() {
        QSignalSpy stopped(m_composer.get(), &Composer::stopRequested);
        m_composer->setBusy(true);
        compose(m_editor, QStringLiteral("みず"));
        compose(m_editor, QString());
        QTest::keyClick(m_editor, Qt::Key_Escape);
        repeatKey(m_editor, Qt::Key_Escape);
        QCOMPARE(stopped.count(), 0);
        QTest::keyClick(m_editor, Qt::Key_Escape);
        QCOMPARE(stopped.count(), 1);
    }

    void compositionIsSafeFromTheWindowsShortcuts() {
        QMainWindow window;
        auto* composer = new Composer(&window);
        window.setCentralWidget(composer);
        auto* stop = new QAction(&window);
        stop->setShortcut(Qt::Key_Escape);
        window.addAction(stop);
        QSignalSpy triggered(stop, &QAction::triggered);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        composer->focusEditor();
        auto* editor = composer->findChild<QPlainTextEdit*>(QStringLiteral("composerEditor"));
        QTest::keyClick(editor, Qt::Key_Escape);
        QCOMPARE(triggered.count(), 1);
        compose(editor, QStringLiteral("みず"));
        QTest::keyClick(editor, Qt::Key_Escape);
        QCOMPARE(triggered.count(), 1);
        QVERIFY(!composer->composing());
    }

    void answerLeavesTheCompositionAlone() {
        m_composer->setBusy(true);
        QTest::keyClicks(m_editor, QStringLiteral("x"));
        compose(m_editor, QStringLiteral("みず"));
        m_composer->setContextUsage(1000, 512, 8192);
        m_composer->setProblem(QStringLiteral("Too long."), {{QStringLiteral("a"), QStringLiteral("Shorter answer")}});
        m_composer->setBusy(false);
        m_composer->setThinking(false);
        m_composer->setThinkingAvailable(false, QStringLiteral("None."));
        m_composer->setSendAvailable(true);
        m_composer->setText(QStringLiteral("x"));
        m_composer->setProblem({});
        QCoreApplication::processEvents();
        QVERIFY(m_composer->composing());
        QCOMPARE(preedit(), QStringLiteral("みず"));
        commitText(m_editor, QStringLiteral("水"));
        QCOMPARE(m_composer->text(), QStringLiteral("x水"));
    }

    void buttonTakesTheCompositionAlong() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        compose(m_editor, QStringLiteral("水"));
        QVERIFY(m_send->isEnabled());
        QTest::mouseClick(m_send, Qt::LeftButton);
        QCOMPARE(sent.count(), 1);
        QCOMPARE(sent[0][0].toString(), QStringLiteral("水"));
    }

    void otherTextEndsTheComposition() {
        QSignalSpy edited(m_composer.get(), &Composer::textEdited);
        compose(m_editor, QStringLiteral("みず"));
        m_composer->setText(QStringLiteral("the other conversation's draft"));
        QVERIFY(!m_composer->composing());
        QCOMPARE(m_composer->text(), QStringLiteral("the other conversation's draft"));
        QCOMPARE(edited.count(), 0);
    }

    void editsAreReportedAndSettingIsNot() {
        QSignalSpy edited(m_composer.get(), &Composer::textEdited);
        m_composer->setText(QStringLiteral("draft"));
        QCOMPARE(edited.count(), 0);
        QTest::keyClicks(m_editor, QStringLiteral("!"));
        QCOMPARE(edited.count(), 1);
        QCOMPARE(edited[0][0].toString(), QStringLiteral("draft!"));
        compose(m_editor, QStringLiteral("みず"));
        QCOMPARE(edited.count(), 1);
        QTest::keyClick(m_editor, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(edited.count(), 1);
    }

    void pasteKeepsEveryCharacter() {
        const QString text = QStringLiteral("  a\u00A0b\tc\n\n\u212B e\u0301 <|im_end|> \U0001F340  ");
        QApplication::clipboard()->setText(text);
        m_editor->paste();
        QCOMPARE(m_composer->text(), text);
    }

    void richPasteBecomesPlain() {
        auto* data = new QMimeData;
        data->setHtml(QStringLiteral("<b>bold</b> &amp; <img src=\"file:///x.png\">plain"));
        data->setText(QStringLiteral("bold & plain"));
        QApplication::clipboard()->setMimeData(data);
        m_editor->paste();
        QCOMPARE(m_composer->text(), QStringLiteral("bold & plain"));
        QVERIFY(!m_editor->document()->begin().begin().fragment().charFormat().fontWeight() ||
                m_editor->document()->begin().begin().fragment().charFormat().fontWeight() == QFont::Normal);
    }

    void growsWithItsTextUpToTenLines() {
        const int one = m_editor->height();
        m_composer->setText(QStringLiteral("a\nb\nc"));
        const int three = m_editor->height();
        QVERIFY(three > one);
        QStringList lines;
        for (int i = 0; i < 10; ++i) lines.append(QString::number(i));
        m_composer->setText(lines.join(QLatin1Char('\n')));
        const int ten = m_editor->height();
        QCOMPARE(ten - one, 9 * (three - one) / 2);
        for (int i = 0; i < 5000; ++i) lines.append(QString::number(i));
        m_composer->setText(lines.join(QLatin1Char('\n')));
        QCOMPARE(m_editor->height(), ten);
        m_composer->setText({});
        QCOMPARE(m_editor->height(), one);
        // One long paragraph wraps.
        m_composer->setText(QStringLiteral("word ").repeated(60));
        QVERIFY(m_editor->height() > one);
    }

    void thinkingToggle() {
        auto* toggle = m_composer->findChild<QPushButton*>(QStringLiteral("thinkingToggle"));
        QSignalSpy toggled(m_composer.get(), &Composer::thinkingToggled);
        QVERIFY(m_composer->thinking());
        m_composer->setThinking(false);
        QCOMPARE(toggled.count(), 0);
        QVERIFY(!toggle->isChecked());
        QTest::mouseClick(toggle, Qt::LeftButton);
        QCOMPARE(toggled.count(), 1);
        QCOMPARE(toggled[0][0].toBool(), true);
        toggle->setFocus();
        QTest::keyClick(toggle, Qt::Key_Space);
        QCOMPARE(toggled.count(), 2);
        QVERIFY(!m_composer->thinking());
        m_composer->setThinkingAvailable(false, QStringLiteral("This model has no thinking."));
        QVERIFY(!toggle->isEnabled());
        QCOMPARE(toggle->toolTip(), QStringLiteral("This model has no thinking."));
    }

    void nothingIsSentWithoutAModel() {
        QSignalSpy sent(m_composer.get(), &Composer::sendRequested);
        m_composer->setText(QStringLiteral("x"));
        m_composer->setSendAvailable(false, QStringLiteral("No model is loaded."));
        QVERIFY(!m_send->isEnabled());
        QTest::keyClick(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 0);
        QCOMPARE(label("composerHint")->text(), QStringLiteral("No model is loaded."));
        m_composer->setSendAvailable(true);
        QTest::keyClick(m_editor, Qt::Key_Return);
        QCOMPARE(sent.count(), 1);
    }

    void contextMeterStates_data() {
        QTest::addColumn<qint64>("prompt");
        QTest::addColumn<qint64>("answer");
        QTest::addColumn<qint64>("context");
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("caption");
        const auto row = [](const char* name, qint64 prompt, qint64 answer, qint64 context, ContextMeter::State state,
                            const char* text) {
            QTest::newRow(name) << prompt << answer << context << int(state) << QString::fromUtf8(text);
        };
        row("no model", 10, 10, 0, ContextMeter::State::Unknown, "No model");
        row("counting", -1, 512, 8192, ContextMeter::State::Unknown, "Counting…");
        row("normal", 1234, 512, 8192, ContextMeter::State::Normal, "1,234 of 8,192 tokens");
        row("a tenth free", 900, 4096, 5550, ContextMeter::State::Near, "900 of 5,550 tokens");
        row("exactly full", 7680, 512, 8192, ContextMeter::State::Near, "7,680 of 8,192 tokens");
        row("one too many", 7681, 512, 8192, ContextMeter::State::Over,
            "1 tokens too many: shorten the answer or the conversation");
        row("past int", 3'000'000'000, 1, 4'000'000'000, ContextMeter::State::Normal, "3,000,000,000 of 4,000,000,000 tokens");
    }
    void contextMeterStates() {
        QFETCH(qint64, prompt);
        QFETCH(qint64, answer);
        QFETCH(qint64, context);
        QFETCH(int, state);
        QFETCH(QString, caption);
        auto* meter = m_composer->findChild<ContextMeter*>(QStringLiteral("contextMeter"));
        m_composer->setContextUsage(prompt, answer, context);
        QCOMPARE(int(meter->state()), state);
        QCOMPARE(meter->caption(), caption);
        QVERIFY(meter->accessibleName().contains(caption));
        QVERIFY(!meter->toolTip().isEmpty());
        QVERIFY(!m_composer->grab().isNull());
    }

    void contextMeterTellsTheNumbers() {
        auto* meter = m_composer->findChild<ContextMeter*>(QStringLiteral("contextMeter"));
        m_composer->setContextUsage(8000, 512, 8192);
        for (const char* number : {"8,000", "512", "8,192", "320"}) QVERIFY(meter->toolTip().contains(QLatin1String(number)));
    }

    void problemOffersWaysOut() {
        QSignalSpy action(m_composer.get(), &Composer::problemAction);
        auto* bar = m_composer->findChild<QWidget*>(QStringLiteral("composerProblem"));
        QVERIFY(!bar->isVisible());
        const QList<trefoil::NoticeAction> ways{{QStringLiteral("shorter"), QStringLiteral("Shorter answer")},
                                                {QStringLiteral("oldest"), QStringLiteral("Leave out the oldest turns")}};
        m_composer->setProblem(QStringLiteral("8,000 + 512 tokens do not fit into 8,192."), ways);
        QVERIFY(bar->isVisible());
        QCOMPARE(m_composer->problem(), QStringLiteral("8,000 + 512 tokens do not fit into 8,192."));
        QTest::mouseClick(m_composer->findChild<QPushButton*>(QStringLiteral("noticeAction_oldest")), Qt::LeftButton);
        QCOMPARE(action.count(), 1);
        QCOMPARE(action[0][0].toString(), QStringLiteral("oldest"));
        m_composer->setProblem({});
        QVERIFY(!bar->isVisible());
        QVERIFY(m_composer->problem().isEmpty());
    }
};

int main(int argc, char** argv) {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QApplication app(argc, argv);
    ComposerTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "composer_test.moc"
