// Attention on the device against plainAttention (one warp a query, float32) and the inputs against float64: ragged rows and
// splits, clean and noisy rows, poison in everything that must be written and behind everything that may be read.
#include "kernels/cuda/attention.h"
#include "tests/kernels/cuda/device_test.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

namespace trefoil::cuda {
namespace {

void check(cudaError_t error) { ASSERT_EQ(error, cudaSuccess) << cudaGetErrorString(error); }

/// About normal, standard deviation `scale`.
template <class T>
__global__ void fill(T* to, std::int64_t n, float scale, std::uint32_t seed) {
    for (std::int64_t i = blockIdx.x * 256LL + threadIdx.x; i < n; i += gridDim.x * 256LL) {
        auto h = static_cast<std::uint32_t>(i) * 0x9E3779B9U ^ static_cast<std::uint32_t>(i >> 32) ^ seed * 0x85EBCA6BU;
        float sum = 0.0F;
        for (int k = 0; k < 4; ++k) {
            h ^= h >> 16;
            h *= 0x7FEB352DU;
            h ^= h >> 15;
            h *= 0x846CA68BU;
            h ^= h >> 16;
            sum += static_cast<float>(h) * 0x1p-32F - 0.5F;
        }
        to[i] = fromFloat<T>(sum * 1.732F * scale);
    }
}

template <class T>
void random(DeviceBuffer<T>& to, std::int64_t n, float scale, std::uint32_t seed) {
    fill<<<1024, 256>>>(to.data(), n, scale, seed);
    check(cudaGetLastError());
}

class FlashTest : public CudaTest {
protected:
    struct Case {
        AttentionShape shape;
        std::int64_t t;
        int clean;
        std::int64_t prefix;
        int splits = 0;  ///< 0: flashSplits
    };
    void compare(const Case& c);
    [[nodiscard]] Launcher overlapping(bool hopper) const {
        Launcher on = launcher(hopper);
        on.overlap = isHopper();
        return on;
    }
};

/// For a message: where and by how much.
std::string differences(const std::vector<float>& got, const std::vector<float>& wanted) {
    std::string text;
    int shown = 0;
    for (std::size_t i = 0; i < got.size() && shown < 8; ++i) {
        if (std::abs(got[i] - wanted[i]) < 0.01F) continue;
        text += "[" + std::to_string(i) + "] " + std::to_string(got[i]) + " for " + std::to_string(wanted[i]) + "  ";
        ++shown;
    }
    return text;
}

double milliseconds(const Launcher& on, int repeats, const auto& work) {
    cudaEvent_t from{};
    cudaEvent_t to{};
    check(cudaEventCreate(&from));
    check(cudaEventCreate(&to));
    work();
    check(cudaEventRecord(from, on.stream));
    for (int i = 0; i < repeats; ++i) work();
    check(cudaEventRecord(to, on.stream));
    check(cudaEventSynchronize(to));
    float each = 0.0F;
    check(cudaEventElapsedTime(&each, from, to));
    cudaEventDestroy(from);
    cudaEventDestroy(to);
    return each / repeats;
}

void FlashTest::compare(const Case& c) {
    const AttentionShape& s = c.shape;
    const Launcher plain = overlapping(false);
    const std::int64_t end = c.prefix + c.t;
    const std::int64_t positions = end + 57;
    const std::int64_t row = static_cast<std::int64_t>(s.keyValueHeads) * s.headDim;
    const std::int64_t queries = c.t * s.queryHeads * s.headDim;
    const int splits = c.splits > 0 ? c.splits : flashSplits(s, c.t, plain.sms);
    DeviceBuffer<Bf16> q(queries);
    DeviceBuffer<Bf16> keys(positions * row);
    DeviceBuffer<Bf16> values(positions * row);
    DeviceBuffer<float> gates(2 * c.t * s.projected());
    DeviceBuffer<float> o(splits * queries);
    DeviceBuffer<float> maxSum(splits * c.t * s.queryHeads * 2);
    DeviceBuffer<float> out(queries);
    keys.poison();
    values.poison();
    random(q, queries, 2.0F, 1);
    random(keys, end * row, 1.0F, 2);
    random(values, end * row, 1.0F, 3);
    random(gates, 2 * c.t * s.projected(), 1.0F, 4);
    PassParams host;
    host.prefix = c.prefix;
    host.rows = static_cast<std::int32_t>(c.t);
    host.clean = c.clean;
    const DeviceBuffer<PassParams> params(std::vector<PassParams>{host});
    const AttentionParts parts{o.data(), maxSum.data()};
    const Rows projected{gates.data(), s.projected(), c.t * s.projected(), 2, false};

    check(plainAttention<Bf16>(plain, s, q.data(), keys.data(), values.data(), params.data(), c.t, parts));
    check(attentionOutput<float>(plain, s, parts, 1, projected, c.t, out.data()));
    const std::vector<float> wanted = out.host();

    const auto rows = static_cast<double>(c.t);
    const double pairs = rows * static_cast<double>(c.prefix) + (c.clean == 0 ? rows * rows : 0.5 * rows * (rows + 1));
    const double operations = 4.0 * s.queryHeads * s.headDim * pairs;
    const double bytes = 4.0 * static_cast<double>(end * row);
    for (const bool hopper : {false, true}) {
        const Launcher on = overlapping(hopper);
        if (on.hopper != hopper) continue;
        o.poison();
        maxSum.poison();
        out.poison();
        const auto flash = [&] {
            check(flashAttention(on, s, q.data(), keys.data(), values.data(), positions, params.data(), c.t, splits, parts));
        };
        const auto merge = [&] { check(attentionOutput<float>(on, s, parts, splits, projected, c.t, out.data())); };
        flash();
        merge();
        const std::vector<float> got = out.host();
        const double error = relativeError(got, wanted, 0);
        const double ms = milliseconds(on, 10, flash);
        std::printf(
            "%s Dh %3d Hq %2d Hkv %d T %4d clean %4d prefix %6d splits %2d: error %.1e, %7.1f us, %5.1f TFLOP/s, %4.0f GB/s; "
            "merge %5.1f us\n",
            hopper ? "hopper  " : "portable", s.headDim, s.queryHeads, s.keyValueHeads, static_cast<int>(c.t), c.clean,
            static_cast<int>(c.prefix), splits, error, ms * 1e3, operations / ms * 1e-9, bytes / ms * 1e-6,
            milliseconds(on, 10, merge) * 1e3);
        EXPECT_LT(error, 5e-3) << "the first differences: " << differences(got, wanted);
        // Ten more times the same: no sum depends on timing.
        const std::vector<float> again = out.host();
        EXPECT_EQ(std::memcmp(got.data(), again.data(), got.size() * sizeof(float)), 0);
    }
}

constexpr AttentionShape kMain{16, 2, 256, 64};

TEST_F(FlashTest, OneTile) { compare({kMain, 16, 0, 0, 1}); }
TEST_F(FlashTest, TwoTiles) { compare({kMain, 16, 0, 144, 1}); }
TEST_F(FlashTest, ThreeTilesOfACluster) { compare({kMain, 32, 0, 208, 1}); }

TEST_F(FlashTest, SmallPasses) {
    compare({kMain, 1, 1, 0});
    compare({kMain, 1, 1, 1024});
    compare({kMain, 5, 0, 77});
    compare({kMain, 7, 3, 9});
    compare({kMain, 16, 16, 1000});
    compare({kMain, 32, 0, 1024});
    compare({kMain, 32, 32, 1024});
    compare({kMain, 37, 20, 333});
    compare({kMain, 48, 16, 2000});
    compare({kMain, 64, 32, 5003});
    compare({kMain, 64, 32, 0});
}

TEST_F(FlashTest, LongPrefixes) {
    compare({kMain, 1, 1, 131000});
    compare({kMain, 8, 8, 131000});
    compare({kMain, 16, 0, 131000});
    compare({kMain, 32, 0, 131000});
    compare({kMain, 48, 0, 131000});
    compare({kMain, 64, 32, 131000});
}

TEST_F(FlashTest, Prompts) {
    compare({kMain, 200, 200, 100});
    compare({kMain, 330, 330, 0});
    compare({kMain, 1024, 1024, 0});
    compare({kMain, 1024, 1024, 16384});
    compare({kMain, 4096, 4096, 0});
    compare({kMain, 4096, 4096, 16384});
}

TEST_F(FlashTest, OtherShapes) {
    compare({{12, 3, 128, 128}, 33, 5, 700});
    compare({{8, 8, 128, 64}, 64, 64, 1000});
    compare({{14, 2, 64, 64}, 19, 3, 500});
    compare({{16, 4, 128, 64}, 32, 0, 20000});
    compare({{16, 1, 256, 64}, 9, 9, 300});
    compare({{10, 2, 256, 64}, 31, 0, 400});
}

TEST_F(FlashTest, Inputs) {
    for (const auto& [shape, bf16, splits] :
         {std::tuple{AttentionShape{16, 2, 256, 64}, false, 3}, std::tuple{AttentionShape{16, 2, 256, 64}, true, 1},
          std::tuple{AttentionShape{6, 2, 128, 128}, false, 1}, std::tuple{AttentionShape{3, 1, 64, 32}, false, 2}}) {
        const std::int64_t t = 5;
        const std::int64_t prefix = 1234;
        const Launcher on = overlapping(true);
        const int columns = shape.projected();
        const std::int64_t row = static_cast<std::int64_t>(shape.keyValueHeads) * shape.headDim;
        DeviceBuffer<float> sums(splits * t * columns);
        DeviceBuffer<Bf16> narrow(t * columns);
        random(sums, splits * t * columns, 1.0F, 5);
        random(narrow, t * columns, 1.0F, 6);
        DeviceBuffer<float> norms(2 * shape.headDim);
        random(norms, 2 * shape.headDim, 0.5F, 7);
        std::vector<float> frequency(shape.rotaryDim / 2);
        for (std::size_t i = 0; i < frequency.size(); ++i)
            frequency[i] = std::pow(10000.0F, -2.0F * static_cast<float>(i) / static_cast<float>(shape.rotaryDim));
        const DeviceBuffer<float> frequencies(frequency);
        PassParams host;
        host.prefix = prefix;
        const DeviceBuffer<PassParams> params(std::vector<PassParams>{host});
        DeviceBuffer<float> q(t * shape.queryHeads * shape.headDim);
        DeviceBuffer<float> keys((prefix + t) * row);
        DeviceBuffer<float> values((prefix + t) * row);
        q.poison();
        keys.poison();
        values.poison();
        const Rows projected =
            bf16 ? Rows{narrow.data(), columns, 0, 1, true} : Rows{sums.data(), columns, t * columns, splits, false};
        const auto work = [&] {
            check(attentionInputs<float>(on, shape, projected, norms.data(), norms.data() + shape.headDim, true, 1e-6F,
                                         frequencies.data(), params.data(), t, q.data(), keys.data(), values.data()));
        };
        work();
        const std::vector<float> gotQ = q.host();
        const std::vector<float> gotK = keys.host();
        const std::vector<float> gotV = values.host();
        const std::vector<float> floats = sums.host();
        const std::vector<Bf16> narrows = narrow.host();
        const std::vector<float> norm = norms.host();
        double worst = 0.0;
        for (std::int64_t r = 0; r < t; ++r) {
            for (int head = 0; head < shape.queryHeads + 2 * shape.keyValueHeads; ++head) {
                const bool isQuery = head < shape.queryHeads;
                const int h = isQuery ? head : head - shape.queryHeads;
                const bool isValue = !isQuery && h >= shape.keyValueHeads;
                const int column = isQuery ? 2 * h * shape.headDim : (2 * shape.queryHeads + h) * shape.headDim;
                std::vector<double> v(shape.headDim);
                double squares = 0.0;
                for (int d = 0; d < shape.headDim; ++d) {
                    for (int i = 0; i < (bf16 ? 1 : splits); ++i)
                        v[d] += bf16 ? static_cast<double>(__bfloat162float(narrows[r * columns + column + d]))
                                     : static_cast<double>(floats[(i * t + r) * columns + column + d]);
                    squares += v[d] * v[d];
                }
                std::vector<double> want = v;
                if (!isValue) {
                    const double scale = 1.0 / std::sqrt(squares / shape.headDim + 1e-6);
                    for (int d = 0; d < shape.headDim; ++d) v[d] *= scale * (1.0 + norm[(isQuery ? 0 : shape.headDim) + d]);
                    want = v;
                    const int half = shape.rotaryDim / 2;
                    for (int d = 0; d < half; ++d) {
                        const double angle = static_cast<double>(prefix + r) * frequency[d];
                        want[d] = v[d] * std::cos(angle) - v[d + half] * std::sin(angle);
                        want[d + half] = v[d + half] * std::cos(angle) + v[d] * std::sin(angle);
                    }
                }
                const float* got = isQuery   ? &gotQ[(r * shape.queryHeads + h) * shape.headDim]
                                   : isValue ? &gotV[(prefix + r) * row + (h - shape.keyValueHeads) * shape.headDim]
                                             : &gotK[(prefix + r) * row + h * shape.headDim];
                for (int d = 0; d < shape.headDim; ++d) {
                    const double by = std::abs(got[d] - want[d]);
                    worst = by <= worst ? worst : by;
                }
            }
        }
        std::printf("inputs Dh %d splits %d: worst %.2e, %.1f us\n", shape.headDim, splits, worst,
                    milliseconds(on, 20, work) * 1e3);
        EXPECT_LT(worst, 1e-3);  // angles of a thousand in float32
    }
}

}  // namespace
}  // namespace trefoil::cuda
