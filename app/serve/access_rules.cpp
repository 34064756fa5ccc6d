#include "app/serve/access_rules.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace trefoil::serve {
namespace {

constexpr std::size_t kLongestKey = 512;

bool isPort(std::string_view text) {
    return !text.empty() && text.size() <= 5 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::array<unsigned char, SHA256_DIGEST_LENGTH> digest(std::string_view text) {
    std::array<unsigned char, SHA256_DIGEST_LENGTH> out{};
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), out.data());
    return out;
}

}  // namespace

std::string lowered(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string hostOf(std::string_view authority) {
    std::string_view host = authority;
    std::string_view rest;
    if (!host.empty() && host.front() == '[') {
        const std::size_t end = host.find(']');
        if (end == std::string_view::npos) return {};
        rest = host.substr(end + 1);
        host = host.substr(1, end - 1);
        in6_addr address{};
        if (inet_pton(AF_INET6, std::string(host).c_str(), &address) != 1) return {};
    } else if (const std::size_t colon = host.find(':'); colon != std::string_view::npos) {
        rest = host.substr(colon);
        host = host.substr(0, colon);
    }
    if (!rest.empty() && (rest.front() != ':' || !isPort(rest.substr(1)))) return {};
    return lowered(host);
}

bool isAddress(std::string_view host) {
    in6_addr buffer{};
    const std::string text(host);
    return inet_pton(AF_INET, text.c_str(), &buffer) == 1 || inet_pton(AF_INET6, text.c_str(), &buffer) == 1;
}

bool isLoopback(std::string_view host) {
    in_addr four{};
    in6_addr six{};
    const std::string text = lowered(host);
    if (inet_pton(AF_INET, text.c_str(), &four) == 1) return (ntohl(four.s_addr) >> 24U) == 127;
    if (inet_pton(AF_INET6, text.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six) != 0;
    static constexpr std::string_view kBelow = ".localhost";
    return text == "localhost" || (text.size() > kBelow.size() && text.ends_with(kBelow));
}

bool AccessRules::hostAllowed(std::string_view authority) const {
    const std::string host = hostOf(authority);
    if (host.empty()) return false;
    if (isLoopback(host) || host == lowered(listen)) return true;
    if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return lowered(name) == host; })) return true;
    return !isLoopback(listen) && isAddress(host);
}

bool AccessRules::originAllowed(std::string_view origin) const {
    if (origin.empty()) return true;
    for (const std::string_view scheme : {"http://", "https://"})
        if (origin.starts_with(scheme)) {
            const std::string host = hostOf(origin.substr(scheme.size()));
            return !host.empty() && (isLoopback(host) || host == lowered(listen));
        }
    return false;
}

bool AccessRules::keyAllowed(std::string_view authorization) const {
    if (key.empty()) return true;
    static constexpr std::string_view kScheme = "bearer ";
    if (lowered(authorization.substr(0, kScheme.size())) != kScheme) return false;
    // Digests have one length, so that neither the key's length nor a common beginning shows in the time.
    const auto wanted = digest(key);
    const auto found = digest(authorization.substr(kScheme.size()));
    return CRYPTO_memcmp(wanted.data(), found.data(), wanted.size()) == 0;
}

Result<std::string> readKeyFile(const std::string& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
        return makeError(ErrorKind::NotFound, "cannot read the key file '" + path + "': " + std::strerror(errno));
    if (!S_ISREG(status.st_mode))
        return makeError(ErrorKind::InvalidArgument, "the key file '" + path + "' is not a regular file");
    if ((status.st_mode & (S_IROTH | S_IWOTH)) != 0)
        return makeError(ErrorKind::InvalidArgument, "everybody on this machine can read or change the key file '" + path + "'",
                         "chmod 600 '" + path + "'");
    std::ifstream in(path, std::ios::binary);
    std::string line;
    if (status.st_size > 65536 || !in || !std::getline(in, line))
        return makeError(ErrorKind::InvalidArgument, "the key file '" + path + "' has no key in its first line");
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) line.pop_back();
    const bool visible = std::all_of(line.begin(), line.end(), [](char c) { return c > ' ' && c < 127; });
    if (line.empty() || line.size() > kLongestKey || !visible)
        return makeError(ErrorKind::InvalidArgument,
                         "the first line of '" + path + "' is no key: 1 to " + std::to_string(kLongestKey) +
                             " visible ASCII characters without spaces",
                         "make one with: openssl rand -hex 32");
    return line;
}

}  // namespace trefoil::serve
