// Controls and the choice of a candidate, on made-up logits: what no golden file pins (model-contract.md, sections 7 and 10).
#include "engine/decode/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace trefoil {
namespace {

constexpr TokenId kEnd = 0;
constexpr TokenId kThinkEnd = 2;
constexpr TokenId kMask = 7;
const std::vector<TokenId> kEnds{kEnd};
const SamplerModel kModel{kEnds, kMask, kThinkEnd};

GenerationConfig neutral() {
    GenerationConfig config;
    config.repetitionPenalty = 1.0;
    config.presencePenalty = 0.0;
    config.frequencyPenalty = 0.0;
    return config;
}

RowCandidate choose(const std::vector<float>& logits, const GenerationConfig& config, std::int64_t n = 0, std::int64_t step = 0) {
    std::vector<float> scratch;
    return chooseCandidate(logits, {n, step, false}, config, scratch);
}

TEST(Gumbel, HasTheContractsValues) {
    EXPECT_EQ(gumbelHash(0, 0, 0, 0), 0x2130748AAAC80268ULL);
    EXPECT_EQ(gumbelHash(7, 0, 0, 42), 0xF9BD58183B3702CBULL);
    EXPECT_EQ(gumbelHash(7, 31, 3, 248319), 0x85CE4AFA3311E3B6ULL);
    EXPECT_EQ(gumbelHash(std::numeric_limits<std::uint64_t>::max(), 8191, 0, 5), 0x01F4434F7CE5C522ULL);
    EXPECT_NEAR(gumbelNoise(0, 0, 0, 0), -0.714395F, 2e-6F);
    EXPECT_NEAR(gumbelNoise(7, 0, 0, 42), 3.698586F, 2e-6F);
    EXPECT_NEAR(gumbelNoise(7, 31, 3, 248319), 0.432650F, 2e-6F);
    EXPECT_NEAR(gumbelNoise(std::numeric_limits<std::uint64_t>::max(), 8191, 0, 5), -1.584166F, 2e-6F);
}

TEST(Gumbel, StaysFiniteAtTheEndsOfTheHash) {
    for (TokenId id = 0; id < 200000; ++id) ASSERT_TRUE(std::isfinite(gumbelNoise(3, 5, 1, id))) << id;
}

TEST(Controls, ApplyInOrderAndOnlyToCountedTokens) {
    GenerationConfig config = neutral();
    config.repetitionPenalty = 2.0;
    config.presencePenalty = 0.5;
    config.frequencyPenalty = 0.25;
    std::vector<float> logits{1, 4, 1, -4, 3, 0, 1, 9};
    const std::vector<float> counts{0, 2, 0, 1, 0, 1, 0, 0};
    adjustLogits(logits, counts, {0, 0, false}, kModel, config);
    EXPECT_FLOAT_EQ(logits[1], 4.0F / 2 - 0.5F - 0.5F);
    EXPECT_FLOAT_EQ(logits[3], -4.0F * 2 - 0.5F - 0.25F);
    EXPECT_FLOAT_EQ(logits[5], -0.75F);
    EXPECT_FLOAT_EQ(logits[4], 3.0F);
    EXPECT_EQ(logits[7], -std::numeric_limits<float>::infinity());
}

TEST(Controls, RampsGrowFromTheirStart) {
    EXPECT_DOUBLE_EQ(ramp(7, 8, 4), 0.0);
    EXPECT_DOUBLE_EQ(ramp(10, 8, 4), 0.5);
    EXPECT_DOUBLE_EQ(ramp(99, 8, 4), 1.0);
    EXPECT_DOUBLE_EQ(ramp(8, 8, 0), 0.0);  // a window of 0 counts as 1
    EXPECT_DOUBLE_EQ(ramp(9, 8, 0), 1.0);
    EXPECT_DOUBLE_EQ(ramp(-3, 0, 4), 0.0);
}

TEST(Controls, ThinkEndBiasEndsWithTheThinkPhase) {
    GenerationConfig config = neutral();
    config.thinkEndStart = 0;
    config.thinkEndWindow = 1;
    config.lengthPenaltyStart = 0;
    config.lengthPenaltyWindow = 10;
    const std::vector<float> counts(8, 0.0F);
    std::vector<float> open(8, 0.0F);
    adjustLogits(open, counts, {5, 0, true}, kModel, config);
    EXPECT_FLOAT_EQ(open[kThinkEnd], 10.0F);
    EXPECT_FLOAT_EQ(open[kEnd], 5.0F);
    std::vector<float> closed(8, 0.0F);
    adjustLogits(closed, counts, {5, 0, false}, kModel, config);
    EXPECT_FLOAT_EQ(closed[kThinkEnd], 0.0F);
    std::vector<float> without(8, 0.0F);
    adjustLogits(without, counts, {5, 0, true}, {kEnds, kMask, std::nullopt}, config);
    EXPECT_FLOAT_EQ(without[kThinkEnd], 0.0F);
}

TEST(Greedy, TakesTheLowestOfEqualLogits) {
    const RowCandidate c = choose({1, 3, 3, 2, 3, 0, -1}, neutral());
    EXPECT_EQ(c.token, 1);
    EXPECT_EQ(c.top[0].token, 1);
    EXPECT_EQ(c.top[1].token, 2);
    EXPECT_EQ(c.top[2].token, 4);
    EXPECT_EQ(c.top[3].token, 3);
    EXPECT_EQ(c.top[4].token, 0);
    EXPECT_FLOAT_EQ(c.confidence, c.top[1].probability);
}

TEST(Greedy, ConfidenceIsTheSoftmax) {
    const std::vector<float> logits{0.5F, -2, 3.25F, 1};
    double sum = 0;
    for (const float l : logits) sum += std::exp(static_cast<double>(l));
    const RowCandidate c = choose(logits, neutral());
    EXPECT_EQ(c.token, 2);
    EXPECT_NEAR(c.confidence, std::exp(3.25) / sum, 1e-6);
    EXPECT_EQ(c.top[4].token, -1);  // a vocabulary of four has no fifth alternative
}

TEST(Greedy, SurvivesBrokenLogits) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(choose({nan, nan}, neutral()).confidence, 0.0F);
    const RowCandidate c = choose({nan, 2, 1}, neutral());
    EXPECT_EQ(c.token, 1);
    EXPECT_TRUE(std::isfinite(c.confidence));
}

