// Products of packed weights against float64 loops over their values, and unpacking bit for bit: every format, odd sizes, parts
// of units and blocks, matrices of several segments, experts in a row, behind a table, and in main memory.
#include "kernels/cuda/expert_packed.h"
#include "kernels/cuda/moe.h"
#include "kernels/cuda/skinny_gemm.h"
#include "kernels/cuda/skinny_packed.h"
#include "kernels/cuda/unpack.h"
#include "tests/kernels/cuda/device_test.h"
#include "tests/kernels/cuda/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

namespace trefoil::cuda {
namespace {

class Packed : public CudaTest {
protected:
    std::mt19937 m_random{17};
};

/// out [t, m] = x · w transposed, in float64.
std::vector<double> product(const std::vector<Bf16>& x, const std::vector<float>& w, int t, std::int64_t m, std::int64_t k) {
    std::vector<double> out(static_cast<std::size_t>(t * m), 0.0);
    for (int row = 0; row < t; ++row)
        for (std::int64_t i = 0; i < m; ++i) {
            double sum = 0;
            for (std::int64_t c = 0; c < k; ++c)
                sum += asDouble(x[static_cast<std::size_t>(row * k + c)]) *
                       static_cast<double>(w[static_cast<std::size_t>(i * k + c)]);
            out[static_cast<std::size_t>(row * m + i)] = sum;
        }
    return out;
}

std::vector<double> sumOfParts(const std::vector<float>& parts, std::size_t size) {
    std::vector<double> sum(size, 0.0);
    for (std::size_t i = 0; i < parts.size(); ++i) sum[i % size] += parts[i];
    return sum;
}

TEST_F(Packed, DenseProducts) {
    DeviceRandom random(1);
    for (const PackFormat format : kPackFormats)
        for (const auto& [m, k] :
             {std::tuple<int, int>{1, 8}, {16, 128}, {100, 96}, {128, 256}, {200, 520}, {261, 2048}, {384, 1160}}) {
            const RandomPacked w = randomPacked(format, m, k, false, 0.2F, m_random);
            const DeviceBuffer<std::byte> bytes(w.bytes);
            WeightMatrix matrix;
            matrix.rows = m;
            matrix.columns = k;
            matrix.segments = 1;
            matrix.segment[0] = {format, 0, m, bytes.data()};
            for (const int t : {1, 3, 8, 9, 32, 33, 64}) {
                const std::vector<Bf16> x = random.bf16(std::int64_t{t} * k, 1.0F);
                const DeviceBuffer<Bf16> rows(x);
                const std::vector<double> wanted = product(x, w.values, t, m, k);
                for (const bool few : {false, true}) {  // shared memory as on smaller cards
                    Launcher on = launcher(true);
                    if (few) on.sharedBytes = 99 * 1024;
                    for (const int splits : {1, skinnySplits(m, k, on.sms)}) {
                        DeviceBuffer<float> out(std::int64_t{splits} * t * m);
                        out.poison();
                        ASSERT_EQ(skinnyPacked(on, matrix, rows.data(), t, splits, out.data()), cudaSuccess);
                        EXPECT_LT(relativeError(sumOfParts(out.host(), wanted.size()), wanted, 0), productError(format))
                            << nameOf(format) << ", " << m << " x " << k << ", " << t << " rows, " << splits << " splits";
                    }
                }
            }
        }
}

TEST_F(Packed, SegmentsOfSeveralFormats) {
    DeviceRandom random(2);
    constexpr int kColumns = 384;
    constexpr int kRows[] = {150, 40, 7};
    constexpr PackFormat kKinds[] = {PackFormat::Int4By32, PackFormat::BFloat16, PackFormat::Fp8};
    WeightMatrix matrix;
    matrix.columns = kColumns;
    std::vector<float> values;
    std::vector<DeviceBuffer<std::byte>> buffers;
    for (int i = 0; i < 3; ++i) {
        const RandomPacked w = randomPacked(kKinds[i], kRows[i], kColumns, false, 0.3F, m_random);
        values.insert(values.end(), w.values.begin(), w.values.end());
        buffers.emplace_back(w.bytes);
        matrix.segment[matrix.segments++] = {kKinds[i], matrix.rows, kRows[i], buffers.back().data()};
        matrix.rows += kRows[i];
    }
    const Launcher on = launcher(true);
    for (const int t : {1, 32, 64}) {
        const std::vector<Bf16> x = random.bf16(std::int64_t{t} * kColumns, 1.0F);
        const DeviceBuffer<Bf16> rows(x);
        const std::vector<double> wanted = product(x, values, t, matrix.rows, kColumns);
        DeviceBuffer<float> out(2 * t * matrix.rows);
        out.poison();
        ASSERT_EQ(skinnyPacked(on, matrix, rows.data(), t, 2, out.data()), cudaSuccess);
        EXPECT_LT(relativeError(sumOfParts(out.host(), wanted.size()), wanted, 0), 3e-3) << t << " rows";
    }
    DeviceBuffer<float> plain(matrix.rows * kColumns);
    plain.poison();
    ASSERT_EQ(unpackMatrix(on, matrix, WeightFormat::Float32, plain.data()), cudaSuccess);
    EXPECT_TRUE(plain.host() == values);
}

TEST_F(Packed, UnpackingIsExact) {
    for (const PackFormat format : kPackFormats)
        for (const auto& [m, k] : {std::tuple<int, int>{1, 5}, {16, 128}, {33, 96}, {130, 264}, {50, 131}}) {
            const RandomPacked w = randomPacked(format, m, k, false, 0.2F, m_random);
            const DeviceBuffer<std::byte> bytes(w.bytes);
            WeightMatrix matrix;
            matrix.rows = m;
            matrix.columns = k;
            matrix.segments = 1;
            matrix.segment[0] = {format, 0, m, bytes.data()};
            DeviceBuffer<float> wide(std::int64_t{m} * k);
            DeviceBuffer<Bf16> narrow(std::int64_t{m} * k);
            wide.poison();
            narrow.poison();
            ASSERT_EQ(unpackMatrix(launcher(true), matrix, WeightFormat::Float32, wide.data()), cudaSuccess);
            ASSERT_EQ(unpackMatrix(launcher(true), matrix, WeightFormat::BFloat16, narrow.data()), cudaSuccess);
            EXPECT_TRUE(wide.host() == w.values) << nameOf(format) << ", " << m << " x " << k;
            const std::vector<Bf16> got = narrow.host();
            for (std::size_t i = 0; i < got.size(); ++i)
                ASSERT_EQ(asDouble(got[i]), static_cast<double>(w.values[i])) << nameOf(format) << " at " << i;
        }
}

/// Experts of a layer as records, and their values as plain matrices.
struct PackedLayer {
    PackedExperts w;
    std::vector<std::byte> records;
    std::vector<float> gateUp;
    std::vector<float> down;
    RandomPacked sharedGateUp;
    RandomPacked sharedDown;

