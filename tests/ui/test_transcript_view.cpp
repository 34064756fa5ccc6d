// The transcript as a person sees and uses it: messages, thinking, open block, copying, links, following the end, long texts.
#include "tests/support/slowdown.h"
#include "ui/chat/layout_queue.h"
#include "ui/chat/link_dialog.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/text_column.h"
#include "ui/chat/thinking_pane.h"
#include "ui/chat/transcript_view.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDesktopServices>
#include <QDir>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <cstdlib>
#include <ctime>

using namespace trefoil;

namespace {

QString fence() { return QStringLiteral("```"); }

TranscriptMessage question(const QString& id, const QString& text) {
    TranscriptMessage message;
    message.id = id;
    message.role = QStringLiteral("user");
    message.content = text;
    return message;
}

TranscriptMessage answer(const QString& id, const QString& text, bool streaming = false) {
    TranscriptMessage message;
    message.id = id;
    message.role = QStringLiteral("assistant");
    message.content = text;
    message.streaming = streaming;
    message.hasTrace = !streaming;
    message.reason = streaming ? EndReason::None : EndReason::End;
    message.stats.responseTokens = 120;
    message.stats.passes = 10;
    message.stats.decodeMs = 500.0;
    return message;
}

QString manyParagraphs(int count) {
    QString text;
    for (int i = 0; i < count; ++i) {
        text +=
            QStringLiteral(
                "Paragraph %1 says *something* about `blocks` that takes a line or two, so that it has to wrap at the end.\n\n")
                .arg(i);
    }
    return text;
}

QString showcase() {
    return QStringLiteral(
               "## How a block fills in\n\n"
               "Each pass reads the **whole block** at once and keeps what it is *sure* of; the rest stays `masked`. See "
               "[the paper](https://example.org/paper) or <https://example.org>. ~~Never~~ guesses stay hidden.\n\n"
               "1. Read the prompt once\n2. Denoise the block\n   - candidates above the threshold are resolved\n   - the "
               "others are masked again\n     1. at least one row is resolved\n3. Commit it:\n\n   %1python\n   def "
               "commit(block):"
               "\n       return cache.append(block)  # once\n   %1\n\n4. Go on\n\n"
               "%1cpp\n// One pass over 32 rows.\nfor (int row = 0; row < 32; ++row) {\n    if (confidence[row] >= 0.95F) "
               "resolve(row, \"kept\");\n}\n%1\n\n"
               "> A quote that is long enough to need a second line, to see how the bar runs along it and whether it reads "
               "well.\n>\n> "
               "> and a quote within\n\n"
               "| Mode | Passes | Tokens per pass |\n|:-----|-------:|:---------------:|\n| low confidence | 12 | 9.3 |\n| "
               "self speculative | 31 | 4.1 |\n| autoregressive | 115 | 1.0 |\n\n"
               "- [x] tables\n- [ ] images: ![a chart](https://example.org/chart.png)\n\n---\n\n"
               "Mass and energy: \\[ E = m c^2 \\] and $a_1 * b_2 * c_3$. Raw <b>HTML</b> stays as written.\n")
        .arg(fence());
}

std::int64_t threadMicroseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

QScrollBar* scrollBar(const TranscriptView& view) {
    return view.findChild<QScrollArea*>(QStringLiteral("transcriptArea"))->verticalScrollBar();
}

/// Lets the queued layout finish.
void settle(const TranscriptView& view) {
    Q_UNUSED(view)
    for (int i = 0; i < 4; ++i) QCoreApplication::processEvents();
}

}  // namespace

class TestTranscriptView : public QObject {
    Q_OBJECT

private slots:
    void cleanup();
    void questionIsVerbatim();
    void statusTellsHowItWent_data();
    void statusTellsHowItWent();
    void thinkingStaysApart();
    void cutWhileThinking();
    void noEmptyThinkingPane();
    void openBlockShowsMasksAndBecomesPlain();
    void openBlockOfTheThinking();
    void streamedEqualsReopened_data();
    void streamedEqualsReopened();
    void onlyTheLastMessageIsLaidOutAgain();
    void growingAnswerStaysCheap();
    void longTexts_data();
    void longTexts();
    void followsTheEndOnlyAtTheEnd();
    void keepsItsPlaceWhenTheWidthChanges();
    void actions();
    void copyCodeButton();
    void selection();
    void contextMenuCopies();
    void keyboardReachesEverything();
    void showingOpensNothing();
    void linksAskFirst_data();
    void linksAskFirst();
    void clickingALinkOpensTheDialog();
    void linksByKeyboard();
    void onlyFiftyAtFirst();
    void listChanges();
    void welcome();
    void activity();
    void themeChanges();
    void screenshots();

private:
    /// Stands in for the browser.
    QList<QUrl> m_opened;

public slots:
    void openUrl(const QUrl& url) { m_opened.append(url); }
};

void TestTranscriptView::cleanup() {
    m_opened.clear();
    QApplication::clipboard()->clear();
}

void TestTranscriptView::questionIsVerbatim() {
    TranscriptView view;
    const QString text = QStringLiteral("# no *heading*\n    indented <b>x</b>\n\ttab  two spaces\n\n- [link](http://x.y)\n");
    view.appendMessage(question(QStringLiteral("q"), text));
    QCOMPARE(view.messageWidget(QStringLiteral("q"))->body()->shownText(), text);
    QCOMPARE(view.plainTextOf(QStringLiteral("q")), text);
    QCOMPARE(view.messageWidget(QStringLiteral("q"))->accessibleName(), QStringLiteral("Your message"));
}

