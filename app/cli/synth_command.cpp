#include "app/cli/commands.h"
#include "engine/checkpoint/synth.h"

#include <cstdio>

namespace trefoil::cli {

int runSynth(const SynthCommandOptions& options) {
    std::string config = cloverConfigJson();
    if (options.size != "clover-35b") {
        auto text = readTextFile(options.size);
        if (!text.ok()) return fail(text.error());
        config = std::move(*text);
    }
    SynthOptions synth;
    synth.seed = options.seed;
    synth.threads = options.threads;
    synth.headersOnly = options.headersOnly;
    synth.cancel = &cancelFlag();
    synth.progress = [](std::uint64_t done, std::uint64_t total) {
        std::fprintf(stderr, "\r%s of %s", byteText(done).c_str(), byteText(total).c_str());
    };
    const Status written = writeSyntheticCheckpoint(options.folder, config, synth);
    std::fputc('\n', stderr);
    return written.ok() ? kOk : fail(written.error());
}

}  // namespace trefoil::cli
