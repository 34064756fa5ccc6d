// Model folders that are wrong, or unusual, as the window meets them: refused with what is to be known while the model in use
// stays, or loaded with what was assumed in sight.
#include "tests/support/checkpoint_maker.h"
#include "tests/support/demo_variants.h"
#include "tests/support/window_fixture.h"
#include "ui/chat/notice_bar.h"
#include "ui/models/model_dialog.h"
#include "ui/models/open_model_page.h"
#include "ui/theme/style.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <initializer_list>

namespace {

using trefoil::ChatController;
using trefoil::ModelDialog;
using trefoil::NoticeBar;
using trefoil::NoticeKind;
using trefoil::test::CheckpointMaker;
using trefoil::test::TensorData;
using trefoil::testing::demoModelFolder;
using trefoil::testing::WindowFixture;

QString words(const QWidget& page) {
    QStringList all;
    for (const QLabel* label : page.findChildren<QLabel*>()) all.append(label->text());
    for (const QPlainTextEdit* field : page.findChildren<QPlainTextEdit*>()) all.append(field->toPlainText());
    return all.join(QLatin1Char('\n'));
}

bool lacksNone(const QString& text, const QStringList& parts) {
    for (const QString& part : parts)
        if (!text.contains(part)) {
            qWarning("\"%s\" lacks \"%s\"", qPrintable(text), qPrintable(part));
            return false;
        }
    return true;
}

class CheckpointCasesTest : public QObject {
    Q_OBJECT

private:
    /// A good checkpoint to be changed: the demo model.
    static CheckpointMaker demo() { return CheckpointMaker(demoModelFolder().toStdString()); }
    /// A new folder for the next case.
    QString place() {
        const QString folder = m_scratch->filePath(QString::number(++m_places));
        QDir().mkpath(folder);
        return folder;
    }
    QString written(const CheckpointMaker& maker) {
        const QString folder = place();
        maker.writeSingle(folder.toStdString());
        return folder;
    }
    QString inShards(int count, QStringList& names) {
        const QString folder = place();
        names.clear();
        for (const std::string& name : demo().writeShards(folder.toStdString(), static_cast<std::size_t>(count)))
            names.append(QString::fromStdString(name));
        return folder;
    }

    trefoil::Notice notice() const { return m_window->find<NoticeBar>("noticeBar")->current(); }
    bool stillAnswers() const {
        QTest::mouseClick(m_window->find<QAbstractButton>("newChatButton"), Qt::LeftButton);
        m_window->ask(QStringLiteral("What is 347 + 586?"));
        return m_window->waitForAnswer() && m_window->lastMessage().content == QLatin1String("347 + 586 = **933**");
    }
    /// Not loaded, and the notice has all parts; nor does the Model dialog offer to load it, with the same words. The model that
    /// was in use still is.
    bool refused(const QString& folder, const QStringList& parts) {
        QSignalSpy ended(m_window->chat.get(), &ChatController::loadEnded);
        const QString before = m_window->chat->model()->folder;
        m_window->window->openModel(folder);
        if (!QTest::qWaitFor([&] { return ended.count() == 1; }, 20000)) return false;
        if (notice().kind != NoticeKind::Error ||
            !lacksNone(notice().text, parts + QStringList(QStringLiteral(" stays loaded."))))
            return false;
        if (m_window->chat->model()->folder != before) return false;
        m_window->settings->addRecentModel(folder);
        auto* menu = m_window->find<QMenu>("menuRecentModels");
        emit menu->aboutToShow();
        m_window->window->findChild<QAction*>(QStringLiteral("actionManageModels"))->trigger();
        auto* list = m_window->find<QListWidget>("recentModels");
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, list->visualItemRect(list->item(0)).center());
        const auto* verdict = m_window->find<QLabel>("loadVerdict");
        const bool told =
            QTest::qWaitFor([&] { return verdict->text() == QLatin1String("This folder cannot be loaded."); }, 20000);
        const auto* page = m_window->window->findChild<trefoil::OpenModelPage*>();
        const bool same = told && lacksNone(words(*page), parts) && !m_window->find<QAbstractButton>("loadModel")->isEnabled();
        m_window->window->findChild<ModelDialog*>()->close();
        return same;
    }
    /// Loaded, and the Model dialog has all parts.
    bool loaded(const QString& folder, const QStringList& parts = {}) {
        QSignalSpy ready(m_window->chat.get(), &ChatController::modelReady);
        m_window->window->openModel(folder);
        if (!QTest::qWaitFor([&] { return ready.count() == 1; }, 20000)) {
            qWarning("%s", qPrintable(notice().text));
            return false;
        }
        m_window->window->findChild<QAction*>(QStringLiteral("actionModelDialog"))->trigger();
        auto* dialog = m_window->window->findChild<ModelDialog*>();
        const bool said = lacksNone(words(*dialog), parts);
        dialog->close();
        return said && m_window->chat->model()->folder == folder;
    }

private slots:
    void init() {
        m_scratch = std::make_unique<QTemporaryDir>();
        m_window = std::make_unique<WindowFixture>(m_scratch->path());
        QVERIFY(m_window->ready());
    }
    void cleanup() {
        m_window.reset();
        m_scratch.reset();
    }
    void shardsOfAnotherLength();
    void emptyTensors();
    void indexAndShardsThatDisagree();
    void oneTensorPerExpert();
    void rotaryThetaWhereverItStands();
    void mergesOfTokenizerJson();

private:
    std::unique_ptr<QTemporaryDir> m_scratch;
    std::unique_ptr<WindowFixture> m_window;
    int m_places = 0;
};

