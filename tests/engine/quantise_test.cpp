// Making quantised checkpoints: how near they come, what keeps its type, stopping and going on, and what is refused.
#include "engine/checkpoint/quantise.h"

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/number_formats.h"
#include "engine/runtime/model_weights.h"
#include "engine/verify/compare_models.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::CheckpointMaker;
using test::kTiny;
using test::ScratchFolder;
using test::TensorData;

std::vector<float> valuesOf(const Checkpoint& checkpoint, const TensorInfo& info) {
    std::vector<std::byte> bytes(info.bytes());
    EXPECT_TRUE(checkpoint.read(info, 0, info.elements, bytes).ok());
    std::vector<float> out(static_cast<std::size_t>(info.elements));
    toFloat32(info.dtype, bytes, out);
    return out;
}

double relative(const std::vector<float>& a, const std::vector<float>& b) {
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
        difference += d * d;
        norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
    }
    return std::sqrt(difference / norm);
}

QuantiseOptions optionsFor(QuantisedFormat format) {
    QuantiseOptions options;
    options.format = format;
    options.threads = 2;
    return options;
}

bool isProjection(const std::string& name) {
    for (const char* part : {".in_proj_qkv.", ".in_proj_z.", ".out_proj.", ".q_proj.", ".k_proj.", ".v_proj.", ".o_proj.",
                             ".experts.", ".shared_expert."})
        if (name.find(part) != std::string::npos) return true;
    return false;
}

class Quantise : public testing::TestWithParam<QuantisedFormat> {};

TEST_P(Quantise, ComesNearAndLeavesTheRestAlone) {
    const ScratchFolder scratch;
    const fs::path out = scratch / "out";
    QuantiseOptions options = optionsFor(GetParam());
    options.shardBytes = 200'000;  // several shards
    std::uint64_t last = 0;
    std::uint64_t total = 0;
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
        EXPECT_GE(done, last);
        last = done;
        total = all;
    };
    const auto report = quantiseCheckpoint(kTiny, out, options);
    ASSERT_TRUE(report.ok()) << report.error().text();
    EXPECT_GT(report->shards, 1U);
    EXPECT_EQ(last, total);
    const auto plain = Checkpoint::open(kTiny);
    const auto small = Checkpoint::open(out);
    ASSERT_TRUE(small.ok()) << small.error().text();
    EXPECT_TRUE(small->summary().quantised);
    EXPECT_NE(small->summary().layout.find("one tensor per expert"), std::string::npos);
    EXPECT_EQ(small->summary().parameters, plain->summary().parameters);
    const bool fp8 = GetParam() == QuantisedFormat::Fp8Blocks;
    for (const TensorInfo& tensor : plain->tensors()) {
        const TensorInfo* other = small->find(tensor.name);
        ASSERT_NE(other, nullptr) << tensor.name;
        EXPECT_EQ(other->dtype, tensor.dtype) << tensor.name;
        const double error = relative(valuesOf(*small, *other), valuesOf(*plain, tensor));
        // The shared expert's down_proj has rows of 48, which hold no whole groups of 32.
        const bool kept = !isProjection(tensor.name) || (!fp8 && tensor.name.ends_with("shared_expert.down_proj.weight"));
        if (kept) {
            EXPECT_EQ(error, 0.0) << tensor.name;
        } else {
            EXPECT_GT(error, 0.0) << tensor.name;
            EXPECT_LT(error, fp8 ? 0.03 : 0.11) << tensor.name;
        }
    }
    EXPECT_EQ(report->notes.size(), fp8 ? 0U : 1U);
}

TEST_P(Quantise, GoesOnWhereItWasStoppedAndOverwritesNothing) {
    const ScratchFolder scratch;
    const fs::path once = scratch / "once";
    const fs::path twice = scratch / "twice";
    QuantiseOptions options = optionsFor(GetParam());
    options.shardBytes = 200'000;
    const auto whole = quantiseCheckpoint(kTiny, once, options);
    ASSERT_TRUE(whole.ok()) << whole.error().text();

    CancelFlag cancel;
    options.cancel = &cancel;
    options.threads = 1;
    options.progress = [&](std::uint64_t /*done*/, std::uint64_t /*all*/) {
        for (const auto& entry : fs::directory_iterator(twice))
            if (entry.path().extension() == ".safetensors") cancel.request();
    };
    const auto stopped = quantiseCheckpoint(kTiny, twice, options);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().kind, ErrorKind::Cancelled);
    EXPECT_FALSE(fs::exists(twice / "config.json"));
    EXPECT_FALSE(Checkpoint::open(twice).ok());

    // Another model or other options do not go on with it.
    QuantiseOptions other = options;
    other.cancel = nullptr;
    other.progress = {};
    other.keep = {"re:.*q_proj"};
    EXPECT_FALSE(quantiseCheckpoint(kTiny, twice, other).ok());

    options.cancel = nullptr;
    options.progress = {};
    const auto finished = quantiseCheckpoint(kTiny, twice, options);
    ASSERT_TRUE(finished.ok()) << finished.error().text();
    EXPECT_GT(finished->shardsFound, 0U);
    for (const auto& entry : fs::directory_iterator(once))
        EXPECT_EQ(test::readFile(entry.path()), test::readFile(twice / entry.path().filename().string())) << entry.path();
    for (const auto& entry : fs::directory_iterator(twice)) EXPECT_NE(entry.path().extension(), ".part");

    const auto again = quantiseCheckpoint(kTiny, twice, options);
    ASSERT_FALSE(again.ok());
    EXPECT_NE(again.error().text().find("holds a complete model already"), std::string::npos);
}

