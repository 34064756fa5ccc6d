// PrefixCache, and what the decoder does with it and with an answer that was begun, over a scripted executor.
#include "engine/runtime/prefix_cache.h"
#include "engine/decode/block_decoder.h"

#include "tests/support/scripted_executor.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace trefoil {
namespace {

using testing::peak;
using testing::scriptedConfig;
using testing::ScriptedExecutor;
using testing::ScriptedRow;
using Ids = std::vector<TokenId>;

constexpr std::int64_t kVocab = 16;
constexpr TokenId kMask = 15;
constexpr TokenId kThinkEnd = 9;

class FakeSnapshot : public PrefixSnapshot {
public:
    FakeSnapshot(std::uint64_t bytes, std::int64_t length) : m_bytes(bytes), m_length(length) {}
    [[nodiscard]] std::uint64_t bytes() const override { return m_bytes; }
    [[nodiscard]] std::int64_t length() const override { return m_length; }

private:
    std::uint64_t m_bytes;
    std::int64_t m_length;
};

void store(PrefixCache& cache, const Ids& ids, std::uint64_t bytes) {
    cache.store(ids, std::make_unique<FakeSnapshot>(bytes, static_cast<std::int64_t>(ids.size())));
}

TEST(PrefixCache, FindsTheLongestThatBeginsThePrompt) {
    PrefixCache cache(100);
    store(cache, {1}, 10);
    store(cache, {1, 2, 3}, 10);
    store(cache, {1, 2, 4, 5}, 10);
    const Ids prompt{1, 2, 3, 4, 5};
    ASSERT_NE(cache.find(prompt, 5), nullptr);
    EXPECT_EQ(cache.find(prompt, 5)->length(), 3);
    EXPECT_EQ(cache.find(prompt, 2)->length(), 1);
    EXPECT_EQ(cache.find(prompt, 0), nullptr);
    EXPECT_EQ(cache.find(Ids{2, 1}, 2), nullptr);
    EXPECT_EQ(cache.find(Ids{1, 2}, 2)->length(), 1);  // longer ones are no beginning of it
}

TEST(PrefixCache, TheLeastRecentlyUsedGoesFirst) {
    PrefixCache cache(30);
    store(cache, {1}, 10);
    store(cache, {2}, 10);
    store(cache, {3}, 10);
    EXPECT_TRUE(cache.holds(Ids{1}));  // used now
    store(cache, {4}, 10);
    EXPECT_FALSE(cache.holds(Ids{2}));
    EXPECT_TRUE(cache.holds(Ids{1}));
    EXPECT_EQ(cache.bytes(), 30U);
    store(cache, {5}, 31);  // never fits: the others stay
    EXPECT_EQ(cache.size(), 3U);
    store(cache, {1}, 10);  // there already
    EXPECT_EQ(cache.size(), 3U);
    cache.setBudget(10);
    EXPECT_EQ(cache.size(), 1U);
    EXPECT_TRUE(cache.holds(Ids{1}));
    cache.setBudget(0);
    EXPECT_EQ(cache.size(), 0U);
    store(cache, {1}, 10);
    EXPECT_EQ(cache.size(), 0U);
}

GenerationConfig plainConfig(std::int64_t blockSize, std::int64_t maxNewTokens) {
    GenerationConfig config;
    config.blockSize = blockSize;
    config.maxNewTokens = maxNewTokens;
    config.presencePenalty = 0;
    config.repetitionPenalty = 1;
    return config;
}

class Recorder : public DecodeObserver {
public:
    void onPrefill(std::int64_t done, std::int64_t /*total*/) override { prefills.push_back(done); }
    void onPass(const PassRecord& pass) override { passes.push_back(pass); }
    std::vector<std::int64_t> prefills;
    std::vector<PassRecord> passes;
};

/// Every row wants a token that tells its position, so that a wrong prefix gives another text.
ScriptedExecutor counting() {
    return {scriptedConfig(kVocab), [](const ScriptedRow& row) {
                const std::int64_t own = row.position + (row.noisy ? 0 : 1);
                return peak(kVocab, static_cast<TokenId>(1 + own % 8), 20);
            }};
}

struct Outcome {
    DecodeResult result;
    Recorder seen;
};

Outcome run(Executor& executor, DecodeRequest request) {
    Outcome out;
    out.result = decode(executor, request, out.seen, CancelFlag());
    return out;
}

std::int64_t prefilled(const ScriptedExecutor& executor, std::size_t from) {
    std::int64_t sum = 0;
    for (std::size_t i = from; i < executor.calls().size(); ++i)
        if (executor.calls()[i].rfind("prefill ", 0) == 0) sum += std::stoll(executor.calls()[i].substr(8));
    return sum;
}

TEST(PrefixReuse, OnlyWhatIsNewIsPrefilled) {
    for (const DecodingMode mode : {DecodingMode::LowConfidence, DecodingMode::SelfSpeculative, DecodingMode::Autoregressive}) {
        PrefixCache cache;
        ScriptedExecutor executor = counting();
        GenerationConfig config = plainConfig(4, 8);
        config.decoding = mode;
        const Ids first{1, 2, 3, 4, 5, 6};
        const std::vector<std::int64_t> marks{2, 5};
        const Outcome cold = run(executor, {first, config, false, kThinkEnd, {}, 0, &cache, marks});
        EXPECT_EQ(cold.result.reusedTokens, 0);
        EXPECT_EQ(cache.size(), 2U);
        std::size_t seen = executor.calls().size();

        // The same prompt again.
        const Outcome again = run(executor, {first, config, false, kThinkEnd, {}, 0, &cache, marks});
        EXPECT_EQ(again.result.reusedTokens, 5);
        EXPECT_EQ(prefilled(executor, seen), 1);
        EXPECT_EQ(again.result.response, cold.result.response);
        EXPECT_EQ(again.seen.prefills.front(), 5);
        EXPECT_EQ(again.seen.prefills.back(), 6);
        EXPECT_EQ(std::count(executor.counts().begin(), executor.counts().end(), 0.0F) < kVocab, true);

        // A longer one that parts from it after the first mark, with the cache and without.
        const Ids other{1, 2, 8, 8, 8, 8, 8};
        seen = executor.calls().size();
        const Outcome warm = run(executor, {other, config, false, kThinkEnd, {}, 0, &cache, {}});
        EXPECT_EQ(warm.result.reusedTokens, 2);
        EXPECT_EQ(prefilled(executor, seen), 5);
        EXPECT_EQ(run(executor, {other, config, false, kThinkEnd}).result.response, warm.result.response);
    }
}

TEST(PrefixReuse, TheCausalModesKeepALastTokenToRun) {
    PrefixCache cache;
    ScriptedExecutor executor = counting();
    GenerationConfig config = plainConfig(4, 8);
    const Ids prompt{1, 2, 3, 4};
    const std::vector<std::int64_t> marks{2, 4};
    (void)run(executor, {prompt, config, false, kThinkEnd, {}, 0, &cache, marks});
    EXPECT_EQ(run(executor, {prompt, config, false, kThinkEnd, {}, 0, &cache, marks}).result.reusedTokens, 4);
    config.decoding = DecodingMode::Autoregressive;
    EXPECT_EQ(run(executor, {prompt, config, false, kThinkEnd, {}, 0, &cache, marks}).result.reusedTokens, 2);
}

TEST(PrefixReuse, BlocksOfThePromptAreNotTakenFromASnapshotBeyondThem) {
    PrefixCache cache;
    ScriptedExecutor executor = counting();
    GenerationConfig config = plainConfig(4, 8);
    config.alignBlocks = true;
    const Ids prompt{1, 2, 3, 4, 5, 6};  // two of them lead the first block
    const std::vector<std::int64_t> marks{3, 6};
    const Outcome cold = run(executor, {prompt, config, false, kThinkEnd, {}, 0, &cache, marks});
    EXPECT_EQ(cache.size(), 1U);
    const Outcome warm = run(executor, {prompt, config, false, kThinkEnd, {}, 0, &cache, marks});
    EXPECT_EQ(warm.result.reusedTokens, 3);
    EXPECT_EQ(warm.result.response, cold.result.response);
}

TEST(BegunAnswer, GoesOnAsIfItHadNeverStopped) {
    for (const bool aligned : {false, true}) {
        GenerationConfig config = plainConfig(4, 16);
        config.alignBlocks = aligned;
        config.frequencyPenalty = 2;  // the counts must be those of the whole answer
        config.doSample = true;
        config.seed = 5;
        const Ids prompt{1, 2, 3};
        ScriptedExecutor whole = counting();
        const Outcome complete = run(whole, {prompt, config, true, kThinkEnd});
        ASSERT_EQ(complete.result.response.size(), 16U);
        const std::size_t firstBlock = aligned ? 1 : 4;
        for (std::size_t kept = firstBlock; kept < 16; kept += 4) {
            ScriptedExecutor executor = counting();
            const Ids begun(complete.result.response.begin(),
                            complete.result.response.begin() + static_cast<std::ptrdiff_t>(kept));
            const auto blocks = static_cast<std::int64_t>((kept + 3) / 4);
            const Outcome rest = run(executor, {prompt, config, true, kThinkEnd, begun, blocks});
            EXPECT_EQ(rest.result.response, complete.result.response) << kept;
            EXPECT_EQ(rest.result.stopReason, complete.result.stopReason);
            ASSERT_FALSE(rest.seen.passes.empty());
            EXPECT_EQ(rest.seen.passes.front().block, blocks);
            EXPECT_EQ(rest.seen.passes.front().firstPosition, static_cast<std::int64_t>(kept));
        }
    }
}

TEST(BegunAnswer, InEveryModeAndAtAnyToken) {
    for (const DecodingMode mode : {DecodingMode::SelfSpeculative, DecodingMode::Autoregressive}) {
        GenerationConfig config = plainConfig(4, 12);
        config.decoding = mode;
        const Ids prompt{1, 2, 3};
        ScriptedExecutor whole = counting();
        const Ids complete = run(whole, {prompt, config, false, kThinkEnd}).result.response;
        for (std::size_t kept = 1; kept < complete.size(); ++kept) {
            ScriptedExecutor executor = counting();
            const Ids begun(complete.begin(), complete.begin() + static_cast<std::ptrdiff_t>(kept));
            EXPECT_EQ(run(executor, {prompt, config, false, kThinkEnd, begun, 1}).result.response, complete) << kept;
        }
    }
}

TEST(BegunAnswer, AClosedThinkingIsKnownById) {
    // The think-end bias would close an open thinking at once.
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow&) { return peak(kVocab, 3, 20); });
    GenerationConfig config = plainConfig(4, 8);
    config.thinkEndBias = 1000;
    config.thinkEndStart = 0;
    config.thinkEndWindow = 1;
    const Ids prompt{1, 2};
    const Ids open{4, 4};
    const Ids closed{4, kThinkEnd};
    EXPECT_EQ(run(executor, {prompt, config, true, kThinkEnd, open, 1}).result.response[2], kThinkEnd);
    EXPECT_EQ(run(executor, {prompt, config, true, kThinkEnd, closed, 1}).result.response[2], 3);
}