// Case A01: a shard that is too short, or too long; refused in the same words every time.
void CheckpointCasesTest::shardsOfAnotherLength() {
    for (const qint64 change : {-4096, 16}) {
        QStringList shards;
        const QString folder = inShards(2, shards);
        QFile shard(folder + QLatin1Char('/') + shards[1]);
        const qint64 expected = shard.size();
        QVERIFY(shard.resize(expected + change));
        const QStringList parts{shards[1], QString::number(expected), QString::number(expected + change)};
        QString first;
        for (int time = 0; time < 5; ++time) {
            QVERIFY(refused(folder, parts));
            if (time == 0) first = notice().text;
            QCOMPARE(notice().text, first);
        }
    }
    QVERIFY(stillAnswers());
}

// Case A03: a tensor without elements is legal; bytes that contradict the shape are not.
void CheckpointCasesTest::emptyTensors() {
    CheckpointMaker maker = demo();
    maker.tensors.push_back({"mtp.marker", "F32", {1}, ""});
    QVERIFY(refused(written(maker), {QStringLiteral("mtp.marker is F32 [1]: 4 bytes expected, its offsets give 0 bytes")}));
    maker.tensors.back().shape = {0};
    QVERIFY(loaded(written(maker), {QStringLiteral("1 tensor is not needed and ignored: mtp.marker")}));
    QVERIFY(notice().id.isEmpty());  // a note, not a warning
    QVERIFY(stillAnswers());
    maker.tensors.pop_back();
    TensorData& norm = maker.tensor("model.norm.weight");
    norm.shape = {0};
    QVERIFY(
        refused(written(maker), {QStringLiteral("model.norm.weight is BF16 [0]: 0 bytes expected, its offsets give 512 bytes")}));
    norm = {"model.norm.weight", "F32", {INT64_C(1) << 40, INT64_C(1) << 40}, "1234"};
    QVERIFY(refused(written(maker), {QStringLiteral("model.norm.weight"), QStringLiteral("[1099511627776, 1099511627776]"),
                                     QStringLiteral("give 4 bytes")}));
    QVERIFY(stillAnswers());
}

// Case A05: shards that are not there, tensors that are elsewhere, a stray file.
void CheckpointCasesTest::indexAndShardsThatDisagree() {
    QStringList shards;
    const QString absent = inShards(3, shards);
    QVERIFY(QFile::remove(absent + QLatin1Char('/') + shards[1]));
    QVERIFY(refused(absent, {shards[1], QStringLiteral("tensors of the first: model.layers.")}));

    // The index maps a tensor to a shard that lacks it; and a shard holds a tensor that the index does not name.
    for (const bool drop : {false, true}) {
        const QString wrong = inShards(3, shards);
        const std::filesystem::path index = (wrong + QStringLiteral("/model.safetensors.index.json")).toStdString();
        nlohmann::json json = nlohmann::json::parse(trefoil::test::readFile(index));
        const std::string tensor = "model.norm.weight";
        const QString home = QString::fromStdString(json["weight_map"][tensor]);
        const QString other = home == shards[0] ? shards[1] : shards[0];
        if (drop)
            json["weight_map"].erase(tensor);
        else
            json["weight_map"][tensor] = other.toStdString();
        trefoil::test::writeFile(index, json.dump());
        QVERIFY(refused(wrong, {home, QStringLiteral("model.norm.weight")}));
    }
    QVERIFY(stillAnswers());

    // The indexed files are used alone, and the stray one is named.
    const QString stray = inShards(3, shards);
    CheckpointMaker other = demo();
    for (TensorData& t : other.tensors) t.bytes.assign(t.bytes.size(), '0');
    trefoil::test::writeFile((stray + QStringLiteral("/model.safetensors")).toStdString(),
                             trefoil::test::safetensorsBytes(other.tensors));
    QVERIFY(loaded(stray, {QStringLiteral("not part of the model and not used: model.safetensors")}));
    QVERIFY(stillAnswers());
}

