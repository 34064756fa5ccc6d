// Every layout that a checkpoint of the family may have gives the logits of the plain one (model-contract.md, section 1).
#include "engine/checkpoint/checkpoint.h"
#include "engine/session.h"
#include "engine/verify/golden.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::CheckpointMaker;
using test::kDemo;
using test::kTiny;
using test::ScratchFolder;
using test::TensorData;

struct Seen {
    std::vector<float> causal;      ///< logits of a prompt
    std::vector<float> noisy;       ///< and of a block after it
    std::vector<TokenId> response;  ///< of a short decoding run
    std::vector<std::string> notes;
};

Result<LoadedModel> load(Engine& engine, const fs::path& folder) {
    LoadOptions options;
    options.device.device = "cpu";
    options.device.threads = 2;
    options.requireTokenizer = false;
    return engine.load(folder, options, {}, CancelFlag());
}

class Silent : public DecodeObserver {};

Seen run(Engine& engine) {
    Seen out;
    Executor& executor = *engine.executor();
    const ModelConfig& config = executor.config();
    std::vector<TokenId> prompt;
    for (TokenId id = 0; prompt.size() < 24; ++id) {
        const TokenId token = (id * 37 + 11) % static_cast<TokenId>(config.vocabSize);
        if (!config.isEos(token) && token != config.maskTokenId) prompt.push_back(token);
    }
    std::vector<TokenId> block(16, config.maskTokenId);
    std::copy_n(prompt.begin(), 4, block.begin() + 3);
    GenerationConfig generation;
    PassControls controls;
    controls.config = &generation;
    PassCapture capture;
    executor.setCapture(&capture);
    EXPECT_TRUE(executor.prefill(prompt, &controls).ok());
    out.causal = capture.logits;
    EXPECT_TRUE(executor.denoise(block, controls).ok());
    out.noisy = capture.logits;
    executor.setCapture(nullptr);
    generation.maxNewTokens = 40;
    generation.threshold = 0.06;
    Silent observer;
    out.response = engine.generate({prompt, false, std::nullopt, generation}, observer, CancelFlag()).response;
    out.notes = engine.model()->summary.notes;
    return out;
}

Seen seen(const fs::path& folder) {
    Engine engine;
    const auto loaded = load(engine, folder);
    EXPECT_TRUE(loaded.ok()) << loaded.error().text();
    return loaded.ok() ? run(engine) : Seen();
}

