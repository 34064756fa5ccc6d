// The CPU engine against the oracle's outputs, and properties of decoding with the demo model.
#include "engine/verify/golden.h"
#include "engine/session.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace trefoil {
namespace {

const std::filesystem::path kSource = TREFOIL_SOURCE_DIR;
const std::filesystem::path kDemo = kSource / "resources/demo-model";

/// One loaded model for all tests of a suite.
class EngineTest : public ::testing::Test {
protected:
    static Result<LoadedModel> load(Engine& engine, const std::filesystem::path& folder, int threads) {
        LoadOptions options;
        options.device.device = "cpu";
        options.device.threads = threads;
        options.requireTokenizer = false;
        return engine.load(folder, options, {}, CancelFlag());
    }

    static void expectGolden(const std::filesystem::path& model, const std::filesystem::path& golden, int threads,
                             std::size_t atLeast) {
        Engine engine;
        const auto loaded = load(engine, model, threads);
        ASSERT_TRUE(loaded.ok()) << loaded.error().text();
        const auto report = verifyGolden(*engine.executor(), golden, {});
        ASSERT_TRUE(report.ok()) << report.error().text();
        EXPECT_GE(report->rows.size(), atLeast);
        for (const VerifyRow& row : report->rows) EXPECT_TRUE(row.ok && !row.skipped) << row.name << ": " << row.result;
        EXPECT_LE(report->worstError, 1e-4);
    }
};

TEST_F(EngineTest, TinyEqualsTheReference) { expectGolden(kSource / "tests/golden/tiny", kSource / "tests/golden/tiny", 2, 90); }
/// transformers' own qwen3_5_moe, recorded by tests/reference/dump_reference.py (the folder's README has the commands).
TEST_F(EngineTest, CausalHalfEqualsTransformers) {
    const auto folder = kSource / "tests/golden/transformers-qwen3_5_moe";
    expectGolden(folder, folder, 2, 7);
}
TEST_F(EngineTest, DemoEqualsTheReference) { expectGolden(kDemo, kSource / "tests/golden/demo", 1, 46); }

/// The demo model, loaded once, with a way to ask it.
class DemoTest : public EngineTest {
protected:
    static void SetUpTestSuite() {
        s_engine = std::make_unique<Engine>();
        const auto loaded = load(*s_engine, kDemo, 2);
        ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    }
    static void TearDownTestSuite() { s_engine.reset(); }

    static DecodeResult ask(Engine& engine, const std::vector<ChatMessage>& messages, const GenerationConfig& config,
                            std::vector<PassRecord>* passes = nullptr) {
        class Keep : public DecodeObserver {
        public:
            explicit Keep(std::vector<PassRecord>* out) : m_out(out) {}
            void onPass(const PassRecord& pass) override {
                if (m_out != nullptr) m_out->push_back(pass);
            }

        private:
            std::vector<PassRecord>* m_out;
        } keep(passes);
        const auto prompt = engine.model()->text->format->render(messages, config.enableThinking);
        EXPECT_TRUE(prompt.ok());
        return engine.generate({prompt->ids, prompt->thinkingOpen, std::nullopt, config}, keep, CancelFlag());
    }
    static DecodeResult ask(const std::string& question, const GenerationConfig& config,
                            std::vector<PassRecord>* passes = nullptr) {
        return ask(*s_engine, {{"user", question}}, config, passes);
    }
    static GenerationConfig defaults() { return s_engine->model()->defaults; }

