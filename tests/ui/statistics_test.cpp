// Statistics: figures from what answers keep, their page, the chart, CSV; and from a real history.
#include "app/core/statistics.h"
#include "app/core/conversation_store.h"
#include "ui/statistics/figure_chart.h"
#include "ui/statistics/statistics_dialog.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QtTest>

namespace {

using namespace trefoil;

AnswerFigures answer(const QString& model, qint64 tokens, qint64 passes, qint64 ms = 0) {
    AnswerFigures a;
    a.model = model;
    a.createdUtc = QDateTime::fromMSecsSinceEpoch(1'780'000'000'000 + ms, Qt::UTC);
    a.decoding = QStringLiteral("low_confidence");
    a.stopReason = EndReason::End;
    a.stats.responseTokens = tokens;
    a.stats.passes = passes;
    a.stats.blocks = (tokens + 31) / 32;
    a.stats.prefillMs = 12.5;
    a.stats.passMs = 20.0 * static_cast<double>(passes);
    a.stats.decodeMs = 25.0 * static_cast<double>(passes);
    return a;
}

class StatisticsTest : public QObject {
    Q_OBJECT

private:
    static QString cell(const StatisticsDialog& dialog, int row, int column) {
        return dialog.findChild<QTableWidget*>(QStringLiteral("statisticsTable"))->item(row, column)->text();
    }

private slots:
    void ratesAreKeptApart();
    void whatIsNotKnownIsLeftOut();
    void csvHasAFullStopEverywhere();
    void thePageShowsTheChosenModel();
    void theHistoryTellsThem();
    void looksRight();
};

void StatisticsTest::ratesAreKeptApart() {
    AnswerFigures a = answer(QStringLiteral("m"), 64, 16);
    QCOMPARE(figureOf(a, Figure::TokensPerPass), 4.0);
    QCOMPARE(figureOf(a, Figure::PassesPerBlock), 8.0);
    QCOMPARE(figureOf(a, Figure::PassTime), 20.0);
    QCOMPARE(figureOf(a, Figure::InPassRate), 200.0);
    QCOMPARE(figureOf(a, Figure::WallRate), 160.0);
    QCOMPARE(figureOf(a, Figure::PrefillTime), 12.5);
    // What was taken over from another version cost nothing here.
    a.stats.keptTokens = 32;
    QCOMPARE(figureOf(a, Figure::TokensPerPass), 2.0);
}

void StatisticsTest::whatIsNotKnownIsLeftOut() {
    AnswerFigures a = answer(QStringLiteral("m"), 64, 16);
    QVERIFY(!figureOf(a, Figure::FirstBlockTime));
    a.stats.passMs = 0;
    QVERIFY(!figureOf(a, Figure::PassTime));
    QVERIFY(!figureOf(a, Figure::InPassRate));
    QCOMPARE(summarise({a}, Figure::InPassRate).answers, 0);
    const QList<AnswerFigures> list{answer(QStringLiteral("m"), 10, 10), answer(QStringLiteral("m"), 40, 10),
                                    answer(QStringLiteral("m"), 20, 10), answer(QStringLiteral("m"), 30, 10)};
    const FigureSummary s = summarise(list, Figure::TokensPerPass);
    QCOMPARE(s.answers, 4);
    QCOMPARE(s.least, 1.0);
    QCOMPARE(s.median, 2.5);
    QCOMPARE(s.most, 4.0);
}

void StatisticsTest::csvHasAFullStopEverywhere() {
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    const QByteArray csv = figuresToCsv({answer(QStringLiteral("a \"b\", c"), 48, 32)});
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    const QList<QByteArray> lines = csv.split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines.at(1).count(','), lines.at(0).count(',') + 1);  // one comma is the model's
    QVERIFY(lines.at(1).contains("\"a \"\"b\"\", c\",\"low_confidence\",end,0,0,48,0,32,2,1.5,16,20,75,60,12.5,\r"));
}

