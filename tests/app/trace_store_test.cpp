// Packed traces: exact round trip, and no byte of damage that does more than give a problem.
#include "app/core/trace_store.h"
#include "tests/app/store_samples.h"

#include <zstd.h>

#include <QFile>
#include <QTest>

#include <cmath>

using namespace trefoil;

class TraceStoreTest : public QObject {
    Q_OBJECT
private slots:
    void roundTrip();
    void firstFormatIsStillRead();
    void emptyTrace();
    void manyRowsStaySmall();
    void cutAnywhereIsAProblem();
    void changedAnywhereNeverCrashes();
    void lyingSizesAreRefused();
    void damagedPieceKeepsTheEarlierPasses();
};

void TraceStoreTest::roundTrip() {
    TraceView trace = samples::trace(5);
    trace.passes[0].milliseconds = 1e300;
    trace.passes[1].rows.clear();
    trace.passes[3].changed = {{QStringLiteral("threshold"), 0.4},
                               {QStringLiteral("decoding"), QStringLiteral("autoregressive")}};
    trace.passes[4].type = PassType::Edit;
    trace.passes[4].choice = {QStringLiteral("self_speculative"), ModeChoiceView::Reason::Retrial, 120.5, 90.25, 1.0 / 3.0};
    trace.passes[4].weightBytes = 69'300'000'000;
    trace.passes[4].layers = {{17, 12, 0.91F, 31, 3'145'728}, {8, 0, 0.0F, -1, 0}};
    trace.passes[2].firstPosition = -(qint64{1} << 40);
    const auto pieces = packTrace(trace);
    QCOMPARE(pieces.size(), 1);
    const auto read = unpackTraces(pieces);
    QVERIFY2(read.ok(), qPrintable(read.problem.text()));
    QCOMPARE(read.value, trace);
}