void TestTranscriptView::statusTellsHowItWent_data() {
    QTest::addColumn<int>("reason");
    QTest::addColumn<QString>("expected");
    QTest::newRow("end") << static_cast<int>(EndReason::End) << QStringLiteral("10 passes");
    QTest::newRow("length") << static_cast<int>(EndReason::Length) << QStringLiteral("Length limit reached · 10 passes");
    QTest::newRow("cancelled") << static_cast<int>(EndReason::Cancelled) << QStringLiteral("Stopped · 10 passes");
    QTest::newRow("interrupted") << static_cast<int>(EndReason::Interrupted) << QStringLiteral("Interrupted");
    QTest::newRow("failed") << static_cast<int>(EndReason::Failed) << QStringLiteral("Failed · 10 passes");
    QTest::newRow("refused") << static_cast<int>(EndReason::Refused) << QStringLiteral("Not run");
}

void TestTranscriptView::statusTellsHowItWent() {
    QFETCH(int, reason);
    QFETCH(QString, expected);
    TranscriptView view;
    view.show();
    TranscriptMessage message = answer(QStringLiteral("a"), QStringLiteral("text"));
    message.reason = static_cast<EndReason>(reason);
    const bool wrong = message.reason == EndReason::Failed || message.reason == EndReason::Refused;
    if (wrong) message.error = QStringLiteral("Out of memory: choose a shorter answer.");
    view.appendMessage(message);
    MessageWidget* widget = view.messageWidget(QStringLiteral("a"));
    QVERIFY2(widget->statusText().startsWith(expected), qPrintable(widget->statusText()));
    QVERIFY(widget->statusText().contains(QStringLiteral("12.0 tokens per pass")));
    QVERIFY(widget->statusText().contains(QStringLiteral("240 tokens/s")));
    auto* error = widget->findChild<TextColumn*>(QStringLiteral("messageError"));
    QCOMPARE(error->isVisible(), wrong);
    QCOMPARE(error->shownText(), message.error);
}

void TestTranscriptView::thinkingStaysApart() {
    TranscriptView view;
    view.show();
    TranscriptMessage message = answer(QStringLiteral("a"), QString(), true);
    message.hasThinking = true;
    message.thinkingClosed = false;
    message.thinking = QStringLiteral("First *this*");
    view.appendMessage(message);
    MessageWidget* widget = view.messageWidget(QStringLiteral("a"));
    QVERIFY(widget->thinkingPane()->isVisible());
    QVERIFY2(widget->thinkingPane()->isExpanded(), "open while it is written");
    QVERIFY(!widget->body()->isVisible());
    message.thinkingClosed = true;
    message.thinking = QStringLiteral("First *this*, then that");
    message.content = QStringLiteral("The answer.");
    message.stats.thinkingTokens = 42;
    message.stats.thinkingMs = 1250.0;
    view.updateMessage(message);
    QVERIFY2(!widget->thinkingPane()->isExpanded(), "closes by itself when the answer begins");
    auto* header = widget->findChild<QToolButton*>(QStringLiteral("thinkingHeader"));
    QVERIFY2(header->text().startsWith(QStringLiteral("Thinking · 42 tokens · 1.")), qPrintable(header->text()));
    QCOMPARE(widget->thinkingPane()->column()->shownText(), message.thinking);
    QCOMPARE(widget->body()->shownText(), QStringLiteral("The answer."));
    QTest::mouseClick(header, Qt::LeftButton);
    QVERIFY(widget->thinkingPane()->isExpanded());
    QVERIFY(widget->thinkingPane()->column()->isVisible());
    message.content = QStringLiteral("The answer. More.");
    view.updateMessage(message);
    QVERIFY2(widget->thinkingPane()->isExpanded(), "the person's choice stays");
    widget->copyMessage();
    QCOMPARE(QApplication::clipboard()->text(), message.content);
}

void TestTranscriptView::cutWhileThinking() {
    TranscriptView view;
    view.show();
    TranscriptMessage message = answer(QStringLiteral("a"), QString());
    message.hasThinking = true;
    message.thinkingClosed = false;
    message.thinking = QStringLiteral("Let me see");
    message.reason = EndReason::Length;
    view.appendMessage(message);
    MessageWidget* widget = view.messageWidget(QStringLiteral("a"));
    QVERIFY(widget->thinkingPane()->isExpanded());
    QVERIFY(
        widget->findChild<QToolButton*>(QStringLiteral("thinkingHeader"))->text().contains(QStringLiteral("cut while thinking")));
    QVERIFY(!widget->body()->isVisible());
}

void TestTranscriptView::noEmptyThinkingPane() {
    TranscriptView view;
    view.show();
    view.appendMessage(answer(QStringLiteral("a"), QStringLiteral("No thinking.")));
    QVERIFY(!view.messageWidget(QStringLiteral("a"))->thinkingPane()->isVisible());
    TranscriptMessage closedAtOnce = answer(QStringLiteral("b"), QStringLiteral("Closed at once."));
    closedAtOnce.hasThinking = true;
    view.appendMessage(closedAtOnce);
    QVERIFY(!view.messageWidget(QStringLiteral("b"))->thinkingPane()->isVisible());
}

