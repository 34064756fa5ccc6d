// The body of a chat request: what is taken, what it means, what is refused and why.
#include "app/serve/chat_request.h"

#include <gtest/gtest.h>

namespace trefoil::serve {
namespace {

ServedModel servedModel() {
    ServedModel model;
    model.name = "m";
    model.context = 4096;
    model.defaults.maxNewTokens = 512;
    model.defaults.temperature = 0.7;
    return model;
}

std::string body(const std::string& more, const std::string& messages = R"([{"role":"user","content":"Hi"}])") {
    return R"({"model":"m","messages":)" + messages + (more.empty() ? "" : "," + more) + "}";
}

ChatRequest taken(const std::string& text) {
    auto parsed = parseChatRequest(text, servedModel());
    if (const auto* error = std::get_if<ApiError>(&parsed)) {
        ADD_FAILURE() << text << ": " << error->message;
        return {};
    }
    return std::get<ChatRequest>(std::move(parsed));
}

ApiError refused(const std::string& text) {
    auto parsed = parseChatRequest(text, servedModel());
    if (auto* error = std::get_if<ApiError>(&parsed)) {
        EXPECT_FALSE(error->message.empty());
        EXPECT_EQ(error->message.find('\n'), std::string::npos);
        return *error;
    }
    ADD_FAILURE() << "taken: " << text;
    return {};
}

TEST(ChatRequest, AbsentFieldsTakeTheModelsDefaults) {
    const ChatRequest request = taken(body(""));
    EXPECT_EQ(request.request.config, servedModel().defaults);
    EXPECT_TRUE(request.request.lengthIsDefault);
    EXPECT_FALSE(request.stream || request.passes || request.includeUsage || request.request.continues);
    ASSERT_EQ(request.request.messages.size(), 1U);
    EXPECT_EQ(request.request.messages[0].content, "Hi");
    // Clients write null for "not given".
    EXPECT_EQ(taken(body(R"("temperature":null,"max_tokens":null,"stop":null,"stream":null,"seed":null)")).request.config,
              servedModel().defaults);
}

TEST(ChatRequest, EveryControlByItsOwnName) {
    GenerationConfig wanted = servedModel().defaults;
    std::string fields;
    for (const auto& [name, json, text] : std::initializer_list<std::tuple<const char*, const char*, const char*>>{
             {"max_new_tokens", "64", "64"},
             {"block_size", "16", "16"},
             {"threshold", "0.8", "0.8"},
             {"enable_thinking", "false", "false"},
             {"decoding", "\"self_speculative\"", "self_speculative"},
             {"align_blocks", "true", "true"},
             {"do_sample", "true", "true"},
             {"temperature", "0.5", "0.5"},
             {"top_p", "0.25", "0.25"},
             {"top_k", "7", "7"},
             {"seed", "18446744073709551615", "18446744073709551615"},
             {"repetition_penalty", "1.5", "1.5"},
             {"presence_penalty", "-1", "-1"},
             {"frequency_penalty", "2", "2"},
             {"dllm_length_penalty", "3", "3"},
             {"dllm_length_penalty_start", "4", "4"},
             {"dllm_length_penalty_window", "5", "5"},
             {"dllm_think_end_bias", "6", "6"},
             {"dllm_think_end_start", "7", "7"},
             {"dllm_think_end_window", "8", "8"},
             {"moe_block_coreset_enabled", "false", "false"},
             {"moe_block_coreset_top_p", "0.5", "0.5"}}) {
        ASSERT_TRUE(setControl(wanted, name, text).ok()) << name;
        fields += (fields.empty() ? "\"" : ",\"") + std::string(name) + "\":" + json;
    }
    const ChatRequest request = taken(body(fields));
    EXPECT_EQ(request.request.config, wanted);
    EXPECT_FALSE(request.request.lengthIsDefault);
    for (const ControlSpec& spec : controlSpecs())
        EXPECT_NE(fields.find('"' + std::string(spec.name) + '"'), std::string::npos) << spec.name << " is not tried here";
}

TEST(ChatRequest, ATemperatureAboveZeroSamples) {
    EXPECT_FALSE(taken(body("")).request.config.doSample);
    EXPECT_TRUE(taken(body(R"("temperature":0.7)")).request.config.doSample);
    EXPECT_FALSE(taken(body(R"("temperature":0)")).request.config.doSample);
    EXPECT_FALSE(taken(body(R"("temperature":0.7,"do_sample":false)")).request.config.doSample);
    EXPECT_TRUE(taken(body(R"("do_sample":true)")).request.config.doSample);
}

TEST(ChatRequest, TheNewerNameOfTheLengthWins) {
    EXPECT_EQ(taken(body(R"("max_tokens":5)")).request.config.maxNewTokens, 5);
    EXPECT_EQ(taken(body(R"("max_completion_tokens":6,"max_tokens":5,"max_new_tokens":4)")).request.config.maxNewTokens, 6);
    EXPECT_FALSE(taken(body(R"("max_tokens":5)")).request.lengthIsDefault);
}

TEST(ChatRequest, TextPartsAndRoles) {
    const ChatRequest request =
        taken(body("", R"([{"role":"system","content":"a"},{"role":"developer","content":"b"},)"
                       R"({"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]},)"
                       R"({"role":"assistant","content":"z","reasoning_content":"t"},)"
                       R"({"role":"user","content":"more","name":"Ann"}])"));
    const auto& m = request.request.messages;
    ASSERT_EQ(m.size(), 4U);
    EXPECT_EQ(m[0].role, "system");
    EXPECT_EQ(m[0].content, "a\n\nb");
    EXPECT_EQ(m[1].content, "x\ny");
    EXPECT_EQ(m[2].content, "z");
    EXPECT_TRUE(request.request.begunThinking.empty()) << "thinking of earlier turns is never fed back";
}

