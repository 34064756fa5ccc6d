// Connection: one client's socket, plain or TLS, with limits of time and size. What cpp-httplib reads requests from and writes
// responses to; its own streams know no limit over a whole request and do not say when a client has gone.
#pragma once

#include "engine/base/result.h"

#include <httplib.h>
#include <openssl/ssl.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace trefoil::serve {

struct FreeTls {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* tls) const { SSL_free(tls); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTls>;

/// A server's certificate chain and key, TLS 1.2 and later. The error names the file and OpenSSL's reason.
[[nodiscard]] Result<TlsContext> openTls(const std::string& certificateFile, const std::string& keyFile);

struct ConnectionLimits {
    std::size_t requestBytes = std::size_t{2} << 20U;  ///< of one request, head and body
    std::chrono::milliseconds request{20000};          ///< for a whole request to arrive
    std::chrono::milliseconds idle{15000};             ///< between two requests
    std::chrono::milliseconds write{15000};            ///< without any progress of a write
};

class Connection : public httplib::Stream {
public:
    /// Owns the socket. `stopping` is looked at while it waits for a request; it outlives this object.
    Connection(int socket, const ConnectionLimits& limits, const std::atomic<bool>& stopping);
    ~Connection() override;
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Makes it a TLS connection; false when the client does not come to terms.
    [[nodiscard]] bool startTls(SSL_CTX* context);
    /// Waits for the beginning of a request and opens its limits. False when none comes.
    [[nodiscard]] bool waitForRequest();
    /// The client has closed its end or is gone.
    [[nodiscard]] bool clientGone() const;
    /// Sends what is written and lets the client read it, although it may still be sending.
    void close();

    [[nodiscard]] bool is_readable() const override;
    [[nodiscard]] bool is_writable() const override;
    ssize_t read(char* data, size_t size) override;
    ssize_t write(const char* data, size_t size) override;
    void get_remote_ip_and_port(std::string& ip, int& port) const override;
    void get_local_ip_and_port(std::string& ip, int& port) const override;
    [[nodiscard]] socket_t socket() const override { return m_socket; }

private:
    using Clock = std::chrono::steady_clock;
    /// poll() for `events` until `until`; false at that time or on an error.
    [[nodiscard]] bool await(short events, Clock::time_point until) const;
    /// More bytes into the buffer; false at the end, on an error or when a limit is reached.
    [[nodiscard]] bool fill();
    [[nodiscard]] bool buffered() const;

    int m_socket;
    const ConnectionLimits m_limits;
    const std::atomic<bool>& m_stopping;
    std::unique_ptr<SSL, FreeTls> m_tls;
    std::array<char, 16384> m_buffer{};
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
    std::size_t m_budget = 0;  ///< bytes that the request may still have
    Clock::time_point m_deadline;
    bool m_broken = false;
};

}  // namespace trefoil::serve
