// The states of cells after each pass, blocks and frames, and the texts that cells show.
#include "ui/blocks/block_model.h"
#include "block_traces.h"
#include "ui/blocks/block_replay.h"
#include "ui/blocks/piece_text.h"

#include <QFont>
#include <QLocale>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>
#include <limits>

using namespace trefoil;
using namespace trefoil::test;

namespace {

QList<CellState> states(const QList<CellView>& cells) {
    QList<CellState> list;
    for (const CellView& cell : cells) list.append(cell.state);
    return list;
}

PassView tokenPass(qint64 position, qint32 blockSize, qint32 token) {
    PassView pass;
    pass.type = PassType::Token;
    pass.block = static_cast<qint32>(position / blockSize);
    pass.step = static_cast<qint32>(position % blockSize);
    pass.firstPosition = position;
    pass.tokens = {token};
    pass.texts = {tokenText(token)};
    pass.rows = {rowOf(token, 0.7F)};
    pass.resolved = {0};
    pass.droppedFrom = token == kEnd ? 0 : -1;
    return pass;
}

}  // namespace

class BlockModelTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void beforeTheFirstPassAllIsMasked() {
        BlockModel model;
        model.setTrace(madeTrace(1));
        const QList<CellView> cells = model.cells(0, 0);
        QCOMPARE(cells.size(), 8);
        for (const CellView& cell : cells) {
            QCOMPARE(cell.state, CellState::Masked);
            QCOMPARE(cell.token, -1);
        }
        QCOMPARE(model.frame(0, 0).resolved, 0);
        QCOMPARE(model.frame(0, 0).cells, 8);
    }

    void statesFollowThePasses() {
        using enum CellState;
        BlockModel model;
        model.begin(kMask, 4, 0.95);
        BlockWriter writer(0, 4);
        model.append(writer.pass({1}, 0.4F, {1}));
        model.append(writer.pass({3}, 0.6F));
        model.append(writer.pass({0, 2}, 0.99F));
        QCOMPARE(states(model.cells(0, 1)), (QList<CellState>{Candidate, ResolvedNow, Candidate, Candidate}));
        QCOMPARE(states(model.cells(0, 2)), (QList<CellState>{Candidate, ResolvedEarlier, Candidate, Forced}));
        QCOMPARE(states(model.cells(0, 3)), (QList<CellState>{ResolvedNow, ResolvedEarlier, ResolvedNow, Forced}));

        const QList<CellView> last = model.cells(0, 3);
        QCOMPARE(last[1].resolvedPass, 0);
        QCOMPARE(last[3].resolvedPass, 1);
        QVERIFY(last[3].forced && !last[3].now);
        QVERIFY(model.cells(0, 2)[3].now);
        // The decision's own numbers are kept, not those of later passes.
        QCOMPARE(static_cast<float>(last[3].confidence), 0.6F);
        QCOMPARE(last[3].top.size(), 5);
        QCOMPARE(last[3].top.first().probability, 0.6F);

        const FrameSummary frame = model.frame(0, 2);
        QCOMPARE(frame.frames, 3);
        QCOMPARE(frame.resolved, 2);
        QCOMPARE(frame.resolvedNow, 1);
        QCOMPARE(model.block(0), (BlockSummary{3, 1, 4, PassType::Denoise}));
    }

    void confidenceEqualToTheThresholdIsForced() {
        BlockModel model;
        model.begin(kMask, 2, 0.95);
        BlockWriter writer(0, 2);
        model.append(writer.pass({0}, 0.95F));
        QCOMPARE(model.cells(0, 1)[0].state, CellState::Forced);
        model.append(writer.pass({1}, 0.9500001F));
        QCOMPARE(model.cells(0, 2)[1].state, CellState::ResolvedNow);
    }

    void rowsAfterTheEndAreDropped() {
        using enum CellState;
        BlockModel model;
        model.begin(kMask, 4, 0.95);
        BlockWriter writer(0, 4);
        PassView pass = writer.pass({0, 1, 3}, 0.99F);
        pass.tokens[1] = kEnd;
        pass.droppedFrom = 1;
        model.append(pass);
        QCOMPARE(states(model.cells(0, 1)), (QList<CellState>{ResolvedNow, Dropped, Dropped, Dropped}));
        QVERIFY(!model.cells(0, 1)[1].refused);
        QCOMPARE(model.frame(0, 1).resolved, 1);
        QCOMPARE(model.frame(0, 1).dropped, 3);
        QCOMPARE(model.block(0).resolved, 1);
    }

    void promptRowsLeadTheBlock() {
        BlockModel model;
        model.begin(kMask, 4, 0.95);
        BlockWriter writer(0, 4, 2);
        model.append(writer.pass({2}, 0.99F));
        const QList<CellView> start = model.cells(0, 0);
        QCOMPARE(start[0].state, CellState::Prompt);
        QCOMPARE(start[1].token, 51);
        QCOMPARE(start[0].position, -2);
        QCOMPARE(start[2].position, 0);
        QCOMPARE(start[2].state, CellState::Masked);
        QCOMPARE(model.frame(0, 1).cells, 2);
        QCOMPARE(model.frame(0, 1).resolved, 1);
        QCOMPARE(model.cells(0, 1)[1].state, CellState::Prompt);
    }

    void draftThenCheck() {
        using enum CellState;
        BlockModel model;
        model.begin(kMask, 4, 0.95);
        PassView draft;
        draft.type = PassType::Draft;
        draft.firstPosition = 7;
        draft.tokens = {20, 21, 22, 23};
        for (const qint32 token : draft.tokens) {
            draft.texts.append(tokenText(token));
            draft.rows.append(rowOf(token, 0.5F));
        }
        draft.resolved = {1, 2, 3};
        PassView check;
        check.type = PassType::Verify;
        check.step = 1;
        check.firstPosition = 7;
        check.tokens = {20, 21};
        check.texts = {tokenText(20), tokenText(21)};
        check.accepted = 2;
        model.append(draft);
        QCOMPARE(states(model.cells(0, 1)), (QList<CellState>{Candidate, Candidate, Candidate, Candidate}));
        QCOMPARE(model.frame(0, 1).resolved, 0);
        QVERIFY(model.cells(0, 1)[0].causal);
        QVERIFY(!model.cells(0, 1)[1].thresholded);
        model.append(check);
        QCOMPARE(states(model.cells(0, 2)), (QList<CellState>{ResolvedNow, ResolvedNow, Dropped, Dropped}));
        QVERIFY(model.cells(0, 2)[2].refused);
        QCOMPARE(model.cells(0, 2)[1].resolvedPass, 1);
        QCOMPARE(model.cells(0, 2)[3].position, 10);
        QCOMPARE(model.cells(0, 2)[3].text, tokenText(23));
        QCOMPARE(model.block(0), (BlockSummary{2, 0, 2, PassType::Draft}));
    }

    void changesByHandAreNoPasses() {
        using enum CellState;
        BlockModel model;
        model.begin(kMask, 3, 0.95);
        BlockWriter writer(0, 3);
        PassView pass = writer.pass({0}, 0.99F);
        model.append(pass);
        PassView edit = pass;
        edit.type = PassType::Edit;
        edit.rows.clear();
        edit.tokens = {kMask, 41, kMask};
        edit.texts = {QString(), tokenText(41), QString()};
        edit.resolved = {1};
        model.append(edit);
        QCOMPARE(states(model.cells(0, 2)), (QList<CellState>{Masked, ResolvedNow, Candidate}));
        QVERIFY(model.cells(0, 2)[1].byHand);
        QCOMPARE(model.cells(0, 2)[1].resolvedPass, 0);
        pass.step = 1;
        pass.tokens = {100, 41, 102};
        pass.texts = {tokenText(100), tokenText(41), tokenText(102)};
        pass.resolved = {0, 2};
        model.append(pass);
        QCOMPARE(model.cells(0, 3)[0].resolvedPass, 1);
        QCOMPARE(model.cells(0, 3)[1].token, 41);
        QCOMPARE(model.frameCount(0), 3);
        QCOMPARE(model.frame(0, 3).pass, 2);
        QCOMPARE(model.frame(0, 2).passes, 2);
        QCOMPARE(model.block(0).passes, 2);
    }

    void singleTokensFillBlocks() {
        BlockModel model;
        model.begin(kMask, 4, 0.95);
        for (qint64 n = 0; n < 6; ++n) model.append(tokenPass(n, 4, n == 5 ? kEnd : 30 + static_cast<qint32>(n)));
        QCOMPARE(model.blockCount(), 2);
        QCOMPARE(model.frameCount(0), 4);
        const QList<CellView> third = model.cells(0, 3);
        QCOMPARE(third[1].state, CellState::ResolvedEarlier);
        QCOMPARE(third[2].state, CellState::ResolvedNow);
        QCOMPARE(third[2].text, tokenText(32));
        QCOMPARE(third[3].state, CellState::Masked);
        const QList<CellView> end = model.cells(1, 2);
        QCOMPARE(end[0].position, 4);
        QCOMPARE(end[0].state, CellState::ResolvedEarlier);
        QCOMPARE(end[1].state, CellState::Dropped);
        QCOMPARE(model.block(1).resolved, 1);
        // No threshold applies, so nothing was forced.
        QCOMPARE(model.block(0).forced, 0);
    }

    void appendingAndReadingBackAgree() {
        // The newest state is kept while passes come in; it must equal the one that is computed from the start.
        const TraceView trace = madeTrace(4);
        BlockModel live;
        live.begin(trace.maskId, trace.blockSize, trace.threshold);
        for (const PassView& pass : trace.passes) {
            live.append(pass);
            BlockModel again;
            TraceView part = trace;
            part.passes = live.trace().passes;
            part.passes.append(BlockWriter(99).pass({0}, 0.99F));  // makes another block the newest
            again.setTrace(part);
            const qint32 block = live.blockCount() - 1;
            QCOMPARE(live.cells(block, live.frameCount(block)), again.cells(block, live.frameCount(block)));
        }
    }

    void damagedPassesAreReadAsFarAsTheyGo() {
        BlockModel model;
        model.begin(kMask, 8, 0.95);
        PassView pass = BlockWriter(0).pass({0}, 0.99F);
        pass.block = std::numeric_limits<qint32>::max();
        pass.resolved = {-1, 0, 8, 1 << 30};
        pass.texts.clear();
        pass.rows.resize(3);
        pass.promptRows = -5;
        pass.droppedFrom = 1 << 30;
        model.append(pass);
        PassView token = tokenPass(0, 8, 5);
        token.block = -7;
        token.step = std::numeric_limits<qint32>::max();
        model.append(token);
        PassView check;
        check.type = PassType::Verify;
        check.block = 3;
        check.accepted = 1 << 30;
        model.append(check);
        QCOMPARE(model.blockCount(), 3);
        QCOMPARE(model.cells(0, 1)[0].state, CellState::ResolvedNow);
        QCOMPARE(model.cells(0, 1)[5].state, CellState::Masked);
        QCOMPARE(model.cells(1, 1).size(), BlockModel::kMaxRows);
        QCOMPARE(model.cells(2, 1).size(), 8);
        QVERIFY(model.cells(3, 0).isEmpty());
        QVERIFY(model.cells(-1, 0).isEmpty());
        QCOMPARE(model.frameCount(17), 0);
    }

    void goldenTracesGiveTheirResponses() {
        const QList<GoldenCase> cases = goldenCases(QStringLiteral(TREFOIL_GOLDEN_TRACES));
        QVERIFY(cases.size() >= 17);
        bool aligned = false;
        bool drafted = false;
        for (const GoldenCase& golden : cases) {
            BlockModel model;
            model.setTrace(golden.trace);
            QList<qint32> kept;
            qint32 forced = 0;
            for (qint32 block = 0; block < model.blockCount(); ++block) {
                const QList<CellView> cells = model.cells(block, model.frameCount(block));
                for (const CellView& cell : cells) {
                    QVERIFY2(cell.state != CellState::Masked && cell.state != CellState::Candidate,
                             qUtf8Printable(golden.question));
                    if (cell.state == CellState::Prompt || cell.state == CellState::Dropped) continue;
                    QCOMPARE(cell.position, kept.size());
                    kept.append(cell.token);
                    if (cell.forced) {
                        ++forced;
                        QVERIFY(cell.confidence <= golden.trace.threshold);
                    }
                }
            }
            QCOMPARE(kept, golden.response);
            aligned = aligned || golden.promptRows > 0;
            drafted = drafted || golden.decoding == QLatin1String("self_speculative");
        }
        QVERIFY(aligned && drafted);
    }

    void oneGoldenPassIsABlockOfItsOwn() {
        const QList<GoldenCase> cases = goldenCases(QStringLiteral(TREFOIL_GOLDEN_TRACES));
        const auto found = std::find_if(cases.cbegin(), cases.cend(),
                                        [](const GoldenCase& c) { return c.question == QLatin1String("What is my name?"); });
        QVERIFY(found != cases.cend());
        BlockModel model;
        model.setTrace(found->trace);
        QCOMPARE(model.blockCount(), 1);
        QCOMPARE(model.frameCount(0), 1);
        QCOMPARE(model.frame(0, 1).resolved, 17);
        QCOMPARE(model.cells(0, 1)[0].state, CellState::ResolvedNow);
    }

    void replayWalksThroughAllBlocks() {
        BlockReplay replay;
        replay.setTrace(madeTrace(2));
        QCOMPARE(replay.block(), 0);
        QCOMPARE(replay.frame(), 1);
        replay.showFrame(0);
        QVERIFY(!replay.canStepBack());
        QList<std::pair<qint32, qint32>> seen{{replay.block(), replay.frame()}};
        while (replay.canStepForward()) {
            replay.stepForward();
            seen.append({replay.block(), replay.frame()});
        }
        const QList<std::pair<qint32, qint32>> wanted{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {1, 3}};
        QCOMPARE(seen, wanted);
        QList<std::pair<qint32, qint32>> back{{replay.block(), replay.frame()}};
        while (replay.canStepBack()) {
            replay.stepBack();
            back.prepend({replay.block(), replay.frame()});
        }
        QCOMPARE(back, wanted);
    }

    void playingGoesOnToTheNextBlockAndStops() {
        BlockReplay replay;
        replay.setSpeed(1000.0);
        QCOMPARE(replay.speed(), 8.0);
        replay.setTrace(madeTrace(2));
        QList<std::pair<qint32, qint32>> seen;
        connect(&replay, &BlockReplay::changed, this, [&] {
            const std::pair<qint32, qint32> now{replay.block(), replay.frame()};
            if (seen.isEmpty() || seen.last() != now) seen.append(now);
        });
        replay.play();
        QVERIFY(replay.isPlaying());
        QTRY_VERIFY(!replay.isPlaying());
        QCOMPARE(seen, (QList<std::pair<qint32, qint32>>{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, {1, 3}}));
        replay.play();
        QCOMPARE(replay.block(), 1);
        QCOMPARE(replay.frame(), 0);
        replay.pause();
        QVERIFY(!replay.isPlaying());
    }

    void liveFollowsUntilThePersonChooses() {
        BlockReplay replay;
        const TraceView trace = madeTrace(4);
        replay.beginLive(trace.maskId, trace.blockSize, trace.threshold);
        QCOMPARE(replay.block(), -1);
        QSignalSpy pending(&replay, &BlockReplay::passesPending);
        replay.addPass(trace.passes[0]);
        replay.addPass(trace.passes[1]);
        QCOMPARE(pending.count(), 2);
        replay.catchUp();
        QCOMPARE(replay.block(), 1);
        replay.showBlock(0);
        QVERIFY(!replay.isFollowing());
        for (qsizetype i = 2; i < trace.passes.size(); ++i) replay.addPass(trace.passes[i]);
        replay.catchUp();
        QCOMPARE(replay.block(), 0);
        replay.follow();
        QVERIFY(replay.isFollowing());
        QCOMPARE(replay.block(), 3);
        QCOMPARE(replay.frame(), 3);
        replay.showBlock(0);
        replay.showBlock(3);  // the newest: follows again
        QVERIFY(replay.isFollowing());
        replay.endLive();
        QVERIFY(!replay.isLive());
        QCOMPARE(replay.block(), 3);
        // The saved trace of the same response does not move the display, another one does.
        replay.setTrace(trace);
        QCOMPARE(replay.block(), 3);
        replay.setTrace(madeTrace(3));
        QCOMPARE(replay.block(), 0);
        replay.addPass(trace.passes[0]);  // not live: ignored
        QCOMPARE(replay.model().blockCount(), 3);
    }

    void piecesAreVisible_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("shown");
        QTest::newRow("empty") << QString() << QStringLiteral("#7");
        QTest::newRow("leading space") << QStringLiteral(" blue") << QStringLiteral("␣blue");
        QTest::newRow("only space") << QStringLiteral("  ") << QStringLiteral("␣␣");
        QTest::newRow("inner space") << QStringLiteral("a b ") << QStringLiteral("a b␣");
        QTest::newRow("line end") << QStringLiteral(".\n") << QStringLiteral(".↵");
        QTest::newRow("tab") << QStringLiteral("\t") << QStringLiteral("⇥");
        QTest::newRow("byte line end") << QStringLiteral("<0x0A>") << QStringLiteral("↵");
        QTest::newRow("byte") << QStringLiteral("<0xE6>") << QStringLiteral("<0xE6>");
        QTest::newRow("zero width") << QStringLiteral("\u200b") << QStringLiteral("U+200B");
        QTest::newRow("no-break space") << QStringLiteral("\u00a0") << QStringLiteral("U+00A0");
        QTest::newRow("control") << QString(QChar(7)) << QStringLiteral("U+0007");
        QTest::newRow("lone mark") << QStringLiteral("\u0301") << QStringLiteral("\u25cc\u0301");
        QTest::newRow("mark on a letter") << QStringLiteral("e\u0301") << QStringLiteral("e\u0301");
        QTest::newRow("joined emoji") << QStringLiteral("👩\u200d💻") << QStringLiteral("👩\u200d💻");
        QTest::newRow("private use") << QStringLiteral("\ue000") << QStringLiteral("U+E000");
        QTest::newRow("CJK") << QStringLiteral("水") << QStringLiteral("水");
    }
    void piecesAreVisible() {
        QFETCH(QString, text);
        QFETCH(QString, shown);
        QCOMPARE(visiblePiece(text, 7), shown);
        QVERIFY(!drawablePiece(text, 7, QFont()).trimmed().isEmpty());
    }

    void signsWithoutGlyphAreTheirCodePoints() {
        // No font has a glyph for a noncharacter-like historic script's last letters here, or it has: then the sign itself is
        // fine.
        const QString drawn = drawablePiece(QStringLiteral("\U0001E8C0"), 7, QFont());
        QVERIFY(drawn == QStringLiteral("\U0001E8C0") || drawn == QStringLiteral("U+1E8C0"));
        QCOMPARE(codePoints(QStringLiteral("a 水")), QStringLiteral("U+0061 U+0020 U+6C34"));
        QCOMPARE(codePoints(QStringLiteral("aaaa"), 2), QStringLiteral("U+0061 U+0061 …"));
    }

    void probabilitiesAreNeverRoundedUp() {
        QCOMPARE(probabilityText(1.0), QStringLiteral("1.00"));
        QCOMPARE(probabilityText(0.99999), QStringLiteral("0.999"));
        QCOMPARE(probabilityText(0.9499), QStringLiteral("0.94"));
        QCOMPARE(probabilityText(static_cast<double>(0.29F)), QStringLiteral("0.29"));
        QCOMPARE(probabilityText(0.003), QStringLiteral("<0.01"));
        QCOMPARE(probabilityText(-1.0), QStringLiteral("0.00"));
    }
};

QTEST_MAIN(BlockModelTest)
#include "block_model_test.moc"
