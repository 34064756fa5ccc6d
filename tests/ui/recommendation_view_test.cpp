// What the Model dialog says of the cards of a machine, and making another form of a model, in the window.
#include "tests/support/checkpoint_maker.h"
#include "tests/support/window_fixture.h"
#include "ui/models/form_making.h"
#include "ui/models/machine_section.h"
#include "ui/models/model_dialog.h"
#include "ui/models/open_model_page.h"
#include "ui/theme/style.h"
#include "ui/theme/theme.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSlider>
#include <QTemporaryDir>
#include <QtTest>

using namespace trefoil;
using trefoil::test::CheckpointMaker;
using trefoil::testing::demoModelFolder;
using trefoil::testing::WindowFixture;

namespace {

FormAdvice advice(ModelForm form, FormPlacement placement, qint32 experts, double ms) {
    FormAdvice out;
    out.form = form;
    out.asIs = form == ModelForm::BFloat16;
    out.canMake = !out.asIs;
    out.fileBytes = 20'900'000'000;
    out.placement = placement;
    out.expertsOnCard = experts;
    out.needsLimit = placement == FormPlacement::ExpertsInMainMemory;
    out.cardBytes = 23'400'000'000;
    out.mainMemoryBytes = placement == FormPlacement::AllOnCard ? 0 : 33'300'000'000;
    out.passMs = ms;
    out.tokensPerSecond = 3556 / ms;
    if (placement == FormPlacement::DoesNotFit)
        out.problem = QStringLiteral("64.5 GB of main memory are needed, 24.8 GB are free");
    return out;
}

/// A machine with one card of 24 GiB.
ModelExaminationView machine(bool measured) {
    ModelExaminationView model;
    model.folder = QStringLiteral("/models/clover");
    model.name = QStringLiteral("clover");
    model.modelContext = model.plannedContext = 32768;
    model.format = QStringLiteral("BF16");
    CardAdvice card;
    card.id = QStringLiteral("cuda:0");
    card.name = QStringLiteral("A card of 24 GB");
    card.memoryTotal = 25'769'803'776;
    card.available = 24'500'000'000;
    card.readPerSecond = measured ? 938e9 : 900e9;
    card.busPerSecond = 25e9;
    card.readMeasured = measured;
    card.busMeasured = measured;
    card.forms = {advice(ModelForm::BFloat16, FormPlacement::DoesNotFit, 70, 0),
                  advice(ModelForm::Fp8, FormPlacement::ExpertsInMainMemory, 150, 187.4),
                  advice(ModelForm::Int4By32, FormPlacement::AllOnCard, 256, 9.3),
                  advice(ModelForm::Int4By128, FormPlacement::AllOnCard, 256, 8.8)};
    card.recommended = 2;
    model.recommendation.cards = {card};
    model.recommendation.experts = 256;
    model.recommendation.expertsPerPass = 66;
    model.recommendation.tokensPerPass = 4;
    model.recommendation.latencyMs = 2;
    return model;
}

QString words(const QWidget& page) {
    QStringList all;
    for (const QLabel* label : page.findChildren<QLabel*>()) all.append(label->text());
    return all.join(QLatin1Char('\n'));
}

void shoot(QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QTest::qWait(60);
    widget.grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

QString copyOfDemo(const QTemporaryDir& scratch, const QString& name) {
    const QString folder = scratch.filePath(name);
    QDir().mkpath(folder);
    CheckpointMaker(demoModelFolder().toStdString()).writeSingle(folder.toStdString());
    return folder;
}

class RecommendationViewTest : public QObject {
    Q_OBJECT
private slots:
    void saysWhatFitsAndWhatIsEstimated();
    void saysThatThereIsNoCard();
    void theSliderSetsALimitForTheNextLoad();
    void asksForAFolderAndShowsHowFarItIs();
    void makesAFormThatAnswers();
    void stopsAndGoesOn();
    void overwritesNothing();
    void measuringWithoutACardSaysSo();
    void looksRight();
};

void RecommendationViewTest::saysWhatFitsAndWhatIsEstimated() {
    const ModelExaminationView model = machine(false);
    const MachineSection section(model.recommendation, {}, false, true);
    const QString text = words(section);
    for (const char* part :
         {"For this machine", "cuda:0, A card of 24 GB: a model may take 24.5 GB of 25.8 GB", "900 GB/s (assumed)",
          "BF16, as it is", "does not fit: 64.5 GB of main memory", "150 of 256 experts of each layer on the card",
          "33.3 GB of main memory", "4 bits, groups of 32 — recommended", "fits entirely: 23.4 GB",
          "about 9.3 ms a pass, 382 tokens/s (estimate)", "Speeds are estimates", "The coreset saves reading, not memory",
          "Choose a number under “Memory on the card” to load it so."})
        QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text + QStringLiteral("\nlacks ") + QString::fromUtf8(part)));
    QCOMPARE(text.count(QStringLiteral("recommended")), 1);
    QVERIFY(section.findChild<QWidget*>(QStringLiteral("formLine_cuda:0_2"))->property("recommended").toBool());
    QVERIFY(!section.findChild<QWidget*>(QStringLiteral("formLine_cuda:0_1"))->property("recommended").toBool());
    QVERIFY(section.findChild<QAbstractButton*>(QStringLiteral("makeForm_cuda:0_0")) == nullptr);  // the folder is that already
    QVERIFY(section.findChild<QAbstractButton*>(QStringLiteral("makeForm_cuda:0_1")) != nullptr);
    QVERIFY(words(MachineSection(machine(true).recommendation, {}, true, true)).contains(QStringLiteral("938 GB/s (measured)")));
    // With a limit the hint is not needed; while something is made nothing else can be.
    const MachineSection limited(model.recommendation, {}, true, false);
    QVERIFY(!words(limited).contains(QStringLiteral("Choose a number")));
    QVERIFY(!limited.findChild<QAbstractButton*>(QStringLiteral("makeForm_cuda:0_1"))->isEnabled());
}

