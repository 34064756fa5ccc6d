// Cuts a template into text, output tags and statement tags, and a tag into tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil::jinja {

struct Token {
    enum class Kind { Name, String, Int, Symbol, End };
    Kind kind = Kind::End;
    std::string text;  ///< a string without its quotes and escapes
    std::int64_t number = 0;
};

struct Segment {
    enum class Kind { Text, Output, Statement };
    Kind kind = Kind::Text;
    std::string text;           ///< of Text
    std::vector<Token> tokens;  ///< of the others, with an End
};

/// White space as with trim_blocks and lstrip_blocks, which is how Hugging Face's library renders chat templates. Throws Fault.
std::vector<Segment> cut(std::string_view source);

}  // namespace trefoil::jinja