    PackedLayer(std::mt19937& random, PackFormat routed, PackFormat shared, int experts, int hidden, int width, int sharedWidth) {
        w.gateUp = w.down = routed;
        w.sharedGateUp = w.sharedDown = shared;
        w.experts = experts;
        w.hidden = hidden;
        w.width = width;
        w.sharedWidth = sharedWidth;
        w.downAt = pairedBytes(routed, width, hidden);
        w.recordBytes = w.downAt + packedBytes(routed, hidden, width);
        for (int e = 0; e < experts; ++e) {
            const RandomPacked up = randomPacked(routed, 2 * width, hidden, true, 0.15F, random);
            const RandomPacked out = randomPacked(routed, hidden, width, false, 0.15F, random);
            records.insert(records.end(), up.bytes.begin(), up.bytes.end());
            records.insert(records.end(), out.bytes.begin(), out.bytes.end());
            gateUp.insert(gateUp.end(), up.values.begin(), up.values.end());
            down.insert(down.end(), out.values.begin(), out.values.end());
        }
        sharedGateUp = randomPacked(shared, 2 * sharedWidth, hidden, true, 0.15F, random);
        sharedDown = randomPacked(shared, hidden, sharedWidth, false, 0.15F, random);
    }
};

std::vector<Bf16> toBf16s(const std::vector<float>& values) {
    std::vector<Bf16> out(values.size());
    std::transform(values.begin(), values.end(), out.begin(), [](float v) { return __float2bfloat16(v); });
    return out;
}

/// Which experts each row uses, as the router leaves it.
struct Choices {
    std::vector<std::int32_t> experts;
    std::vector<float> weights;
    std::vector<std::int32_t> active;
    std::vector<std::uint64_t> masks;
    std::vector<float> activeWeights;

