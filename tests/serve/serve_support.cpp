#include "tests/serve/serve_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <thread>

namespace trefoil::serve::test {

using namespace std::chrono_literals;

std::optional<ServedModel> ScriptedBackend::model() const {
    if (!loaded) return std::nullopt;
    ServedModel out;
    out.name = "scripted";
    out.created = 1;
    out.context = 4096;
    out.maskId = 4;
    out.thinks = true;
    out.device = "none";
    return out;
}

Result<std::int64_t> ScriptedBackend::check(const ServeRequest& request) const {
    const std::string& text = request.messages.back().content;
    if (text == "too long") return makeError(ErrorKind::DoesNotFit, "the prompt has 5000 tokens, the context 4096");
    return static_cast<std::int64_t>(text.size());
}

Result<ServeOutcome> ScriptedBackend::generate(const ServeRequest& request, const ServeCallbacks& callbacks,
                                               const CancelFlag& cancel) {
    questions.push_back(request.messages.back().content);
    ++begun;
    while (held && !cancel.requested()) std::this_thread::sleep_for(1ms);
    ServeOutcome out;
    TokenId token = 10;
    const auto pass = [&] {
        ServedPass served;
        served.threshold = 0.9;
        served.record.tokens = {token};
        served.record.resolved = {0};
        served.texts = {"t"};
        ServedRow row;
        row.candidate = {token, 0.5F, "t"};
        row.alternatives.push_back(row.candidate);
        served.rows.push_back(row);
        if (callbacks.onPass) callbacks.onPass(served);
        ++out.usage.passes;
        const std::array<TokenId, 1> tokens{token++};
        if (callbacks.onTokens) callbacks.onTokens(tokens);
        ++out.usage.completionTokens;
    };
    for (const std::string& piece : thinking) {
        if (cancel.requested()) break;
        pass();
        ++out.usage.thinkingTokens;
        callbacks.onThinking(piece);
    }
    for (const std::string& piece : pieces) {
        if (cancel.requested()) break;
        pass();
        callbacks.onText(piece);
    }
    if (error) return *error;
    out.usage.promptTokens = static_cast<std::int64_t>(request.messages.back().content.size());
    if (cancel.requested()) {
        ++cancelled;
        out.reason = StopReason::Cancelled;
    }
    return out;
}

bool eventually(const std::function<bool()>& holds) {
    for (int i = 0; i < 6000; ++i) {  // a minute: only a machine that stands still takes so long
        if (holds()) return true;
        std::this_thread::sleep_for(10ms);
    }
    return false;
}

RawClient::RawClient(int port, int receiveBuffer) : m_socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receiveBuffer > 0) setsockopt(m_socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, sizeof(receiveBuffer));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{60, 0};
    setsockopt(m_socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(m_socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (connect(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) close();
}

RawClient::~RawClient() { close(); }

void RawClient::close() {
    if (m_socket >= 0) ::close(m_socket);
    m_socket = -1;
}

void RawClient::send(const std::string& bytes) const {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
        const ssize_t n = ::send(m_socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
        if (n <= 0) return;  // the server has heard enough
        sent += static_cast<std::size_t>(n);
    }
}

std::string RawClient::read(const std::string& end) const {
    std::string out;
    std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t n = recv(m_socket, buffer.data(), buffer.size(), 0);
        if (n <= 0) return out;
        out.append(buffer.data(), static_cast<std::size_t>(n));
        if (!end.empty() && out.find(end) != std::string::npos) return out;
    }
}

std::string chatPost(const std::string& body, const std::string& headers) {
    return "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n" + headers +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string question(const std::string& text, const std::string& more, const std::string& model) {
    return R"({"model":")" + model + R"(","messages":[{"role":"user","content":")" + text + "\"}]" + more + "}";
}

int statusOf(const std::string& response) {
    static const std::string kStart = "HTTP/1.1 ";
    return response.compare(0, kStart.size(), kStart) == 0 ? std::atoi(response.c_str() + kStart.size()) : 0;
}

}  // namespace trefoil::serve::test
