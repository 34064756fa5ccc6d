#include "app/cli/commands.h"
#include "app/serve/access_rules.h"
#include "app/serve/api_server.h"
#include "app/serve/engine_backend.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

namespace trefoil::cli {
namespace {

/// How soon a signal is seen.
constexpr std::chrono::milliseconds kGlance{50};

/// The folder's name, also of "." and of a path that ends in a slash.
std::string folderName(const std::string& folder) {
    std::error_code ec;
    std::filesystem::path path = std::filesystem::weakly_canonical(folder, ec);
    if (ec) path = folder;
    return path.filename().string();
}

Result<serve::ServeOptions> serverOptions(const ServeCommandOptions& options) {
    serve::ServeOptions out;
    out.listen = options.listen;
    out.port = options.port;
    out.certificateFile = options.certificateFile;
    out.keyFile = options.certificateKeyFile;
    out.insecureHttp = options.insecureHttp;
    out.names = options.hosts;
    out.queue = static_cast<std::size_t>(options.queue);
    if (!options.keyFile.empty()) {
        auto key = serve::readKeyFile(options.keyFile);
        if (!key.ok()) return key.error();
        out.key = *std::move(key);
    }
    // Before a model of many gigabytes is read.
    if (const Status s = serve::checkServeOptions(out); !s.ok()) return s.error();
    return out;
}

}  // namespace

int runServe(const ServeCommandOptions& options) {
    auto settings = serverOptions(options);
    if (!settings.ok()) return fail(settings.error());

    Engine engine;
    auto model = loadModel(engine, options.model, true);
    if (!model.ok()) return fail(model.error());
    const std::string name = options.name.empty() ? folderName(options.model.model) : options.name;
    serve::EngineBackend backend(engine, name);
    serve::ApiServer server(backend, *std::move(settings));
    if (const Status s = server.start(); !s.ok()) return fail(s.error());
    if (!print("serving " + name + " at " + server.url() + "\n")) return kFailed;

    while (!cancelFlag().requested()) std::this_thread::sleep_for(kGlance);
    server.stop();
    return kOk;  // a signal is how a server ends
}

}  // namespace trefoil::cli
