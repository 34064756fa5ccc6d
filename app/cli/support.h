// What the subcommands of trefoil-cli share: exit codes, error lines, files, the request to stop.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trefoil::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;

/// Options that every subcommand running a model takes.
struct ModelOptions {
    std::string model;
    std::string device = "auto";
    int threads = 0;
    std::vector<std::string> switches;  ///< section 9's, "name=choice"
    std::int64_t context = 0;           ///< positions to make room for; 0: the model's
    double gpuMemory = 0.0;             ///< GiB of each GPU to take in all; 0: what is free

    [[nodiscard]] std::uint64_t gpuBytes() const { return static_cast<std::uint64_t>(gpuMemory * 1073741824.0); }
};

/// "name=choice" texts as overrides. InvalidArgument, listing what is known, for anything else.
[[nodiscard]] Result<CompatibilityOverrides> parseSwitches(const std::vector<std::string>& texts);

/// Prints "trefoil-cli: <message>; <hint>" as one line on stderr and returns the exit code that fits the kind.
int fail(const Error& error);

/// Set by SIGINT and SIGTERM.
[[nodiscard]] CancelFlag& cancelFlag();
/// Installs the handlers. A closed pipe ends output quietly (writes fail, no signal).
void installSignalHandlers();
/// 128 + the signal that asked to stop, or `otherwise` when none did.
[[nodiscard]] int exitCodeAfterSignal(int otherwise);

/// A whole file; refuses what is no regular file or larger than 64 MB.
[[nodiscard]] Result<std::string> readTextFile(const std::string& path);
/// A text file's ids, in pieces that leave room for a block in the context. The model must have a tokenizer.
[[nodiscard]] Result<std::vector<std::vector<TokenId>>> textIds(const std::string& file, const LoadedModel& model);
/// Writes to a temporary file beside `path` and renames it: no half file stays.
[[nodiscard]] Status writeTextFile(const std::string& path, const std::string& text);

/// Loads the model; prints its notes to stderr, one line each, unless told not to.
[[nodiscard]] Result<LoadedModel> loadModel(Engine& engine, const ModelOptions& options, bool requireTokenizer,
                                            bool printsNotes = true);

/// Writes to stdout and flushes; false when stdout is closed.
bool print(const std::string& text);

/// "1.23 GB", "34.5 MB", decimal units.
[[nodiscard]] std::string byteText(std::uint64_t bytes);

}  // namespace trefoil::cli
