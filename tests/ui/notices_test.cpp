// Notice bar, undo bar and system prompt panel.
#include "tests/ui/input_method_events.h"
#include "ui/chat/notice_bar.h"
#include "ui/chat/system_prompt_panel.h"
#include "ui/chat/undo_bar.h"

#include <QApplication>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>

using trefoil::Notice;
using trefoil::NoticeBar;
using trefoil::NoticeKind;
using trefoil::SystemPromptPanel;
using trefoil::UndoBar;
using trefoil::test::commitText;
using trefoil::test::compose;

class NoticesTest : public QObject {
    Q_OBJECT

private:
    static Notice notice(const char* id, NoticeKind kind, bool dismissible = true) {
        return {QString::fromLatin1(id), kind, QStringLiteral("text of ") + QLatin1String(id), {}, dismissible};
    }
    template <class Widget>
    static Widget* child(const QWidget& parent, const char* name) {
        return parent.findChild<Widget*>(QLatin1String(name));
    }

private slots:
    void mostSeriousNoticeIsShown() {
        NoticeBar bar;
        QVERIFY(!bar.isVisible());
        bar.show(notice("info", NoticeKind::Info));
        QVERIFY(bar.isVisible());
        bar.show(notice("disk", NoticeKind::Error));
        bar.show(notice("late", NoticeKind::Info));
        QCOMPARE(bar.current().id, QStringLiteral("disk"));
        QCOMPARE(child<QLabel>(bar, "noticeText")->text(), QStringLiteral("text of disk"));
        bar.clear(QStringLiteral("disk"));
        QCOMPARE(bar.current().id, QStringLiteral("late"));
        bar.clear(QStringLiteral("unknown"));
        QCOMPARE(bar.count(), qsizetype(2));
        bar.clearAll();
        QVERIFY(!bar.isVisible());
        QVERIFY(bar.current().id.isEmpty());
    }

    void sameCauseReplacesItsNotice() {
        NoticeBar bar;
        bar.show(notice("disk", NoticeKind::Error));
        Notice again = notice("disk", NoticeKind::Error);
        again.text = QStringLiteral("still full");
        bar.show(again);
        QCOMPARE(bar.count(), qsizetype(1));
        QCOMPARE(child<QLabel>(bar, "noticeText")->text(), QStringLiteral("still full"));
    }

    void actionsAndDismissal() {
        NoticeBar bar;
        QSignalSpy action(&bar, &NoticeBar::actionTriggered);
        QSignalSpy dismissed(&bar, &NoticeBar::dismissed);
        bar.show({QStringLiteral("disk"),
                  NoticeKind::Error,
                  QStringLiteral("Not saved: the disk is full."),
                  {{QStringLiteral("retry"), QStringLiteral("Try again")}},
                  true});
        QTest::mouseClick(child<QPushButton>(bar, "noticeAction_retry"), Qt::LeftButton);
        QCOMPARE(action.count(), 1);
        QCOMPARE(action[0][0].toString(), QStringLiteral("disk"));
        QCOMPARE(action[0][1].toString(), QStringLiteral("retry"));
        QTest::mouseClick(child<QPushButton>(bar, "noticeDismiss"), Qt::LeftButton);
        QCOMPARE(dismissed.count(), 1);
        QCOMPARE(dismissed[0][0].toString(), QStringLiteral("disk"));
        QVERIFY(!bar.isVisible());
        bar.show(notice("fixed", NoticeKind::Warning, false));
        QVERIFY(!child<QPushButton>(bar, "noticeDismiss")->isVisible());
    }

