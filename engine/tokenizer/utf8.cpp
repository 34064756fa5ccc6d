#include "engine/tokenizer/utf8.h"

#include "engine/tokenizer/tokenizer.h"

#include <cstdint>

namespace trefoil {

namespace {

bool isContinuation(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

// How long a sequence that starts with `lead` is, and which second bytes it may have (Unicode 15, table 3-7). length 0: no lead.
struct Lead {
    std::size_t length;
    unsigned char lowest;
    unsigned char highest;
};
Lead leadOf(unsigned char lead) {
    if (lead < 0x80) return {1, 0, 0};
    if (lead < 0xC2) return {0, 0, 0};
    if (lead < 0xE0) return {2, 0x80, 0xBF};
    if (lead == 0xE0) return {3, 0xA0, 0xBF};
    if (lead == 0xED) return {3, 0x80, 0x9F};
    if (lead < 0xF0) return {3, 0x80, 0xBF};
    if (lead == 0xF0) return {4, 0x90, 0xBF};
    if (lead < 0xF4) return {4, 0x80, 0xBF};
    if (lead == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

// Length of the well-formed part of one sequence: `available` bytes of it are there and fit so far.
bool fits(std::string_view text, const Lead& lead, std::size_t available) {
    for (std::size_t i = 1; i < available; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (i == 1 ? byte < lead.lowest || byte > lead.highest : !isContinuation(byte)) return false;
    }
    return true;
}

std::uint32_t codePoint(std::string_view sequence) {
    const auto first = static_cast<unsigned char>(sequence[0]);
    if (sequence.size() == 1) return first;
    std::uint32_t value = first & (0x7FU >> sequence.size());
    for (std::size_t i = 1; i < sequence.size(); ++i) value = (value << 6) | (static_cast<unsigned char>(sequence[i]) & 0x3FU);
    return value;
}

// The Unicode property White_Space, and the four separators U+001C to U+001F.
bool isWhiteSpace(std::uint32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

}  // namespace

bool isWhiteSpace(std::string_view character) { return isWhiteSpace(codePoint(character)); }

std::size_t utf8SequenceLength(std::string_view text) {
    if (text.empty()) return 0;
    const Lead lead = leadOf(static_cast<unsigned char>(text[0]));
    if (lead.length == 0 || text.size() < lead.length || !fits(text, lead, lead.length)) return 0;
    return lead.length;
}

bool isUtf8Prefix(std::string_view text) {
    if (text.empty()) return true;
    const Lead lead = leadOf(static_cast<unsigned char>(text[0]));
    return lead.length >= text.size() && fits(text, lead, text.size());
}

bool isValidUtf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8SequenceLength(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string_view trimWhiteSpace(std::string_view text) {
    std::size_t start = text.size();
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = utf8SequenceLength(text.substr(at));
        if (length == 0) length = 1;  // not well formed: such a byte is no white space
        const bool white = length == 1 && static_cast<unsigned char>(text[at]) >= 0x80
                               ? false
                               : isWhiteSpace(codePoint(text.substr(at, length)));
        if (!white) {
            if (start == text.size()) start = at;
            end = at + length;
        }
        at += length;
    }
    return start < end ? text.substr(start, end - start) : std::string_view();
}

}  // namespace trefoil
