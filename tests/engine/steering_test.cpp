// Pausing, single steps and rows changed by hand over a scripted executor, and the rules of decoding auto.
#include "engine/decode/steering.h"

#include "engine/decode/block_decoder.h"
#include "engine/decode/mode_chooser.h"
#include "tests/support/scripted_executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <thread>
#include <utility>
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

GenerationConfig plainConfig(std::int64_t blockSize, std::int64_t maxNewTokens) {
    GenerationConfig config;
    config.blockSize = blockSize;
    config.maxNewTokens = maxNewTokens;
    config.presencePenalty = 0;
    config.repetitionPenalty = 1;
    return config;
}

/// One token a pass, from the left: every row has a confidence of about a half.
ScriptedExecutor slow() {
    return {scriptedConfig(kVocab), [](const ScriptedRow&) {
                std::vector<float> logits(kVocab, -1000.0F);
                logits[3] = 1.0F;
                logits[4] = 0.999F;
                return logits;
            }};
}

/// Acts from the observer, as a person would from another thread: what is called before wait() is found by it.
class Person : public DecodeObserver {
public:
    using Act = std::function<void(const PauseState&)>;
    explicit Person(Act act) : m_act(std::move(act)) {}
    void onPass(const PassRecord& pass) override { passes.push_back(pass); }
    void onPaused(const PauseState& state) override {
        pauses.push_back(state);
        m_act(state);
    }
    void onResumed() override { ++resumed; }
    std::vector<PassRecord> passes;
    std::vector<PauseState> pauses;
    int resumed = 0;

private:
    Act m_act;
};

DecodeResult decodeWith(Executor& executor, const GenerationConfig& config, Steering& steering, DecodeObserver& observer,
                        const CancelFlag& cancel) {
    const std::vector<TokenId> prompt{1, 2};
    DecodeRequest request{prompt, config, false, std::nullopt};
    request.steering = &steering;
    return decode(executor, request, observer, cancel);
}

std::vector<TokenId> tokensOf(const PassRecord& pass) { return pass.tokens; }

TEST(Pausing, SingleStepsAndContinue) {
    ScriptedExecutor executor = slow();
    Steering steering;
    steering.pause();
    const CancelFlag never;
    Person person([&](const PauseState&) {
        if (person.pauses.size() < 4)
            steering.step();
        else
            steering.resume();
    });
    const DecodeResult result = decodeWith(executor, plainConfig(4, 8), steering, person, never);
    EXPECT_EQ(result.stopReason, StopReason::Length);
    EXPECT_EQ(result.passes, 8);
    EXPECT_EQ(person.resumed, 1);
    const std::vector<PauseState> expected{{0, -1, false, false}, {0, 0, true, false}, {0, 1, true, false}, {0, 2, true, false}};
    EXPECT_EQ(person.pauses, expected);
    EXPECT_GE(result.pausedMilliseconds, 0.0);
}

TEST(Pausing, TheLastPassOfABlockStillCanBePausedOver) {
    ScriptedExecutor executor = slow();
    Steering steering;
    steering.pause();
    const CancelFlag never;
    Person person([&](const PauseState&) { steering.step(); });
    const DecodeResult result = decodeWith(executor, plainConfig(2, 4), steering, person, never);
    EXPECT_EQ(result.response.size(), 4U);
    ASSERT_EQ(person.pauses.size(), 5U);
    EXPECT_EQ(person.pauses[2], (PauseState{0, 1, true, true}));
    EXPECT_EQ(person.pauses[3], (PauseState{1, 0, true, false}));
}

TEST(Pausing, StopWhilePausedIsAtOnceAndKeepsWholeBlocks) {
    for (const std::size_t stopAt : {std::size_t{1}, std::size_t{3}, std::size_t{4}}) {
        ScriptedExecutor executor = slow();
        Steering steering;
        steering.pause();
        CancelFlag cancel;
        Person person([&](const PauseState&) {
            if (person.pauses.size() < stopAt) return steering.step();
            cancel.request();
            steering.wake();
        });
        const DecodeResult result = decodeWith(executor, plainConfig(2, 4), steering, person, cancel);
        EXPECT_EQ(result.stopReason, StopReason::Cancelled);
        EXPECT_EQ(person.passes.size(), stopAt - 1);
        EXPECT_EQ(result.response.size(), stopAt >= 3 ? 2U : 0U) << stopAt;
        EXPECT_EQ(person.resumed, 0);
    }
}

