// Colours behind the tokens of an answer: which tokens, where they stand in the text, and the way from one to the next.
#include "tests/support/window_fixture.h"
#include "tests/ui/block_traces.h"
#include "ui/blocks/block_view.h"
#include "ui/chat/message_widget.h"
#include "ui/chat/text_column.h"
#include "ui/chat/transcript_view.h"
#include "ui/heat/token_heat.h"
#include "ui/theme/theme.h"

#include <QAction>
#include <QImage>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace trefoil;
using trefoil::testing::WindowFixture;

namespace {

HeatToken token(const QString& text, double confidence, qint32 pass = 0) {
    HeatToken out;
    out.text = text;
    out.confidence = confidence;
    out.pass = pass;
    out.passes = 3;
    return out;
}

/// What of the source a stretch covers.
QStringList parts(const TextHeat& heat) {
    QStringList out;
    for (const HeatStretch& s : heat.stretches) out.append(heat.source.mid(s.from, s.length));
    return out;
}

std::set<QRgb> coloursOf(const QWidget& widget) {
    std::set<QRgb> colours;
    const QImage image = const_cast<QWidget&>(widget).grab().toImage().convertToFormat(QImage::Format_RGB32);
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x) colours.insert(image.pixel(x, y));
    return colours;
}

}  // namespace

class HeatTest : public QObject {
    Q_OBJECT
private slots:
    void shownTextFindsItsSource_data();
    void shownTextFindsItsSource();
    void tokensOfATrace();
    void tokensStandInThinkingAndAnswer();
    void bytesOfOneSignAreOneStretch();
    void theNextOneGoesAround();
    void theTextIsReadableOnEveryColour();
    void theWindowColoursAndMoves();
};

void HeatTest::shownTextFindsItsSource_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("shown");
    QTest::addColumn<QString>("found");  // the source's characters at the places
    const auto row = [](const char* name, const char* source, const char* shown, const char* found) {
        QTest::newRow(name) << QString::fromUtf8(source) << QString::fromUtf8(shown) << QString::fromUtf8(found);
    };
    row("same", "Water is wet.", "Water is wet.", "Water is wet.");
    row("emphasis", "a **bold** word", "a bold word", "a bold word");
    row("bullet", "- one\n- two", "\t•\tone\n\t•\ttwo", " one\n two");
    row("link", "see [here](https://example.org/here-it-is) there", "see here there", "see herethere");
    row("nothing", "abc", "xyz", "");
}

void HeatTest::shownTextFindsItsSource() {
    QFETCH(QString, source);
    QFETCH(QString, shown);
    QFETCH(QString, found);
    QString got;
    qsizetype last = -1;
    for (const qsizetype place : alignText(shown, source, 0)) {
        if (place < 0) continue;
        QVERIFY(place > last);
        last = place;
        got += source.at(place);
    }
    QCOMPARE(got, found);
}

void HeatTest::tokensOfATrace() {
    const TraceView trace = test::madeTrace(2);
    const QList<HeatToken> tokens = heatTokens(trace);
    QCOMPARE(tokens.size(), 16);
    QCOMPARE(tokens.first().passes, 1);
    QCOMPARE(tokens.last().passes, 3);
    QCOMPARE(std::count_if(tokens.cbegin(), tokens.cend(), [](const HeatToken& t) { return t.forced; }), 1);
    const int forced = nextToken(tokens, -1, HeatSearch::Forced);
    QVERIFY(forced >= 8);
    QCOMPARE(tokens[forced].block, 1);
}

void HeatTest::tokensStandInThinkingAndAnswer() {
    const QList<HeatToken> tokens{token(QStringLiteral(" I"), 0.9),     token(QStringLiteral(" add"), 0.19, 2),
                                  token(QStringLiteral("</think>"), 1), token(QStringLiteral("\n\n"), 1),
                                  token(QStringLiteral("**I"), 0.75),   token(QStringLiteral("t**"), 1.0, 1),
                                  token(QStringLiteral(" is"), -1.0)};
    const MessageHeat heat = heatOf(tokens, QStringLiteral("I add"), QStringLiteral("**It** is"), AnswerColour::Confidence);
    QCOMPARE(parts(heat.thinking), (QStringList{QStringLiteral("I"), QStringLiteral(" add")}));
    QCOMPARE(parts(heat.answer), (QStringList{QStringLiteral("**I"), QStringLiteral("t**"), QStringLiteral(" is")}));
    QCOMPARE(heat.answer.stretches[0].token, 4);
    QCOMPARE(heat.answer.stretches[0].heat, 0.5);
    QCOMPARE(heat.answer.stretches[1].heat, 0.0);
    QCOMPARE(heat.answer.stretches[2].heat, 0.0);  // not known
    QVERIFY(heat.thinking.stretches[1].tip.contains(QLatin1String("pass 3 of 3")));
    const MessageHeat late = heatOf(tokens, QStringLiteral("I add"), QStringLiteral("**It** is"), AnswerColour::Pass);
    QCOMPARE(late.thinking.stretches[1].heat, 1.0);
    QCOMPARE(late.answer.stretches[1].heat, 0.5);
    const MessageHeat none = heatOf(tokens, QStringLiteral("I add"), QStringLiteral("**It** is"), AnswerColour::None);
    QCOMPARE(none.answer.stretches[0].heat, 0.0);
    QVERIFY(none.answer.stretches[0].tip.isEmpty());
}

