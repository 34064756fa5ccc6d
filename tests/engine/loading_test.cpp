// Before and while a model is loaded: what is said from headers alone, what fits, how one model follows another.
#include "engine/checkpoint/synth.h"
#include "engine/session.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using test::kDemo;
using test::ScratchFolder;

/// Bytes that this process has read by system calls so far, files of /proc included.
std::uint64_t bytesRead() {
    std::ifstream file("/proc/self/io");
    std::string key;
    std::uint64_t value = 0;
    while (file >> key >> value)
        if (key == "rchar:") return value;
    return 0;
}

LoadOptions onCpu() {
    LoadOptions options;
    options.device.device = "cpu";
    options.device.threads = 2;
    options.requireTokenizer = false;
    return options;
}

StopReason ask(Engine& engine) {
    class : public DecodeObserver {
    } silent;
    const CancelFlag never;
    GenerationRequest request;
    request.promptIds = {2, 300, 301, 302};
    request.config.maxNewTokens = 32;
    return engine.generate(request, silent, never).stopReason;
}

bool answers(Engine& engine) {
    const StopReason reason = ask(engine);
    return reason == StopReason::End || reason == StopReason::Length;
}

TEST(MemoryFit, ComparesWhatIsNeededWithWhatIsFree) {
    MemoryPlan plan;
    plan.weights = 60;
    plan.keyValue = 30;
    plan.states = 5;
    plan.workspace = 5;
    plan.available = 100;
    EXPECT_EQ(memoryFit(plan, false, 0), MemoryFit::Fits);
    plan.available = 99;
    EXPECT_EQ(memoryFit(plan, false, 0), MemoryFit::DoesNotFit);
    EXPECT_EQ(memoryFit(plan, false, 1), MemoryFit::FitsAlone);
    // On the CPU keys and values come with use.
    EXPECT_EQ(memoryFit(plan, true, 0), MemoryFit::Fits);
    plan.available = 69;
    EXPECT_EQ(memoryFit(plan, true, 0), MemoryFit::DoesNotFit);
    EXPECT_EQ(memoryFit(plan, true, 1), MemoryFit::FitsAlone);
    plan.available = 0;  // unknown
    EXPECT_EQ(memoryFit(plan, false, 0), MemoryFit::Fits);
}

