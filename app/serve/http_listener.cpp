#include "app/serve/http_listener.h"

#include <sys/socket.h>

#include <exception>
#include <memory>
#include <string_view>
#include <utility>

namespace trefoil::serve {
namespace {

constexpr int kBacklog = 128;
constexpr std::size_t kRequestsPerConnection = 1000;
/// Threads beyond the connections, so that those that are too many hear so.
constexpr std::size_t kSpareThreads = 8;

}  // namespace

HttpListener::HttpListener(TlsContext tls, const ConnectionLimits& limits, std::size_t connections)
    : m_tls(std::move(tls)), m_limits(limits), m_most(connections) {
    new_task_queue = [threads = connections + kSpareThreads] { return new httplib::ThreadPool(threads); };
    set_keep_alive_timeout(std::chrono::duration_cast<std::chrono::seconds>(limits.idle).count());
    set_keep_alive_max_count(kRequestsPerConnection);
    // Not cpp-httplib's SO_REUSEPORT, with which two servers share a port and neither says so.
    set_socket_options([](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    });
}

void HttpListener::widenBacklog() { ::listen(svr_sock_, kBacklog); }

Client& HttpListener::client(const httplib::Request& request) {
    const std::lock_guard lock(m_mutex);
    return *m_clients.at(&request);
}

void HttpListener::cutConnections() {
    const std::lock_guard lock(m_mutex);
    for (const auto& entry : m_connections) ::shutdown(entry.first->socket(), SHUT_RDWR);
}

std::vector<std::string> HttpListener::peers() const {
    const std::lock_guard lock(m_mutex);
    std::vector<std::string> out;
    for (const auto& entry : m_connections) out.push_back(entry.second);
    return out;
}

bool HttpListener::process_and_close_socket(socket_t socket) {
    try {
        Connection connection(socket, m_limits, m_stopping);
        std::string peer;
        int port = 0;
        connection.get_remote_ip_and_port(peer, port);
        const bool tooMany = enter(connection, peer) > m_most;
        const auto leave = [this](const Connection* gone) {
            const std::lock_guard lock(m_mutex);
            m_connections.erase(gone);
        };
        const std::unique_ptr<Connection, decltype(leave)> entered(&connection, leave);
        if (tooMany)
            refuse(connection);
        else if (!m_tls || connection.startTls(m_tls.get()))
            serve(connection);
        connection.close();
    } catch (const std::exception&) {
        return false;  // out of memory: this connection is lost, the others are not
    }
    return true;
}

std::size_t HttpListener::enter(const Connection& connection, const std::string& peer) {
    const std::lock_guard lock(m_mutex);
    m_connections[&connection] = peer;
    return m_connections.size();
}

void HttpListener::refuse(Connection& connection) const {
    static constexpr std::string_view kFull =
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n";
    if (!m_tls) (void)connection.write(kFull.data(), kFull.size());
}

void HttpListener::serve(Connection& connection) {
    for (std::size_t left = kRequestsPerConnection; left > 0 && connection.waitForRequest(); --left) {
        Client client{&connection};
        const httplib::Request* known = nullptr;
        bool closed = false;
        ++m_answering;
        const auto setUp = [&](httplib::Request& request) {
            known = &request;
            request.ranges.clear();  // not served: answers come whole
            const std::lock_guard lock(m_mutex);
            m_clients[known] = &client;
        };
        bool answered = false;
        try {
            answered = process_request(connection, left == 1, closed, setUp);
        } catch (const std::exception&) {
            answered = false;
        }
        --m_answering;
        if (known != nullptr) {
            const std::lock_guard lock(m_mutex);
            m_clients.erase(known);
        }
        // A request that was not understood leaves its rest in the connection.
        if (!answered || closed || client.close || known == nullptr) return;
    }
}

}  // namespace trefoil::serve
