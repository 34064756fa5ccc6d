// Finding in the conversation on show, and moving the transcript's window to far messages.
#include "ui/chat/find_bar.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/text_column.h"
#include "ui/chat/thinking_pane.h"
#include "ui/chat/transcript_find.h"
#include "ui/chat/transcript_view.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QTest>
#include <QToolButton>
#include <QVBoxLayout>

using namespace trefoil;

class FindTest : public QObject {
    Q_OBJECT
private slots:
    void init();
    void cleanup() { m_window.reset(); }
    void countsAndSteps();
    void caseOption();
    void markupAndThinking();
    void escapeCloses();
    void farMessages();
    void laterMessagesFollow();
    void appendingComesBackToTheEnd();
    void growingAnswerIsCounted();
    void anotherConversation();
    void nothingFound();

private:
    static TranscriptMessage message(int number, const QString& content) {
        TranscriptMessage result;
        result.id = QStringLiteral("m%1").arg(number);
        result.role = number % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant");
        result.content = content;
        return result;
    }
    static QList<TranscriptMessage> many(int count) {
        QList<TranscriptMessage> result;
        for (int i = 0; i < count; ++i)
            result.append(
                message(i, i % 100 == 5 ? QStringLiteral("a **nee**dle, %1").arg(i) : QStringLiteral("Message %1").arg(i)));
        return result;
    }
    void find(const QString& text) {
        m_bar->open();
        m_field->setText(text);
    }
    [[nodiscard]] bool inView(const QString& id) const {
        const MessageWidget* widget = m_view->messageWidget(id);
        if (widget == nullptr) return false;
        const auto* area = m_view->findChild<QScrollArea*>();
        const QRect place(widget->mapTo(area->viewport(), QPoint()), widget->size());
        return place.intersects(area->viewport()->rect());
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(m_field, key, modifiers); }

    std::unique_ptr<QWidget> m_window;
    TranscriptView* m_view = nullptr;
    FindBar* m_bar = nullptr;
    QLineEdit* m_field = nullptr;
    QLabel* m_count = nullptr;
};

void FindTest::init() {
    m_window = std::make_unique<QWidget>();
    auto* column = new QVBoxLayout(m_window.get());
    m_view = new TranscriptView(m_window.get());
    m_bar = new FindBar(m_view, m_window.get());
    column->addWidget(m_bar);
    column->addWidget(m_view, 1);
    m_field = m_bar->findChild<QLineEdit*>(QStringLiteral("findField"));
    m_count = m_bar->findChild<QLabel*>(QStringLiteral("findCount"));
    m_window->resize(700, 500);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
}

