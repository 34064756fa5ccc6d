// The chunked delta rule against a sequential one in float64, for decays near 1, near 0 and mixed, keys that repeat, ragged row
// counts and head ratios. Prints the errors and the times; only errors fail.
#include "kernels/cuda/delta_chunk.h"
#include "tests/kernels/cuda/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

namespace trefoil::cuda {
namespace {

constexpr int kDim = 128;
constexpr double kTolerance = 2e-3;

/// A block a head, a thread a column.
template <class T>
__global__ void referenceKernel(GdnShape s, DeltaChunkRows<T> in, std::int64_t rows, const float* state, double* stateOut,
                                double* o) {
    __shared__ double q[kDim];
    __shared__ double k[kDim];
    const int head = static_cast<int>(blockIdx.x);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    const int c = static_cast<int>(threadIdx.x);
    double own[kDim];
    for (int i = 0; i < kDim; ++i) own[i] = state[(head * kDim + i) * kDim + c];
    for (std::int64_t row = 0; row < rows; ++row) {
        __syncthreads();
        q[c] = static_cast<float>(in.q[row * s.keys() + keyHead * kDim + c]);
        k[c] = static_cast<float>(in.k[row * s.keys() + keyHead * kDim + c]);
        __syncthreads();
        const double decay = in.decay[row * s.valueHeads + head];
        const double beta = in.beta[row * s.valueHeads + head];
        double seen = 0.0;
        for (int i = 0; i < kDim; ++i) {
            own[i] *= decay;
            seen += own[i] * k[i];
        }
        const double delta = (static_cast<double>(static_cast<float>(in.v[row * s.values() + head * kDim + c])) - seen) * beta;
        double read = 0.0;
        for (int i = 0; i < kDim; ++i) {
            own[i] += k[i] * delta;
            read += own[i] * q[i];
        }
        o[row * s.values() + head * kDim + c] = read / sqrt(static_cast<double>(kDim));
    }
    for (int i = 0; i < kDim; ++i) stateOut[(head * kDim + i) * kDim + c] = own[i];
}

struct Case {
    const char* name;
    int keyHeads, valueHeads;
    std::int64_t rows;
    double lowest, highest;  ///< of -log decay, spread evenly in its logarithm
    double betaLow = 0.02;
    double sameKeys = 0.0;  ///< how much of every key is a common direction
    bool zeros = false;     ///< some decays are exactly 0
    double tolerance = kTolerance;
};

struct Data {
    GdnShape shape;
    std::vector<float> q, k, v, decay, beta, state;
};

Data make(const Case& c) {
    Data d;
    d.shape = GdnShape{c.keyHeads, c.valueHeads, kDim, kDim, 4};
    std::mt19937 random(1234);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<double> even(0.0, 1.0);
    std::vector<float> common(kDim);
    for (float& x : common) x = normal(random);
    const auto unit = [&](std::vector<float>& to, double same) {
        std::vector<float> x(kDim);
        double squares = 0.0;
        for (int i = 0; i < kDim; ++i) {
            x[i] = static_cast<float>(same * common[i] + (1.0 - same) * normal(random));
            squares += static_cast<double>(x[i]) * x[i];
        }
        for (float& value : x) to.push_back(static_cast<float>(value / std::sqrt(squares)));
    };
    for (std::int64_t i = 0; i < c.rows * c.keyHeads; ++i) {
        unit(d.q, c.sameKeys);
        unit(d.k, c.sameKeys);
    }
    for (std::int64_t i = 0; i < c.rows * d.shape.values(); ++i) {
        const float x = 1.5F * normal(random);
        d.v.push_back(x / (1.0F + std::exp(-x)));
    }
    for (std::int64_t i = 0; i < c.rows * c.valueHeads; ++i) {
        const double g = -c.lowest * std::pow(c.highest / c.lowest, even(random));
        d.decay.push_back(c.zeros && i % 37 == 5 ? 0.0F : static_cast<float>(std::exp(g)));
        d.beta.push_back(static_cast<float>(c.betaLow + (1.0 - c.betaLow) * even(random)));
    }
    for (int i = 0; i < c.valueHeads * kDim * kDim; ++i) d.state.push_back(0.2F * normal(random));
    return d;
}

struct Error {
    double norm = 0.0;   ///< |x - y| / |y|
    double worst = 0.0;  ///< largest difference over the rms of y
    std::size_t at = 0;
};

Error compare(const std::vector<float>& x, const std::vector<double>& y) {
    Error e;
    double squares = 0.0;
    double difference = 0.0;
    double largest = -1.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double off = std::isfinite(x[i]) ? std::abs(static_cast<double>(x[i]) - y[i]) : 1e30;
        if (off > largest) {
            largest = off;
            e.at = i;
        }
        squares += y[i] * y[i];
        difference += off * off;
    }
    e.norm = std::sqrt(difference / squares);
    e.worst = largest / std::sqrt(squares / static_cast<double>(x.size()));
    return e;
}

template <class T, class F>
std::vector<T> as(const std::vector<F>& from) {
    std::vector<T> to;
    to.reserve(from.size());
    for (const F x : from) to.push_back(static_cast<T>(x));
    return to;
}

/// Where the first wrong value stands, in words.
std::string place(const GdnShape& s, std::size_t at, bool isState) {
    char text[128];
    if (isState)
        std::snprintf(text, sizeof text, "head %zu key row %zu column %zu", at / (kDim * kDim), at / kDim % kDim, at % kDim);
    else
        std::snprintf(text, sizeof text, "row %zu head %zu column %zu", at / s.values(), at % s.values() / kDim, at % kDim);
    return text;
}

const Case kCases[] = {
    {"one chunk, typical", 1, 1, 64, 0.01, 0.2},
    {"decay near 1", 2, 4, 4096, 1e-5, 1e-3},
    {"decay near 0", 2, 4, 4096, 2.0, 20.0},
    {"mixed", 2, 4, 4096, 1e-4, 20.0},
    {"mixed, zeros", 3, 3, 1000, 1e-4, 20.0, 0.02, 0.0, true},
    {"beta near 1", 2, 4, 4096, 1e-4, 1e-1, 0.95},
    {"keys repeat", 2, 4, 4096, 1e-4, 1e-1, 0.02, 0.7},
    // Nearly every value is predicted, so that D is a small difference of rounded terms.
    {"keys repeat, beta 1", 2, 4, 4096, 1e-5, 1e-3, 0.95, 0.7, false, 5e-3},
    {"ragged", 1, 4, 65, 0.01, 0.2},
    {"ragged", 2, 2, 127, 0.01, 0.2},
    {"few rows", 2, 4, 5, 0.01, 0.2},
    {"main model", 16, 32, 1024, 1e-3, 1.0},
    {"main model, ragged", 16, 32, 2500, 1e-3, 1.0},
    {"long", 2, 4, 32768, 1e-6, 1e-2},
};

class DeltaChunk : public CudaTest {
protected:
    void SetUp() override {
        CudaTest::SetUp();
        if (IsSkipped()) return;
        int bytes = 0;
        cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
        if (!deltaChunkSupports(GdnShape{1, 1, kDim, kDim, 4}, static_cast<std::size_t>(bytes)))
            GTEST_SKIP() << "no usable CUDA device: blocks have too little shared memory";
    }
    [[nodiscard]] Launcher overlapping() const {
        Launcher on = launcher(true);
        on.overlap = on.hopper;
        return on;
    }
    template <class T>
    void check(const Case& c, const DeltaChunkPlan& plan) const;
    template <class T>
    void timeRows(std::int64_t rows) const;
};

template <class T>
void DeltaChunk::check(const Case& c, const DeltaChunkPlan& plan) const {
    const Data d = make(c);
    const GdnShape& s = d.shape;
    const auto values = static_cast<std::int64_t>(d.v.size());
    const DeviceBuffer<T> q(as<T>(d.q));
    const DeviceBuffer<T> k(as<T>(d.k));
    const DeviceBuffer<T> v(as<T>(d.v));
    const DeviceBuffer<float> decay(d.decay);
    const DeviceBuffer<float> beta(d.beta);
    const DeltaChunkRows<T> in{q.data(), k.data(), v.data(), decay.data(), beta.data()};
    DeviceBuffer<float> state(d.state);
    DeviceBuffer<double> wantedState(static_cast<std::int64_t>(d.state.size()));
    DeviceBuffer<double> wanted(values);
    referenceKernel<T>
        <<<static_cast<unsigned>(s.valueHeads), kDim>>>(s, in, c.rows, state.data(), wantedState.data(), wanted.data());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    DeviceBuffer<T> o(values);
    DeviceBuffer<std::uint8_t> space(static_cast<std::int64_t>(deltaChunkBytes(s, c.rows, plan.batch)));
    space.poison();
    const auto run = [&](bool update, T* to) {
        ASSERT_EQ(deltaChunk<T>(overlapping(), s, in, c.rows, state.data(), update, to, space.data(), plan), cudaSuccess);
        const cudaError_t ended = cudaDeviceSynchronize();
        ASSERT_EQ(ended, cudaSuccess) << cudaGetErrorString(ended);
    };
    o.poison();
    run(false, o.data());
    ASSERT_EQ(state.host(), d.state) << "a pass without update changed the state";
    const std::vector<float> first = as<float>(o.host());
    o.poison();
    run(true, o.data());
    const std::vector<float> got = as<float>(o.host());
    const std::vector<float> gotState = state.host();
    const Error outputs = compare(got, wanted.host());
    const Error states = compare(gotState, wantedState.host());
    std::printf("%-22s %s Hk %2d Hv %2d rows %5lld batch %4lld: o %.2e (largest %.2e) state %.2e (largest %.2e)\n", c.name,
                sizeof(T) == 2 ? "f16" : "f32", c.keyHeads, c.valueHeads, static_cast<long long>(c.rows),
                static_cast<long long>(plan.batch), outputs.norm, outputs.worst, states.norm, states.worst);
    EXPECT_LE(outputs.norm, c.tolerance) << "largest at " << place(s, outputs.at, false) << ": " << got[outputs.at];
    EXPECT_LE(states.norm, c.tolerance) << "largest at " << place(s, states.at, true) << ": " << gotState[states.at];
    EXPECT_LE(outputs.worst, 20 * kTolerance);
    EXPECT_LE(states.worst, 20 * kTolerance);
    EXPECT_EQ(first, got) << "two runs differ";
    state.fill(d.state);
    run(true, nullptr);
    EXPECT_EQ(state.host(), gotState) << "a replay without outputs leaves another state";
}

TEST_F(DeltaChunk, AgreesWithTheSequentialRuleFloat16) {
    for (const Case& c : kCases) check<__half>(c, {});
}

TEST_F(DeltaChunk, AgreesWithTheSequentialRuleFloat32) {
    for (const Case& c : kCases) check<float>(c, {});
}

TEST_F(DeltaChunk, BatchesFollowEachOther) {
    for (const std::int64_t batch : {64, 256, 1024}) {
        check<__half>({"mixed, zeros", 16, 32, 1000, 1e-4, 20.0, 0.02, 0.0, true}, {batch});
        check<__half>({"ragged", 2, 4, 577, 0.01, 0.2}, {batch});
    }
}

/// Microseconds a call, from a graph of ten.
template <class F>
double microseconds(F call) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    for (int i = 0; i < 10; ++i) call(stream);
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    float best = 1e30F;
    for (int i = 0; i < 6; ++i) {
        cudaEventRecord(begin, stream);
        cudaGraphLaunch(exec, stream);
        cudaEventRecord(end, stream);
        cudaStreamSynchronize(stream);
        float milliseconds = 0.0F;
        cudaEventElapsedTime(&milliseconds, begin, end);
        if (i > 0) best = std::min(best, milliseconds);
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
    return static_cast<double>(best) * 100.0;
}

template <class T>
void DeltaChunk::timeRows(std::int64_t rows) const {
    const Data d = make({"", 16, 32, rows, 1e-3, 1.0});
    const GdnShape& s = d.shape;
    const DeviceBuffer<T> q(as<T>(d.q));
    const DeviceBuffer<T> k(as<T>(d.k));
    const DeviceBuffer<T> v(as<T>(d.v));
    const DeviceBuffer<float> decay(d.decay);
    const DeviceBuffer<float> beta(d.beta);
    const DeltaChunkRows<T> in{q.data(), k.data(), v.data(), decay.data(), beta.data()};
    const DeviceBuffer<float> state(d.state);
    const DeviceBuffer<T> o(static_cast<std::int64_t>(d.v.size()));
    const DeltaChunkPlan plan;
    const DeviceBuffer<std::uint8_t> space(static_cast<std::int64_t>(deltaChunkBytes(s, rows, plan.batch)));
    Launcher on = overlapping();
    if constexpr (sizeof(T) == 4) {
        const GdnRows plain{q.data(), k.data(), v.data(), decay.data(), beta.data(), nullptr};
        const double us = microseconds([&](cudaStream_t stream) {
            on.stream = stream;
            EXPECT_EQ(deltaRule(on, s, plain, rows, state.data(), true, o.data()), cudaSuccess);
        });
        std::printf("sequential      rows %5lld: %8.1f us\n", static_cast<long long>(rows), us);
    }
    const double us = microseconds([&](cudaStream_t stream) {
        on.stream = stream;
        EXPECT_EQ(deltaChunk<T>(on, s, in, rows, state.data(), true, o.data(), space.data(), plan), cudaSuccess);
    });
    const double flops = static_cast<double>(rows) * 32 * 128 * 2 * (4 * 64 / 2.0 + 64 / 2.0 + 3 * 128);
    std::printf("chunked %s     rows %5lld: %8.1f us, %.1f TFLOP/s\n", sizeof(T) == 2 ? "f16" : "f32",
                static_cast<long long>(rows), us, flops / us * 1e-6);
}

TEST_F(DeltaChunk, Time) {
    for (const std::int64_t rows : {64, 128, 256, 1024, 4096}) {
        timeRows<float>(rows);
        timeRows<__half>(rows);
    }
}

}  // namespace
}  // namespace trefoil::cuda
