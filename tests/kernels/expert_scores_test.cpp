// Which experts keep a slot on the card: the policy alone. Needs neither a GPU nor CUDA.
#include "kernels/cuda/expert_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace trefoil::cuda {
namespace {

using Named = std::vector<std::int32_t>;

/// Slots and experts name each other.
void expectConsistent(const CacheState& state) {
    for (std::size_t s = 0; s < state.expertIn.size(); ++s) {
        if (state.expertIn[s] < 0) continue;
        EXPECT_EQ(state.slotOf[static_cast<std::size_t>(state.expertIn[s])], static_cast<std::int32_t>(s));
    }
    const auto held = std::count_if(state.slotOf.begin(), state.slotOf.end(), [](std::int32_t slot) { return slot >= 0; });
    EXPECT_EQ(held, std::count_if(state.expertIn.begin(), state.expertIn.end(), [](std::int32_t e) { return e >= 0; }));
}

TEST(ExpertScores, FreeSlotsAreFilledFirst) {
    CacheState state(8, 4);
    const auto first = state.decide({1, 5});
    EXPECT_EQ(first.missed, 2);
    EXPECT_EQ(first.copies, (std::vector<CacheState::Copy>{{1, 0}, {5, 1}}));
    const auto second = state.decide({1, 2, 5});
    EXPECT_EQ(second.missed, 1);
    EXPECT_EQ(second.copies, (std::vector<CacheState::Copy>{{2, 2}}));
    EXPECT_EQ(state.decide({1, 2, 5}).missed, 0);
    expectConsistent(state);
}

TEST(ExpertScores, TheLeastRecentlyUsedGoes) {
    CacheState state(8, 2);
    state.decide({0});
    state.decide({1});
    const auto copies = state.decide({2}).copies;
    ASSERT_EQ(copies.size(), 1U);
    EXPECT_EQ(state.slotOf[0], -1);
    EXPECT_GE(state.slotOf[1], 0);
    expectConsistent(state);
}

TEST(ExpertScores, OneThatIsNamedOftenOutlivesAStranger) {
    CacheState state(8, 1);
    for (int i = 0; i < 10; ++i) state.decide({3});
    // A single pass of another does not displace it, but its absence does in the end.
    EXPECT_TRUE(state.decide({4}).copies.empty());
    EXPECT_EQ(state.expertIn[0], 3);
    int passes = 0;
    while (state.expertIn[0] == 3 && passes < 100) {
        state.decide({4});
        ++passes;
    }
    EXPECT_LT(passes, 12);
    EXPECT_EQ(state.expertIn[0], 4);
}

TEST(ExpertScores, WhatAPassNamesStaysDuringIt) {
    CacheState state(16, 4);
    state.decide({0, 1, 2, 3});
    const auto out = state.decide({0, 1, 2, 3, 4, 5, 6});
    EXPECT_EQ(out.missed, 3);
    EXPECT_TRUE(out.copies.empty());
    EXPECT_EQ(state.expertIn, (Named{0, 1, 2, 3}));
}

TEST(ExpertScores, NoSlotsAtAll) {
    CacheState state(4, 0);
    const auto out = state.decide({0, 3});
    EXPECT_EQ(out.missed, 2);
    EXPECT_TRUE(out.copies.empty());
}

TEST(ExpertScores, AScoreHalvesEveryEightPasses) {
    EXPECT_EQ(scoreAfter(3.0F, 0), 3.0F);
    EXPECT_EQ(scoreAfter(3.0F, 8), 1.5F);
    EXPECT_EQ(scoreAfter(3.0F, 16), 0.75F);
    EXPECT_EQ(scoreAfter(1.0F, 2000000000), 0.0F);
    float last = 4.0F;
    for (int passes = 1; passes < 100; ++passes) {
        EXPECT_LT(scoreAfter(4.0F, passes), last);
        last = scoreAfter(4.0F, passes);
    }
}

/// Experts drawn unevenly: the cache finds most of them.
TEST(ExpertScores, UnevenUseIsFoundOnTheCard) {
    constexpr int kExperts = 64;
    CacheState state(kExperts, 32);
    std::mt19937 random(3);
    int named = 0;
    int missed = 0;
    for (int pass = 0; pass < 300; ++pass) {
        Named now;
        for (int i = 0; i < 12; ++i) {
            const double u = (random() % 100000 + 0.5) / 100000.0;
            now.push_back(std::min(kExperts - 1, static_cast<int>(u * u * kExperts)));
        }
        std::sort(now.begin(), now.end());
        now.erase(std::unique(now.begin(), now.end()), now.end());
        const auto out = state.decide(now);
        expectConsistent(state);
        if (pass < 50) continue;
        named += static_cast<int>(now.size());
        missed += out.missed;
    }
    // Half of the slots at random would find half of them.
    EXPECT_GT(named - missed, named * 6 / 10);
}

}  // namespace
}  // namespace trefoil::cuda
