// The Hopper kernels of small passes against their portable twins, which the golden files cover: the mixer of a noisy block, one
// token's delta rule, routing with and without the coreset, and the norm.
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/gdn.h"
#include "kernels/cuda/route_hopper.h"
#include "kernels/cuda/skinny_gemm.h"
#include "tests/kernels/cuda/device_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace trefoil::cuda {
namespace {

constexpr GdnShape kClover{16, 32, 128, 128, 4};

struct GdnLayer {
    DeviceBuffer<float> conv, right, aLog, dtBias, norm, logitScale, historyBias, historyC;
    GdnVectors vectors;

    GdnLayer(const GdnShape& s, DeviceRandom& random)
        : conv(random.floats(s.channels() * s.taps, 0.3F)),
          right(random.floats(s.channels() * (s.taps - 1), 0.2F)),
          aLog(random.floats(s.valueHeads, 1.0F)),
          dtBias(random.floats(s.valueHeads, 1.0F)),
          norm(random.floats(s.valueDim, 1.0F)),
          logitScale(random.floats(s.valueHeads, 8.0F)),
          historyBias(random.floats(s.valueHeads, 1.0F)),
          historyC(random.floats(s.valueHeads, 1.0F)),
          vectors{conv.data(), right.data(),      aLog.data(),        dtBias.data(),
                  norm.data(), logitScale.data(), historyBias.data(), historyC.data()} {}
};

struct GdnScratch {
    DeviceBuffer<float> q, k, v, decay, beta;
    GdnRows rows;

