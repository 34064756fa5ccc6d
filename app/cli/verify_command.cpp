#include "app/cli/commands.h"
#include "engine/verify/golden.h"

#include <cstdio>

namespace trefoil::cli {

int runVerify(const VerifyCommandOptions& options) {
    Engine engine;
    auto model = loadModel(engine, options.model, false);
    if (!model.ok()) return fail(model.error());
    print("on " + model->device + "\n");
    VerifyOptions verify;
    verify.cancel = &cancelFlag();
    verify.onRow = [](const VerifyRow& row) {
        std::array<char, 256> line{};
        const char* verdict = row.skipped ? "skipped" : row.ok ? "ok" : "FAIL";
        std::snprintf(line.data(), line.size(), "%-32s %-44s %s\n", row.name.c_str(), row.result.c_str(), verdict);
        print(line.data());
    };
    const auto report = verifyGolden(*engine.executor(), options.golden, verify);
    if (!report.ok()) return fail(report.error());
    std::size_t failed = 0;
    for (const VerifyRow& row : report->rows) failed += row.ok ? 0 : 1;
    print(std::to_string(report->rows.size()) + " compared, " + std::to_string(failed) + " failed\n");
    return report->ok() ? kOk : kFailed;
}

}  // namespace trefoil::cli