void TraceStoreTest::firstFormatIsStillRead() {
    // Written by a version that knew format 1.
    QFile file(QStringLiteral(TREFOIL_SOURCE_DIR "/tests/fuzz/corpus/trace_blob/packed"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray piece = file.readAll();
    QCOMPARE(piece.at(4), '\x01');
    const StoreResult<TraceView> read = unpackTrace(piece);
    QVERIFY2(read.ok(), qPrintable(read.problem.text()));
    QCOMPARE(read.value.maskId, 4);
    QCOMPARE(read.value.blockSize, 2);
    QCOMPARE(read.value.threshold, 0.95);
    QVERIFY(!read.value.passes.isEmpty());
    QVERIFY(!read.value.passes.first().texts.isEmpty());
    QVERIFY(read.value.passes.first().changed.isEmpty() && read.value.passes.first().layers.isEmpty());
    // Stored again, it is of the format of today.
    const auto again = packTrace(read.value);
    QCOMPARE(again.first().at(4), '\x02');
    QCOMPARE(unpackTraces(again).value, read.value);
}

void TraceStoreTest::emptyTrace() {
    QCOMPARE(unpackTraces(packTrace(TraceView())).value, TraceView());
    QVERIFY(unpackTraces({}).ok());
    QCOMPARE(unpackTrace({}).problem.kind, StoreProblemKind::Damaged);
}

void TraceStoreTest::manyRowsStaySmall() {
    // 200 blocks of 32 rows with five alternatives, as a long answer has them.
    TraceView trace;
    qsizetype rows = 0;
    for (int block = 0; block < 200; ++block) {
        PassView pass;
        pass.block = block;
        for (int row = 0; row < 32; ++row, ++rows) {
            RowView view;
            for (int k = 0; k < 5; ++k) {
                const int token = (block * 31 + row * 7 + k * 13) % 5000;
                view.top.append({token, 1.0F / static_cast<float>(k + 2), QStringLiteral(" word%1").arg(token)});
            }
            view.choice = view.top.first();
            pass.rows.append(view);
        }
        trace.passes.append(pass);
    }
    const auto pieces = packTrace(trace);
    QCOMPARE(unpackTraces(pieces).value, trace);
    QVERIFY(pieces.first().size() < rows * 40);
}

void TraceStoreTest::cutAnywhereIsAProblem() {
    const QByteArray packed = packTrace(samples::trace(3)).first();
    for (qsizetype size = 0; size < packed.size(); ++size) {
        QCOMPARE(unpackTrace(packed.left(size)).problem.kind, StoreProblemKind::Damaged);
    }
    QCOMPARE(unpackTrace(packed + 'x').problem.kind, StoreProblemKind::Damaged);
}

namespace {

/// A piece around any contents, as the format has it.
QByteArray pieceAround(const QByteArray& bytes) {
    QByteArray frame(static_cast<qsizetype>(ZSTD_compressBound(static_cast<size_t>(bytes.size()))), Qt::Uninitialized);
    frame.truncate(static_cast<qsizetype>(
        ZSTD_compress(frame.data(), static_cast<size_t>(frame.size()), bytes.constData(), static_cast<size_t>(bytes.size()), 1)));
    QByteArray piece("TRPS\x02", 5);
    for (int i = 0; i < 4; ++i) piece.append(static_cast<char>((bytes.size() >> (8 * i)) & 0xFF));
    return piece + frame;
}

QByteArray contentsOf(const QByteArray& piece) {
    const char* frame = piece.constData() + 9;
    const auto frameSize = static_cast<size_t>(piece.size() - 9);
    QByteArray bytes(static_cast<qsizetype>(ZSTD_getFrameContentSize(frame, frameSize)), Qt::Uninitialized);
    ZSTD_decompress(bytes.data(), static_cast<size_t>(bytes.size()), frame, frameSize);
    return bytes;
}

}  // namespace

void TraceStoreTest::changedAnywhereNeverCrashes() {
    // Inside the compression, where no checksum helps: every byte set to values that are counts, indexes, signs.
    const QByteArray good = contentsOf(packTrace(samples::trace(2)).first());
    QCOMPARE(unpackTrace(pieceAround(good)).value, samples::trace(2));
    int refused = 0;
    for (qsizetype i = 0; i < good.size(); ++i) {
        for (const char value : {'\x00', '\x01', '\x7f', '\x80', '\xff'}) {
            QByteArray changed = good;
            changed[i] = value;
            if (!unpackTrace(pieceAround(changed)).ok()) ++refused;
        }
    }
    QVERIFY(refused > good.size() / 4);
    for (qsizetype size = 1; size < good.size(); ++size) QVERIFY(!unpackTrace(pieceAround(good.left(size))).ok());
}

void TraceStoreTest::lyingSizesAreRefused() {
    QByteArray packed = packTrace(samples::trace(1)).first();
    QByteArray larger = packed;
    larger[5] = static_cast<char>(larger[5] + 1);
    QVERIFY(!unpackTrace(larger).ok());
    // A small frame that unpacks to 100 MB.
    const QByteArray bomb = pieceAround(QByteArray(100 * 1024 * 1024, '\0'));
    QVERIFY(bomb.size() < 100'000);
    QVERIFY(!unpackTrace(bomb).ok());
    QByteArray unknownFormat = packed;
    unknownFormat[4] = 3;
    QVERIFY(!unpackTrace(unknownFormat).ok());
}

void TraceStoreTest::damagedPieceKeepsTheEarlierPasses() {
    const QByteArray first = packTrace(samples::trace(2, 0)).first();
    QByteArray second = packTrace(samples::trace(2, 1)).first();
    second.truncate(second.size() / 2);
    const auto read = unpackTraces({first, second});
    QCOMPARE(read.problem.kind, StoreProblemKind::Damaged);
    QVERIFY(!read.problem.message.isEmpty());
    QCOMPARE(read.value, samples::trace(2, 0));
}

QTEST_GUILESS_MAIN(TraceStoreTest)
#include "trace_store_test.moc"
