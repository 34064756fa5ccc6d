// Unicode normalisation form C, by utf8proc.
#pragma once

#include <string>
#include <string_view>

namespace trefoil {

/// `text` (well-formed UTF-8) in NFC: `text` itself where it certainly is already, otherwise a view into `buffer`.
[[nodiscard]] std::string_view toNfc(std::string_view text, std::string& buffer);

}  // namespace trefoil
