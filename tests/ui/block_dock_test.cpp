// The Block dock by mouse and key: painting, selection, details, bars, replay, live display, accessibility.
#include "ui/blocks/block_dock.h"
#include "block_traces.h"
#include "ui/blocks/block_bars.h"
#include "ui/blocks/block_details.h"
#include "ui/blocks/block_legend.h"
#include "ui/blocks/block_view.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLocale>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <ctime>
#include <memory>

using namespace trefoil;
using namespace trefoil::test;

namespace {

double cpuMilliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

CellView cellOf(CellState state, const QString& text = QStringLiteral(" blue")) {
    CellView cell;
    cell.state = state;
    cell.token = 17;
    cell.text = text;
    cell.confidence = 0.97;
    cell.resolvedPass = 1;
    cell.now = state == CellState::ResolvedNow;
    return cell;
}

QImage pictureOf(const CellView& cell, const QPalette& palette) {
    BlockView view;
    view.setPalette(palette);
    view.resize(80, 60);
    view.setCells({cell}, 0.95);
    return view.grab().toImage().convertToFormat(QImage::Format_RGB32);
}

QImage grey(const QImage& image) { return image.convertToFormat(QImage::Format_Grayscale8); }

}  // namespace

class BlockDockTest : public QObject {
    Q_OBJECT

