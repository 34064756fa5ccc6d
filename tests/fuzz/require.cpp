#include "tests/fuzz/require.h"

#include "engine/tokenizer/tokenizer.h"

#include <cstdio>
#include <cstdlib>

namespace trefoil::fuzz {

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "broken promise: %s\n", what);
    std::abort();
}

void requireMessage(const Error& error) {
    require(!error.message.empty(), "an error has a message");
    require(isValidUtf8(error.message), "a message is UTF-8");
    for (const char c : error.message) require(static_cast<unsigned char>(c) >= 0x20, "a message is one line");
}

}  // namespace trefoil::fuzz
