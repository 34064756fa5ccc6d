#include "app/serve/api_server.h"

#include "app/serve/access_rules.h"
#include "app/serve/api_error.h"
#include "app/serve/chat_request.h"
#include "app/serve/chat_response.h"
#include "app/serve/generation_queue.h"
#include "app/serve/http_listener.h"
#include "app/serve/listen_problem.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <charconv>
#include <thread>
#include <utility>

namespace trefoil::serve {
namespace {

using namespace std::chrono_literals;

constexpr const char* kJson = "application/json";
constexpr const char* kChatPath = "/v1/chat/completions";
/// How soon it is seen that a client has gone.
constexpr auto kGlance = 100ms;
/// A waiting stream says that it lives: proxies end connections that are silent.
constexpr auto kSilence = 10s;
/// How long stop() lets the answers tell their end.
constexpr auto kFarewell = 3s;
/// A request's head, beside its body, and what chunked encoding adds.
constexpr std::size_t kHeadBytes = std::size_t{64} << 10U;

/// How a message of the protocol itself is explained; cpp-httplib gives only the number.
std::string statusText(int status) {
    switch (status) {
        case 400:
            return "the request is not understood: it is no HTTP/1.1 request, or its head or body is broken or too large";
        case 404:
            return "there is nothing here; see /v1/models and /v1/chat/completions";
        case 413:
            return "the request is too large";
        case 414:
            return "the address is too long";
        case 416:
            return "ranges are not served";
        default:
            return "the request failed";
    }
}

void answer(httplib::Response& response, const ApiError& error) {
    response.status = error.status;
    response.set_content(toJson(error), kJson);
}

bool isJson(const std::string& contentType) {
    std::string type = contentType.substr(0, contentType.find(';'));
    while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) type.pop_back();
    return lowered(type) == kJson;
}

ApiError noModel() {
    return {503, "server_error", "no model is loaded, or another one is being loaded just now; try again later", "no_model"};
}

std::string bracketed(const std::string& host) { return host.find(':') == std::string::npos ? host : '[' + host + ']'; }

bool isUnspecified(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

Error listenError(const ServeOptions& options) {
    const std::string port = "port " + std::to_string(options.port);
    const auto because = [&](const std::string& reason, const char* hint) {
        return makeError(ErrorKind::Io, "cannot listen on " + port + " of '" + options.listen + "': " + reason, hint);
    };
    switch (whyNotListening(options.listen, options.port)) {
        case ListenProblem::PortTaken:
            return because("another program has the port", "choose another one with --port");
        case ListenProblem::NotThisMachine:
            return because("the address is not one of this machine's", "choose another one with --listen");
        case ListenProblem::NotAllowed:
            return because("only the administrator may use this port", "choose one from 1024 on with --port");
        case ListenProblem::None:  // it has become free meanwhile
        case ListenProblem::Other:
            break;
    }
    return because("the system refuses it", "choose another port or address with --port and --listen");
}

}  // namespace

Status checkServeOptions(const ServeOptions& options) {
    if (options.certificateFile.empty() != options.keyFile.empty())
        return makeError(ErrorKind::InvalidArgument, "TLS needs both a certificate and its key", "give --tls-cert and --tls-key");
    if (isLoopback(options.listen)) return {};
    if (options.key.empty())
        return makeError(ErrorKind::InvalidArgument,
                         "listening on '" + options.listen + "' lets other machines ask, and there is no key",
                         "give --key-file FILE; make a key with: (umask 077; openssl rand -hex 32 > FILE)");
    if (options.certificateFile.empty() && !options.insecureHttp)
        return makeError(
            ErrorKind::InvalidArgument,
            "listening on '" + options.listen + "' without TLS sends the key and all texts readable over the network",
            "give --tls-cert and --tls-key, or --insecure-http where the network itself is private");
    return {};
}

struct ApiServer::Impl {
    Impl(ServeBackend& b, ServeOptions o)
        : backend(b), options(std::move(o)), rules{options.listen, options.names, options.key}, queue(b, options.queue) {
        std::array<char, 256> name{};
        if (gethostname(name.data(), name.size() - 1) == 0) rules.names.emplace_back(name.data());
    }

