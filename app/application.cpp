#include "app/application.h"

#include "app/core/chat_controller.h"
#include "app/core/compare_run.h"
#include "app/core/data_location.h"
#include "app/core/engine_worker.h"
#include "app/core/presets.h"
#include "app/core/settings.h"
#include "app/core/store_worker.h"
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

/// True when a Trefoil with this history runs already and has taken what this start was given.
bool handedOver(SingleInstance& instance, const DataLocation& location, const ApplicationOptions& options) {
    if (!location.ok()) return false;
    const QString folder = socketFolder(qEnvironmentVariable("XDG_RUNTIME_DIR"), location.dataFolder + QStringLiteral("/run"));
    const StartRequest request{options.modelFolder.isEmpty() ? QString() : QDir(options.modelFolder).absolutePath(),
                               qEnvironmentVariable("XDG_ACTIVATION_TOKEN")};
    return instance.begin(folder, location.dataFolder, request) == SingleInstance::Role::Second;
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
    Settings settings(configReady ? location.settingsFile() : QString());
    startLog(location.ok() && prepareFolder(location.dataFolder).ok() ? location.dataFolder : QString());
    for (const QString& note : location.notes) logNote(note);
    // SQLite's temporary files hold pieces of conversations: they stay in the private folder.
    if (location.ok()) qputenv("SQLITE_TMPDIR", QFile::encodeName(location.dataFolder));
    PresetStore presets(location.ok() ? location.presetsFile() : QString());
    const StoreProblem presetProblem = presets.load();

    EngineWorker engine;
    engine.setPrefixBudget(static_cast<quint64>(settings.prefixMemory()) << 20);
    StoreWorker store;
    ChatController chat(&engine, &store);
    CompareRun compare(&chat);
    ServerList servers(&chat, &settings, makeDesktopKeyStore());
    Languages languages;
    languages.speak(settings.language());
    OpenReport lastReport;
    bool begun = false;
    std::unique_ptr<MainWindow> window;
    // Another language is another window for the same services: each text is made anew, and what runs goes on.
    const auto makeWindow = [&] {
        window =
            std::make_unique<MainWindow>(WindowServices{&chat, &store, &settings, &presets, &servers, &compare, demoModelFolder(),
                                                        options.device.isEmpty() ? settings.device() : options.device,
                                                        options.threads >= 0 ? options.threads : settings.threads()});
        QObject::connect(window.get(), &MainWindow::closed, qApp, &QCoreApplication::quit, Qt::QueuedConnection);
    };
    makeWindow();
    QTimer switching;
    switching.setSingleShot(true);
    QObject::connect(&switching, &QTimer::timeout, &chat, [&] {
        constexpr int kLookAgainMs = 200;
        if (!window->mayGo()) return switching.start(kLookAgainMs);
        if (languages.spoken() == Languages::resolve(settings.language())) return;
        languages.speak(settings.language());
        const WindowState state = window->keepState();
        // The old one goes last: without any window on show the program would end.
        const std::unique_ptr<MainWindow> old(window.release());
        makeWindow();
        window->resume(lastReport, state);
    });
    // Later: the choice comes from a dialog of the window that goes.
    QObject::connect(&settings, &Settings::languageChanged, &switching, [&switching] { switching.start(0); });
    const TerminationWatcher termination([&window] { window->close(); });
    QObject::connect(&store, &StoreWorker::opened, &chat, [&](RequestId /*id*/, const OpenReport& report) {
        lastReport = report;
        if (!report.ok()) begun = true;
        window->showStoreReport(report);
        if (!report.ok()) return;
        if (!report.temporary) settings.setHistoryFile(report.path == location.historyFile() ? QString() : report.path);
        store.purgeDeleted(kKeepDeletedMs);
        // Of this start; a history that could be opened only later finds something else begun.
        if (std::exchange(begun, true)) return;
        (void)window->keepState();  // what was typed meanwhile stays
        chat.resumeConversation(settings.lastConversation());
    });
    QObject::connect(&chat, &ChatController::modelReady, &chat, [](const ModelSummary& model) {
        logNote(QStringLiteral("loaded %1 on %2 in %3 ms").arg(model.folder, model.device).arg(model.loadMs, 0, 'f', 0));
        for (const QString& warning : model.warnings) logNote(QStringLiteral("warning: ") + warning);
        for (const QString& note : model.notes) logNote(note);
    });
    QObject::connect(&chat, &ChatController::loadEnded, &chat, [](const ModelLoadRequest& request, const QString& message) {
        logNote(message.isEmpty() ? QStringLiteral("not loaded: %1: it was stopped").arg(request.folder)
                                  : QStringLiteral("not loaded: %1: %2").arg(request.folder, message));
    });
    const auto remember = [&] { settings.setLastConversation(chat.conversation().id); };
    QObject::connect(&chat, &ChatController::conversationShown, &settings, remember);
    QObject::connect(&chat, &ChatController::listChanged, &settings, remember);
    openHistory(store, location, settings, *window);
    if (!presetProblem.ok()) window->showNotice(QStringLiteral("settings"), presetProblem.text(), false);

    window->openStartModel(options.modelFolder);
    window->show();
    instance.serve([&window](const StartRequest& request) {
        if (!request.modelFolder.isEmpty()) window->openStartModel(request.modelFolder);
        window->bringToFront(request.activationToken);
    });
    return QApplication::exec();
}

}  // namespace trefoil
