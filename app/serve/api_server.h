// ApiServer: the local API over HTTP in front of one ServeBackend (docs/serving.md).
#pragma once

#include "app/serve/serve_backend.h"
#include "engine/base/result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace trefoil::serve {

struct ServeOptions {
    std::string listen = "127.0.0.1";  ///< an address or a name of this machine
    int port = 8033;                   ///< 0: any that is free
    std::string key;                   ///< what clients must send; empty: nothing. See readKeyFile
    std::string certificateFile;       ///< PEM; with keyFile: TLS
    std::string keyFile;
    bool insecureHttp = false;       ///< plain HTTP beyond this machine is wanted
    std::vector<std::string> names;  ///< further names in Host headers
    std::size_t queue = 32;          ///< requests that wait beside the one that runs; a further one gets 429
    std::size_t connections = 128;   ///< clients at a time; a further one gets 503
    std::size_t bodyBytes = std::size_t{1} << 20U;
    std::chrono::milliseconds requestTime{20000};  ///< for a request to arrive
    std::chrono::milliseconds idleTime{15000};     ///< between two requests of a connection
    std::chrono::milliseconds writeTime{15000};    ///< without any progress of a reader
};

/// Whether a server may be started so: beyond this machine only with a key, and with TLS or insecureHttp. InvalidArgument, with
/// what to do.
[[nodiscard]] Status checkServeOptions(const ServeOptions& options);

/// How a request ended.
enum class ServeResult : std::uint8_t {
    Completed,
    Refused,       ///< 4xx
    Unauthorized,  ///< 401, and 403 for its Host or Origin
    QueueFull,
    ClientGone,
    Failed,  ///< 5xx
};
inline constexpr std::size_t kServeResults = 6;
[[nodiscard]] const char* serveResultName(ServeResult result);

/// What a connected client does.
enum class ClientActivity : std::uint8_t {
    Idle,     ///< between two requests
    Asking,   ///< a request of its is read, or answered at once
    Waiting,  ///< its chat request waits for its turn
    Answered  ///< the model writes its answer
};

struct ServeClient {
    std::string peer;     ///< address and port: "127.0.0.1:51234", "[::1]:51234"
    std::string program;  ///< what it calls itself (User-Agent), visible ASCII, cut at 80 signs; empty: it has not said
    std::chrono::system_clock::time_point since;
    ClientActivity activity = ClientActivity::Idle;
};

/// For the window's page and /metrics.
struct ServeStatus {
    bool running = false;  ///< an answer is being written
    std::size_t waiting = 0;
    std::vector<ServeClient> clients;   ///< that are connected, in the order of their coming
    std::vector<std::int64_t> results;  ///< by ServeResult, of chat requests, since the start
    std::int64_t promptTokens = 0;
    std::int64_t reusedTokens = 0;
    std::int64_t completionTokens = 0;
    std::int64_t passes = 0;
    double generatingSeconds = 0.0;
    double waitingSeconds = 0.0;
};

class ApiServer {
public:
    /// `backend` outlives the server.
    ApiServer(ServeBackend& backend, ServeOptions options);
    /// Stops.
    ~ApiServer();
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    /// Binds and serves, on threads of its own. Once. InvalidArgument (options, certificate) or Io (whyNotListening says more).
    [[nodiscard]] Status start();
    /// What runs is ended and told so, waiting requests too, then the connections are closed. Takes up to a few seconds.
    void stop();

    [[nodiscard]] int port() const;
    [[nodiscard]] std::string url() const;  ///< "http://127.0.0.1:8033"
    [[nodiscard]] ServeStatus status() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// `status` in Prometheus' text format 0.0.4.
[[nodiscard]] std::string metricsText(const ServeStatus& status);

}  // namespace trefoil::serve