/// The weights of a quantised checkpoint as the values that they stand for.
class Expanded final : public WeightSource {
public:
    explicit Expanded(const Checkpoint& checkpoint) : m_source(checkpoint) {}
    [[nodiscard]] Result<DType> dtype(const std::string& name) const override { return m_source.dtype(name); }
    Status read(const std::string& name, std::int64_t first, std::int64_t count,
                std::span<std::byte> destination) const override {
        return m_source.read(name, first, count, destination);
    }

private:
    CheckpointSource m_source;
};

TEST_P(Quantise, RunsFromPackedWeightsExactlyAsFromTheirValues) {
    const ScratchFolder scratch;
    ASSERT_TRUE(quantiseCheckpoint(kTiny, scratch / "out", optionsFor(GetParam())).ok());
    const auto checkpoint = Checkpoint::open(scratch / "out");
    ASSERT_TRUE(checkpoint.ok()) << checkpoint.error().text();
    const std::vector<TokenId> ids{5, 17, 3, 60, 41, 8, 22, 9, 30};
    const auto logits = [&](const WeightSource& source, std::uint64_t& weights) {
        const auto executor = makeCpuExecutor(checkpoint->config(), source, {2, 0}, {}, nullptr);
        EXPECT_TRUE(executor.ok());
        weights = (*executor)->memory().weights;
        PassCapture capture;
        (*executor)->setCapture(&capture);
        const GenerationConfig config;
        PassControls controls;
        controls.config = &config;
        EXPECT_TRUE((*executor)->prefill(ids, &controls).ok());
        std::vector<float> out = capture.logits;
        EXPECT_TRUE((*executor)->denoise(ids, controls).ok());
        out.insert(out.end(), capture.logits.begin(), capture.logits.end());
        return out;
    };
    std::uint64_t packed = 0;
    std::uint64_t expanded = 0;
    const std::vector<float> fromPacked = logits(CheckpointSource(*checkpoint), packed);
    ASSERT_FALSE(fromPacked.empty());
    EXPECT_EQ(fromPacked, logits(Expanded(*checkpoint), expanded));
    EXPECT_LT(packed, expanded);
    EXPECT_EQ(packed, plannedWeightBytes(checkpoint->config(), CheckpointSource(*checkpoint))->all);
}

INSTANTIATE_TEST_SUITE_P(Formats, Quantise, testing::Values(QuantisedFormat::Fp8Blocks, QuantisedFormat::Int4Groups));

TEST(QuantiseRefusals, RefusesWhatItCannotDo) {
    const ScratchFolder scratch;
    const auto refused = [](const Result<QuantiseReport>& result, const char* part) {
        ASSERT_FALSE(result.ok());
        EXPECT_NE(result.error().text().find(part), std::string::npos) << result.error().text();
    };
    const QuantiseOptions fp8 = optionsFor(QuantisedFormat::Fp8Blocks);
    refused(quantiseCheckpoint(scratch / "none", scratch / "out", fp8), "there is no folder");
    ASSERT_TRUE(quantiseCheckpoint(kTiny, scratch / "small", fp8).ok());
    refused(quantiseCheckpoint(scratch / "small", scratch / "smaller", fp8), "quantised already");
    fs::create_directory(scratch / "taken");
    test::writeFile(scratch / "taken" / "diary.txt", "dear diary");
    refused(quantiseCheckpoint(kTiny, scratch / "taken", fp8), "diary.txt");
    EXPECT_EQ(test::readFile(scratch / "taken" / "diary.txt"), "dear diary");
    CheckpointMaker maker(kTiny);
    fs::create_directory(scratch / "own");
    maker.writeSingle(scratch / "own");
    refused(quantiseCheckpoint(scratch / "own", scratch / "own", fp8), "own folder");
    QuantiseOptions odd = optionsFor(QuantisedFormat::Int4Groups);
    odd.groupSize = 48;
    refused(quantiseCheckpoint(kTiny, scratch / "out", odd), "32 or 128");
    odd = fp8;
    odd.keep = {"re:("};
    refused(quantiseCheckpoint(kTiny, scratch / "out", odd), "--keep");
    odd.keep = {"re:.*"};
    refused(quantiseCheckpoint(kTiny, scratch / "out", odd), "nothing would be quantised");
    TensorData& weight = maker.tensor("model.layers.0.linear_attn.out_proj.weight");
    weight.bytes[0] = '\x80';
    weight.bytes[1] = '\x7F';  // infinity
    fs::create_directory(scratch / "broken");
    maker.writeSingle(scratch / "broken");
    refused(quantiseCheckpoint(scratch / "broken", scratch / "out2", fp8), "no finite number");
}

