// Every control by its contract name: ranges, text, JSON.
#include "engine/decode/generation_config.h"

#include <gtest/gtest.h>

#include <clocale>
#include <string>

namespace trefoil {
namespace {

TEST(Controls, TakeTheirRangesEndsAndNothingBeyond) {
    GenerationConfig config;
    const auto accepts = [&](const char* name, const char* text) { return setControl(config, name, text).ok(); };
    EXPECT_TRUE(accepts("block_size", "1"));
    EXPECT_TRUE(accepts("block_size", "128"));
    EXPECT_FALSE(accepts("block_size", "0"));
    EXPECT_FALSE(accepts("block_size", "129"));
    EXPECT_FALSE(accepts("block_size", "32.5"));
    EXPECT_TRUE(accepts("threshold", "0"));
    EXPECT_TRUE(accepts("threshold", "1"));
    for (const char* bad : {"1.0000001", "-0.1", "nan", "inf", "-inf", "0,95", "0.95x", "", " 0.5", "1e999", "0x1p-1"})
        EXPECT_FALSE(accepts("threshold", bad)) << bad;
    EXPECT_TRUE(accepts("seed", "18446744073709551615"));
    EXPECT_FALSE(accepts("seed", "18446744073709551616"));
    EXPECT_FALSE(accepts("seed", "-1"));
    EXPECT_TRUE(accepts("top_k", "2147483647"));
    EXPECT_FALSE(accepts("top_k", "2147483648"));
    EXPECT_TRUE(accepts("presence_penalty", "-2"));
    EXPECT_FALSE(accepts("repetition_penalty", "0"));
    EXPECT_TRUE(accepts("decoding", "self_speculative"));
    EXPECT_FALSE(accepts("decoding", "fast"));
    EXPECT_TRUE(accepts("do_sample", "true"));
    EXPECT_FALSE(accepts("do_sample", "maybe"));
    EXPECT_FALSE(accepts("heat", "1"));
}

TEST(Controls, RefusalsNameTheRange) {
    GenerationConfig config;
    const Status s = setControl(config, "top_p", "1.5");
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().message.find("from 0 to 1"), std::string::npos) << s.error().message;
    EXPECT_EQ(s.error().kind, ErrorKind::InvalidArgument);
    const Status unknown = setControl(config, "heat", "1");
    EXPECT_NE(unknown.error().hint.find("temperature"), std::string::npos);
}

TEST(Controls, TextReadsBackToTheSameValue) {
    GenerationConfig config;
    for (const ControlSpec& spec : controlSpecs()) {
        const auto text = controlText(config, spec.name);
        ASSERT_TRUE(text.ok());
        GenerationConfig other = config;
        ASSERT_TRUE(setControl(other, spec.name, *text).ok()) << spec.name << " " << *text;
        EXPECT_EQ(other, config) << spec.name;
    }
    ASSERT_TRUE(setControl(config, "threshold", "0.1").ok());
    EXPECT_EQ(*controlText(config, "threshold"), "0.1");
}

TEST(Controls, DoNotFollowTheLocale) {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) std::setlocale(LC_ALL, "C.UTF-8");
    GenerationConfig config;
    EXPECT_TRUE(setControl(config, "threshold", "0.25").ok());
    EXPECT_EQ(*controlText(config, "threshold"), "0.25");
    EXPECT_FALSE(setControl(config, "threshold", "0,25").ok());
    std::setlocale(LC_ALL, before.c_str());
}

TEST(GenerationJson, OverridesKnownKeysAndIgnoresOthers) {
    GenerationConfig config;
    ASSERT_TRUE(applyGenerationJson(
                    config, R"({"threshold": 0.5, "top_k": 20.0, "temperature": null, "eos_token_id": [1], "x": {}})", "f")
                    .ok());
    EXPECT_EQ(config.threshold, 0.5);
    EXPECT_EQ(config.topK, 20);
    EXPECT_EQ(config.temperature, 1.0);
}

TEST(GenerationJson, QuotesWholeCharacters) {
    const std::string accents = [] {
        std::string text;
        for (int i = 0; i < 60; ++i) text += "é";
        return text;
    }();
    for (const std::string& before : {std::string(), std::string("a"), std::string("ab")}) {
        GenerationConfig config;
        const Status refused = applyGenerationJson(config, R"({"decoding": [")" + before + accents + R"("]})", "f");
        ASSERT_FALSE(refused.ok());
        const std::string& message = refused.error().message;
        const std::size_t first = message.find("é");
        ASSERT_NE(first, std::string::npos);
        // Two bytes each: an odd number of them would be half a character.
        EXPECT_EQ((message.find_last_of("\xC3\xA9") + 1 - first) % 2, 0U) << message;
    }
}

TEST(GenerationJson, RefusesWholesale) {
    for (const char* bad : {"[]", "{", R"({"threshold": "0.5"})", R"({"threshold": 2})", R"({"do_sample": 1})", R"({"seed": -1})",
                            R"({"block_size": 32.5})", R"({"top_p": 1e400})"}) {
        GenerationConfig config;
        config.threshold = 0.125;
        EXPECT_FALSE(applyGenerationJson(config, bad, "generation_config.json").ok()) << bad;
        EXPECT_EQ(config.threshold, 0.125) << bad;
    }
}

TEST(GenerationJson, RoundTrips) {
    GenerationConfig config;
    config.seed = 18446744073709551615ULL;
    config.threshold = 0.1;
    config.decoding = DecodingMode::Autoregressive;
    config.coresetTopP = 1e-9;
    GenerationConfig read;
    ASSERT_TRUE(applyGenerationJson(read, toJson(config), "json").ok());
    EXPECT_EQ(read, config);
}

}  // namespace
}  // namespace trefoil
