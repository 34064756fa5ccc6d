// The conversation list, driven by keys, mouse and input method events.
#include "ui/chat/conversation_list.h"

#include "tests/ui/input_method_events.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using trefoil::ConversationItem;
using trefoil::ConversationList;
using trefoil::ConversationModel;
using trefoil::SearchHit;
using trefoil::SearchResult;
using trefoil::snippetOf;
using trefoil::TextRange;
using trefoil::test::commitText;
using trefoil::test::compose;
using trefoil::test::repeatKey;

namespace {

const QDate kToday(2026, 3, 5);

/// Noon of a local day before kToday.
QDateTime daysAgo(qint64 days) { return QDateTime(kToday.addDays(-days), QTime(12, 0)).toUTC(); }

QList<ConversationItem> fourItems() {
    return {{QStringLiteral("a"), QStringLiteral("Alpha"), daysAgo(0), false},
            {QStringLiteral("b"), QStringLiteral("Beta"), daysAgo(0).addSecs(-60), false},
            {QStringLiteral("c"), QStringLiteral("Gamma"), daysAgo(1), false},
            {QStringLiteral("d"), QStringLiteral("Delta 水"), daysAgo(40), false}};
}

}  // namespace

class ConversationListTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ConversationList> m_list;
    QListView* m_view = nullptr;
    QLineEdit* m_filter = nullptr;

    [[nodiscard]] QStringList shown() const {
        QStringList rows;
        for (int i = 0; i < m_list->model()->rowCount(); ++i) rows.append(m_list->model()->index(i).data().toString());
        return rows;
    }
    void clickRow(const QString& id) {
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->visualRect(m_list->model()->indexOf(id)).center());
    }
    [[nodiscard]] QLineEdit* renameField() const {
        // A closed editor lives until the next turn of the event loop.
        for (QLineEdit* field : m_view->findChildren<QLineEdit*>(QStringLiteral("conversationRenameField")))
            if (field->isVisible()) return field;
        return nullptr;
    }
    QLineEdit* renameByKey(const QString& id) {
        clickRow(id);
        QTest::keyClick(m_view, Qt::Key_F2);
        return renameField();
    }

