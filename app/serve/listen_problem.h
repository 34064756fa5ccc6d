// Why an address and port cannot be listened on. The HTTP library only says that it failed.
#pragma once

#include <cstdint>
#include <string>

namespace trefoil::serve {

enum class ListenProblem : std::uint8_t {
    None,            ///< it works now
    PortTaken,       ///< another program listens there
    NotThisMachine,  ///< no address of this machine, or a name that is not known
    NotAllowed,      ///< a port that only the administrator may use
    Other,
};

/// Tries it, as the server does, and gives it up again. A name is looked up, which may take seconds.
[[nodiscard]] ListenProblem whyNotListening(const std::string& address, int port);

}  // namespace trefoil::serve
