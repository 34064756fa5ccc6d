#include "tests/support/window_fixture.h"

#include "ui/main_window/window_state.h"

#include <QDir>
#include <QPixmap>
#include <QtTest>

namespace trefoil::testing {

QString demoModelFolder() { return QStringLiteral(TREFOIL_SOURCE_DIR "/resources/demo-model"); }

WindowFixture::WindowFixture(const QString& folder)
    : engine(std::make_unique<EngineWorker>()),
      store(std::make_unique<StoreWorker>()),
      settings(std::make_unique<Settings>(folder + QStringLiteral("/trefoil.ini"))),
      presets(std::make_unique<PresetStore>(folder + QStringLiteral("/presets.json"))) {
    (void)presets->load();
    chat = std::make_unique<ChatController>(engine.get(), store.get());
    compare = std::make_unique<CompareRun>(chat.get());
    maker = std::make_unique<FormMaker>();
    servers = std::make_unique<ServerList>(chat.get(), settings.get(), makeMemoryKeyStore());
    localApi = std::make_unique<LocalApi>(engine.get(), servers->keys(), settings.get());
    makeWindow();
    QObject::connect(store.get(), &StoreWorker::opened, chat.get(), [this](RequestId, const OpenReport& report) {
        m_opened = report.ok();
        window->showStoreReport(report);
    });
    store->openAsync(folder + QStringLiteral("/history.db"));
    window->openModel(demoModelFolder());
    window->show();
}

WindowFixture::~WindowFixture() = default;

void WindowFixture::makeWindow() {
    window = std::make_unique<MainWindow>(WindowServices{chat.get(), store.get(), settings.get(), presets.get(), servers.get(),
                                                         compare.get(), maker.get(), localApi.get(), demoModelFolder(),
                                                         QStringLiteral("cpu"), 2});
}

void WindowFixture::replaceWindow() {
    const WindowState state = window->keepState();
    // The old one goes last.
    const std::unique_ptr<MainWindow> old = std::move(window);
    makeWindow();
    window->resume({}, state);
}

bool WindowFixture::ready() {
    return QTest::qWaitFor([this] { return m_opened && chat->model().has_value(); }, 60000);
}

void WindowFixture::ask(const QString& question) {
    m_before = chat->messages().size();
    auto* editor = find<QWidget>("composerEditor");
    editor->setFocus();
    QTest::keyClicks(editor, question);
    QTest::keyClick(editor, Qt::Key_Return);
}

bool WindowFixture::waitForAnswer(int timeoutMs) {
    const auto begun = [this] {
        return chat->messages().size() > m_before && chat->messages().constLast().role == QLatin1String("assistant");
    };
    return QTest::qWaitFor(begun, timeoutMs) && QTest::qWaitFor([this] { return !chat->isRunning(); }, timeoutMs);
}

MessageRecord WindowFixture::lastMessage() const {
    return chat->messages().isEmpty() ? MessageRecord() : chat->messages().constLast();
}

void WindowFixture::screenshot(const QString& name) const {
    const QString folder = qEnvironmentVariable("TREFOIL_SCREENSHOT_DIR");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QTest::qWait(60);
    window->grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

}  // namespace trefoil::testing
