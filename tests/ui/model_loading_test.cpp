// Models in the window: examined, loaded, cancelled, refused, remembered; the model in use stays wherever it can.
#include "tests/support/checkpoint_maker.h"
#include "tests/support/window_fixture.h"
#include "ui/chat/notice_bar.h"
#include "ui/models/model_dialog.h"
#include "ui/models/open_model_page.h"
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QtTest>

namespace {

using trefoil::ChatController;
using trefoil::LoadEnd;
using trefoil::ModelDialog;
using trefoil::NoticeBar;
using trefoil::test::CheckpointMaker;
using trefoil::testing::demoModelFolder;
using trefoil::testing::WindowFixture;

const QString kSum = QStringLiteral("What is 347 + 586?");

/// A folder of its own with the demo model as one file.
QString copyOfDemo(const QTemporaryDir& scratch, const QString& name) {
    const QString folder = scratch.filePath(name);
    QDir().mkpath(folder);
    CheckpointMaker(demoModelFolder().toStdString()).writeSingle(folder.toStdString());
    return folder;
}

QString words(const QWidget& page) {
    QStringList all;
    for (const QLabel* label : page.findChildren<QLabel*>()) all.append(label->text());
    for (const QPlainTextEdit* field : page.findChildren<QPlainTextEdit*>()) all.append(field->toPlainText());
    return all.join(QLatin1Char('\n'));
}

void shoot(const QWidget& widget, const QString& name) {
    const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QTest::qWait(60);
    const_cast<QWidget&>(widget).grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

class ModelLoadingTest : public QObject {
    Q_OBJECT

private:
    static bool stillAnswers(WindowFixture& w) {
        QTest::mouseClick(w.find<QAbstractButton>("newChatButton"), Qt::LeftButton);
        w.ask(kSum);
        return w.waitForAnswer() && w.lastMessage().content.contains(QLatin1String("933"));
    }
    static QString notice(const WindowFixture& w) {
        return w.window->findChild<NoticeBar*>(QStringLiteral("noticeBar"))->current().text;
    }
    /// Opens File, Recent models, Manage and chooses the row of `folder`.
    static bool choose(WindowFixture& w, const QString& folder) {
        auto* menu = w.find<QMenu>("menuRecentModels");
        emit menu->aboutToShow();
        w.window->findChild<QAction*>(QStringLiteral("actionManageModels"))->trigger();
        auto* list = w.find<QListWidget>("recentModels");
        for (int row = 0; row < list->count(); ++row) {
            if (list->item(row)->data(Qt::UserRole).toString() != folder) continue;
            QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(row)).center());
            return list->currentRow() == row;
        }
        return false;
    }

private slots:
    void saysWhatAFolderHoldsAndNeeds();
    void keepsTheModelInUseUntilTheNewOneIsReady();
    void unloadsFirstOnlyWhenThePersonAgreed();
    void cancelsWhileAnAnswerIsWritten();
    void remembersModels();
    void startsWithTheModelChosenForIt();
    void loadsWithOtherSwitches();
    void remembersSwitchesOfAFolder();
    void looksRight();
};

void ModelLoadingTest::saysWhatAFolderHoldsAndNeeds() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    const QString copy = copyOfDemo(folder, QStringLiteral("copy"));
    w.settings->addRecentModel(copy);
    QVERIFY(choose(w, copy));
    auto* page = w.window->findChild<trefoil::OpenModelPage*>();
    auto* load = w.find<QAbstractButton>("loadModel");
    auto* verdict = w.find<QLabel>("loadVerdict");
    QTRY_VERIFY(load->isEnabled());
    const QString text = words(*page);
    for (const char* part :
         {"every tensor is in its place", "fused experts", "SentencePiece", "8,192 tokens at most", "cpu", "free of", "needs ",
          "experts ", "other weights ", "all of them stay in memory", "fits", "demo-model stays in use until it is ready"})
        QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text + QStringLiteral("\nlacks ") + QLatin1String(part)));
    // A shorter context is planned anew.
    QSignalSpy examined(w.chat.get(), &ChatController::modelExamined);
    auto* context = w.find<QSpinBox>("loadContext");
    QCOMPARE(context->value(), 8192);
    context->setValue(512);
    QTRY_COMPARE(examined.count(), 1);
    QCOMPARE(context->value(), 512);
    QVERIFY(words(*page).contains(QLatin1String("for 512 tokens")));
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    QTest::mouseClick(load, Qt::LeftButton);
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(w.chat->model()->folder, copy);
    QCOMPARE(w.chat->model()->context, 512);
    QVERIFY(!w.window->findChild<ModelDialog*>()->isVisible());
    // A folder that is no model says why, and cannot be loaded.
    const QString empty = folder.filePath(QStringLiteral("empty"));
    QDir().mkpath(empty);
    w.settings->addRecentModel(empty);
    QVERIFY(choose(w, empty));
    QTRY_VERIFY(words(*page).contains(QLatin1String("config.json is not there")));
    QVERIFY(!load->isEnabled());
    QCOMPARE(verdict->text(), QStringLiteral("This folder cannot be loaded."));
}

