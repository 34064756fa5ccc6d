// The parts of the local API that need neither a socket nor a model's weights: stop strings, access, growing text, passes.
#include "app/serve/access_rules.h"
#include "app/serve/api_error.h"
#include "app/serve/api_server.h"
#include "app/serve/pass_events.h"
#include "app/serve/response_stream.h"
#include "app/serve/stop_filter.h"
#include "engine/tokenizer/chat_format.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace trefoil::serve {
namespace {

/// The text that comes through when it arrives in pieces of `size` bytes, and whether it was stopped.
std::pair<std::string, bool> filtered(const std::string& text, std::size_t size, std::vector<std::string> stops) {
    StopFilter filter(std::move(stops));
    std::string out;
    for (std::size_t at = 0; at < text.size(); at += size) out += filter.push(text.substr(at, size));
    out += filter.finish();
    return {out, filter.stopped()};
}

TEST(StopFilter, CutsBeforeTheFirstHoweverThePiecesAreCut) {
    for (std::size_t size = 1; size < 20; ++size) {
        EXPECT_EQ(filtered("one two three", size, {"two"}), std::make_pair(std::string("one "), true));
        EXPECT_EQ(filtered("one two three", size, {"three", "two"}).first.substr(0, 4), "one ");
        EXPECT_EQ(filtered("ababac", size, {"abac"}), std::make_pair(std::string("ab"), true));
        EXPECT_EQ(filtered("aaab", size, {"aab"}), std::make_pair(std::string("a"), true));
        EXPECT_EQ(filtered("one tw", size, {"two"}), std::make_pair(std::string("one tw"), false));
        EXPECT_EQ(filtered("one two", size, {}), std::make_pair(std::string("one two"), false));
        EXPECT_EQ(filtered("two", size, {"two"}), std::make_pair(std::string(), true));
    }
    StopFilter filter({"\n\n"});
    EXPECT_EQ(filter.push("a\n"), "a") << "the beginning of a stop waits";
    EXPECT_EQ(filter.push("b"), "\nb") << "and comes when it was none";
}

/// The demo model's tokenizer as a ChatFormat.
ChatFormat demoFormat() {
    auto tokenizer = openTokenizer(std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model", 4096);
    EXPECT_TRUE(tokenizer.ok());
    auto format = ChatFormat::create(std::shared_ptr<const Tokenizer>(std::move(*tokenizer)));
    EXPECT_TRUE(format.ok());
    return *format;
}

TEST(ResponseStream, PiecesJoinedAreTheSplitResponse) {
    const ChatFormat format = demoFormat();
    std::vector<TokenId> ids = format.tokenizer().encode("\n Let me think: ½ and 𝄞. \n");
    ids.push_back(*format.thinkEndId());
    const auto answer = format.tokenizer().encode("\n\n  The ½ of 𝄞 \n\n is  here. \n ");
    ids.insert(ids.end(), answer.begin(), answer.end());
    for (const bool open : {true, false})
        for (std::size_t size = 1; size <= ids.size(); ++size) {
            std::string thinking;
            std::string text;
            bool mixed = false;
            ResponseStream stream(
                format, open, [&](std::string_view t) { mixed = mixed || !text.empty(), thinking += t; },
                [&](std::string_view t) {
                    EXPECT_TRUE(isValidUtf8(t));
                    text += t;
                });
            for (std::size_t at = 0; at < ids.size(); at += size)
                stream.push(std::span(ids).subspan(at, std::min(size, ids.size() - at)));
            stream.finish();
            const ResponseParts parts = format.split(ids, open);
            EXPECT_EQ(text, parts.answer);
            EXPECT_EQ(thinking, parts.thinking);
            EXPECT_EQ(stream.thinkingTokens(), parts.thinkingTokens);
            EXPECT_FALSE(mixed) << "thinking comes first";
        }
}

TEST(ResponseStream, WhatWasBegunGivesNoTextAndIsNotTrimmedAfter) {
    const ChatFormat format = demoFormat();
    std::string text;
    ResponseStream stream(format, false, {}, [&](std::string_view t) { text += t; });
    stream.begin(format.tokenizer().encode("The answer"));
    stream.push(format.tokenizer().encode(" is here. "));
    stream.finish();
    EXPECT_EQ(text, " is here.");
}

TEST(AccessRules, NamesOfThisMachine) {
    AccessRules rules{"127.0.0.1", {}, {}};
    for (const char* good :
         {"localhost", "LocalHost:8033", "127.0.0.1", "127.0.0.1:1", "127.8.9.1", "[::1]", "[::1]:8033", "a.localhost"})
        EXPECT_TRUE(rules.hostAllowed(good)) << good;
    for (const char* bad :
         {"", "evil.example", "evil.example:8033", "127.0.0.1.evil.example", "localhost.evil.example", "192.168.1.2", "[::1",
          "[fe80::1]", "localhost:80:80", "localhost:port", "user@localhost", "localhost/", "::1"})
        EXPECT_FALSE(rules.hostAllowed(bad)) << bad;
    rules.listen = "0.0.0.0";
    rules.names = {"Box"};
    for (const char* good : {"192.168.1.2:8033", "[fe80::1]", "box", "BOX:1", "localhost"})
        EXPECT_TRUE(rules.hostAllowed(good)) << good;
    EXPECT_FALSE(rules.hostAllowed("evil.example"));
}

TEST(AccessRules, PagesOfThisMachine) {
    const AccessRules rules{"192.168.1.2", {}, {}};
    for (const char* good : {"", "http://localhost:3000", "https://127.0.0.1", "http://[::1]:5173", "http://192.168.1.2"})
        EXPECT_TRUE(rules.originAllowed(good)) << good;
    for (const char* bad :
         {"null", "https://evil.example", "http://localhost.evil.example", "file://", "localhost", "http://", "ftp://localhost"})
        EXPECT_FALSE(rules.originAllowed(bad)) << bad;
}

TEST(AccessRules, TheKey) {
    const AccessRules rules{"127.0.0.1", {}, "s3cret-key"};
    EXPECT_TRUE(rules.keyAllowed("Bearer s3cret-key"));
    EXPECT_TRUE(rules.keyAllowed("bearer s3cret-key"));
    for (const char* bad : {"", "Bearer", "Bearer ", "Bearer s3cret", "Bearer s3cret-key ", "Bearer s3cret-keyx",
                            "Basic s3cret-key", "s3cret-key", "Bearer S3cret-key"})
        EXPECT_FALSE(rules.keyAllowed(bad)) << bad;
    EXPECT_TRUE((AccessRules{"127.0.0.1", {}, {}}.keyAllowed("")));
}

TEST(AccessRules, KeyFiles) {
    const std::string path = testing::TempDir() + "trefoil_key_" + std::to_string(getpid());
    const auto write = [&](const std::string& text, mode_t mode) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
        chmod(path.c_str(), mode);
    };
    write("abc123\r\nanother line\n", 0600);
    auto key = readKeyFile(path);
    ASSERT_TRUE(key.ok());
    EXPECT_EQ(*key, "abc123");
    write("abc123\n", 0644);
    key = readKeyFile(path);
    ASSERT_FALSE(key.ok()) << "everybody could read it";
    EXPECT_NE(key.error().text().find("chmod 600"), std::string::npos);
    for (const std::string& bad :
         {std::string(), std::string("\n"), std::string("two words\n"), std::string("k\xC3\xA4y\n"), std::string(513, 'k')}) {
        write(bad, 0600);
        EXPECT_FALSE(readKeyFile(path).ok()) << bad;
    }
    EXPECT_FALSE(readKeyFile(path + ".none").ok());
    EXPECT_FALSE(readKeyFile(testing::TempDir()).ok());
    std::filesystem::remove(path);
}

TEST(ServeOptions, BeyondThisMachineOnlyWithAKeyAndTlsOrTheWish) {
    ServeOptions options;
    EXPECT_TRUE(checkServeOptions(options).ok());
    options.listen = "::1";
    EXPECT_TRUE(checkServeOptions(options).ok());
    for (const char* wide : {"0.0.0.0", "::", "192.168.1.2", "myhost"}) {
        ServeOptions o;
        o.listen = wide;
        EXPECT_FALSE(checkServeOptions(o).ok()) << wide;
        o.key = "k";
        EXPECT_FALSE(checkServeOptions(o).ok()) << "plain HTTP";
        o.insecureHttp = true;
        EXPECT_TRUE(checkServeOptions(o).ok());
        o.key.clear();
        EXPECT_FALSE(checkServeOptions(o).ok()) << "no key";
        o = {};
        o.listen = wide;
        o.key = "k";
        o.certificateFile = "c";
        EXPECT_FALSE(checkServeOptions(o).ok()) << "a certificate without its key";
        o.keyFile = "f";
        EXPECT_TRUE(checkServeOptions(o).ok());
    }
}

TEST(PassEvents, HoldWhatADisplayNeeds) {
    ServedPass pass;
    pass.threshold = 0.9;
    pass.record.kind = PassKind::Denoise;
    pass.record.block = 2;
    pass.record.step = 1;
    pass.record.firstPosition = 64;
    pass.record.tokens = {7, 4};
    pass.record.resolved = {0};
    pass.record.stats.layers = {{3, 4, 0.5F, 6, 100}};
    pass.record.choice = ModeChoice{DecodingMode::Autoregressive, ModeReason::Fastest, {1, 2, 3}};
    pass.texts = {"a", ""};
    pass.rows = {{{7, 0.9F, "a"}, {{7, 0.9F, "a"}, {8, 0.1F, "b"}}}, {{9, 0.2F, "c"}, {}}};
    const auto json = passJson(pass);
    EXPECT_EQ(json["kind"], "denoise");
    EXPECT_EQ(json["rows"][0]["top"][1]["text"], "b");
    EXPECT_EQ(json["rows"][1]["id"], 9);
    EXPECT_EQ(json["forced"], nlohmann::ordered_json::array({0})) << "equal to the threshold is not above it";
    EXPECT_EQ(json["layers"][0]["free_experts"], 6);
    EXPECT_EQ(json["choice"]["mode"], "autoregressive");
    EXPECT_EQ(json["choice"]["autoregressive"], 3.0);
    pass.rows[0].candidate.probability = 0.95F;
    EXPECT_TRUE(passJson(pass)["forced"].empty());
}

TEST(ApiErrors, AreOpenAiShapedOnOneLine) {
    const std::string json = toJson({400, "invalid_request_error", "a \"b\"\n\xff", "c", ""});
    EXPECT_EQ(json.find('\n'), std::string::npos);
    const auto error = nlohmann::json::parse(json)["error"];
    EXPECT_EQ(error["code"], "c");
    EXPECT_TRUE(error["param"].is_null());
    EXPECT_EQ(toApiError(makeError(ErrorKind::DoesNotFit, "x")).code, "context_length_exceeded");
    EXPECT_EQ(toApiError(makeError(ErrorKind::DeviceLost, "x")).status, 503);
}

}  // namespace
}  // namespace trefoil::serve