void TestTranscriptView::openBlockShowsMasksAndBecomesPlain() {
    TranscriptView view;
    view.show();
    TranscriptMessage message = answer(QStringLiteral("a"), QStringLiteral("Committed *text*."), true);
    view.appendMessage(message);
    TextColumn* body = view.messageWidget(QStringLiteral("a"))->body();
    view.setOpenBlock(QStringLiteral("a"), {QStringLiteral(" It"), QStringLiteral("<mask>"), QStringLiteral(" *is*"), QString()},
                      {false, true, false, true});
    QCOMPARE(body->shownText(), QStringLiteral("Committed text.\n\nIt▒ *is*▒"));
    view.setOpenBlock(QStringLiteral("a"), {QStringLiteral(" It"), QStringLiteral(" now"), QStringLiteral(" *is*"), QString()},
                      {false, false, false, true});
    QCOMPARE(body->shownText(), QStringLiteral("Committed text.\n\nIt now *is*▒"));
    message.content = QStringLiteral("Committed *text*. It now *is* done.");
    view.updateMessage(message);
    view.clearOpenBlock(QStringLiteral("a"));
    QCOMPARE(body->shownText(), QStringLiteral("Committed text. It now is done."));
    // The end takes an open block with it.
    view.setOpenBlock(QStringLiteral("a"), {QString()}, {true});
    message.streaming = false;
    view.updateMessage(message);
    QVERIFY(!body->shownText().contains(u'▒'));
    view.messageWidget(QStringLiteral("a"))->copyMessage();
    QVERIFY(!QApplication::clipboard()->text().contains(u'▒'));
}

void TestTranscriptView::openBlockOfTheThinking() {
    TranscriptView view;
    view.show();
    TranscriptMessage message = answer(QStringLiteral("a"), QString(), true);
    message.hasThinking = true;
    message.thinkingClosed = false;
    view.appendMessage(message);
    MessageWidget* widget = view.messageWidget(QStringLiteral("a"));
    QVERIFY2(!widget->thinkingPane()->isVisible(), "nothing thought yet");
    view.setOpenBlock(QStringLiteral("a"), {QStringLiteral("We"), QString()}, {false, true});
    QVERIFY(widget->thinkingPane()->isVisible());
    QCOMPARE(widget->thinkingPane()->column()->shownText(), QStringLiteral("We▒"));
    QCOMPARE(widget->body()->shownText(), QString());
}

void TestTranscriptView::streamedEqualsReopened_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("showcase") << showcase();
    QTest::newRow("fence at the end") << QStringLiteral("a\n\n```cpp\nint x;\n```");
    QTest::newRow("fence and spaces") << QStringLiteral("a\n\n```cpp\nint x;\n```  ");
    QTest::newRow("unclosed fence") << QStringLiteral("a\n\n```cpp\nint x;");
    QTest::newRow("one backtick") << QStringLiteral("a `");
    QTest::newRow("crlf") << QStringLiteral("a\r\n\r\n```cpp\r\nint x;\r\n```\r\n");
    QTest::newRow("late reference") << QStringLiteral("[a] and text\n\nmore\n\n[a]: https://example.org");
}

void TestTranscriptView::streamedEqualsReopened() {
    QFETCH(QString, text);
    TranscriptView streamed;
    streamed.resize(700, 500);
    streamed.show();
    streamed.appendMessage(answer(QStringLiteral("a"), QString(), true));
    for (qsizetype size = 1; size < text.size(); size += 7)
        streamed.updateMessage(answer(QStringLiteral("a"), text.left(size), true));
    streamed.updateMessage(answer(QStringLiteral("a"), text));
    TranscriptView reopened;
    reopened.resize(700, 500);
    reopened.show();
    reopened.setMessages({answer(QStringLiteral("a"), text)});
    settle(streamed);
    settle(reopened);
    MessageWidget* one = streamed.messageWidget(QStringLiteral("a"));
    MessageWidget* other = reopened.messageWidget(QStringLiteral("a"));
    QCOMPARE(one->body()->shownText(), other->body()->shownText());
    QVERIFY2(!one->body()->shownText().contains(fence()), "no fence is a line of code");
    QCOMPARE(one->size(), other->size());
    QCOMPARE(one->body()->grab().toImage(), other->body()->grab().toImage());
}

void TestTranscriptView::onlyTheLastMessageIsLaidOutAgain() {
    TranscriptView view;
    view.resize(800, 600);
    view.show();
    QList<TranscriptMessage> messages;
    for (int i = 0; i < 5; ++i) {
        messages.append(question(QStringLiteral("q%1").arg(i), QStringLiteral("Question?")));
        messages.append(answer(QStringLiteral("a%1").arg(i), manyParagraphs(6)));
    }
    messages.back().streaming = true;
    view.setMessages(messages);
    QTRY_VERIFY(view.messageWidget(QStringLiteral("q0")) != nullptr);
    settle(view);
    QHash<QString, int> before;
    for (const TranscriptMessage& message : std::as_const(messages))
        before[message.id] = view.messageWidget(message.id)->layoutCount();
    TranscriptMessage last = messages.back();
    const QString start = last.content;
    for (int i = 1; i <= 10; ++i) {
        last.content = start + manyParagraphs(i);
        view.updateMessage(last);
        view.setOpenBlock(last.id, {QString::number(i), QString()}, {false, true});
        settle(view);
    }
    for (const TranscriptMessage& message : std::as_const(messages)) {
        const int again = view.messageWidget(message.id)->layoutCount() - before[message.id];
        if (message.id == last.id) {
            // Ten paragraphs and an open block each time: not the whole text each time.
            QVERIFY2(again >= 10 && again <= 60, qPrintable(QString::number(again)));
        } else {
            QCOMPARE(again, 0);
        }
    }
}

