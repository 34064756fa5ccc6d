#include "app/serve/listen_problem.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace trefoil::serve {
namespace {

/// 0, or what went wrong.
int tryToListen(const addrinfo& address) {
    const int one = ::socket(address.ai_family, address.ai_socktype, address.ai_protocol);
    if (one < 0) return errno;
    const int yes = 1;
    setsockopt(one, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    int problem = 0;
    if (::bind(one, address.ai_addr, address.ai_addrlen) != 0 || ::listen(one, 1) != 0) problem = errno;
    ::close(one);
    return problem;
}

}  // namespace

ListenProblem whyNotListening(const std::string& address, int port) {
    addrinfo wanted{};
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_PASSIVE;
    addrinfo* found = nullptr;
    if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return ListenProblem::NotThisMachine;
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
    int problem = 0;
    for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
        problem = tryToListen(*one);
        if (problem == 0) return ListenProblem::None;
    }
    switch (problem) {
        case EADDRINUSE:
            return ListenProblem::PortTaken;
        case EADDRNOTAVAIL:
        case EAFNOSUPPORT:
            return ListenProblem::NotThisMachine;
        case EACCES:
            return ListenProblem::NotAllowed;
        default:
            return ListenProblem::Other;
    }
}

}  // namespace trefoil::serve
