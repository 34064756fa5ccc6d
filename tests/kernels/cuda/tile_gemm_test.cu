// Matrix products of prompts, dense and grouped by expert, on the Hopper path and on the portable one, against plain float32
// sums; the grouping itself; and their times at the model's sizes (printed, never judged).
#include "kernels/cuda/moe.h"
#include "kernels/cuda/tile_gemm.h"
#include "tests/kernels/cuda/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trefoil::cuda {
namespace {

/// Values in [-scale, scale) from a hash of the index and a seed.
__global__ void fillKernel(Bf16* data, std::int64_t count, std::uint32_t seed, float scale) {
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += static_cast<std::int64_t>(gridDim.x) * blockDim.x) {
        auto h = static_cast<std::uint32_t>(i) * 2654435761U ^ static_cast<std::uint32_t>(i >> 32) ^ seed * 0x9E3779B9U;
        h = (h ^ h >> 16) * 0x85EBCA6BU;
        h = (h ^ h >> 13) * 0xC2B2AE35U;
        h ^= h >> 16;
        data[i] = __float2bfloat16((static_cast<float>(h >> 8) / 8388608.0F - 1.0F) * scale);
    }
}
DeviceBuffer<Bf16> randomRows(std::int64_t rows, std::int64_t columns, std::uint32_t seed, float scale) {
    DeviceBuffer<Bf16> buffer(rows * columns);
    fillKernel<<<1024, 256>>>(buffer.data(), rows * columns, seed, scale);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    return buffer;
}

/// out [n, m]: a warp an element.
__global__ void plainProductKernel(const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, std::int64_t n, float* out) {
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
    if (at >= m * n) return;
    const Bf16* row = x + at / m * k;
    const Bf16* weights = w + at % m * k;
    float sum = 0.0F;
    for (std::int64_t i = threadIdx.x % 32; i < k; i += 32) sum += toFloat(row[i]) * toFloat(weights[i]);
    sum = warpSum(sum);
    if (threadIdx.x % 32 == 0) out[at] = sum;
}

/// act [positions, stride]; expertOf by position.
__global__ void plainActKernel(ExpertWeights w, const std::int32_t* expertOf, const std::int32_t* rowOf, const Bf16* x,
                               std::int64_t positions, float* act) {
    const int stride = w.maxWidth();
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
    if (at >= positions * stride) return;
    const std::int64_t p = at / stride;
    const std::int64_t column = at % stride;
    const int expert = expertOf[p];
    const int width = expert == w.experts ? w.sharedWidth : w.width;
    if (column >= width) return;
    const auto* weights = expert == w.experts ? static_cast<const Bf16*>(w.sharedGateUp)
                                              : static_cast<const Bf16*>(w.gateUp) + std::int64_t{expert} * 2 * width * w.hidden;
    const Bf16* row = x + static_cast<std::int64_t>(rowOf[p]) * w.hidden;
    float gate = 0.0F;
    float up = 0.0F;
    for (int i = static_cast<int>(threadIdx.x) % 32; i < w.hidden; i += 32) {
        gate += toFloat(row[i]) * toFloat(weights[column * w.hidden + i]);
        up += toFloat(row[i]) * toFloat(weights[(width + column) * w.hidden + i]);
    }
    gate = warpSum(gate);
    up = warpSum(up);
    if (threadIdx.x % 32 == 0) act[at] = silu(gate) * up;
}

__global__ void plainOutKernel(ExpertWeights w, const std::int32_t* expertOf, const Bf16* act, std::int64_t positions,
                               float* out) {
    const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
    if (at >= positions * w.hidden) return;
    const std::int64_t p = at / w.hidden;
    const std::int64_t column = at % w.hidden;
    const int expert = expertOf[p];
    const int width = expert == w.experts ? w.sharedWidth : w.width;
    const auto* weights = expert == w.experts ? static_cast<const Bf16*>(w.sharedDown)
                                              : static_cast<const Bf16*>(w.down) + std::int64_t{expert} * w.hidden * width;
    float sum = 0.0F;
    for (int i = static_cast<int>(threadIdx.x) % 32; i < width; i += 32)
        sum += toFloat(act[p * w.maxWidth() + i]) * toFloat(weights[column * width + i]);
    sum = warpSum(sum);
    if (threadIdx.x % 32 == 0) out[at] = sum;
}

unsigned warpsOf(std::int64_t elements) { return static_cast<unsigned>((elements + 7) / 8); }

