// Reuse of prefixes with the demo model on the CPU: the text is the same with it and without, whatever came between.
#include "engine/session.h"
#include "engine/verify/golden_cases.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace trefoil {
namespace {

const std::filesystem::path kSource = TREFOIL_SOURCE_DIR;

class PrefixReuseTest : public ::testing::Test {
protected:
    void SetUp() override {
        LoadOptions options;
        options.device.device = "cpu";
        options.device.threads = 2;
        const auto loaded = m_engine.load(kSource / "resources/demo-model", options, {}, CancelFlag());
        ASSERT_TRUE(loaded.ok()) << loaded.error().text();
        m_config = m_engine.model()->defaults;
    }

    GenerationRequest request(const std::vector<ChatMessage>& messages) {
        const auto prompt = m_engine.model()->text->format->render(messages, m_config.enableThinking);
        EXPECT_TRUE(prompt.ok());
        return {prompt->ids, prompt->thinkingOpen, std::nullopt, m_config, prompt->boundaries};
    }
    DecodeResult ask(const GenerationRequest& request, const CancelFlag& cancel = CancelFlag()) {
        DecodeObserver silent;
        return m_engine.generate(request, silent, cancel);
    }
    std::string answerOf(const DecodeResult& result, bool thinkingOpen) {
        return m_engine.model()->text->format->split(result.response, thinkingOpen).answer;
    }

    /// The answers of a conversation, each turn with the ones before it, and how much of its prompts was reused.
    std::vector<std::vector<TokenId>> converse(const std::vector<std::string>& questions, std::int64_t* reused) {
        std::vector<ChatMessage> messages{{"system", "Answer briefly."}};
        std::vector<std::vector<TokenId>> answers;
        for (const std::string& question : questions) {
            messages.push_back({"user", question});
            const GenerationRequest asked = request(messages);
            const DecodeResult result = ask(asked);
            EXPECT_FALSE(result.error);
            *reused += result.reusedTokens;
            messages.push_back({"assistant", answerOf(result, asked.thinkingOpen)});
            answers.push_back(result.response);
        }
        return answers;
    }

    Engine m_engine;
    GenerationConfig m_config;
};

const std::vector<std::string> kQuestions{"What is 347 + 586?", "Count from 1 to 40.", "What is 128 + 64?",
                                          "Write a Python function that reverses a string."};

TEST_F(PrefixReuseTest, ConversationsAreTheSameWithItAndWithout) {
    for (const DecodingMode mode : {DecodingMode::LowConfidence, DecodingMode::SelfSpeculative, DecodingMode::Autoregressive}) {
        for (const bool sample : {false, true}) {
            m_config = m_engine.model()->defaults;
            m_config.decoding = mode;
            m_config.doSample = sample;
            m_config.temperature = 1.1;
            m_config.seed = 7;
            m_config.maxNewTokens = 192;
            std::int64_t none = 0;
            m_engine.prefixCache().setBudget(0);
            const auto without = converse(kQuestions, &none);
            EXPECT_EQ(none, 0);
            std::int64_t some = 0;
            m_engine.prefixCache().setBudget(PrefixCache::kDefaultBudget);
            const auto with = converse(kQuestions, &some);
            EXPECT_EQ(with, without);
            EXPECT_GT(some, 0);
            m_engine.prefixCache().clear();
        }
    }
}

TEST_F(PrefixReuseTest, TheNextTurnPrefillsItsNewPartOnly) {
    std::vector<ChatMessage> messages{{"user", kQuestions[0]}};
    const GenerationRequest first = request(messages);
    const DecodeResult answer = ask(first);
    messages.push_back({"assistant", answerOf(answer, first.thinkingOpen)});
    messages.push_back({"user", kQuestions[2]});
    const DecodeResult next = ask(request(messages));
    EXPECT_EQ(next.reusedTokens, first.boundaries.back());  // all of it but the `<think>`, which the history drops
    // Another answer to the same question; the question edited.
    EXPECT_EQ(ask(request(messages)).reusedTokens, request(messages).boundaries.back());
    messages.back().content = kQuestions[1];
    const GenerationRequest edited = request(messages);
    EXPECT_EQ(ask(edited).reusedTokens, edited.boundaries[edited.boundaries.size() - 3]);
}

TEST_F(PrefixReuseTest, GoldenCasesWithSnapshotsAtOddPlaces) {
    std::ifstream file(kSource / "tests/golden/demo/traces.json");
    const std::string json((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto cases = parseGoldenCases(json, "traces.json", m_config);
    ASSERT_TRUE(cases.ok()) << cases.error().text();
    ASSERT_GE(cases->size(), 15U);
    for (const GoldenCase& golden : *cases) {
        const auto size = static_cast<std::int64_t>(golden.prompt.size());
        const GenerationRequest again{golden.prompt, golden.thinking, golden.thinkEndId, golden.config, {size / 3, size - 1}};
        for (int round = 0; round < 2; ++round) {
            const DecodeResult result = ask(again);
            EXPECT_EQ(result.response, golden.response);
            if (round == 1 && !golden.config.alignBlocks) {  // there, a short prompt is the first block's
                EXPECT_GT(result.reusedTokens, 0);
            }
        }
    }
}

TEST_F(PrefixReuseTest, AStoppedAnswerGoesOnToTheSameText) {
    m_config.doSample = true;
    m_config.temperature = 1.1;
    m_config.seed = 7;
    m_config.maxNewTokens = 256;
    const GenerationRequest whole = request({{"user", kQuestions[1]}});
    const DecodeResult complete = ask(whole);
    ASSERT_GT(complete.response.size(), 64U);

    class StopAfter : public DecodeObserver {
    public:
        explicit StopAfter(CancelFlag* cancel) : m_cancel(cancel) {}
        void onTokens(std::span<const TokenId> /*tokens*/) override { m_cancel->request(); }

    private:
        CancelFlag* m_cancel;
    };
    CancelFlag cancel;
    StopAfter stop(&cancel);
    const DecodeResult stopped = m_engine.generate(whole, stop, cancel);
    EXPECT_EQ(stopped.stopReason, StopReason::Cancelled);
    ASSERT_EQ(static_cast<std::int64_t>(stopped.response.size()), m_config.blockSize);

    // Another conversation in between, and with no snapshot at all.
    (void)ask(request({{"user", kQuestions[2]}}));
    for (const bool reuse : {true, false}) {
        if (!reuse) m_engine.prefixCache().setBudget(0);
        GenerationRequest rest = whole;
        rest.begun = stopped.response;
        rest.begunBlocks = 1;
        const DecodeResult result = ask(rest);
        EXPECT_EQ(result.response, complete.response);
        EXPECT_EQ(result.stopReason, complete.stopReason);
        EXPECT_EQ(result.passes + stopped.passes, complete.passes);
    }
}

TEST_F(PrefixReuseTest, AnotherModelStartsAfresh) {
    (void)ask(request({{"user", kQuestions[0]}}));
    EXPECT_GT(m_engine.prefixCache().size(), 0U);
    LoadOptions options;
    options.device.device = "cpu";
    options.device.threads = 1;
    ASSERT_TRUE(m_engine.load(kSource / "resources/demo-model", options, {}, CancelFlag()).ok());
    EXPECT_EQ(m_engine.prefixCache().size(), 0U);
    EXPECT_EQ(ask(request({{"user", kQuestions[0]}})).reusedTokens, 0);
    m_engine.unload();
    EXPECT_EQ(m_engine.prefixCache().size(), 0U);
}

}  // namespace
}  // namespace trefoil