void ModelLoadingTest::keepsTheModelInUseUntilTheNewOneIsReady() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    const QString copy = copyOfDemo(folder, QStringLiteral("copy"));
    trefoil::ControlValues values = w.chat->controls();
    values.insert(QStringLiteral("threshold"), 1.0);
    w.chat->setControls(values);
    QStringList events;
    connect(w.engine.get(), &trefoil::EngineWorker::loadProgress, w.window.get(),
            [&](trefoil::RequestId, quint64 done, quint64 total) {
                if (done == total && !events.contains(QLatin1String("read"))) events.append(QStringLiteral("read"));
            });
    connect(w.chat.get(), &ChatController::answerEnded, w.window.get(), [&] { events.append(QStringLiteral("answered")); });
    connect(w.chat.get(), &ChatController::modelReady, w.window.get(), [&] { events.append(QStringLiteral("ready")); });
    bool begun = false;
    connect(w.chat.get(), &ChatController::passArrived, w.window.get(), [&] {
        if (!std::exchange(begun, true)) w.window->openModel(copy);
    });
    w.ask(QStringLiteral("Count from 1 to 40."));
    QTRY_VERIFY_WITH_TIMEOUT(events.contains(QLatin1String("ready")), 60000);
    // The answer is whole: it was written by the model that was in use, while the other one was read.
    QCOMPARE(w.lastMessage().stopReason, trefoil::EndReason::End);
    QVERIFY(w.lastMessage().content.contains(QLatin1String("38, 39, 40")));
    QVERIFY(events.indexOf(QLatin1String("answered")) < events.indexOf(QLatin1String("ready")));
    QVERIFY(events.contains(QLatin1String("read")));
    QCOMPARE(w.chat->model()->folder, copy);
    QVERIFY(stillAnswers(w));
}

void ModelLoadingTest::unloadsFirstOnlyWhenThePersonAgreed() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    const QString copy = copyOfDemo(folder, QStringLiteral("copy"));
    const trefoil::ModelSummary& model = *w.chat->model();
    // Room for one of them and a half.
    w.engine->setMemoryLimit((model.weightBytes + model.stateBytes + model.workspaceBytes + model.keyValueBytes) * 3 / 2);
    QSignalSpy gone(w.chat.get(), &ChatController::modelGone);
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    w.window->openModel(copy);
    auto* load = QTest::qWaitFor([&] { return w.find<QAbstractButton>("loadModel") != nullptr; }, 20000)
                     ? w.find<QAbstractButton>("loadModel")
                     : nullptr;
    QVERIFY(load != nullptr);
    QTRY_VERIFY(load->isVisible() && load->isEnabled());
    QVERIFY(w.find<QLabel>("loadVerdict")->text().contains(QLatin1String("Load unloads demo-model first")));
    QVERIFY(words(*w.window->findChild<trefoil::OpenModelPage*>()).contains(QLatin1String("fits once demo-model is unloaded")));
    // Nothing happened yet.
    QCOMPARE(gone.count(), 0);
    QVERIFY(stillAnswers(w));
    // The folder breaks before Load is pressed: found before anything is unloaded.
    const QString weights = copy + QStringLiteral("/model.safetensors");
    const qint64 whole = QFile(weights).size();
    QVERIFY(QFile::resize(weights, whole - 1));
    QTest::mouseClick(load, Qt::LeftButton);
    QTRY_VERIFY(notice(w).contains(QLatin1String("demo-model stays loaded")));
    QCOMPARE(gone.count(), 0);
    // Mended, it is loaded: the old one goes first.
    CheckpointMaker(demoModelFolder().toStdString()).writeSingle(copy.toStdString());
    QVERIFY(choose(w, copy) || QTest::qWaitFor([&] { return load->isVisible(); }, 1000));
    w.window->openModel(copy);
    QTRY_VERIFY(load->isVisible() && load->isEnabled());
    QTest::mouseClick(load, Qt::LeftButton);
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(gone.count(), 1);
    QCOMPARE(w.chat->model()->folder, copy);
    QVERIFY(stillAnswers(w));
    // Too large even alone: refused, with nothing unloaded.
    w.engine->setMemoryLimit(1'000'000);
    w.window->openModel(demoModelFolder());
    QTRY_VERIFY(notice(w).contains(QLatin1String("of memory")));
    QCOMPARE(gone.count(), 1);
    QVERIFY(stillAnswers(w));
}