void TestTranscriptView::growingAnswerStaysCheap() {
    TranscriptView view;
    view.resize(800, 600);
    view.show();
    QString text;
    while (text.size() < 20000) text += showcase();
    TranscriptMessage message = answer(QStringLiteral("a"), text, true);
    view.appendMessage(message);
    QTRY_COMPARE(view.messageWidget(QStringLiteral("a"))->body()->hasWork(), false);
    settle(view);
    std::int64_t longest = 0;
    for (int i = 0; i < 30; ++i) {
        message.content +=
            QStringLiteral("And **more** words come with each block, thirty of them, say, or some\n\n- like an item\n");
        const std::int64_t start = threadMicroseconds();
        view.updateMessage(message);
        view.setOpenBlock(message.id, {QStringLiteral("x"), QString()}, {false, true});
        QCoreApplication::processEvents();
        longest = std::max(longest, threadMicroseconds() - start);
    }
    QVERIFY2(longest < 50000 * trefoil::test::kSlowdown, qPrintable(QStringLiteral("%1 µs").arg(longest)));
}

void TestTranscriptView::longTexts_data() {
    QTest::addColumn<QString>("text");
    QString json = QStringLiteral("{\n");
    while (json.size() < 200000)
        json += QStringLiteral("    \"key_%1\": [\n        1.5,\n        \"*value*\"\n    ],\n").arg(json.size());
    QTest::newRow("json") << json;
    QTest::newRow("json in a fence") << QStringLiteral("```json\n") + json + QStringLiteral("```");
    QTest::newRow("prose")
        << QStringLiteral("\"I *never* said it\", he said.\n    An indented line follows,\nand so on. ").repeated(600);
    QString numbers;
    for (int i = 1; i <= 3000; ++i) numbers += QStringLiteral("%1. line with a few words\n").arg(i);
    QTest::newRow("numbers") << numbers;
    QString nested;
    for (int depth = 0; depth < 60; ++depth) nested += QString(2 * depth, u' ') + QStringLiteral("- item\n");
    QTest::newRow("nested") << nested;
    QTest::newRow("quotes") << QString(2000, u'>');
    QTest::newRow("rules") << QStringLiteral("- \n* * *\n").repeated(500);
    QTest::newRow("one line") << QString(200000, u'x');
    QTest::newRow("beyond Markdown") << QStringLiteral("*many* words ").repeated(40000);
}

void TestTranscriptView::longTexts() {
    QFETCH(QString, text);
    for (const bool asQuestion : {true, false}) {
        TranscriptView view;
        view.resize(800, 600);
        view.show();
        settle(view);
        std::int64_t start = threadMicroseconds();
        view.appendMessage(asQuestion ? question(QStringLiteral("m"), text) : answer(QStringLiteral("m"), text));
        const std::int64_t first = threadMicroseconds() - start;
        TextColumn* body = view.messageWidget(QStringLiteral("m"))->body();
        std::int64_t longest = 0;
        std::int64_t whole = first;
        int idle = 0;
        for (int turn = 0; turn < 2000 && idle < 3; ++turn) {
            start = threadMicroseconds();
            QCoreApplication::processEvents();
            const std::int64_t took = threadMicroseconds() - start;
            longest = std::max(longest, took);
            whole += took;
            idle = body->hasWork() ? 0 : idle + 1;
        }
        QVERIFY2(!body->hasWork(), "comes to an end");
        QVERIFY2(first < 50000 * trefoil::test::kSlowdown, qPrintable(QStringLiteral("appending took %1 µs").arg(first)));
        QVERIFY2(longest < 50000 * trefoil::test::kSlowdown, qPrintable(QStringLiteral("a turn took %1 µs").arg(longest)));
        QVERIFY2(whole < 1000000 * trefoil::test::kSlowdown, qPrintable(QStringLiteral("took %1 µs").arg(whole)));
        if (asQuestion) QCOMPARE(body->shownText(), text);
        // Nothing goes on when all is shown.
        const int count = body->layoutCount();
        settle(view);
        QCOMPARE(body->layoutCount(), count);
        QVERIFY(view.isAtEnd());
        QCOMPARE(scrollBar(view)->value(), scrollBar(view)->maximum());
    }
}

void TestTranscriptView::followsTheEndOnlyAtTheEnd() {
    TranscriptView view;
    view.resize(600, 300);
    view.show();
    TranscriptMessage message = answer(QStringLiteral("a"), manyParagraphs(30), true);
    view.appendMessage(message);
    QTRY_VERIFY(!view.messageWidget(QStringLiteral("a"))->body()->hasWork());
    settle(view);
    auto* jump = view.findChild<QPushButton*>(QStringLiteral("jumpToEndButton"));
    QVERIFY(view.isAtEnd());
    QVERIFY(!jump->isVisible());
    message.content += manyParagraphs(3);
    view.updateMessage(message);
    settle(view);
    QCOMPARE(scrollBar(view)->value(), scrollBar(view)->maximum());
    scrollBar(view)->setValue(100);
    QVERIFY(!view.isAtEnd());
    QVERIFY(jump->isVisible());
    message.content += manyParagraphs(3);
    view.updateMessage(message);
    settle(view);
    QCOMPARE(scrollBar(view)->value(), 100);
    QTest::mouseClick(jump, Qt::LeftButton);
    QVERIFY(view.isAtEnd());
    QVERIFY(!jump->isVisible());
    message.content += manyParagraphs(3);
    view.updateMessage(message);
    settle(view);
    QCOMPARE(scrollBar(view)->value(), scrollBar(view)->maximum());
}

