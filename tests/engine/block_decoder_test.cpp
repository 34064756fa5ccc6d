// BlockDecoder over a scripted executor: which rows are resolved, limits, stop reasons, cancel, and what the executor is asked
// for.
#include "engine/decode/block_decoder.h"

#include "tests/support/scripted_executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace trefoil {
namespace {

using testing::peak;
using testing::scriptedConfig;
using testing::ScriptedExecutor;
using testing::ScriptedRow;

constexpr std::int64_t kVocab = 16;
constexpr TokenId kMask = 15;
constexpr TokenId kEnd = 0;
constexpr TokenId kThinkEnd = 9;

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
    void onTokens(std::span<const TokenId> t) override { tokens.insert(tokens.end(), t.begin(), t.end()); }
    std::vector<std::int64_t> prefills;
    std::vector<PassRecord> passes;
    std::vector<TokenId> tokens;
};

struct Outcome {
    DecodeResult result;
    Recorder seen;
};

Outcome run(ScriptedExecutor& executor, const GenerationConfig& config, const std::vector<TokenId>& prompt,
            bool thinking = false) {
    Outcome out;
    const CancelFlag never;
    out.result = decode(executor, {prompt, config, thinking, kThinkEnd}, out.seen, never);
    return out;
}

/// A script in which the token at each response position is fixed, with the given logit.
ScriptedExecutor::Script fixedText(std::vector<TokenId> text, std::size_t promptTokens, float logit = 20) {
    return [text = std::move(text), promptTokens, logit](const ScriptedRow& row) {
        const auto own = static_cast<std::size_t>(row.position + (row.noisy ? 0 : 1)) - promptTokens;
        return peak(kVocab, own < text.size() ? text[own] : 3, logit);
    };
}

TEST(LowConfidence, ConfidenceEqualToTheThresholdIsNotResolved) {
    // Two tokens with the same logit and all others out of reach: each has a confidence of exactly one half.
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow& /*row*/) {
        std::vector<float> logits(kVocab, -1000.0F);
        logits[3] = logits[4] = 1.0F;
        return logits;
    });
    GenerationConfig config = plainConfig(3, 3);
    config.threshold = 0.5;
    const Outcome out = run(executor, config, {1, 2});
    ASSERT_EQ(out.seen.passes.size(), 3U);
    EXPECT_EQ(out.seen.passes[0].rows[0].confidence, 0.5F);
    EXPECT_EQ(out.seen.passes[0].resolved, (std::vector<std::int32_t>{0}));  // equal confidences: the leftmost
    EXPECT_EQ(out.seen.passes[1].resolved, (std::vector<std::int32_t>{1}));
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{3, 3, 3}));
    config.threshold = 0.499;
    EXPECT_EQ(run(executor, config, {1, 2}).seen.passes.size(), 1U);
}

TEST(LowConfidence, ResolvedRowsNeverChange) {
    // The second pass would like other tokens everywhere.
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow& row) {
        const bool first = std::count(row.sequence.begin(), row.sequence.end(), kMask) == 4;
        const std::int64_t at = row.position - 2;
        return peak(kVocab, first ? 3 : 4, first && at >= 2 ? 1.0F : 20.0F);
    });
    const Outcome out = run(executor, plainConfig(4, 4), {1, 2});
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{3, 3, 4, 4}));
    ASSERT_EQ(out.seen.passes.size(), 2U);
    EXPECT_EQ(out.seen.passes[0].tokens, (std::vector<TokenId>{3, 3, kMask, kMask}));
}

TEST(LowConfidence, StopsWhenNothingBeforeTheFirstEndIsMasked) {
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow& row) {
        const std::int64_t at = row.position - 2;
        return peak(kVocab, at == 2 ? kEnd : 3, at <= 2 ? 20.0F : 1.0F);
    });
    const Outcome out = run(executor, plainConfig(8, 64), {1, 2});
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{3, 3}));
    EXPECT_EQ(out.result.stopReason, StopReason::End);
    EXPECT_EQ(out.result.passes, 1);
    EXPECT_EQ(out.seen.passes.back().droppedFrom, 2);
    EXPECT_EQ(out.seen.tokens, out.result.response);
    for (const std::string& call : executor.calls()) EXPECT_EQ(call.find("commit"), std::string::npos);
}