void ModelLoadingTest::cancelsWhileAnAnswerIsWritten() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    const QString copy = copyOfDemo(folder, QStringLiteral("copy"));
    QSignalSpy ended(w.chat.get(), &ChatController::loadEnded);
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    bool begun = false;
    connect(w.chat.get(), &ChatController::passArrived, w.window.get(), [&] {
        if (std::exchange(begun, true)) return;
        w.window->openModel(copy);
        QTest::mouseClick(w.find<QAbstractButton>("loadCancel"), Qt::LeftButton);
    });
    w.ask(QStringLiteral("Count from 1 to 40."));
    QVERIFY(w.waitForAnswer());
    QTRY_COMPARE(ended.count() + ready.count(), 1);
    // The answer keeps the engine's thread, so the request to stop comes before the new model could be taken.
    QCOMPARE(ended.count(), 1);
    QCOMPARE(ended[0][2].value<LoadEnd>(), LoadEnd::Cancelled);
    QVERIFY(!w.find<QWidget>("loadProgress")->isVisible());
    QCOMPARE(w.chat->model()->name, QStringLiteral("demo-model"));
    QVERIFY(stillAnswers(w));
}

void ModelLoadingTest::remembersModels() {
    const QTemporaryDir folder;
    const QString first = copyOfDemo(folder, QStringLiteral("first & only"));
    const QString second = copyOfDemo(folder, QStringLiteral("second"));
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        QVERIFY(w.settings->recentModels().isEmpty());  // the demo model has a menu entry of its own
        for (const QString& path : {first, second}) {
            QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
            w.window->openModel(path);
            QTRY_COMPARE(ready.count(), 1);
        }
        QCOMPARE(w.settings->recentModels(), QStringList({second, first}));
        QVERIFY(choose(w, first));
        auto* atStart = w.find<QCheckBox>("defaultModel");
        QTRY_VERIFY(atStart->isEnabled());
        QTest::mouseClick(atStart, Qt::LeftButton, {}, QPoint(8, atStart->height() / 2));
        QCOMPARE(w.settings->defaultModel(), first);
        QVERIFY(w.window->close());
    }
    QVERIFY(QDir(second).removeRecursively());
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QCOMPARE(w.settings->defaultModel(), first);
    auto* menu = w.find<QMenu>("menuRecentModels");
    emit menu->aboutToShow();
    QCOMPARE(menu->actions()[0]->text(), QStringLiteral("second (the folder is missing)"));
    QCOMPARE(menu->actions()[1]->text(), QStringLiteral("first && only"));
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    menu->actions()[1]->trigger();
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(w.chat->model()->folder, first);
    // The missing one is shown as such, told about, and can be removed.
    QVERIFY(choose(w, second));
    auto* list = w.find<QListWidget>("recentModels");
    QVERIFY(list->currentItem()->text().contains(QLatin1String("missing")));
    QTRY_VERIFY(words(*w.window->findChild<trefoil::OpenModelPage*>()).contains(QLatin1String("there is no folder")));
    QTest::mouseClick(w.find<QAbstractButton>("removeRecentModel"), Qt::LeftButton);
    QCOMPARE(w.settings->recentModels(), QStringList({first}));
    QCOMPARE(list->count(), 1);
    // The default can be cleared.
    QVERIFY(choose(w, first));
    auto* atStart = w.find<QCheckBox>("defaultModel");
    QTRY_VERIFY(atStart->isEnabled() && atStart->isChecked());
    QTest::mouseClick(atStart, Qt::LeftButton, {}, QPoint(8, atStart->height() / 2));
    QVERIFY(w.settings->defaultModel().isEmpty());
}