    GdnScratch(const GdnShape& s, std::int64_t t)
        : q(t * s.keys()), k(t * s.keys()), v(t * s.values()), decay(t * s.valueHeads), beta(t * s.valueHeads), rows{q.data(),
                                                                                                                     k.data(),
                                                                                                                     v.data(),
                                                                                                                     decay.data(),
                                                                                                                     beta.data(),
                                                                                                                     nullptr} {}
};

class SmallPass : public CudaTest {};

TEST_F(SmallPass, BlockMixerMatchesThePlainOne) {
    DeviceRandom random(1);
    const GdnShape& s = kClover;
    const GdnLayer layer(s, random);
    for (const auto& [clean, count] : {std::pair{0, 32}, {0, 17}, {0, 64}, {32, 32}, {5, 1}, {0, 33}}) {
        for (const int splits : {1, 2, 3}) {
            const std::int64_t t = clean + count;
            const DeviceBuffer<float> projected(random.floats(splits * t * s.projected(), 1.0F));
            const DeviceBuffer<float> tail(random.floats(3 * s.channels(), 1.0F));
            const DeviceBuffer<float> state(random.floats(std::int64_t{s.valueHeads} * 128 * 128, 0.3F));
            const Rows rows{projected.data(), s.projected(), t * s.projected(), splits, false};
            PassParams host;
            host.clean = clean;
            const DeviceBuffer<PassParams> params(std::vector<PassParams>{host});
            const GdnScratch scratch(s, t);
            DeviceBuffer<float> o(t * s.values());
            DeviceBuffer<Bf16> wanted(t * s.values());
            DeviceBuffer<Bf16> got(t * s.values());
            for (const bool scale : {false, true}) {
                wanted.poison();
                got.poison();
                const Launcher plain = launcher(false);
                ASSERT_EQ(gdnInputs(plain, s, layer.vectors, rows, tail.data(), nullptr, params.data(), t, scratch.rows),
                          cudaSuccess);
                ASSERT_EQ(blockMix(plain, s, layer.vectors, scratch.rows, clean, count, state.data(), scale, scale, o.data()),
                          cudaSuccess);
                ASSERT_EQ(gatedNorm<Bf16>(plain, s, layer.vectors, o.data(), rows, 1e-6F, t, wanted.data()), cudaSuccess);
                ASSERT_EQ(fusedMix(launcher(true), s, layer.vectors, rows, tail.data(), clean, count, state.data(), clean == 0,
                                   scale, scale, 1e-6F, got.data()),
                          cudaSuccess);
                const double error = relativeError(got.host(), wanted.host(), static_cast<std::size_t>(clean) * s.values());
                EXPECT_LT(error, 4e-3) << clean << " clean, " << count << " noisy rows, " << splits << " parts, scaled " << scale;
            }
        }
    }
}

TEST_F(SmallPass, OneTokenMatchesThePlainDeltaRule) {
    DeviceRandom random(2);
    const GdnShape& s = kClover;
    const GdnLayer layer(s, random);
    ASSERT_TRUE(gdnStepSupports(launcher(true), s) || !isHopper());
    if (!isHopper()) GTEST_SKIP() << "needs compute capability 9.0";
    const DeviceBuffer<float> tail(random.floats(3 * s.channels(), 1.0F));
    const DeviceBuffer<float> state(random.floats(std::int64_t{s.valueHeads} * 128 * 128, 0.3F));
    DeviceBuffer<float> tails[2] = {tail.copy(), tail.copy()};
    DeviceBuffer<float> states[2] = {state.copy(), state.copy()};
    PassParams host;
    host.clean = 1;
    const DeviceBuffer<PassParams> params(std::vector<PassParams>{host});
    const GdnScratch scratch(s, 1);
    DeviceBuffer<float> o(s.values());
    for (int token = 0; token < 5; ++token) {
        const DeviceBuffer<float> projected(random.floats(2 * s.projected(), 1.0F));
        const Rows rows{projected.data(), s.projected(), s.projected(), 2, false};
        DeviceBuffer<Bf16> wanted(s.values());
        DeviceBuffer<Bf16> got(s.values());
        wanted.poison();
        got.poison();
        const Launcher plain = launcher(false);
        ASSERT_EQ(gdnInputs(plain, s, layer.vectors, rows, tails[0].data(), tails[0].data(), params.data(), 1, scratch.rows),
                  cudaSuccess);
        ASSERT_EQ(deltaRule(plain, s, scratch.rows, 1, states[0].data(), true, o.data()), cudaSuccess);
        ASSERT_EQ(gatedNorm<Bf16>(plain, s, layer.vectors, o.data(), rows, 1e-6F, 1, wanted.data()), cudaSuccess);
        ASSERT_EQ(gdnStep(launcher(true), s, layer.vectors, rows, tails[1].data(), states[1].data(), 1e-6F, got.data()),
                  cudaSuccess);
        EXPECT_LT(relativeError(got.host(), wanted.host(), 0), 4e-3) << "token " << token;
        EXPECT_LT(relativeError(states[1].host(), states[0].host(), 0), 1e-5) << "token " << token;
        EXPECT_LT(relativeError(tails[1].host(), tails[0].host(), 0), 1e-6) << "token " << token;
    }
}

struct RouteResult {
    std::vector<std::int32_t> experts, coreset, active;
    std::vector<std::uint64_t> masks;
    std::vector<float> weights, activeWeights;
    LayerResult layer;
};

/// What a router of `hidden` columns makes of rows h: product and decision apart, or in one cluster's kernel.
RouteResult route(const Launcher& on, bool cluster, const DeviceBuffer<Bf16>& w, const DeviceBuffer<Bf16>& h, int hidden, int t,
                  const RouteOptions& o, const PassParams& host) {
    const DeviceBuffer<PassParams> params(std::vector<PassParams>{host});
    DeviceBuffer<float> probabilities(std::int64_t{t} * o.experts);
    DeviceBuffer<std::int32_t> experts(std::int64_t{t} * o.perToken);
    DeviceBuffer<float> weights(std::int64_t{t} * (o.perToken + 1));
    DeviceBuffer<unsigned> ticket(std::vector<unsigned>{0});
    DeviceBuffer<std::int32_t> coreset(std::vector<std::int32_t>(static_cast<std::size_t>(o.experts) + 1, -1));
    DeviceBuffer<std::int32_t> count(std::vector<std::int32_t>{-1});
    DeviceBuffer<std::int32_t> active(std::vector<std::int32_t>(static_cast<std::size_t>(o.experts) + 1, -1));
    DeviceBuffer<std::uint64_t> masks(std::vector<std::uint64_t>(static_cast<std::size_t>(o.experts) + 1, 0));
    DeviceBuffer<float> activeWeight(std::vector<float>(static_cast<std::size_t>(o.experts + 1) * kSmallRows, 0.0F));
    DeviceBuffer<LayerResult> layer(std::vector<LayerResult>{LayerResult{}});
    const Routing r{probabilities.data(), experts.data(), weights.data(), ticket.data(), coreset.data()};
    const ActiveExperts a{count.data(), active.data(), masks.data(), activeWeight.data()};
    if (cluster) {
        EXPECT_EQ(routeCluster(on, w.data(), h.data(), hidden, t, o, params.data(), r, a, layer.data()), cudaSuccess);
    } else {
        DeviceBuffer<float> logits(std::int64_t{t} * (o.experts + 1));
        EXPECT_EQ(skinnyGemm(on, w.data(), o.experts + 1, hidden, h.data(), t, 1, logits.data()), cudaSuccess);
        const Rows rows{logits.data(), o.experts + 1, std::int64_t{t} * (o.experts + 1), 1, false};
        EXPECT_EQ(routeSmall(on, rows, t, o, params.data(), r, a, layer.data()), cudaSuccess);
    }
    RouteResult result{experts.host(), coreset.host(),      active.host(),  masks.host(),
                       weights.host(), activeWeight.host(), layer.host()[0]};
    result.coreset.resize(static_cast<std::size_t>(std::max(result.coreset[0], 0)) + 1);
    const auto n = static_cast<std::size_t>(count.host()[0]);
    result.active.resize(n);
    result.masks.resize(n);
    return result;
}

TEST_F(SmallPass, RoutingOfAClusterMatchesThatOfOneBlock) {
    if (!isHopper()) GTEST_SKIP() << "needs compute capability 9.0";
    DeviceRandom random(3);
    // Few bits, so that sums are exact in any order, and some experts draw.
    const auto coarse = [&](std::int64_t count, int most, float unit) {
        std::vector<float> values = random.floats(count, static_cast<float>(most) + 0.5F);
        std::vector<Bf16> rounded(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) rounded[i] = __float2bfloat16(std::round(values[i]) * unit);
        return DeviceBuffer<Bf16>(rounded);
    };
    for (const auto& [experts, perToken, hidden] :
         {std::tuple{256, 8, 2048}, {16, 4, 256}, {70, 8, 1024}, {256, 32, 512}, {256, 8, 1536}}) {
        const DeviceBuffer<Bf16> w = coarse(std::int64_t{experts + 1} * hidden, 6, 1.0F / 64);
        for (const auto& [clean, t] : {std::pair{0, 32}, {0, 64}, {32, 64}, {1, 1}, {3, 20}, {9, 9}, {0, 5}}) {
            const DeviceBuffer<Bf16> h = coarse(std::int64_t{t} * hidden, 16, 1.0F / 16);
            for (const float topP : {0.3F, 0.9F, 0.9999999F}) {
                for (const bool renormalised : {false, true}) {
                    PassParams host;
                    host.clean = clean;
                    host.rows = t;
                    host.coresetTopP = topP;
                    const RouteOptions options{experts, perToken, topP < 0.99F || renormalised, renormalised};
                    Launcher wide = launcher(true);
                    wide.clusterBlocks = widestCluster();
                    ASSERT_TRUE(routeClusterSupports(wide, options, hidden, t)) << hidden;
                    const RouteResult wanted = route(launcher(false), false, w, h, hidden, t, options, host);
                    const RouteResult got = route(wide, true, w, h, hidden, t, options, host);
                    const auto what = testing::Message() << experts << " experts, " << hidden << " columns, " << clean << " of "
                                                         << t << " rows clean, top p " << topP << ", " << renormalised;
                    ASSERT_EQ(got.experts, wanted.experts) << what;
                    ASSERT_EQ(got.coreset, wanted.coreset) << what;
                    ASSERT_EQ(got.active, wanted.active) << what;
                    ASSERT_EQ(got.masks, wanted.masks) << what;
                    EXPECT_LT(relativeError(got.weights, wanted.weights, 0), 1e-6) << what;
                    EXPECT_EQ(got.layer.distinct, wanted.layer.distinct) << what;
                    EXPECT_EQ(got.layer.coreset, wanted.layer.coreset) << what;
                    EXPECT_NEAR(got.layer.share, wanted.layer.share, 1e-6) << what;
                    // The products read a weight only where the mask names the row.
                    for (std::size_t i = 0; i < got.active.size(); ++i)
                        for (int row = 0; row < t; ++row)
                            if ((got.masks[i] >> row & 1) != 0) {
                                const auto at = static_cast<std::size_t>(got.active[i] * kSmallRows + row);
                                ASSERT_NEAR(got.activeWeights[at], wanted.activeWeights[at], 1e-6) << what;
                            }
                }
            }
        }
    }
}

TEST_F(SmallPass, NormOfAClusterMatchesThatOfOneBlock) {
    DeviceRandom random(4);
    for (const int hidden : {1024, 2048, 3072, 4096}) {
        for (const int splits : {0, 1, 7, 16}) {
            const std::int64_t t = 33;
            const DeviceBuffer<float> x(random.floats((t + 2) * hidden, 1.0F));
            const DeviceBuffer<float> add(random.floats(std::max(1, splits) * (t + 2) * hidden, 1.0F));
            const DeviceBuffer<float> w(random.floats(hidden, 1.0F));
            const Rows rows{splits == 0 ? nullptr : add.data(), hidden, (t + 2) * hidden, std::max(1, splits), false};
            DeviceBuffer<float> sums[2] = {x.copy(), x.copy()};
            DeviceBuffer<Bf16> out[2] = {DeviceBuffer<Bf16>(t * hidden), DeviceBuffer<Bf16>(t * hidden)};
            for (int path = 0; path < 2; ++path) {
                out[path].poison();
                ASSERT_EQ(addNorm<Bf16>(launcher(path == 1), sums[path].data(), rows, w.data(), true, 1e-6F, 2, t, hidden,
                                        out[path].data()),
                          cudaSuccess);
            }
            EXPECT_LT(relativeError(sums[1].host(), sums[0].host(), 0), 1e-6) << hidden << ", " << splits;
            EXPECT_LT(relativeError(out[1].host(), out[0].host(), 0), 1e-3) << hidden << ", " << splits;
        }
    }
}

}  // namespace
}  // namespace trefoil::cuda