TEST(Examination, TellsAllOfALargeModelFromItsHeaders) {
    const ScratchFolder scratch;
    SynthOptions synth;
    synth.headersOnly = true;
    const fs::path folder = scratch / "large";
    const Status written = writeSyntheticCheckpoint(folder, cloverConfigJson(), synth);
    ASSERT_TRUE(written.ok()) << written.error().text();

    const std::uint64_t before = bytesRead();
    const auto model = examineModel(folder, onCpu());
    const std::uint64_t read = bytesRead() - before;
    ASSERT_TRUE(model.ok()) << model.error().text();
    // Headers, index and configuration are a few hundred kilobytes; the norms' weights may be looked at. Nothing else is.
    EXPECT_GT(read, 100'000U);
    EXPECT_LT(read, 2'000'000U);
    EXPECT_NEAR(static_cast<double>(model->summary.parameters), 34.66e9, 0.01e9);
    EXPECT_NEAR(static_cast<double>(model->summary.weightBytes), 69.3e9, 0.1e9);
    EXPECT_GT(model->summary.files.size(), 10U);
    EXPECT_EQ(model->modelContext, 131072);
    ASSERT_FALSE(model->devices.empty());
    ASSERT_TRUE(model->devices[0].plan.has_value());
    const MemoryPlan& plan = *model->devices[0].plan;
    EXPECT_GE(plan.weights, 69'000'000'000U);
    EXPECT_GT(plan.keyValue, 0U);
    EXPECT_GT(plan.states, 0U);
    EXPECT_GT(plan.workspace, 0U);
    EXPECT_GT(plan.available, 0U);

    // A shorter context takes less memory for keys and values, and nothing else changes.
    LoadOptions shorter = onCpu();
    shorter.device.context = 8192;
    const auto small = examineModel(folder, shorter);
    ASSERT_TRUE(small.ok());
    EXPECT_EQ(small->modelContext, 131072);
    EXPECT_EQ(small->config.maxPositionEmbeddings, 8192);
    EXPECT_LT(small->devices[0].plan->keyValue, plan.keyValue / 10);
    EXPECT_EQ(small->devices[0].plan->weights, plan.weights);

    // A limit below what it needs: it does not fit, and the numbers are told.
    LoadOptions limited = onCpu();
    limited.device.memoryLimit = 1'000'000'000;
    const auto tooLarge = examineModel(folder, limited);
    ASSERT_TRUE(tooLarge.ok());
    EXPECT_EQ(tooLarge->devices[0].fit, MemoryFit::DoesNotFit);
    EXPECT_NE(tooLarge->devices[0].problem.find("GB"), std::string::npos);
    const CancelFlag never;
    const auto refused = loadModel(folder, limited, {}, never);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::DoesNotFit);

    // One shard less, and it is said before anything else.
    fs::remove(folder / model->summary.files[3]);
    const auto incomplete = examineModel(folder, onCpu());
    ASSERT_FALSE(incomplete.ok());
    EXPECT_NE(incomplete.error().message.find(model->summary.files[3]), std::string::npos);
}

TEST(Loading, AShorterContextHoldsForRequests) {
    LoadOptions options = onCpu();
    options.device.context = 64;
    Engine engine;
    const CancelFlag never;
    const auto loaded = engine.load(kDemo, options, {}, never);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(loaded->config.maxPositionEmbeddings, 64);
    EXPECT_EQ(loaded->text->context, 64);
    GenerationRequest request;
    request.promptIds = {2, 300};
    request.config.maxNewTokens = 64;  // with the prompt more than 64
    class : public DecodeObserver {
    } silent;
    EXPECT_EQ(engine.generate(request, silent, never).stopReason, StopReason::Refused);
    EXPECT_TRUE(answers(engine));
}

TEST(Loading, AModelThatFitsAloneAsksForRoom) {
    const CancelFlag never;
    Engine engine;
    auto first = engine.load(kDemo, onCpu(), {}, never);
    ASSERT_TRUE(first.ok());
    LoadOptions options = onCpu();
    options.device.inUse = {first->deviceId, first->memory.total()};
    options.device.memoryLimit = first->memory.total() * 3 / 2;
    const auto examined = examineModel(kDemo, options);
    ASSERT_TRUE(examined.ok());
    EXPECT_EQ(examined->devices[0].fit, MemoryFit::FitsAlone);
    EXPECT_EQ(examined->chosenDevice, "cpu");

    // Nobody lets the first one go: refused with the numbers, and it still answers.
    auto refused = loadModel(kDemo, options, {}, never);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::DoesNotFit);
    EXPECT_TRUE(answers(engine));

    int asked = 0;
    options.release = [&] {
        ++asked;
        engine.unload();
        return true;
    };
    auto second = loadModel(kDemo, options, {}, never);
    ASSERT_TRUE(second.ok()) << second.error().text();
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(engine.model(), nullptr);
    engine.adopt(*std::move(second));
    EXPECT_TRUE(answers(engine));

    // Where both fit nobody is asked.
    options.device.memoryLimit = 0;
    ASSERT_TRUE(loadModel(kDemo, options, {}, never).ok());
    EXPECT_EQ(asked, 1);
}

TEST(Loading, CanBeCancelledAtAnyStep) {
    Engine engine;
    const CancelFlag never;
    ASSERT_TRUE(engine.load(kDemo, onCpu(), {}, never).ok());
    int steps = 0;
    const auto counted = loadModel(
        kDemo, onCpu(), [&](std::uint64_t, std::uint64_t) { ++steps; }, never);
    ASSERT_TRUE(counted.ok());
    ASSERT_GT(steps, 2);
    for (int at = 0; at < steps; ++at) {
        CancelFlag cancel;
        if (at == 0) cancel.request();
        int step = 0;
        std::uint64_t last = 0;
        const auto progress = [&](std::uint64_t done, std::uint64_t total) {
            EXPECT_LE(last, done);
            EXPECT_LE(done, total);
            last = done;
            if (++step == at) cancel.request();
        };
        const auto result = loadModel(kDemo, onCpu(), progress, cancel);
        ASSERT_FALSE(result.ok()) << at;
        EXPECT_EQ(result.error().kind, ErrorKind::Cancelled);
    }
    EXPECT_TRUE(answers(engine));  // the model in use never noticed
}

}  // namespace
}  // namespace trefoil
