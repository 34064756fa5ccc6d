#include "app/cli/commands.h"
#include "engine/verify/calibrate.h"

#include <cstdio>
#include <filesystem>
#include <string>

namespace trefoil::cli {

int runCalibrate(const CalibrateOptions& options) {
    std::error_code ignored;
    if (std::filesystem::exists(options.out, ignored))  // before the work, not after it
        return fail(makeError(ErrorKind::InvalidArgument, "'" + options.out + "' is there already",
                              "nothing is overwritten: name another file with --out"));
    Engine engine;
    const auto model = loadModel(engine, {options.model, "cpu", options.threads, {}}, true);
    if (!model.ok()) return fail(model.error());
    const auto texts = textIds(options.textFile, *model);
    if (!texts.ok()) return fail(texts.error());
    InputSums sums;
    std::size_t tokens = 0;
    for (const std::vector<TokenId>& text : *texts) {
        if (auto ok = gatherInputs(*engine.executor(), text, model->defaults, cancelFlag(), sums); !ok.ok())
            return fail(ok.error());
        tokens += text.size();
    }
    const Importance importance = importanceOf(sums);
    if (auto ok = importance.write(options.out); !ok.ok()) return fail(ok.error());
    return print(options.out + ": " + std::to_string(importance.matrices()) + " matrices over " + std::to_string(tokens) +
                 " tokens\n")
               ? kOk
               : kFailed;
}

}  // namespace trefoil::cli