TEST(ChatRequest, AnAnswerAtTheEndIsContinued) {
    const std::string both = R"([{"role":"user","content":"q"},{"role":"assistant","content":"be","reasoning_content":"t"}])";
    const ChatRequest request = taken(body("", both));
    EXPECT_TRUE(request.request.continues);
    EXPECT_EQ(request.request.begunThinking, "t");
    EXPECT_EQ(request.request.messages.back().content, "be");
    EXPECT_TRUE(taken(body(R"("continue_final_message":true,"add_generation_prompt":false)", both)).request.continues);
    for (const char* anew : {R"("continue_final_message":false)", R"("add_generation_prompt":true)"}) {
        EXPECT_FALSE(taken(body(anew, both)).request.continues) << anew;
        EXPECT_TRUE(taken(body(anew, both)).request.begunThinking.empty());
    }
    // Cut inside the thinking: there is no content yet.
    EXPECT_TRUE(taken(body("", R"([{"role":"user","content":"q"},{"role":"assistant","content":null,"reasoning":"t"}])"))
                    .request.continues);
    EXPECT_EQ(refused(body(R"("continue_final_message":true)")).param, "continue_final_message");
    EXPECT_EQ(refused(body(R"("continue_final_message":true,"add_generation_prompt":true)", both)).status, 400);
    EXPECT_EQ(refused(body("", R"([{"role":"assistant","content":"x"}])")).param, "messages");
}

TEST(ChatRequest, ThinkingStopAndStream) {
    EXPECT_FALSE(taken(body(R"("chat_template_kwargs":{"enable_thinking":false,"other":1})")).request.config.enableThinking);
    EXPECT_EQ(taken(body(R"("stop":"x")")).stop, std::vector<std::string>{"x"});
    EXPECT_EQ(taken(body(R"("stop":["a","b","c","d"])")).stop.size(), 4U);
    const ChatRequest stream = taken(body(R"("stream":true,"stream_options":{"include_usage":true},"trefoil_passes":true)"));
    EXPECT_TRUE(stream.stream && stream.includeUsage && stream.passes);
    for (const char* bad : {R"("stop":["a","b","c","d","e"])", R"("stop":"")", R"("stop":[1])", R"("stop":{})", R"("stream":1)",
                            R"("stream_options":{"include_usage":true})", R"("chat_template_kwargs":[])",
                            R"("chat_template_kwargs":{"enable_thinking":"yes"})", R"("trefoil_passes":"yes")"})
        EXPECT_EQ(refused(body(bad)).status, 400) << bad;
}