TEST(LowConfidence, AnEndTokenAfterAMaskWaits) {
    // Row 3 ends at once, row 1 resolves only in the second pass.
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow& row) {
        const std::int64_t at = row.position - 2;
        return peak(kVocab, at == 3 ? kEnd : 5, at == 1 ? 2.0F : 20.0F);
    });
    const Outcome out = run(executor, plainConfig(4, 64), {1, 2});
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{5, 5, 5}));
    EXPECT_EQ(out.result.passes, 2);
}

TEST(LowConfidence, BlocksJoinThePrefixOneByOne) {
    ScriptedExecutor executor(scriptedConfig(kVocab), fixedText({1, 2, 3, 4, 5, 6, kEnd}, 3));
    const Outcome out = run(executor, plainConfig(4, 64), {7, 7, 7});
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(executor.calls(), (std::vector<std::string>{"prefill 3", "denoise", "commit 4", "denoise"}));
    EXPECT_EQ(executor.prefix(), (std::vector<TokenId>{7, 7, 7, 1, 2, 3, 4}));
    EXPECT_EQ(out.result.blocks, 2);
    EXPECT_FLOAT_EQ(executor.counts()[1], 1.0F);
    EXPECT_FLOAT_EQ(executor.counts()[7], 0.0F);  // the prompt is never counted
}

class EndAndLength : public ::testing::TestWithParam<DecodingMode> {};

// One rule in every mode: a response that reaches max_new_tokens stops by `length`, an end token right after it or not.
TEST_P(EndAndLength, FollowOneRule) {
    std::vector<TokenId> text(51, 4);
    text.push_back(kEnd);
    for (const std::int64_t limit : {1, 33, 40, 51, 52, 60, 64}) {
        ScriptedExecutor executor(scriptedConfig(kVocab), fixedText(text, 2));
        GenerationConfig config = plainConfig(32, limit);
        config.decoding = GetParam();
        const Outcome out = run(executor, config, {1, 2});
        EXPECT_EQ(static_cast<std::int64_t>(out.result.response.size()), std::min<std::int64_t>(limit, 51)) << limit;
        EXPECT_EQ(out.result.stopReason, limit <= 51 ? StopReason::Length : StopReason::End) << limit;
        EXPECT_EQ(out.seen.tokens, out.result.response);
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, EndAndLength,
                         ::testing::Values(DecodingMode::LowConfidence, DecodingMode::SelfSpeculative,
                                           DecodingMode::Autoregressive));

TEST(LowConfidence, LengthCutMarksTheDroppedRows) {
    ScriptedExecutor executor(scriptedConfig(kVocab), fixedText(std::vector<TokenId>(64, 4), 2));
    const Outcome out = run(executor, plainConfig(32, 40), {1, 2});
    ASSERT_EQ(out.seen.passes.size(), 2U);
    EXPECT_EQ(out.seen.passes[0].droppedFrom, -1);
    EXPECT_EQ(out.seen.passes[1].droppedFrom, 8);
    EXPECT_EQ(out.seen.passes[1].tokens.size(), 32U);  // denoised in full, then shortened
}

TEST(AlignedBlocks, BeginWithThePromptsTail) {
    // The prompt's tail holds an end token and </think>: neither ends the response nor the think phase, and neither is counted.
    ScriptedExecutor executor(scriptedConfig(kVocab), fixedText({5, 6, 7, kEnd}, 6));
    GenerationConfig config = plainConfig(4, 16);
    config.alignBlocks = true;
    config.presencePenalty = 1;
    const Outcome out = run(executor, config, {1, 2, 3, 4, kEnd, kThinkEnd}, true);
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{5, 6, 7}));
    EXPECT_EQ(executor.calls()[0], "prefill 4");
    EXPECT_EQ(out.seen.passes[0].promptRows, 2);
    EXPECT_EQ(out.seen.passes[0].firstPosition, -2);
    EXPECT_EQ(out.seen.passes[0].tokens, (std::vector<TokenId>{kEnd, kThinkEnd, 5, 6}));
    EXPECT_FLOAT_EQ(executor.counts()[kThinkEnd], 0.0F);
}

