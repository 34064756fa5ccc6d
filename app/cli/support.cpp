#include "app/cli/support.h"

#include "engine/tokenizer/tokenizer.h"
#include "engine/tokenizer/utf8.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

namespace trefoil::cli {
namespace {

volatile std::sig_atomic_t g_signal = 0;
constexpr std::uintmax_t kLargestTextFile = 64'000'000;

extern "C" void onSignal(int signal) {
    g_signal = signal;
    cancelFlag().request();  // a lock-free atomic store
}

}  // namespace

CancelFlag& cancelFlag() {
    static CancelFlag flag;
    return flag;
}

void installSignalHandlers() {
    (void)cancelFlag();  // constructed before a handler can run
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
    std::signal(SIGHUP, onSignal);
    std::signal(SIGPIPE, SIG_IGN);
}

int exitCodeAfterSignal(int otherwise) { return g_signal != 0 ? 128 + g_signal : otherwise; }

int fail(const Error& error) {
    std::string line = "trefoil-cli: " + error.text();
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::fprintf(stderr, "%s\n", line.c_str());
    if (error.kind == ErrorKind::Cancelled) return exitCodeAfterSignal(kFailed);
    return error.kind == ErrorKind::InvalidArgument ? kUsage : kFailed;
}

Result<std::string> readTextFile(const std::string& path) {
    std::error_code ec;
    const auto status = std::filesystem::status(path, ec);
    if (!std::filesystem::exists(status)) return makeError(ErrorKind::NotFound, "there is no file '" + path + "'");
    if (!std::filesystem::is_regular_file(status)) return makeError(ErrorKind::Io, "'" + path + "' is not a regular file");
    if (std::filesystem::file_size(path, ec) > kLargestTextFile)
        return makeError(ErrorKind::InvalidArgument, "'" + path + "' is larger than 64 MB");
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    if (!in) return makeError(ErrorKind::Io, "cannot read '" + path + "'");
    return text.str();
}

Status writeTextFile(const std::string& path, const std::string& text) {
    const std::string temporary = path + ".part";
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out << text;
        out.close();
        if (!out) {
            std::remove(temporary.c_str());
            return makeError(ErrorKind::Io, "cannot write '" + path + "'", "choose a place that is writable and has room");
        }
    }
    std::error_code ec;
    std::filesystem::rename(temporary, path, ec);
    if (ec) return makeError(ErrorKind::Io, "cannot write '" + path + "': " + ec.message());
    return {};
}

Result<CompatibilityOverrides> parseSwitches(const std::vector<std::string>& texts) {
    CompatibilityOverrides out;
    Compatibility checked;
    for (const std::string& text : texts) {
        const std::size_t at = text.find('=');
        if (at == std::string::npos)
            return makeError(ErrorKind::InvalidArgument, "--switch takes name=choice, found '" + text + "'");
        const std::string name = text.substr(0, at);
        if (const Status s = setCompatibility(checked, name, text.substr(at + 1)); !s.ok()) return s.error();
        out[name] = text.substr(at + 1);
    }
    return out;
}

Result<LoadedModel> loadModel(Engine& engine, const ModelOptions& options, bool requireTokenizer, bool printsNotes) {
    LoadOptions load;
    load.device.device = options.device;
    load.device.threads = options.threads;
    load.device.context = options.context;
    load.device.gpuMemory = options.gpuBytes();
    load.requireTokenizer = requireTokenizer;
    auto switches = parseSwitches(options.switches);
    if (!switches.ok()) return switches.error();
    load.compatibility = *std::move(switches);
    auto model = engine.load(options.model, load, {}, cancelFlag());
    if (!model.ok()) return model;
    if (!printsNotes) return model;
    for (const std::string& warning : model->summary.warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
    for (const std::string& note : model->summary.notes) std::fprintf(stderr, "note: %s\n", note.c_str());
    return model;
}

bool print(const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

std::string byteText(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> kUnits{"bytes", "kB", "MB", "GB", "TB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1000.0 && unit + 1 < kUnits.size()) {
        value /= 1000.0;
        ++unit;
    }
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.2f %s", value, kUnits[unit]);
    return text.data();
}

Result<std::vector<std::vector<TokenId>>> textIds(const std::string& file, const LoadedModel& model) {
    auto text = readTextFile(file);
    if (!text.ok()) return text.error();
    if (!isValidUtf8(*text)) return makeError(ErrorKind::InvalidArgument, "'" + file + "' is not valid UTF-8");
    auto ids = model.text->tokenizer->checkedEncode(*text);
    if (!ids.ok()) return ids.error();
    if (ids->empty()) return makeError(ErrorKind::InvalidArgument, "'" + file + "' is empty");
    // As many texts as the context needs.
    const auto most = static_cast<std::size_t>(model.config.maxPositionEmbeddings - model.defaults.blockSize);
    std::vector<std::vector<TokenId>> out;
    for (std::size_t at = 0; at < ids->size(); at += most) {
        const auto first = ids->begin() + static_cast<std::ptrdiff_t>(at);
        out.emplace_back(first, first + static_cast<std::ptrdiff_t>(std::min(most, ids->size() - at)));
    }
    return out;
}

}  // namespace trefoil::cli