/// The relative error, and on standard output where the first great differences are.
template <class A>
double compare(const std::string& what, const std::vector<A>& got, const std::vector<float>& wanted, std::int64_t columns,
               const std::vector<std::int32_t>* validColumns = nullptr) {
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) norm += wanted[i] * static_cast<double>(wanted[i]);
    const double usual = std::sqrt(norm / static_cast<double>(wanted.size()));
    int shown = 0;
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i) / columns;
        if (validColumns != nullptr && static_cast<std::int64_t>(i) % columns >= (*validColumns)[static_cast<std::size_t>(row)])
            continue;
        const double d = asDouble(got[i]) - wanted[i];
        if (std::abs(d) <= 0.1 * usual) {
            difference += d * d;
            continue;
        }
        difference += std::isfinite(d) ? d * d : INFINITY;
        ++wrong;
        if (++shown <= 4)
            std::printf("%s: row %lld column %lld: %g, wanted %g\n", what.c_str(), static_cast<long long>(row),
                        static_cast<long long>(static_cast<std::int64_t>(i) % columns), asDouble(got[i]),
                        static_cast<double>(wanted[i]));
    }
    if (wrong > 0) std::printf("%s: %lld of %zu wrong\n", what.c_str(), static_cast<long long>(wrong), wanted.size());
    return std::sqrt(difference / norm);
}

struct Sizes {
    std::int64_t t;
    int experts, hidden, width, sharedWidth, perToken;
    bool skewed;
};

/// A layer's weights, a pass's rows and routing, and all that the products write.
struct Mixture {
    Sizes s;
    std::int64_t positions;
    DeviceBuffer<Bf16> gateUp, down, sharedGateUp, sharedDown, x, act, out;
    DeviceBuffer<std::int32_t> chosen, rowOf, positionOf, tileCount;
    DeviceBuffer<GroupTile> tiles;
    DeviceBuffer<float> weights, sum;
    DeviceBuffer<LayerResult> result;
    std::vector<std::int32_t> hostChosen;
    std::vector<float> hostWeights;
    ExpertWeights w;
    ExpertGroups groups;
    Routing routing;

    explicit Mixture(const Sizes& sizes)
        : s(sizes),
          positions(s.t * (s.perToken + 1)),
          gateUp(randomRows(std::int64_t{s.experts} * 2 * s.width, s.hidden, 1, 0.05F)),
          down(randomRows(std::int64_t{s.experts} * s.hidden, s.width, 2, 0.05F)),
          sharedGateUp(randomRows(std::int64_t{2} * s.sharedWidth, s.hidden, 3, 0.05F)),
          sharedDown(randomRows(s.hidden, s.sharedWidth, 4, 0.05F)),
          x(randomRows(s.t, s.hidden, 5, 1.0F)),
          act(positions * std::max(s.width, s.sharedWidth)),
          out(positions * s.hidden),
          chosen(s.t * s.perToken),
          rowOf(positions),
          positionOf(positions),
          tileCount(1),
          tiles(maxGroupTiles(positions, s.experts)),
          weights(positions),
          sum(s.t * s.hidden),
          result(1) {
        std::mt19937 random(7);
        std::vector<std::int32_t> all(static_cast<std::size_t>(s.experts));
        for (int e = 0; e < s.experts; ++e) all[static_cast<std::size_t>(e)] = e;
        for (std::int64_t row = 0; row < s.t; ++row) {
            // Skewed: half of the experts are hardly ever chosen.
            const int among = s.skewed && random() % 64 != 0 ? std::max(s.perToken, s.experts / 2) : s.experts;
            for (int i = 0; i < s.perToken; ++i)
                std::swap(all[static_cast<std::size_t>(i)],
                          all[static_cast<std::size_t>(i + static_cast<int>(random() % static_cast<unsigned>(among - i)))]);
            for (int i = 0; i < s.perToken; ++i) hostChosen.push_back(all[static_cast<std::size_t>(i)]);
            if (s.skewed) std::sort(all.begin(), all.end());
        }
        hostWeights = DeviceRandom(8).floats(positions, 1.0F);
        chosen.fill(hostChosen);
        weights.fill(hostWeights);
        act.poison();
        out.poison();
        w = {WeightFormat::BFloat16, gateUp.data(), down.data(), sharedGateUp.data(),
             sharedDown.data(),      s.experts,     s.hidden,    s.width,
             s.sharedWidth};
        groups = {rowOf.data(), positionOf.data(), tiles.data(), tileCount.data()};
        routing.experts = chosen.data();
        routing.weights = weights.data();
    }
    cudaError_t group(const Launcher& on) { return groupRows(on, routing, s.t, s.experts, s.perToken, groups, result.data()); }
    cudaError_t first(const Launcher& on) { return groupedGateUp(on, w, groups, x.data(), positions, act.data()); }
    cudaError_t second(const Launcher& on) { return groupedDown(on, w, groups, act.data(), positions, out.data()); }
    cudaError_t combine(const Launcher& on) {
        return combineGroups(on, routing, groups, out.data(), s.t, s.hidden, s.perToken, sum.data());
    }
};

