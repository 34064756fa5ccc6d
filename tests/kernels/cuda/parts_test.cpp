// A model in several parts against the same model in one: every bit that leaves the executor is the same. All parts lie on one
// card, so that any machine with a GPU can run it; with two cards, one test more copies between them.
#include "tests/kernels/cuda/executor_pair.h"

#include <gtest/gtest.h>

#include <vector>

namespace trefoil::cuda {
namespace {

void expectParts(const ModelConfig& config, const std::vector<int>& devices, const SynthFormat& format = {}) {
    expectSame(config, {{devices.front()}, format}, {devices, format});
}

class Parts : public CudaTest, public testing::WithParamInterface<bool> {
protected:
    Precision m_precision{GetParam()};
};

TEST_P(Parts, TwoOnOneCardEqualOne) { expectParts(modelOf(false), {0, 0}); }
TEST_P(Parts, ThreeOnOneCardEqualOne) { expectParts(modelOf(false), {0, 0, 0}); }
TEST_P(Parts, OddSizesAndATiedEmbedding) { expectParts(modelOf(true), {0, 0}); }
TEST_P(Parts, NoisyRowsThatPredictTheNextToken) {
    ModelConfig config = modelOf(true);
    config.compatibility.noisyRowsPredictNext = true;
    expectParts(config, {0, 0, 0});
}
TEST_P(Parts, OfFp8) {
    expectParts(modelOf(false), {0, 0}, {QuantisedFormat::Fp8Blocks});
    expectParts(modelOf(true), {0, 0}, {QuantisedFormat::Fp8Blocks});
}
TEST_P(Parts, OfFourBits) {
    for (const std::int64_t group : {32, 128})
        for (const bool zeros : {false, true})
            expectParts(modelOf(false), {0, 0}, {QuantisedFormat::Int4Groups, group, zeros, group == 32});
}
TEST_P(Parts, OfTwoCards) {
    int count = 0;
    ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    if (count < 2) GTEST_SKIP() << "one CUDA device only";
    expectParts(modelOf(false), {0, 1});
}

INSTANTIATE_TEST_SUITE_P(Precisions, Parts, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& floats) { return floats.param ? "float32" : "bf16"; });

}  // namespace
}  // namespace trefoil::cuda