void TestTranscriptView::keepsItsPlaceWhenTheWidthChanges() {
    TranscriptView view;
    view.resize(800, 400);
    view.show();
    QList<TranscriptMessage> messages;
    for (int i = 0; i < 6; ++i) messages.append(answer(QStringLiteral("a%1").arg(i), manyParagraphs(10)));
    view.setMessages(messages);
    const auto done = [&] {
        return std::all_of(messages.cbegin(), messages.cend(), [&view](const TranscriptMessage& message) {
            return !view.messageWidget(message.id)->body()->hasWork();
        });
    };
    QTRY_VERIFY(done());
    settle(view);
    QWidget* third = view.messageWidget(QStringLiteral("a3"));
    scrollBar(view)->setValue(third->y());
    view.resize(420, 400);
    settle(view);
    QTRY_VERIFY(done());
    settle(view);
    QVERIFY2(std::abs(scrollBar(view)->value() - third->y()) <= 2,
             qPrintable(QStringLiteral("%1 %2").arg(scrollBar(view)->value()).arg(third->y())));
}

void TestTranscriptView::actions() {
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    view.setMessages(
        {question(QStringLiteral("q"), QStringLiteral("Why?")), answer(QStringLiteral("a"), QStringLiteral("*Because.*"))});
    settle(view);
    QSignalSpy regenerate(&view, &TranscriptView::regenerateRequested);
    QSignalSpy trace(&view, &TranscriptView::traceRequested);
    QSignalSpy copied(&view, &TranscriptView::copied);
    MessageWidget* widget = view.messageWidget(QStringLiteral("a"));
    QTest::mouseClick(widget->findChild<QToolButton*>(QStringLiteral("copyMessageButton")), Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("*Because.*"));
    QCOMPARE(copied.value(0).value(0).toString(), QStringLiteral("*Because.*"));
    QTest::mouseClick(widget->findChild<QToolButton*>(QStringLiteral("regenerateButton")), Qt::LeftButton);
    QCOMPARE(regenerate.value(0).value(0).toString(), QStringLiteral("a"));
    QTest::mouseClick(widget->findChild<QToolButton*>(QStringLiteral("showBlocksButton")), Qt::LeftButton);
    QCOMPARE(trace.value(0).value(0).toString(), QStringLiteral("a"));
    QTest::mouseClick(view.messageWidget(QStringLiteral("q"))->findChild<QToolButton*>(QStringLiteral("copyMessageButton")),
                      Qt::LeftButton);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("Why?"));
    view.appendMessage(question(QStringLiteral("q2"), QStringLiteral("And?")));
    QVERIFY2(widget->findChild<QToolButton*>(QStringLiteral("regenerateButton"))->isVisible(), "any answer, not only the last");
    QVERIFY(widget->findChild<QToolButton*>(QStringLiteral("showBlocksButton"))->isVisible());
}

void TestTranscriptView::copyCodeButton() {
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    QString code;
    for (int i = 0; i < 200; ++i) code += QStringLiteral("line(%1)\n").arg(i);
    const QString text = QStringLiteral("%1py\na = 1\n%1\n\n- item\n\n  %1\n  b\n  %1\n\n%1py\n%2%1").arg(fence(), code);
    view.appendMessage(answer(QStringLiteral("a"), text));
    TextColumn* body = view.messageWidget(QStringLiteral("a"))->body();
    QTRY_VERIFY(!body->hasWork());
    settle(view);
    QList<QToolButton*> buttons = body->findChildren<QToolButton*>(QStringLiteral("copyCodeButton"));
    QCOMPARE(buttons.size(), 3);
    std::sort(buttons.begin(), buttons.end(),
              [](const QToolButton* one, const QToolButton* other) { return one->y() < other->y(); });
    const QStringList expected{QStringLiteral("a = 1"), QStringLiteral("b"), code.chopped(1)};
    for (qsizetype i = 0; i < buttons.size(); ++i) {
        QTest::mouseClick(buttons[i], Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), expected[i]);
        QVERIFY(body->rect().contains(buttons[i]->geometry()));
    }
}

void TestTranscriptView::selection() {
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    view.setMessages({question(QStringLiteral("q"), QStringLiteral("first line\nsecond line")),
                      answer(QStringLiteral("a"), QStringLiteral("One *two* three.\n\n- item"))});
    settle(view);
    TextColumn* body = view.messageWidget(QStringLiteral("a"))->body();
    TextColumn* asked = view.messageWidget(QStringLiteral("q"))->body();
    QSignalSpy copied(&view, &TranscriptView::copied);
    QTest::mousePress(body, Qt::LeftButton, Qt::NoModifier, QPoint(0, 2));
    QTest::mouseMove(body, QPoint(body->width() / 2, body->height() - 2));
    QMouseEvent move(QEvent::MouseMove, QPointF(body->width() - 2, body->height() + 5), body->mapToGlobal(QPointF(5, 5)),
                     Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(body, &move);
    QTest::mouseRelease(body, Qt::LeftButton, Qt::NoModifier, QPoint(body->width() - 2, body->height() - 1));
    QCOMPARE(body->selectedText(), QStringLiteral("One two three.\n\n- item"));
    body->setFocus();
    QTest::keyClick(body, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("One two three.\n\n- item"));
    QCOMPARE(copied.size(), 1);
    QTest::mouseDClick(asked, Qt::LeftButton, Qt::NoModifier, QPoint(4, 6));
    QCOMPARE(asked->selectedText(), QStringLiteral("first"));
    QVERIFY2(!body->hasSelection(), "one selection at a time");
    QTest::mousePress(asked, Qt::LeftButton, Qt::NoModifier, QPoint(4, 6));
    QCOMPARE(asked->selectedText(), QStringLiteral("first line"));
    QTest::mouseRelease(asked, Qt::LeftButton, Qt::NoModifier, QPoint(4, 6));
    QTest::keyClick(asked, Qt::Key_A, Qt::ControlModifier);
    QCOMPARE(asked->selectedText(), QStringLiteral("first line\nsecond line"));
}

void TestTranscriptView::contextMenuCopies() {
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    view.appendMessage(answer(QStringLiteral("a"), QStringLiteral("[target](https://example.org/x) **b**")));
    settle(view);
    MessageWidget* widget = view.messageWidget(QStringLiteral("a"));
    widget->body()->selectAll();
    const QPoint at = widget->body()->mapTo(widget, QPoint(8, 8));
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget->mapToGlobal(at));
    QApplication::sendEvent(widget, &event);
    auto* menu = widget->findChild<QMenu*>(QStringLiteral("messageMenu"));
    QVERIFY(menu != nullptr);
    const auto trigger = [menu](const char* name) {
        auto* action = menu->findChild<QAction*>(QString::fromLatin1(name));
        if (action != nullptr) action->trigger();
        return action != nullptr;
    };
    QVERIFY(trigger("copySelectionAction"));
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("target b"));
    QVERIFY(trigger("copyMessageAction"));
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("[target](https://example.org/x) **b**"));
    QVERIFY(trigger("copyLinkAction"));
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("https://example.org/x"));
    menu->close();
}

