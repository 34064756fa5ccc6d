// A backend that a test steers, and raw HTTP over a socket of the test's own.
#pragma once

#include "app/serve/api_server.h"
#include "app/serve/serve_backend.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trefoil::serve::test {

/// A model without weights: gives `pieces` as the answer, each as one pass and one token, and can be held.
class ScriptedBackend : public ServeBackend {
public:
    [[nodiscard]] std::optional<ServedModel> model() const override;
    [[nodiscard]] Result<std::int64_t> check(const ServeRequest& request) const override;
    [[nodiscard]] Result<ServeOutcome> generate(const ServeRequest& request, const ServeCallbacks& callbacks,
                                                const CancelFlag& cancel) override;

    std::vector<std::string> thinking{};
    std::vector<std::string> pieces{"Hello", " world"};
    std::optional<Error> error;  ///< what generate() gives after the pieces
    bool loaded = true;
    std::atomic<bool> held{false};       ///< generate() waits before the first piece, until this is false or it is cancelled
    std::atomic<int> begun{0};           ///< calls of generate()
    std::atomic<int> cancelled{0};       ///< that were
    std::vector<std::string> questions;  ///< the last message of each call, in order; read it when nothing runs
};

/// Waits until `holds`, and fails the test when that takes absurdly long.
[[nodiscard]] bool eventually(const std::function<bool()>& holds);

/// One TCP connection to 127.0.0.1.
class RawClient {
public:
    explicit RawClient(int port, int receiveBuffer = 0);
    ~RawClient();
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    void send(const std::string& bytes) const;
    /// Everything until the server closes, or until `end` was seen.
    [[nodiscard]] std::string read(const std::string& end = {}) const;
    void close();

private:
    int m_socket;
};

/// A well-formed POST of a chat request; `headers` are lines that end with CRLF.
[[nodiscard]] std::string chatPost(const std::string& body, const std::string& headers = {});
/// {"model": "scripted", "messages": [{"role": "user", "content": question}] + `more`}.
[[nodiscard]] std::string question(const std::string& text, const std::string& more = {}, const std::string& model = "scripted");
/// The status of a raw response; 0 when there is none.
[[nodiscard]] int statusOf(const std::string& response);

}  // namespace trefoil::serve::test