TEST(QuantiseRefusals, KeepsAndTakesWhatItIsTold) {
    const ScratchFolder scratch;
    QuantiseOptions options = optionsFor(QuantisedFormat::Int4Groups);
    options.keep = {"re:.*self_attn\\.", "model.layers.0.linear_attn.out_proj"};
    options.quantiseHead = true;
    ASSERT_TRUE(quantiseCheckpoint(kTiny, scratch / "out", options).ok());
    const json config = json::parse(test::readFile(scratch / "out" / "config.json"));
    const json& ignore = config["quantization_config"]["ignore"];
    const auto ignored = [&](const char* name) { return std::find(ignore.begin(), ignore.end(), name) != ignore.end(); };
    EXPECT_TRUE(ignored("model.layers.3.self_attn.q_proj"));
    EXPECT_TRUE(ignored("model.layers.0.linear_attn.out_proj"));
    EXPECT_TRUE(ignored("model.layers.0.mlp.gate"));
    EXPECT_TRUE(ignored("model.layers.0.linear_attn.in_proj_a"));
    EXPECT_FALSE(ignored("lm_head"));
    EXPECT_FALSE(ignored("model.layers.0.mlp.experts.0.gate_proj"));
    EXPECT_TRUE(Checkpoint::open(scratch / "out").ok());
}

TEST(Int4Scale, BeatsTheLargestValueAloneAndCoversEdges) {
    std::vector<float> weights(32);
    std::uint32_t state = 7;
    double least = 0;
    double plain = 0;
    const auto error = [&](float scale) {
        double sum = 0;
        for (const float w : weights) {
            const float q = std::clamp(std::nearbyint(w / scale), -8.0F, 7.0F);
            sum += std::pow(static_cast<double>(w - q * scale), 2);
        }
        return sum;
    };
    for (int round = 0; round < 50; ++round) {
        float largest = 0;
        for (float& w : weights) {
            float sum = 0;  // roughly normal
            for (int i = 0; i < 12; ++i) sum += static_cast<float>((state = state * 1664525U + 1013904223U) >> 8) * 0x1p-24F;
            w = sum - 6.0F;
            largest = std::max(largest, std::fabs(w));
        }
        const float scale = int4Scale(weights);
        EXPECT_EQ(fromBrain(toBrain(scale)), scale);
        const double mine = error(scale);
        const double theirs = error(fromBrain(toBrain(largest / 7)));
        EXPECT_LE(mine, theirs);
        least += mine;
        plain += theirs;
    }
    EXPECT_LT(least, 0.93 * plain);
    EXPECT_EQ(int4Scale(std::vector<float>(32, 0.0F)), 1.0F);
    const float one = int4Scale(std::vector<float>{0, 0, -0.5F, 0});
    EXPECT_NEAR(std::clamp(std::nearbyint(-0.5F / one), -8.0F, 7.0F) * one, -0.5F, 0.002F);
}

TEST(RowAgreement, CountsAndMeasures) {
    RowAgreement rows;
    rows.add(std::vector<float>{0, 0}, std::vector<float>{0, 0});
    EXPECT_EQ(rows.divergence, 0.0);
    EXPECT_EQ(rows.sameTop, 1);
    rows.add(std::vector<float>{std::log(3.0F), 0}, std::vector<float>{0, std::log(3.0F)});  // 3/4, 1/4 and 1/4, 3/4
    EXPECT_EQ(rows.rows, 2);
    EXPECT_EQ(rows.sameTop, 1);
    EXPECT_NEAR(rows.divergence, 0.5 * std::log(3.0), 1e-6);
    EXPECT_EQ(rows.agreement(), 0.5);
    EXPECT_NEAR(rows.meanDivergence(), 0.25 * std::log(3.0), 1e-6);
}

}  // namespace
}  // namespace trefoil
