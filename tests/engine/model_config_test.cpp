// config.json: what is read, what is assumed, what is refused.
#include "engine/checkpoint/model_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace trefoil {
namespace {

using nlohmann::json;

json good() {
    return json::parse(
        R"({"architectures": ["CloverMoeModelLM"], "model_type": "clover_moe", "vocab_size": 320, "hidden_size": 64,
        "num_hidden_layers": 8, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "linear_num_key_heads": 2,
        "linear_num_value_heads": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16, "num_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 32, "shared_expert_intermediate_size": 48, "mask_token_id": 319,
        "eos_token_id": [0, 1, 18], "linear_conv_kernel_dim": 4, "full_attention_interval": 4, "partial_rotary_factor": 0.25,
        "rope_theta": 10000000.0, "rms_norm_eps": 1e-06, "max_position_embeddings": 512, "tie_word_embeddings": false,
        "block_size": 32})");
}

ModelConfig parsed(const json& config) {
    auto result = parseModelConfig(config.dump(), "config.json");
    EXPECT_TRUE(result.ok()) << result.error().text();
    return result.ok() ? *std::move(result) : ModelConfig();
}

bool hasNote(const ModelConfig& config, const std::string& part) {
    return std::any_of(config.notes.begin(), config.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

Error refusal(const json& config) {
    const auto result = parseModelConfig(config.dump(), "config.json");
    EXPECT_FALSE(result.ok()) << "accepted: " << config.dump();
    return result.ok() ? Error() : result.error();
}

TEST(ModelConfig, ReadsAllValues) {
    const ModelConfig c = parsed(good());
    EXPECT_EQ(c.vocabSize, 320);
    EXPECT_EQ(c.hiddenSize, 64);
    EXPECT_EQ(c.numAttentionHeads, 4);
    EXPECT_EQ(c.numKeyValueHeads, 2);
    EXPECT_EQ(c.headDim, 32);
    EXPECT_EQ(c.linearNumKeyHeads, 2);
    EXPECT_EQ(c.linearNumValueHeads, 4);
    EXPECT_EQ(c.linearKeyHeadDim, 16);
    EXPECT_EQ(c.linearValueHeadDim, 16);
    EXPECT_EQ(c.linearConvKernelDim, 4);
    EXPECT_EQ(c.numExperts, 8);
    EXPECT_EQ(c.numExpertsPerTok, 2);
    EXPECT_EQ(c.moeIntermediateSize, 32);
    EXPECT_EQ(c.sharedExpertIntermediateSize, 48);
    EXPECT_EQ(c.maxPositionEmbeddings, 512);
    EXPECT_EQ(c.blockSize, 32);
    EXPECT_DOUBLE_EQ(c.rmsNormEps, 1e-6);
    EXPECT_DOUBLE_EQ(c.ropeTheta, 1e7);
    EXPECT_EQ(c.rotaryDim(), 8);
    EXPECT_EQ(c.maskTokenId, 319);
    EXPECT_EQ(c.eosTokenIds, (std::vector<TokenId>{0, 1, 18}));
    ASSERT_EQ(c.numLayers(), 8);
    for (std::int64_t i = 0; i < 8; ++i)
        EXPECT_EQ(c.layers[static_cast<std::size_t>(i)], i % 4 == 3 ? LayerKind::FullAttention : LayerKind::GatedDeltaNet);
    EXPECT_TRUE(c.notes.empty()) << c.notes.front();
}

TEST(ModelConfig, AssumesTheDocumentedDefaultsAndSaysSo) {
    json config = good();
    for (const char* key : {"linear_conv_kernel_dim", "full_attention_interval", "partial_rotary_factor", "rope_theta",
                            "rms_norm_eps", "max_position_embeddings", "tie_word_embeddings", "block_size"})
        config.erase(key);
    const ModelConfig c = parsed(config);
    EXPECT_EQ(c.linearConvKernelDim, 4);
    EXPECT_EQ(c.layers[3], LayerKind::FullAttention);
    EXPECT_DOUBLE_EQ(c.partialRotaryFactor, 0.25);
    EXPECT_DOUBLE_EQ(c.ropeTheta, 1e7);
    EXPECT_DOUBLE_EQ(c.rmsNormEps, 1e-6);
    EXPECT_EQ(c.maxPositionEmbeddings, 131072);
    EXPECT_FALSE(c.tieWordEmbeddings);
    EXPECT_EQ(c.blockSize, 32);
    EXPECT_EQ(c.notes.size(), 8U);
    EXPECT_TRUE(hasNote(c, "rope_theta is not given: 10000000 is assumed"));
}

TEST(ModelConfig, RequiresSizesCountsAndEndTokens) {
    for (const char* key :
         {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
          "linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim", "num_experts",
          "num_experts_per_tok", "moe_intermediate_size", "shared_expert_intermediate_size", "eos_token_id"}) {
        json config = good();
        config.erase(key);
        EXPECT_EQ(refusal(config).message, std::string("config.json: ") + key + " is missing");
        config[key] = nullptr;
        EXPECT_EQ(refusal(config).message, std::string("config.json: ") + key + " is missing");
    }
}

TEST(ModelConfig, RefusesValuesOutOfRangeNamingTheRange) {
    for (const char* key :
         {"vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
          "linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim",
          "linear_conv_kernel_dim", "num_experts", "num_experts_per_tok", "moe_intermediate_size",
          "shared_expert_intermediate_size", "max_position_embeddings", "block_size", "full_attention_interval"}) {
        for (const json& value : {json(0), json(-1), json(INT64_MIN), json(INT64_MAX), json(UINT64_MAX), json(1.5), json(1e300),
                                  json("8"), json(true), json::array(), json::object()}) {
            json config = good();
            config[key] = value;
            const std::string text = refusal(config).message;
            EXPECT_TRUE(text.starts_with(std::string("config.json: ") + key + " must be a whole number from ")) << text;
        }
    }
    for (const char* key : {"rms_norm_eps", "rope_theta", "partial_rotary_factor"}) {
        for (const json& value : {json(-1), json(1e300), json("1"), json(true)}) {
            json config = good();
            config[key] = value;
            EXPECT_TRUE(refusal(config).message.find(" must be a number from ") != std::string::npos);
        }
    }
    json config = good();
    config["tie_word_embeddings"] = "no";
    EXPECT_NE(refusal(config).message.find("must be true or false"), std::string::npos);
}

TEST(ModelConfig, RefusesSizesThatContradictEachOther) {
    const auto with = [](const char* key, std::int64_t value) {
        json config = good();
        config[key] = value;
        return refusal(config).message;
    };
    EXPECT_NE(with("num_key_value_heads", 3).find("num_attention_heads (4) must be a multiple of num_key_value_heads (3)"),
              std::string::npos);
    EXPECT_NE(with("linear_num_key_heads", 3).find("multiple of linear_num_key_heads"), std::string::npos);
    EXPECT_NE(with("num_experts_per_tok", 9).find("must not exceed num_experts (8)"), std::string::npos);
    EXPECT_NE(with("head_dim", 20).find("an even number is expected"), std::string::npos);
    EXPECT_NE(with("mask_token_id", 320).find("from 0 to 319"), std::string::npos);
    EXPECT_NE(with("mask_token_id", 18).find("both mask_token_id and an eos_token_id"), std::string::npos);
    EXPECT_NE(with("eos_token_id", 320).find("outside the vocabulary of 320"), std::string::npos);
}

TEST(ModelConfig, TheLargestSizesDoNotOverflow) {
    json config = good();
    config.update({{"vocab_size", 1 << 24},
                   {"hidden_size", 1 << 17},
                   {"num_hidden_layers", 1024},
                   {"num_attention_heads", 1024},
                   {"num_key_value_heads", 1024},
                   {"head_dim", 2048},
                   {"linear_num_key_heads", 1024},
                   {"linear_num_value_heads", 1024},
                   {"linear_key_head_dim", 2048},
                   {"linear_value_head_dim", 2048},
                   {"num_experts", 4096},
                   {"moe_intermediate_size", 1 << 17},
                   {"shared_expert_intermediate_size", 1 << 17}});
    const ModelConfig c = parsed(config);
    EXPECT_EQ(c.convChannels(), 3 * 1024 * 2048);
    std::int64_t experts = 0;
    EXPECT_FALSE(__builtin_mul_overflow(c.numExperts * 2 * c.moeIntermediateSize, c.hiddenSize, &experts));
    EXPECT_FALSE(__builtin_mul_overflow(experts, 4 * c.numLayers(), &experts));
}

TEST(ModelConfig, TextConfigWins) {
    json inner = good();
    inner["hidden_size"] = 128;
    const json outer = {
        {"architectures", {"CloverMoeModelLM"}}, {"hidden_size", 64}, {"tie_word_embeddings", true}, {"text_config", inner}};
    const ModelConfig c = parsed(outer);
    EXPECT_EQ(c.hiddenSize, 128);
    EXPECT_FALSE(c.tieWordEmbeddings);
    json onlyOuter = good();
    onlyOuter["text_config"] = {{"vocab_size", 400}, {"eos_token_id", 399}};
    EXPECT_EQ(parsed(onlyOuter).vocabSize, 400);
    EXPECT_EQ(parsed(onlyOuter).eosTokenIds, std::vector<TokenId>{399});
    onlyOuter["text_config"] = 3;
    EXPECT_NE(refusal(onlyOuter).message.find("text_config must be an object"), std::string::npos);
}

TEST(ModelConfig, RopeParametersWinAndAConflictIsNamed) {
    json config = good();
    config.erase("rope_theta");
    config["rope_parameters"] = {{"rope_theta", 500000.0}, {"rope_type", "default"}};
    EXPECT_DOUBLE_EQ(parsed(config).ropeTheta, 500000.0);
    EXPECT_TRUE(parsed(config).notes.empty());
    config["rope_theta"] = 10000;
    const ModelConfig both = parsed(config);
    EXPECT_DOUBLE_EQ(both.ropeTheta, 500000.0);
    EXPECT_TRUE(hasNote(both, "rope_theta: rope_parameters says 500000.0, elsewhere it is 10000; 500000.0 is used"));
    config["rope_theta"] = 500000;
    EXPECT_TRUE(parsed(config).notes.empty()) << "equal values are no conflict";
    config["rope_parameters"]["partial_rotary_factor"] = 0.5;
    EXPECT_EQ(parsed(config).rotaryDim(), 16);
    config["rope_parameters"] = {{"full_attention", {{"rope_theta", 777.0}, {"rope_type", "default"}}},
                                 {"linear_attention", {{"rope_theta", 1.0}}}};
    const ModelConfig perLayer = parsed(config);
    EXPECT_DOUBLE_EQ(perLayer.ropeTheta, 777.0);
    EXPECT_TRUE(hasNote(perLayer, "per kind of layer"));
}

TEST(ModelConfig, RefusesScaledRotaryPositions) {
    for (const json& rope :
         {json{{"rope_parameters", {{"rope_type", "yarn"}, {"factor", 4.0}, {"rope_theta", 1e7}}}},
          json{{"rope_parameters", {{"type", "linear"}}}}, json{{"rope_parameters", {{"rope_type", 3}}}},
          json{{"rope_parameters", {{"full_attention", {{"rope_type", "yarn"}}}}}}, json{{"rope_parameters", {{"factor", 2.0}}}},
          json{{"rope_scaling", {{"type", "dynamic"}, {"factor", 2.0}}}}}) {
        json config = good();
        config.update(rope);
        const Error error = refusal(config);
        EXPECT_EQ(error.kind, ErrorKind::Unsupported) << error.message;
        EXPECT_NE(error.message.find("not supported"), std::string::npos) << error.message;
    }
    json config = good();
    config["rope_scaling"] = nullptr;
    config["rope_parameters"] = {{"rope_type", "default"}, {"mrope_section", {11, 11, 10}}};
    EXPECT_TRUE(parsed(config).notes.empty());
}

TEST(ModelConfig, LayerTypesWin) {
    json config = good();
    config["layer_types"] = {"full_attention",   "linear_attention", "full_attention",   "full_attention",
                             "linear_attention", "linear_attention", "linear_attention", "linear_attention"};
    const ModelConfig c = parsed(config);
    EXPECT_EQ(c.layers[0], LayerKind::FullAttention);
    EXPECT_EQ(c.layers[7], LayerKind::GatedDeltaNet);
    EXPECT_TRUE(hasNote(c, "contradict each other: layer_types are used"));
    config.erase("full_attention_interval");
    EXPECT_TRUE(parsed(config).notes.empty());
    config["layer_types"][5] = "sliding_attention";
    EXPECT_NE(refusal(config).message.find("layer_types[5] is \"sliding_attention\""), std::string::npos);
    config["layer_types"].erase(5);
    EXPECT_NE(refusal(config).message.find("a list of 8 strings (num_hidden_layers), found 7 entries"), std::string::npos);
}

TEST(ModelConfig, EndTokens) {
    json config = good();
    config["eos_token_id"] = 5;
    EXPECT_EQ(parsed(config).eosTokenIds, std::vector<TokenId>{5});
    config["eos_token_id"] = {5, 6, 5};
    EXPECT_EQ(parsed(config).eosTokenIds, (std::vector<TokenId>{5, 6}));
    for (const json& value : {json(-1), json(1.0), json("5"), json::array(), json::array({1, "2"}), json(4294967297)}) {
        config["eos_token_id"] = value;
        EXPECT_NE(refusal(config).message.find("eos_token_id must be a token id or a list of them"), std::string::npos);
    }
}

TEST(ModelConfig, AMissingMaskTokenIsLeftToTheTokenizer) {
    json config = good();
    config.erase("mask_token_id");
    EXPECT_EQ(parsed(config).maskTokenId, -1);
    EXPECT_TRUE(hasNote(parsed(config), "looked up in the tokenizer"));
}

TEST(ModelConfig, RefusesModelsOfAnotherKind) {
    json config = good();
    config["architectures"] = {"LlamaForCausalLM"};
    config["model_type"] = "llama";
    const Error error = refusal(config);
    EXPECT_EQ(error.kind, ErrorKind::Unsupported);
    EXPECT_NE(error.message.find("LlamaForCausalLM, model_type llama"), std::string::npos) << error.message;
    EXPECT_EQ(refusal({{"architectures", {"LlamaForCausalLM"}}}).kind, ErrorKind::Unsupported) << "said before missing sizes";
    config.erase("architectures");
    config.erase("model_type");
    EXPECT_TRUE(hasNote(parsed(config), "assumed to be CloverMoeModelLM"));
}

TEST(ModelConfig, RefusesBrokenJson) {
    for (const std::string& text : {std::string(), std::string("{"), std::string("[]"), std::string("{\"a\":1,\"a\":2}"),
                                    std::string("\xFF"), std::string(1000000, '['), std::string("{\"vocab_size\": 1e99999}")})
        EXPECT_FALSE(parseModelConfig(text, "config.json").ok());
}

TEST(ModelConfig, UnknownKeysAreIgnored) {
    json config = good();
    config["vision_config"] = {{"depth", 27}};
    config["quantization_config"] = nullptr;
    EXPECT_TRUE(parsed(config).notes.empty());
}

}  // namespace
}  // namespace trefoil
