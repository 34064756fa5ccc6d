// What a message quotes of a file.
#pragma once

#include <cstddef>
#include <string>

namespace trefoil {

/// The first `bytes` bytes of UTF-8 text at most, whole characters only.
[[nodiscard]] inline std::string startOf(std::string text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
    text.resize(bytes);
    return text;
}

}  // namespace trefoil
