#include "kernels/cpu/row_operators.h"

#include "kernels/reference/operators.h"
#include "tests/kernels/kernel_test_support.h"

#include <limits>
#include <numeric>

namespace trefoil::test {
namespace {

constexpr double kTolerance = 1e-6;

class RowOperators : public EveryInstructionSet {
protected:
    /// One, odd, a vector more or less, and real sizes.
    static std::vector<std::int64_t> lengths() { return {1, 3, 15, 16, 17, 40, 63, 64, 65, 257, 2048}; }
};

TEST_P(RowOperators, NormsEqualTwins) {
    for (const std::int64_t n : lengths()) {
        const Floats x = randomFloats(n, 1, 3.0F);
        const Floats w = randomFloats(n, 2);
        const Floats gate = randomFloats(n, 3, 4.0F);
        Floats out(x.size());
        kernels::rmsNorm(x.data(), w.data(), n, 1e-6F, out.data());
        EXPECT_LE(relativeError(out, reference::rmsNorm(x, w, 1e-6F)), kTolerance) << n;
        kernels::gatedRmsNorm(x.data(), gate.data(), w.data(), n, 1e-6F, out.data());
        EXPECT_LE(relativeError(out, reference::gatedRmsNorm(x, gate, w, 1e-6F)), kTolerance) << n;
        kernels::l2Normalise(x.data(), n, 0.25F, out.data());
        EXPECT_LE(relativeError(out, reference::l2Normalise(x, 0.25F)), kTolerance) << n;
    }
}

TEST_P(RowOperators, NormOfZerosIsZero) {
    const Floats zeros(33, 0.0F);
    const Floats w(33, 1.0F);
    Floats out(33, 5.0F);
    kernels::rmsNorm(zeros.data(), w.data(), 33, 1e-6F, out.data());
    EXPECT_EQ(out, zeros);
    kernels::l2Normalise(zeros.data(), 33, 1.0F, out.data());
    EXPECT_EQ(out, zeros);
}

TEST_P(RowOperators, ExponentialsEqualTwinOverTheWholeRange) {
    Floats x;
    for (float v = -87.0F; v <= 0.0F; v += 0.0137F) x.push_back(v);
    const auto n = static_cast<std::int64_t>(x.size());
    Floats out(x.size());
    const float sum = kernels::exponentials(x.data(), n, 0.0F, out.data());
    const Floats expected = reference::exponentials(x, 0.0F);
    double exact = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        EXPECT_NEAR(out[i] / expected[i], 1.0F, 5e-7F) << x[i];
        exact += expected[i];
    }
    EXPECT_NEAR(sum / exact, 1.0, kTolerance);
    EXPECT_NEAR(kernels::sumOfExponentials(x.data(), n, 0.0F) / exact, 1.0, kTolerance);
}

TEST_P(RowOperators, ExponentialOfMinusInfinityIsZero) {
    const Floats x(20, -std::numeric_limits<float>::infinity());
    Floats out(20, 1.0F);
    EXPECT_EQ(kernels::exponentials(x.data(), 20, 3.0F, out.data()), 0.0F);
    EXPECT_EQ(out, Floats(20, 0.0F));
    EXPECT_EQ(kernels::sumOfExponentials(x.data(), 20, 3.0F), 0.0F);
}

TEST_P(RowOperators, ReductionsAndUpdatesEqualTwins) {
    for (const std::int64_t n : lengths()) {
        const Floats x = randomFloats(n, 4);
        const Floats y = randomFloats(n, 5);
        double exact = 0;
        double magnitude = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            exact += static_cast<double>(x[i]) * y[i];
            magnitude += std::abs(static_cast<double>(x[i]) * y[i]);
        }
        EXPECT_NEAR(kernels::dot(x.data(), y.data(), n), exact, kTolerance * magnitude) << n;
        EXPECT_EQ(kernels::maximum(x.data(), n), *std::max_element(x.begin(), x.end())) << n;
        Floats scaled = x;
        kernels::scaleRow(scaled.data(), n, 0.5F);
        Floats added = y;
        kernels::addScaled(x.data(), n, 2.0F, added.data());
        for (std::size_t i = 0; i < x.size(); ++i) {
            EXPECT_EQ(scaled[i], x[i] * 0.5F);
            EXPECT_NEAR(added[i], y[i] + 2.0F * x[i], 1e-6F);
        }
    }
    EXPECT_EQ(kernels::maximum(nullptr, 0), -std::numeric_limits<float>::infinity());
}

TEST_P(RowOperators, SigmoidGateEqualsTwinFarFromZeroToo) {
    for (const std::int64_t n : lengths()) {
        const Floats x = randomFloats(n, 6);
        const Floats gate = randomFloats(n, 7, 30.0F);
        Floats out(x.size());
        kernels::sigmoidGate(x.data(), gate.data(), n, out.data());
        EXPECT_LE(relativeError(out, reference::sigmoidGate(x, gate)), kTolerance) << n;
    }
    const Floats x{1.0F, 1.0F};
    const Floats far{-200.0F, 200.0F};
    Floats out(2);
    kernels::sigmoidGate(x.data(), far.data(), 2, out.data());
    EXPECT_NEAR(out[0], 0.0F, 1e-30F);
    EXPECT_EQ(out[1], 1.0F);
}

TEST_P(RowOperators, ConvolutionEqualsTwin) {
    for (const std::int64_t channels : lengths())
        for (const std::int64_t taps : {1, 3, 4, 7}) {
            const std::int64_t stride = channels + 5;
            const Floats padded = randomFloats(taps * stride, 8);
            const Floats w = randomFloats(taps * channels, 9);
            Floats in;
            for (std::int64_t j = 0; j < taps; ++j) {
                const Floats row = slice(padded, j * stride, channels);
                in.insert(in.end(), row.begin(), row.end());
            }
            Floats out(static_cast<std::size_t>(channels));
            kernels::convolveSilu(padded.data(), stride, w.data(), taps, channels, out.data());
            EXPECT_LE(relativeError(out, reference::convolveSilu(in, w, taps, channels)), kTolerance) << channels << " " << taps;
        }
}

INSTANTIATE_TEST_SUITE_P(Cpu, RowOperators, testing::ValuesIn(kernels::availableInstructionSets()), instructionSetTestName);

}  // namespace
}  // namespace trefoil::test