    using Response = httplib::Response;
    using Request = httplib::Request;
    using Handled = httplib::Server::HandlerResponse;

    void addRoutes();
    Handled admit(const Request& request, Response& response);
    std::optional<ApiError> refusal(const Request& request, Response& response) const;
    std::optional<ApiError> bodyRefusal(const Request& request) const;
    void chat(const Request& request, Response& response, const httplib::ContentReader& reader);
    std::variant<std::string, ApiError> readBody(const httplib::ContentReader& reader) const;
    void answerWhole(Client& client, Response& response, Job& job, ChatResponse chatResponse);
    bool answerStream(const Connection& connection, httplib::DataSink& sink, Job& job, const ChatResponse& chatResponse);
    [[nodiscard]] int retryAfter() const;
    [[nodiscard]] ServeStatus status() const;
    void count(ServeResult result) { ++results.at(static_cast<std::size_t>(result)); }
    void countStatus(int status);

    ServeBackend& backend;
    const ServeOptions options;
    AccessRules rules;
    GenerationQueue queue;
    std::unique_ptr<HttpListener> listener;
    std::thread thread;
    int port = 0;
    std::atomic<bool> stopped{false};
    std::array<std::atomic<std::int64_t>, kServeResults> results{};
};

// ------------------------------------------------------------------------------------------------- who and what may come in

std::optional<ApiError> ApiServer::Impl::bodyRefusal(const Request& request) const {
    if (!isJson(request.get_header_value("Content-Type")))
        return ApiError{415, "invalid_request_error", "the Content-Type must be application/json"};
    const bool chunked = request.has_header("Transfer-Encoding");
    if (request.get_header_value_count("Content-Length") > 1 || (chunked && request.has_header("Content-Length")))
        return ApiError{400, "invalid_request_error", "the request says its length more than once"};
    if (chunked) return {};
    if (!request.has_header("Content-Length")) return ApiError{411, "invalid_request_error", "the Content-Length is missing"};
    const std::string text = request.get_header_value("Content-Length");
    std::uint64_t length = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), length);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || length > options.bodyBytes)
        return ApiError{413, "invalid_request_error",
                        "the body may have " + std::to_string(options.bodyBytes) + " bytes; this one has " + text.substr(0, 32)};
    return {};
}

std::optional<ApiError> ApiServer::Impl::refusal(const Request& request, Response& response) const {
    if (request.get_header_value_count("Host") != 1 || !rules.hostAllowed(request.get_header_value("Host")))
        return ApiError{403, "invalid_request_error",
                        "this server does not go by the name \"" + request.get_header_value("Host").substr(0, 200) + '"',
                        "host_not_allowed"};
    const std::string origin = request.get_header_value("Origin");
    if (request.get_header_value_count("Origin") > 1 || !rules.originAllowed(origin))
        return ApiError{403, "invalid_request_error", "pages of another site may not ask this server", "origin_not_allowed"};
    if (!origin.empty()) {
        response.set_header("Access-Control-Allow-Origin", origin);
        response.set_header("Vary", "Origin");
    }
    const std::string& path = request.path;
    const bool isModel = path == "/v1/models" || path.starts_with("/v1/models/");
    const bool isGet = request.method == "GET" || request.method == "HEAD";
    const char* allowed = path == kChatPath ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
    if (path != "/health" && path != "/metrics" && path != kChatPath && !isModel)
        return ApiError{404, "invalid_request_error", statusText(404), "not_found"};
    if (request.method == "OPTIONS") {  // a page asks what it may do; it has no key yet
        response.set_header("Allow", allowed);
        response.set_header("Access-Control-Allow-Methods", allowed);
        response.set_header("Access-Control-Allow-Headers", "Authorization, Content-Type");
        return {};
    }
    if (path != "/health" &&
        (request.get_header_value_count("Authorization") > 1 || !rules.keyAllowed(request.get_header_value("Authorization")))) {
        response.set_header("WWW-Authenticate", "Bearer");
        return ApiError{401, "authentication_error", "the key is missing or wrong: send it as \"Authorization: Bearer KEY\"",
                        "invalid_api_key"};
    }
    if ((path == kChatPath) ? request.method != "POST" : !isGet) {
        response.set_header("Allow", allowed);
        return ApiError{405, "invalid_request_error", path + " takes " + allowed};
    }
    return path == kChatPath ? bodyRefusal(request) : std::nullopt;
}