    Choices(std::mt19937& random, int all, int perToken, int distinct, int t)
        : activeWeights(static_cast<std::size_t>(all + 1) * kSmallRows, 0.0F) {
        std::vector<std::int32_t> ids(static_cast<std::size_t>(all));
        std::iota(ids.begin(), ids.end(), 0);
        std::shuffle(ids.begin(), ids.end(), random);
        ids.resize(static_cast<std::size_t>(distinct));
        std::sort(ids.begin(), ids.end());
        std::vector<std::uint64_t> uses(static_cast<std::size_t>(all), 0);
        for (int row = 0; row < t; ++row)
            for (int s = 0; s <= perToken; ++s) {
                const int id = s == perToken ? all : ids[static_cast<std::size_t>((row * perToken + s) % distinct)];
                const float weight = 0.1F + static_cast<float>(random() % 1000) / 1000.0F;
                if (s < perToken) {
                    experts.push_back(id);
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
        active.push_back(all);
        masks.push_back(~std::uint64_t{0});
    }
};

constexpr int kPerToken = 4;

/// Runs both products in several launches' ways and compares with the plain loops over BF16 values.
void expectExperts(const std::vector<Launcher>& launchers, std::mt19937& random, const PackedLayer& layer, const PackedExperts& w,
                   int t, int distinct) {
    DeviceRandom inputs(static_cast<std::uint32_t>(t * 100 + distinct));
    const DeviceBuffer<Bf16> gateUp(toBf16s(layer.gateUp));
    const DeviceBuffer<Bf16> down(toBf16s(layer.down));
    const DeviceBuffer<Bf16> sharedGateUp(toBf16s(layer.sharedGateUp.values));
    const DeviceBuffer<Bf16> sharedDown(toBf16s(layer.sharedDown.values));
    const ExpertWeights plain{WeightFormat::BFloat16, gateUp.data(), down.data(), sharedGateUp.data(),
                              sharedDown.data(),      w.experts,     w.hidden,    w.width,
                              w.sharedWidth};
    const int pitch = plain.maxWidth();
    const Choices c(random, w.experts, kPerToken, distinct, t);
    const DeviceBuffer<Bf16> h(inputs.bf16(std::int64_t{t} * w.hidden, 1.0F));
    DeviceBuffer<std::int32_t> experts(c.experts);
    DeviceBuffer<float> weights(c.weights);
    DeviceBuffer<float> plainAct(std::int64_t{t} * (kPerToken + 1) * pitch);
    const DeviceBuffer<float> wanted(std::vector<float>(static_cast<std::size_t>(t * w.hidden), 0.0F));
    const Routing routing{nullptr, experts.data(), weights.data(), nullptr, nullptr};
    ASSERT_EQ(plainExperts<Bf16>(launchers.front(), plain, routing, h.data(), t, kPerToken, plainAct.data(), wanted.data()),
              cudaSuccess);
    DeviceBuffer<std::int32_t> count(std::vector<std::int32_t>{static_cast<std::int32_t>(c.active.size())});
    DeviceBuffer<std::int32_t> active(c.active);
    DeviceBuffer<std::uint64_t> masks(c.masks);
    DeviceBuffer<float> activeWeights(c.activeWeights);
    const ActiveExperts entries{count.data(), active.data(), masks.data(), activeWeights.data()};
    DeviceBuffer<Bf16> act(static_cast<std::int64_t>(c.active.size()) * t * pitch);
    for (const Launcher& on : launchers) {
        const int splits = expertDownSplits(w.hidden, on.sms);
        DeviceBuffer<float> out(std::int64_t{packedDownParts(w, splits)} * t * w.hidden);
        act.poison();
        out.poison();
        ASSERT_EQ(packedGateUp(on, w, entries, h.data(), t, true, act.data()), cudaSuccess);
        ASSERT_EQ(packedDown(on, w, entries, act.data(), t, splits, out.data()), cudaSuccess);
        // act is BF16 in between.
        EXPECT_LT(relativeError(sumOfParts(out.host(), static_cast<std::size_t>(t * w.hidden)), wanted.host(), 0), 5e-3)
            << nameOf(w.gateUp) << " with " << nameOf(w.sharedGateUp) << ", " << t << " rows, " << distinct << " experts, "
            << w.hidden << " columns, width " << w.width;
    }
}

TEST_F(Packed, Experts) {
    std::vector<Launcher> launchers(5, launcher(true));
    launchers[1].overlap = isHopper();
    launchers[2].sharedBytes = 99 * 1024;
    // As on cards with fewer multiprocessors: tiles are dealt out whole, in halves and in quarters.
    launchers[3].sms = 9;
    launchers[4].sms = 30;
    constexpr int kExperts = 24;
    for (const PackFormat format : kPackFormats)
        for (const auto& [hidden, width, sharedWidth] :
             {std::tuple<int, int, int>{256, 128, 128}, {136, 96, 104}, {1032, 72, 200}, {1024, 200, 72}}) {
            PackedLayer layer(m_random, format, format, kExperts, hidden, width, sharedWidth);
            const DeviceBuffer<std::byte> records(layer.records);
            const DeviceBuffer<std::byte> sharedGateUp(layer.sharedGateUp.bytes);
            const DeviceBuffer<std::byte> sharedDown(layer.sharedDown.bytes);
            PackedExperts w = layer.w;
            w.records = records.data();
            w.sharedGateUpData = sharedGateUp.data();
            w.sharedDownData = sharedDown.data();
            for (const int t : {1, 8, 9, 32, 64})
                for (const int distinct : {4, 11, 24})
                    if (distinct <= t * kPerToken) expectExperts(launchers, m_random, layer, w, t, distinct);
        }
}

TEST_F(Packed, ASharedExpertOfAnotherFormat) {
    const std::vector<Launcher> launchers{launcher(true)};
    for (const auto& [routed, shared] :
         {std::tuple{PackFormat::Int4By32, PackFormat::BFloat16}, {PackFormat::BFloat16, PackFormat::Fp8}}) {
        PackedLayer layer(m_random, routed, shared, 12, 256, 96, 160);
        const DeviceBuffer<std::byte> records(layer.records);
        const DeviceBuffer<std::byte> sharedGateUp(layer.sharedGateUp.bytes);
        const DeviceBuffer<std::byte> sharedDown(layer.sharedDown.bytes);
        PackedExperts w = layer.w;
        w.records = records.data();
        w.sharedGateUpData = sharedGateUp.data();
        w.sharedDownData = sharedDown.data();
        for (const int t : {1, 32, 64}) expectExperts(launchers, m_random, layer, w, t, 4);
    }
}

TEST_F(Packed, RecordsLieAnywhere) {
    const std::vector<Launcher> launchers{launcher(true)};
    for (const PackFormat format : {PackFormat::BFloat16, PackFormat::Int4By32}) {
        PackedLayer layer(m_random, format, format, 12, 256, 96, 96);
        const auto each = static_cast<std::size_t>(layer.w.recordBytes);
        // Odd ones on the card in reverse order, even ones in main memory.
        const DeviceBuffer<std::byte> card(static_cast<std::int64_t>(12 * each));
        std::byte* pinned = nullptr;
        ASSERT_EQ(cudaMallocHost(&pinned, 12 * each), cudaSuccess);
        std::vector<const std::byte*> table;
        for (std::size_t e = 0; e < 12; ++e) {
            std::byte* to = e % 2 != 0 ? card.data() + (11 - e) * each : pinned + e * each;
            ASSERT_EQ(cudaMemcpy(to, layer.records.data() + e * each, each, cudaMemcpyDefault), cudaSuccess);
            table.push_back(to);
        }
        DeviceBuffer<const std::byte*> places(table);
        const DeviceBuffer<std::byte> sharedGateUp(layer.sharedGateUp.bytes);
        const DeviceBuffer<std::byte> sharedDown(layer.sharedDown.bytes);
        PackedExperts w = layer.w;
        w.table = places.data();
        w.sharedGateUpData = sharedGateUp.data();
        w.sharedDownData = sharedDown.data();
        for (const int t : {1, 32}) expectExperts(launchers, m_random, layer, w, t, 4);
        // And unpacked, in slices, some left out.
        DeviceBuffer<float> gateUp(5LL * 2 * 96 * 256);
        DeviceBuffer<float> down(5LL * 256 * 96);
        gateUp.poison();
        down.poison();
        const DeviceBuffer<std::uint8_t> used(std::vector<std::uint8_t>{1, 1, 0, 1, 1});
        ASSERT_EQ(unpackExperts(launcher(true), w, 3, 5, used.data(), WeightFormat::Float32, gateUp.data(), down.data()),
                  cudaSuccess);
        const std::vector<float> got = gateUp.host();
        const std::vector<float> gotDown = down.host();
        for (std::size_t e = 0; e < 5; ++e) {
            if (e == 2) {
                EXPECT_TRUE(std::isnan(got[e * 2 * 96 * 256]) && std::isnan(gotDown[e * 256 * 96]));
                continue;
            }
            EXPECT_TRUE(std::equal(got.begin() + static_cast<std::ptrdiff_t>(e * 2 * 96 * 256),
                                   got.begin() + static_cast<std::ptrdiff_t>((e + 1) * 2 * 96 * 256),
                                   layer.gateUp.begin() + static_cast<std::ptrdiff_t>((e + 3) * 2 * 96 * 256)));
            EXPECT_TRUE(std::equal(gotDown.begin() + static_cast<std::ptrdiff_t>(e * 256 * 96),
                                   gotDown.begin() + static_cast<std::ptrdiff_t>((e + 1) * 256 * 96),
                                   layer.down.begin() + static_cast<std::ptrdiff_t>((e + 3) * 256 * 96)));
        }
        cudaFreeHost(pinned);
    }
}

TEST_F(Packed, SlicesOfAPassHoldEveryTileOnce) {
    std::vector<GroupTile> tiles;
    constexpr int kExperts = 20;
    int position = 0;
    for (const int expert : {0, 0, 3, 4, 7, 7, 7, 12, 19, kExperts, kExperts}) {
        tiles.push_back({expert, position, 5, 0});
        position += 5;
    }
    DeviceBuffer<GroupTile> all(tiles);
    DeviceBuffer<std::int32_t> count(std::vector<std::int32_t>{static_cast<std::int32_t>(tiles.size())});
    ExpertGroups groups;
    groups.tiles = all.data();
    groups.tileCount = count.data();
    DeviceBuffer<GroupTile> out(static_cast<std::int64_t>(tiles.size()));
    DeviceBuffer<std::int32_t> outCount(1);
    DeviceBuffer<std::uint8_t> used(kExperts);
    std::vector<GroupTile> seen;
    for (int first = 0; first < kExperts; first += 8) {
        const int n = std::min(8, kExperts - first);
        const bool last = first + n == kExperts;
        ASSERT_EQ(sliceGroups(launcher(true), groups, kExperts, first, n, last, {out.data(), outCount.data(), used.data()}),
                  cudaSuccess);
        const std::vector<GroupTile> got = out.host();
        const std::vector<std::uint8_t> marks = used.host();
        for (int i = 0; i < outCount.host()[0]; ++i) {
            GroupTile tile = got[static_cast<std::size_t>(i)];
            EXPECT_TRUE(tile.expert == n ? last : marks[static_cast<std::size_t>(tile.expert)] == 1);
            tile.expert = tile.expert == n && last ? kExperts : first + tile.expert;
            seen.push_back(tile);
        }
        int marked = 0;
        for (int e = 0; e < n; ++e) marked += marks[static_cast<std::size_t>(e)];
        EXPECT_EQ(marked, first == 0 ? 4 : 1);
    }
    ASSERT_EQ(seen.size(), tiles.size());
    for (std::size_t i = 0; i < tiles.size(); ++i)
        EXPECT_TRUE(seen[i].expert == tiles[i].expert && seen[i].first == tiles[i].first && seen[i].rows == tiles[i].rows);
}

}  // namespace
}  // namespace trefoil::cuda
