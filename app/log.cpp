#include "app/log.h"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

namespace trefoil {
namespace {

constexpr std::size_t kLogBytes = 1'000'000;
constexpr std::size_t kLogFiles = 3;

void qtMessage(QtMsgType type, const QMessageLogContext& /*context*/, const QString& message) {
    const std::string text = message.toStdString();
    switch (type) {
        case QtDebugMsg:
            spdlog::debug(text);
            break;
        case QtInfoMsg:
            spdlog::info(text);
            break;
        case QtWarningMsg:
            spdlog::warn(text);
            break;
        case QtCriticalMsg:
        case QtFatalMsg:
            spdlog::error(text);
            break;
    }
}

}  // namespace

void startLog(const QString& folder) {
    auto terminal = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    terminal->set_level(spdlog::level::err);
    terminal->set_pattern("trefoil: %v");
    std::vector<spdlog::sink_ptr> sinks{terminal};
    if (!folder.isEmpty()) {
        try {
            spdlog::file_event_handlers handlers;
            handlers.after_open = [](const spdlog::filename_t& /*name*/, std::FILE* file) { ::fchmod(::fileno(file), 0600); };
            sinks.push_back(std::make_shared<spdlog::sinks::rotating_file_sink_mt>(folder.toStdString() + "/trefoil.log",
                                                                                   kLogBytes, kLogFiles, false, handlers));
            sinks.back()->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
        } catch (const std::exception&) {
            // A log is not worth a failed start; the history says on its own what is wrong with the folder.
            sinks.resize(1);
        }
    }
    auto logger = std::make_shared<spdlog::logger>("trefoil", sinks.begin(), sinks.end());
    logger->flush_on(spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
    qInstallMessageHandler(qtMessage);
}

void logNote(const QString& text) { spdlog::info(text.toStdString()); }

}  // namespace trefoil