TEST(AlignedBlocks, MayHaveNoPrefixAtAll) {
    ScriptedExecutor executor(scriptedConfig(kVocab), fixedText({5, kEnd}, 2));
    GenerationConfig config = plainConfig(4, 16);
    config.alignBlocks = true;
    const Outcome out = run(executor, config, {1, 2});
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{5}));
    EXPECT_EQ(executor.calls()[0], "denoise");
}

TEST(ThinkEnd, BiasStopsOnceItStandsInTheOpenBlock) {
    // </think> wins row 0 in the first pass; the other rows have a low logit. With its bias still on, it would win them as well.
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow& row) {
        std::vector<float> logits = peak(kVocab, row.position == 2 ? kThinkEnd : 4, row.position == 2 ? 40.0F : 5.0F);
        return logits;
    });
    GenerationConfig config = plainConfig(3, 3);
    config.thinkEndBias = 1000;
    config.thinkEndStart = 1;
    config.thinkEndWindow = 0;
    config.thinkEndBias = 4.9;
    const Outcome out = run(executor, config, {1, 2}, true);
    EXPECT_EQ(out.result.response, (std::vector<TokenId>{kThinkEnd, 4, 4}));
    // First pass: rows 1 and 2 still carry the bias; afterwards it is gone and their confidence in 4 rises.
    ASSERT_GE(out.seen.passes.size(), 2U);
    EXPECT_LT(out.seen.passes[0].rows[2].confidence, out.seen.passes[1].rows[2].confidence);
}

TEST(SelfSpeculative, EqualsAutoregressive) {
    // The causal text depends on what came before; the draft is right about every third token only.
    const auto causal = [](const std::vector<TokenId>& sequence) {
        TokenId sum = 1;
        for (const TokenId t : sequence) sum = (sum * 5 + t) % 13;
        return static_cast<TokenId>(sum + 1);
    };
    const auto script = [causal](const ScriptedRow& row) {
        if (row.noisy) return peak(kVocab, row.position % 3 != 0 ? 4 : 6, 10);
        return peak(kVocab, causal(row.sequence), 10);
    };
    for (const double temperature : {0.0, 3.0}) {
        GenerationConfig config = plainConfig(8, 50);
        config.doSample = temperature > 0;
        config.temperature = temperature;
        config.seed = 5;
        config.presencePenalty = 1.5;
        config.frequencyPenalty = 0.5;
        config.decoding = DecodingMode::Autoregressive;
        ScriptedExecutor a(scriptedConfig(kVocab), script);
        const Outcome one = run(a, config, {1, 2, 3});
        config.decoding = DecodingMode::SelfSpeculative;
        ScriptedExecutor b(scriptedConfig(kVocab), script);
        const Outcome two = run(b, config, {1, 2, 3});
        EXPECT_EQ(one.result.response, two.result.response);
        EXPECT_EQ(one.result.stopReason, two.result.stopReason);
        EXPECT_EQ(one.result.passes, 0);
        EXPECT_GT(two.result.passes, 0);
    }
}

TEST(Requests, AreRefusedWithTheNumbers) {
    ScriptedExecutor executor(scriptedConfig(kVocab, 100), fixedText({}, 1));
    const Outcome empty = run(executor, plainConfig(32, 10), {});
    EXPECT_EQ(empty.result.stopReason, StopReason::Refused);
    ASSERT_TRUE(empty.result.error);
    const std::vector<TokenId> prompt(37, 3);
    EXPECT_EQ(run(executor, plainConfig(32, 64), prompt).result.stopReason, StopReason::Refused);  // 37 + 64 > 100
    EXPECT_NE(run(executor, plainConfig(32, 64), prompt).result.error->message.find("101"), std::string::npos);
    EXPECT_EQ(run(executor, plainConfig(31, 62), prompt).result.stopReason, StopReason::Length);    // 37 + 62 fit
    EXPECT_EQ(run(executor, plainConfig(32, 33), {1, 99}).result.stopReason, StopReason::Refused);  // no such token
    EXPECT_EQ(run(executor, plainConfig(32, 33), {-1}).result.stopReason, StopReason::Refused);
}