void ModelLoadingTest::startsWithTheModelChosenForIt() {
    const QTemporaryDir folder;
    const QString standard = copyOfDemo(folder, QStringLiteral("standard"));
    const QString last = copyOfDemo(folder, QStringLiteral("last"));
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    const auto started = [&](const QString& named) {
        ready.clear();
        w.window->openStartModel(named);
        return QTest::qWaitFor([&] { return ready.count() == 1; }, 20000) ? w.chat->model()->folder : QString();
    };
    QCOMPARE(started({}), demoModelFolder());
    w.settings->setLastModelFolder(last);
    QCOMPARE(started({}), last);
    w.settings->setDefaultModel(standard);
    QCOMPARE(started({}), standard);
    QCOMPARE(started(demoModelFolder()), demoModelFolder());
    QVERIFY(!notice(w).contains(QLatin1String("at every start")));
    // Without the default model the last one is loaded; the notice stays when it is there.
    QVERIFY(QDir(standard).removeRecursively());
    w.settings->setLastModelFolder(last);
    QCOMPARE(started({}), last);
    QVERIFY2(notice(w).contains(QLatin1String("at every start is not there any more: ") + standard), qPrintable(notice(w)));
    // A folder that was named is not replaced by another one.
    QSignalSpy ended(w.chat.get(), &ChatController::loadEnded);
    w.window->openStartModel(standard);
    QTRY_COMPARE(ended.count(), 1);
    QCOMPARE(w.chat->model()->folder, last);
}

void ModelLoadingTest::loadsWithOtherSwitches() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    w.window->findChild<QAction*>(QStringLiteral("actionModelDialog"))->trigger();
    auto* tabs = w.find<QTabWidget>("modelTabs");
    tabs->setCurrentIndex(static_cast<int>(ModelDialog::Page::Compatibility));
    const trefoil::CompatibilityValue first = w.chat->model()->compatibility[0];
    QCOMPARE(first.origin, trefoil::CompatibilityOrigin::Default);
    const auto box = [&] { return w.window->findChild<QComboBox*>(QStringLiteral("compatibility_") + first.name); };
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    QTest::keyClick(box(), Qt::Key_Down);
    QTest::mouseClick(w.find<QAbstractButton>("compatibilityLoad"), Qt::LeftButton);
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(w.chat->model()->compatibility[0].value, first.choices[1]);
    QCOMPARE(w.chat->model()->compatibility[0].origin, trefoil::CompatibilityOrigin::User);
    QCOMPARE(box()->currentData().toString(), first.choices[1]);
    QTest::mouseClick(w.find<QAbstractButton>("compatibilityReset"), Qt::LeftButton);
    QTRY_COMPARE(ready.count(), 2);
    QCOMPARE(w.chat->model()->compatibility[0].origin, trefoil::CompatibilityOrigin::Default);
    QVERIFY(stillAnswers(w));
}