class TileGemm : public CudaTest {
protected:
    [[nodiscard]] Launcher overlapping(bool hopper) const {
        Launcher on = launcher(hopper);
        on.overlap = isHopper();
        return on;
    }
    /// Milliseconds a call, over `calls` of them.
    static double time(int calls, const std::function<cudaError_t()>& call) {
        for (int i = 0; i < 3; ++i) EXPECT_EQ(call(), cudaSuccess);
        cudaEvent_t begin = nullptr;
        cudaEvent_t end = nullptr;
        EXPECT_EQ(cudaEventCreate(&begin), cudaSuccess);
        EXPECT_EQ(cudaEventCreate(&end), cudaSuccess);
        float best = 0;
        for (int turn = 0; turn < 3; ++turn) {
            EXPECT_EQ(cudaEventRecord(begin), cudaSuccess);
            for (int i = 0; i < calls; ++i) EXPECT_EQ(call(), cudaSuccess);
            EXPECT_EQ(cudaEventRecord(end), cudaSuccess);
            EXPECT_EQ(cudaEventSynchronize(end), cudaSuccess);
            float ms = 0;
            EXPECT_EQ(cudaEventElapsedTime(&ms, begin, end), cudaSuccess);
            best = turn == 0 ? ms : std::min(best, ms);
        }
        EXPECT_EQ(cudaEventDestroy(begin), cudaSuccess);
        EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
        return best / calls;
    }
};

TEST_F(TileGemm, DenseProductsMatchPlainSums) {
    struct Case {
        std::int64_t m, k, t;
        bool floats;
    };
    for (const Case& c : {Case{64, 64, 16, true},
                          {256, 64, 176, true},
                          {256, 512, 8, false},
                          {257, 2048, 100, true},
                          {513, 200, 333, false},
                          {1024, 1024, 1000, false},
                          {96, 72, 45, true}}) {
        const DeviceBuffer<Bf16> w = randomRows(c.m, c.k, 11, 1.0F);
        const DeviceBuffer<Bf16> x = randomRows(c.t, c.k, 12, 1.0F);
        DeviceBuffer<float> wanted(c.m * c.t);
        plainProductKernel<<<warpsOf(c.m * c.t), 256>>>(w.data(), c.m, c.k, x.data(), c.t, wanted.data());
        ASSERT_EQ(cudaGetLastError(), cudaSuccess);
        for (const bool hopper : {true, false}) {
            const std::string name = std::string(hopper ? "hopper " : "portable ") + std::to_string(c.m) + " by " +
                                     std::to_string(c.k) + ", " + std::to_string(c.t) + " rows";
            double error = INFINITY;
            if (c.floats) {
                DeviceBuffer<float> got(c.m * c.t);
                got.poison();
                ASSERT_EQ(tileGemm(launcher(hopper), w.data(), c.m, c.k, x.data(), c.t, got.data(), true), cudaSuccess) << name;
                ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
                error = compare(name, got.host(), wanted.host(), c.m);
            } else {
                DeviceBuffer<Bf16> got(c.m * c.t);
                got.poison();
                ASSERT_EQ(tileGemm(launcher(hopper), w.data(), c.m, c.k, x.data(), c.t, got.data(), false), cudaSuccess) << name;
                ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
                error = compare(name, got.host(), wanted.host(), c.m);
            }
            EXPECT_LT(error, c.floats ? 1e-5 : 4e-3) << name;
        }
    }
}