httplib::Server::HandlerResponse ApiServer::Impl::admit(const Request& request, Response& response) {
    Client& client = listener->client(request);
    response.set_header("Cache-Control", "no-store");
    response.set_header("X-Content-Type-Options", "nosniff");
    const bool hasBody = request.has_header("Content-Length") || request.has_header("Transfer-Encoding");
    if (auto error = refusal(request, response)) {
        if (hasBody || request.method == "POST") client.close = true;  // what follows is not read
        if (request.path == kChatPath) countStatus(error->status);
        answer(response, *error);
    } else if (request.method == "OPTIONS") {
        response.status = 204;
    } else {
        if (hasBody && request.method != "POST") client.close = true;
        return Handled::Unhandled;
    }
    if (client.close) response.set_header("Connection", "close");
    return Handled::Handled;
}

// --------------------------------------------------------------------------------------------------------------- answers

void ApiServer::Impl::countStatus(int status) {
    if (status == 401 || status == 403)
        count(ServeResult::Unauthorized);
    else
        count(status < 500 ? ServeResult::Refused : ServeResult::Failed);
}

int ApiServer::Impl::retryAfter() const {
    const GenerationQueue::Counters counters = queue.counters();
    if (counters.started == 0) return 1;
    const double each = counters.generatingSeconds / static_cast<double>(counters.started);
    return static_cast<int>(std::clamp(each * static_cast<double>(options.queue) / 2.0, 1.0, 60.0));
}

std::variant<std::string, ApiError> ApiServer::Impl::readBody(const httplib::ContentReader& reader) const {
    std::string body;
    bool tooLarge = false;
    // Counted here too: a chunked or packed body does not say its size before.
    const bool whole = reader([&](const char* data, std::size_t size) {
        tooLarge = body.size() + size > options.bodyBytes;
        if (!tooLarge) body.append(data, size);
        return !tooLarge;
    });
    if (tooLarge)
        return ApiError{413, "invalid_request_error", "the body may have " + std::to_string(options.bodyBytes) + " bytes"};
    if (!whole) return ApiError{400, "invalid_request_error", "the body did not arrive whole"};
    return body;
}