TEST(Sampling, TemperatureZeroAndTinyAreGreedy) {
    const std::vector<float> logits{1, 1.5F, 1.25F, 0};
    GenerationConfig config = neutral();
    config.doSample = true;
    for (const double temperature : {0.0, 1e-8, 1e-300, 5e-324}) {
        config.temperature = temperature;
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            config.seed = seed;
            const RowCandidate c = choose(logits, config);
            ASSERT_EQ(c.token, 1) << temperature << " " << seed;
            ASSERT_TRUE(std::isfinite(c.confidence));
        }
    }
}

TEST(Sampling, TopKOfOneAndTopPOfZeroAreGreedy) {
    const std::vector<float> logits{1, 1.5F, 1.25F, 0};
    GenerationConfig config = neutral();
    config.doSample = true;
    config.temperature = 100.0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        config.seed = seed;
        config.topK = 1;
        config.topP = 1.0;
        ASSERT_EQ(choose(logits, config).token, 1);
        config.topK = 0;
        for (const double p : {0.0, 1e-9}) {
            config.topP = p;
            ASSERT_EQ(choose(logits, config).token, 1);
        }
    }
}

/// Every token that some seed chooses.
std::vector<bool> chosenTokens(const std::vector<float>& logits, GenerationConfig config) {
    std::vector<bool> seen(logits.size(), false);
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        config.seed = seed;
        seen[static_cast<std::size_t>(choose(logits, config).token)] = true;
    }
    return seen;
}

TEST(Sampling, TopKKeepsThoseEqualToTheLast) {
    GenerationConfig config = neutral();
    config.doSample = true;
    config.topK = 2;
    EXPECT_EQ(chosenTokens({2, 1, 1, 1, 0}, config), (std::vector<bool>{true, true, true, true, false}));
    config.topK = 999999;  // beyond the vocabulary: off
    EXPECT_EQ(chosenTokens({2, 1, 1, 1, 0}, config), (std::vector<bool>{true, true, true, true, true}));
}

TEST(Sampling, TopPKeepsTheLowerIdsOfEqualMasses) {
    GenerationConfig config = neutral();
    config.doSample = true;
    config.topP = 0.5;  // four equal masses of a quarter: the first two reach a half
    EXPECT_EQ(chosenTokens({1, 1, 1, 1}, config), (std::vector<bool>{true, true, false, false}));
    config.topP = 0.51;
    EXPECT_EQ(chosenTokens({1, 1, 1, 1}, config), (std::vector<bool>{true, true, true, false}));
}

TEST(Sampling, ConfidenceIgnoresTemperatureAndTruncation) {
    const std::vector<float> logits{2, 1, 0.5F, 0};
    GenerationConfig config = neutral();
    config.doSample = true;
    config.temperature = 5.0;
    config.topK = 2;
    const RowCandidate greedy = choose(logits, neutral());
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        config.seed = seed;
        const RowCandidate c = choose(logits, config);
        ASSERT_LE(c.token, 1);
        ASSERT_FLOAT_EQ(c.confidence, greedy.top[static_cast<std::size_t>(c.token)].probability);
    }
}

TEST(Sampling, DependsOnSeedPositionAndStepOnly) {
    const std::vector<float> logits(64, 0.0F);
    GenerationConfig config = neutral();
    config.doSample = true;
    config.seed = 11;
    const TokenId first = choose(logits, config, 3, 1).token;
    EXPECT_EQ(choose(logits, config, 3, 1).token, first);
    int different = 0;
    for (std::int64_t n = 0; n < 20; ++n) different += choose(logits, config, n, 1).token != first ? 1 : 0;
    EXPECT_GT(different, 10);
}

}  // namespace
}  // namespace trefoil