void RecommendationViewTest::saysThatThereIsNoCard() {
    const MachineSection section({}, QStringLiteral("the driver is missing"), false, true);
    QVERIFY(words(section).contains(QStringLiteral("There is no graphics card that Trefoil can use (the driver is missing)")));
    QVERIFY(section.findChild<QAbstractButton*>(QStringLiteral("measureCards")) == nullptr);
}

void RecommendationViewTest::theSliderSetsALimitForTheNextLoad() {
    OpenModelPage page;
    page.setGpuMemory(0);
    page.examine(machine(false).folder);
    page.setExamination(machine(false));
    auto* slider = page.findChild<QSlider*>(QStringLiteral("gpuMemory"));
    auto* text = page.findChild<QLabel*>(QStringLiteral("gpuMemoryText"));
    QVERIFY(slider->isEnabled());
    QCOMPARE(slider->maximum(), 25);  // 24 GiB and, at the right end, automatic
    QCOMPARE(slider->value(), 25);
    QCOMPARE(text->text(), QStringLiteral("Automatic"));
    QVERIFY(slider->toolTip().contains(QStringLiteral("The coreset saves reading, not memory")));
    QSignalSpy chosen(&page, &OpenModelPage::gpuMemoryChosen);
    QSignalSpy examined(&page, &OpenModelPage::examineRequested);
    slider->setFocus();
    for (int i = 0; i < 9; ++i) QTest::keyClick(slider, Qt::Key_Left);
    QCOMPARE(text->text(), QStringLiteral("16 GiB"));
    QTRY_COMPARE(chosen.count(), 1);  // gathered
    QCOMPARE(chosen[0][0].toInt(), 16);
    QCOMPARE(examined.last()[0].value<ModelLoadRequest>().gpuMemory, 16);
    QTest::keyClick(slider, Qt::Key_End);
    QTRY_COMPARE(chosen.count(), 2);
    QCOMPARE(chosen[1][0].toInt(), 0);
    QCOMPARE(text->text(), QStringLiteral("Automatic"));
    // What was set holds for a machine whose card cannot be seen now.
    page.setGpuMemory(12);
    ModelExaminationView none = machine(false);
    none.recommendation.cards.clear();
    page.setExamination(none);
    QVERIFY(!slider->isEnabled());
    QCOMPARE(text->text(), QStringLiteral("12 GiB"));
    page.refresh();
    QCOMPARE(examined.last()[0].value<ModelLoadRequest>().gpuMemory, 12);
}

