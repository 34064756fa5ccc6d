// Checks and times the GPU engine. trefoil-gpu-check devices | verify MODEL GOLDEN | bench [options]; exit code 77 without a
// device.
#include "engine/checkpoint/checkpoint.h"
#include "engine/runtime/cuda_plugin.h"
#include "engine/verify/golden.h"
#include "tests/bench/gpu_bench.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

int listDevices() {
    bool usable = false;
    for (const trefoil::CudaDevice& d : trefoil::listCudaDevices()) {
        std::printf("cuda:%d %s, %.1f of %.1f GB free, %s%s%s\n", d.index, d.name.c_str(),
                    static_cast<double>(d.memoryFree) / 1e9, static_cast<double>(d.memoryTotal) / 1e9,
                    d.usable ? "usable" : "not usable", d.reason.empty() ? "" : ": ", d.reason.c_str());
        usable = usable || d.usable;
    }
    return usable ? 0 : 77;
}

int verify(const std::string& model, const std::string& golden) {
    auto checkpoint = trefoil::Checkpoint::open(model);
    if (!checkpoint.ok()) {
        std::fprintf(stderr, "%s\n", checkpoint.error().text().c_str());
        return 1;
    }
    auto executor = trefoil::makeCudaExecutor(trefoil::weightSource(*checkpoint), 0, 0, {}, nullptr);
    if (!executor.ok()) {
        std::fprintf(stderr, "%s\n", executor.error().text().c_str());
        return executor.error().kind == trefoil::ErrorKind::DeviceUnavailable ? 77 : 1;
    }
    int good = 0;
    int skipped = 0;
    trefoil::VerifyOptions options;
    options.onRow = [&](const trefoil::VerifyRow& row) {
        if (row.skipped)
            ++skipped;
        else if (row.ok)
            ++good;
        else
            std::printf("  FAIL %s: %s\n", row.name.c_str(), row.result.c_str());
    };
    const auto report = trefoil::verifyGolden(**executor, golden, options);
    if (!report.ok()) {
        std::fprintf(stderr, "%s\n", report.error().text().c_str());
        return 1;
    }
    std::printf("%s, %s: %d ok, %d skipped, %zu failed, largest error %.2e\n", golden.c_str(), (*executor)->deviceName().c_str(),
                good, skipped, report->rows.size() - static_cast<std::size_t>(good + skipped), report->worstError);
    return report->ok() ? 0 : 1;
}

int bench(const std::vector<std::string_view>& arguments) {
    trefoil::GpuBenchOptions options;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view name = arguments[i];
        if (name == "--no-prompts") {
            options.prompts = false;
            continue;
        }
        if (i + 1 == arguments.size()) return 2;
        const std::string value(arguments[++i]);
        if (name == "--layers")
            options.layers = std::atoll(value.c_str());
        else if (name == "--long")
            options.longPrefix = std::atoll(value.c_str());
        else if (name == "--repeats")
            options.repeats = std::atoi(value.c_str());
        else if (name == "--config")
            options.config = value;
        else if (name == "--model")
            options.model = value;
        else
            return 2;
    }
    return trefoil::runGpuBench(options);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + 1, argv + argc);
    int code = 2;
    if (arguments.size() == 1 && arguments[0] == "devices") code = listDevices();
    if (arguments.size() == 3 && arguments[0] == "verify") code = verify(argv[2], argv[3]);
    if (!arguments.empty() && arguments[0] == "bench") code = bench({arguments.begin() + 1, arguments.end()});
    if (code == 2)
        std::fprintf(stderr,
                     "usage: trefoil-gpu-check devices | verify MODEL GOLDEN |\n"
                     "       bench [--layers N] [--long TOKENS] [--repeats N] [--config FILE] [--model FOLDER] [--no-prompts]\n");
    return code;
}