    template <typename T>
    static T* part(const BlockDock& dock, const char* name) {
        return dock.findChild<T*>(QLatin1String(name));
    }
    static std::unique_ptr<BlockDock> shownDock(const QSize& size = {420, 700}) {
        auto dock = std::make_unique<BlockDock>();
        dock->resize(size);
        dock->show();
        if (!QTest::qWaitForWindowExposed(dock.get())) return {};
        dock->activateWindow();
        return dock;
    }

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        QAccessible::setActive(true);
    }

    void emptyDockSaysWhatItIsFor() {
        const auto dock = shownDock();
        QVERIFY(part<QLabel>(*dock, "blockEmptyText")->isVisible());
        QVERIFY(!part<QLabel>(*dock, "blockEmptyText")->text().isEmpty());
        dock->setTrace(madeTrace(1));
        QVERIFY(!part<QLabel>(*dock, "blockEmptyText")->isVisible());
        QVERIFY(part<BlockView>(*dock, "blockView")->isVisible());
        dock->clear();
        QVERIFY(part<QLabel>(*dock, "blockEmptyText")->isVisible());
    }

    void statesDifferAlsoWithoutColour_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void statesDifferAlsoWithoutColour() {
        QFETCH(bool, dark);
        const QPalette palette = dark ? theme::darkPalette() : theme::lightPalette();
        const QList<CellState> all{CellState::Masked, CellState::Candidate, CellState::ResolvedNow, CellState::ResolvedEarlier,
                                   CellState::Forced, CellState::Dropped,   CellState::Prompt};
        QList<QImage> pictures;
        for (const CellState state : all) pictures.append(grey(pictureOf(cellOf(state), palette)));
        for (qsizetype a = 0; a < pictures.size(); ++a) {
            for (qsizetype b = a + 1; b < pictures.size(); ++b) {
                qsizetype differing = 0;
                for (int y = 0; y < pictures[a].height(); ++y)
                    for (int x = 0; x < pictures[a].width(); ++x)
                        if (std::abs(qGray(pictures[a].pixel(x, y)) - qGray(pictures[b].pixel(x, y))) > 24) ++differing;
                QVERIFY2(differing > 40, qPrintable(QStringLiteral("states %1 and %2").arg(a).arg(b)));
            }
        }
    }

    void confidenceShadesACandidate() {
        const QPalette palette = theme::lightPalette();
        CellView sure = cellOf(CellState::Candidate);
        CellView unsure = sure;
        unsure.confidence = 0.05;
        const auto darkest = [](const QImage& image) {
            int least = 255;
            for (int y = 8; y < image.height() / 2 + 4; ++y)
                for (int x = 12; x < image.width() - 12; ++x) least = std::min(least, qGray(image.pixel(x, y)));
            return least;
        };
        QVERIFY(darkest(pictureOf(sure, palette)) + 30 < darkest(pictureOf(unsure, palette)));
    }

    void noCellIsEverEmpty() {
        // What a masked cell, an empty piece and pieces of white space show differs from an empty cell's ground.
        for (const QString& text : {QString(), QStringLiteral(" "), QStringLiteral("\n"), QStringLiteral("\u200b"),
                                    QStringLiteral("\u0301"), QStringLiteral("\U0001E8C0")}) {
            const QImage picture = pictureOf(cellOf(CellState::ResolvedEarlier, text), theme::lightPalette());
            const QRgb ground = picture.pixel(picture.width() / 2, 8);
            qsizetype marks = 0;
            for (int y = 10; y < 30; ++y)
                for (int x = 12; x < picture.width() - 12; ++x)
                    if (picture.pixel(x, y) != ground) ++marks;
            QVERIFY2(marks > 3, qUtf8Printable(text));
        }
    }

    void arrowsChooseCells() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(2, 32));
        auto* const view = part<BlockView>(*dock, "blockView");
        auto* const details = part<BlockDetails>(*dock, "blockDetails");
        const QString hint = details->text();
        view->setFocus(Qt::TabFocusReason);
        QCOMPARE(view->currentItem(), 0);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(view->currentItem(), 1);
        const int columns = view->columns();
        QTest::keyClick(view, Qt::Key_Down);
        QCOMPARE(view->currentItem(), 1 + columns);
        QTest::keyClick(view, Qt::Key_End);
        QCOMPARE(view->currentItem(), 31);
        QTest::keyClick(view, Qt::Key_Down);
        QTest::keyClick(view, Qt::Key_Right);
        QCOMPARE(view->currentItem(), 31);
        QTest::keyClick(view, Qt::Key_Up);
        QCOMPARE(view->currentItem(), 31 - columns);
        QTest::keyClick(view, Qt::Key_Home);
        QCOMPARE(view->currentItem(), 0);
        QVERIFY(details->text().contains(QStringLiteral("t100")));
        QVERIFY(details->text().contains(QStringLiteral("Resolved in pass 1")));
        QCOMPARE(details->text().count(QLatin1Char('\n')), 1 + BlockDetails::kCandidates);
        QTest::keyClick(view, Qt::Key_Escape);
        QCOMPARE(view->currentItem(), -1);
        QCOMPARE(details->text(), hint);
    }

    void pointerShowsAndClickKeeps() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(1, 32));
        auto* const view = part<BlockView>(*dock, "blockView");
        QTest::mouseMove(view, view->itemRect(9).center());
        QTRY_COMPARE(view->shownRow(), 9);
        QVERIFY(part<BlockDetails>(*dock, "blockDetails")->text().startsWith(QStringLiteral("Row 10")));
        QTest::mouseClick(view, Qt::LeftButton, Qt::NoModifier, view->itemRect(3).center());
        QCOMPARE(view->currentItem(), 3);
        QTest::mouseClick(view, Qt::LeftButton, Qt::NoModifier, view->itemRect(3).center());
        QCOMPARE(view->currentItem(), -1);
    }

    void theTitleCounts() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(2));
        auto* const title = part<QLabel>(*dock, "blockTitle");
        QCOMPARE(title->text(), QStringLiteral("Block 1 · pass 1 of 1 · 8 of 8 resolved · 8 in this pass"));
        QTest::keyClick(part<QSlider>(*dock, "blockPassSlider"), Qt::Key_Home);
        QCOMPARE(title->text(), QStringLiteral("Block 1 · before pass 1 of 1 · 0 of 8 resolved"));
    }

    void barsChooseBlocks() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(5));
        auto* const bars = part<BlockBars>(*dock, "blockBars");
        QCOMPARE(bars->itemCount(), 5);
        QTest::mouseClick(bars->viewport(), Qt::LeftButton, Qt::NoModifier, bars->itemRect(3).center());
        QCOMPARE(dock->replay().block(), 3);
        QCOMPARE(dock->replay().frame(), 3);
        bars->setFocus();
        QTest::keyClick(bars, Qt::Key_Left);
        QCOMPARE(dock->replay().block(), 2);
        QTest::keyClick(bars, Qt::Key_End);
        QCOMPARE(dock->replay().block(), 4);
        QTest::keyClick(bars, Qt::Key_Right);
        QCOMPARE(dock->replay().block(), 4);
        QTest::keyClick(bars, Qt::Key_Home);
        QCOMPARE(dock->replay().block(), 0);
        QCOMPARE(bars->describe(1), QStringLiteral("Block 2: 3 passes, 1 forced, 8 tokens"));
    }

    void thousandsOfBlocksScroll() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(4000, 4));
        auto* const bars = part<BlockBars>(*dock, "blockBars");
        QVERIFY(bars->horizontalScrollBar()->maximum() > 0);
        bars->setFocus();
        QTest::keyClick(bars, Qt::Key_End);
        QCOMPARE(dock->replay().block(), 3999);
        QVERIFY(bars->itemRect(3999).width() > 3);
        QCOMPARE(bars->itemAt(bars->itemRect(3999).center()), 3999);
        QVERIFY(bars->itemRect(0).isEmpty());
        QTest::keyClick(bars, Qt::Key_PageUp);
        QCOMPARE(dock->replay().block(), 3989);
    }

    void buttonsAndSliderStep() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(2));
        auto* const back = part<QToolButton>(*dock, "blockStepBack");
        auto* const forward = part<QToolButton>(*dock, "blockStepForward");
        auto* const slider = part<QSlider>(*dock, "blockPassSlider");
        QTest::mouseClick(forward, Qt::LeftButton);
        QCOMPARE(dock->replay().block(), 1);
        QCOMPARE(slider->maximum(), 3);
        QCOMPARE(slider->value(), 0);
        QTest::mouseClick(forward, Qt::LeftButton);
        QCOMPARE(slider->value(), 1);
        slider->setValue(3);
        QCOMPARE(dock->replay().frame(), 3);
        QVERIFY(!forward->isEnabled());
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Left);
        QCOMPARE(dock->replay().frame(), 2);
        QTest::mouseClick(back, Qt::LeftButton);
        QCOMPARE(dock->replay().frame(), 1);
    }

    void playButtonPlaysAndPauses() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(2));
        auto* const play = part<QToolButton>(*dock, "blockPlay");
        auto* const speed = part<QComboBox>(*dock, "blockSpeed");
        QCOMPARE(speed->count(), 4);
        QCOMPARE(dock->replay().speed(), 1.0);
        speed->setCurrentIndex(3);
        QCOMPARE(dock->replay().speed(), 4.0);
        QTest::mouseClick(play, Qt::LeftButton);
        QVERIFY(dock->replay().isPlaying());
        QCOMPARE(play->accessibleName(), QStringLiteral("Pause"));
        QCOMPARE(dock->replay().frame(), 0);
        QTRY_COMPARE(dock->replay().block(), 1);
        QTest::mouseClick(play, Qt::LeftButton);
        QVERIFY(!dock->replay().isPlaying());
        QCOMPARE(play->accessibleName(), QStringLiteral("Play"));
    }

    void aThousandLivePassesCostFewRepaints() {
        const auto dock = shownDock();
        auto* const view = part<BlockView>(*dock, "blockView");
        TraceView trace = madeTrace(500, 32);
        trace.passes.resize(1000);
        dock->beginLive(trace.maskId, trace.blockSize, trace.threshold);
        QApplication::processEvents();
        const int before = view->paintCount();
        const double start = cpuMilliseconds();
        for (const PassView& pass : trace.passes) dock->addPass(pass);
        const double spent = cpuMilliseconds() - start;
        QVERIFY2(spent < 500.0, qPrintable(QString::number(spent)));
        // Nothing is shown before the display's next frame.
        QCOMPARE(view->paintCount(), before);
        QTRY_COMPARE(dock->replay().block(), 499);
        QTRY_VERIFY(view->paintCount() > before);
        QVERIFY(view->paintCount() - before <= 4);
        dock->endLive();
        QCOMPARE(dock->replay().model().trace().passes, trace.passes);
    }

    void aSinglePassIsShownAndCanBeReplayed() {
        const auto dock = shownDock();
        const TraceView trace = madeTrace(1);
        dock->beginLive(trace.maskId, trace.blockSize, trace.threshold);
        dock->addPass(trace.passes[0]);
        dock->endLive();  // in the same turn of the event loop
        QVERIFY(part<BlockView>(*dock, "blockView")->isVisible());
        QCOMPARE(part<QLabel>(*dock, "blockTitle")->text(),
                 QStringLiteral("Block 1 · pass 1 of 1 · 8 of 8 resolved · 8 in this pass"));
        const auto* const view = part<BlockView>(*dock, "blockView");
        QCOMPARE(view->cells()[0].state, CellState::ResolvedNow);
        dock->setTrace(trace);
        QTest::mouseClick(part<QToolButton>(*dock, "blockPlay"), Qt::LeftButton);
        QCOMPARE(view->cells()[0].state, CellState::Masked);
        QTRY_COMPARE(view->cells()[0].state, CellState::ResolvedNow);
        QTRY_VERIFY(!dock->replay().isPlaying());
    }

    void liveStaysWhereThePersonLooks() {
        const auto dock = shownDock();
        const TraceView trace = madeTrace(4);
        auto* const follow = part<QToolButton>(*dock, "blockFollow");
        dock->beginLive(trace.maskId, trace.blockSize, trace.threshold);
        for (qsizetype i = 0; i < 5; ++i) dock->addPass(trace.passes[i]);
        QTRY_COMPARE(dock->replay().block(), 2);
        QVERIFY(!follow->isVisible());
        auto* const bars = part<BlockBars>(*dock, "blockBars");
        QTest::mouseClick(bars->viewport(), Qt::LeftButton, Qt::NoModifier, bars->itemRect(0).center());
        QVERIFY(follow->isVisible());
        for (qsizetype i = 5; i < trace.passes.size(); ++i) dock->addPass(trace.passes[i]);
        QTRY_COMPARE(bars->itemCount(), 4);
        QTest::qWait(40);
        QCOMPARE(dock->replay().block(), 0);
        QTest::mouseClick(follow, Qt::LeftButton);
        QCOMPARE(dock->replay().block(), 3);
        QVERIFY(!follow->isVisible());
    }

    void screenReadersSeeEachCell() {
        const auto dock = shownDock();
        dock->setTrace(madeTrace(2));
        auto* const view = part<BlockView>(*dock, "blockView");
        QAccessibleInterface* const list = QAccessible::queryAccessibleInterface(view);
        QVERIFY(list != nullptr);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->childCount(), 8);
        QAccessibleInterface* const fifth = list->child(4);
        QVERIFY(fifth != nullptr && fifth->isValid());
        QCOMPARE(fifth->text(QAccessible::Name), QStringLiteral("row 5, 't104', 0.99, resolved in pass 1"));
        QCOMPARE(list->indexOfChild(fifth), 4);
        QCOMPARE(fifth->parent(), list);
        QCOMPARE(list->childAt(fifth->rect().center().x(), fifth->rect().center().y()), fifth);
        QVERIFY(!fifth->state().selected);
        fifth->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(view->currentItem(), 4);
        QVERIFY(fifth->state().selected);
        CellView cell = cellOf(CellState::ResolvedEarlier);
        cell.row = 4;
        QCOMPARE(BlockView::describe(cell), QStringLiteral("row 5, ' blue', 0.97, resolved in pass 2"));
        // A child that falls away stays safe to ask.
        view->setCells({cell}, 0.95);
        QVERIFY(!fifth->isValid());
        QVERIFY(fifth->text(QAccessible::Name).isEmpty());

        QAccessibleInterface* const bars = QAccessible::queryAccessibleInterface(part<BlockBars>(*dock, "blockBars"));
        QCOMPARE(bars->childCount(), 2);
        QCOMPARE(bars->child(1)->text(QAccessible::Name), QStringLiteral("Block 2: 3 passes, 1 forced, 8 tokens"));
    }

    void everyControlHasNamesAndTakesFocus() {
        const auto dock = shownDock();
        for (const char* name : {"blockView", "blockBars", "blockStepBack", "blockPlay", "blockStepForward", "blockPassSlider",
                                 "blockSpeed", "blockFollow"}) {
            const auto* const widget = part<QWidget>(*dock, name);
            QVERIFY2(widget != nullptr, name);
            QVERIFY2(!widget->accessibleName().isEmpty(), name);
            QVERIFY2((widget->focusPolicy() & Qt::TabFocus) != 0, name);
        }
    }

    void nothingIsClippedAtAnySize_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("points");
        QTest::addColumn<int>("cells");
        for (const int width : {200, 300, 420, 900, 1800})
            for (const int points : {6, 10, 20})
                for (const int cells : {1, 20, 32, 128})
                    QTest::addRow("%d px, %d pt, %d", width, points, cells) << width << points << cells;
    }
    void nothingIsClippedAtAnySize() {
        QFETCH(int, width);
        QFETCH(int, points);
        QFETCH(int, cells);
        BlockView view;
        QFont font = view.font();
        font.setPointSize(points);
        view.setFont(font);
        view.setCells(QList<CellView>(cells, cellOf(CellState::Candidate)), 0.95);
        view.resize(width, view.heightForWidth(width));
        QRect all;
        for (int index = 0; index < cells; ++index) {
            const QRect rect = view.itemRect(index);
            QVERIFY(view.rect().contains(rect));
            QVERIFY(rect.height() >= view.fontMetrics().height());
            QVERIFY(index == 0 || !all.contains(rect.center()) || view.columns() > 1);
            if (index > 0) QVERIFY(!rect.intersects(view.itemRect(index - 1)));
            all |= rect;
            QCOMPARE(view.itemAt(rect.center()), index);
        }
        QVERIFY(view.columns() >= 1 && view.columns() <= 16);
    }

    void cellsTakeTheRoomTheyNeedAndNoMore() {
        const auto dock = shownDock({300, 640});
        dock->setTrace(madeTrace(3, 32));
        const auto* const view = part<BlockView>(*dock, "blockView");
        const auto* const scroll = part<QScrollArea>(*dock, "blockScroll");
        for (const int width : {300, 420, 700, 340, 1000, 300}) {
            dock->resize(width, 900);
            QTRY_COMPARE(scroll->maximumHeight(), view->tallestForWidth(view->width()));
            QTRY_VERIFY(scroll->height() <= view->tallestForWidth(view->width()));
            QTRY_VERIFY(!scroll->verticalScrollBar()->isVisible());
        }
        // In little room the whole block stays in sight: narrower cells, then fewer candidates.
        dock->resize(380, 430);
        QTRY_COMPARE(view->columns(), 8);
        QTRY_VERIFY(!scroll->verticalScrollBar()->isVisible());
        QTRY_VERIFY(scroll->height() >= view->heightForColumns(8));
        // Where they do not fit at all, they scroll, and the chosen cell comes into sight.
        dock->resize(180, 420);
        QTRY_VERIFY(scroll->verticalScrollBar()->isVisible());
        part<BlockView>(*dock, "blockView")->chooseItem(31);
        const QRect last(view->mapTo(scroll->viewport(), view->itemRect(31).topLeft()), view->itemRect(31).size());
        QVERIFY(scroll->viewport()->rect().contains(last));
    }

    void aNarrowDockShowsAll() {
        const auto dock = shownDock({300, 640});
        dock->setTrace(madeTrace(3, 32));
        QApplication::processEvents();
        const auto* const view = part<BlockView>(*dock, "blockView");
        QCOMPARE(view->columns(), 4);
        for (const char* name : {"blockTitle", "blockLegend", "blockDetails", "blockBars", "blockPlay", "blockSpeed"}) {
            const auto* const widget = part<QWidget>(*dock, name);
            const QRect place(widget->mapTo(dock.get(), QPoint(0, 0)), widget->size());
            QVERIFY2(dock->rect().contains(place), name);
            QVERIFY2(widget->height() >= widget->minimumSizeHint().height(), name);
        }
    }
};

QTEST_MAIN(BlockDockTest)
#include "block_dock_test.moc"
