#include "app/application.h"

#include "app/core/chat_controller.h"
#include "app/core/compare_run.h"
#include "app/core/data_location.h"
#include "app/core/engine_worker.h"
#include "app/core/form_maker.h"
#include "app/core/presets.h"
#include "app/core/settings.h"
#include "app/core/store_worker.h"
#include "app/local_api/local_api.h"
#include "app/log.h"
#include "app/served/server_list.h"
#include "app/single_instance.h"
#include "app/termination.h"
#include "ui/desktop/languages.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/window_state.h"
#include "ui/theme/style.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTimer>

#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace trefoil {
namespace {

constexpr qint64 kKeepDeletedMs = 7LL * 24 * 3600 * 1000;

QString demoModelFolder() {
    return QDir::cleanPath(QCoreApplication::applicationDirPath() + QStringLiteral("/../share/trefoil/demo-model"));
}

/// The value of "--name value" or "--name=value"; nothing when `argument` is another option.
std::optional<std::string_view> optionValue(std::string_view argument, std::string_view name, int& i, int argc, char** argv) {
    if (argument == name) return i + 1 < argc ? std::optional<std::string_view>(argv[++i]) : std::nullopt;
    if (argument.size() > name.size() && argument.substr(0, name.size()) == name && argument[name.size()] == '=')
        return argument.substr(name.size() + 1);
    return std::nullopt;
}

/// Opens the history as the settings and locations say.
void openHistory(StoreWorker& store, const DataLocation& location, const Settings& settings, MainWindow& window) {
    const StoreProblem folder = location.ok() ? prepareFolder(location.dataFolder) : location.problem;
    if (!folder.ok()) {
        window.showNotice(QStringLiteral("location"), folder.text(), false);
        store.openTemporaryAsync();
        return;
    }
    const QString chosen = settings.historyFile();
    store.openAsync(chosen.isEmpty() || !QFileInfo::exists(chosen) ? location.historyFile() : chosen);
}

/// When it begins to serve others and when it ends; never the key.
void logLocalApi(LocalApi& api) {
    QObject::connect(&api, &LocalApi::changed, &api, [&api, last = LocalApi::State::Off]() mutable {
        if (api.state() == std::exchange(last, api.state())) return;
        if (last == LocalApi::State::On) logNote(QStringLiteral("local API on at %1").arg(api.url()));
        if (last == LocalApi::State::Off) logNote(QStringLiteral("local API off"));
        if (last == LocalApi::State::Failed) logNote(QStringLiteral("local API not on: %1").arg(api.problem()));
    });
}

/// True when a Trefoil with this history runs already and has taken what this start was given.
bool handedOver(SingleInstance& instance, const DataLocation& location, const ApplicationOptions& options) {
    if (!location.ok()) return false;
    const QString folder = socketFolder(qEnvironmentVariable("XDG_RUNTIME_DIR"), location.dataFolder + QStringLiteral("/run"));
    const StartRequest request{options.modelFolder.isEmpty() ? QString() : QDir(options.modelFolder).absolutePath(),
                               qEnvironmentVariable("XDG_ACTIVATION_TOKEN")};
    return instance.begin(folder, location.dataFolder, request) == SingleInstance::Role::Second;
}

/// The services and the window in front of them. Another language is another window for the same services: each text is made
/// anew, and what runs goes on.
class Program {
public:
    Program(const ApplicationOptions& options, const DataLocation& location, const QString& settingsFile);
    /// Opens history and model and shows the window.
    void begin();
    void close() { m_window->close(); }
    /// What a second start was given.
    void take(const StartRequest& request);

private:
    void makeWindow();
    void switchLanguage();
    void onOpened(const OpenReport& report);
    void connectServices();
    void connectLog();