void ModelLoadingTest::remembersSwitchesOfAFolder() {
    const QTemporaryDir folder;
    const QString copy = copyOfDemo(folder, QStringLiteral("copy"));
    const QString name = QStringLiteral("noisy_value");
    const QString choice = QStringLiteral("scaled_by_beta");
    const auto state = [&](const WindowFixture& w) {
        for (const trefoil::CompatibilityValue& value : w.chat->model()->compatibility)
            if (value.name == name) return value;
        return trefoil::CompatibilityValue();
    };
    const auto opened = [&](WindowFixture& w, const QString& path) {
        QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
        w.window->openModel(path);
        return QTest::qWaitFor([&] { return ready.count() == 1; }, 20000);
    };
    {
        WindowFixture w(folder.path());
        QVERIFY(w.ready());
        QVERIFY(opened(w, copy));
        w.window->findChild<QAction*>(QStringLiteral("actionModelDialog"))->trigger();
        w.find<QTabWidget>("modelTabs")->setCurrentIndex(static_cast<int>(ModelDialog::Page::Compatibility));
        QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
        QTest::keyClick(w.window->findChild<QComboBox*>(QStringLiteral("compatibility_") + name), Qt::Key_Down);
        QVERIFY(w.settings->compatibility(copy).isEmpty());  // nothing holds before it is loaded
        QTest::mouseClick(w.find<QAbstractButton>("compatibilityLoad"), Qt::LeftButton);
        QTRY_COMPARE(ready.count(), 1);
        QCOMPARE(state(w).value, choice);
        QVERIFY(w.window->close());
    }
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    QCOMPARE(state(w).origin, trefoil::CompatibilityOrigin::Default);  // another folder
    QVERIFY(opened(w, copy));
    QCOMPARE(state(w).value, choice);
    QCOMPARE(state(w).origin, trefoil::CompatibilityOrigin::User);
    w.window->findChild<QAction*>(QStringLiteral("actionModelDialog"))->trigger();
    QVERIFY(w.window->findChild<QLabel*>(QStringLiteral("compatibilityOrigin_") + name)
                ->text()
                .contains(QLatin1String("set by you")));
    // The page that examines it before loading knows them, too.
    QVERIFY(choose(w, copy));
    auto* page = w.window->findChild<trefoil::OpenModelPage*>();
    QTRY_VERIFY(words(*page).contains(QLatin1String("noisy_value is scaled_by_beta")));
    // Reset forgets them.
    QSignalSpy ready(w.chat.get(), &ChatController::modelReady);
    QTest::mouseClick(w.find<QAbstractButton>("compatibilityReset"), Qt::LeftButton);
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(state(w).origin, trefoil::CompatibilityOrigin::Default);
    QVERIFY(w.settings->compatibility(copy).isEmpty());
    // What this version does not know is left out instead of making the folder unusable.
    w.settings->setCompatibility(copy, {{name, QStringLiteral("sideways")}, {QStringLiteral("of_later"), choice}});
    QVERIFY(opened(w, copy));
    QCOMPARE(state(w).origin, trefoil::CompatibilityOrigin::Default);
}

void ModelLoadingTest::looksRight() {
    const QTemporaryDir folder;
    WindowFixture w(folder.path());
    QVERIFY(w.ready());
    const QString copy = copyOfDemo(folder, QStringLiteral("demo-copy"));
    w.settings->addRecentModel(folder.filePath(QStringLiteral("gone")));
    w.settings->addRecentModel(copy);
    for (const int theme : {1, 2}) {
        w.window->findChild<QAction*>(QStringLiteral("actionTheme%1").arg(theme))->trigger();
        const QString suffix = theme == 1 ? QStringLiteral("-light") : QStringLiteral("-dark");
        QVERIFY(choose(w, copy));
        QTRY_VERIFY(w.find<QAbstractButton>("loadModel")->isEnabled());
        auto* dialog = w.window->findChild<ModelDialog*>();
        shoot(*dialog, QStringLiteral("model-load") + suffix);
        for (const char* name : {"recentModels", "examination", "loadModel", "loadVerdict", "loadContext"}) {
            const auto* part = dialog->findChild<QWidget*>(QString::fromLatin1(name));
            QVERIFY2(part->isVisible() && dialog->rect().contains(QRect(part->mapTo(dialog, QPoint()), part->size())), name);
            QVERIFY2(!part->accessibleName().isEmpty() || qobject_cast<const QLabel*>(part) != nullptr ||
                         qobject_cast<const QAbstractButton*>(part) != nullptr,
                     name);
        }
        auto* tabs = dialog->findChild<QTabWidget*>(QStringLiteral("modelTabs"));
        for (int page = 0; page < tabs->count(); ++page) {
            tabs->setCurrentIndex(page);
            shoot(*dialog, QStringLiteral("model-page%1").arg(page) + suffix);
        }
        dialog->close();
    }
    w.window->findChild<QAction*>(QStringLiteral("actionTheme0"))->trigger();
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    ModelLoadingTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "model_loading_test.moc"