TEST(Requests, CountWholeBlocksFromTheAlignedBoundary) {
    GenerationConfig config = plainConfig(32, 40);
    EXPECT_EQ(positionsNeeded(10, config), 10 + 64);
    config.alignBlocks = true;
    EXPECT_EQ(positionsNeeded(10, config), 64);  // 10 prompt rows and 40 more: two blocks from 0
    EXPECT_EQ(positionsNeeded(64, config), 128);
    config.decoding = DecodingMode::Autoregressive;
    EXPECT_EQ(positionsNeeded(10, config), 10 + 64);
}

class CancelEverywhere : public ::testing::TestWithParam<DecodingMode> {};

TEST_P(CancelEverywhere, StopsBeforeTheNextPass) {
    for (std::size_t stopAt = 0; stopAt < 8; ++stopAt) {
        ScriptedExecutor executor(scriptedConfig(kVocab), fixedText(std::vector<TokenId>(600, 4), 600));
        CancelFlag cancel;
        std::size_t passes = 0;
        executor.onCall = [&](const std::string& /*call*/) {
            if (passes++ == stopAt) cancel.request();
        };
        GenerationConfig config = plainConfig(8, 200);
        config.decoding = GetParam();
        const std::vector<TokenId> prompt(600, 3);  // three chunks of prefill
        Recorder seen;
        const DecodeResult result = decode(executor, {prompt, config, false, std::nullopt}, seen, cancel);
        EXPECT_EQ(result.stopReason, StopReason::Cancelled) << stopAt;
        EXPECT_EQ(passes, stopAt + 1) << "a pass ran after the request to stop";
        EXPECT_EQ(result.response, seen.tokens);
        if (GetParam() == DecodingMode::LowConfidence) {
            EXPECT_EQ(result.response.size() % 8, 0U);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Modes, CancelEverywhere,
                         ::testing::Values(DecodingMode::LowConfidence, DecodingMode::SelfSpeculative,
                                           DecodingMode::Autoregressive));

TEST(Failures, KeepTheResponseSoFar) {
    ScriptedExecutor executor(scriptedConfig(kVocab), fixedText(std::vector<TokenId>(600, 4), 2));
    executor.failAt = 4;  // prefill, denoise, commit, denoise, commit
    executor.failure = makeError(ErrorKind::DeviceLost, "the GPU went away");
    const Outcome out = run(executor, plainConfig(8, 200), {1, 2});
    EXPECT_EQ(out.result.stopReason, StopReason::Failed);
    ASSERT_TRUE(out.result.error);
    EXPECT_EQ(out.result.error->kind, ErrorKind::DeviceLost);
    EXPECT_EQ(out.result.response.size(), 16U);
}

TEST(Prefill, GoesChunkByChunk) {
    ScriptedExecutor executor(scriptedConfig(kVocab), fixedText({kEnd}, 600));
    const Outcome out = run(executor, plainConfig(8, 8), std::vector<TokenId>(600, 3));
    EXPECT_EQ(out.seen.prefills, (std::vector<std::int64_t>{0, 256, 512, 600}));
    EXPECT_EQ(out.result.promptTokens, 600);
}

/// Runs a request; before the pass with a given number (from 0) a change is given.
Outcome runSteered(ScriptedExecutor& executor, const GenerationConfig& config, std::int64_t beforePass,
                   const ControlChange& change) {
    class Steerer : public Recorder {
    public:
        Steerer(Steering* steering, std::int64_t before, const ControlChange& change)
            : m_steering(steering), m_before(before), m_change(change) {
            give(0);
        }
        void onPass(const PassRecord& pass) override {
            Recorder::onPass(pass);
            give(static_cast<std::int64_t>(passes.size()));
        }

    private:
        void give(std::int64_t next) {
            if (next == m_before) m_steering->change(m_change);
        }
        Steering* m_steering;
        std::int64_t m_before;
        ControlChange m_change;
    };
    Steering steering;
    Steerer seen(&steering, beforePass, change);
    const std::vector<TokenId> prompt{1, 2};
    DecodeRequest request{prompt, config, false, kThinkEnd};
    request.steering = &steering;
    Outcome out;
    out.result = decode(executor, request, seen, CancelFlag());
    out.seen.passes = seen.passes;
    return out;
}

TEST(Steering, LaterValuesWinAndAreTakenOnce) {
    Steering steering;
    steering.change({0.5, true, std::nullopt, std::nullopt});
    steering.change({0.7, std::nullopt, 0.8, std::nullopt});
    EXPECT_EQ(steering.take(), (ControlChange{0.7, true, 0.8, std::nullopt}));
    EXPECT_TRUE(steering.take().empty());
}

TEST(Steering, AThresholdTakesEffectAtTheNextPass) {
    // Every row has a confidence of about a half.
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow&) {
        std::vector<float> logits(kVocab, -1000.0F);
        logits[3] = 1.0F;
        logits[4] = 0.999F;
        return logits;
    });
    GenerationConfig config = plainConfig(8, 8);
    config.threshold = 0.9;
    const Outcome out = runSteered(executor, config, 2, {0.4, std::nullopt, std::nullopt, std::nullopt});
    ASSERT_EQ(out.seen.passes.size(), 3U);
    EXPECT_EQ(out.seen.passes[0].resolved.size(), 1U);
    EXPECT_EQ(out.seen.passes[1].resolved.size(), 1U);
    EXPECT_EQ(out.seen.passes[2].resolved.size(), 6U);
    EXPECT_TRUE(out.seen.passes[1].changed.empty());
    EXPECT_EQ(out.seen.passes[2].changed, (ControlChange{0.4, std::nullopt, std::nullopt, std::nullopt}));
    // What is as it was is no change.
    const Outcome same = runSteered(executor, config, 2, {0.9, true, std::nullopt, DecodingMode::LowConfidence});
    for (const PassRecord& pass : same.seen.passes) EXPECT_TRUE(pass.changed.empty());
}