TEST(BegunAnswer, RefusesTokensThatNoAnswerHas) {
    ScriptedExecutor executor = counting();
    const Ids prompt{1, 2};
    for (const TokenId bad : {kMask, TokenId{0}, TokenId{16}, TokenId{-1}}) {
        const Ids begun{3, bad};
        const Outcome out = run(executor, {prompt, plainConfig(4, 8), false, kThinkEnd, begun, 1});
        EXPECT_EQ(out.result.stopReason, StopReason::Refused) << bad;
        ASSERT_TRUE(out.result.error);
    }
    EXPECT_TRUE(executor.calls().empty());
}

TEST(BegunAnswer, CountsInTheLengthAndTheContext) {
    ScriptedExecutor executor(scriptedConfig(kVocab, 12), [](const ScriptedRow&) { return peak(kVocab, 3, 20); });
    const Ids prompt{1, 2};
    const Ids begun{3, 3, 3};
    // 2 + 3 and one block of 4 fit 12 positions; two blocks do not.
    const Outcome fits = run(executor, {prompt, plainConfig(4, 7), false, kThinkEnd, begun, 1});
    EXPECT_EQ(fits.result.response.size(), 7U);
    EXPECT_EQ(fits.result.stopReason, StopReason::Length);
    EXPECT_EQ(run(executor, {prompt, plainConfig(4, 8), false, kThinkEnd, begun, 1}).result.stopReason, StopReason::Refused);
    // Nothing is left to write.
    const Outcome done = run(executor, {prompt, plainConfig(4, 3), false, kThinkEnd, begun, 1});
    EXPECT_EQ(done.result.response, begun);
    EXPECT_EQ(done.result.passes, 0);
}

}  // namespace
}  // namespace trefoil