    static std::unique_ptr<Engine> s_engine;
};
std::unique_ptr<Engine> DemoTest::s_engine;

const std::vector<std::string> kQuestions{"What is 347 + 586?", "Count from 1 to 40.", "What does the threshold do?",
                                          "Make a multiplication table for 7.", "How many r's are in strawberry?"};

TEST_F(DemoTest, LowerThresholdNeedsNoMorePasses) {
    std::int64_t careful = 0;
    std::int64_t quick = 0;
    GenerationConfig config = defaults();
    for (const std::string& question : kQuestions) {
        config.threshold = 0.95;
        careful += ask(question, config).passes;
        config.threshold = 0.5;
        quick += ask(question, config).passes;
    }
    EXPECT_LE(quick, careful);
    EXPECT_GT(quick, 0);
}

TEST_F(DemoTest, SelfSpeculativeEqualsAutoregressive) {
    for (const bool sample : {false, true}) {
        GenerationConfig config = defaults();
        config.doSample = sample;
        config.temperature = 1.1;
        config.seed = 7;
        config.maxNewTokens = 96;
        for (const std::string& question : kQuestions) {
            config.decoding = DecodingMode::Autoregressive;
            const DecodeResult one = ask(question, config);
            config.decoding = DecodingMode::SelfSpeculative;
            const DecodeResult two = ask(question, config);
            EXPECT_EQ(one.response, two.response) << question;
            EXPECT_EQ(one.stopReason, two.stopReason) << question;
        }
    }
}

TEST_F(DemoTest, TextDoesNotDependOnThreads) {
    GenerationConfig config = defaults();
    config.doSample = true;
    config.temperature = 1.1;
    config.seed = 7;
    const DecodeResult two = ask(kQuestions[1], config);
    for (const int threads : {1, 3, 8}) {
        Engine other;
        ASSERT_TRUE(load(other, kDemo, threads).ok());
        EXPECT_EQ(ask(other, {{"user", kQuestions[1]}}, config).response, two.response) << threads;
    }
    EXPECT_EQ(ask(kQuestions[1], config).response, two.response);
}

TEST_F(DemoTest, PenaltiesNeverTouchThePrompt) {
    std::vector<ChatMessage> turns;
    for (int i = 0; i < 10; ++i) {
        turns.push_back({"user", "What is 12 + 30?"});
        turns.push_back({"assistant", "12 + 30 = **42**"});
    }
    turns.push_back({"user", "What is 347 + 586?"});
    GenerationConfig none = defaults();
    none.repetitionPenalty = 1;
    none.presencePenalty = 0;
    GenerationConfig strong = none;
    strong.frequencyPenalty = 5;
    strong.presencePenalty = 2;
    strong.repetitionPenalty = 1.5;
    std::vector<PassRecord> without;
    std::vector<PassRecord> with;
    (void)ask(*s_engine, turns, none, &without);
    (void)ask(*s_engine, turns, strong, &with);
    ASSERT_FALSE(without.empty());
    ASSERT_FALSE(with.empty());
    for (std::size_t t = 0; t < without[0].rows.size(); ++t) {
        EXPECT_EQ(without[0].rows[t].token, with[0].rows[t].token) << t;
        EXPECT_EQ(without[0].rows[t].confidence, with[0].rows[t].confidence) << t;
    }
    const DecodeResult lone = ask("What is 347 + 586?", strong);
    EXPECT_EQ(lone.stopReason, StopReason::End);
    EXPECT_EQ(lone.response.size(), 55U);  // as the reference, with its 28 passes
    EXPECT_EQ(lone.passes, 28);
}

TEST_F(DemoTest, ShortAnswersKeepTheirFirstWord) {
    GenerationConfig config = defaults();
    const DecodeResult water = ask("How do you say water in Japanese?", config);
    EXPECT_EQ(water.response.size(), 20U);
    EXPECT_EQ(water.passes, 1);
    config.enableThinking = false;
    config.maxNewTokens = 1;
    const DecodeResult one = ask("What does the threshold do?", config);
    ASSERT_EQ(one.response.size(), 1U);
    EXPECT_EQ(s_engine->model()->text->tokenizer->decode(one.response), "The");
    EXPECT_EQ(one.stopReason, StopReason::Length);
}

TEST_F(DemoTest, LengthsFollowTheReference) {
    GenerationConfig config = defaults();
    config.enableThinking = false;
    for (const std::int64_t limit : {1, 33, 40, 51, 52, 60, 64}) {
        config.maxNewTokens = limit;
        for (const DecodingMode mode :
             {DecodingMode::LowConfidence, DecodingMode::SelfSpeculative, DecodingMode::Autoregressive}) {
            config.decoding = mode;
            const DecodeResult result = ask("What does the threshold do?", config);
            if (mode == DecodingMode::LowConfidence) {
                EXPECT_EQ(static_cast<std::int64_t>(result.response.size()), std::min<std::int64_t>(limit, 51)) << limit;
            }
            EXPECT_LE(static_cast<std::int64_t>(result.response.size()), limit);
            EXPECT_EQ(result.stopReason == StopReason::Length, static_cast<std::int64_t>(result.response.size()) == limit)
                << limit;
        }
    }
}

TEST_F(DemoTest, SettingsThatMeanGreedyGiveTheGreedyText) {
    const GenerationConfig greedy = defaults();
    const auto expected = ask(kQuestions[0], greedy).response;
    GenerationConfig config = greedy;
    config.doSample = true;
    for (const double temperature : {0.0, 1e-8}) {
        config.temperature = temperature;
        EXPECT_EQ(ask(kQuestions[0], config).response, expected) << temperature;
    }
    config.temperature = 1.0;
    config.topK = 1;
    EXPECT_EQ(ask(kQuestions[0], config).response, expected);
    config.topK = 999999;
    config.topP = 0.0;
    EXPECT_EQ(ask(kQuestions[0], config).response, expected);
    config.topP = 1.0;
    config.temperature = 100.0;
    config.maxNewTokens = 64;
    const DecodeResult wild = ask(kQuestions[0], config);
    EXPECT_FALSE(wild.error);
}

}  // namespace
}  // namespace trefoil