    void actionMayTakeItsOwnNoticeAway() {
        NoticeBar bar;
        connect(&bar, &NoticeBar::actionTriggered, &bar, [&bar](const QString& id) { bar.clear(id); });
        bar.show(
            {QStringLiteral("a"), NoticeKind::Info, QStringLiteral("x"), {{QStringLiteral("go"), QStringLiteral("Go")}}, true});
        QTest::mouseClick(child<QPushButton>(bar, "noticeAction_go"), Qt::LeftButton);
        QVERIFY(!bar.isVisible());
        bar.show(notice("b", NoticeKind::Info));
        QVERIFY(child<QPushButton>(bar, "noticeAction_go") == nullptr);
    }

    void noticeTextIsNeverMarkup() {
        NoticeBar bar;
        Notice tagged = notice("a", NoticeKind::Info);
        tagged.text = QStringLiteral("<b>x</b> & y");
        bar.show(tagged);
        QCOMPARE(child<QLabel>(bar, "noticeText")->textFormat(), Qt::PlainText);
    }

    void buttonsGoBelowTheTextWhereItIsNarrow() {
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* bar = new NoticeBar;
        column->addWidget(bar);
        column->addStretch(1);
        bar->show({QStringLiteral("a"),
                   NoticeKind::Warning,
                   QStringLiteral("The prompt takes 7,800 tokens and the answer may take 512, but the context holds 8,192."),
                   {{QStringLiteral("shorter"), QStringLiteral("Shorter answer")},
                    {QStringLiteral("oldest"), QStringLiteral("Leave out the oldest turns")}},
                   false});
        window.resize(900, 200);
        window.show();
        QCoreApplication::processEvents();
        const auto* text = child<QLabel>(*bar, "noticeText");
        const auto* button = child<QPushButton>(*bar, "noticeAction_oldest");
        QVERIFY(button->geometry().left() > text->geometry().right());
        window.resize(420, 200);
        QCoreApplication::processEvents();
        QCOMPARE(window.width(), 420);
        QVERIFY(button->geometry().top() > text->geometry().bottom());
        QVERIFY(bar->rect().contains(button->geometry()));
        QVERIFY(text->height() >= text->heightForWidth(text->width()));
    }

    void undoTakesBack() {
        UndoBar bar;
        QSignalSpy undone(&bar, &UndoBar::undoRequested);
        QSignalSpy expired(&bar, &UndoBar::expired);
        bar.offer(QStringLiteral("7"), QStringLiteral("Conversation deleted."));
        QVERIFY(bar.isVisible());
        QTest::mouseClick(child<QPushButton>(bar, "undoButton"), Qt::LeftButton);
        QCOMPARE(undone.count(), 1);
        QCOMPARE(undone[0][0].toString(), QStringLiteral("7"));
        QVERIFY(!bar.isVisible());
        bar.expireNow();
        QCOMPARE(expired.count(), 0);
    }

    void offersExpire() {
        // Inside a window, where showing the bar does not give it the focus.
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* other = new QPushButton(QStringLiteral("other"));
        auto* bar = new UndoBar;
        column->addWidget(other);
        column->addWidget(bar);
        window.show();
        other->setFocus();
        QSignalSpy expired(bar, &UndoBar::expired);
        bar->setTimeout(1);
        bar->offer(QStringLiteral("7"), QStringLiteral("Conversation deleted."));
        QVERIFY(bar->isVisible());
        QTRY_COMPARE(expired.count(), 1);
        QCOMPARE(expired[0][0].toString(), QStringLiteral("7"));
        QVERIFY(!bar->isVisible());
        QVERIFY(!bar->isOffering());
    }

    void newerOfferLetsTheOlderExpire() {
        UndoBar bar;
        QSignalSpy expired(&bar, &UndoBar::expired);
        bar.offer(QStringLiteral("1"), QStringLiteral("a"));
        bar.offer(QStringLiteral("2"), QStringLiteral("b"));
        QCOMPARE(expired.count(), 1);
        QCOMPARE(expired[0][0].toString(), QStringLiteral("1"));
        QVERIFY(bar.isVisible());
        QTest::mouseClick(child<QPushButton>(bar, "undoDismiss"), Qt::LeftButton);
        QCOMPARE(expired.count(), 2);
        QCOMPARE(expired[1][0].toString(), QStringLiteral("2"));
    }