private slots:
    void init() {
        m_list = std::make_unique<ConversationList>();
        m_list->setToday(kToday);
        m_view = m_list->findChild<QListView*>(QStringLiteral("conversationList"));
        m_filter = m_list->findChild<QLineEdit*>(QStringLiteral("conversationFilter"));
        m_list->resize(260, 500);
        m_list->setItems(fourItems());
        m_list->show();
        m_list->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_list.get()));
        m_view->setFocus();
    }
    void cleanup() { m_list.reset(); }

    void groups_data() {
        QTest::addColumn<QDateTime>("updated");
        QTest::addColumn<QString>("group");
        QTest::newRow("now") << daysAgo(0) << QStringLiteral("Today");
        QTest::newRow("first minute") << QDateTime(kToday, QTime(0, 0)).toUTC() << QStringLiteral("Today");
        QTest::newRow("clock ran ahead") << daysAgo(-3) << QStringLiteral("Today");
        QTest::newRow("last minute") << QDateTime(kToday.addDays(-1), QTime(23, 59)).toUTC() << QStringLiteral("Yesterday");
        QTest::newRow("2 days") << daysAgo(2) << QStringLiteral("Previous 7 days");
        QTest::newRow("7 days") << daysAgo(7) << QStringLiteral("Previous 7 days");
        QTest::newRow("8 days") << daysAgo(8) << QStringLiteral("Previous 30 days");
        QTest::newRow("30 days") << daysAgo(30) << QStringLiteral("Previous 30 days");
        QTest::newRow("31 days") << daysAgo(31) << QStringLiteral("February");
        QTest::newRow("this year") << daysAgo(60) << QStringLiteral("January");
        QTest::newRow("last year") << daysAgo(70) << QStringLiteral("December 2025");
    }
    void groups() {
        QFETCH(QDateTime, updated);
        QFETCH(QString, group);
        QCOMPARE(ConversationModel::groupOf(updated, kToday), group);
    }

    void rowsStandUnderTheirHeadings() {
        QList<ConversationItem> mixed = fourItems();
        std::reverse(mixed.begin(), mixed.end());
        m_list->setItems(mixed);
        QCOMPARE(shown(), QStringList({QStringLiteral("Today"), QStringLiteral("Alpha"), QStringLiteral("Beta"),
                                       QStringLiteral("Yesterday"), QStringLiteral("Gamma"), QStringLiteral("January"),
                                       QStringLiteral("Delta 水")}));
        m_list->setToday(kToday.addDays(1));
        QCOMPARE(shown().first(), QStringLiteral("Yesterday"));
        m_list->setItems({});
        QVERIFY(shown().isEmpty());
        QVERIFY(m_list->findChild<QWidget*>(QStringLiteral("conversationListEmpty"))->isVisible());
    }

    void clickOpens() {
        QSignalSpy opened(m_list.get(), &ConversationList::opened);
        clickRow(QStringLiteral("c"));
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), QStringLiteral("c"));
        QCOMPARE(m_list->current(), QStringLiteral("c"));
        // A heading is no conversation.
        QTest::mouseClick(m_view->viewport(), Qt::LeftButton, {}, m_view->visualRect(m_list->model()->index(3)).center());
        QCOMPARE(opened.count(), 1);
    }

    void arrowsPassOverHeadingsAndOpenWhenTheyRest() {
        QSignalSpy opened(m_list.get(), &ConversationList::opened);
        m_list->setCurrent(QStringLiteral("a"));
        QCOMPARE(opened.count(), 0);
        QTest::keyClick(m_view, Qt::Key_Down);
        QTest::keyClick(m_view, Qt::Key_Down);
        QCOMPARE(m_view->currentIndex().data().toString(), QStringLiteral("Gamma"));
        QVERIFY(opened.wait());
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), QStringLiteral("c"));
        QTest::keyClick(m_view, Qt::Key_Up);
        QTest::keyClick(m_view, Qt::Key_Return);
        QCOMPARE(opened.count(), 2);
        QCOMPARE(opened[1][0].toString(), QStringLiteral("b"));
    }

    void newChat() {
        QSignalSpy wanted(m_list.get(), &ConversationList::newRequested);
        QTest::mouseClick(m_list->findChild<QPushButton*>(QStringLiteral("newChatButton")), Qt::LeftButton);
        QCOMPARE(wanted.count(), 1);
    }

    void renameByF2() {
        QSignalSpy renamed(m_list.get(), &ConversationList::renamed);
        QLineEdit* field = renameByKey(QStringLiteral("b"));
        QVERIFY(field != nullptr);
        QCOMPARE(field->text(), QStringLiteral("Beta"));
        QTest::keyClicks(field, QStringLiteral("  New name "));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(renamed.count(), 1);
        QCOMPARE(renamed[0][0].toString(), QStringLiteral("b"));
        QCOMPARE(renamed[0][1].toString(), QStringLiteral("New name"));
        QTRY_VERIFY(renameField() == nullptr);
    }

    void emptyOrEqualTitlesChangeNothing() {
        QSignalSpy renamed(m_list.get(), &ConversationList::renamed);
        QLineEdit* field = renameByKey(QStringLiteral("b"));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(renameField() == nullptr);
        field = renameByKey(QStringLiteral("a"));
        field->clear();
        QTest::keyClicks(field, QStringLiteral("   "));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_VERIFY(renameField() == nullptr);
        QCOMPARE(renamed.count(), 0);
    }

    void escapeLeavesTheTitle() {
        QSignalSpy renamed(m_list.get(), &ConversationList::renamed);
        QLineEdit* field = renameByKey(QStringLiteral("b"));
        QTest::keyClicks(field, QStringLiteral("other"));
        QTest::keyClick(field, Qt::Key_Escape);
        QTRY_VERIFY(renameField() == nullptr);
        QCOMPARE(renamed.count(), 0);
    }

    void compositionDoesNotEndTheRenaming() {
        QSignalSpy renamed(m_list.get(), &ConversationList::renamed);
        QLineEdit* field = renameByKey(QStringLiteral("b"));
        compose(field, QStringLiteral("みず"));
        QTest::keyClick(field, Qt::Key_Return);
        QTest::keyClick(field, Qt::Key_Enter, Qt::KeypadModifier);
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(field, Qt::Key_Return, Qt::ControlModifier);
        QCoreApplication::processEvents();
        QCOMPARE(renameField(), field);
        commitText(field, QStringLiteral("水"));
        QTest::keyClick(field, Qt::Key_Return);
        repeatKey(field, Qt::Key_Return);
        QCoreApplication::processEvents();
        QCOMPARE(renameField(), field);
        QCOMPARE(field->text(), QStringLiteral("水"));
        QCOMPARE(renamed.count(), 0);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(renamed.count(), 1);
        QCOMPARE(renamed[0][1].toString(), QStringLiteral("水"));
    }

    void escapeDuringCompositionKeepsTheEditor() {
        QLineEdit* field = renameByKey(QStringLiteral("b"));
        QTest::keyClicks(field, QStringLiteral("x"));
        compose(field, QStringLiteral("みず"));
        QTest::keyClick(field, Qt::Key_Escape);
        QCoreApplication::processEvents();
        QCOMPARE(renameField(), field);
        QCOMPARE(field->text(), QStringLiteral("x"));
        QCOMPARE(field->displayText(), QStringLiteral("x"));
        QTest::keyClick(field, Qt::Key_Escape);
        QTRY_VERIFY(renameField() == nullptr);
    }

    void answerDoesNotDisturbTheRenaming() {
        QSignalSpy renamed(m_list.get(), &ConversationList::renamed);
        QLineEdit* field = renameByKey(QStringLiteral("c"));
        QTest::keyClicks(field, QStringLiteral("half "));
        compose(field, QStringLiteral("みず"));
        QList<ConversationItem> items = fourItems();
        items[2].working = true;
        m_list->setItems(items);
        // The answer ends: the conversation moves to the top.
        items[2].working = false;
        items[2].updatedUtc = daysAgo(0).addSecs(60);
        m_list->setItems(items);
        QCOMPARE(shown()[1], QStringLiteral("Gamma"));
        QCoreApplication::processEvents();
        QCOMPARE(renameField(), field);
        commitText(field, QStringLiteral("水"));
        QCOMPARE(field->text(), QStringLiteral("half 水"));
        QTest::qWait(50);
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(renamed.count(), 1);
        QCOMPARE(renamed[0][0].toString(), QStringLiteral("c"));
        QCOMPARE(renamed[0][1].toString(), QStringLiteral("half 水"));
    }

    void deleteByKeyAndMenu() {
        QSignalSpy wanted(m_list.get(), &ConversationList::deleteRequested);
        QTest::keyClick(m_view, Qt::Key_Delete);
        QCOMPARE(wanted.count(), 0);
        clickRow(QStringLiteral("a"));
        QTest::keyClick(m_view, Qt::Key_Delete);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted[0][0].toString(), QStringLiteral("a"));
        // The list changes when its owner says so.
        QCOMPARE(shown()[1], QStringLiteral("Alpha"));

        emit m_view->customContextMenuRequested(m_view->visualRect(m_list->model()->indexOf(QStringLiteral("d"))).center());
        auto* menu = m_list->findChild<QMenu*>(QStringLiteral("conversationMenu"));
        QVERIFY(menu != nullptr);
        menu->findChild<QAction*>(QStringLiteral("deleteConversation"))->trigger();
        menu->close();
        QCOMPARE(wanted.count(), 2);
        QCOMPARE(wanted[1][0].toString(), QStringLiteral("d"));
    }

    void deleteInTheTitleEditorDeletesCharacters() {
        QSignalSpy wanted(m_list.get(), &ConversationList::deleteRequested);
        QLineEdit* field = renameByKey(QStringLiteral("b"));
        QTest::keyClick(field, Qt::Key_Home);
        QTest::keyClick(field, Qt::Key_Delete);
        QCOMPARE(field->text(), QStringLiteral("eta"));
        QCOMPARE(wanted.count(), 0);
    }

    void filterShowsMatchingTitles() {
        QTest::keyClicks(m_filter, QStringLiteral("TA"));
        QCOMPARE(shown(), QStringList({QStringLiteral("Today"), QStringLiteral("Beta"), QStringLiteral("January"),
                                       QStringLiteral("Delta 水")}));
        QTest::keyClicks(m_filter, QStringLiteral("zz"));
        QVERIFY(shown().isEmpty());
        QTest::keyClick(m_filter, Qt::Key_Escape);
        QCOMPARE(shown().size(), 7);
        QVERIFY(m_filter->text().isEmpty());
    }

    void enterInTheFilterOpensTheFirstMatch() {
        QSignalSpy opened(m_list.get(), &ConversationList::opened);
        m_filter->setFocus();
        QTest::keyClicks(m_filter, QStringLiteral("delta"));
        QTest::keyClick(m_filter, Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), QStringLiteral("d"));
        QVERIFY(m_view->hasFocus());
    }

    static SearchResult hitIn(const QString& id, const QString& text) {
        SearchHit hit = snippetOf(QStringLiteral("Water is wet, and so is Delta."), {text});
        hit.conversationId = id;
        hit.messageId = id + QStringLiteral("-message");
        return {text, {hit}, false};
    }

    void contentsJoinTheTitles() {
        QSignalSpy wanted(m_list.get(), &ConversationList::searchRequested);
        m_filter->setFocus();
        QTest::keyClicks(m_filter, QStringLiteral("wet"));
        QVERIFY(shown().isEmpty());
        QTRY_COMPARE(wanted.count(), 1);  // once for three letters
        QCOMPARE(wanted[0][0].toString(), QStringLiteral("wet"));
        m_list->setSearchResult(hitIn(QStringLiteral("b"), QStringLiteral("other")));
        QVERIFY(shown().isEmpty());  // too late for what is searched for now
        m_list->setSearchResult(hitIn(QStringLiteral("b"), QStringLiteral("wet")));
        QCOMPARE(shown().size(), 2);
        const QModelIndex row = m_list->model()->indexOf(QStringLiteral("b"));
        QCOMPARE(row.data(ConversationModel::SnippetRole).toString(), QStringLiteral("Water is wet, and so is Delta."));
        QCOMPARE(row.data(ConversationModel::RangesRole).value<QList<TextRange>>(), (QList<TextRange>{{9, 3}}));
        QVERIFY(row.data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("wet")));
        QVERIFY(m_view->visualRect(row).height() > m_list->fontMetrics().height() * 2);

        QSignalSpy opened(m_list.get(), &ConversationList::opened);
        QSignalSpy hits(m_list.get(), &ConversationList::hitOpened);
        QTest::keyClick(m_filter, Qt::Key_Return);
        QCOMPARE(opened.count(), 0);
        QCOMPARE(hits.count(), 1);
        QCOMPARE(hits[0][1].toString(), QStringLiteral("b-message"));
        m_filter->setFocus();
        QTest::keyClick(m_filter, Qt::Key_Escape);
        QCOMPARE(shown().size(), 7);
        QVERIFY(m_list->model()->indexOf(QStringLiteral("b")).data(ConversationModel::SnippetRole).toString().isEmpty());
    }

    void leftOutHitsAreTold() {
        auto* note = m_list->findChild<QLabel*>(QStringLiteral("searchMoreNote"));
        QVERIFY(note->isHidden());
        QTest::keyClicks(m_filter, QStringLiteral("wet"));
        SearchResult result = hitIn(QStringLiteral("b"), QStringLiteral("wet"));
        result.more = true;
        m_list->setSearchResult(result);
        QVERIFY(note->isVisible());
        m_filter->clear();
        QVERIFY(note->isHidden());
    }

    void titleFilterNarrowsTheList() {
        QTest::keyClicks(m_filter, QStringLiteral("title:beta"));
        QCOMPARE(shown(), QStringList({QStringLiteral("Today"), QStringLiteral("Beta")}));
        m_filter->setText(QStringLiteral("model:beta"));  // titles do not count
        QVERIFY(shown().isEmpty());
    }

    void compositionDoesNotEndTheFiltering() {
        QSignalSpy opened(m_list.get(), &ConversationList::opened);
        m_filter->setFocus();
        compose(m_filter, QStringLiteral("みず"));
        QTest::keyClick(m_filter, Qt::Key_Return);
        QTest::keyClick(m_filter, Qt::Key_Down);
        QCOMPARE(shown().size(), 7);
        commitText(m_filter, QStringLiteral("水"));
        QTest::keyClick(m_filter, Qt::Key_Return);
        repeatKey(m_filter, Qt::Key_Return);
        QCOMPARE(opened.count(), 0);
        QVERIFY(m_filter->hasFocus());
        compose(m_filter, QStringLiteral("みず"));
        QTest::keyClick(m_filter, Qt::Key_Escape);
        QCOMPARE(m_filter->text(), QStringLiteral("水"));
        QTest::keyClick(m_filter, Qt::Key_Return);
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toString(), QStringLiteral("d"));
    }

    void selectionSurvivesUpdates() {
        QSignalSpy opened(m_list.get(), &ConversationList::opened);
        m_list->setCurrent(QStringLiteral("c"));
        QList<ConversationItem> items = fourItems();
        items.prepend({QStringLiteral("n"), QString(), daysAgo(0).addSecs(10), true});
        m_list->setItems(items);
        QCOMPARE(m_view->currentIndex().data(ConversationModel::IdRole).toString(), QStringLiteral("c"));
        QTest::keyClicks(m_filter, QStringLiteral("beta"));
        QVERIFY(!m_view->currentIndex().isValid());
        m_filter->clear();
        QCOMPARE(m_view->currentIndex().data(ConversationModel::IdRole).toString(), QStringLiteral("c"));
        items.removeIf([](const ConversationItem& item) { return item.id == QStringLiteral("c"); });
        m_list->setItems(items);
        QCOMPARE(shown().count(QStringLiteral("Yesterday")), 0);
        QCOMPARE(opened.count(), 0);
    }

    void everySmallChangeGivesTheSameRowsAsAFreshList() {
        // Moves, removals, insertions and renames in a fixed pseudo-random order, checked against a model filled at once.
        quint32 state = 7;
        const auto next = [&state](quint32 bound) {
            state = state * 1664525U + 1013904223U;
            return (state >> 8) % bound;
        };
        QList<ConversationItem> items = fourItems();
        for (int round = 0; round < 300; ++round) {
            for (quint32 change = next(4); change < 4; ++change) {
                if (items.size() > 2 && next(3) == 0) items.removeAt(next(quint32(items.size())));
                if (next(3) == 0)
                    items.append({QString::number(round) + QLatin1Char('.') + QString::number(change), QStringLiteral("t"),
                                  daysAgo(next(90)), false});
                ConversationItem& touched = items[next(quint32(items.size()))];
                touched.updatedUtc = daysAgo(next(90)).addSecs(next(1000));
                touched.working = next(2) == 0;
                touched.title = QString::number(next(50));
            }
            m_list->setItems(items);
            ConversationModel fresh;
            fresh.setToday(kToday);
            fresh.setItems(items);
            QCOMPARE(m_list->model()->rowCount(), fresh.rowCount());
            for (int i = 0; i < fresh.rowCount(); ++i)
                for (const int role : {int(Qt::DisplayRole), int(ConversationModel::IdRole), int(ConversationModel::WorkingRole)})
                    QCOMPARE(m_list->model()->index(i).data(role), fresh.index(i).data(role));
        }
    }

    void workingRowsAreMarked() {
        QList<ConversationItem> items = fourItems();
        const QRect row = m_view->visualRect(m_list->model()->indexOf(QStringLiteral("b")));
        const QImage idle = m_view->viewport()->grab(row).toImage();
        items[1].working = true;
        m_list->setItems(items);
        QVERIFY(m_view->viewport()->grab(row).toImage() != idle);
        const QModelIndex index = m_list->model()->indexOf(QStringLiteral("b"));
        QVERIFY(index.data(Qt::AccessibleTextRole).toString() != QStringLiteral("Beta"));
        items[1].working = false;
        m_list->setItems(items);
        QVERIFY(m_view->viewport()->grab(row).toImage() == idle);
    }

    void titlesAreNeverMarkup() {
        m_list->setItems({{QStringLiteral("x"), QStringLiteral("<img src='file:///etc/passwd'>\nsecond"), daysAgo(0), false}});
        const QString tip = m_list->model()->indexOf(QStringLiteral("x")).data(Qt::ToolTipRole).toString();
        QVERIFY(tip.contains(QStringLiteral("&lt;img")));
        QVERIFY(!tip.contains(QStringLiteral("<img")));
        QVERIFY(!m_list->grab().isNull());
    }

    void tenThousandConversations() {
        QList<ConversationItem> items;
        for (int i = 0; i < 10'000; ++i)
            items.append({QString::number(i), QStringLiteral("Question number %1").arg(i), daysAgo(i / 20), false});
        m_list->setItems(items);
        QCOMPARE(m_list->model()->shownCount(), qsizetype(10'000));
        QTest::keyClicks(m_filter, QStringLiteral("number 9999"));
        QCOMPARE(m_list->model()->shownCount(), qsizetype(1));
        m_filter->clear();
        m_list->setCurrent(QStringLiteral("9999"));
        QVERIFY(m_view->viewport()->rect().intersects(m_view->visualRect(m_view->currentIndex())));
    }
};

int main(int argc, char** argv) {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QApplication app(argc, argv);
    ConversationListTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "conversation_list_test.moc"