void checkGroups(const Mixture& mixture, std::vector<std::int32_t>& expertOf) {
    const Sizes& s = mixture.s;
    const std::vector<std::int32_t> rowOf = mixture.rowOf.host();
    const std::vector<std::int32_t> positionOf = mixture.positionOf.host();
    const std::vector<GroupTile> tiles = mixture.tiles.host();
    const int count = mixture.tileCount.host()[0];
    ASSERT_LE(count, static_cast<int>(tiles.size()));
    expertOf.clear();
    for (int i = 0; i < count; ++i) {
        const GroupTile& tile = tiles[static_cast<std::size_t>(i)];
        ASSERT_EQ(tile.first, static_cast<int>(expertOf.size())) << "tile " << i;
        ASSERT_TRUE(tile.rows > 0 && tile.rows <= kGroupTileRows) << "tile " << i;
        if (i > 0) ASSERT_GE(tile.expert, tiles[static_cast<std::size_t>(i) - 1].expert);
        expertOf.insert(expertOf.end(), static_cast<std::size_t>(tile.rows), tile.expert);
    }
    ASSERT_EQ(expertOf.size(), static_cast<std::size_t>(mixture.positions));
    std::vector<bool> seen(expertOf.size(), false);
    std::vector<bool> used(static_cast<std::size_t>(s.experts), false);
    for (std::int64_t row = 0; row < s.t; ++row)
        for (int i = 0; i <= s.perToken; ++i) {
            const int p = positionOf[static_cast<std::size_t>(row * (s.perToken + 1) + i)];
            ASSERT_TRUE(p >= 0 && p < mixture.positions && !seen[static_cast<std::size_t>(p)])
                << "row " << row << " choice " << i;
            seen[static_cast<std::size_t>(p)] = true;
            const int wanted = i == s.perToken ? s.experts : mixture.hostChosen[static_cast<std::size_t>(row * s.perToken + i)];
            ASSERT_EQ(expertOf[static_cast<std::size_t>(p)], wanted);
            ASSERT_EQ(rowOf[static_cast<std::size_t>(p)], row);
            if (i < s.perToken) used[static_cast<std::size_t>(wanted)] = true;
        }
    ASSERT_EQ(mixture.result.host()[0].distinct, std::count(used.begin(), used.end(), true));
}

TEST_F(TileGemm, GroupedProductsMatchPlainSums) {
    for (const Sizes& s :
         {Sizes{40, 4, 64, 64, 64, 2, false}, Sizes{77, 8, 256, 128, 128, 2, false}, Sizes{300, 16, 96, 48, 80, 4, true},
          Sizes{700, 4, 320, 80, 48, 4, false}, Sizes{100, 6, 40, 24, 24, 2, false}, Sizes{5, 256, 2048, 512, 512, 8, false},
          Sizes{2000, 32, 512, 272, 272, 8, true}, Sizes{1024, 256, 2048, 512, 512, 8, false}}) {
        Mixture m(s);
        for (const bool hopper : {true, false}) {
            const std::string name = std::string(hopper ? "hopper " : "portable ") + std::to_string(s.t) + " rows, " +
                                     std::to_string(s.experts) + " experts, " + std::to_string(s.hidden) + " by " +
                                     std::to_string(s.width) + " and " + std::to_string(s.sharedWidth);
            const Launcher on = launcher(hopper);
            m.act.poison();
            m.out.poison();
            m.rowOf.poison();
            m.positionOf.poison();
            m.tiles.poison();
            ASSERT_EQ(m.group(on), cudaSuccess) << name;
            ASSERT_EQ(m.first(on), cudaSuccess) << name;
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
            std::vector<std::int32_t> expertOf;
            checkGroups(m, expertOf);
            if (HasFatalFailure()) return;
            const DeviceBuffer<std::int32_t> experts(expertOf);
            std::vector<std::int32_t> widths;
            for (const std::int32_t e : expertOf) widths.push_back(e == s.experts ? s.sharedWidth : s.width);
            const std::int64_t stride = m.w.maxWidth();
            DeviceBuffer<float> wanted(std::vector<float>(static_cast<std::size_t>(m.positions * stride), 0.0F));
            plainActKernel<<<warpsOf(m.positions * stride), 256>>>(m.w, experts.data(), m.rowOf.data(), m.x.data(), m.positions,
                                                                   wanted.data());
            EXPECT_LT(compare("act, " + name, m.act.host(), wanted.host(), stride, &widths), 4e-3) << name;

            ASSERT_EQ(m.second(on), cudaSuccess) << name;
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << name;
            DeviceBuffer<float> wantedOut(m.positions * s.hidden);
            plainOutKernel<<<warpsOf(m.positions * s.hidden), 256>>>(m.w, experts.data(), m.act.data(), m.positions,
                                                                     wantedOut.data());
            const std::vector<Bf16> out = m.out.host();
            EXPECT_LT(compare("out, " + name, out, wantedOut.host(), s.hidden), 4e-3) << name;

            const std::vector<float> before = DeviceRandom(9).floats(s.t * s.hidden, 1.0F);
            m.sum.fill(before);
            ASSERT_EQ(m.combine(on), cudaSuccess);
            const std::vector<std::int32_t> positionOf = m.positionOf.host();
            std::vector<float> wantedSum = before;
            for (std::int64_t row = 0; row < s.t; ++row)
                for (int i = 0; i <= s.perToken; ++i) {
                    const auto slot = static_cast<std::size_t>(row * (s.perToken + 1) + i);
                    for (int d = 0; d < s.hidden; ++d)
                        wantedSum[static_cast<std::size_t>(row * s.hidden + d)] +=
                            m.hostWeights[slot] *
                            __bfloat162float(out[static_cast<std::size_t>(positionOf[slot]) * static_cast<std::size_t>(s.hidden) +
                                                 static_cast<std::size_t>(d)]);
                }
            EXPECT_LT(compare("sum, " + name, m.sum.host(), wantedSum, s.hidden), 1e-6) << name;
        }
    }
}

