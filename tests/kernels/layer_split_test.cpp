// The split of a model's layers over devices: no device is needed for it.
#include "kernels/cuda/layer_split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace trefoil::cuda {
namespace {

using Budgets = std::vector<std::uint64_t>;

/// Bytes by layer, and what the first and the last part hold besides.
struct Costs {
    std::vector<std::uint64_t> layers;
    std::uint64_t embedding = 0;
    std::uint64_t head = 0;
    std::uint64_t workspace = 0;

    [[nodiscard]] std::uint64_t of(const LayerRange& range) const {
        return std::accumulate(layers.begin() + range.first, layers.begin() + range.last, workspace) +
               (range.isFirst() ? embedding : 0) + (range.isLast() ? head : 0);
    }
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(layers.size()); }
};

std::vector<std::int64_t> sizesOf(const std::vector<LayerRange>& ranges) {
    std::vector<std::int64_t> sizes;
    for (const LayerRange& range : ranges) sizes.push_back(range.layers());
    return sizes;
}

/// The share of its budget that the fullest device uses.
double fullest(const std::vector<LayerRange>& ranges, const Budgets& budgets, const Costs& costs) {
    double worst = 0.0;
    for (std::size_t i = 0; i < ranges.size(); ++i)
        worst = std::max(worst, static_cast<double>(costs.of(ranges[i])) / static_cast<double>(budgets[i]));
    return worst;
}

/// The best that any split reaches, by trying all.
double bestOfAll(const Budgets& budgets, const Costs& costs, std::size_t part, std::int64_t first) {
    if (part + 1 == budgets.size())
        return static_cast<double>(costs.of({first, costs.count(), costs.count()})) / static_cast<double>(budgets[part]);
    double best = 1e300;
    const std::int64_t most = costs.count() - static_cast<std::int64_t>(budgets.size() - part - 1);
    for (std::int64_t last = first + 1; last <= most; ++last)
        best = std::min(best,
                        std::max(static_cast<double>(costs.of({first, last, costs.count()})) / static_cast<double>(budgets[part]),
                                 bestOfAll(budgets, costs, part + 1, last)));
    return best;
}

std::vector<LayerRange> split(const Costs& costs, const Budgets& budgets) {
    const auto ranges =
        splitLayers(costs.count(), budgets, [&](std::size_t, const LayerRange& range) { return costs.of(range); });
    EXPECT_TRUE(ranges.ok());
    return ranges.ok() ? *ranges : std::vector<LayerRange>();
}

TEST(LayerSplit, OneDeviceHoldsEverything) {
    const auto ranges = split({std::vector<std::uint64_t>(40, 100), 50, 50, 10}, {7});
    ASSERT_EQ(ranges.size(), 1U);
    EXPECT_EQ(ranges[0].first, 0);
    EXPECT_EQ(ranges[0].last, 40);
    EXPECT_TRUE(ranges[0].isFirst() && ranges[0].isLast());
}

TEST(LayerSplit, FollowsTheFreeMemory) {
    const Costs even{std::vector<std::uint64_t>(40, 100), 0, 0, 0};
    EXPECT_EQ(sizesOf(split(even, {1000, 1000})), (std::vector<std::int64_t>{20, 20}));
    EXPECT_EQ(sizesOf(split(even, {3000, 1000})), (std::vector<std::int64_t>{30, 10}));
    EXPECT_EQ(sizesOf(split(even, {1000, 2000, 1000})), (std::vector<std::int64_t>{10, 20, 10}));
}

TEST(LayerSplit, CountsTheHeadAndTheEmbedding) {
    // The head weighs as much as ten layers, the embedding as much as two: (2 + n) and (40 - n + 10) balance at n = 24.
    EXPECT_EQ(sizesOf(split({std::vector<std::uint64_t>(40, 100), 200, 1000, 0}, {5000, 5000})),
              (std::vector<std::int64_t>{24, 16}));
}

TEST(LayerSplit, EveryDeviceGetsALayer) {
    const Costs costs{std::vector<std::uint64_t>(3, 100), 0, 0, 0};
    EXPECT_EQ(sizesOf(split(costs, {100000, 1, 100000})), (std::vector<std::int64_t>{1, 1, 1}));
    // A device that has nothing free is planned all the same, so that the refusal can say by how much it lacks.
    EXPECT_EQ(sizesOf(split(costs, {0, 0})).size(), 2U);
}

TEST(LayerSplit, MoreDevicesThanLayersAreRefused) {
    const auto cost = [](std::size_t, const LayerRange&) { return std::uint64_t{1}; };
    const auto refused = splitLayers(2, Budgets{10, 10, 10}, cost);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, ErrorKind::InvalidArgument);
    EXPECT_NE(refused.error().message.find("2 layers"), std::string::npos) << refused.error().message;
    EXPECT_NE(refused.error().message.find("3 devices"), std::string::npos) << refused.error().message;
    EXPECT_FALSE(splitLayers(2, Budgets{}, cost).ok());
}

TEST(LayerSplit, NoOtherSplitIsBetter) {
    std::mt19937 random(7);
    const auto between = [&](std::uint64_t low, std::uint64_t high) { return low + random() % (high - low); };
    for (int round = 0; round < 200; ++round) {
        Costs costs;
        costs.layers.resize(between(4, 13));
        for (std::uint64_t& layer : costs.layers) layer = between(1000, 3000);
        costs.embedding = between(0, 4000);
        costs.head = between(0, 6000);
        costs.workspace = between(0, 1000);
        Budgets budgets(between(2, 5));
        for (std::uint64_t& budget : budgets) budget = between(500, 20000);
        const auto ranges = split(costs, budgets);
        ASSERT_EQ(ranges.size(), budgets.size());
        std::int64_t next = 0;
        for (const LayerRange& range : ranges) {
            EXPECT_EQ(range.first, next);
            EXPECT_GE(range.layers(), 1);
            next = range.last;
        }
        EXPECT_EQ(next, costs.count());
        const double best = bestOfAll(budgets, costs, 0, 0);
        EXPECT_LE(fullest(ranges, budgets, costs), best * (1.0 + 1e-9)) << "round " << round;
    }
}

}  // namespace
}  // namespace trefoil::cuda