TEST(Pausing, AnotherThreadWakesTheDecoder) {
    ScriptedExecutor executor = slow();
    Steering steering;
    steering.pause();
    const CancelFlag never;
    std::thread other;
    Person person([&](const PauseState&) {
        if (!other.joinable()) other = std::thread([&] { steering.resume(); });
    });
    const DecodeResult result = decodeWith(executor, plainConfig(4, 4), steering, person, never);
    other.join();
    EXPECT_EQ(result.response.size(), 4U);
}

TEST(Editing, RowsAreMaskedAndFixed) {
    ScriptedExecutor executor = slow();
    Steering steering;
    steering.pause();
    const CancelFlag never;
    bool edited = false;
    Person person([&](const PauseState& state) {
        if (state.step < 1) return steering.step();
        if (std::exchange(edited, true)) return steering.resume();
        // Row 0 once more, row 3 by hand; another block's row, one outside and an unknown id are ignored.
        steering.edit({{0, 0, kMask}, {0, 3, 7}, {1, 1, 7}, {0, 4, 7}, {0, 1, 16}, {0, -1, 7}});
    });
    const DecodeResult result = decodeWith(executor, plainConfig(4, 4), steering, person, never);
    EXPECT_EQ(result.response, (std::vector<TokenId>{3, 3, 3, 7}));
    ASSERT_EQ(person.passes.size(), 5U);
    EXPECT_EQ(tokensOf(person.passes[1]), (std::vector<TokenId>{3, 3, kMask, kMask}));
    const PassRecord& edit = person.passes[2];
    EXPECT_EQ(edit.kind, PassKind::Edit);
    EXPECT_EQ(edit.tokens, (std::vector<TokenId>{kMask, 3, kMask, 7}));
    EXPECT_EQ(edit.resolved, (std::vector<std::int32_t>{3}));
    EXPECT_EQ(edit.step, 1);
    EXPECT_EQ(person.passes[3].step, 2);  // the sampler's noise does not count the edit
    EXPECT_EQ(tokensOf(person.passes[3]), (std::vector<TokenId>{3, 3, kMask, 7}));
    EXPECT_EQ(result.passes, 4);
}

TEST(Editing, ACompleteBlockOpensAgainAndABlockCanBeCompletedByHand) {
    ScriptedExecutor executor = slow();
    Steering steering;
    steering.pause();
    const CancelFlag never;
    int at = 0;
    Person person([&](const PauseState& state) {
        switch (at++) {
            case 0:  // before the first pass
            case 1:
                return steering.step();
            case 2:  // both rows are resolved
                EXPECT_TRUE(state.complete);
                return steering.edit({{0, 1, kMask}});
            case 3:
                EXPECT_FALSE(state.complete);
                return steering.edit({{0, 1, 9}, {0, 0, 8}});
            default:
                EXPECT_TRUE(state.complete);
                return steering.resume();
        }
    });
    const DecodeResult result = decodeWith(executor, plainConfig(2, 2), steering, person, never);
    EXPECT_EQ(result.response, (std::vector<TokenId>{8, 9}));
    EXPECT_EQ(result.passes, 2);
    ASSERT_EQ(person.passes.size(), 4U);
    EXPECT_EQ(person.passes[2].droppedFrom, -1);
}

TEST(Editing, AnEndTokenByHandEndsTheAnswer) {
    ScriptedExecutor executor = slow();
    Steering steering;
    steering.pause();
    const CancelFlag never;
    Person person([&](const PauseState& state) {
        if (state.step < 0) return steering.step();
        if (state.complete) return steering.resume();
        steering.edit({{0, 1, kEnd}});
    });
    const DecodeResult result = decodeWith(executor, plainConfig(4, 64), steering, person, never);
    EXPECT_EQ(result.response, (std::vector<TokenId>{3}));
    EXPECT_EQ(result.stopReason, StopReason::End);
    EXPECT_EQ(person.passes.back().droppedFrom, 1);
}

TEST(Editing, WithoutAPauseNothingIsChanged) {
    ScriptedExecutor executor = slow();
    Steering steering;
    steering.edit({{0, 0, 9}});
    const CancelFlag never;
    Person person([&](const PauseState&) { FAIL(); });
    EXPECT_EQ(decodeWith(executor, plainConfig(4, 4), steering, person, never).response, (std::vector<TokenId>{3, 3, 3, 3}));
}