void HeatTest::bytesOfOneSignAreOneStretch() {
    const QList<HeatToken> tokens{token(QStringLiteral("<0xE6>"), 0.2), token(QStringLiteral("<0xB0>"), 0.9),
                                  token(QStringLiteral("<0xB4>"), 0.9), token(QStringLiteral("!"), 1.0)};
    const MessageHeat heat = heatOf(tokens, {}, QStringLiteral("水!"), AnswerColour::Confidence);
    QCOMPARE(parts(heat.answer), (QStringList{QStringLiteral("水"), QStringLiteral("!")}));
    QCOMPARE(heat.answer.stretches[0].token, 0);
    QCOMPARE(heat.answer.stretches[1].token, 3);
}

void HeatTest::theNextOneGoesAround() {
    QList<HeatToken> tokens{token(QStringLiteral("a"), 0.4), token(QStringLiteral("b"), 0.9), token(QStringLiteral("c"), 0.1)};
    QCOMPARE(nextToken(tokens, -1, HeatSearch::LowConfidence), 0);
    QCOMPARE(nextToken(tokens, 0, HeatSearch::LowConfidence), 2);
    QCOMPARE(nextToken(tokens, 2, HeatSearch::LowConfidence), 0);
    QCOMPARE(nextToken(tokens, 0, HeatSearch::Forced), -1);
    tokens[1].forced = true;
    QCOMPARE(nextToken(tokens, 1, HeatSearch::Forced), 1);
    QCOMPARE(nextToken({}, 3, HeatSearch::Forced), -1);
}

void HeatTest::theTextIsReadableOnEveryColour() {
    const auto luminance = [](const QColor& colour) {
        const auto part = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
        return 0.2126 * part(colour.redF()) + 0.7152 * part(colour.greenF()) + 0.0722 * part(colour.blueF());
    };
    for (const QPalette& palette : {theme::lightPalette(), theme::darkPalette()}) {
        for (const HeatTone tone : {HeatTone::Doubt, HeatTone::Late}) {
            for (const double heat : {0.0, 0.3, 0.7, 1.0}) {
                const double back = luminance(heatColour(tone, heat, palette));
                const double text = luminance(palette.color(QPalette::Text));
                QVERIFY((std::max(back, text) + 0.05) / (std::min(back, text) + 0.05) >= 4.5);
            }
        }
    }
}

void HeatTest::theWindowColoursAndMoves() {
    const QTemporaryDir folder;
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        ControlValues controls = w.chat->controls();
        controls.insert(QStringLiteral("threshold"), 1.0);  // a token a pass, each of them forced
        w.chat->setControls(controls);
        w.ask(QStringLiteral("What is 347 + 586?"));
        QVERIFY(w.waitForAnswer());
        const QString id = w.lastMessage().id;
        auto* const transcript = w.find<TranscriptView>("transcriptView");
        TextColumn* const body = transcript->messageWidget(id)->body();
        const QRgb late = heatColour(HeatTone::Late, 1.0, body->palette()).rgb();
        QTRY_VERIFY(body->height() > 0);
        QVERIFY(coloursOf(*body).count(late) == 0);

        w.find<QAction>("actionColourPass")->trigger();
        QTRY_VERIFY(body->stretchAt(QPoint(4, 8)) != nullptr);
        QVERIFY(body->stretchAt(QPoint(4, 8))->tip.contains(QLatin1String("forced below the threshold")));
        w.screenshot(QStringLiteral("heat-pass"));

        w.find<QAction>("actionNextForced")->trigger();
        auto* const view = w.find<BlockView>("blockView");
        QTRY_COMPARE(view->currentItem(), 0);
        w.find<QAction>("actionNextForced")->trigger();
        QTRY_COMPARE(view->currentItem(), 1);
        w.screenshot(QStringLiteral("heat-next"));
    }
    // Remembered.
    WindowFixture again(folder.path());
    QVERIFY(again.ready());
    QVERIFY(again.find<QAction>("actionColourPass")->isChecked());
    again.find<QAction>("actionColourConfidence")->trigger();
    ControlValues controls = again.chat->controls();
    controls.insert(QStringLiteral("threshold"), 0.0);  // every candidate is taken, sure or not
    again.chat->setControls(controls);
    again.ask(QStringLiteral("Make a multiplication table for 7, then count from 1 to 9 and spell water."));
    QVERIFY(again.waitForAnswer());
    auto* const transcript = again.find<TranscriptView>("transcriptView");
    TextColumn* const body = transcript->messageWidget(again.lastMessage().id)->body();
    QTRY_VERIFY(body->stretchAt(QPoint(4, 8)) != nullptr);
    again.screenshot(QStringLiteral("heat-confidence"));
    again.window->setPalette(theme::darkPalette());
    again.screenshot(QStringLiteral("heat-confidence-dark"));
    again.find<QAction>("actionNextLowConfidence")->trigger();
    auto* const view = again.find<BlockView>("blockView");
    QTRY_VERIFY(view->currentItem() >= 0);
    const CellView chosen = view->cells().at(view->currentItem());
    QVERIFY2(chosen.confidence >= 0.0 && chosen.confidence < kLowConfidence, qPrintable(QString::number(chosen.confidence)));
    again.find<QAction>("actionColourNone")->trigger();
    QVERIFY(body->stretchAt(QPoint(4, 8)) == nullptr);
}

QTEST_MAIN(HeatTest)
#include "heat_test.moc"
