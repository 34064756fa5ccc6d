// UTF-8, byte by byte.
#pragma once

#include <cstddef>
#include <string_view>

namespace trefoil {

/// Bytes of the well-formed UTF-8 sequence that `text` begins with (1 to 4); 0 when it begins with none. Surrogates, overlong
/// forms and code points beyond U+10FFFF are not well formed.
[[nodiscard]] std::size_t utf8SequenceLength(std::string_view text);

/// True if `text` is empty or could become well-formed UTF-8 by adding bytes: the beginning of one sequence.
[[nodiscard]] bool isUtf8Prefix(std::string_view text);

/// True if `character`, one well-formed sequence, is white space: the Unicode property White_Space, and U+001C to U+001F.
[[nodiscard]] bool isWhiteSpace(std::string_view character);

/// `text` without Unicode white space at both ends. `text` must be well formed.
[[nodiscard]] std::string_view trimWhiteSpace(std::string_view text);

}  // namespace trefoil
