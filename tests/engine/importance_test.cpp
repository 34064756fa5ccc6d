// Importance of columns: gathered while a model runs, kept in a file, and used to choose the scales of 4-bit weights.
#include "engine/checkpoint/importance.h"

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/quantise.h"
#include "engine/runtime/cpu_executor.h"
#include "engine/verify/calibrate.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/says.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using test::kTiny;
using test::says;
using test::ScratchFolder;

std::vector<float> valuesOf(const Checkpoint& checkpoint, const std::string& name) {
    const TensorInfo* info = checkpoint.find(name);
    if (info == nullptr) return {};
    std::vector<std::byte> bytes(info->bytes());
    EXPECT_TRUE(checkpoint.read(*info, 0, info->elements, bytes).ok());
    std::vector<float> out(static_cast<std::size_t>(info->elements));
    toFloat32(info->dtype, bytes, out);
    return out;
}

/// What rounding to 4 bits with this scale leaves, each square times its importance.
double weightedRest(std::span<const float> weights, std::span<const float> importance, float scale) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double q = std::clamp(std::nearbyint(static_cast<double>(weights[i]) / static_cast<double>(scale)), -8.0, 7.0);
        const double rest = static_cast<double>(weights[i]) - q * static_cast<double>(scale);
        sum += static_cast<double>(importance[i]) * rest * rest;
    }
    return sum;
}

std::vector<TokenId> someText(const ModelConfig& config, std::size_t count) {
    std::mt19937 random(7);
    std::uniform_int_distribution<TokenId> any(20, static_cast<TokenId>(config.vocabSize) - 10);
    std::vector<TokenId> out(count);
    for (TokenId& id : out) id = any(random);
    return out;
}

/// Sums of a run over random ids of the tiny model.
InputSums gathered(const Checkpoint& checkpoint, std::size_t tokens) {
    InputSums sums;
    auto executor = makeCpuExecutor(checkpoint, {2, 0}, {}, nullptr);
    EXPECT_TRUE(executor.ok());
    const CancelFlag never;
    const Status ok = gatherInputs(**executor, someText(checkpoint.config(), tokens), GenerationConfig(), never, sums);
    EXPECT_TRUE(ok.ok()) << ok.error().text();
    return sums;
}

TEST(Int4Scale, WeighsTheSquares) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0.0F, 0.02F);
    std::lognormal_distribution<float> heavy(0.0F, 2.0F);
    double plain = 0;
    double weighted = 0;
    for (int group = 0; group < 300; ++group) {
        std::vector<float> weights(32);
        std::vector<float> importance(32);
        for (float& w : weights) w = normal(random);
        for (float& i : importance) i = heavy(random);
        const double before = weightedRest(weights, importance, int4Scale(weights));
        const double after = weightedRest(weights, importance, int4Scale(weights, importance));
        EXPECT_LE(after, before * (1 + 1e-5));
        plain += before;
        weighted += after;
        // Alike: as without.
        EXPECT_EQ(int4Scale(weights, std::vector<float>(32, 1.0F)), int4Scale(weights));
    }
    EXPECT_LT(weighted, 0.9 * plain);
}

TEST(Calibrate, AddsUpWhatTheMatricesAreGiven) {
    const auto checkpoint = Checkpoint::open(kTiny);
    ASSERT_TRUE(checkpoint.ok());
    const ModelConfig& c = checkpoint->config();
    const InputSums sums = gathered(*checkpoint, 32);  // one block: a causal pass alone
    const MatrixInputs& first = sums.matrices.at("model.layers.0.linear_attn.in_proj_qkv.weight");
    ASSERT_EQ(first.columns, c.hiddenSize);
    ASSERT_EQ(first.rows, std::vector<std::int64_t>{32});
    // The first matrix of the first layer is given the normalised embedding.
    const std::vector<float> embedding = valuesOf(*checkpoint, "model.embed_tokens.weight");
    const std::vector<float> norm = valuesOf(*checkpoint, "model.layers.0.input_layernorm.weight");
    std::vector<double> expected(static_cast<std::size_t>(c.hiddenSize));
    for (const TokenId id : someText(c, 32)) {
        const float* row = embedding.data() + id * c.hiddenSize;
        double square = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) square += static_cast<double>(row[i]) * static_cast<double>(row[i]);
        const double scale = square / static_cast<double>(c.hiddenSize) + c.rmsNormEps;
        for (std::size_t i = 0; i < expected.size(); ++i)
            expected[i] += std::pow(static_cast<double>(row[i]) * (1.0 + static_cast<double>(norm[i])), 2) / scale;
    }
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(first.squares[i], expected[i], 1e-4 * expected[i]);
    for (std::int64_t layer = 0; layer < c.numLayers(); ++layer)
        for (const char* part : {"gate_up_proj", "down_proj"}) {
            const auto& rows = sums.matrices.at("model.layers." + std::to_string(layer) + ".mlp.experts." + part).rows;
            EXPECT_EQ(std::accumulate(rows.begin(), rows.end(), std::int64_t{0}), 32 * c.numExpertsPerTok);
        }
    // Every matrix that could be quantised, and nothing that could not.
    for (const auto& [name, inputs] : sums.matrices) EXPECT_NE(checkpoint->find(name), nullptr) << name;
    // With a second block come its two noisy passes.
    EXPECT_EQ(gathered(*checkpoint, 64).matrices.at("model.layers.0.linear_attn.out_proj.weight").rows.front(), 4 * 32);
}

