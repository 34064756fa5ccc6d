// What is shown of model and machine: load progress, status bar, model dialog, prompt view.
#include "ui/models/compatibility_page.h"
#include "ui/models/load_progress.h"
#include "ui/models/model_dialog.h"
#include "ui/models/number_text.h"
#include "ui/models/prompt_view_dialog.h"
#include "ui/models/status_bar.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <QTextBlock>
#include <QToolButton>

using namespace trefoil;

namespace {

ModelSummary demoModel() {
    ModelSummary model;
    model.folder = QStringLiteral("/home/someone/models/demo-model");
    model.name = QStringLiteral("demo & model");
    model.device = QStringLiteral("cpu");
    model.deviceId = QStringLiteral("cpu");
    model.tokenizer = QStringLiteral("SentencePiece, 4096 pieces");
    model.parameters = 14'100'000;
    model.weightBytes = 28'200'000;
    model.expertBytes = 20'100'000;
    model.keyValueBytes = 8'400'000;
    model.stateBytes = 300'000;
    model.workspaceBytes = 1'200'000;
    model.context = 8192;
    model.maskId = 4;
    model.eosIds = {3, 1};
    model.thinkEndId = 6;
    model.defaults = {{QStringLiteral("align_blocks"), false}, {QStringLiteral("threshold"), 0.95}};
    model.notes = {QStringLiteral("rope_theta is assumed"), QStringLiteral("<b>stray.safetensors</b> is not used")};
    model.dimensions = {{QStringLiteral("Layers"), QStringLiteral("8")}};
    return model;
}

PromptView shortPrompt() {
    PromptView prompt;
    prompt.tokens = 6;
    prompt.context = 8192;
    prompt.pieces = {{QStringLiteral("<|im_start|>"), {1}, true},
                     {QStringLiteral("user\nWhat does <|im_end|> do?"), {500, 501, 502}, false},
                     {QStringLiteral("<|im_end|>"), {3}, true},
                     {QStringLiteral("\n"), {17}, false}};
    return prompt;
}

/// Everything that a page says: labels and read-only fields.
QString words(const QWidget& page) {
    QStringList all;
    for (const QLabel* label : page.findChildren<QLabel*>()) all.append(label->text());
    for (const QPlainTextEdit* field : page.findChildren<QPlainTextEdit*>()) all.append(field->toPlainText());
    return all.join(QLatin1Char('\n'));
}

}  // namespace

