// Who may ask: the Host and Origin headers against rebound names, and the key. Pure.
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace trefoil::serve {

/// `text` with its ASCII letters in lower case.
[[nodiscard]] std::string lowered(std::string_view text);

/// A host without port or brackets, in lower case: "localhost", "127.0.0.1", "::1"; empty when `authority` is none.
[[nodiscard]] std::string hostOf(std::string_view authority);

/// True for "localhost", names below it, 127.0.0.0/8 and ::1.
[[nodiscard]] bool isLoopback(std::string_view host);

/// True for an IPv4 or IPv6 address.
[[nodiscard]] bool isAddress(std::string_view host);

struct AccessRules {
    std::string listen;              ///< the address that is listened on, as the person gave it
    std::vector<std::string> names;  ///< further names by which clients may call this machine
    std::string key;                 ///< empty: none is asked for

    /// Against a page whose name was made to point here: the Host header must name this machine, by loopback, the address
    /// listened on, one of `names`, or, where listening is not on loopback alone, any address (an address cannot be rebound).
    [[nodiscard]] bool hostAllowed(std::string_view authority) const;
    /// Pages of this machine only. No Origin (empty) is no page.
    [[nodiscard]] bool originAllowed(std::string_view origin) const;
    /// The Authorization header holds the key. Takes the same time for every wrong key.
    [[nodiscard]] bool keyAllowed(std::string_view authorization) const;
};

/// The key in the first line of a file. Refuses a file that others may read, no regular file, and a key that is empty, longer
/// than 512 characters or not of visible ASCII.
[[nodiscard]] Result<std::string> readKeyFile(const std::string& path);

}  // namespace trefoil::serve
