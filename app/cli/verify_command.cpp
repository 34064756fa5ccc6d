#include "app/cli/commands.h"
#include "engine/verify/golden.h"
#include "engine/verify/switch_search.h"

#include <array>
#include <cstdio>

namespace trefoil::cli {
namespace {

std::string number(const char* format, double value) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string column(std::string text, std::size_t width) {
    if (text.size() < width) text.resize(width, ' ');
    return text;
}

/// Executors of one model with any switches: changed in place where the device can, loaded again where it cannot.
class SwitchedModel {
public:
    SwitchedModel(Engine& engine, const ModelOptions& options) : m_engine(engine), m_options(options) {}

    Result<Executor*> with(const Compatibility& compatibility) {
        Executor* executor = m_engine.executor();
        if (executor != nullptr) {
            if (executor->config().compatibility == compatibility) return executor;
            const Status s = executor->setCompatibility(compatibility);
            if (s.ok()) return executor;
            if (s.error().kind != ErrorKind::Unsupported) return s.error();
        }
        m_engine.unload();  // before the next load: two large models would not fit
        ModelOptions options = m_options;
        options.switches.clear();
        for (const CompatibilitySwitch& which : compatibilitySwitches())
            options.switches.push_back(std::string(which.name) + "=" + std::string(choiceOf(compatibility, which)));
        const auto loaded = loadModel(m_engine, options, false, false);
        if (!loaded.ok()) return loaded.error();
        return m_engine.executor();
    }

private:
    Engine& m_engine;
    const ModelOptions& m_options;
};

int verify(Executor& executor, const VerifyCommandOptions& options) {
    VerifyOptions verify;
    verify.cancel = &cancelFlag();
    verify.onRow = [](const VerifyRow& row) {
        const char* verdict = row.skipped ? "skipped" : row.ok ? "ok" : "FAIL";
        print(column(row.name, 32) + " " + column(row.result, 44) + " " + verdict + "\n");
    };
    const auto report = verifyGolden(executor, options.golden, verify);
    if (!report.ok()) return fail(report.error());
    print(std::to_string(report->rows.size()) + " compared, " + std::to_string(report->failed()) + " failed\n");
    if (!report->firstDifference.empty()) print("first difference: " + report->firstDifference + "\n");
    return report->ok() ? kOk : kFailed;
}

void printTable(const SwitchSearch& search) {
    print("\nrank  failed of compared  mean error  switches\n");
    for (std::size_t i = 0; i < search.ranked.size(); ++i) {
        const SwitchCandidate& c = search.ranked[i];
        print(column(std::to_string(i + 1), 6) + column(std::to_string(c.failed) + " of " + std::to_string(c.compared), 20) +
              column(number("%.2e", c.meanError), 12) + c.name() + (c.noEffect ? " (no effect on these files)" : "") + "\n");
    }
}

int search(Engine& engine, const VerifyCommandOptions& options) {
    SwitchedModel model(engine, options.model);
    SwitchSearchOptions how;
    how.seconds = options.seconds;
    how.cancel = &cancelFlag();
    how.onCandidate = [](const SwitchCandidate& c) {
        print("tried " + c.name() + ": " + std::to_string(c.failed) + " of " + std::to_string(c.compared) +
              " failed, mean error " + number("%.2e", c.meanError) + "\n");
    };
    const Compatibility from = engine.model()->config.compatibility;
    const auto found = searchSwitches([&model](const Compatibility& c) { return model.with(c); }, from, options.golden, how);
    if (!found.ok()) return fail(found.error());
    printTable(*found);
    if (found->outOfTime)
        print("stopped after " + number("%.0f", options.seconds) + " s: " + std::to_string(found->ranked.size()) +
              " of at least " + std::to_string(found->planned) + " combinations tried; --limit gives more time\n");
    const SwitchCandidate& best = found->ranked.front();
    if (!found->fits()) {
        print("\nnothing fits: none of these combinations agrees with the golden files. Closest: " + best.name() +
              ".\nfirst difference then: " + best.firstDifference + "\n");
        return kFailed;
    }
    // The search looked at the first decoding runs only: the winner has to stand all of them.
    Compatibility winner = from;
    for (const SwitchState& state : best.changed) (void)setCompatibility(winner, state.which->name, state.choice);
    const auto executor = model.with(winner);
    if (!executor.ok()) return fail(executor.error());
    VerifyOptions whole;
    whole.cancel = &cancelFlag();
    const auto report = verifyGolden(**executor, options.golden, whole);
    if (!report.ok()) return fail(report.error());
    if (!report->ok()) {
        print("\nclosest: " + best.name() + ", but " + std::to_string(report->failed()) + " of " +
              std::to_string(report->rows.size()) + " comparisons fail. First difference: " + report->firstDifference + "\n");
        return kFailed;
    }
    print("\nfits: " + best.name() + " (" + std::to_string(report->rows.size()) + " compared, 0 failed)\n");
    if (!best.changed.empty()) {
        std::string json;
        for (const SwitchState& state : best.changed)
            json += (json.empty() ? "" : ", ") + ('"' + std::string(state.which->name) + "\": \"" + state.choice + '"');
        print("to keep it, add to config.json: \"trefoil\": {" + json + "}\n");
    }
    return kOk;
}

}  // namespace

int runVerify(const VerifyCommandOptions& options) {
    // Before a load that may take minutes.
    if (const Status s = findGolden(options.golden); !s.ok()) return fail(s.error());
    Engine engine;
    auto model = loadModel(engine, options.model, false);
    if (!model.ok()) return fail(model.error());
    print("on " + model->device + "\n");
    return options.search ? search(engine, options) : verify(*engine.executor(), options);
}

}  // namespace trefoil::cli
