// The convolution and the gated norm of long passes against the ones that run everywhere. Prints times too; only errors fail.
#include "kernels/cuda/gdn_prompt.h"
#include "tests/kernels/cuda/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace trefoil::cuda {
namespace {

constexpr double kTolerance = 1e-3;

template <class T>
std::vector<float> floats(const DeviceBuffer<T>& from) {
    std::vector<float> to;
    for (const T x : from.host()) to.push_back(static_cast<float>(x));
    return to;
}

template <class T>
std::vector<T> normals(std::size_t count, float scale, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<T> to;
    to.reserve(count);
    for (std::size_t i = 0; i < count; ++i) to.push_back(static_cast<T>(scale * normal(random)));
    return to;
}

double largestError(const std::vector<float>& x, const std::vector<float>& y) {
    double worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double off = std::abs(static_cast<double>(x[i]) - y[i]) / (0.05 + std::abs(y[i]));
        worst = std::max(worst, std::isfinite(off) ? off : 1e30);
    }
    return worst;
}

template <class F>
double microseconds(F call) {
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 1e30F;
    for (int i = 0; i < 6; ++i) {
        cudaEventRecord(begin);
        for (int j = 0; j < 10; ++j) call();
        cudaEventRecord(end);
        cudaDeviceSynchronize();
        float milliseconds = 0.0F;
        cudaEventElapsedTime(&milliseconds, begin, end);
        if (i > 0) best = std::min(best, milliseconds);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return static_cast<double>(best) * 100.0;
}

class GdnPrompt : public CudaTest {
protected:
    void check(int keyHeads, int valueHeads, std::int64_t t) const;
};

void GdnPrompt::check(int keyHeads, int valueHeads, std::int64_t t) const {
    const GdnShape s{keyHeads, valueHeads, 128, 128, 4};
    const DeviceBuffer<Bf16> projected(normals<Bf16>(static_cast<std::size_t>(t) * s.projected(), 1.5F, 1));
    const DeviceBuffer<float> conv(normals<float>(static_cast<std::size_t>(s.channels()) * 4, 0.5F, 2));
    const DeviceBuffer<float> right(normals<float>(static_cast<std::size_t>(s.channels()) * 3, 0.5F, 3));
    const DeviceBuffer<float> aLog(normals<float>(valueHeads, 1.0F, 4));
    const DeviceBuffer<float> dtBias(normals<float>(valueHeads, 1.0F, 5));
    const DeviceBuffer<float> norm(normals<float>(128, 1.0F, 6));
    const DeviceBuffer<float> tail(normals<float>(static_cast<std::size_t>(s.channels()) * 3, 1.5F, 7));
    GdnVectors w;
    w.conv = conv.data();
    w.convRight = right.data();
    w.aLog = aLog.data();
    w.dtBias = dtBias.data();
    w.norm = norm.data();
    const Rows rows{projected.data(), s.projected(), 0, 1, true};
    ASSERT_TRUE(promptInputsSupports(s, rows));
    PassParams host;
    host.rows = static_cast<int>(t);
    host.clean = static_cast<int>(t);
    const DeviceBuffer<PassParams> params(1);
    ASSERT_EQ(cudaMemcpy(params.data(), &host, sizeof host, cudaMemcpyHostToDevice), cudaSuccess);
    const std::size_t keys = static_cast<std::size_t>(t) * s.keys();
    const std::size_t values = static_cast<std::size_t>(t) * s.values();
    const std::size_t gates = static_cast<std::size_t>(t) * valueHeads;
    const DeviceBuffer<float> q(keys);
    const DeviceBuffer<float> k(keys);
    const DeviceBuffer<float> v(values);
    const DeviceBuffer<float> decay(gates);
    const DeviceBuffer<float> beta(gates);
    const GdnRows wanted{q.data(), k.data(), v.data(), decay.data(), beta.data(), nullptr};
    const DeviceBuffer<__half> q16(keys);
    const DeviceBuffer<__half> k16(keys);
    const DeviceBuffer<__half> v16(values);
    const DeviceBuffer<float> decay16(gates);
    const DeviceBuffer<float> beta16(gates);
    const PromptRows got{q16.data(), k16.data(), v16.data(), decay16.data(), beta16.data()};
    const DeviceBuffer<__half> o16(normals<__half>(values, 0.3F, 8));
    const DeviceBuffer<float> o(floats(o16));
    const DeviceBuffer<Bf16> mixed(values);
    const DeviceBuffer<Bf16> mixed16(values);
    Launcher on = launcher(true);
    on.overlap = on.hopper;
    const double times[4] = {
        microseconds([&] { (void)gdnInputs(on, s, w, rows, tail.data(), nullptr, params.data(), t, wanted); }),
        microseconds([&] { (void)promptInputs(on, s, w, rows, tail.data(), t, got); }),
        microseconds([&] { (void)gatedNorm<Bf16>(on, s, w, o.data(), rows, 1e-6F, t, mixed.data()); }),
        microseconds([&] { (void)promptGatedNorm(on, s, w, o16.data(), rows, 1e-6F, t, mixed16.data()); }),
    };
    const cudaError_t ended = cudaDeviceSynchronize();
    ASSERT_EQ(ended, cudaSuccess) << cudaGetErrorString(ended);
    std::printf("Hk %2d Hv %2d rows %5lld: inputs %.1f us, in float16 %.1f us; gated norm %.1f us, from float16 %.1f us\n",
                keyHeads, valueHeads, static_cast<long long>(t), times[0], times[1], times[2], times[3]);
    EXPECT_LE(largestError(floats(q16), floats(q)), kTolerance);
    EXPECT_LE(largestError(floats(k16), floats(k)), kTolerance);
    EXPECT_LE(largestError(floats(v16), floats(v)), kTolerance);
    EXPECT_LE(largestError(floats(decay16), floats(decay)), kTolerance);
    EXPECT_LE(largestError(floats(beta16), floats(beta)), kTolerance);
    EXPECT_LE(largestError(floats(mixed16), floats(mixed)), 8e-3);  // one step of bf16
}

TEST_F(GdnPrompt, AgreesWithTheKernelsThatRunEverywhere) {
    check(2, 4, 1);
    check(2, 4, 2);
    check(2, 4, 67);
    check(4, 8, 129);
    check(16, 32, 1024);
    check(16, 32, 4096);
}

}  // namespace
}  // namespace trefoil::cuda
