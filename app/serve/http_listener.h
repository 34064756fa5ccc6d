// HttpListener: cpp-httplib's server with connections of our own (connection.h): bounded in number, time and size, and known to
// whoever answers a request. Private to app/serve.
#pragma once

#include "app/serve/api_server.h"
#include "app/serve/connection.h"

#include <httplib.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace trefoil::serve {

/// A client while one of its requests is answered.
struct Client {
    Connection* connection = nullptr;
    bool close = false;  ///< the connection ends after this response: its body was not read, or it is not understood
};

class HttpListener : public httplib::Server {
public:
    /// `tls` may be null: plain HTTP. At most `connections` at a time; further ones get 503.
    HttpListener(TlsContext tls, const ConnectionLimits& limits, std::size_t connections);

    /// After binding: room for bursts of clients, which cpp-httplib's own five do not leave.
    void widenBacklog();
    /// The client that sent this request; valid while it is answered.
    [[nodiscard]] Client& client(const httplib::Request& request);
    /// Idle connections end; those that are answering go on.
    void beginStop() { m_stopping = true; }
    /// Whether a request is being read or answered.
    [[nodiscard]] bool busy() const { return m_answering > 0; }
    /// Ends the connections that are left, in the middle of whatever they do.
    void cutConnections();
    /// In the order of their coming.
    [[nodiscard]] std::vector<ServeClient> clients() const;
    /// What the client of a connection does from now on. The connection's request is being answered.
    void note(const Connection& connection, ClientActivity activity);

private:
    bool process_and_close_socket(socket_t socket) override;
    /// The number of connections with this one.
    std::size_t enter(const Connection& connection);
    void serve(Connection& connection);
    void refuse(Connection& connection) const;

    TlsContext m_tls;
    const ConnectionLimits m_limits;
    const std::size_t m_most;
    std::atomic<bool> m_stopping{false};
    std::atomic<int> m_answering{0};
    mutable std::mutex m_mutex;
    struct Entry {
        std::uint64_t number = 0;  ///< counts the connections
        ServeClient client;
    };
    std::map<const Connection*, Entry> m_connections;
    std::uint64_t m_entered = 0;
    std::map<const httplib::Request*, Client*> m_clients;
};

}  // namespace trefoil::serve
