// Traces as files: JSON and CSV read back, and an animated WebP whose frames are those of the replay.
#include "app/core/trace_export.h"
#include "tests/ui/block_traces.h"
#include "ui/blocks/block_dock.h"
#include "ui/theme/theme.h"
#include "ui/traces/block_film.h"
#include "ui/traces/trace_menu.h"

#include <webp/demux.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMainWindow>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <memory>

using namespace trefoil;

class TraceExportTest : public QObject {
    Q_OBJECT
private slots:
    void jsonHasEveryPass();
    void csvHasALineForEachRow();
    void theFilmIsTheReplay();
    void noBlockNoFilm();
    void theMenuWrites();
};

void TraceExportTest::jsonHasEveryPass() {
    TraceView trace = test::madeTrace(2);
    trace.passes[0].changed.insert(QStringLiteral("threshold"), 0.5);
    trace.passes[1].layers = {{17, 12, 0.5F, 31, 4096}, {8, 0, 0.0F, -1, 0}};
    trace.passes[1].weightBytes = 69'300'000'000;
    QJsonParseError error;
    const QJsonObject root = QJsonDocument::fromJson(traceJson(trace), &error).object();
    QCOMPARE(error.error, QJsonParseError::NoError);
    QCOMPARE(root.value(QLatin1String("format")).toString(), QStringLiteral("trefoil-trace"));
    const QJsonArray passes = root.value(QLatin1String("passes")).toArray();
    QCOMPARE(passes.size(), trace.passes.size());
    for (qsizetype i = 0; i < passes.size(); ++i) {
        const QJsonObject pass = passes[i].toObject();
        QCOMPARE(pass.value(QLatin1String("block")).toInt(), trace.passes[i].block);
        QCOMPARE(pass.value(QLatin1String("tokens")).toArray().size(), trace.passes[i].tokens.size());
        QCOMPARE(pass.value(QLatin1String("rows")).toArray().first().toObject().value(QLatin1String("top")).toArray().size(),
                 trace.passes[i].rows.first().top.size());
    }
    QCOMPARE(passes[0].toObject().value(QLatin1String("changed")).toObject().value(QLatin1String("threshold")).toDouble(), 0.5);
    const QJsonObject second = passes[1].toObject();
    QCOMPARE(second.value(QLatin1String("weight_bytes")).toInteger(), 69'300'000'000);
    const QJsonArray layers = second.value(QLatin1String("layers")).toArray();
    QCOMPARE(layers[0].toObject().value(QLatin1String("coreset_size")).toInt(), 12);
    QVERIFY(!layers[1].toObject().contains(QLatin1String("coreset_size")));
}

void TraceExportTest::csvHasALineForEachRow() {
    TraceView trace = test::madeTrace(1, 4);
    trace.passes[0].texts[0] = QStringLiteral("say \"a,b\"");
    const QByteArray csv = traceCsv(trace);
    const QList<QByteArray> lines = csv.split('\n');
    QCOMPARE(lines.size(), 1 + 4 + 1);  // headings, rows, the end
    QCOMPARE(lines[0].count(','), 11);
    QVERIFY2(lines[1].startsWith("1,denoise,1,1,1,"), lines[1].constData());
    QVERIFY(lines[1].contains("\"say \"\"a,b\"\"\""));
    QVERIFY(lines[4].startsWith("1,denoise,1,4,4,"));
}

void TraceExportTest::theFilmIsTheReplay() {
    const TraceView trace = test::madeTrace(2);
    const QList<FilmFrame> film = blockFilm(trace, 1, theme::lightPalette(), QFont());
    QCOMPARE(film.size(), 4);  // masked, and three passes
    QVERIFY(film[0].image != film[1].image);
    QString problem;
    const QByteArray file = animatedWebp(film, &problem);
    QVERIFY2(!file.isEmpty(), qPrintable(problem));
    const WebPData data{reinterpret_cast<const uint8_t*>(file.constData()), static_cast<size_t>(file.size())};
    const std::unique_ptr<WebPAnimDecoder, void (*)(WebPAnimDecoder*)> decoder(WebPAnimDecoderNew(&data, nullptr),
                                                                               WebPAnimDecoderDelete);
    QVERIFY(decoder);
    WebPAnimInfo info;
    QVERIFY(WebPAnimDecoderGetInfo(decoder.get(), &info) != 0);
    QCOMPARE(info.frame_count, 4U);
    QCOMPARE(info.loop_count, 0U);
    for (const int end : {500, 1000, 1500, 3500}) {
        uint8_t* pixels = nullptr;
        int time = 0;
        QVERIFY(WebPAnimDecoderGetNext(decoder.get(), &pixels, &time) != 0);
        QCOMPARE(time, end);
        const QImage read(pixels, static_cast<int>(info.canvas_width), static_cast<int>(info.canvas_height),
                          QImage::Format_RGBA8888);
        QImage made = film[end > 1500 ? 3 : end / 500 - 1].image.convertToFormat(QImage::Format_RGB32);
        made.setDevicePixelRatio(1.0);
        QCOMPARE(read.convertToFormat(QImage::Format_RGB32), made);
    }
    const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
    if (!folder.isEmpty()) QVERIFY(film.last().image.save(folder + QStringLiteral("/film-last.png")));
}

void TraceExportTest::noBlockNoFilm() {
    QVERIFY(blockFilm(test::madeTrace(1), 1, theme::lightPalette(), QFont()).isEmpty());
    QString problem;
    QVERIFY(animatedWebp({}, &problem).isEmpty());
    QVERIFY(!problem.isEmpty());
}

void TraceExportTest::theMenuWrites() {
    const QTemporaryDir folder;
    QMainWindow window;
    BlockDock dock;
    QString told;
    auto* const menu = new TraceMenu(&dock, window.menuBar()->addMenu(QStringLiteral("File")), &window,
                                     [&told](const QString& text) { told = text; });
    dock.setTrace(test::madeTrace(2));
    QSignalSpy written(menu, &TraceMenu::written);
    for (const auto& [form, name] : {std::pair(TraceMenu::Form::Json, "t.json"), std::pair(TraceMenu::Form::Csv, "t.csv"),
                                     std::pair(TraceMenu::Form::Webp, "t.webp")}) {
        const QString path = folder.filePath(QLatin1String(name));
        menu->exportTo(form, path);
        QVERIFY(written.wait());
        QCOMPARE(written.takeFirst().at(1).toString(), QString());
        QVERIFY(QFileInfo(path).size() > 100);
        QVERIFY(told.contains(QLatin1String(name)));
    }
    menu->exportTo(TraceMenu::Form::Csv, folder.filePath(QStringLiteral("no/such/folder.csv")));
    QVERIFY(written.wait());
    QVERIFY(told.contains(QLatin1String("could not be written")));
}

QTEST_MAIN(TraceExportTest)
#include "trace_export_test.moc"