TEST_F(TileGemm, GroupedProductsGiveTheSameBitsEveryTime) {
    Mixture m(Sizes{1024, 256, 2048, 512, 512, 8, false});
    const Launcher on = overlapping(true);
    std::vector<float> first;
    for (int i = 0; i < 5; ++i) {
        m.sum.fill(std::vector<float>(static_cast<std::size_t>(m.s.t * m.s.hidden), 0.0F));
        m.act.poison();
        m.out.poison();
        ASSERT_EQ(m.group(on), cudaSuccess);
        ASSERT_EQ(m.first(on), cudaSuccess);
        ASSERT_EQ(m.second(on), cudaSuccess);
        ASSERT_EQ(m.combine(on), cudaSuccess);
        const std::vector<float> sum = m.sum.host();
        if (i == 0) first = sum;
        ASSERT_EQ(std::memcmp(first.data(), sum.data(), sum.size() * sizeof(float)), 0) << "run " << i;
    }
}

TEST_F(TileGemm, Times) {
    for (const auto& [t, skewed] :
         {std::pair{512, false}, {1024, false}, {1024, true}, {2048, false}, {4096, false}, {4096, true}}) {
        Mixture m(Sizes{t, 256, 2048, 512, 512, 8, skewed});
        m.sum.fill(std::vector<float>(static_cast<std::size_t>(m.s.t * m.s.hidden), 0.0F));
        const double flops = 6.0 * 2048 * 512 * static_cast<double>(m.positions);
        for (const bool hopper : {true, false}) {
            const Launcher on = overlapping(hopper);
            ASSERT_EQ(m.group(on), cudaSuccess);
            const double group = time(20, [&] { return m.group(on); });
            const double first = time(20, [&] { return m.first(on); });
            const double second = time(20, [&] { return m.second(on); });
            const double combine = time(20, [&] { return m.combine(on); });
            const double both = time(20, [&] {
                const cudaError_t e = m.first(on);
                return e != cudaSuccess ? e : m.second(on);
            });
            const double all = time(20, [&] {
                cudaError_t e = m.group(on);
                if (e == cudaSuccess) e = m.first(on);
                if (e == cudaSuccess) e = m.second(on);
                if (e == cudaSuccess) e = m.combine(on);
                return e;
            });
            std::printf(
                "%4d rows%s %s: group %.1f, gate up %.1f, down %.1f, combine %.1f us; both products %.1f us: %.0f TFLOP/s, "
                "weights "
                "%.0f GB/s; all %.1f us\n",
                t, skewed ? " skewed" : "", hopper ? "hopper  " : "portable", group * 1e3, first * 1e3, second * 1e3,
                combine * 1e3, both * 1e3, flops / both / 1e9, 1.617 / both * 1e3, all * 1e3);
        }
    }
    for (const auto& [rows, k] : {std::pair{257, 2048}, {12288, 2048}, {2048, 4096}}) {
        const DeviceBuffer<Bf16> w = randomRows(rows, k, 11, 1.0F);
        for (const int t : {1024, 4096}) {
            const DeviceBuffer<Bf16> x = randomRows(t, k, 12, 1.0F);
            const DeviceBuffer<float> out(std::int64_t{rows} * t);
            for (const bool hopper : {true, false}) {
                const double ms = time(20, [&, m = rows, columns = k] {
                    return tileGemm(overlapping(hopper), w.data(), m, columns, x.data(), t, out.data(), m == 257);
                });
                std::printf("dense %d by %d, %d rows %s: %.1f us, %.0f TFLOP/s\n", rows, k, t, hopper ? "hopper  " : "portable",
                            ms * 1e3, 2.0 * rows * k * t / ms / 1e9);
            }
        }
    }
}

}  // namespace
}  // namespace trefoil::cuda