void RecommendationViewTest::asksForAFolderAndShowsHowFarItIs() {
    FormMaking making;
    const QTemporaryDir scratch;
    QSignalSpy started(&making, &FormMaking::startRequested);
    QSignalSpy stopped(&making, &FormMaking::stopRequested);
    QSignalSpy opened(&making, &FormMaking::openRequested);
    QVERIFY(making.isHidden());
    making.ask(QStringLiteral("/models/clover"), ModelForm::Fp8, scratch.filePath(QStringLiteral("clover-FP8")), 35'000'000'000);
    making.show();
    QVERIFY(making.caption().contains(QStringLiteral("clover in the form FP8, about 35.0 GB")));
    auto* path = making.findChild<QLineEdit*>(QStringLiteral("makingFolder"));
    auto* start = making.findChild<QAbstractButton*>(QStringLiteral("makingStart"));
    auto* hint = making.findChild<QLabel*>(QStringLiteral("makingHint"));
    QVERIFY(hint->text().contains(QStringLiteral("Nothing is overwritten")));
    path->setText(QStringLiteral("clover"));
    QVERIFY(!start->isEnabled());
    QDir(scratch.path()).mkdir(QStringLiteral("half"));
    QFile half(scratch.filePath(QStringLiteral("half/model-00001-of-00002.safetensors")));
    QVERIFY(half.open(QIODevice::WriteOnly));
    path->setText(scratch.filePath(QStringLiteral("half")));
    QVERIFY(hint->text().contains(QStringLiteral("gone on with")));
    QTest::mouseClick(start, Qt::LeftButton);
    QCOMPARE(started.count(), 1);
    QCOMPARE(started[0][2].toString(), path->text());
    making.begin(path->text());
    making.setProgress(12'300'000'000, 35'000'000'000);
    QCOMPARE(making.caption(), QStringLiteral("Making half…  12.3 of 35.0 GB"));
    QTest::mouseClick(making.findChild<QAbstractButton*>(QStringLiteral("makingStop")), Qt::LeftButton);
    QCOMPARE(stopped.count(), 1);
    making.setProgress(12'400'000'000, 35'000'000'000);
    QCOMPARE(making.caption(), QStringLiteral("Stopping…"));
    MadeForm made;
    made.folder = path->text();
    made.stopped = true;
    making.setFinished(made);
    QVERIFY(making.caption().contains(QStringLiteral("was stopped")));
    auto* open = making.findChild<QAbstractButton*>(QStringLiteral("makingOpen"));
    QVERIFY(!open->isVisible());
    made = {path->text(), true, false, 35'100'000'000, {}, QStringLiteral("16 matrices keep their type")};
    making.setFinished(made);
    QCOMPARE(making.caption(), QStringLiteral("half is ready, 35.1 GB. 16 matrices keep their type"));
    QTest::mouseClick(open, Qt::LeftButton);
    QCOMPARE(opened.count(), 1);
    QVERIFY(making.isHidden());
}

void RecommendationViewTest::makesAFormThatAnswers() {
    const QTemporaryDir scratch;
    WindowFixture w(scratch.path());
    QVERIFY(w.ready());
    const QString model = copyOfDemo(scratch, QStringLiteral("demo"));
    emit w.find<QMenu>("menuRecentModels")->aboutToShow();
    w.window->findChild<QAction*>(QStringLiteral("actionManageModels"))->trigger();
    auto* page = w.window->findChild<OpenModelPage*>();
    page->examine(model);
    QTRY_VERIFY(w.find<QAbstractButton>("loadModel")->isEnabled());
    const QString out = FormMaker::proposedFolder(model, ModelForm::Int4By32);
    QCOMPARE(out, model + QStringLiteral("-int4-g32"));
    page->making()->ask(model, ModelForm::Int4By32, out, 11'000'000);
    QSignalSpy finished(w.maker.get(), &FormMaker::finished);
    QTest::mouseClick(w.find<QAbstractButton>("makingStart"), Qt::LeftButton);
    QVERIFY(w.maker->isRunning());
    QVERIFY(page->making()->isMaking());
    QVERIFY(!w.maker->start(model, ModelForm::Fp8, scratch.filePath(QStringLiteral("other"))));  // one at a time
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    QVERIFY2(finished[0][0].value<MadeForm>().made, qPrintable(finished[0][0].value<MadeForm>().problem));
    QVERIFY(!w.maker->isRunning());
    QVERIFY(page->making()->caption().contains(QStringLiteral("demo-int4-g32 is ready")));
    QTest::mouseClick(w.find<QAbstractButton>("makingOpen"), Qt::LeftButton);
    QCOMPARE(page->folder(), out);
    auto* load = w.find<QAbstractButton>("loadModel");
    QTRY_VERIFY(load->isEnabled());
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    QTest::mouseClick(load, Qt::LeftButton);
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(w.chat->model()->folder, out);
    w.ask(QStringLiteral("What is 347 + 586?"));
    QVERIFY(w.waitForAnswer());
    QVERIFY(w.lastMessage().content.contains(QLatin1String("933")));
    // The next one gets a name of its own.
    QCOMPARE(FormMaker::proposedFolder(model, ModelForm::Int4By32), out + QStringLiteral("-2"));
}

void RecommendationViewTest::stopsAndGoesOn() {
    const QTemporaryDir scratch;
    const QString out = scratch.filePath(QStringLiteral("out"));
    FormMaker maker;
    QSignalSpy finished(&maker, &FormMaker::finished);
    QVERIFY(maker.start(demoModelFolder(), ModelForm::Fp8, out));
    maker.stop();
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    const auto first = finished[0][0].value<MadeForm>();
    QVERIFY(first.stopped && !first.made);
    QVERIFY(!QFile::exists(out + QStringLiteral("/config.json")));
    QVERIFY(!maker.isRunning());
    QVERIFY(maker.start(demoModelFolder(), ModelForm::Fp8, out));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 2, 60000);
    QVERIFY(finished[1][0].value<MadeForm>().made);
    QVERIFY(QFile::exists(out + QStringLiteral("/config.json")));
    QVERIFY(!FormMaker::isUnfinished(out));
}

void RecommendationViewTest::overwritesNothing() {
    const QTemporaryDir scratch;
    QFile letter(scratch.filePath(QStringLiteral("letter.txt")));
    QVERIFY(letter.open(QIODevice::WriteOnly));
    letter.write("dear");
    letter.close();
    FormMaker maker;
    QSignalSpy finished(&maker, &FormMaker::finished);
    QVERIFY(!maker.start(demoModelFolder(), ModelForm::BFloat16, scratch.filePath(QStringLiteral("x"))));
    QVERIFY(maker.start(demoModelFolder(), ModelForm::Fp8, scratch.path()));
    QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, 60000);
    const auto refused = finished[0][0].value<MadeForm>();
    QVERIFY(!refused.made && !refused.stopped);
    QVERIFY2(refused.problem.contains(QStringLiteral("nothing is overwritten")), qPrintable(refused.problem));
    QCOMPARE(QDir(scratch.path()).entryList(QDir::Files), QStringList{QStringLiteral("letter.txt")});
}

