// The byte-level alphabet: how a tokenizer.json writes bytes as characters, so that every piece is printable text. Bytes that are
// printable in Latin-1 stand for themselves, the others are U+0100 and on, in order (a space is U+0120, "Ġ").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trefoil {

/// The character for a byte, as UTF-8 (1 or 2 bytes).
[[nodiscard]] std::string byteCharacter(std::uint8_t byte);

/// Bytes that `text` (well-formed UTF-8) stands for; nothing when a character is not of the alphabet.
[[nodiscard]] std::optional<std::string> bytesOfAlphabet(std::string_view text);

}  // namespace trefoil
