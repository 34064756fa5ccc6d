#include "engine/tokenizer/nfc.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace trefoil {

namespace {

// No character below U+0300 combines or decomposes under NFC, and U+0300 is the first whose UTF-8 starts with 0xCC. A text with
// any other character takes the full way: a finer check would have to know the order of marks as well.
bool isCertainlyNfc(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0xCC; });
}

}  // namespace

std::string_view toNfc(std::string_view text, std::string& buffer) {
    if (isCertainlyNfc(text)) return text;
    utf8proc_uint8_t* out = nullptr;
    const auto length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &out,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(out, &std::free);
    if (length == UTF8PROC_ERROR_NOMEM) throw std::bad_alloc();
    if (length < 0 || out == nullptr) return text;  // not well formed, which the caller ruled out
    buffer.assign(reinterpret_cast<const char*>(out), static_cast<std::size_t>(length));
    return buffer;
}

}  // namespace trefoil