void RecommendationViewTest::measuringWithoutACardSaysSo() {
    const QTemporaryDir scratch;
    WindowFixture w(scratch.path());
    QVERIFY(w.ready());
    if (!QFile::exists(QStringLiteral("/dev/nvidiactl"))) {
        QSignalSpy measured(w.chat.get(), &ChatController::cardsMeasured);
        w.chat->measureCards();
        QTRY_COMPARE(measured.count(), 1);
        QCOMPARE(measured[0][0].toInt(), 0);
    }
    OpenModelPage page;
    page.examine(machine(false).folder);
    page.setExamination(machine(false));
    page.setMeasuring(true);
    QVERIFY(words(page).contains(QStringLiteral("Measuring…")));
    QVERIFY(!page.findChild<QAbstractButton*>(QStringLiteral("measureCards"))->isEnabled());
    page.setMeasuring(false, 0);
    QVERIFY(words(page).contains(QStringLiteral("Nothing could be measured")));
}

void RecommendationViewTest::looksRight() {
    for (const bool dark : {false, true}) {
        QApplication::setPalette(dark ? theme::darkPalette() : theme::lightPalette());
        ModelDialog dialog;
        dialog.resize(720, 860);
        dialog.showPage(ModelDialog::Page::Load);
        OpenModelPage* page = dialog.openPage();
        page->examine(machine(false).folder);
        page->setExamination(machine(dark));
        dialog.show();
        QVERIFY(QTest::qWaitForWindowExposed(&dialog));
        auto* section = dialog.findChild<MachineSection*>();
        QVERIFY(section != nullptr);
        dialog.findChild<QScrollArea*>(QStringLiteral("examination"))->verticalScrollBar()->setValue(section->y() - 10);
        const QString name = dark ? QStringLiteral("dark") : QStringLiteral("light");
        shoot(dialog, QStringLiteral("recommendation-") + name);
        // Other numbers leave the view where it is.
        const auto* bar = dialog.findChild<QScrollArea*>(QStringLiteral("examination"))->verticalScrollBar();
        const int at = bar->value();
        QVERIFY(at > 0);
        page->setExamination(machine(dark));
        QTRY_COMPARE(bar->value(), at);
        section = page->findChild<MachineSection*>();
        // No text is cut off.
        for (const QLabel* label : section->findChildren<QLabel*>())
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
        page->making()->begin(QStringLiteral("/models/clover-int4-g32"));
        page->making()->setProgress(12'300'000'000, 20'900'000'000);
        shoot(dialog, QStringLiteral("recommendation-making-") + name);
        page->making()->setFinished({QStringLiteral("/models/clover-int4-g32"), true, false, 20'900'000'000, {}, {}});
        shoot(dialog, QStringLiteral("recommendation-made-") + name);
        page->making()->ask(QStringLiteral("/models/clover"), ModelForm::Fp8, QStringLiteral("/models/clover-FP8"),
                            35'000'000'000);
        shoot(dialog, QStringLiteral("recommendation-ask-") + name);
    }
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    RecommendationViewTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "recommendation_view_test.moc"