class ModelViewsTest : public QObject {
    Q_OBJECT

private slots:
    void numbers() {
        QCOMPARE(bytesText(0), QStringLiteral("0 bytes"));
        QCOMPARE(bytesText(999), QStringLiteral("999 bytes"));
        QCOMPARE(bytesText(1000), QStringLiteral("1.0 kB"));
        QCOMPARE(bytesText(69'300'000'000), QStringLiteral("69.3 GB"));
        QCOMPARE(bytesText(123'456'789), QStringLiteral("123 MB"));
        QCOMPARE(bytesOfText(300'000'000, 69'300'000'000), QStringLiteral("0.3 of 69.3 GB"));
        QCOMPARE(largeCountText(34'660'000'000), QStringLiteral("34.66 G"));
        QCOMPARE(largeCountText(999'999), QStringLiteral("999,999"));
        QCOMPARE(durationText(0), QStringLiteral("0 s"));
        QCOMPARE(durationText(26'001), QStringLiteral("27 s"));
        QCOMPARE(durationText(200'000), QStringLiteral("3 min 20 s"));
        QCOMPARE(durationText(3'900'000), QStringLiteral("1 h 5 min"));
    }

    void loadProgressTellsRateAndTimeLeft() {
        LoadProgress progress;
        progress.begin(QStringLiteral("Clover"), 69'300'000'000);
        QVERIFY(progress.isVisible());
        QCOMPARE(progress.caption(), QStringLiteral("Loading Clover…  0.0 of 69.3 GB"));
        progress.setProgress(12'300'000'000, 69'300'000'000, 5857);
        QCOMPARE(progress.caption(), QStringLiteral("Loading Clover…  12.3 of 69.3 GB · 2.1 GB/s · 28 s left"));
        // The rate follows the last seconds: it doubles.
        for (int i = 1; i <= 10; ++i)
            progress.setProgress(12'300'000'000 + quint64(i) * 2'000'000'000, 69'300'000'000, 5857 + i * 500);
        QVERIFY(progress.caption().contains(QStringLiteral("4.0 GB/s")));
        const auto* bar = progress.findChild<QProgressBar*>(QStringLiteral("loadBar"));
        QCOMPARE(bar->value(), int(32.3 / 69.3 * bar->maximum()));
        progress.finish();
        QVERIFY(!progress.isVisible());
    }

    void loadProgressWithoutNumbers() {
        LoadProgress progress;
        progress.begin(QStringLiteral("x"));
        const auto* bar = progress.findChild<QProgressBar*>(QStringLiteral("loadBar"));
        QCOMPARE(bar->maximum(), 0);
        QCOMPARE(progress.caption(), QStringLiteral("Loading x…"));
        // No rate from a standstill, none from the first moments, no more than everything.
        progress.setProgress(0, 1000, 0);
        progress.setProgress(500, 1000, 100);
        QVERIFY(!progress.caption().contains(QLatin1Char('/')));
        progress.setProgress(500, 1000, 60'000);
        progress.setProgress(500, 1000, 120'000);
        progress.setProgress(500, 1000, 180'000);
        QVERIFY(!progress.caption().contains(QStringLiteral("left")));
        progress.setProgress(5000, 1000, 200'000);
        QVERIFY(progress.caption().contains(QStringLiteral("1.0 of 1.0 kB")));
    }

    void loadCanBeCancelledOnce() {
        LoadProgress progress;
        QSignalSpy cancelled(&progress, &LoadProgress::cancelRequested);
        progress.begin(QStringLiteral("x"), 1000);
        auto* button = progress.findChild<QPushButton*>(QStringLiteral("loadCancel"));
        QTest::mouseClick(button, Qt::LeftButton);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(cancelled.count(), 1);
        const QString waiting = progress.caption();
        progress.setProgress(500, 1000, 1000);
        QCOMPARE(progress.caption(), waiting);
        progress.finish();
        progress.begin(QStringLiteral("y"), 1000);
        QVERIFY(button->isEnabled());
        QVERIFY(progress.caption().contains(QLatin1Char('y')));
    }

    void statusBarShowsModelAndSpeed() {
        StatusBar bar;
        QSignalSpy clicked(&bar, &StatusBar::modelClicked);
        bar.resize(900, 30);
        bar.show();
        auto* model = bar.findChild<QToolButton*>(QStringLiteral("statusModel"));
        auto* speed = bar.findChild<QLabel*>(QStringLiteral("statusTokensPerSecond"));
        QVERIFY(!model->isEnabled());
        QVERIFY(!speed->isVisible());
        bar.setModel(demoModel());
        QCOMPARE(model->text(), QStringLiteral("demo && model"));
        QCOMPARE(bar.findChild<QLabel*>(QStringLiteral("statusDevice"))->text(), QStringLiteral("cpu"));
        GenerationStats stats;
        stats.responseTokens = 120;
        stats.passes = 9;
        stats.decodeMs = 400;
        stats.passMs = 297;
        bar.setStats(stats);
        QCOMPARE(speed->text(), QStringLiteral("300.0 tokens/s"));
        QCOMPARE(bar.findChild<QLabel*>(QStringLiteral("statusTokensPerPass"))->text(), QStringLiteral("13.3 tokens/pass"));
        QCOMPARE(bar.findChild<QLabel*>(QStringLiteral("statusPassTime"))->text(), QStringLiteral("33.0 ms/pass"));
        const auto passTip = [&] { return bar.findChild<QLabel*>(QStringLiteral("statusPassTime"))->toolTip(); };
        QVERIFY(!passTip().contains(QLatin1Char('\n')));
        // Where experts lie in main memory, what that cost stands below.
        stats.usedExperts = 4000;
        stats.missedExperts = 500;
        stats.hostBytes = 900000000;
        stats.stallMs = 1500;
        bar.setStats(stats);
        QVERIFY2(passTip().endsWith(
                     QStringLiteral("\n87.5% of the experts were on the GPU; 0.9 GB came from main memory, which took 1.5 s")),
                 qPrintable(passTip()));
        // Autoregressive decoding counts no passes; nothing is divided by zero.
        stats.passes = 0;
        bar.setStats(stats);
        QVERIFY(speed->isVisible());
        QVERIFY(!bar.findChild<QLabel*>(QStringLiteral("statusTokensPerPass"))->isVisible());
        bar.clearStats();
        QVERIFY(!speed->isVisible());
        bar.setActivity(QStringLiteral("Block 3, pass 2"));
        QCOMPARE(bar.findChild<QLabel*>(QStringLiteral("statusActivity"))->text(), QStringLiteral("Block 3, pass 2"));
        QTest::mouseClick(model, Qt::LeftButton);
        QCOMPARE(clicked.count(), 1);
        bar.clearModel();
        QVERIFY(!model->isEnabled());
    }

    void modelDialogTellsEverything() {
        ModelDialog dialog;
        const QList<DeviceSummary> devices{
            {QStringLiteral("cpu"), QStringLiteral("Some CPU"), true, {}, 8'000'000'000, 5'000'000'000},
            {QStringLiteral("cuda:0"), QStringLiteral("Some GPU"), false, QStringLiteral("the driver is too old"), 0, 0}};
        dialog.setModel(demoModel(), devices);
        dialog.show();
        const QString text = words(dialog);
        for (const char* expected :
             {"/home/someone/models/demo-model", "demo & model", "SentencePiece, 4096 pieces", "14.1 M", "20.1 MB", "8.1 MB",
              "all of them stay in memory", "8.4 MB", "38.1 MB", "8,192 tokens", "3, 1", "rope_theta is assumed",
              "<b>stray.safetensors</b>", "threshold", "0.95", "Some GPU", "the driver is too old", "5.0 GB free of 8.0 GB"})
            QVERIFY2(text.contains(QLatin1String(expected)), expected);
        for (const QLabel* label : dialog.findChildren<QLabel*>()) QCOMPARE(label->textFormat(), Qt::PlainText);
        QVERIFY(!dialog.grab().isNull());
    }

    void modelDialogTellsWhatEachOfSeveralGpusHasFree() {
        ModelSummary model = demoModel();
        model.deviceId = QStringLiteral("cuda:0,cuda:2");
        ModelDialog dialog;
        QList<DeviceSummary> devices{{QStringLiteral("cpu"), QStringLiteral("Some CPU"), true, {}, 8'000'000'000, 5'000'000'000}};
        for (int i = 0; i < 3; ++i)
            devices.append({QStringLiteral("cuda:%1").arg(i),
                            QStringLiteral("GPU"),
                            true,
                            {},
                            24'000'000'000,
                            quint64(i + 1) * 1'000'000'000});
        dialog.setModel(model, devices);
        dialog.show();
        const QString text = words(dialog);
        for (const char* label : {"On cuda:0", "On cuda:2"}) QVERIFY2(text.contains(QLatin1String(label)), label);
        QVERIFY(!text.contains(QStringLiteral("On cuda:1")));
        QVERIFY(!text.contains(QStringLiteral("On the device")));
    }

    void compatibilitySwitches() {
        ModelSummary model = demoModel();
        model.compatibility = compatibilityValues();
        // As many as section 9 of model-contract.md lists.
        QCOMPARE(model.compatibility.size(), qsizetype(6));
        model.compatibility[0].origin = CompatibilityOrigin::Config;
        model.compatibility[1].origin = CompatibilityOrigin::User;
        model.compatibility[1].value = model.compatibility[1].choices[1];
        CompatibilityPage page;
        QSignalSpy load(&page, &CompatibilityPage::loadRequested);
        page.setModel(model);
        page.show();
        const auto origin = [&](int i) {
            return page.findChild<QLabel*>(QStringLiteral("compatibilityOrigin_") + model.compatibility[i].name)->text();
        };
        const auto box = [&](int i) {
            return page.findChild<QComboBox*>(QStringLiteral("compatibility_") + model.compatibility[i].name);
        };
        for (const CompatibilityValue& value : model.compatibility) {
            QVERIFY(words(page).contains(value.title));
            QVERIFY(words(page).contains(value.explanation));
        }
        QCOMPARE(origin(0), QStringLiteral("from config.json"));
        QCOMPARE(origin(1), QStringLiteral("set by you, remembered for this folder"));
        QCOMPARE(origin(2), QStringLiteral("default, inferred"));
        auto* loadButton = page.findChild<QPushButton*>(QStringLiteral("compatibilityLoad"));
        auto* resetButton = page.findChild<QPushButton*>(QStringLiteral("compatibilityReset"));
        QVERIFY(!loadButton->isEnabled());
        QVERIFY(resetButton->isEnabled());
        QTest::keyClick(box(3), Qt::Key_Down);
        QVERIFY(origin(3).startsWith(QStringLiteral("set by you, not loaded yet")));
        QTest::mouseClick(loadButton, Qt::LeftButton);
        QCOMPARE(load.count(), 1);
        const CompatibilityChoices expected{{model.compatibility[1].name, model.compatibility[1].choices[1]},
                                            {model.compatibility[3].name, model.compatibility[3].choices[1]}};
        QCOMPARE(load[0][0].value<CompatibilityChoices>(), expected);
        // Reset takes back what was not loaded, and loads without what was.
        QTest::mouseClick(resetButton, Qt::LeftButton);
        QCOMPARE(box(3)->currentIndex(), 0);
        QCOMPARE(load.count(), 2);
        QVERIFY(load[1][0].value<CompatibilityChoices>().isEmpty());
        // Without a model there is nothing to switch.
        page.setModel({});
        QVERIFY(!box(3)->isEnabled() && !resetButton->isEnabled());
    }

    void modelDialogWithoutAModel() {
        ModelDialog dialog;
        QSignalSpy open(&dialog, &ModelDialog::openModelRequested);
        dialog.setModel({}, {});
        QVERIFY(words(dialog).contains(QStringLiteral("No model is loaded")));
        QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("modelDialogOpen")), Qt::LeftButton);
        QCOMPARE(open.count(), 1);
    }

    void longPathsStayInsideTheDialog() {
        ModelSummary model = demoModel();
        model.folder = QStringLiteral("/a-very-long-folder-name-without-a-blank").repeated(8);
        ModelDialog dialog;
        dialog.setModel(model, {});
        dialog.resize(460, 400);
        dialog.show();
        QCoreApplication::processEvents();
        QCOMPARE(dialog.width(), 460);
        for (const QPlainTextEdit* field : dialog.findChildren<QPlainTextEdit*>()) {
            const int right = field->mapTo(&dialog, QPoint(field->width(), 0)).x();
            QVERIFY(right <= dialog.width());
            if (field->toPlainText() == model.folder) QVERIFY(field->height() > 5 * field->fontMetrics().lineSpacing());
        }
    }

    void promptViewTellsControlPiecesFromText() {
        PromptViewDialog dialog;
        dialog.setPrompt(shortPrompt());
        dialog.show();
        const auto* text = dialog.findChild<QPlainTextEdit*>(QStringLiteral("promptText"));
        QCOMPARE(text->toPlainText(), QStringLiteral("<|im_start|>user\nWhat does <|im_end|> do?<|im_end|>\n"));
        QVERIFY(
            dialog.findChild<QLabel*>(QStringLiteral("promptSummary"))->text().startsWith(QStringLiteral("6 of 8,192 tokens")));
        // Only the real control pieces are chips, not the text that spells one.
        QStringList chips;
        for (QTextBlock block = text->document()->begin(); block.isValid(); block = block.next())
            for (auto part = block.begin(); !part.atEnd(); ++part)
                if (part.fragment().charFormat().background().style() != Qt::NoBrush) chips.append(part.fragment().text());
        QCOMPARE(chips, QStringList({QStringLiteral("<|im_start|>"), QStringLiteral("<|im_end|>")}));
        QVERIFY(!dialog.grab().isNull());
    }

    void promptViewCopies() {
        PromptViewDialog dialog;
        dialog.setPrompt(shortPrompt());
        dialog.show();
        QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("copyPromptIds")), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("[1, 500, 501, 502, 3, 17]"));
        QTest::mouseClick(dialog.findChild<QPushButton*>(QStringLiteral("copyPromptText")), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("<|im_start|>user\nWhat does <|im_end|> do?<|im_end|>\n"));
        dialog.findChild<QTabWidget*>(QStringLiteral("promptTabs"))->setCurrentIndex(1);
        const QString ids = dialog.findChild<QPlainTextEdit*>(QStringLiteral("promptIds"))->toPlainText();
        for (const char* id : {"1", "500", "501", "502", "3", "17"}) QVERIFY(ids.contains(QLatin1String(id)));
        // A new prompt replaces the ids too, while they are on show.
        PromptView other = shortPrompt();
        other.pieces[1].ids = {777};
        dialog.setPrompt(other);
        QVERIFY(dialog.findChild<QPlainTextEdit*>(QStringLiteral("promptIds"))->toPlainText().contains(QStringLiteral("777")));
        QCOMPARE(dialog.idsText(), QStringLiteral("[1, 777, 3, 17]"));
    }

    void promptViewShowsItsProblem() {
        PromptViewDialog dialog;
        PromptView prompt;
        prompt.problem = QStringLiteral("No model is loaded: open one first.");
        dialog.setPrompt(prompt);
        dialog.show();
        QVERIFY(dialog.findChild<QWidget*>(QStringLiteral("noticeBar"))->isVisible());
        QVERIFY(!dialog.findChild<QPushButton*>(QStringLiteral("copyPromptIds"))->isEnabled());
        QCOMPARE(dialog.idsText(), QStringLiteral("[]"));
    }
};

int main(int argc, char** argv) {
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    QApplication app(argc, argv);
    ModelViewsTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "model_views_test.moc"
