// The server over the demo model: what a client gets is what the engine writes; TLS; IPv6.
#include "app/serve/api_server.h"
#include "app/serve/engine_backend.h"
#include "engine/session.h"
#include "tests/serve/serve_support.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace trefoil::serve {
namespace {

using Json = nlohmann::json;

constexpr const char* kChat = "/v1/chat/completions";

/// One model for all tests of this program.
Engine& engine() {
    static Engine loaded;
    if (loaded.model() == nullptr) {
        LoadOptions options;
        options.device.device = "cpu";
        const auto model =
            loaded.load(std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model", options, {}, CancelFlag());
        EXPECT_TRUE(model.ok());
    }
    return loaded;
}

struct Served {
    explicit Served(ServeOptions options = {}) : backend(engine(), "demo") {
        options.port = 0;
        server = std::make_unique<ApiServer>(backend, options);
        const Status started = server->start();
        EXPECT_TRUE(started.ok()) << (started.ok() ? "" : started.error().text());
        client = std::make_unique<httplib::Client>(server->url());
        client->set_read_timeout(60);
    }
    [[nodiscard]] Json ask(const Json& body) const {
        const auto result = client->Post(kChat, body.dump(), "application/json");
        EXPECT_TRUE(result);
        if (!result) return {};
        EXPECT_EQ(result->status, 200) << result->body;
        return Json::parse(result->body);
    }
    [[nodiscard]] std::vector<Json> stream(Json body) const {
        body["stream"] = true;
        const auto result = client->Post(kChat, body.dump(), "application/json");
        EXPECT_TRUE(result);
        std::vector<Json> out;
        const std::string text = result ? result->body : std::string();
        for (std::size_t at = 0; (at = text.find("data: {", at)) != std::string::npos;) {
            const std::size_t end = text.find("\n\n", at);
            out.push_back(Json::parse(text.substr(at + 6, end - at - 6)));
            at = end;
        }
        return out;
    }

    EngineBackend backend;
    std::unique_ptr<ApiServer> server;
    std::unique_ptr<httplib::Client> client;
};

Json sum(const std::string& text = "What is 347 + 586?") {
    return {{"model", "demo"}, {"messages", Json::array({{{"role", "user"}, {"content", text}}})}};
}

std::string text(const Json& answer) { return answer["choices"][0]["message"]["content"]; }

std::string joined(const std::vector<Json>& chunks, const char* field) {
    std::string out;
    for (const Json& chunk : chunks)
        for (const Json& choice : chunk["choices"]) out += choice["delta"].value(field, std::string());
    return out;
}

TEST(DemoServer, AnswersTheSumWithAndWithoutThinking) {
    const Served served;
    const Json thought = served.ask(sum());
    EXPECT_NE(text(thought).find("933"), std::string::npos);
    EXPECT_FALSE(thought["choices"][0]["message"]["reasoning_content"].get<std::string>().empty());
    Json quick = sum();
    quick["chat_template_kwargs"] = {{"enable_thinking", false}};
    const Json answer = served.ask(quick);
    EXPECT_NE(text(answer).find("933"), std::string::npos);
    EXPECT_FALSE(answer["choices"][0]["message"].contains("reasoning_content"));
    EXPECT_EQ(answer["usage"]["completion_tokens_details"]["reasoning_tokens"], 0);
    const Json& usage = thought["usage"];
    EXPECT_EQ(usage["total_tokens"].get<int>(), usage["prompt_tokens"].get<int>() + usage["completion_tokens"].get<int>());
}

TEST(DemoServer, TheStreamIsTheSameAnswer) {
    const Served served;
    Json request = sum();
    const Json whole = served.ask(request);
    request["trefoil_passes"] = true;
    const auto chunks = served.stream(request);
    EXPECT_EQ(joined(chunks, "content"), text(whole));
    EXPECT_EQ(joined(chunks, "reasoning_content"), whole["choices"][0]["message"]["reasoning_content"]);

    // The passes give the answer too: the tokens that joined the response are those of the blocks' last passes.
    std::vector<TokenId> tokens;
    std::vector<TokenId> blocks;
    std::vector<TokenId> block;
    std::int64_t passes = 0;
    std::int64_t number = 0;
    for (const Json& chunk : chunks) {
        for (const Json& id : chunk.value("trefoil_tokens", Json::array())) tokens.push_back(id);
        if (!chunk.contains("trefoil_pass")) continue;
        const Json& pass = chunk["trefoil_pass"];
        ++passes;
        EXPECT_EQ(pass["rows"].size(), 32U);
        EXPECT_EQ(pass["texts"].size(), pass["tokens"].size());
        if (pass["block"].get<std::int64_t>() != number) {
            blocks.insert(blocks.end(), block.begin(), block.end());
            number = pass["block"];
        }
        block = pass["tokens"].get<std::vector<TokenId>>();
        const int dropped = pass["dropped_from"];
        if (dropped >= 0) block.resize(static_cast<std::size_t>(dropped));
    }
    blocks.insert(blocks.end(), block.begin(), block.end());
    EXPECT_EQ(tokens, blocks);
    const Json& stats = chunks.back()["trefoil_stats"];
    EXPECT_EQ(stats["passes"], passes);
    EXPECT_EQ(stats["completion_tokens"], tokens.size());
    EXPECT_EQ(stats["completion_tokens"], whole["usage"]["completion_tokens"]);
}

TEST(DemoServer, LengthStopAndSeed) {
    const Served served;
    Json request = sum("Tell me how block diffusion works.");
    request["enable_thinking"] = false;
    const std::string all = text(served.ask(request));
    request["max_tokens"] = 5;
    const Json cut = served.ask(request);
    EXPECT_EQ(cut["choices"][0]["finish_reason"], "length");
    EXPECT_EQ(cut["usage"]["completion_tokens"], 5);
    EXPECT_EQ(all.substr(0, text(cut).size()), text(cut));
    request.erase("max_tokens");
    ASSERT_GT(all.size(), 20U);
    const std::string stop = all.substr(10, 4);
    request["stop"] = stop;
    EXPECT_EQ(text(served.ask(request)), all.substr(0, all.find(stop)));
    EXPECT_EQ(joined(served.stream(request), "content"), all.substr(0, all.find(stop)));
    request.erase("stop");
    request["temperature"] = 1.5;
    request["seed"] = 7;
    const std::string sampled = text(served.ask(request));
    EXPECT_EQ(text(served.ask(request)), sampled) << "one seed, one answer";
    request["do_sample"] = false;
    EXPECT_EQ(text(served.ask(request)), all);
}

TEST(DemoServer, AnAnswerIsContinued) {
    const Served served;
    Json request = sum("Tell me how block diffusion works.");
    request["enable_thinking"] = false;
    const std::string all = text(served.ask(request));
    const std::size_t cut = all.find(' ', all.size() / 2);
    ASSERT_NE(cut, std::string::npos);
    request["messages"].push_back({{"role", "assistant"}, {"content", all.substr(0, cut)}});
    const Json rest = served.ask(request);
    EXPECT_FALSE(text(rest).empty());
    EXPECT_EQ(text(rest).front(), ' ') << "only what follows, with its space";
    EXPECT_FALSE(rest["choices"][0]["message"].contains("reasoning_content"));

    // Cut inside the thinking: the thinking goes on. Cut after it: the thinking is closed. (The demo model, which learned whole
    // blocks, continues a sum that was cut anywhere else badly, so its words prove nothing here.)
    Json thinking = sum();
    const std::string begun = "Add the digits from the right.\n";
    thinking["messages"].push_back({{"role", "assistant"}, {"content", nullptr}, {"reasoning_content", begun}});
    const Json goesOn = served.ask(thinking);
    EXPECT_FALSE(goesOn["choices"][0]["message"]["reasoning_content"].get<std::string>().empty());
    thinking["messages"].back()["content"] = "347 +";
    const Json closed = served.ask(thinking);
    EXPECT_FALSE(text(closed).empty());
    EXPECT_FALSE(closed["choices"][0]["message"].contains("reasoning_content"));
}

TEST(DemoServer, WhatAnAnswerBeginsWithAreResponseTokens) {
    const LoadedModel& model = *engine().model();
    const TokenId thinkEnd = *model.text->format->thinkEndId();
    ServeRequest request;
    request.messages = {{"user", "Hi"}, {"assistant", "Hello"}};
    request.continues = true;
    request.config = model.defaults;
    request.config.maxNewTokens = 10;
    const auto plain = toGenerationRequest(request, *model.text, model.config);
    ASSERT_TRUE(plain.ok());
    EXPECT_FALSE(plain->thinkingOpen) << "an answer that began without thinking goes on without";
    EXPECT_EQ(plain->begun, model.text->tokenizer->encode("Hello"));
    EXPECT_EQ(plain->config.maxNewTokens, 10 + static_cast<std::int64_t>(plain->begun.size())) << "max_tokens counts new tokens";

    request.begunThinking = "A greeting.";
    const auto thought = toGenerationRequest(request, *model.text, model.config);
    ASSERT_TRUE(thought.ok());
    EXPECT_TRUE(thought->thinkingOpen);
    EXPECT_EQ(std::count(thought->begun.begin(), thought->begun.end(), thinkEnd), 1);
    const ResponseParts parts = model.text->format->split(thought->begun, true);
    EXPECT_EQ(parts.thinking, "A greeting.");
    EXPECT_EQ(parts.answer, "Hello");

    request.messages.back().content.clear();
    const auto inside = toGenerationRequest(request, *model.text, model.config);
    ASSERT_TRUE(inside.ok());
    EXPECT_EQ(inside->begun, model.text->tokenizer->encode("A greeting."));
    EXPECT_TRUE(inside->thinkingOpen);
}

TEST(DemoServer, WhatDoesNotFitIsRefusedWithTheNumbers) {
    const Served served;
    Json request = sum();
    request["max_tokens"] = 8192;
    const auto refused = served.client->Post(kChat, request.dump(), "application/json");
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 400);
    EXPECT_NE(refused->body.find("8192"), std::string::npos);
    EXPECT_EQ(Json::parse(refused->body)["error"]["code"], "context_length_exceeded");
    // Nobody asked for the default length: where less room is left, less is written.
    std::string text;
    for (int i = 0; i < 3400; ++i) text += "one two ";
    ServeRequest longRequest;
    longRequest.messages = {{"user", text}};
    longRequest.config = engine().model()->defaults;
    longRequest.lengthIsDefault = true;
    const auto fitted = toGenerationRequest(longRequest, *engine().model()->text, engine().model()->config);
    ASSERT_TRUE(fitted.ok()) << fitted.error().text();
    EXPECT_LT(fitted->config.maxNewTokens, longRequest.config.maxNewTokens);
    const auto prompt = static_cast<std::int64_t>(fitted->promptIds.size());
    EXPECT_LE(positionsNeeded(prompt, fitted->config), 8192);
    EXPECT_GT(positionsNeeded(prompt, fitted->config), 8192 - 32) << "all the room is used";
    longRequest.lengthIsDefault = false;
    EXPECT_FALSE(served.backend.check(longRequest).ok());
}

// ------------------------------------------------------------------------------------------------------------------ TLS

template <auto Free>
struct Freed {
    template <class T>
    void operator()(T* object) const {
        Free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;

/// A certificate for localhost that signs itself, made anew for the test.
class CertificateFiles {
public:
    CertificateFiles() {
        const Key pair(EVP_RSA_gen(2048));
        const Certificate x(X509_new());
        X509_set_version(x.get(), 2);
        ASN1_INTEGER_set(X509_get_serialNumber(x.get()), 1);
        X509_gmtime_adj(X509_getm_notBefore(x.get()), -3600);
        X509_gmtime_adj(X509_getm_notAfter(x.get()), 3600);
        X509_set_pubkey(x.get(), pair.get());
        X509_NAME* name = X509_get_subject_name(x.get());
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
        X509_set_issuer_name(x.get(), name);
        X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
        X509_add_ext(x.get(), names, -1);
        X509_EXTENSION_free(names);
        X509_sign(x.get(), pair.get(), EVP_sha256());
        write(certificate, [&](FILE* f) { PEM_write_X509(f, x.get()); });
        write(key, [&](FILE* f) { PEM_write_PrivateKey(f, pair.get(), nullptr, nullptr, 0, nullptr, nullptr); });
    }
    ~CertificateFiles() {
        std::filesystem::remove(certificate);
        std::filesystem::remove(key);
    }
    CertificateFiles(const CertificateFiles&) = delete;
    CertificateFiles& operator=(const CertificateFiles&) = delete;

    // Of this process alone: tests run side by side.
    const std::string certificate = testing::TempDir() + "trefoil_cert_" + std::to_string(getpid()) + ".pem";
    const std::string key = testing::TempDir() + "trefoil_key_" + std::to_string(getpid()) + ".pem";

private:
    template <class Writer>
    static void write(const std::string& path, const Writer& writer) {
        FILE* file = std::fopen(path.c_str(), "wb");
        ASSERT_NE(file, nullptr);
        writer(file);
        std::fclose(file);
    }
};

TEST(DemoServer, Tls) {
    const CertificateFiles files;
    ServeOptions options;
    options.certificateFile = files.certificate;
    options.keyFile = files.key;
    options.key = "k";
    const Served served(options);
    EXPECT_EQ(served.server->url().substr(0, 8), "https://");
    httplib::SSLClient client("localhost", served.server->port());
    client.set_ca_cert_path(files.certificate);
    client.enable_server_certificate_verification(true);
    client.set_bearer_token_auth("k");
    client.set_read_timeout(60);
    Json request = sum();
    request["stream"] = true;
    const auto result = client.Post(kChat, request.dump(), "application/json");
    ASSERT_TRUE(result) << httplib::to_string(result.error());
    EXPECT_EQ(result->status, 200);
    EXPECT_NE(result->body.find("[DONE]"), std::string::npos);

    // A client that does not know the certificate refuses, and one without TLS gets nothing; both harm nobody.
    httplib::SSLClient stranger("localhost", served.server->port());
    EXPECT_FALSE(stranger.Get("/health"));
    const test::RawClient plain(served.server->port());
    plain.send("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(test::statusOf(plain.read()), 0);
    EXPECT_TRUE(client.Get("/health"));
}

TEST(DemoServer, BadCertificatesSayWhy) {
    const CertificateFiles files;
    EngineBackend backend(engine(), "demo");
    for (const auto& [certificate, key] : {std::pair(files.certificate, files.certificate),
                                           std::pair(files.certificate + ".none", files.key), std::pair(files.key, files.key)}) {
        ServeOptions options;
        options.port = 0;
        options.certificateFile = certificate;
        options.keyFile = key;
        ApiServer server(backend, options);
        const Status started = server.start();
        ASSERT_FALSE(started.ok());
        EXPECT_NE(started.error().message.find(testing::TempDir()), std::string::npos) << started.error().text();
    }
}

TEST(DemoServer, Ipv6) {
    ServeOptions options;
    options.listen = "::1";
    EngineBackend backend(engine(), "demo");
    options.port = 0;
    ApiServer server(backend, options);
    if (const Status started = server.start(); !started.ok())
        GTEST_SKIP() << "this machine has no IPv6: " << started.error().text();
    EXPECT_EQ(server.url().substr(0, 13), "http://[::1]:");
    httplib::Client client("::1", server.port());
    const auto result = client.Get("/v1/models", {{"Host", "[::1]:1"}});
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 200);
}

}  // namespace
}  // namespace trefoil::serve