void StatisticsTest::thePageShowsTheChosenModel() {
    StatisticsDialog dialog;
    auto* models = dialog.findChild<QComboBox*>(QStringLiteral("statisticsModel"));
    auto* chart = dialog.findChild<FigureChart*>(QStringLiteral("figureChart"));
    QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("statisticsExport"))->isEnabled());
    dialog.setFigures({answer(QStringLiteral("one"), 64, 16, 1), answer(QStringLiteral("two"), 32, 32, 2),
                       answer(QStringLiteral("one"), 96, 16, 3)});
    QCOMPARE(models->count(), 2);
    QCOMPARE(dialog.model(), QStringLiteral("one"));  // answered last
    QCOMPARE(cell(dialog, 0, 3), QStringLiteral("5"));
    QCOMPARE(chart->count(), 2);
    QCOMPARE(chart->axisEnd(), 10.0);
    chart->resize(400, 200);
    QCOMPARE(chart->valueAt(chart->pointOf(1)), 1);
    QCOMPARE(chart->valueAt({0, 0}), -1);
    models->setFocus();
    QTest::keyClick(models, Qt::Key_Down);
    QCOMPARE(dialog.model(), QStringLiteral("two"));
    QCOMPARE(chart->count(), 1);
    // It stays chosen when new figures come; a row of the table is charted.
    dialog.setFigures({answer(QStringLiteral("two"), 32, 32, 2), answer(QStringLiteral("one"), 96, 16, 3)});
    QCOMPARE(dialog.model(), QStringLiteral("two"));
    dialog.findChild<QTableWidget*>(QStringLiteral("statisticsTable"))->setCurrentCell(6, 0);
    QCOMPARE(chart->count(), 0);
    QCOMPARE(cell(dialog, 6, 3), QStringLiteral("–"));
    QVERIFY(dialog.csv().contains("\"two\"") && !dialog.csv().contains("\"one\""));
}

void StatisticsTest::theHistoryTellsThem() {
    ConversationStore store;
    QVERIFY(store.openTemporary().ok());
    ConversationRecord c;
    c.id = QStringLiteral("c");
    c.createdUtc = c.updatedUtc = QDateTime::currentDateTimeUtc();
    QVERIFY(store.apply(CreateConversation{c}).ok());
    for (int i = 0; i < 3; ++i) {
        MessageRecord m;
        m.id = QString::number(i);
        m.conversationId = c.id;
        m.role = QStringLiteral("assistant");
        m.model = QStringLiteral("demo");
        m.createdUtc = c.createdUtc.addMSecs(i);
        m.settings = {{QStringLiteral("decoding"), QStringLiteral("autoregressive")}};
        m.stats = answer(QStringLiteral("demo"), 32, i).stats;  // the first one has no passes: it was refused
        m.stats.firstBlockMs = 99.5;
        QVERIFY(store.apply(AppendMessage{m}).ok());
    }
    const StoreResult<QList<AnswerFigures>> figures = store.figures(10);
    QVERIFY(figures.ok());
    QCOMPARE(figures.value.size(), 2);
    QCOMPARE(figures.value.first().stats.passes, 1);
    QCOMPARE(figures.value.first().decoding, QStringLiteral("autoregressive"));
    QCOMPARE(figureOf(figures.value.last(), Figure::FirstBlockTime), 99.5);
    QVERIFY(store.apply(DeleteConversation{c.id, c.createdUtc}).ok());
    QCOMPARE(store.figures(10).value.size(), 0);
}

void StatisticsTest::looksRight() {
    QList<AnswerFigures> figures;
    for (int i = 0; i < 80; ++i) figures.append(answer(QStringLiteral("demo-model"), 50 + (i * 37) % 90, 10 + (i * 13) % 12, i));
    StatisticsDialog dialog;
    dialog.setFigures(figures);
    dialog.show();
    const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
    const auto picture = [&](const QString& name) {
        QTest::qWait(30);
        if (!folder.isEmpty()) dialog.grab().save(folder + QLatin1Char('/') + name);
    };
    const QPalette before = QApplication::palette();
    QApplication::setPalette(theme::lightPalette());
    picture(QStringLiteral("statistics-light.png"));
    const QImage light = dialog.grab().toImage();
    QApplication::setPalette(theme::darkPalette());
    picture(QStringLiteral("statistics-dark.png"));
    QVERIFY(dialog.grab().toImage() != light);
    QApplication::setPalette(before);
    auto* chart = dialog.findChild<FigureChart*>(QStringLiteral("figureChart"));
    QVERIFY(chart->isVisible() && chart->height() >= chart->minimumSizeHint().height());
    QVERIFY(chart->accessibleDescription().contains(QStringLiteral("80 values")));
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    StatisticsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "statistics_test.moc"
