// Quantised models on the GPU: against the same weights read as values, with few experts on the card against all of them, and the
// demo model in FP8 and 4 bits against the CPU.
#include "engine/checkpoint/quantise.h"
#include "engine/runtime/cpu_executor.h"
#include "tests/kernels/cuda/executor_pair.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace trefoil::cuda {
namespace {

const std::vector<SynthFormat>& formats() {
    static const std::vector<SynthFormat> all{{QuantisedFormat::Fp8Blocks},
                                              {QuantisedFormat::Int4Groups, 32},
                                              {QuantisedFormat::Int4Groups, 128, true},
                                              {QuantisedFormat::Int4Groups, 32, true, true},
                                              {QuantisedFormat::Int4Groups, 32, false, false, true}};
    return all;
}

class Quantised : public CudaTest {};

/// In float32 both ways multiply the same numbers with the same kernels.
TEST_F(Quantised, Float32GivesTheBitsOfTheValues) {
    const Precision floats(true);
    for (const SynthFormat& format : formats()) {
        Loading packed{{0}, format};
        Loading values{{0}, format, true};
        expectSame(modelOf(false), packed, values, false);
    }
    expectSame(modelOf(true), {{0}, {QuantisedFormat::Fp8Blocks}}, {{0}, {QuantisedFormat::Fp8Blocks}, true}, false);
}

/// The logits of one kind of pass of both.
void expectNear(Pair& pair, const char* what, double limit, const std::function<Result<PassOutput>(Executor&)>& step) {
    PassCapture one;
    PassCapture other;
    pair.one().setCapture(&one);
    pair.parts().setCapture(&other);
    ASSERT_TRUE(step(pair.one()).ok() && step(pair.parts()).ok());
    pair.one().setCapture(nullptr);
    pair.parts().setCapture(nullptr);
    // Rows whose experts differ, because two scores are nearly equal, say nothing about the products.
    const std::size_t rows = one.experts.front().size() / 8;
    const std::size_t vocab = one.logits.size() / rows;
    std::size_t compared = 0;
    for (std::size_t row = 0; row < rows; ++row) {
        bool same = true;
        for (std::size_t layer = 0; layer < one.experts.size(); ++layer)
            same = same && std::is_permutation(one.experts[layer].begin() + static_cast<std::ptrdiff_t>(row * 8),
                                               one.experts[layer].begin() + static_cast<std::ptrdiff_t>(row * 8 + 8),
                                               other.experts[layer].begin() + static_cast<std::ptrdiff_t>(row * 8));
        if (!same) continue;
        ++compared;
        const std::vector<float> a(one.logits.begin() + static_cast<std::ptrdiff_t>(row * vocab),
                                   one.logits.begin() + static_cast<std::ptrdiff_t>((row + 1) * vocab));
        const std::vector<float> b(other.logits.begin() + static_cast<std::ptrdiff_t>(row * vocab),
                                   other.logits.begin() + static_cast<std::ptrdiff_t>((row + 1) * vocab));
        EXPECT_LT(relativeError(a, b, 0), limit) << what << ", row " << row;
    }
    EXPECT_GE(compared, rows / 8) << what;
}

TEST_F(Quantised, Bf16IsNearTheValues) {
    for (const SynthFormat& format : formats()) {
        const ModelConfig config = modelOf(false);
        Pair pair(config, {{0}, format}, {{0}, format, true});
        ASSERT_TRUE(pair.loaded());
        GenerationConfig plain;
        PassControls controls;
        controls.config = &plain;
        expectNear(pair, "prompt", 4e-2, [&](Executor& e) { return e.prefill(idsFrom(0, 300), nullptr); });
        expectNear(pair, "noisy block", 4e-2, [&](Executor& e) { return e.denoise(idsFrom(5, 32), controls); });
        expectNear(pair, "wide block", 4e-2, [&](Executor& e) { return e.denoise(idsFrom(5, 100), controls); });
        expectNear(pair, "token", 4e-2, [&](Executor& e) { return e.commit(idsFrom(9, 1), nullptr); });
    }
}

/// Where a layer's experts lie changes no bit: the same kernels read the same bytes.
TEST_F(Quantised, FewExpertsOnTheCardGiveTheBitsOfAll) {
    for (const SynthFormat& format : {SynthFormat{QuantisedFormat::Fp8Blocks}, {QuantisedFormat::Int4Groups, 32}})
        for (const double share : {0.0, 0.3, 0.8}) {
            Loading some{{0}, format};
            some.cardShare = share;
            expectSame(modelOf(false), {{0}, format}, some);
        }
}

TEST_F(Quantised, Float32WithFewExpertsOnTheCard) {
    const Precision floats(true);
    for (const SynthFormat& format : {SynthFormat{}, {QuantisedFormat::Int4Groups, 128}}) {
        Loading some{{0}, format};
        some.cardShare = 0.3;
        expectSame(modelOf(false), {{0}, format}, some, false);
    }
    Loading parts{{0, 0}, {}};
    parts.cardShare = 0.3;
    expectSame(modelOf(false), {{0}, {}}, parts, false);
}

TEST_F(Quantised, AnExpertThatStaysOnTheCardIsNotCopiedAgain) {
    Loading some{{0}, {QuantisedFormat::Int4Groups, 32}};
    some.cardShare = 0.9;
    const ModelConfig config = modelOf(false);
    const auto executor = load(config, some);
    ASSERT_NE(executor, nullptr);
    EXPECT_GT(executor->memory().host, 0U);
    GenerationConfig plain;
    PassControls controls;
    controls.config = &plain;
    int missed[3] = {};
    for (int& sum : missed) {
        const auto pass = executor->denoise(idsFrom(3, 2), controls);
        ASSERT_TRUE(pass.ok());
        for (const LayerStats& layer : pass->stats.layers) sum += layer.missedExperts;
    }
    EXPECT_GT(missed[0], 0);
    EXPECT_EQ(missed[1], 0);
    EXPECT_EQ(missed[2], 0);
}

/// The first golden conversation: its prompt and, from `rest`, what the reference answered. A trained model is sure of such a
/// text, as it is not of arbitrary ids, where rounding to BF16 decides between experts.
std::vector<TokenId> goldenText(std::vector<TokenId>& rest) {
    std::ifstream file(TREFOIL_GOLDEN_TRACES);
    const nlohmann::json first = nlohmann::json::parse(file).at(0);
    auto ids = first.at("prompt").get<std::vector<TokenId>>();
    const auto response = first.at("response").get<std::vector<TokenId>>();
    ids.insert(ids.end(), response.begin(), response.begin() + 64);
    rest.assign(response.begin() + 64, response.end());
    return ids;
}

TEST_F(Quantised, TheDemoModelAgreesWithTheCpu) {
    const std::filesystem::path demo = TREFOIL_DEMO_MODEL;
    std::vector<TokenId> rest;
    const std::vector<TokenId> text = goldenText(rest);
    const auto folder = std::filesystem::temp_directory_path() / ("trefoil-gpu-" + std::to_string(getpid()));
    for (const QuantisedFormat format : {QuantisedFormat::Fp8Blocks, QuantisedFormat::Int4Groups}) {
        std::filesystem::remove_all(folder);
        QuantiseOptions options;
        options.format = format;
        ASSERT_TRUE(quantiseCheckpoint(demo, folder, options).ok());
        for (const bool floats : {false, true}) {
            const Precision precision(floats);
            auto checkpoint = Checkpoint::open(folder);
            ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().text();
            auto cpu = makeCpuExecutor(*checkpoint, {}, {}, nullptr);
            ASSERT_TRUE(cpu.ok());
            LoadRequest request;
            request.config = &checkpoint->config();
            request.tensors = checkpoint->tensors();
            request.read = [&](std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> to) {
                return checkpoint->read(checkpoint->tensors()[tensor], first, count, to);
            };
            request.readRows = [&](std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) {
                return checkpoint->readRows(checkpoint->tensors()[tensor], first, count, rows);
            };
            request.devices.push_back({0, 0});
            auto gpu = makeCudaExecutor(request, {}, nullptr);
            ASSERT_TRUE(gpu.ok()) << gpu.error().text();
            GenerationConfig plain;
            PassControls controls;
            controls.config = &plain;
            PassCapture one;
            PassCapture other;
            (*cpu)->setCapture(&one);
            (*gpu)->setCapture(&other);
            const double limit = floats ? 1e-4 : 3e-2;
            const auto both = [&](const char* what, const std::function<Result<PassOutput>(Executor&)>& step) {
                ASSERT_TRUE(step(**cpu).ok() && step(**gpu).ok()) << what;
                EXPECT_LT(relativeError(other.logits, one.logits, 0), limit) << what << (floats ? ", float32" : ", BF16");
            };
            both("prompt", [&](Executor& e) { return e.prefill(text, nullptr); });
            both("noisy block",
                 [&](Executor& e) { return e.denoise(std::vector<TokenId>(32, checkpoint->config().maskTokenId), controls); });
            both("token", [&](Executor& e) { return e.commit(std::span(rest).first(1), nullptr); });
        }
    }
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace trefoil::cuda
