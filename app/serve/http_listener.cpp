#include "app/serve/http_listener.h"

#include <sys/socket.h>

#include <chrono>
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

/// What a client calls itself, as far as it can be shown.
std::string programOf(const httplib::Request& request) {
    constexpr std::size_t kShown = 80;
    std::string name = request.get_header_value("User-Agent").substr(0, kShown);
    std::erase_if(name, [](char c) { return c < ' ' || c > '~'; });
    return name;
}

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

std::vector<ServeClient> HttpListener::clients() const {
    const std::lock_guard lock(m_mutex);
    std::map<std::uint64_t, const ServeClient*> inOrder;
    for (const auto& entry : m_connections) inOrder[entry.second.number] = &entry.second.client;
    std::vector<ServeClient> out;
    out.reserve(inOrder.size());
    for (const auto& entry : inOrder) out.push_back(*entry.second);
    return out;
}

void HttpListener::note(const Connection& connection, ClientActivity activity) {
    const std::lock_guard lock(m_mutex);
    m_connections.at(&connection).client.activity = activity;
}

bool HttpListener::process_and_close_socket(socket_t socket) {
    try {
        Connection connection(socket, m_limits, m_stopping);
        const bool tooMany = enter(connection) > m_most;
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

std::size_t HttpListener::enter(const Connection& connection) {
    std::string address;
    int port = 0;
    connection.get_remote_ip_and_port(address, port);
    if (address.find(':') != std::string::npos) address = '[' + address + ']';
    ServeClient client{address + ':' + std::to_string(port), {}, std::chrono::system_clock::now()};
    const std::lock_guard lock(m_mutex);
    m_connections[&connection] = {++m_entered, std::move(client)};
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
            std::string program = programOf(request);
            const std::lock_guard lock(m_mutex);
            m_clients[known] = &client;
            ServeClient& shown = m_connections.at(&connection).client;
            shown.program = std::move(program);
            shown.activity = ClientActivity::Asking;
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
            m_connections.at(&connection).client.activity = ClientActivity::Idle;
        }
        // A request that was not understood leaves its rest in the connection.
        if (!answered || closed || client.close || known == nullptr) return;
    }
}

}  // namespace trefoil::serve
