// The server over a backend that the test steers: order, the queue's bound, clients that go or read slowly, access, the protocol.
#include "tests/serve/serve_support.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>

#include <numeric>
#include <thread>

namespace trefoil::serve {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using test::chatPost;
using test::eventually;
using test::question;
using test::RawClient;
using test::ScriptedBackend;
using test::statusOf;

constexpr const char* kChat = "/v1/chat/completions";

/// A server on a free port, and one client of it.
struct Served {
    explicit Served(ServeOptions options = {}) {
        options.port = 0;
        server = std::make_unique<ApiServer>(backend, std::move(options));
        const Status started = server->start();
        EXPECT_TRUE(started.ok()) << (started.ok() ? "" : started.error().text());
        client = std::make_unique<httplib::Client>("127.0.0.1", server->port());
        client->set_read_timeout(60);
    }
    [[nodiscard]] int port() const { return server->port(); }
    [[nodiscard]] httplib::Result post(const std::string& body, const char* type = "application/json") const {
        return client->Post(kChat, body, type);
    }
    [[nodiscard]] std::int64_t results(ServeResult result) const {
        return server->status().results[static_cast<std::size_t>(result)];
    }

    ScriptedBackend backend;
    std::unique_ptr<ApiServer> server;
    std::unique_ptr<httplib::Client> client;
};

/// The data of each event.
std::vector<std::string> events(const std::string& stream) {
    std::vector<std::string> out;
    for (std::size_t at = 0; (at = stream.find("data: ", at)) != std::string::npos;) {
        const std::size_t end = stream.find("\n\n", at);
        out.push_back(stream.substr(at + 6, end - at - 6));
        at = end;
    }
    return out;
}

std::string contents(const std::vector<std::string>& stream, const char* field) {
    std::string out;
    for (const std::string& event : stream) {
        if (event == "[DONE]") continue;
        const Json json = Json::parse(event);
        for (const Json& choice : json.value("choices", Json::array())) out += choice["delta"].value(field, std::string());
    }
    return out;
}

TEST(Server, AnswersWholeAndAsAStream) {
    Served served;
    served.backend.thinking = {"Let", " me"};
    const auto whole = served.post(question("Hi"));
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->status, 200);
    const Json json = Json::parse(whole->body);
    EXPECT_EQ(json["choices"][0]["message"]["content"], "Hello world");
    EXPECT_EQ(json["choices"][0]["message"]["reasoning_content"], "Let me");
    EXPECT_EQ(json["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(json["usage"]["completion_tokens"], 4);
    EXPECT_EQ(json["usage"]["completion_tokens_details"]["reasoning_tokens"], 2);
    EXPECT_FALSE(json.contains("trefoil_passes"));

    const auto stream = served.post(question("Hi", R"(,"stream":true,"stream_options":{"include_usage":true})"));
    ASSERT_TRUE(stream);
    EXPECT_EQ(stream->get_header_value("Content-Type"), "text/event-stream");
    const auto list = events(stream->body);
    ASSERT_EQ(list.size(), 8U);
    EXPECT_EQ(Json::parse(list[0])["choices"][0]["delta"]["role"], "assistant");
    EXPECT_EQ(contents(list, "reasoning_content"), "Let me");
    EXPECT_EQ(contents(list, "content"), "Hello world");
    EXPECT_EQ(Json::parse(list[5])["choices"][0]["finish_reason"], "stop");
    EXPECT_TRUE(Json::parse(list[6])["choices"].empty());
    EXPECT_EQ(Json::parse(list[6])["usage"]["total_tokens"], 6);
    EXPECT_EQ(list[7], "[DONE]");
    EXPECT_EQ(served.results(ServeResult::Completed), 2);
}

TEST(Server, PassesCome) {
    Served served;
    const auto stream = served.post(question("Hi", R"(,"stream":true,"trefoil_passes":true)"));
    ASSERT_TRUE(stream);
    const auto list = events(stream->body);
    EXPECT_EQ(Json::parse(list.at(0))["trefoil_trace"]["mask_id"], 4);
    int passes = 0;
    std::vector<int> tokens;
    for (const std::string& event : list) {
        if (event == "[DONE]") continue;
        const Json json = Json::parse(event);
        if (json.contains("trefoil_pass")) {
            ++passes;
            EXPECT_TRUE(json["choices"].empty());
            EXPECT_EQ(json["trefoil_pass"]["forced"], Json::array({0}));
        }
        for (const Json& id : json.value("trefoil_tokens", Json::array())) tokens.push_back(id);
    }
    EXPECT_EQ(passes, 2);
    EXPECT_EQ(tokens, (std::vector<int>{10, 11}));
    EXPECT_EQ(Json::parse(list.at(list.size() - 2))["trefoil_stats"]["passes"], 2);

    const auto whole = served.post(question("Hi", R"(,"trefoil_passes":true)"));
    ASSERT_TRUE(whole);
    EXPECT_EQ(Json::parse(whole->body)["trefoil_passes"].size(), 2U);
    EXPECT_EQ(Json::parse(whole->body)["trefoil_tokens"], Json::array({10, 11}));
}

TEST(Server, StopStringsEndTheGeneration) {
    Served served;
    served.backend.pieces = {"one t", "wo", " three", " four"};
    const auto whole = served.post(question("Hi", R"(,"stop":["two","zzz"])"));
    ASSERT_TRUE(whole);
    const Json json = Json::parse(whole->body);
    EXPECT_EQ(json["choices"][0]["message"]["content"], "one ");
    EXPECT_EQ(json["choices"][0]["finish_reason"], "stop");
    EXPECT_EQ(served.backend.cancelled, 1) << "what follows is not written";
    EXPECT_EQ(served.results(ServeResult::Completed), 1);
}

TEST(Server, ErrorsSayWhatIsWrong) {
    Served served;
    EXPECT_EQ(served.post("{")->status, 400);
    EXPECT_EQ(served.post(question("Hi", "", "other"))->status, 404);
    const auto longer = served.post(question("too long"));
    EXPECT_EQ(longer->status, 400);
    EXPECT_EQ(Json::parse(longer->body)["error"]["code"], "context_length_exceeded");
    EXPECT_NE(longer->body.find("4096"), std::string::npos);
    EXPECT_EQ(served.post(question("Hi", R"(,"n":2)"))->status, 400);
    EXPECT_EQ(served.post(question("Hi"), "text/plain")->status, 415);
    EXPECT_EQ(served.post(question("Hi"), "application/json; charset=utf-8")->status, 200);
    EXPECT_EQ(served.client->Get("/nothing")->status, 404);
    EXPECT_EQ(served.client->Get(kChat)->status, 405);
    EXPECT_EQ(served.client->Post("/v1/models", "{}", "application/json")->status, 405);
    EXPECT_EQ(served.results(ServeResult::Refused), 6);
    EXPECT_EQ(served.backend.begun, 1);

    served.backend.error = makeError(ErrorKind::DeviceLost, "the GPU is gone");
    const auto failed = served.post(question("Hi"));
    EXPECT_EQ(failed->status, 503);
    const auto list = events(served.post(question("Hi", R"(,"stream":true)"))->body);
    EXPECT_EQ(Json::parse(list.at(list.size() - 2))["error"]["code"], "device_lost");
    EXPECT_EQ(list.back(), "[DONE]");
    EXPECT_EQ(served.results(ServeResult::Failed), 2);
    served.backend.loaded = false;
    EXPECT_EQ(served.post(question("Hi"))->status, 503);
    EXPECT_EQ(served.client->Get("/health")->status, 503);
}

TEST(Server, ModelsHealthAndMetrics) {
    Served served;
    const Json models = Json::parse(served.client->Get("/v1/models")->body);
    EXPECT_EQ(models["data"][0]["id"], "scripted");
    EXPECT_EQ(Json::parse(served.client->Get("/v1/models/scripted")->body)["max_model_len"], 4096);
    EXPECT_EQ(served.client->Get("/v1/models/other")->status, 404);
    EXPECT_EQ(served.client->Get("/health")->status, 200);
    EXPECT_EQ(served.client->Head("/health")->status, 200);
    (void)served.post(question("Hi"));
    const auto metrics = served.client->Get("/metrics");
    EXPECT_EQ(metrics->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    for (const char* line :
         {"\ntrefoil_requests_total{outcome=\"completed\"} 1\n", "\ntrefoil_completion_tokens_total 2\n",
          "\ntrefoil_passes_total 2\n", "\ntrefoil_queue_length 0\n", "# TYPE trefoil_waiting_seconds_total counter\n"})
        EXPECT_NE(metrics->body.find(line), std::string::npos) << line << metrics->body;
}

TEST(Server, RequestsRunInTheOrderOfTheirComing) {
    Served served;
    served.backend.held = true;
    std::vector<std::unique_ptr<RawClient>> clients;
    for (int i = 0; i < 5; ++i) {
        clients.push_back(std::make_unique<RawClient>(served.port()));
        clients.back()->send(chatPost(question(std::string("q").append(std::to_string(i))), "Connection: close\r\n"));
        ASSERT_TRUE(eventually([&] {
            const ServeStatus s = served.server->status();
            return s.waiting + (s.running ? 1U : 0U) == static_cast<std::size_t>(i) + 1;
        }));
    }
    served.backend.held = false;
    for (const auto& client : clients) EXPECT_EQ(statusOf(client->read()), 200);
    EXPECT_EQ(served.backend.questions, (std::vector<std::string>{"q0", "q1", "q2", "q3", "q4"}));
}

TEST(Server, AFullQueueSays429AndAClientThatGoesFreesItsPlace) {
    ServeOptions options;
    options.queue = 2;
    Served served(options);
    served.backend.held = true;
    std::vector<std::unique_ptr<RawClient>> clients;
    const auto join = [&](bool stream) {
        clients.push_back(std::make_unique<RawClient>(served.port()));
        clients.back()->send(chatPost(question("Hi", stream ? R"(,"stream":true)" : ""), "Connection: close\r\n"));
    };
    join(true);
    ASSERT_TRUE(eventually([&] { return served.backend.begun == 1; }));
    join(true);
    join(false);
    ASSERT_TRUE(eventually([&] { return served.server->status().waiting == 2; }));
    const auto full = served.post(question("Hi"));
    ASSERT_TRUE(full);
    EXPECT_EQ(full->status, 429);
    EXPECT_GE(std::stoi(full->get_header_value("Retry-After")), 1);
    EXPECT_EQ(Json::parse(full->body)["error"]["type"], "rate_limit_error");

    clients[1]->close();  // while it waits, as a stream …
    clients[2]->close();  // … and as a whole answer
    ASSERT_TRUE(eventually([&] { return served.server->status().waiting == 0; }));
    clients[0]->close();  // while it runs
    ASSERT_TRUE(eventually([&] { return served.backend.cancelled == 1 && !served.server->status().running; }));
    EXPECT_EQ(served.backend.begun, 1) << "those that left were never begun";
    EXPECT_TRUE(eventually([&] { return served.results(ServeResult::ClientGone) == 3; }));
    served.backend.held = false;
    EXPECT_EQ(served.post(question("Hi"))->status, 200);
}

TEST(Server, FiftyClientsAtOnce) {
    ServeOptions options;
    options.queue = 64;
    Served served(options);
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    threads.reserve(50);
    for (int i = 0; i < 50; ++i)
        threads.emplace_back([&, i] {
            httplib::Client client("127.0.0.1", served.port());
            client.set_read_timeout(60);
            const auto result = client.Post(kChat, question("Hi", i % 2 == 0 ? R"(,"stream":true)" : ""), "application/json");
            if (result && result->status == 200 && result->body.find("world") != std::string::npos) ++good;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(good, 50);
    EXPECT_EQ(served.results(ServeResult::Completed), 50);
}

TEST(Server, ASlowReaderHoldsNobodyElse) {
    Served served;
    served.backend.pieces.assign(12, std::string(500000, 'x'));  // more than any socket takes in
    RawClient slow(served.port(), 4096);
    slow.send(chatPost(question("Hi", R"(,"stream":true)")));
    ASSERT_TRUE(eventually([&] { return served.backend.begun == 1 && !served.server->status().running; }))
        << "its answer is written although it does not read";
    served.backend.pieces = {"quick"};
    const auto other = served.post(question("Hi"));
    ASSERT_TRUE(other);
    EXPECT_EQ(other->status, 200);
    EXPECT_NE(slow.read("[DONE]").find("[DONE]"), std::string::npos) << "and it gets all of it when it does";
}

TEST(Server, AReaderThatNeverReadsIsLeft) {
    ServeOptions options;
    options.writeTime = 200ms;
    Served served(options);
    served.backend.pieces.assign(40, std::string(500000, 'x'));
    const RawClient slow(served.port(), 4096);
    slow.send(chatPost(question("Hi", R"(,"stream":true)")));
    EXPECT_TRUE(eventually([&] { return served.results(ServeResult::ClientGone) == 1; }));
}

TEST(Server, HostAndOriginAreChecked) {
    Served served;
    const auto get = [&](const std::string& headers) {
        const RawClient client(served.port());
        client.send("GET /v1/models HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n");
        return statusOf(client.read());
    };
    EXPECT_EQ(get("Host: localhost:1\r\n"), 200);
    EXPECT_EQ(get("Host: [::1]\r\n"), 200);
    EXPECT_EQ(get("Host: rebound.example\r\n"), 403);
    EXPECT_EQ(get(""), 403);
    EXPECT_EQ(get("Host: localhost\r\nHost: localhost\r\n"), 403);
    EXPECT_EQ(get("Host: localhost\r\nOrigin: http://localhost:3000\r\n"), 200);
    EXPECT_EQ(get("Host: localhost\r\nOrigin: https://evil.example\r\n"), 403);
    EXPECT_EQ(get("Host: localhost\r\nOrigin: null\r\n"), 403);

    const RawClient page(served.port());
    page.send(
        "OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost:3000\r\nConnection: close\r\n\r\n");
    const std::string preflight = page.read();
    EXPECT_EQ(statusOf(preflight), 204);
    EXPECT_NE(preflight.find("Access-Control-Allow-Origin: http://localhost:3000\r\n"), std::string::npos);
}

TEST(Server, TheKeyIsAskedFor) {
    ServeOptions options;
    options.key = "right";
    Served served(options);
    EXPECT_EQ(served.post(question("Hi"))->status, 401);
    EXPECT_EQ(served.client->Get("/v1/models")->status, 401);
    EXPECT_EQ(served.client->Get("/metrics")->status, 401);
    EXPECT_EQ(served.client->Get("/health")->status, 200);
    served.client->set_bearer_token_auth("wrong");
    const auto wrong = served.post(question("Hi"));
    EXPECT_EQ(wrong->status, 401);
    EXPECT_EQ(wrong->get_header_value("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(wrong->body.find("right"), std::string::npos);
    served.client->set_bearer_token_auth("right");
    EXPECT_EQ(served.post(question("Hi"))->status, 200);
    EXPECT_EQ(served.results(ServeResult::Unauthorized), 2);
}

TEST(Server, SizesAreLimited) {
    ServeOptions options;
    options.bodyBytes = 4096;
    Served served(options);
    const auto sent = [&](const std::string& bytes) {
        const RawClient client(served.port());
        client.send(bytes);
        return statusOf(client.read());
    };
    EXPECT_EQ(sent(chatPost(question(std::string(5000, 'x')))), 413);
    EXPECT_EQ(sent("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                   "99999999999999999999\r\n\r\n"),
              413);
    EXPECT_EQ(sent("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
                   "-1\r\n\r\n"),
              413);
    EXPECT_EQ(sent("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n"), 411);
    // A chunked body says its size only as it comes.
    EXPECT_EQ(
        sent("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: "
             "chunked\r\n\r\n1388\r\n" +
             std::string(5000, 'x') + "\r\n0\r\n\r\n"),
        413);
    EXPECT_EQ(sent("GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(9000, 'x') + "\r\n\r\n"), 400);
    std::string many = "GET /health HTTP/1.1\r\nHost: localhost\r\n";
    for (int i = 0; i < 20000; ++i) many.append("X-").append(std::to_string(i)).append(": y\r\n");
    EXPECT_EQ(sent(many + "\r\n"), 400) << "a head without end";
    EXPECT_EQ(sent("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nHost: localhost\r\n\r\n"), 414);
    EXPECT_EQ(served.client->Get("/health")->status, 200);
}

TEST(Server, AHalfRequestIsNotWaitedForForever) {
    ServeOptions options;
    options.requestTime = 200ms;
    options.idleTime = 200ms;
    Served served(options);
    const RawClient half(served.port());
    half.send("POST /v1/chat/completions HTTP/1.1\r\nHost: loc");
    const RawClient silent(served.port());
    EXPECT_EQ(half.read(), "");
    EXPECT_EQ(silent.read(), "");
}

TEST(Server, TooManyConnectionsHearSo) {
    ServeOptions options;
    options.connections = 2;
    Served served(options);
    const RawClient first(served.port());
    const RawClient second(served.port());
    ASSERT_TRUE(eventually([&] { return served.server->status().clients.size() == 2; }));
    const RawClient third(served.port());
    EXPECT_EQ(statusOf(third.read()), 503);
}

TEST(Server, AnHttp10ClientGetsAStreamWithoutChunks) {
    Served served;
    const RawClient client(served.port());
    const std::string body = question("Hi", R"(,"stream":true)");
    client.send("POST /v1/chat/completions HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(body.size()) + "\r\n\r\n" + body);
    const std::string all = client.read();
    EXPECT_EQ(all.find("chunked"), std::string::npos);
    EXPECT_EQ(contents(events(all), "content"), "Hello world");
}

TEST(Server, StoppingTellsTheRunningAnswer) {
    Served served;
    served.backend.held = true;
    const RawClient running(served.port());
    running.send(chatPost(question("Hi", R"(,"stream":true)")));
    ASSERT_TRUE(eventually([&] { return served.backend.begun == 1; }));
    const RawClient waiting(served.port());
    waiting.send(chatPost(question("Hi")));
    ASSERT_TRUE(eventually([&] { return served.server->status().waiting == 1; }));
    served.server->stop();
    const std::string told = running.read();
    EXPECT_NE(told.find("\"code\":\"stopped\""), std::string::npos) << told;
    EXPECT_NE(told.find("[DONE]"), std::string::npos);
    EXPECT_EQ(statusOf(waiting.read()), 503);
    EXPECT_EQ(statusOf(RawClient(served.port()).read()), 0) << "nobody listens";
    EXPECT_EQ(served.backend.begun, 1);
}

TEST(Server, APortInUseIsAnError) {
    Served first;
    ScriptedBackend backend;
    ServeOptions options;
    options.port = first.port();
    ApiServer second(backend, options);
    const Status started = second.start();
    ASSERT_FALSE(started.ok());
    EXPECT_NE(started.error().text().find(std::to_string(first.port())), std::string::npos);
}

/// A stream of broken requests, the same in every run.
class BrokenRequests {
public:
    explicit BrokenRequests(std::uint32_t seed) : m_state(seed) {}

    [[nodiscard]] std::size_t random(std::size_t below) {
        m_state = m_state * 1664525U + 1013904223U;
        return static_cast<std::size_t>(m_state >> 8U) % below;
    }
    [[nodiscard]] std::string next() {
        static const std::string kHead = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: ";
        static const std::vector<std::string> kSeeds{
            chatPost(question("Hi")),
            chatPost(question("Hi", R"(,"stream":true,"stop":["a"],"temperature":0.5,"trefoil_passes":true)"),
                     "Authorization: Bearer x\r\n"),
            "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nRange: bytes=0-5\r\nOrigin: http://localhost\r\n\r\n",
            kHead +
                "application/json\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\nContent-Encoding: "
                "gzip\r\n\r\n5\r\n{\"mod\r\n0\r\n\r\n",
            kHead + "multipart/form-data; boundary=x\r\nContent-Length: 5\r\n\r\n--x--"};
        static const std::vector<std::string> kPieces{"\r\n",
                                                      "\r\n\r\n",
                                                      "\n",
                                                      ":",
                                                      " ",
                                                      "%00",
                                                      "%",
                                                      "?",
                                                      "#",
                                                      "\xff",
                                                      std::string(1, '\0'),
                                                      "HTTP/1.1",
                                                      "{",
                                                      "\"",
                                                      "[",
                                                      "-1",
                                                      "99999999999",
                                                      "chunked",
                                                      "Host: x\r\n",
                                                      "Content-Length: 1\r\n"};
        std::string bytes = kSeeds[random(kSeeds.size())];
        const std::size_t changes = 1 + random(4);
        for (std::size_t c = 0; c < changes && !bytes.empty(); ++c) {
            const std::size_t at = random(bytes.size());
            switch (random(5)) {
                case 0:
                    bytes[at] = static_cast<char>(random(256));
                    break;
                case 1:
                    bytes.erase(at, 1 + random(20));
                    break;
                case 2:
                    bytes.insert(at, kPieces[random(kPieces.size())]);
                    break;
                case 3:
                    bytes.insert(at, bytes.substr(random(bytes.size()), random(40)));
                    break;
                default:
                    bytes.resize(at);
            }
        }
        return bytes;
    }

private:
    std::uint32_t m_state;
};

/// Each is answered or cut off, and the server goes on.
TEST(Server, MalformedRequestsByTheThousand) {
    ServeOptions options;
    options.requestTime = 20ms;
    options.idleTime = 20ms;
    Served served(options);
    served.backend.pieces = {"x"};
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    threads.reserve(8);
    for (std::uint32_t t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            BrokenRequests requests(t);
            for (int i = 0; i < 500; ++i) {
                const RawClient client(served.port());
                client.send(requests.next());
                if (requests.random(2) == 0) continue;  // gone at once
                if (statusOf(client.read("\r\n\r\n")) > 0) ++answered;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_GT(answered, 500);
    httplib::Client patient("127.0.0.1", served.port());
    EXPECT_TRUE(eventually([&] {
        const auto result = patient.Post(kChat, question("Hi"), "application/json");
        return result && result->status == 200;
    }));
    EXPECT_TRUE(eventually([&] { return served.server->status().clients.size() <= 1; })) << "no connection is left over";
}

}  // namespace
}  // namespace trefoil::serve