void FindTest::countsAndSteps() {
    m_view->setMessages({message(0, "one Two two"), message(1, "and *two*"), message(2, "three")});
    find(QStringLiteral("two"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("3 places"));
    key(Qt::Key_Return);
    QCOMPARE(m_count->text(), QStringLiteral("1 of 3"));
    key(Qt::Key_Return);
    key(Qt::Key_Return);
    QCOMPARE(m_count->text(), QStringLiteral("3 of 3"));
    key(Qt::Key_Return);  // round
    QCOMPARE(m_count->text(), QStringLiteral("1 of 3"));
    key(Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(m_count->text(), QStringLiteral("3 of 3"));
    QTest::mouseClick(m_bar->findChild<QToolButton*>(QStringLiteral("findPrevious")), Qt::LeftButton);
    QCOMPARE(m_count->text(), QStringLiteral("2 of 3"));
}

void FindTest::caseOption() {
    m_view->setMessages({message(0, "one Two two")});
    find(QStringLiteral("Two"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("2 places"));
    QTest::mouseClick(m_bar->findChild<QToolButton*>(QStringLiteral("findCase")), Qt::LeftButton);
    QTRY_COMPARE(m_count->text(), QStringLiteral("1 place"));
}

void FindTest::markupAndThinking() {
    TranscriptMessage answer =
        message(1, QStringLiteral("A **nee**dle, `needle` and\n\n```\nneedle\n```\n\n| needle |\n|---|\n| x |\n"));
    answer.hasThinking = true;
    answer.thinking = QStringLiteral("Where is the needle?");
    m_view->setMessages({message(0, "Find it"), answer});
    find(QStringLiteral("needle"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("5 places"));
    const ThinkingPane* pane = m_view->messageWidget(QStringLiteral("m1"))->thinkingPane();
    QVERIFY(!pane->isExpanded());
    key(Qt::Key_Return);
    QVERIFY(pane->isExpanded());
    // Marks are painted: the same picture without them is another one.
    const QImage marked = m_view->grab().toImage();
    m_view->setMarks({});
    QVERIFY(marked != m_view->grab().toImage());
}

void FindTest::escapeCloses() {
    m_view->setMessages({message(0, "one")});
    find(QStringLiteral("one"));
    const QImage marked = m_view->grab().toImage();
    key(Qt::Key_Escape);
    QVERIFY(m_bar->isHidden());
    QVERIFY(marked != m_view->grab().toImage());
    m_bar->open();
    QCOMPARE(m_field->selectedText(), QStringLiteral("one"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("1 place"));
}

void FindTest::farMessages() {
    m_view->setMessages(many(2000));
    find(QStringLiteral("needle"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("20 places"));
    key(Qt::Key_Return);
    QVERIFY(inView(QStringLiteral("m5")));
    key(Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(inView(QStringLiteral("m1905")));
    key(Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(inView(QStringLiteral("m1805")));
    // The neighbours come, the message stays, and no more widgets are made than a window has.
    QTRY_VERIFY(m_view->messageWidget(QStringLiteral("m1785")) != nullptr);
    QTRY_VERIFY(m_view->messageWidget(QStringLiteral("m1825")) != nullptr);
    QVERIFY(inView(QStringLiteral("m1805")));
    QVERIFY(m_view->messageWidget(QStringLiteral("m1000")) == nullptr);
    QVERIFY(m_view->messageWidget(QStringLiteral("m1999")) == nullptr);
    m_view->showMessage(QStringLiteral("m1000"));
    QVERIFY(inView(QStringLiteral("m1000")));
    m_view->jumpToEnd();
    QVERIFY(m_view->isAtEnd());
    QVERIFY(inView(QStringLiteral("m1999")));
}

void FindTest::laterMessagesFollow() {
    m_view->setMessages(many(300));
    m_view->showMessage(QStringLiteral("m100"));
    auto* later = m_view->findChild<QPushButton*>(QStringLiteral("showLaterButton"));
    QTRY_VERIFY(later->isVisible());
    QVERIFY(m_view->messageWidget(QStringLiteral("m130")) == nullptr);
    later->click();
    QTRY_VERIFY(m_view->messageWidget(QStringLiteral("m150")) != nullptr);
    QVERIFY(!m_view->isAtEnd());
}

void FindTest::appendingComesBackToTheEnd() {
    m_view->setMessages(many(300));
    m_view->showMessage(QStringLiteral("m10"));
    m_view->appendMessage(message(300, "A new question"));
    QVERIFY(m_view->messageWidget(QStringLiteral("m300")) != nullptr);
    QVERIFY(inView(QStringLiteral("m300")));
    m_view->showMessage(QStringLiteral("m10"));
    m_view->removeMessage(QStringLiteral("m300"));
    m_view->removeMessage(QStringLiteral("m11"));
    m_view->jumpToEnd();
    QVERIFY(inView(QStringLiteral("m299")));
}

void FindTest::growingAnswerIsCounted() {
    TranscriptMessage answer = message(1, QStringLiteral("one"));
    answer.streaming = true;
    m_view->setMessages({message(0, "Count"), answer});
    find(QStringLiteral("one"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("1 place"));
    answer.content = QStringLiteral("one, one");
    m_view->updateMessage(answer);
    QTRY_COMPARE(m_count->text(), QStringLiteral("2 places"));
    key(Qt::Key_Return);
    key(Qt::Key_Return);
    answer.content = QStringLiteral("one, one, one");
    m_view->updateMessage(answer);
    QTRY_COMPARE(m_count->text(), QStringLiteral("2 of 3"));
}

void FindTest::anotherConversation() {
    m_view->setMessages({message(0, "one Two two")});
    find(QStringLiteral("two"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("2 places"));
    key(Qt::Key_Return);
    key(Qt::Key_Return);
    QCOMPARE(m_count->text(), QStringLiteral("2 of 2"));
    m_view->setMessages({message(2, "two"), message(3, "two"), message(4, "two")});
    QTRY_COMPARE(m_count->text(), QStringLiteral("3 places"));  // none of them is the one that was on show
}

void FindTest::nothingFound() {
    m_view->setMessages({message(0, "one")});
    find(QStringLiteral("two"));
    QTRY_COMPARE(m_count->text(), QStringLiteral("Nothing found"));
    QVERIFY(!m_bar->findChild<QToolButton*>(QStringLiteral("findNext"))->isEnabled());
    key(Qt::Key_Return);
    QCOMPARE(m_count->text(), QStringLiteral("Nothing found"));
}

QTEST_MAIN(FindTest)
#include "find_test.moc"