// Case A07.
void CheckpointCasesTest::oneTensorPerExpert() {
    CheckpointMaker maker = demo();
    for (std::int64_t layer = 1; layer < 8; ++layer) maker.splitExperts(layer);
    QVERIFY(loaded(written(maker)));
    QVERIFY(stillAnswers());
    maker.splitExperts(0);
    QVERIFY(loaded(written(maker), {QStringLiteral("one tensor per expert")}));
    QVERIFY(stillAnswers());
    maker.remove("model.layers.5.mlp.experts.7.down_proj.weight");
    QVERIFY(refused(written(maker),
                    {QStringLiteral("1 tensor is missing: model.layers.5.mlp.experts.7.down_proj.weight [256, 96]")}));
    CheckpointMaker transposed = demo();
    transposed.transpose("model.layers.0.mlp.experts.gate_up_proj");
    QVERIFY(refused(written(transposed), {QStringLiteral("experts.gate_up_proj is BF16 [16, 256, 192]"),
                                          QStringLiteral("expected [16, 192, 256]"), QStringLiteral("(stored transposed)")}));
    QVERIFY(stillAnswers());
}

// Case A09.
void CheckpointCasesTest::rotaryThetaWhereverItStands() {
    CheckpointMaker maker = demo();
    const nlohmann::json theta = maker.config["rope_theta"];
    maker.config.erase("rope_theta");
    maker.config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", theta}};
    QVERIFY(loaded(written(maker), {QStringLiteral("theta 100,000")}));
    QVERIFY(stillAnswers());
    maker.config["rope_theta"] = 10000.0;
    QVERIFY(loaded(written(maker), {QStringLiteral("rope_parameters says 100000.0, elsewhere it is 10000.0; 100000.0 is used")}));
    QVERIFY(stillAnswers());
    maker.config["rope_parameters"] = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", theta}}}};
    QVERIFY(loaded(written(maker), {QStringLiteral("given per kind of layer: those of full_attention are used")}));
    QVERIFY(stillAnswers());
    maker.config["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 4.0}, {"rope_theta", theta}};
    QVERIFY(refused(written(maker),
                    {QStringLiteral("rope_parameters.rope_type"), QStringLiteral("yarn"), QStringLiteral("is not supported")}));
    QVERIFY(stillAnswers());
    maker.config.erase("rope_parameters");
    maker.config.erase("rope_theta");
    QVERIFY(loaded(written(maker), {QStringLiteral("rope_theta is not given: 10000000 is assumed")}));
}

// Case B01: the demo model with a tokenizer.json.
void CheckpointCasesTest::mergesOfTokenizerJson() {
    const QString folder = place();
    trefoil::test::writeDemoWithTokenizerJson(folder.toStdString());
    const std::string path = (folder + QStringLiteral("/tokenizer.json")).toStdString();
    const auto write = [&](const nlohmann::json& file) { trefoil::test::writeFile(path, file.dump()); };
    const nlohmann::json good = nlohmann::json::parse(trefoil::test::readFile(path));
    nlohmann::json file = good;
    for (std::size_t i = 0; i < good["model"]["merges"].size(); i += 2)
        file["model"]["merges"][i] =
            good["model"]["merges"][i][0].get<std::string>() + " " + good["model"]["merges"][i][1].get<std::string>();
    write(file);
    QVERIFY(loaded(folder, {QStringLiteral("byte-level BPE")}));
    QVERIFY(notice().id.isEmpty());
    QVERIFY(stillAnswers());

    file = good;
    file["model"]["merges"][7] = nlohmann::json::array({"a", "b", "c"});
    write(file);
    QVERIFY(refused(folder, {QStringLiteral("model.merges, entry 7"), QStringLiteral("two pieces are expected, found 3")}));
    file = good;
    file["model"]["merges"][11] = nlohmann::json::array({"q", "\u0141"});
    write(file);
    QVERIFY(refused(folder, {QStringLiteral("model.merges, entry 11"), QStringLiteral("is not in model.vocab")}));

    // Without any it loads, and says so where it is seen without looking for it; with another model the warning is gone.
    file["model"]["merges"] = nlohmann::json::array();
    write(file);
    QVERIFY(loaded(folder, {QStringLiteral("tokenizer.json has no merges")}));
    QCOMPARE(notice().kind, NoticeKind::Warning);
    QVERIFY(lacksNone(notice().text, {QDir(folder).dirName() + QStringLiteral(" is loaded, but its answers may be wrong"),
                                      QStringLiteral("has no merges")}));
    QVERIFY(m_window->find<NoticeBar>("noticeBar")->isVisible());
    m_window->screenshot(QStringLiteral("model-warning"));
    auto* about = m_window->find<QAbstractButton>("noticeAction_about");
    QVERIFY(about != nullptr);
    QTest::mouseClick(about, Qt::LeftButton);
    QVERIFY(m_window->window->findChild<ModelDialog*>()->isVisible());
    QVERIFY(loaded(demoModelFolder()));
    QVERIFY(notice().id.isEmpty());
}

}  // namespace

int main(int argc, char** argv) {
    QApplication app(argc, argv);
    QApplication::setStyle(trefoil::theme::makeStyle());
    QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
    CheckpointCasesTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "checkpoint_cases_test.moc"