void ApiServer::Impl::chat(const Request& request, Response& response, const httplib::ContentReader& reader) {
    Client& client = listener->client(request);
    const auto refuse = [&](const ApiError& error) {
        countStatus(error.status);
        answer(response, error);
    };
    auto body = readBody(reader);
    if (const auto* error = std::get_if<ApiError>(&body)) {
        client.close = true;
        response.set_header("Connection", "close");
        return refuse(*error);
    }
    const auto model = backend.model();
    if (!model) {
        response.set_header("Retry-After", "5");
        return refuse(noModel());
    }
    auto parsed = parseChatRequest(std::get<std::string>(body), *model);
    if (const auto* error = std::get_if<ApiError>(&parsed)) return refuse(*error);
    auto& chatRequest = std::get<ChatRequest>(parsed);
    const auto promptTokens = backend.check(chatRequest.request);
    if (!promptTokens.ok()) return refuse(toApiError(promptTokens.error()));

    ChatResponse chatResponse(*model, chatRequest, *promptTokens);
    const bool stream = chatRequest.stream;
    auto job = queue.submit(std::move(chatRequest));
    if (!job) {
        if (queue.stopping()) return refuse(stoppedError());
        count(ServeResult::QueueFull);
        response.set_header("Retry-After", std::to_string(retryAfter()));
        return answer(response,
                      {429, "rate_limit_error",
                       "the queue is full: " + std::to_string(options.queue) + " requests wait; try again later", "queue_full"});
    }
    listener->note(*client.connection, ClientActivity::Waiting);
    if (!stream) return answerWhole(client, response, *job, std::move(chatResponse));

    const auto provide = [this, job, connection = client.connection, chatResponse = std::move(chatResponse)](
                             std::size_t, httplib::DataSink& sink) {
        return answerStream(*connection, sink, *job, chatResponse);
    };
    response.set_header("X-Accel-Buffering", "no");
    if (request.version == "HTTP/1.0") {  // knows no chunks: the end is the connection's
        client.close = true;
        response.set_header("Connection", "close");
        response.set_content_provider("text/event-stream", provide);
    } else {
        response.set_chunked_content_provider("text/event-stream", provide);
    }
}

void ApiServer::Impl::answerWhole(Client& client, Response& response, Job& job, ChatResponse chatResponse) {
    for (;;) {
        const Job::News news = job.wait(kGlance);
        if (!news.events.empty()) listener->note(*client.connection, ClientActivity::Answered);
        for (const JobEvent& event : news.events) chatResponse.add(event);
        if (!news.end) {
            if (!client.connection->clientGone()) continue;
            job.cancel();
            client.close = true;
            count(ServeResult::ClientGone);
            return answer(response, {499, "invalid_request_error", "the client has gone"});  // nobody reads it
        }
        if (news.end->error || news.end->kind == JobEnd::Kind::Cancelled) {
            count(ServeResult::Failed);
            return answer(response, news.end->error ? *news.end->error : stoppedError());
        }
        count(ServeResult::Completed);
        response.status = 200;
        return response.set_content(chatResponse.whole(*news.end), kJson);
    }
}

/// Everything in one call: cpp-httplib itself would stop a stream without its end when the server stops.
bool ApiServer::Impl::answerStream(const Connection& connection, httplib::DataSink& sink, Job& job,
                                   const ChatResponse& chatResponse) {
    auto lastWrite = std::chrono::steady_clock::now();
    for (;;) {
        const Job::News news = job.wait(kGlance);
        if (!news.events.empty()) listener->note(connection, ClientActivity::Answered);
        std::string out;
        for (const JobEvent& event : news.events) out += chatResponse.event(event);
        if (news.end) out += chatResponse.end(*news.end);
        const auto now = std::chrono::steady_clock::now();
        if (out.empty() && now - lastWrite > kSilence) out = ": waiting\n\n";
        if (connection.clientGone() || (!out.empty() && !sink.write(out.data(), out.size()))) {
            job.cancel();
            count(ServeResult::ClientGone);
            return false;
        }
        if (!out.empty()) lastWrite = now;
        if (news.end) {
            const bool failed = news.end->error || news.end->kind == JobEnd::Kind::Cancelled;
            count(failed ? ServeResult::Failed : ServeResult::Completed);
            sink.done();
            return true;
        }
    }
}

ServeStatus ApiServer::Impl::status() const {
    ServeStatus out;
    out.running = queue.running();
    out.waiting = queue.waiting();
    if (listener) out.clients = listener->clients();
    for (const auto& result : results) out.results.push_back(result);
    const GenerationQueue::Counters counters = queue.counters();
    out.promptTokens = counters.promptTokens;
    out.reusedTokens = counters.reusedTokens;
    out.completionTokens = counters.completionTokens;
    out.passes = counters.passes;
    out.generatingSeconds = counters.generatingSeconds;
    out.waitingSeconds = counters.waitingSeconds;
    return out;
}

