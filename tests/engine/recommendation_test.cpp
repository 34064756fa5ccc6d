// Which form of a model is recommended for a card. Figures for Clover's dimensions are worked out here by hand.
#include "engine/runtime/recommendation.h"

#include "engine/checkpoint/quantise.h"
#include "engine/checkpoint/synth.h"
#include "engine/runtime/card_estimate.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trefoil {
namespace {

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;
/// Weights of one expert of Clover's: three matrices of 2048 by 512.
constexpr double kExpert = 3.0 * 2048 * 512;

ModelConfig clover() {
    auto config = parseModelConfig(cloverConfigJson(), "clover");
    EXPECT_TRUE(config.ok());
    return *config;
}

Card cardOf(std::uint64_t gibibytes, double gigabytesPerSecond = 900.0) {
    Card card;
    card.name = "Card";
    card.memoryTotal = gibibytes * kGibibyte;
    card.available = card.memoryTotal - kCardContextBytes;
    card.read = {gigabytesPerSecond * 1e9, true};
    return card;
}

class Recommendation : public ::testing::Test {
protected:
    CardRecommendation on(const Card& card, std::uint64_t mainMemory = 0) {
        return recommendFor({&m_config, m_tensors, 69'300'000'000}, card, mainMemory, 32768);
    }
    static const FormOnCard& row(const CardRecommendation& of, WeightForm form) {
        return *std::find_if(of.forms.begin(), of.forms.end(), [form](const FormOnCard& f) { return f.form == form; });
    }
    static WeightForm recommended(const CardRecommendation& of) {
        return of.recommended < 0 ? WeightForm::Stored : of.forms[static_cast<std::size_t>(of.recommended)].form;
    }

    ModelConfig m_config = clover();
    std::vector<TensorInfo> m_tensors = syntheticCatalogue(m_config);
};

TEST_F(Recommendation, EveryFormHasARow) {
    const auto rows = on(cardOf(141));
    ASSERT_EQ(rows.forms.size(), 4U);
    EXPECT_EQ(rows.forms[0].form, WeightForm::BFloat16);
    EXPECT_TRUE(rows.forms[0].asIs);
    EXPECT_FALSE(rows.forms[0].canMake);
    EXPECT_EQ(rows.forms[0].fileBytes, 69'300'000'000U);
    for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(rows.forms[i].canMake && !rows.forms[i].asIs);
    EXPECT_FALSE(rows.exactMemory);
}

TEST_F(Recommendation, TheMostExactFormThatFitsIsRecommended) {
    EXPECT_EQ(recommended(on(cardOf(141))), WeightForm::BFloat16);
    EXPECT_EQ(recommended(on(cardOf(80))), WeightForm::BFloat16);
    EXPECT_EQ(recommended(on(cardOf(48))), WeightForm::Fp8);
    EXPECT_EQ(recommended(on(cardOf(24))), WeightForm::Int4By32);
    for (const std::uint64_t size : {141, 80, 48, 24}) {
        const auto rows = on(cardOf(size));
        EXPECT_EQ(rows.forms[static_cast<std::size_t>(rows.recommended)].placement, Placement::AllOnCard);
    }
}

TEST_F(Recommendation, ASmallCardKeepsExpertsInMainMemory) {
    const auto rows = on(cardOf(16));
    // Larger groups leave room for more experts, which is worth more than a tenth of the time.
    EXPECT_EQ(recommended(rows), WeightForm::Int4By128);
    EXPECT_GT(row(rows, WeightForm::Int4By128).expertsOnCard, row(rows, WeightForm::Int4By32).expertsOnCard);
    const FormOnCard& int4 = row(rows, WeightForm::Int4By32);
    EXPECT_EQ(int4.placement, Placement::ExpertsInMainMemory);
    EXPECT_GT(int4.expertsOnCard, 128);
    EXPECT_LT(int4.expertsOnCard, 256);
    EXPECT_LE(int4.memory.total(), rows.card.available);
    // One more of each layer would not fit, and main memory holds all: 4 bits and a BF16 scale for each 32 weights.
    EXPECT_EQ(int4.memory.host, static_cast<std::uint64_t>(kExpert * (0.5 + 2.0 / 32) * 40 * 256));
    EXPECT_GT(int4.memory.total() + int4.memory.host / 256, rows.card.available);
    EXPECT_GT(row(rows, WeightForm::Fp8).milliseconds, int4.milliseconds);
}

TEST_F(Recommendation, SaysWhereALimitIsNeeded) {
    EXPECT_FALSE(row(on(cardOf(24)), WeightForm::Int4By32).needsLimit);
    EXPECT_TRUE(row(on(cardOf(16)), WeightForm::Int4By32).needsLimit);
    EXPECT_FALSE(row(on(cardOf(3)), WeightForm::Int4By32).needsLimit);
    // A card that holds all experts only with a smaller workspace.
    Card tight = cardOf(24);
    tight.available = row(on(tight), WeightForm::Int4By32).memory.total() - 300'000'000;
    const FormOnCard form = row(on(tight), WeightForm::Int4By32);
    EXPECT_EQ(form.placement, Placement::AllOnCard);
    EXPECT_TRUE(form.needsLimit);
}

TEST_F(Recommendation, MainMemoryMustHoldTheExperts) {
    const auto rows = on(cardOf(16), 20'000'000'000);
    EXPECT_EQ(recommended(rows), WeightForm::Int4By128);
    const FormOnCard& bf16 = row(rows, WeightForm::BFloat16);
    EXPECT_EQ(bf16.placement, Placement::DoesNotFit);
    EXPECT_EQ(bf16.milliseconds, 0.0);
    EXPECT_NE(bf16.problem.find("64.5 GB of main memory, and 20.0 GB are free"), std::string::npos) << bf16.problem;
    const auto none = on(cardOf(16), 10'000'000'000);
    EXPECT_EQ(none.recommended, -1);
}

TEST_F(Recommendation, ACardThatIsTooSmallForTheRestSaysSo) {
    const auto rows = on(cardOf(3));
    EXPECT_EQ(rows.recommended, -1);
    for (const FormOnCard& form : rows.forms) {
        EXPECT_EQ(form.placement, Placement::DoesNotFit);
        EXPECT_NE(form.problem.find("even with every expert in main memory"), std::string::npos) << form.problem;
        EXPECT_NE(form.problem.find("a model may take 2.6 GB"), std::string::npos) << form.problem;
    }
}

TEST_F(Recommendation, TimeIsBytesOverBandwidthAndTheLatency) {
    EstimateConstants constants;
    // As the H200's bench counted them: 66 experts a layer with the coreset.
    EXPECT_NEAR(expertsPerPass(m_config, constants), 66.0, 1.0);
    constants.coresetShare = 1.0;
    EXPECT_NEAR(expertsPerPass(m_config, constants), 101.0, 1.5);

    const auto rows = on(cardOf(141, 4603.0));
    const FormOnCard& bf16 = row(rows, WeightForm::BFloat16);
    // 1.94 G weights and the experts, two bytes each; 6.83 ms were measured (docs/benchmarks.md).
    EXPECT_NEAR(bf16.passBytes, 2 * (1.94e9 + 66.2 * 40 * kExpert), 0.06e9);
    EXPECT_NEAR(bf16.milliseconds, bf16.passBytes / 4603e6 + 2.0, 1e-9);
    EXPECT_NEAR(bf16.milliseconds, 6.83, 0.4);
    EXPECT_EQ(bf16.missedBytes, 0.0);
    // Four tokens a pass: eight passes and a commit a block of 32.
    EXPECT_NEAR(bf16.tokensPerSecond, 32.0 / (9.0 * bf16.milliseconds) * 1000.0, 1e-6);
    EXPECT_LT(row(rows, WeightForm::Fp8).milliseconds, bf16.milliseconds);
    EXPECT_LT(row(rows, WeightForm::Int4By32).milliseconds, row(rows, WeightForm::Fp8).milliseconds);
}

TEST_F(Recommendation, AMoreExactFormWinsWithinATenth) {
    // The bus hardly counts, so that a pass of smaller groups takes 6% less time.
    Card card = cardOf(16);
    card.bus = {1e15, true};
    const auto rows = on(card);
    EXPECT_EQ(recommended(rows), WeightForm::Int4By32);
    EXPECT_LT(row(rows, WeightForm::Int4By128).milliseconds, row(rows, WeightForm::Int4By32).milliseconds);
    EXPECT_GT(row(rows, WeightForm::Int4By128).milliseconds * 1.1, row(rows, WeightForm::Int4By32).milliseconds);
}

TEST_F(Recommendation, ASlowBusDecidesWhereExpertsAreMissed) {
    Card card = cardOf(16);
    card.bus = {10e9, true};
    const FormOnCard slow = row(on(card), WeightForm::BFloat16);
    const double missed = slow.missedBytes;
    EXPECT_NEAR(missed, expertsPerPass(m_config, {}) * 40 * kExpert * 2 * (1.0 - static_cast<double>(slow.expertsOnCard) / 256.0),
                1e6);
    EXPECT_NEAR(slow.milliseconds, missed / 10e9 * 1000.0 * 1.3, 1e-6);
    card.bus = {1e15, true};
    const FormOnCard fast = row(on(card), WeightForm::BFloat16);
    EXPECT_NEAR(fast.milliseconds, fast.passBytes / 900e9 * 1000.0 + 2.0, 1e-6);
}

TEST_F(Recommendation, AQuantisedFolderMakesNoOtherForm) {
    QuantiseOptions options;
    options.format = QuantisedFormat::Fp8Blocks;
    const std::vector<TensorInfo> fp8 = catalogueAfterQuantising(m_tensors, options);
    const auto rows = recommendFor({&m_config, fp8, 37'000'000'000}, cardOf(24), 0, 32768);
    ASSERT_EQ(rows.forms.size(), 3U);
    EXPECT_EQ(rows.forms[0].form, WeightForm::Fp8);
    EXPECT_TRUE(rows.forms[0].asIs);
    for (const FormOnCard& form : rows.forms) EXPECT_FALSE(form.canMake);
    EXPECT_EQ(recommended(rows), WeightForm::Int4By32);
}

TEST_F(Recommendation, GroupsThatDoNotDivideTheRowsHaveNoRow) {
    m_config.moeIntermediateSize = 480;  // 15 groups of 32, none of 128
    m_tensors = syntheticCatalogue(m_config);
    const auto rows = on(cardOf(141));
    ASSERT_EQ(rows.forms.size(), 3U);
    EXPECT_EQ(rows.forms[2].form, WeightForm::Int4By32);
}

TEST_F(Recommendation, APlannerOfTheCardIsAsked) {
    const Card card = cardOf(16);
    // A plan made while another model holds 4 GiB of the card.
    const CardPlanner planner = [&](std::span<const TensorInfo> tensors) -> Result<MemoryPlan> {
        return estimateCardMemory(m_config, tensors, card.available - 4 * kGibibyte, 32768);
    };
    const auto rows = recommendFor({&m_config, m_tensors, 69'300'000'000}, card, 0, 32768, {}, planner);
    EXPECT_TRUE(rows.exactMemory);
    const FormOnCard& planned = row(rows, WeightForm::Int4By32);
    const FormOnCard& estimated = row(on(card), WeightForm::Int4By32);
    // The freed room goes to experts; the workspace may have been planned smaller.
    EXPECT_NEAR(static_cast<double>(planned.expertsOnCard), static_cast<double>(estimated.expertsOnCard), 16.0);
    EXPECT_LE(planned.memory.total(), card.available);
    EXPECT_EQ(planned.memory.available, card.available);
    const CardPlanner broken = [](std::span<const TensorInfo>) -> Result<MemoryPlan> {
        return makeError(ErrorKind::DeviceLost, "the card is gone");
    };
    const auto lost = recommendFor({&m_config, m_tensors, 0}, card, 0, 32768, {}, broken);
    EXPECT_EQ(lost.recommended, -1);
    EXPECT_EQ(lost.forms[0].problem, "the card is gone");
}

}  // namespace
}  // namespace trefoil
