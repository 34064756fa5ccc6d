#include "kernels/cpu/mixture.h"

#include "kernels/reference/operators.h"
#include "tests/kernels/kernel_test_support.h"

#include <algorithm>
#include <limits>

namespace trefoil::test {
namespace {

struct Choice {
    std::vector<std::int32_t> ids;
    Floats weights;
};

Choice choose(const Floats& probabilities, const std::vector<std::uint8_t>& allowed, std::size_t k) {
    Choice c{std::vector<std::int32_t>(k), Floats(k)};
    kernels::topExperts(probabilities, allowed, c.ids, c.weights);
    return c;
}

struct Kept {
    std::vector<std::int32_t> ids;  ///< ascending
    kernels::Coreset coreset;
};

Kept coreset(const std::vector<std::int32_t>& ids, const Floats& masses, std::int64_t experts, std::int64_t k, float topP) {
    const auto size = static_cast<std::size_t>(experts);
    std::vector<std::uint8_t> kept(size);
    std::vector<std::int32_t> ranking(size);
    Floats mass(size);
    Kept out;
    out.coreset = kernels::chooseCoreset(ids, masses, k, topP, kept, ranking, mass);
    for (std::size_t e = 0; e < size; ++e)
        if (kept[e] != 0) out.ids.push_back(static_cast<std::int32_t>(e));
    return out;
}

using Ids = std::vector<std::int32_t>;

TEST(Mixture, SoftmaxEqualsTwin) {
    for (const std::int64_t n : {1, 8, 13, 16, 17, 256}) {
        const Floats x = randomFloats(n, 1, 5.0F);
        Floats p = x;
        kernels::softmax(p);
        EXPECT_LE(relativeError(p, reference::softmax(x)), 1e-6) << n;
    }
}

TEST(Mixture, TopExpertsEqualTwin) {
    for (unsigned seed = 0; seed < 50; ++seed) {
        Floats p = reference::softmax(randomFloats(16, seed));
        p[3] = p[9];  // a tie somewhere
        std::vector<std::uint8_t> allowed(16, 1);
        allowed[seed % 16] = 0;
        allowed[(seed + 5) % 16] = 0;
        for (const std::int64_t k : {1, 4, 14}) {
            EXPECT_EQ(choose(p, {}, static_cast<std::size_t>(k)).ids, reference::topExperts(p, {}, k));
            EXPECT_EQ(choose(p, allowed, static_cast<std::size_t>(k)).ids, reference::topExperts(p, allowed, k));
        }
    }
}

TEST(Mixture, TiesGoToTheLowerIndex) {
    const Choice c = choose({0.1F, 0.3F, 0.2F, 0.3F, 0.1F}, {}, 4);
    EXPECT_EQ(c.ids, (Ids{1, 3, 2, 0}));
    EXPECT_EQ(c.weights, (Floats{0.3F, 0.3F, 0.2F, 0.1F}));
}

TEST(Mixture, BrokenProbabilitiesStillGiveDistinctExperts) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Choice c = choose({nan, nan, nan, nan}, {}, 2);
    std::sort(c.ids.begin(), c.ids.end());
    EXPECT_EQ(std::unique(c.ids.begin(), c.ids.end()), c.ids.end());
    EXPECT_GE(c.ids.front(), 0);
    EXPECT_LT(c.ids.back(), 4);
}

TEST(Mixture, RenormalisedWeightsSumToOne) {
    Floats w{0.2F, 0.1F, 0.1F};
    kernels::renormalise(w);
    EXPECT_LE(relativeError(w, {0.5F, 0.25F, 0.25F}), 1e-6);
}

TEST(Mixture, CoresetEqualsTwin) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        Ids ids;
        Floats masses;
        for (unsigned t = 0; t < 32; ++t) {
            const Floats p = reference::softmax(randomFloats(16, seed * 100 + t, 2.0F));
            for (const std::int32_t e : reference::topExperts(p, {}, 4)) {
                ids.push_back(e);
                masses.push_back(p[static_cast<std::size_t>(e)]);
            }
        }
        for (const float topP : {0.0F, 0.3F, 0.6F, 0.9F, 0.999F}) {
            Ids expected = reference::chooseCoreset(ids, masses, 16, 4, topP);
            std::sort(expected.begin(), expected.end());
            const Kept kept = coreset(ids, masses, 16, 4, topP);
            EXPECT_EQ(kept.ids, expected) << "seed " << seed << ", top-p " << topP;
            EXPECT_EQ(static_cast<std::size_t>(kept.coreset.size), expected.size());
            EXPECT_GE(kept.coreset.share, topP - 1e-6F);
            EXPECT_LE(kept.coreset.share, 1.0F + 1e-5F);
        }
    }
}

TEST(Mixture, CoresetKeepsAtLeastAsManyAsARowTakes) {
    // Expert 5 holds all the mass; ties among the rest go to the lower index.
    const Kept kept = coreset({5, 5}, {0.5F, 0.5F}, 8, 3, 0.5F);
    EXPECT_EQ(kept.ids, (Ids{0, 1, 5}));
    EXPECT_EQ(coreset({5, 5}, {0.5F, 0.5F}, 8, 1, 0.0F).ids, (Ids{5}));
}

TEST(Mixture, EqualMassesAtTheEdgeOfTheCoreset) {
    // 0.5 of the mass is reached by two of four equal experts: the lower indices.
    EXPECT_EQ(coreset({3, 1, 2, 0}, {0.25F, 0.25F, 0.25F, 0.25F}, 5, 1, 0.5F).ids, (Ids{0, 1}));
    // Just over: a third one.
    EXPECT_EQ(coreset({3, 1, 2, 0}, {0.25F, 0.25F, 0.25F, 0.25F}, 5, 1, 0.51F).ids, (Ids{0, 1, 2}));
}

}  // namespace
}  // namespace trefoil::test
