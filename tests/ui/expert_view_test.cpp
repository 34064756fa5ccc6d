// The Experts dock: sums, lines a pass and a layer, and the demo model's own numbers in the window.
#include "ui/experts/expert_view.h"
#include "tests/support/window_fixture.h"
#include "tests/ui/block_traces.h"
#include "ui/blocks/block_dock.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QLabel>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QtTest>

using namespace trefoil;
using trefoil::testing::WindowFixture;

namespace {

QStringList rowTexts(const QTableWidget* table, int row) {
    QStringList out;
    for (int column = 0; column < table->columnCount(); ++column) out.append(table->item(row, column)->text());
    return out;
}

}  // namespace

class ExpertViewTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void sums();
    void linesOfPassesAndLayers();
    void whatIsNotKnownIsADash();
    void theWindowShowsTheModelsNumbers();
};

void ExpertViewTest::sums() {
    const QList<LayerView> layers{{10, 12, 0.9F, 16, 100}, {4, 6, 0.7F, 4, 100}};
    const ExpertSums all = sumsOf(layers);
    QCOMPARE(all.distinct, 14);
    QCOMPARE(all.bytes, 1400U);
    QCOMPARE(all.spared, 6);
    QCOMPARE(all.sparedBytes, 600U);
    QVERIFY(qAbs(all.meanShare - 0.8) < 1e-6);
    QCOMPARE(sumsOf({{3, 0, 0.0F, -1, 0}}).spared, -1);
    QCOMPARE(sumsOf({}), ExpertSums());
}

void ExpertViewTest::linesOfPassesAndLayers() {
    TraceView trace = test::madeTrace(2);  // the second block has three passes
    for (PassView& pass : trace.passes) {
        pass.layers = {{10, 12, 0.9F, 16, 1024}, {4, 6, 0.75F, 4, 1024}};
        pass.meanDistinctExperts = 7.0;
        pass.meanCoresetSize = 9.0;
        pass.weightBytes = 64 * 1024;
        pass.milliseconds = 2.5;
    }
    trace.passes.last().layers[1].distinctExperts = 3;
    BlockDock dock;
    ExpertView view(&dock);
    view.show();
    const auto* const passes = view.findChild<QTableWidget*>(QStringLiteral("expertPasses"));
    const auto* const layers = view.findChild<QTableWidget*>(QStringLiteral("expertLayers"));
    const auto* const summary = view.findChild<QLabel*>(QStringLiteral("expertSummary"));
    QVERIFY(summary->text().startsWith(QLatin1String("No blocks yet")));
    dock.setTrace(trace);
    QTRY_COMPARE(passes->rowCount(), 1);
    dock.showCell(1, 0);
    QTRY_COMPARE(passes->rowCount(), 3);
    QCOMPARE(rowTexts(passes, 0), (QStringList{QStringLiteral("1"), QStringLiteral("2.5 ms"), QStringLiteral("7.0"),
                                               QStringLiteral("10.0"), QStringLiteral("9.0"), QStringLiteral("64.00 KiB")}));
    QCOMPARE(passes->currentRow(), 2);
    QCOMPARE(layers->rowCount(), 2);
    QCOMPARE(rowTexts(layers, 0), (QStringList{QStringLiteral("0"), QStringLiteral("10"), QStringLiteral("16"),
                                               QStringLiteral("12"), QStringLiteral("90.0 %"), QStringLiteral("10.00 KiB")}));
    QCOMPARE(layers->item(1, 1)->text(), QStringLiteral("3"));
    QVERIFY2(summary->text().contains(QLatin1String("13.00 KiB of the 64.00 KiB")), qPrintable(summary->text()));
    // A pass chosen here is shown there, and its layers here.
    const_cast<QTableWidget*>(passes)->setCurrentCell(0, 0);
    QCOMPARE(dock.replay().frame(), 1);
    QTRY_COMPARE(layers->item(1, 1)->text(), QStringLiteral("4"));
}

void ExpertViewTest::whatIsNotKnownIsADash() {
    TraceView trace = test::madeTrace(1);
    trace.passes[0].layers = {{9, 0, 0.0F, -1, 0}};
    BlockDock dock;
    dock.setTrace(trace);
    ExpertView view(&dock);
    view.show();
    const QString dash = QStringLiteral("–");
    QCOMPARE(rowTexts(view.findChild<QTableWidget*>(QStringLiteral("expertLayers")), 0),
             (QStringList{QStringLiteral("0"), QStringLiteral("9"), dash, dash, dash, dash}));
}

void ExpertViewTest::theWindowShowsTheModelsNumbers() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QVERIFY(!w.find<ExpertView>("expertView")->isVisible());
    w.find<QAction>("actionExperts")->trigger();
    QVERIFY(w.find<ExpertView>("expertView")->isVisible());
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    const auto* const dock = w.find<BlockDock>("blockDockContent");
    const auto* const layers = w.find<QTableWidget>("expertLayers");
    const PassView* const pass = dock->replay().model().passAt(dock->replay().block(), dock->replay().frame());
    QVERIFY(pass != nullptr && !pass->layers.isEmpty());
    QTRY_COMPARE(layers->rowCount(), static_cast<int>(pass->layers.size()));
    for (int i = 0; i < layers->rowCount(); ++i)
        QTRY_COMPARE(layers->item(i, 1)->text(), QString::number(pass->layers[i].distinctExperts));
    w.screenshot(QStringLiteral("experts"));
    w.window->setPalette(theme::darkPalette());
    w.screenshot(QStringLiteral("experts-dark"));
}

QTEST_MAIN(ExpertViewTest)
#include "expert_view_test.moc"