TEST(Calibrate, ExpertsThatMetFewRowsLeanOnTheOthers) {
    InputSums sums;
    sums.matrices["m"] = {2, {160.0, 320.0, 0.0, 0.0}, {16, 0}};
    const Importance importance = importanceOf(sums);
    EXPECT_EQ((*importance.of("m", 0, 2))[0], 10.0F);
    EXPECT_EQ((*importance.of("m", 1, 2))[1], 20.0F);
}

TEST(Importance, LowersTheWeightedErrorOfAModel) {
    const auto checkpoint = Checkpoint::open(kTiny);
    ASSERT_TRUE(checkpoint.ok());
    const Importance importance = importanceOf(gathered(*checkpoint, 96));
    const ScratchFolder folder;
    std::vector<double> errors;
    for (const Importance* used : {static_cast<const Importance*>(nullptr), &importance}) {
        QuantiseOptions options;
        options.format = QuantisedFormat::Int4Groups;
        options.threads = 2;
        options.importance = used;
        const fs::path out = folder / (used == nullptr ? "plain" : "weighted");
        const auto report = quantiseCheckpoint(kTiny, out, options);
        ASSERT_TRUE(report.ok()) << report.error().text();
        const auto made = Checkpoint::open(out);
        ASSERT_TRUE(made.ok()) << made.error().text();
        double sum = 0;
        for (const TensorInfo& tensor : made->tensors()) {
            if (!tensor.quantised) continue;
            const std::vector<float> a = valuesOf(*checkpoint, tensor.name);
            const std::vector<float> b = valuesOf(*made, tensor.name);
            const auto columns = static_cast<std::size_t>(tensor.shape.back());
            const std::int64_t items = tensor.shape.size() == 3 ? tensor.shape[0] : 1;
            const std::size_t perItem = a.size() / static_cast<std::size_t>(items);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const auto item = static_cast<std::int64_t>(i / perItem);
                const auto counts = importance.of(tensor.name, item, tensor.shape.back());
                ASSERT_TRUE(counts.ok());
                const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
                sum += static_cast<double>((*counts)[i % columns]) * d * d;
            }
        }
        errors.push_back(sum);
    }
    EXPECT_LT(errors[1], errors[0]);
    // The folder of the one is not gone on with for the other.
    QuantiseOptions options;
    options.format = QuantisedFormat::Int4Groups;
    fs::remove(folder / "plain" / "config.json");
    options.importance = &importance;
    const auto other = quantiseCheckpoint(kTiny, folder / "plain", options);
    ASSERT_FALSE(other.ok());
    EXPECT_TRUE(says(other.error(), {"nothing is overwritten"}));
    // FP8 has nothing to weigh.
    options.format = QuantisedFormat::Fp8Blocks;
    EXPECT_EQ(quantiseCheckpoint(kTiny, folder / "fp8", options).error().kind, ErrorKind::InvalidArgument);
}

TEST(Importance, ComesBackFromItsFile) {
    const ScratchFolder folder;
    Importance importance;
    importance.set("a", 3, {1.0F, 0.5F, 0.0F, 2.0F, 3.0F, 4.0F});
    importance.set("b.weight", 1, {0.25F});
    ASSERT_TRUE(importance.write(folder / "i.safetensors").ok());
    const auto read = Importance::read(folder / "i.safetensors");
    ASSERT_TRUE(read.ok()) << read.error().text();
    EXPECT_EQ(read->fingerprint(), importance.fingerprint());
    EXPECT_EQ((*read->of("a", 1, 3))[2], 4.0F);
    EXPECT_TRUE(says(read->of("a", 2, 3).error(), {"i.safetensors has no 3 columns of a", "of another model"}));
    EXPECT_FALSE(read->of("a", 0, 2).ok());
    EXPECT_FALSE(read->of("c", 0, 3).ok());
    EXPECT_TRUE(says(importance.write(folder / "i.safetensors").error(), {"is there already", "nothing is overwritten"}));
    importance.set("b.weight", 1, {0.5F});
    EXPECT_NE(read->fingerprint(), importance.fingerprint());
}

TEST(Importance, RefusesOtherFiles) {
    const ScratchFolder folder;
    EXPECT_EQ(Importance::read(folder / "none").error().kind, ErrorKind::NotFound);
    EXPECT_TRUE(says(Importance::read(kTiny / "model.safetensors").error(), {"is no importance file", "trefoil-cli calibrate"}));
    for (const float bad : {-1.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        Importance importance;
        importance.set("a", 2, {1.0F, bad});
        const fs::path file = folder / ("bad" + std::to_string(bad));
        ASSERT_TRUE(importance.write(file).ok());
        EXPECT_TRUE(says(Importance::read(file).error(), {"a holds a value that is no mean of squares"}));
    }
}

}  // namespace
}  // namespace trefoil
