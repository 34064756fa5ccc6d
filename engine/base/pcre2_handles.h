// PCRE2's objects as owners, and its errors in words. Private to the engine.
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <memory>
#include <string>

namespace trefoil {

struct FreePcre2 {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

/// Owns one object; null where PCRE2 had no memory for it.
template <class T>
using Pcre2Handle = std::unique_ptr<T, FreePcre2>;

/// What PCRE2 says about one of its error numbers.
[[nodiscard]] inline std::string pcre2Message(int number) {
    std::array<PCRE2_UCHAR, 160> text{};
    const int length = pcre2_get_error_message(number, text.data(), text.size());
    return length < 0 ? "error " + std::to_string(number) : std::string(reinterpret_cast<const char*>(text.data()));
}

}  // namespace trefoil