void ApiServer::Impl::addRoutes() {
    listener->set_pre_routing_handler([this](const Request& q, Response& r) { return admit(q, r); });
    listener->set_error_handler(httplib::Server::HandlerWithResponse([](const Request&, Response& r) {
        if (r.body.empty()) r.set_content(toJson({r.status, "invalid_request_error", statusText(r.status)}), kJson);
        return Handled::Handled;
    }));
    listener->set_exception_handler([this](const Request& q, Response& r, const std::exception_ptr&) {
        listener->client(q).close = true;
        answer(r, {500, "server_error", "the request failed unexpectedly"});
    });
    listener->Get("/health", [this](const Request&, Response& r) {
        if (!backend.model()) return answer(r, noModel());
        r.set_content(R"({"status":"ok"})", kJson);
    });
    listener->Get("/metrics", [this](const Request&, Response& r) {
        r.set_content(metricsText(status()), "text/plain; version=0.0.4; charset=utf-8");
    });
    listener->Get("/v1/models(/.*)?", [this](const Request& q, Response& r) {
        const auto model = backend.model();
        const bool alone = q.path.size() > std::string("/v1/models/").size();
        if (alone && (!model || q.path.substr(std::string("/v1/models/").size()) != model->name))
            return answer(r, {404, "invalid_request_error", "there is no such model here", "model_not_found", "model"});
        r.set_content(model ? modelsJson(*model, alone) : std::string(R"({"object":"list","data":[]})"), kJson);
    });
    listener->Post(kChatPath, httplib::Server::HandlerWithContentReader(
                                  [this](const Request& q, Response& r, const httplib::ContentReader& c) { chat(q, r, c); }));
}

// ---------------------------------------------------------------------------------------------------------- start and stop

ApiServer::ApiServer(ServeBackend& backend, ServeOptions options) : m_impl(std::make_unique<Impl>(backend, std::move(options))) {}

ApiServer::~ApiServer() { stop(); }

Status ApiServer::start() {
    Impl& d = *m_impl;
    if (const Status s = checkServeOptions(d.options); !s.ok()) return s;
    TlsContext tls;
    if (!d.options.certificateFile.empty()) {
        auto opened = openTls(d.options.certificateFile, d.options.keyFile);
        if (!opened.ok()) return opened.error();
        tls = *std::move(opened);
    }
    const ConnectionLimits limits{d.options.bodyBytes * 2 + kHeadBytes, d.options.requestTime, d.options.idleTime,
                                  d.options.writeTime};
    d.listener = std::make_unique<HttpListener>(std::move(tls), limits, d.options.connections);
    d.addRoutes();
    if (d.options.port == 0)
        d.port = d.listener->bind_to_any_port(d.options.listen);
    else
        d.port = d.listener->bind_to_port(d.options.listen, d.options.port) ? d.options.port : -1;
    if (d.port <= 0) {
        d.listener.reset();
        return listenError(d.options);
    }
    d.listener->widenBacklog();
    d.thread = std::thread([&d] { d.listener->listen_after_bind(); });
    while (!d.listener->is_running()) std::this_thread::sleep_for(1ms);
    return {};
}

void ApiServer::stop() {
    Impl& d = *m_impl;
    d.queue.stop();
    if (!d.listener || d.stopped.exchange(true)) return;
    d.listener->beginStop();
    const auto until = std::chrono::steady_clock::now() + kFarewell;
    while (d.listener->busy() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(10ms);
    d.listener->cutConnections();
    d.listener->stop();
    d.thread.join();
}

int ApiServer::port() const { return m_impl->port; }

std::string ApiServer::url() const {
    const ServeOptions& options = m_impl->options;
    std::string host = options.listen;
    if (isUnspecified(host)) host = host == "::" ? "::1" : "127.0.0.1";
    return (options.certificateFile.empty() ? "http://" : "https://") + bracketed(host) + ':' + std::to_string(m_impl->port);
}

ServeStatus ApiServer::status() const { return m_impl->status(); }

}  // namespace trefoil::serve
