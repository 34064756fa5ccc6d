#include "kernels/cpu/gated_delta_net.h"

#include "kernels/reference/operators.h"
#include "tests/kernels/kernel_test_support.h"

#include <algorithm>
#include <cstring>

namespace trefoil::test {
namespace {

using kernels::kPanel;

struct Shape {
    std::int64_t tokens;
    std::int64_t keyDim;
    std::int64_t valueDim;
};

std::vector<Shape> shapes() {
    return {{1, 1, 1}, {3, 24, 20}, {11, 16, 16}, {12, 32, 32}, {31, 7, 33}, {33, 40, 65}, {45, 128, 128}};
}

/// Unit rows, as the model's queries and keys are.
Floats unitRows(std::int64_t rows, std::int64_t width, unsigned seed) {
    Floats out;
    for (std::int64_t r = 0; r < rows; ++r) {
        const Floats row = reference::l2Normalise(randomFloats(width, seed + static_cast<unsigned>(r)), 1.0F);
        out.insert(out.end(), row.begin(), row.end());
    }
    return out;
}

/// Plain [rows, dim] to panels [P, rows, 32], and back.
kernels::AlignedArray<float> toPanels(const Floats& plain, std::int64_t rows, std::int64_t dim) {
    kernels::AlignedArray<float> out(kernels::valuePanels(dim) * rows * kPanel);
    for (std::int64_t r = 0; r < rows; ++r) kernels::storeValueRow(plain.data() + r * dim, dim, r, rows, out.data());
    return out;
}

Floats fromPanels(const kernels::AlignedArray<float>& panels, std::int64_t rows, std::int64_t dim) {
    Floats out;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t e = 0; e < dim; ++e) out.push_back(panels[(e / kPanel * rows + r) * kPanel + e % kPanel]);
    return out;
}

Floats valueRows(const Floats& out, std::int64_t rows, std::int64_t dim) {
    const std::int64_t stride = kernels::valuePanels(dim) * kPanel;
    Floats plain;
    for (std::int64_t r = 0; r < rows; ++r) plain.insert(plain.end(), out.begin() + r * stride, out.begin() + r * stride + dim);
    return plain;
}

struct DeltaInputs {
    Floats q, k, v, decay, beta, state;

    explicit DeltaInputs(const Shape& s)
        : q(unitRows(s.tokens, s.keyDim, 10)),
          k(unitRows(s.tokens, s.keyDim, 500)),
          v(randomFloats(s.tokens * s.valueDim, 3)),
          state(randomFloats(s.keyDim * s.valueDim, 4)) {
        for (std::int64_t t = 0; t < s.tokens; ++t) {
            decay.push_back(0.5F + 0.5F * static_cast<float>(t % 7) / 7.0F);
            beta.push_back(0.1F + 0.8F * static_cast<float>(t % 5) / 5.0F);
        }
    }
};

class GatedDeltaNet : public EveryInstructionSet {};

TEST_P(GatedDeltaNet, DeltaRuleEqualsTwin) {
    for (const Shape& s : shapes()) {
        SCOPED_TRACE(testing::Message() << s.tokens << " tokens, Dk " << s.keyDim << ", Dv " << s.valueDim);
        const DeltaInputs in(s);
        const std::int64_t panels = kernels::valuePanels(s.valueDim);
        const auto v = toPanels(in.v, s.tokens, s.valueDim);
        auto state = toPanels(in.state, s.keyDim, s.valueDim);
        Floats out(static_cast<std::size_t>(s.tokens * panels * kPanel));
        kernels::deltaRule(in.q.data(), in.k.data(), v.data(), in.decay.data(), in.beta.data(), 1, s.tokens, s.tokens, s.keyDim,
                           panels, state.data(), out.data());
        Floats expectedState = in.state;
        const Floats expected =
            reference::deltaRule(in.q, in.k, in.v, in.decay, in.beta, s.tokens, s.keyDim, s.valueDim, expectedState);
        EXPECT_LE(relativeError(valueRows(out, s.tokens, s.valueDim), expected), 1e-5);
        EXPECT_LE(relativeError(fromPanels(state, s.keyDim, s.valueDim), expectedState), 1e-5);
    }
}

/// Partial commits rely on it: the state after n of T tokens is bit for bit that of n tokens alone.
TEST_P(GatedDeltaNet, StateOfTheFirstTokensIsThatOfAShorterRun) {
    const Shape s{9, 24, 40};
    const DeltaInputs in(s);
    const std::int64_t panels = kernels::valuePanels(s.valueDim);
    for (std::int64_t n = 1; n <= s.tokens; ++n) {
        const auto whole = toPanels(in.v, s.tokens, s.valueDim);
        const auto part = toPanels(in.v, n, s.valueDim);
        auto a = toPanels(in.state, s.keyDim, s.valueDim);
        auto b = toPanels(in.state, s.keyDim, s.valueDim);
        Floats out(static_cast<std::size_t>(n * panels * kPanel));
        kernels::deltaRule(nullptr, in.k.data(), whole.data(), in.decay.data(), in.beta.data(), 1, n, s.tokens, s.keyDim, panels,
                           a.data(), nullptr);
        kernels::deltaRule(in.q.data(), in.k.data(), part.data(), in.decay.data(), in.beta.data(), 1, n, n, s.keyDim, panels,
                           b.data(), out.data());
        EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.bytes())) << n;
    }
}

TEST_P(GatedDeltaNet, BlockMixEqualsTwin) {
    for (const Shape& s : shapes()) {
        SCOPED_TRACE(testing::Message() << s.tokens << " rows, Dk " << s.keyDim << ", Dv " << s.valueDim);
        const DeltaInputs in(s);
        const std::int64_t panels = kernels::valuePanels(s.valueDim);
        const auto v = toPanels(in.v, s.tokens, s.valueDim);
        const auto state = toPanels(in.state, s.keyDim, s.valueDim);
        kernels::AlignedArray<float> scratch(kernels::blockMixScratch(s.tokens, s.keyDim, panels));
        Floats out(static_cast<std::size_t>(s.tokens * panels * kPanel));
        const kernels::BlockMixControls controls{4.0F, 0.7F, 0.5F};
        // In two parts, as two tasks would.
        const std::int64_t cut = s.tokens / 3;
        kernels::blockMix(in.q.data(), in.k.data(), v.data(), state.data(), s.tokens, s.keyDim, panels, controls, 0, cut,
                          scratch.data(), out.data());
        kernels::blockMix(in.q.data(), in.k.data(), v.data(), state.data(), s.tokens, s.keyDim, panels, controls, cut,
                          s.tokens - cut, scratch.data(), out.data());
        const Floats expected = reference::blockMix(in.q, in.k, in.v, in.state, s.tokens, s.keyDim, s.valueDim, 4.0F, 0.7F, 0.5F);
        EXPECT_LE(relativeError(valueRows(out, s.tokens, s.valueDim), expected), 1e-5);
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, GatedDeltaNet, testing::ValuesIn(kernels::availableInstructionSets()), instructionSetTestName);

TEST(DecayFactor, FollowsItsFormula) {
    for (const float a : {-30.0F, -3.0F, 0.0F, 2.0F, 25.0F}) {
        const double softplus = std::log1p(std::exp(static_cast<double>(a) - 1.0));
        EXPECT_NEAR(kernels::decayFactor(a, -1.0F, -0.3F), std::exp(-0.3 * softplus), 1e-6);
    }
    EXPECT_EQ(kernels::sigmoidOf(0.0F), 0.5F);
}

}  // namespace
}  // namespace trefoil::test
