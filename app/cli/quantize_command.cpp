#include "app/cli/commands.h"
#include "engine/checkpoint/quantise.h"

#include <cstdio>
#include <optional>
#include <string>

namespace trefoil::cli {

int runQuantize(const QuantizeCommandOptions& options) {
    if (options.format == "fp8" && options.group != 0)
        return fail(makeError(ErrorKind::InvalidArgument, "--group belongs to --format int4; fp8 has blocks of 128 x 128"));
    if (options.format == "fp8" && !options.importanceFile.empty())
        return fail(makeError(ErrorKind::InvalidArgument, "--importance belongs to --format int4, whose scales it weighs"));
    QuantiseOptions quantise;
    std::optional<Importance> importance;
    if (!options.importanceFile.empty()) {
        auto read = Importance::read(options.importanceFile);
        if (!read.ok()) return fail(read.error());
        importance = *std::move(read);
        quantise.importance = &*importance;
    }
    quantise.format = options.format == "fp8" ? QuantisedFormat::Fp8Blocks : QuantisedFormat::Int4Groups;
    quantise.groupSize = options.group == 0 ? 32 : options.group;
    quantise.keep = options.keep;
    quantise.quantiseHead = options.head == "quantize";
    quantise.threads = options.threads;
    quantise.cancel = &cancelFlag();
    std::string shown;
    quantise.progress = [&shown](std::uint64_t done, std::uint64_t total) {
        const std::string line = byteText(done) + " of " + byteText(total);
        if (line == shown) return;
        std::fprintf(stderr, "\r%-24s", line.c_str());
        shown = line;
    };
    const auto report = quantiseCheckpoint(options.model, options.out, quantise);
    if (!shown.empty()) std::fputc('\n', stderr);
    if (!report.ok()) return fail(report.error());
    for (const std::string& note : report->notes) std::fprintf(stderr, "note: %s\n", note.c_str());
    const double share = 100.0 * static_cast<double>(report->quantised) / static_cast<double>(report->parameters);
    char line[256];
    std::snprintf(line, sizeof line, "%s in %llu %s, %.1f%% of the parameters quantised%s\n", byteText(report->bytes).c_str(),
                  static_cast<unsigned long long>(report->shards), report->shards == 1 ? "shard" : "shards", share,
                  report->shardsFound > 0
                      ? (", " + std::to_string(report->shardsFound) + " of the shards from an earlier run").c_str()
                      : "");
    return print(line) ? kOk : kFailed;
}

}  // namespace trefoil::cli
