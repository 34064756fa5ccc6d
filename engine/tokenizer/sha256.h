// SHA-256 (FIPS 180-4), to recognise a text by its hash.
#pragma once

#include <string>
#include <string_view>

namespace trefoil {

/// 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace trefoil
