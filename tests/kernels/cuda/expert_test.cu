// The experts' products of small passes against the plain loops: few and many experts, so that tiles fill the device, leave
// blocks over, and end in pieces; ragged columns and rows.
#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/moe.h"
#include "tests/kernels/cuda/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

namespace trefoil::cuda {
namespace {

class Experts : public CudaTest {};

/// `distinct` of `experts` experts in use, each row with perToken of them; every one of them has a row.
struct Choice {
    std::vector<std::int32_t> experts;  // [T, perToken]
    std::vector<float> weights;         // [T, perToken + 1]
    std::vector<std::int32_t> active;
    std::vector<std::uint64_t> masks;
    std::vector<float> activeWeights;  // [E + 1, kSmallRows]

    Choice(DeviceRandom& random, std::mt19937& order, int experts, int perToken, int distinct, int t)
        : activeWeights(static_cast<std::size_t>(experts + 1) * kSmallRows, 0.0F) {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(experts));
        std::iota(ids.begin(), ids.end(), 0);
        std::shuffle(ids.begin(), ids.end(), order);
        ids.resize(static_cast<std::size_t>(distinct));
        std::sort(ids.begin(), ids.end());
        std::vector<std::uint64_t> uses(static_cast<std::size_t>(experts), 0);
        const std::vector<float> values = random.floats(std::int64_t{t} * (perToken + 1), 0.5F);
        for (int row = 0; row < t; ++row)
            for (int s = 0; s <= perToken; ++s) {
                const int id = s == perToken ? experts : ids[static_cast<std::size_t>((row * perToken + s) % distinct)];
                const float weight = 0.6F + values[static_cast<std::size_t>(row * (perToken + 1) + s)];
                if (s < perToken) {
                    this->experts.push_back(id);
                    uses[static_cast<std::size_t>(id)] |= std::uint64_t{1} << row;
                }
                weights.push_back(weight);
                activeWeights[static_cast<std::size_t>(id * kSmallRows + row)] = weight;
            }
        for (const std::int32_t id : ids)
            if (uses[static_cast<std::size_t>(id)] != 0) {
                active.push_back(id);
                masks.push_back(uses[static_cast<std::size_t>(id)]);
            }
        active.push_back(experts);
        masks.push_back(~std::uint64_t{0});
    }
};

TEST_F(Experts, ProductsMatchThePlainLoops) {
    DeviceRandom random(5);
    std::mt19937 order(6);
    constexpr int kExperts = 80;
    constexpr int kPerToken = 8;
    for (const auto& [hidden, width, sharedWidth] : {std::tuple{256, 512, 512}, {192, 512, 256}, {136, 96, 104}}) {
        const DeviceBuffer<Bf16> gateUp(random.bf16(std::int64_t{kExperts} * 2 * width * hidden, 0.2F));
        const DeviceBuffer<Bf16> down(random.bf16(std::int64_t{kExperts} * hidden * width, 0.2F));
        const DeviceBuffer<Bf16> sharedGateUp(random.bf16(std::int64_t{2} * sharedWidth * hidden, 0.2F));
        const DeviceBuffer<Bf16> sharedDown(random.bf16(std::int64_t{hidden} * sharedWidth, 0.2F));
        const ExpertWeights w{WeightFormat::BFloat16,
                              gateUp.data(),
                              down.data(),
                              sharedGateUp.data(),
                              sharedDown.data(),
                              kExperts,
                              hidden,
                              width,
                              sharedWidth};
        for (const int t : {1, 5, 20, 32, 64}) {
            for (const int distinct : {8, 20, 32, 33, 40, 65, 66, 67, 73, 80}) {
                if (distinct > t * kPerToken) continue;
                const DeviceBuffer<Bf16> h(random.bf16(std::int64_t{t} * hidden, 1.0F));
                const Choice c(random, order, kExperts, kPerToken, distinct, t);
                DeviceBuffer<std::int32_t> experts(c.experts);
                DeviceBuffer<float> weights(c.weights);
                DeviceBuffer<float> plainAct(std::int64_t{t} * (kPerToken + 1) * w.maxWidth());
                const DeviceBuffer<float> wanted(std::vector<float>(static_cast<std::size_t>(t * hidden), 0.0F));
                const Routing routing{nullptr, experts.data(), weights.data(), nullptr, nullptr};
                ASSERT_EQ(plainExperts<Bf16>(launcher(false), w, routing, h.data(), t, kPerToken, plainAct.data(), wanted.data()),
                          cudaSuccess);

                DeviceBuffer<std::int32_t> count(std::vector<std::int32_t>{static_cast<std::int32_t>(c.active.size())});
                DeviceBuffer<std::int32_t> active(c.active);
                DeviceBuffer<std::uint64_t> masks(c.masks);
                DeviceBuffer<float> activeWeights(c.activeWeights);
                const ActiveExperts entries{count.data(), active.data(), masks.data(), activeWeights.data()};
                DeviceBuffer<Bf16> act(static_cast<std::int64_t>(c.active.size()) * t * w.maxWidth());
                for (const bool overlap : {false, true}) {
                    Launcher on = launcher(true);
                    on.overlap = overlap && isHopper();
                    const int splits = expertDownSplits(hidden, on.sms);
                    DeviceBuffer<float> out(std::int64_t{splits} * t * hidden);
                    act.poison();
                    out.poison();
                    ASSERT_EQ(expertGateUp(on, w, entries, h.data(), t, act.data()), cudaSuccess);
                    ASSERT_EQ(expertDown(on, w, entries, act.data(), t, splits, out.data()), cudaSuccess);
                    const std::vector<float> parts = out.host();
                    std::vector<double> got(static_cast<std::size_t>(t * hidden), 0.0);
                    for (std::size_t i = 0; i < parts.size(); ++i) got[i % got.size()] += parts[i];
                    EXPECT_LT(relativeError(got, wanted.host(), 0), 4e-3)
                        << t << " rows, " << distinct << " experts, " << hidden << " columns, width " << width;
                }
            }
        }
    }
}

}  // namespace
}  // namespace trefoil::cuda