bool hasNote(const Seen& s, const std::string& part) {
    return std::any_of(s.notes.begin(), s.notes.end(), [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

void expectSame(const Seen& a, const Seen& b) {
    ASSERT_FALSE(b.causal.empty() || b.noisy.empty() || b.response.empty());
    EXPECT_EQ(a.causal, b.causal);
    EXPECT_EQ(a.noisy, b.noisy);
    EXPECT_EQ(a.response, b.response);
}

/// Every key of config.json moved into text_config; at the top stay the names and a size that contradicts (the nested one wins).
void nestConfig(CheckpointMaker& maker) {
    json nested = maker.config;
    maker.config = {{"architectures", nested["architectures"]}, {"model_type", nested["model_type"]}, {"vocab_size", 5}};
    nested.erase("architectures");
    nested.erase("model_type");
    maker.config["text_config"] = nested;
}

void addTowers(CheckpointMaker& maker) {
    maker.tensors.push_back({"mtp.layers.0.mlp.gate.weight", "BF16", {2, 2}, std::string(8, 'x')});
    maker.tensors.push_back({"model.visual.blocks.0.attn.qkv.weight", "F32", {2}, std::string(8, 'x')});
    maker.tensors.push_back({"mtp.marker", "F32", {0}, ""});
}

void convertAll(CheckpointMaker& maker, std::string_view dtype) {
    std::vector<std::string> names;
    for (const TensorData& t : maker.tensors)
        if (t.dtype == "BF16") names.push_back(t.name);
    for (const std::string& name : names) maker.convert(name, dtype);
}

/// F16 tensors as F32 ones of the same values.
void widenHalves(CheckpointMaker& maker) {
    for (TensorData& t : maker.tensors) {
        if (t.dtype != "F16") continue;
        std::vector<float> values(t.bytes.size() / 2);
        toFloat32(DType::F16, std::as_bytes(std::span(t.bytes)), values);
        t.dtype = "F32";
        t.bytes.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
    }
}

struct Layout {
    const char* name;
    std::function<void(CheckpointMaker&)> change;
    std::size_t shards;
};

std::ostream& operator<<(std::ostream& out, const Layout& layout) { return out << layout.name; }

class LayoutTest : public ::testing::TestWithParam<Layout> {
protected:
    static void SetUpTestSuite() { s_plain = new Seen(seen(kTiny)); }
    static void TearDownTestSuite() { delete s_plain; }
    static Seen* s_plain;
};
Seen* LayoutTest::s_plain = nullptr;

TEST_P(LayoutTest, GivesTheLogitsOfThePlainOne) {
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    GetParam().change(maker);
    if (GetParam().shards > 0)
        maker.writeShards(folder.path(), GetParam().shards);
    else
        maker.writeSingle(folder.path());
    expectSame(seen(folder.path()), *s_plain);
}

INSTANTIATE_TEST_SUITE_P(
    Tiny, LayoutTest,
    ::testing::Values(
        Layout{"Shards", [](CheckpointMaker&) {}, 3}, Layout{"OneShardForEachTensorAlmost", [](CheckpointMaker&) {}, 97},
        Layout{"NestedPrefix", [](CheckpointMaker& m) { m.renamePrefix("model.", "model.language_model."); }, 0},
        Layout{"NestedConfig", nestConfig, 0},
        Layout{"RopeParameters",
               [](CheckpointMaker& m) {
                   m.config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 1e7}, {"partial_rotary_factor", 0.25}};
                   m.config["rope_theta"] = 1e4;
                   m.config["partial_rotary_factor"] = 0.5;
               },
               0},
        Layout{"OneTensorPerExpert", [](CheckpointMaker& m) { m.splitExperts(); }, 0},
        Layout{"SomeLayersPerExpert",
               [](CheckpointMaker& m) {
                   for (const std::int64_t layer : {1, 2, 5, 7}) m.splitExperts(layer);
               },
               2},
        Layout{"Towers", addTowers, 0},
        Layout{"RightTapsOfRankThree",
               [](CheckpointMaker& m) {
                   for (TensorData& tensor : m.tensors)
                       if (tensor.name.ends_with("conv_right_weight")) tensor.shape = {tensor.shape[0], 1, tensor.shape[1]};
               },
               0},
        Layout{"KeysMissing",
               [](CheckpointMaker& m) {
                   for (const char* key : {"linear_conv_kernel_dim", "full_attention_interval", "layer_types",
                                           "partial_rotary_factor", "rope_theta", "rms_norm_eps", "max_position_embeddings",
                                           "tie_word_embeddings", "block_size", "model_type"})
                       m.config.erase(key);
               },
               0},
        Layout{"AllAtOnce",
               [](CheckpointMaker& m) {
                   m.splitExperts(0);
                   m.splitExperts(3);
                   m.renamePrefix("model.", "model.language_model.");
                   addTowers(m);
                   nestConfig(m);
               },
               4}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Layouts, Float32EqualsTheBFloat16ItWasMadeFrom) {
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    convertAll(maker, "F32");
    maker.writeSingle(folder.path());
    const Seen wide = seen(folder.path());
    const Seen plain = seen(kTiny);
    EXPECT_LE(relativeError(wide.causal, plain.causal), 1e-5);
    EXPECT_LE(relativeError(wide.noisy, plain.noisy), 1e-5);
    EXPECT_EQ(wide.response, plain.response);
}

TEST(Layouts, Float16EqualsTheFloat32OfTheSameValues) {
    const ScratchFolder half;
    const ScratchFolder wide;
    CheckpointMaker maker(kTiny);
    convertAll(maker, "F16");
    maker.writeSingle(half.path());
    widenHalves(maker);
    maker.writeSingle(wide.path());
    const Seen a = seen(half.path());
    const Seen b = seen(wide.path());
    EXPECT_LE(relativeError(a.causal, b.causal), 1e-5);
    EXPECT_LE(relativeError(a.noisy, b.noisy), 1e-5);
    EXPECT_EQ(a.response, b.response);
    // The weights fit into F16 well, so that the model is the same one.
    EXPECT_LE(relativeError(a.causal, seen(kTiny).causal), 1e-2);
}

TEST(Layouts, TiedEmbeddingsEqualAHeadThatHoldsThem) {
    const ScratchFolder tied;
    const ScratchFolder copied;
    CheckpointMaker maker(kTiny);
    maker.tensor("lm_head.weight").bytes = maker.tensor("model.embed_tokens.weight").bytes;
    maker.writeSingle(copied.path());
    maker.remove("lm_head.weight");
    maker.config["tie_word_embeddings"] = true;
    maker.writeSingle(tied.path());
    expectSame(seen(tied.path()), seen(copied.path()));
}

TEST(Layouts, AMissingMaskIsLookedUpInTheTokenizer) {
    const ScratchFolder folder;
    CheckpointMaker maker(kDemo);
    maker.config.erase("mask_token_id");
    maker.writeSingle(folder.path());
    Engine engine;
    const auto loaded = load(engine, folder.path());
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(loaded->config.maskTokenId, 4);
    expectSame(run(engine), seen(kDemo));
    fs::remove(folder / "tokenizer.model");
    const auto refused = load(engine, folder.path());
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().text().find("no mask_token_id and the tokenizer has no <|mask|>"), std::string::npos);
    ASSERT_NE(engine.model(), nullptr) << "the model before stays";
    EXPECT_EQ(engine.model()->summary.folder, folder.path().string());
    EXPECT_FALSE(run(engine).response.empty());
}

TEST(Layouts, WhatIsIgnoredAndAssumedIsNoted) {
    const ScratchFolder folder;
    CheckpointMaker maker(kDemo);
    addTowers(maker);
    maker.config.erase("block_size");
    maker.writeSingle(folder.path());
    const Seen s = seen(folder.path());
    expectSame(s, seen(kDemo));
    EXPECT_TRUE(hasNote(s, "3 tensors are not needed and ignored: mtp."));
    EXPECT_TRUE(hasNote(s, "block_size is not given: 32 is assumed"));
}

}  // namespace
}  // namespace trefoil
