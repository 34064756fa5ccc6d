// The plan over several devices, to the byte; asks no device.
#include "kernels/cuda/part_plan.h"
#include "engine/checkpoint/synth_quantised.h"
#include "engine/runtime/card_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

namespace trefoil::cuda {
namespace {

constexpr std::uint64_t kGigabyte = 1000000000;

DeviceFacts card(int index, std::uint64_t free) {
    DeviceFacts facts;
    facts.index = index;
    facts.name = "Card";
    facts.major = 9;
    facts.sms = 132;
    facts.sharedBytes = std::size_t{227} * 1024;
    facts.freeBytes = free;
    return facts;
}

ModelConfig clover() {
    auto config = parseModelConfig(cloverConfigJson(), "clover");
    EXPECT_TRUE(config.ok());
    return *config;
}

std::vector<PartSetup> plan(const ModelConfig& config, const std::vector<DeviceFacts>& cards) {
    auto parts = planParts(config, cards, {}, {false, 8192});
    EXPECT_TRUE(parts.ok());
    return *parts;
}

TEST(PartPlan, PartsHoldEveryByteOfTheModelOnce) {
    const ModelConfig config = clover();
    const auto whole = plan(config, {card(0, 100 * kGigabyte)});
    const auto parts = plan(config, {card(0, 40 * kGigabyte), card(1, 40 * kGigabyte), card(2, 20 * kGigabyte)});
    ASSERT_EQ(whole.size(), 1U);
    ASSERT_EQ(parts.size(), 3U);
    const MemoryPlan sum = sumOf(parts);
    EXPECT_EQ(sum.weights, whole[0].plan.weights);
    EXPECT_EQ(sum.keyValue, whole[0].plan.keyValue);
    EXPECT_GE(sum.states, whole[0].plan.states);
    EXPECT_LT(sum.states, whole[0].plan.states + 100000);
    EXPECT_EQ(sum.available, 100 * kGigabyte);
    std::int64_t next = 0;
    for (const PartSetup& part : parts) {
        EXPECT_EQ(part.range.first, next);
        next = part.range.last;
        EXPECT_EQ(part.size.head, part.range.isLast());
        // By free memory: a layer of 1.7 GB more or less.
        EXPECT_NEAR(static_cast<double>(part.plan.total()) / static_cast<double>(part.plan.available),
                    static_cast<double>(sum.total()) / static_cast<double>(sum.available), 0.09);
    }
    EXPECT_EQ(next, config.numLayers());
    EXPECT_TRUE(checkFits(parts).ok());
}

TEST(PartPlan, ATiedEmbeddingIsOnBothEnds) {
    ModelConfig config = clover();
    config.tieWordEmbeddings = true;
    const auto whole = plan(config, {card(0, 100 * kGigabyte)});
    const auto parts = plan(config, {card(0, 50 * kGigabyte), card(1, 50 * kGigabyte)});
    EXPECT_EQ(sumOf(parts).weights, whole[0].plan.weights + 2 * static_cast<std::uint64_t>(config.vocabSize * config.hiddenSize));
}

TEST(PartPlan, PartsOfOneCardShareItsMemory) {
    const auto parts = plan(clover(), {card(0, 90 * kGigabyte), card(0, 90 * kGigabyte)});
    ASSERT_EQ(parts.size(), 2U);
    for (const PartSetup& part : parts) EXPECT_EQ(part.plan.available, 45 * kGigabyte);
    EXPECT_TRUE(checkFits(parts).ok());
    EXPECT_EQ(nameOf(parts), "Card (cuda:0 and cuda:0)");
}

TEST(PartPlan, ARefusalHasTheNumbersOfEveryDevice) {
    const auto parts = plan(clover(), {card(0, 24 * kGigabyte), card(1, 16 * kGigabyte)});
    const Status fits = checkFits(parts);
    ASSERT_FALSE(fits.ok());
    EXPECT_EQ(fits.error().kind, ErrorKind::DoesNotFit);
    const std::string last = std::to_string(parts[0].range.last);
    for (const std::string& text : {std::string("Card (cuda:0) has 24.0 GB free; layers 0 to "),
                                    "Card (cuda:1) has 16.0 GB free; layers " + last + " to 39 need "})
        EXPECT_NE(fits.error().message.find(text), std::string::npos) << fits.error().message;
}

TEST(PartPlan, WhatCanBeLetGoCountsWhereLayersAreDivided) {
    const std::vector<DeviceFacts> cards{card(0, 20 * kGigabyte), card(1, 60 * kGigabyte)};
    const std::vector<std::uint64_t> alsoFree{40 * kGigabyte, 0};
    const auto now = planParts(clover(), cards, {}, {false, 8192});
    const auto later = planParts(clover(), cards, alsoFree, {false, 8192});
    ASSERT_TRUE(now.ok() && later.ok());
    EXPECT_LT((*now)[0].range.layers() + 5, (*later)[0].range.layers());
    EXPECT_EQ((*later)[0].plan.available, 20 * kGigabyte);
}

PlanOptions quantisedOptions(const ModelConfig& config, const SynthFormat& format, std::uint64_t gpuMemory = 0) {
    const SyntheticQuantised weights(config, 1, format);
    return {false, 32768, WeightForms(weights.tensors(), false), gpuMemory};
}

TEST(PartPlan, PackedWeightsTakeWhatTheirFormatSays) {
    const ModelConfig config = clover();
    const std::vector<DeviceFacts> cards{card(0, 140 * kGigabyte)};
    const auto bytes = [&](const SynthFormat& format) {
        const auto parts = planParts(config, cards, {}, quantisedOptions(config, format));
        EXPECT_TRUE(parts.ok());
        EXPECT_EQ(parts->front().plan.host, 0U);
        return parts->front().plan;
    };
    const MemoryPlan plain = bytes({});
    const MemoryPlan fp8 = bytes({QuantisedFormat::Fp8Blocks});
    const MemoryPlan by32 = bytes({QuantisedFormat::Int4Groups, 32});
    const MemoryPlan by128 = bytes({QuantisedFormat::Int4Groups, 128});
    const MemoryPlan zeros = bytes({QuantisedFormat::Int4Groups, 32, true});
    // 40 layers of 256 experts of three matrices of 2048 by 512, in bits: 8 and a float32 a row of 128; 4 and a BF16 a group.
    const std::uint64_t weights = 40ULL * 256 * 3 * 2048 * 512;
    EXPECT_EQ(plain.experts, weights * 2);
    EXPECT_EQ(fp8.experts, weights + weights / 128 * 4);
    EXPECT_EQ(by32.experts, weights / 2 + weights / 32 * 2);
    EXPECT_EQ(by128.experts, weights / 2 + weights / 128 * 2);
    EXPECT_EQ(zeros.experts, weights / 2 + weights / 32 * 3);
    EXPECT_LT(fp8.weights, plain.weights * 54 / 100);
    EXPECT_LT(by32.weights, plain.weights * 31 / 100);
    // Embedding and head keep their type: 4 bits of the whole model are about 21 GB.
    EXPECT_GT(by32.weights, 20 * kGigabyte);
    EXPECT_LT(by32.weights, 22 * kGigabyte);
}

TEST(PartPlan, ALimitedCardHoldsAsManyExpertsAsFit) {
    const ModelConfig config = clover();
    const std::vector<DeviceFacts> cards{card(0, 140 * kGigabyte)};
    constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
    for (const auto& [format, limit, everything] :
         {std::tuple{SynthFormat{QuantisedFormat::Int4Groups, 32}, 24 * kGibibyte, true},
          {SynthFormat{QuantisedFormat::Int4Groups, 32}, 16 * kGibibyte, false},
          {SynthFormat{}, 24 * kGibibyte, false},
          {SynthFormat{}, 16 * kGibibyte, false}}) {
        const auto parts = planParts(config, cards, {}, quantisedOptions(config, format, limit));
        ASSERT_TRUE(parts.ok());
        const PartSetup& part = parts->front();
        EXPECT_TRUE(checkFits(*parts).ok());
        EXPECT_LE(part.plan.total() + kContextBytes, limit);
        EXPECT_EQ(part.plan.host == 0, everything);
        EXPECT_EQ(part.experts.inMainMemory, !everything);
        if (everything) continue;
        // No room is left for one more of each layer, and main memory holds all.
        EXPECT_GT(part.plan.total() + part.plan.host / 256, part.plan.available);
        EXPECT_EQ(part.plan.experts, part.plan.host / 256 * static_cast<std::uint64_t>(part.experts.slots));
        EXPECT_GT(part.experts.slots, 0);
    }
}

// What the program says of a card that is not here comes near what the plan would be there.
TEST(PartPlan, TheEngineEstimatesItWithoutACard) {
    const ModelConfig config = clover();
    constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
    static_assert(kContextBytes == kCardContextBytes);
    for (const SynthFormat& format :
         {SynthFormat{}, SynthFormat{QuantisedFormat::Fp8Blocks}, SynthFormat{QuantisedFormat::Int4Groups, 32},
          SynthFormat{QuantisedFormat::Int4Groups, 128}}) {
        const SyntheticQuantised weights(config, 1, format);
        for (const std::uint64_t limit : {10, 12, 16, 24, 32, 48, 80, 141}) {
            const PlanOptions options{false, 32768, WeightForms(weights.tensors(), false), limit * kGibibyte};
            const auto parts = planParts(config, std::vector{card(0, 140 * kGibibyte)}, {}, options);
            ASSERT_TRUE(parts.ok());
            const MemoryPlan& exact = parts->front().plan;
            const MemoryPlan estimated = estimateCardMemory(config, weights.tensors(), exact.available, 32768);
            SCOPED_TRACE(std::to_string(limit) + " GiB, form " + std::to_string(static_cast<int>(format.format)));
            EXPECT_EQ(estimated.total() <= exact.available, exact.total() <= exact.available);
            EXPECT_EQ(estimated.host, exact.host);
            EXPECT_EQ(estimated.keyValue, exact.keyValue);
            const auto near = [](std::uint64_t a, std::uint64_t b, double share) {
                EXPECT_NEAR(static_cast<double>(a), static_cast<double>(b), static_cast<double>(b) * share);
            };
            near(estimated.states, exact.states, 1e-4);
            near(estimated.dense(), exact.dense(), 1e-3);
            near(estimated.workspace, exact.workspace, 0.06);
            if (exact.host > 0 && exact.total() <= exact.available)
                near(estimated.experts * 256 / exact.host, exact.experts * 256 / exact.host, 0.05);
        }
    }
}

TEST(PartPlan, ACardThatIsTooSmallForTheRestSaysSo) {
    const ModelConfig config = clover();
    const auto parts = planParts(config, std::vector<DeviceFacts>{card(0, 140 * kGigabyte)}, {},
                                 quantisedOptions(config, {QuantisedFormat::Int4Groups, 32}, 3 * kGigabyte));
    ASSERT_TRUE(parts.ok());
    EXPECT_EQ(parts->front().experts.slots, 0);
    EXPECT_EQ(checkFits(*parts).error().kind, ErrorKind::DoesNotFit);
}

TEST(PartPlan, NamesOfDifferentCards) {
    auto cards = std::vector<DeviceFacts>{card(0, 50 * kGigabyte), card(1, 50 * kGigabyte), card(2, 50 * kGigabyte)};
    EXPECT_EQ(nameOf(plan(clover(), {cards[0]})), "Card (cuda:0)");
    EXPECT_EQ(nameOf(plan(clover(), cards)), "Card (cuda:0, cuda:1 and cuda:2)");
    cards[1].name = "Other";
    EXPECT_EQ(nameOf(plan(clover(), {cards[0], cards[1]})), "Card (cuda:0) and Other (cuda:1)");
}

}  // namespace
}  // namespace trefoil::cuda