void TestTranscriptView::keyboardReachesEverything() {
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    view.setMessages({question(QStringLiteral("q"), QStringLiteral("Why?")),
                      answer(QStringLiteral("a"), QStringLiteral("See %1\ncode\n%1").arg(QStringLiteral("\n") + fence()))});
    settle(view);
    QApplication::setActiveWindow(&view);
    QStringList seen;
    for (int i = 0; i < 20; ++i) {
        QTest::keyClick(&view, Qt::Key_Tab);
        if (QApplication::focusWidget() != nullptr) seen.append(QApplication::focusWidget()->objectName());
    }
    for (const char* name : {"message", "copyMessageButton", "regenerateButton", "showBlocksButton", "copyCodeButton"}) {
        QVERIFY2(seen.contains(QString::fromLatin1(name)), name);
    }
    MessageWidget* widget = view.messageWidget(QStringLiteral("a"));
    QCOMPARE(widget->accessibleName(), QStringLiteral("Answer"));
    widget->setFocus();
    QTest::keyClick(widget, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QApplication::clipboard()->text(), view.plainTextOf(QStringLiteral("a")));
}

void TestTranscriptView::showingOpensNothing() {
    const auto openFiles = [] {
        return QDir(QStringLiteral("/proc/self/fd")).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot);
    };
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    view.appendMessage(answer(QStringLiteral("warm"), showcase()));
    settle(view);
    view.grab();
    const QStringList before = openFiles();
    const QString text =
        QStringLiteral(
            "![a](http://127.0.0.1:9/x.png) ![b](https://example.org/x.svg) ![c](//example.org/x) ![d](file:///etc/passwd) "
            "![e](history.db) ![f](\\\\host\\x) ![g](data:image/png;base64,%1) ![h][1]\n\n[1]: file:///etc/hostname\n\n"
            "<img src=\"file:///etc/passwd\"> <link rel=stylesheet href=x.css>")
            .arg(QString(200000, u'A'));
    view.appendMessage(answer(QStringLiteral("a"), text));
    settle(view);
    view.grab();
    QCOMPARE(openFiles(), before);
    const QString shown = view.messageWidget(QStringLiteral("a"))->body()->shownText();
    for (const char* address :
         {"[a] (http://127.0.0.1:9/x.png)", "[d] (file:///etc/passwd)", "[h] (file:///etc/hostname)", "<img src="}) {
        QVERIFY2(shown.contains(QString::fromLatin1(address)), address);
    }
    QVERIFY(shown.size() < 2000);
}

void TestTranscriptView::linksAskFirst_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<bool>("allowed");
    QTest::newRow("https") << QStringLiteral("https://example.org/a?b=c") << true;
    QTest::newRow("http") << QStringLiteral("http://example.org") << true;
    QTest::newRow("upper case") << QStringLiteral("HTTPS://example.org") << true;
    QTest::newRow("mail") << QStringLiteral("mailto:me@example.org") << true;
    QTest::newRow("file") << QStringLiteral("file:///etc/passwd") << false;
    QTest::newRow("script") << QStringLiteral("javascript:alert(1)") << false;
    QTest::newRow("data") << QStringLiteral("data:text/html,x") << false;
    QTest::newRow("protocol-relative") << QStringLiteral("//example.org/x") << false;
    QTest::newRow("relative") << QStringLiteral("../history.db") << false;
    QTest::newRow("unc") << QStringLiteral("\\\\host\\share") << false;
    QTest::newRow("no host") << QStringLiteral("https:///x") << false;
    QTest::newRow("ssh") << QStringLiteral("ssh://example.org") << false;
    QTest::newRow("nothing") << QString() << false;
}

void TestTranscriptView::linksAskFirst() {
    QFETCH(QString, target);
    QFETCH(bool, allowed);
    QCOMPARE(LinkDialog::openable(target).isValid(), allowed);
    auto* dialog = new LinkDialog(target);
    QSignalSpy chosen(dialog, &LinkDialog::openChosen);
    dialog->show();
    auto* open = dialog->findChild<QPushButton*>(QStringLiteral("linkOpenButton"));
    QCOMPARE(open != nullptr, allowed);
    QCOMPARE(dialog->findChild<QPlainTextEdit*>(QStringLiteral("linkAddress"))->toPlainText().toLower(), target.toLower());
    QVERIFY2(chosen.isEmpty(), "showing opens nothing");
    if (open != nullptr) {
        QTest::mouseClick(open, Qt::LeftButton);
        QCOMPARE(chosen.size(), 1);
    } else {
        QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("linkCloseButton")), Qt::LeftButton);
    }
}