    const ApplicationOptions& m_options;
    const DataLocation& m_location;
    Settings m_settings;
    PresetStore m_presets;
    const StoreProblem m_presetProblem;
    EngineWorker m_engine;
    StoreWorker m_store;
    ChatController m_chat{&m_engine, &m_store};
    CompareRun m_compare{&m_chat};
    FormMaker m_maker;
    ServerList m_servers{&m_chat, &m_settings, makeDesktopKeyStore()};
    LocalApi m_localApi{&m_engine, m_servers.keys(), &m_settings};
    Languages m_languages;
    QTimer m_switching;
    OpenReport m_lastReport;
    bool m_resumed = false;  ///< what was on show comes back once, or not in this run
    std::unique_ptr<MainWindow> m_window;
};

Program::Program(const ApplicationOptions& options, const DataLocation& location, const QString& settingsFile)
    : m_options(options),
      m_location(location),
      m_settings(settingsFile),
      m_presets(location.ok() ? location.presetsFile() : QString()),
      m_presetProblem(m_presets.load()) {
    m_engine.setPrefixBudget(static_cast<quint64>(m_settings.prefixMemory()) << 20);
    m_languages.speak(m_settings.language());
    m_switching.setSingleShot(true);
    makeWindow();
    connectServices();
    connectLog();
    logLocalApi(m_localApi);
}

void Program::makeWindow() {
    m_window = std::make_unique<MainWindow>(WindowServices{&m_chat, &m_store, &m_settings, &m_presets, &m_servers, &m_compare,
                                                           &m_maker, &m_localApi, demoModelFolder(),
                                                           m_options.device.isEmpty() ? m_settings.device() : m_options.device,
                                                           m_options.threads >= 0 ? m_options.threads : m_settings.threads()});
    QObject::connect(m_window.get(), &MainWindow::closed, qApp, &QCoreApplication::quit, Qt::QueuedConnection);
}

void Program::switchLanguage() {
    constexpr int kLookAgainMs = 200;
    if (!m_window->mayGo()) return m_switching.start(kLookAgainMs);
    if (m_languages.spoken() == Languages::resolve(m_settings.language())) return;
    m_languages.speak(m_settings.language());
    const WindowState state = m_window->keepState();
    // The old one goes last: without any window on show the program would end.
    const std::unique_ptr<MainWindow> old(m_window.release());
    makeWindow();
    m_window->resume(m_lastReport, state);
}

void Program::onOpened(const OpenReport& report) {
    m_lastReport = report;
    m_window->showStoreReport(report);
    // A history that could be opened only later finds something else begun.
    const bool resumed = std::exchange(m_resumed, true);
    if (!report.ok()) return;
    if (!report.temporary) m_settings.setHistoryFile(report.path == m_location.historyFile() ? QString() : report.path);
    m_store.purgeDeleted(kKeepDeletedMs);
    if (resumed) return;
    (void)m_window->keepState();  // what was typed meanwhile stays
    m_chat.resumeConversation(m_settings.lastConversation());
}

void Program::connectServices() {
    QObject::connect(&m_switching, &QTimer::timeout, &m_chat, [this] { switchLanguage(); });
    // Later: the choice comes from a dialog of the window that goes.
    QObject::connect(&m_settings, &Settings::languageChanged, &m_switching, [this] { m_switching.start(0); });
    QObject::connect(&m_store, &StoreWorker::opened, &m_chat,
                     [this](RequestId /*id*/, const OpenReport& report) { onOpened(report); });
    const auto remember = [this] { m_settings.setLastConversation(m_chat.conversation().id); };
    QObject::connect(&m_chat, &ChatController::conversationShown, &m_settings, remember);
    QObject::connect(&m_chat, &ChatController::listChanged, &m_settings, remember);
}

void Program::connectLog() {
    QObject::connect(&m_chat, &ChatController::modelReady, &m_chat, [](const ModelSummary& model) {
        logNote(QStringLiteral("loaded %1 on %2 in %3 ms").arg(model.folder, model.device).arg(model.loadMs, 0, 'f', 0));
        for (const QString& warning : model.warnings) logNote(QStringLiteral("warning: ") + warning);
        for (const QString& note : model.notes) logNote(note);
    });
    QObject::connect(&m_chat, &ChatController::loadEnded, &m_chat, [](const ModelLoadRequest& request, const QString& message) {
        logNote(message.isEmpty() ? QStringLiteral("not loaded: %1: it was stopped").arg(request.folder)
                                  : QStringLiteral("not loaded: %1: %2").arg(request.folder, message));
    });
}

void Program::begin() {
    openHistory(m_store, m_location, m_settings, *m_window);
    if (!m_presetProblem.ok()) m_window->showNotice(QStringLiteral("settings"), m_presetProblem.text(), false);
    m_window->openStartModel(m_options.modelFolder);
    m_window->show();
    m_localApi.begin();
}

void Program::take(const StartRequest& request) {
    if (!request.modelFolder.isEmpty()) m_window->openStartModel(request.modelFolder);
    m_window->bringToFront(request.activationToken);
}

}  // namespace

ApplicationOptions parseArguments(int argc, char** argv) {
    ApplicationOptions options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const auto text = [](std::string_view v) {
            return QFile::decodeName(QByteArray(v.data(), static_cast<qsizetype>(v.size())));
        };
        if (argument == "-session") {
            ++i;  // a session manager's, which started the last session's programs again; Qt reads it
        } else if (const auto model = optionValue(argument, "--model", i, argc, argv)) {
            options.modelFolder = text(*model);
        } else if (const auto device = optionValue(argument, "--device", i, argc, argv)) {
            options.device = text(*device);
        } else if (const auto threads = optionValue(argument, "--threads", i, argc, argv)) {
            const auto [end, error] = std::from_chars(threads->data(), threads->data() + threads->size(), options.threads);
            if (error != std::errc() || end != threads->data() + threads->size() || options.threads < 0 ||
                options.threads > Settings::kMaxThreads)
                options.problem = "--threads takes a whole number from 0 to " + std::to_string(Settings::kMaxThreads);
        } else if (!argument.empty() && argument.front() != '-' && options.modelFolder.isEmpty()) {
            options.modelFolder = text(argument);
        } else {
            options.problem = "unexpected argument '" + std::string(argument) + "'";
        }
    }
    return options;
}

int runApplication(const ApplicationOptions& options) {
    QApplication::setStyle(theme::makeStyle());
    const DataLocation location = findDataLocation();
    const bool configReady = location.ok() && prepareFolder(location.configFolder).ok();
    SingleInstance instance;
    if (handedOver(instance, location, options)) return 0;
    startLog(location.ok() && prepareFolder(location.dataFolder).ok() ? location.dataFolder : QString());
    for (const QString& note : location.notes) logNote(note);
    // SQLite's temporary files hold pieces of conversations: they stay in the private folder.
    if (location.ok()) qputenv("SQLITE_TMPDIR", QFile::encodeName(location.dataFolder));
    Program program(options, location, configReady ? location.settingsFile() : QString());
    const TerminationWatcher termination([&program] { program.close(); });
    program.begin();
    instance.serve([&program](const StartRequest& request) { program.take(request); });
    return QApplication::exec();
}

}  // namespace trefoil