TEST(ModeChooser, TriesEachModeThenTakesTheFastest) {
    ModeChooser chooser;
    const std::vector<std::pair<DecodingMode, double>> speeds{
        {DecodingMode::LowConfidence, 200.0}, {DecodingMode::SelfSpeculative, 400.0}, {DecodingMode::Autoregressive, 100.0}};
    for (const auto& speed : speeds) {
        const ModeChoice choice = chooser.next();
        EXPECT_EQ(choice.mode, speed.first);
        EXPECT_EQ(choice.reason, ModeReason::Trial);
        chooser.measured(speed.first, 32, 32'000.0 / speed.second);
    }
    const ModeChoice choice = chooser.next();
    EXPECT_EQ(choice.mode, DecodingMode::SelfSpeculative);
    EXPECT_EQ(choice.reason, ModeReason::Fastest);
    EXPECT_DOUBLE_EQ(choice.rates[0], 200.0);
    EXPECT_DOUBLE_EQ(choice.rates[2], 100.0);
}

TEST(ModeChooser, ASmallAdvantageChangesNothingAndOldRatesAreMeasuredAgain) {
    ModeChooser chooser;
    const auto turn = [&](double milliseconds) {
        const ModeChoice choice = chooser.next();
        chooser.measured(choice.mode, 100, milliseconds);
        return choice;
    };
    EXPECT_EQ(turn(1000).mode, DecodingMode::LowConfidence);
    EXPECT_EQ(turn(960).mode, DecodingMode::SelfSpeculative);  // 4 % faster
    EXPECT_EQ(turn(3000).mode, DecodingMode::Autoregressive);
    for (int i = 1; i < ModeChooser::kRetrialEvery; ++i) EXPECT_EQ(turn(1000).mode, DecodingMode::LowConfidence);
    const ModeChoice again = turn(500);  // autoregressive is too slow to be worth it
    EXPECT_EQ(again.mode, DecodingMode::SelfSpeculative);
    EXPECT_EQ(again.reason, ModeReason::Retrial);
    const ModeChoice next = turn(500);
    EXPECT_EQ(next.mode, DecodingMode::SelfSpeculative);
    EXPECT_EQ(next.reason, ModeReason::Fastest);
}

TEST(Auto, TheTraceSaysWhatWasChosen) {
    // The next token is the one before plus one, whatever the mode; a pass of each kind takes its own time.
    double time = 0.0;
    ScriptedExecutor executor(scriptedConfig(kVocab), [](const ScriptedRow& row) {
        const std::int64_t own = row.position + (row.noisy ? 0 : 1) - 2;
        return peak(kVocab, static_cast<TokenId>(1 + own % 8), 20);
    });
    executor.onCall = [&](const std::string& call) { time += call == "denoise" ? 4.0 : call == "verify" ? 2.0 : 3.0; };
    GenerationConfig config = plainConfig(4, 48);
    config.decoding = DecodingMode::Auto;
    const std::vector<TokenId> prompt{1, 2};
    DecodeRequest request{prompt, config, false, std::nullopt};
    request.clock = [&] { return time; };
    const CancelFlag never;
    Person person([](const PauseState&) {});
    const DecodeResult result = decode(executor, request, person, never);
    ASSERT_EQ(result.response.size(), 48U);
    for (std::size_t i = 0; i < result.response.size(); ++i) EXPECT_EQ(result.response[i], static_cast<TokenId>(1 + i % 8));
    std::vector<ModeChoice> choices;
    for (const PassRecord& pass : person.passes)
        if (pass.choice) choices.push_back(*pass.choice);
    ASSERT_GE(choices.size(), 5U);
    EXPECT_EQ(choices[0].mode, DecodingMode::LowConfidence);
    EXPECT_EQ(choices[1].mode, DecodingMode::SelfSpeculative);
    EXPECT_EQ(choices[2].mode, DecodingMode::Autoregressive);
    // One denoise pass gives four tokens in 4 ms, draft and check four in 6 ms and their commit, single steps 3 ms each.
    EXPECT_DOUBLE_EQ(choices[1].rates[0], 1000.0);
    EXPECT_LT(choices[3].rates[1], 1000.0);
    EXPECT_LT(choices[3].rates[2], choices[3].rates[1]);
    EXPECT_EQ(choices[3].mode, DecodingMode::LowConfidence);
    EXPECT_EQ(choices[3].reason, ModeReason::Fastest);
    for (const PassRecord& pass : person.passes) EXPECT_TRUE(pass.changed.empty());
}

}  // namespace
}  // namespace trefoil