TEST(ChatRequest, WhatCannotBeDoneIsRefusedByName) {
    const std::vector<std::pair<const char*, const char*>> cases{
        {R"("tools":[{"type":"function"}])", "tools"},
        {R"("functions":[{}])", "functions"},
        {R"("tool_choice":"required")", "tool_choice"},
        {R"("n":2)", "n"},
        {R"("logprobs":true)", "logprobs"},
        {R"("top_logprobs":3)", "top_logprobs"},
        {R"("logit_bias":{"5":1})", "logit_bias"},
        {R"("response_format":{"type":"json_object"})", "response_format"},
        {R"("modalities":["audio"])", "modalities"},
        {R"("audio":{})", "audio"}};
    for (const auto& [field, name] : cases) {
        const ApiError error = refused(body(field));
        EXPECT_EQ(error.status, 400) << field;
        EXPECT_EQ(error.param, name);
        EXPECT_EQ(error.code, "unsupported_parameter");
    }
    // As clients send them without meaning anything by it.
    (void)taken(
        body(R"("tools":[],"tool_choice":"none","n":1,"logprobs":false,"logit_bias":{},"response_format":{"type":"text"})"));
    (void)taken(body(R"("user":"me","metadata":{"a":1},"store":false,"parallel_tool_calls":true,"unheard_of":[1])"));
    EXPECT_EQ(refused(body("", R"([{"role":"user","content":[{"type":"image_url","image_url":{"url":"x"}}]}])")).code,
              "unsupported_content");
}

TEST(ChatRequest, ValuesOutOfRangeOrMistyped) {
    for (const char* bad :
         {R"("temperature":101)", R"("temperature":"hot")", R"("top_p":-0.1)", R"("top_p":1.5)", R"("seed":-1)", R"("seed":1.5)",
          R"("max_tokens":0)", R"("max_tokens":1e300)", R"("presence_penalty":11)", R"("block_size":129)", R"("decoding":"fast")",
          R"("decoding":1)", R"("enable_thinking":"true")", R"("threshold":[0.5])", R"("top_k":18446744073709551616)"})
        EXPECT_EQ(refused(body(bad)).status, 400) << bad;
    EXPECT_NE(refused(body(R"("presence_penalty":11)")).message.find("10"), std::string::npos) << "the range is named";
}

TEST(ChatRequest, MessagesThatAreNone) {
    for (const char* bad : {"[]", "{}", "\"x\"", "[1]", "[{}]", R"([{"role":"user"}])", R"([{"role":"user","content":null}])",
                            R"([{"role":"user","content":7}])", R"([{"role":"user","content":[{"type":"text"}]}])",
                            R"([{"role":"tool","content":"x"}])", R"([{"role":7,"content":"x"}])",
                            R"([{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{}]}])"})
        EXPECT_EQ(refused(body("", bad)).status, 400) << bad;
}

TEST(ChatRequest, BodiesThatAreNone) {
    for (const char* bad :
         {"", "{", "[]", "nothing", "\"x\"", "{}", R"({"model":"m"})", R"({"messages":[]})", "{\"model\":\"m\xff\"}"})
        EXPECT_EQ(refused(bad).status, 400) << bad;
    const ApiError other = refused(R"({"model":"gpt-4","messages":[{"role":"user","content":"x"}]})");
    EXPECT_EQ(other.status, 404);
    EXPECT_EQ(other.code, "model_not_found");
    EXPECT_EQ(refused(std::string(200000, '[')).status, 400);
}

}  // namespace
}  // namespace trefoil::serve
