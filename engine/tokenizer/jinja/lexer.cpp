#include "engine/tokenizer/jinja/lexer.h"

#include "engine/tokenizer/jinja/value.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trefoil::jinja {

namespace {

constexpr std::string_view kWhite = " \t\r\n\f\v";

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void trimEnd(std::string& text) {
    const std::size_t last = text.find_last_not_of(kWhite);
    text.resize(last == std::string::npos ? 0 : last + 1);
}

bool opensTag(std::string_view text) { return text.starts_with("{{") || text.starts_with("{%") || text.starts_with("{#"); }

// lstrip_blocks: spaces between the line's start and a tag. `lineStart`: nothing stands before `text` on its line.
void trimLineStart(std::string& text, bool lineStart) {
    const std::size_t newline = text.find_last_of('\n');
    const std::size_t from = newline == std::string::npos ? 0 : newline + 1;
    if (newline == std::string::npos && !lineStart) return;
    if (text.find_first_not_of(" \t", from) == std::string::npos) text.resize(from);
}

// The inside of one tag as tokens. Knows strings, so that %} inside one does not end the tag.
class TagReader {
public:
    TagReader(std::string_view source, std::size_t at, char closing) : m_source(source), m_at(at), m_closing(closing) {}

    std::vector<Token> read() {
        for (;;) {
            m_at = std::min(m_source.find_first_not_of(kWhite, m_at), m_source.size());
            if (m_at == m_source.size()) throw Fault{"a tag is not closed"};
            if (closes()) break;
            m_tokens.push_back(token());
        }
        m_tokens.emplace_back();
        return std::move(m_tokens);
    }
    [[nodiscard]] std::size_t end() const { return m_at; }
    [[nodiscard]] bool trimAfter() const { return m_trimAfter; }

private:
    bool closes() {
        const std::string_view rest = m_source.substr(m_at);
        const std::string close = std::string(1, m_closing) + "}";
        m_trimAfter = rest.starts_with("-" + close);
        if (!m_trimAfter && !rest.starts_with(close)) return false;
        // In {{ {…} }} braces could be a dictionary's; those are not read here.
        m_at += m_trimAfter ? 3 : 2;
        return true;
    }

    Token token() {
        const char c = m_source[m_at];
        if (c == '\'' || c == '"') return string(c);
        const std::size_t begin = m_at;
        if (isDigit(c)) {
            std::int64_t number = 0;
            for (; m_at < m_source.size() && isDigit(m_source[m_at]); ++m_at) {
                if (m_at - begin > 15) throw Fault{"a number is too large"};
                number = number * 10 + (m_source[m_at] - '0');
            }
            if (m_at + 1 < m_source.size() && m_source[m_at] == '.' && isDigit(m_source[m_at + 1]))
                throw Fault{"numbers with a fraction are not supported"};
            return {Token::Kind::Int, {}, number};
        }
        if (isNameStart(c)) {
            while (m_at < m_source.size() && (isNameStart(m_source[m_at]) || isDigit(m_source[m_at]))) ++m_at;
            return {Token::Kind::Name, std::string(m_source.substr(begin, m_at - begin)), 0};
        }
        static constexpr std::array<std::string_view, 22> kSymbols = {"==", "!=", "<=", ">=", "//", "(", ")", "[", "]", ".", ",",
                                                                      ":",  "|",  "~",  "+",  "-",  "*", "/", "%", "<", ">", "="};
        for (const std::string_view symbol : kSymbols) {
            if (!m_source.substr(m_at).starts_with(symbol)) continue;
            m_at += symbol.size();
            return {Token::Kind::Symbol, std::string(symbol), 0};
        }
        throw Fault{std::string("the character ") + c + " is not supported in a tag"};
    }

    Token string(char quote) {
        Token out{Token::Kind::String, {}, 0};
        for (++m_at; m_at < m_source.size() && m_source[m_at] != quote; ++m_at) {
            char c = m_source[m_at];
            if (c == '\\') {
                if (++m_at == m_source.size()) break;
                c = m_source[m_at];
                static constexpr std::string_view kFrom = "ntr\\'\"";
                static constexpr std::string_view kTo = "\n\t\r\\'\"";
                const std::size_t known = kFrom.find(c);
                if (known == std::string_view::npos) throw Fault{std::string("the escape \\") + c + " is not supported"};
                c = kTo[known];
            }
            out.text += c;
        }
        if (m_at >= m_source.size()) throw Fault{"a string is not closed"};
        ++m_at;
        return out;
    }

    std::string_view m_source;
    std::size_t m_at;
    char m_closing;
    bool m_trimAfter = false;
    std::vector<Token> m_tokens;
};

}  // namespace

std::vector<Segment> cut(std::string_view source) {
    if (source.ends_with('\n')) source.remove_suffix(1);
    std::vector<Segment> out;
    bool lineStart = true;  // what follows begins a line of the source
    bool trimWhite = false;
    bool trimNewline = false;
    std::size_t at = 0;
    for (;;) {
        std::size_t open = source.find('{', at);
        while (open != std::string_view::npos && !opensTag(source.substr(open))) open = source.find('{', open + 1);
        std::string text(source.substr(at, open == std::string_view::npos ? open : open - at));
        if (trimWhite) {
            text.erase(0, std::min(text.find_first_not_of(kWhite), text.size()));
        } else if (trimNewline && text.starts_with('\n')) {
            text.erase(0, 1);
            lineStart = true;
        }
        const char kind = open == std::string_view::npos ? '\0' : source[open + 1];
        const bool minus = kind != '\0' && open + 2 < source.size() && source[open + 2] == '-';
        if (kind != '\0' && open + 2 < source.size() && source[open + 2] == '+') throw Fault{"{%+ is not supported"};
        if (minus)
            trimEnd(text);
        else if (kind == '%' || kind == '#')
            trimLineStart(text, lineStart);
        if (!text.empty()) out.push_back({Segment::Kind::Text, std::move(text), {}});
        if (kind == '\0') return out;
        if (kind == '#') {
            const std::size_t close = source.find("#}", open + 2);
            if (close == std::string_view::npos) throw Fault{"a comment is not closed"};
            trimWhite = source[close - 1] == '-';
            at = close + 2;
        } else {
            TagReader reader(source, open + (minus ? 3 : 2), kind == '{' ? '}' : '%');
            out.push_back({kind == '{' ? Segment::Kind::Output : Segment::Kind::Statement, {}, reader.read()});
            at = reader.end();
            trimWhite = reader.trimAfter();
        }
        trimNewline = kind != '{';
        lineStart = false;
    }
}

}  // namespace trefoil::jinja