    void timeStandsStillUnderTheFocus() {
        QWidget window;
        auto* column = new QVBoxLayout(&window);
        auto* bar = new UndoBar;
        auto* other = new QPushButton(QStringLiteral("other"));
        column->addWidget(bar);
        column->addWidget(other);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        bar->offer(QStringLiteral("1"), QStringLiteral("a"));
        other->setFocus();
        QTRY_VERIFY(bar->isCounting());
        bar->findChild<QPushButton*>(QStringLiteral("undoButton"))->setFocus();
        QTRY_VERIFY(!bar->isCounting());
        QVERIFY(bar->isOffering());
        other->setFocus();
        QTRY_VERIFY(bar->isCounting());
    }

    void systemPromptReportsWhenTypingPauses() {
        SystemPromptPanel panel;
        QSignalSpy edited(&panel, &SystemPromptPanel::textEdited);
        panel.setPrompt(QStringLiteral("A"), QStringLiteral("Be brief."));
        auto* editor = child<QPlainTextEdit>(panel, "systemPromptEditor");
        panel.show();
        QVERIFY(!editor->isVisible());
        QTest::mouseClick(child<QPushButton>(panel, "systemPromptToggle"), Qt::LeftButton);
        QVERIFY(panel.isExpanded());
        QVERIFY(editor->isVisible());
        QTest::keyClicks(editor, QStringLiteral("!!"));
        QCOMPARE(edited.count(), 0);
        QVERIFY(edited.wait());
        QCOMPARE(edited.count(), 1);
        QCOMPARE(edited[0][0].toString(), QStringLiteral("A"));
        QCOMPARE(edited[0][1].toString(), QStringLiteral("Be brief.!!"));
    }

    void systemPromptStaysWithItsConversation() {
        SystemPromptPanel panel;
        QSignalSpy edited(&panel, &SystemPromptPanel::textEdited);
        panel.setPrompt(QStringLiteral("A"), QStringLiteral("one"));
        panel.setExpanded(true);
        auto* editor = child<QPlainTextEdit>(panel, "systemPromptEditor");
        QTest::keyClicks(editor, QStringLiteral("+"));
        // The store's answer to an earlier change must not take back what was typed since.
        panel.setPrompt(QStringLiteral("A"), QStringLiteral("one"));
        QCOMPARE(panel.text(), QStringLiteral("one+"));
        panel.setPrompt(QStringLiteral("B"), QStringLiteral("two"));
        QCOMPARE(edited.count(), 1);
        QCOMPARE(edited[0][0].toString(), QStringLiteral("A"));
        QCOMPARE(edited[0][1].toString(), QStringLiteral("one+"));
        QCOMPARE(panel.text(), QStringLiteral("two"));
        panel.flush();
        QCOMPARE(edited.count(), 1);
    }

    void systemPromptFoldsByEscapeOutsideACompositionOnly() {
        SystemPromptPanel panel;
        panel.setPrompt(QStringLiteral("A"), {});
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        panel.setExpanded(true);
        auto* editor = child<QPlainTextEdit>(panel, "systemPromptEditor");
        compose(editor, QStringLiteral("みず"));
        QTest::keyClick(editor, Qt::Key_Escape);
        QVERIFY(panel.isExpanded());
        compose(editor, QStringLiteral("みず"));
        commitText(editor, QStringLiteral("水"));
        QTest::keyClick(editor, Qt::Key_Escape);
        QVERIFY(panel.isExpanded());
        QTest::keyClick(editor, Qt::Key_Escape);
        QVERIFY(!panel.isExpanded());
        QCOMPARE(panel.text(), QStringLiteral("水"));
    }
};

QTEST_MAIN(NoticesTest)

#include "notices_test.moc"