TEST(Steering, AModeTakesEffectAtTheNextBlockAndTheTextStaysWhole) {
    constexpr std::array kModes{DecodingMode::LowConfidence, DecodingMode::SelfSpeculative, DecodingMode::Autoregressive};
    std::vector<TokenId> text;
    for (int i = 0; i < 22; ++i) text.push_back(static_cast<TokenId>(1 + i % 8));
    text.push_back(kEnd);
    for (const DecodingMode from : kModes) {
        for (const DecodingMode to : kModes) {
            for (std::int64_t before = 0; before < 6; ++before) {
                ScriptedExecutor executor(scriptedConfig(kVocab), fixedText(text, 2));
                GenerationConfig config = plainConfig(4, 64);
                config.frequencyPenalty = 0.01;
                config.decoding = from;
                const Outcome out = runSteered(executor, config, before, {std::nullopt, std::nullopt, std::nullopt, to});
                EXPECT_EQ(out.result.response, std::vector<TokenId>(text.begin(), text.end() - 1))
                    << static_cast<int>(from) << static_cast<int>(to) << before;
                EXPECT_EQ(out.result.stopReason, StopReason::End);
                const auto marked = std::count_if(out.seen.passes.begin(), out.seen.passes.end(),
                                                  [](const PassRecord& p) { return p.changed.decoding.has_value(); });
                EXPECT_EQ(marked, from == to ? 0 : 1);
                std::int64_t block = 0;
                for (const PassRecord& pass : out.seen.passes) {
                    EXPECT_TRUE(pass.block == block || pass.block == block + 1);
                    block = pass.block;
                }
            }
        }
    }
}

TEST(Steering, AModeThatNeedsMoreRoomThanThereIsWaits) {
    // 2 + 8 positions: from the third token on, blocks of 4 would reach beyond them.
    ScriptedExecutor executor(scriptedConfig(kVocab, 10), [](const ScriptedRow&) { return peak(kVocab, 3, 20); });
    GenerationConfig config = plainConfig(4, 8);
    config.decoding = DecodingMode::Autoregressive;
    const Outcome out = runSteered(executor, config, 2, {std::nullopt, std::nullopt, std::nullopt, DecodingMode::LowConfidence});
    EXPECT_EQ(out.result.response.size(), 8U);
    EXPECT_EQ(out.result.stopReason, StopReason::Length);
    EXPECT_LE(executor.prefixLength(), 10);
}

}  // namespace
}  // namespace trefoil
