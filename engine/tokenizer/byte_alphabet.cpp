#include "engine/tokenizer/byte_alphabet.h"

#include <array>

namespace trefoil {

namespace {

constexpr std::size_t kCharacters = 324;  // U+0000 to U+0143: 68 bytes are not printable

constexpr bool isPrintable(int byte) { return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174; }

struct Alphabet {
    std::array<std::uint16_t, 256> character{};
    std::array<std::int16_t, kCharacters> byte{};
};

constexpr Alphabet makeAlphabet() {
    Alphabet alphabet;
    for (auto& byte : alphabet.byte) byte = -1;
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const int character = isPrintable(byte) ? byte : next++;
        alphabet.character[static_cast<std::size_t>(byte)] = static_cast<std::uint16_t>(character);
        alphabet.byte[static_cast<std::size_t>(character)] = static_cast<std::int16_t>(byte);
    }
    return alphabet;
}

constexpr Alphabet kAlphabet = makeAlphabet();

}  // namespace

std::string byteCharacter(std::uint8_t byte) {
    const unsigned c = kAlphabet.character[byte];
    if (c < 0x80) return {static_cast<char>(c)};
    return {static_cast<char>(0xC0U | (c >> 6)), static_cast<char>(0x80U | (c & 0x3FU))};
}

std::optional<std::string> bytesOfAlphabet(std::string_view text) {
    std::string bytes;
    bytes.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned c = static_cast<unsigned char>(text[i]);
        if (c >= 0x80) {
            if (c >= 0xE0 || i + 1 >= text.size()) return std::nullopt;
            c = ((c & 0x1FU) << 6) | (static_cast<unsigned char>(text[++i]) & 0x3FU);
        }
        if (c >= kCharacters || kAlphabet.byte[c] < 0) return std::nullopt;
        bytes += static_cast<char>(kAlphabet.byte[c]);
    }
    return bytes;
}

}  // namespace trefoil