void TestTranscriptView::clickingALinkOpensTheDialog() {
    QDesktopServices::setUrlHandler(QStringLiteral("https"), this, "openUrl");
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    view.appendMessage(answer(QStringLiteral("a"), QStringLiteral("[a long label of a link](https://example.org/x \"a\nb\")")));
    settle(view);
    QSignalSpy requested(&view, &TranscriptView::linkRequested);
    TextColumn* body = view.messageWidget(QStringLiteral("a"))->body();
    QCOMPARE(body->linkAt(QPoint(20, 8)), QStringLiteral("https://example.org/x"));
    QTest::mouseClick(body, Qt::LeftButton, Qt::NoModifier, QPoint(20, 8));
    auto* dialog = view.findChild<LinkDialog*>(QStringLiteral("linkDialog"));
    QVERIFY(dialog != nullptr);
    QVERIFY(m_opened.isEmpty());
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("linkCloseButton")), Qt::LeftButton);
    QVERIFY(m_opened.isEmpty());
    QVERIFY(requested.isEmpty());
    settle(view);
    QTest::mouseClick(body, Qt::LeftButton, Qt::NoModifier, QPoint(20, 8));
    for (auto* candidate : view.findChildren<LinkDialog*>(QStringLiteral("linkDialog"))) {
        if (candidate->isVisible())
            QTest::mouseClick(candidate->findChild<QPushButton*>(QStringLiteral("linkOpenButton")), Qt::LeftButton);
    }
    QCOMPARE(m_opened, QList<QUrl>{QUrl(QStringLiteral("https://example.org/x"))});
    QCOMPARE(requested.size(), 1);
    QDesktopServices::unsetUrlHandler(QStringLiteral("https"));
}

void TestTranscriptView::linksByKeyboard() {
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    view.appendMessage(answer(QStringLiteral("a"), QStringLiteral("[one](https://one.example)\n\n- [two](https://two.example)")));
    settle(view);
    QApplication::setActiveWindow(&view);
    TextColumn* body = view.messageWidget(QStringLiteral("a"))->body();
    QSignalSpy activated(body, &TextColumn::linkActivated);
    body->setFocus();
    QTest::keyClick(body, Qt::Key_Tab);
    QTest::keyClick(body, Qt::Key_Tab);
    QTest::keyClick(body, Qt::Key_Return);
    QCOMPARE(activated.value(0).value(0).toString(), QStringLiteral("https://two.example"));
    QTest::keyClick(body, Qt::Key_Backtab);
    QTest::keyClick(body, Qt::Key_Return);
    QCOMPARE(activated.value(1).value(0).toString(), QStringLiteral("https://one.example"));
}

void TestTranscriptView::onlyFiftyAtFirst() {
    TranscriptView view;
    view.resize(700, 500);
    view.show();
    QList<TranscriptMessage> messages;
    for (int i = 0; i < 2000; ++i) messages.append(question(QStringLiteral("m%1").arg(i), QStringLiteral("Message %1").arg(i)));
    view.setMessages(messages);
    QVERIFY(view.messageWidget(QStringLiteral("m1999")) != nullptr);
    QTRY_VERIFY(view.messageWidget(QStringLiteral("m1950")) != nullptr);
    settle(view);
    QVERIFY(view.messageWidget(QStringLiteral("m1949")) == nullptr);
    QVERIFY2(view.isAtEnd(), "earlier messages do not move the view");
    QCOMPARE(view.plainTextOf(QStringLiteral("m3")), QStringLiteral("Message 3"));
    auto* earlier = view.findChild<QPushButton*>(QStringLiteral("showEarlierButton"));
    QVERIFY(earlier->isVisible());
    scrollBar(view)->setValue(0);
    QTest::mouseClick(earlier, Qt::LeftButton);
    QTRY_VERIFY(view.messageWidget(QStringLiteral("m1900")) != nullptr);
    settle(view);
    QVERIFY(view.messageWidget(QStringLiteral("m1899")) == nullptr);
    QVERIFY(view.messageWidget(QStringLiteral("m1900"))->y() < view.messageWidget(QStringLiteral("m1901"))->y());
    QVERIFY(view.messageWidget(QStringLiteral("m1949"))->y() < view.messageWidget(QStringLiteral("m1950"))->y());
}

void TestTranscriptView::listChanges() {
    TranscriptView view;
    view.show();
    view.setMessages({question(QStringLiteral("a"), QStringLiteral("1")), answer(QStringLiteral("b"), QStringLiteral("2"))});
    view.appendMessage(question(QStringLiteral("c"), QStringLiteral("3")));
    view.removeMessage(QStringLiteral("b"));
    QCOMPARE(view.messages().size(), 2);
    QVERIFY(view.messageWidget(QStringLiteral("b")) == nullptr);
    view.updateMessage(answer(QStringLiteral("nosuch"), QStringLiteral("x")));
    view.removeMessage(QStringLiteral("nosuch"));
    view.setOpenBlock(QStringLiteral("nosuch"), {QStringLiteral("x")}, {false});
    QCOMPARE(view.messages().size(), 2);
    view.clear();
    QCOMPARE(view.messages().size(), 0);
    QVERIFY(view.findChild<QWidget*>(QStringLiteral("welcomePanel"))->isVisible());
}

