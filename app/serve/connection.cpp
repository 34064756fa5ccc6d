#include "app/serve/connection.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace trefoil::serve {
namespace {

using namespace std::chrono_literals;

/// How soon a waiting connection sees that the server stops.
constexpr auto kGlance = 100ms;
/// What is still taken from a client after the answer, so that closing does not throw the answer away.
constexpr auto kLinger = 300ms;
constexpr std::size_t kLingerBytes = std::size_t{8} << 20U;

std::string tlsReason() {
    std::array<char, 256> text{};
    ERR_error_string_n(ERR_get_error(), text.data(), text.size());
    return text.data();
}

void nameAddress(const sockaddr_storage& address, std::string& ip, int& port) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (address.ss_family == AF_INET) {
        const auto& four = reinterpret_cast<const sockaddr_in&>(address);
        inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
        port = ntohs(four.sin_port);
    } else if (address.ss_family == AF_INET6) {
        const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
        inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
        port = ntohs(six.sin6_port);
    }
    ip = text.data();
}

}  // namespace

Result<TlsContext> openTls(const std::string& certificateFile, const std::string& keyFile) {
    ERR_clear_error();
    TlsContext context(SSL_CTX_new(TLS_server_method()));
    if (!context) return makeError(ErrorKind::Internal, "OpenSSL cannot be used: " + tlsReason());
    SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
    SSL_CTX_set_mode(context.get(), SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    if (SSL_CTX_use_certificate_chain_file(context.get(), certificateFile.c_str()) != 1)
        return makeError(ErrorKind::InvalidArgument, "cannot use the certificate '" + certificateFile + "': " + tlsReason(),
                         "it must be a PEM file, this server's certificate first");
    if (SSL_CTX_use_PrivateKey_file(context.get(), keyFile.c_str(), SSL_FILETYPE_PEM) != 1)
        return makeError(ErrorKind::InvalidArgument, "cannot use the certificate's key '" + keyFile + "': " + tlsReason(),
                         "it must be the PEM file of the private key that belongs to '" + certificateFile + "'");
    return context;
}

Connection::Connection(int socket, const ConnectionLimits& limits, const std::atomic<bool>& stopping)
    : m_socket(socket), m_limits(limits), m_stopping(stopping) {
    fcntl(m_socket, F_SETFL, fcntl(m_socket, F_GETFL) | O_NONBLOCK);
    const int yes = 1;  // small events go out at once
    setsockopt(m_socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

Connection::~Connection() {
    m_tls.reset();
    ::close(m_socket);
}

bool Connection::await(short events, Clock::time_point until) const {
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
        pollfd one{m_socket, events, 0};
        const int ready = poll(&one, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30)));
        if (ready > 0) return (one.revents & (events | POLLHUP)) != 0;
        if (ready == 0 || errno != EINTR) return false;
    }
}

bool Connection::startTls(SSL_CTX* context) {
    m_tls.reset(SSL_new(context));
    if (!m_tls || SSL_set_fd(m_tls.get(), m_socket) != 1) return false;
    const auto until = Clock::now() + m_limits.request;
    for (;;) {
        ERR_clear_error();
        const int result = SSL_accept(m_tls.get());
        if (result == 1) return true;
        const int error = SSL_get_error(m_tls.get(), result);
        if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
        if (m_stopping || !await(error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT, until)) break;
    }
    m_broken = true;
    return false;
}

bool Connection::buffered() const { return m_begin < m_end || (m_tls && SSL_pending(m_tls.get()) > 0); }

bool Connection::waitForRequest() {
    const auto until = Clock::now() + m_limits.idle;
    while (!buffered() && !await(POLLIN, Clock::now() + kGlance))
        if (m_stopping || m_broken || Clock::now() >= until) return false;
    m_budget = m_limits.requestBytes;
    m_deadline = Clock::now() + m_limits.request;
    return !m_stopping;
}

bool Connection::clientGone() const {
    if (m_broken) return true;
    pollfd one{m_socket, POLLRDHUP, 0};
    return poll(&one, 1, 0) > 0;
}

bool Connection::is_readable() const { return buffered() || await(POLLIN, Clock::now()); }
bool Connection::is_writable() const { return !clientGone() && await(POLLOUT, Clock::now()); }

bool Connection::fill() {
    while (m_budget > 0 && !m_broken) {
        const std::size_t room = std::min(m_buffer.size(), m_budget);
        short wanted = POLLIN;
        ssize_t got = 0;
        if (m_tls) {
            ERR_clear_error();
            got = SSL_read(m_tls.get(), m_buffer.data(), static_cast<int>(room));
            if (got <= 0) {
                const int error = SSL_get_error(m_tls.get(), static_cast<int>(got));
                if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
                wanted = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
            }
        } else {
            got = recv(m_socket, m_buffer.data(), room, 0);
            if (got < 0 && errno == EINTR) continue;
            if (got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) break;
        }
        if (got > 0) {
            m_budget -= static_cast<std::size_t>(got);
            m_begin = 0;
            m_end = static_cast<std::size_t>(got);
            return true;
        }
        if (m_stopping || !await(wanted, m_deadline)) break;
    }
    m_broken = m_broken || m_budget > 0;
    return false;
}

ssize_t Connection::read(char* data, size_t size) {
    if (m_begin == m_end && !fill()) return -1;
    const std::size_t count = std::min(size, m_end - m_begin);
    std::memcpy(data, m_buffer.data() + m_begin, count);
    m_begin += count;
    return static_cast<ssize_t>(count);
}

ssize_t Connection::write(const char* data, size_t size) {
    if (size == 0) return 0;
    auto until = Clock::now() + m_limits.write;
    while (!m_broken) {
        short wanted = POLLOUT;
        ssize_t sent = 0;
        if (m_tls) {
            ERR_clear_error();
            sent = SSL_write(m_tls.get(), data, static_cast<int>(std::min<size_t>(size, 1U << 30U)));
            if (sent <= 0) {
                const int error = SSL_get_error(m_tls.get(), static_cast<int>(sent));
                if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break;
                wanted = error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT;
            }
        } else {
            sent = send(m_socket, data, size, MSG_NOSIGNAL);
            if (sent < 0 && errno == EINTR) continue;
            if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) break;
        }
        if (sent > 0) return sent;
        if (!await(wanted, until)) break;
    }
    m_broken = true;
    return -1;
}

void Connection::close() {
    if (m_tls && !m_broken) SSL_shutdown(m_tls.get());
    ::shutdown(m_socket, SHUT_WR);
    const auto until = Clock::now() + kLinger;
    std::size_t taken = 0;
    while (taken < kLingerBytes && await(POLLIN, until)) {
        const ssize_t got = recv(m_socket, m_buffer.data(), m_buffer.size(), 0);
        if (got <= 0) return;
        taken += static_cast<std::size_t>(got);
    }
}

void Connection::get_remote_ip_and_port(std::string& ip, int& port) const {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    if (getpeername(m_socket, reinterpret_cast<sockaddr*>(&address), &length) == 0) nameAddress(address, ip, port);
}

void Connection::get_local_ip_and_port(std::string& ip, int& port) const {
    sockaddr_storage address{};
    socklen_t length = sizeof(address);
    if (getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &length) == 0) nameAddress(address, ip, port);
}

}  // namespace trefoil::serve