void TestTranscriptView::welcome() {
    TranscriptView view;
    view.resize(700, 500);
    view.setWelcome(QStringLiteral("Title"), QStringLiteral("Subtitle"),
                    {QStringLiteral("What is 347 + 586?"), QStringLiteral("Count.")});
    view.show();
    settle(view);
    QSignalSpy chosen(&view, &TranscriptView::exampleChosen);
    auto* button = view.findChild<QAbstractButton*>(QStringLiteral("exampleButton0"));
    QVERIFY(button != nullptr && button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QTest::keyClick(view.findChild<QAbstractButton*>(QStringLiteral("exampleButton1")), Qt::Key_Space);
    QCOMPARE(chosen.value(0).value(0).toString(), QStringLiteral("What is 347 + 586?"));
    QCOMPARE(chosen.value(1).value(0).toString(), QStringLiteral("Count."));
    view.appendMessage(question(QStringLiteral("q"), QStringLiteral("x")));
    QVERIFY(!button->isVisible());
}

void TestTranscriptView::activity() {
    TranscriptView view;
    view.show();
    auto* label = view.findChild<QLabel*>(QStringLiteral("activityLabel"));
    view.setActivity(QStringLiteral("Reading the prompt · 512 of 2,048 tokens"));
    QVERIFY(label->isVisible());
    view.setActivity(QString());
    QVERIFY(!label->isVisible());
}

void TestTranscriptView::themeChanges() {
    TranscriptView view;
    view.resize(500, 400);
    view.setPalette(theme::lightPalette());
    view.show();
    view.appendMessage(answer(QStringLiteral("a"), QStringLiteral("Plain text")));
    settle(view);
    view.setPalette(theme::darkPalette());
    settle(view);
    const QImage image = view.messageWidget(QStringLiteral("a"))->body()->grab().toImage();
    int brightest = 0;
    for (int x = 0; x < std::min(200, image.width()); ++x) {
        for (int y = 0; y < image.height(); ++y) brightest = std::max(brightest, qGray(image.pixel(x, y)));
    }
    QVERIFY2(brightest > 180, "light text in the dark theme");
}

void TestTranscriptView::screenshots() {
    const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
    if (folder.isEmpty()) QSKIP("TREFOIL_SCREENSHOT_DIR is not set");
    const QPalette before = QApplication::palette();
    for (const bool dark : {false, true}) {
        QApplication::setPalette(dark ? theme::darkPalette() : theme::lightPalette());
        for (const QSize size : {QSize(560, 640), QSize(1000, 1250)}) {
            const QString suffix =
                QStringLiteral("%1-%2").arg(dark ? QStringLiteral("dark") : QStringLiteral("light")).arg(size.width());
            TranscriptView view;
            view.resize(size);
            view.setWelcome(
                QStringLiteral("Ask the demo model"),
                QStringLiteral(
                    "A 14 M parameter model that writes 32 tokens at a time. It knows sums, names and how it works itself."),
                {QStringLiteral("What is 347 + 586?"), QStringLiteral("What does the threshold do?"),
                 QStringLiteral("Count from 1 to 40."), QStringLiteral("How do you say water in Japanese?")});
            view.show();
            settle(view);
            QVERIFY(view.grab().save(QDir(folder).filePath(QStringLiteral("welcome-%1.png").arg(suffix))));
            view.appendMessage(
                question(QStringLiteral("q1"), QStringLiteral("How does a block fill in?\nPlease show *code*, not only prose.")));
            TranscriptMessage first = answer(QStringLiteral("a1"), showcase());
            first.hasThinking = true;
            first.thinking = QStringLiteral("The person wants an overview with code.\nKeep it short.");
            first.stats.thinkingTokens = 14;
            first.stats.thinkingMs = 420.0;
            view.appendMessage(first);
            settle(view);
            QVERIFY(view.grab().save(QDir(folder).filePath(QStringLiteral("answer-%1.png").arg(suffix))));
            scrollBar(view)->setValue(0);
            settle(view);
            QVERIFY(view.grab().save(QDir(folder).filePath(QStringLiteral("top-%1.png").arg(suffix))));
            view.jumpToEnd();
            view.appendMessage(question(QStringLiteral("q2"), QStringLiteral("And while it is being written?")));
            TranscriptMessage second = answer(QStringLiteral("a2"), QString(), true);
            second.hasThinking = true;
            second.thinkingClosed = false;
            second.thinking = QStringLiteral("They ask about the view while the block is open.");
            view.appendMessage(second);
            view.setOpenBlock(QStringLiteral("a2"),
                              {QStringLiteral(" So"), QStringLiteral(" I"), QStringLiteral("x"), QStringLiteral("x"),
                               QStringLiteral(" show"), QStringLiteral("x")},
                              {false, false, true, true, false, true});
            view.setActivity(QStringLiteral("Reading the prompt · 512 of 2,048 tokens"));
            settle(view);
            QVERIFY(view.grab().save(QDir(folder).filePath(QStringLiteral("thinking-%1.png").arg(suffix))));
            second.thinkingClosed = true;
            second.content =
                QStringLiteral("The block's cells appear behind the text that is already committed:\n\n%1python\nprint(1)\n")
                    .arg(fence());
            view.updateMessage(second);
            view.setOpenBlock(QStringLiteral("a2"),
                              {QStringLiteral("print("), QStringLiteral("x"), QStringLiteral("x"), QStringLiteral(")"),
                               QStringLiteral("x"), QStringLiteral("x")},
                              {false, true, true, false, true, true});
            view.setActivity(QString());
            settle(view);
            QVERIFY(view.grab().save(QDir(folder).filePath(QStringLiteral("block-%1.png").arg(suffix))));
        }
    }
    QApplication::setPalette(before);
}

QTEST_MAIN(TestTranscriptView)
#include "test_transcript_view.moc"
