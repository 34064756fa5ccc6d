#include "engine/tokenizer/split_pattern.h"

#include "engine/base/pcre2_handles.h"
#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/utf8.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <optional>

namespace trefoil {

namespace {

constexpr std::size_t kLongestExpression = 32U << 10;
constexpr std::uint32_t kHeapKibibytes = 64U << 10;
constexpr std::uint32_t kDepth = 1U << 20;
// Steps of one match: a long run of spaces takes a few a byte, nothing useful takes more.
constexpr std::uint32_t kSteps = 1U << 20;

// Turns Ruby's syntax into PCRE2's where both have a way to say it.
class Translator {
public:
    explicit Translator(std::string_view expression) : m_in(expression) {}

    /// The construct that cannot be taken over, or nothing; then out() is the expression.
    std::optional<std::string> run() {
        while (m_at < m_in.size()) {
            if (auto fault = step()) return fault;
        }
        return std::nullopt;
    }
    std::string& out() { return m_out; }

private:
    std::optional<std::string> step() {
        const char c = m_in[m_at];
        if (c == '\\') return escape();
        if (m_inClass) {
            if (c == '[') return "a class inside a class";
            if (m_in.substr(m_at).starts_with("&&")) return "an intersection of classes (&&)";
            if (c == ']' && m_at > m_classStart) m_inClass = false;
        } else if (c == '[') {
            m_inClass = true;
            m_classStart = m_at + (m_in.substr(m_at + 1).starts_with("^") ? 2 : 1);
            if (m_in.substr(m_classStart).starts_with("]")) return "a class that starts with ]";
        } else if (c == '(') {
            if (auto fault = group()) return fault;
        }
        m_out += c;
        ++m_at;
        return std::nullopt;
    }

    std::optional<std::string> escape() {
        const std::string_view pair = m_in.substr(m_at, 2);
        if (pair.size() < 2) return "a backslash at the end";
        m_at += 2;
        // PCRE2's \s holds U+180E, which is no white space any more.
        if (pair[1] == 's') {
            m_out += "\\p{White_Space}";
        } else if (pair[1] == 'S') {
            m_out += "\\P{White_Space}";
        } else if (std::string_view("wWbBhHvVRXKGCQEyYOgkouULlN").find(pair[1]) != std::string_view::npos) {
            return std::string(pair);
        } else {
            m_out += pair;
        }
        return std::nullopt;
    }

    // Verbs are PCRE2's alone, and the letter m of an option means something else.
    std::optional<std::string> group() const {
        const std::string_view rest = m_in.substr(m_at);
        if (rest.starts_with("(*")) return "(*";
        if (!rest.starts_with("(?")) return std::nullopt;
        for (const char letter : rest.substr(2)) {
            if (letter == 'm') return "the option m";
            if (letter != 'i' && letter != 'x' && letter != '-') break;
        }
        for (const char* other : {"(?C", "(?R", "(?&", "(?P", "(?~", "(?(", "(?|"})
            if (rest.starts_with(other)) return std::string(other);
        return std::nullopt;
    }

    std::string_view m_in;
    std::string m_out;
    std::size_t m_at = 0;
    std::size_t m_classStart = 0;
    bool m_inClass = false;
};

}  // namespace

struct SplitPattern::Code {
    Pcre2Handle<pcre2_code> code;
    Pcre2Handle<pcre2_match_context> limits;
};

Result<SplitPattern> SplitPattern::compile(std::string_view expression, const std::string& source) {
    if (expression.size() > kLongestExpression)
        return makeError(ErrorKind::Unsupported, source + ": the split pattern has " + std::to_string(expression.size()) +
                                                     " bytes; at most " + std::to_string(kLongestExpression) + " are read");
    Translator translator(expression);
    if (const auto construct = translator.run())
        return makeError(ErrorKind::Unsupported, source + ": the split pattern \"" + printable(expression) + "\" uses " +
                                                     printable(*construct) + ", which cannot be used here");
    const Pcre2Handle<pcre2_compile_context> context(pcre2_compile_context_create(nullptr));
    auto code = std::make_shared<Code>();
    code->limits.reset(pcre2_match_context_create(nullptr));
    if (!context || !code->limits) throw std::bad_alloc();
    pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
    int error = 0;
    PCRE2_SIZE offset = 0;
    // MULTILINE: ^ and $ are line anchors in Ruby's syntax.
    code->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(translator.out().data()), translator.out().size(),
                                   PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &offset,
                                   context.get()));
    if (!code->code)
        return makeError(ErrorKind::Format,
                         source + ": the split pattern \"" + printable(expression) + "\" is no regular expression: " +
                             printable(pcre2Message(error)) + ", near byte " + std::to_string(offset),
                         "fetch the model's tokenizer.json again");
    // Where there is no JIT (another processor, memory that may not be executed), the interpreter runs the same code.
    pcre2_jit_compile(code->code.get(), PCRE2_JIT_COMPLETE);
    pcre2_set_match_limit(code->limits.get(), kSteps);
    pcre2_set_depth_limit(code->limits.get(), kDepth);
    pcre2_set_heap_limit(code->limits.get(), kHeapKibibytes);
    SplitPattern pattern;
    pattern.m_code = std::move(code);
    return pattern;
}

struct SplitPattern::Search::State {
    Pcre2Handle<pcre2_match_data> data;
};

SplitPattern::Search::Search(const SplitPattern& pattern, std::string_view text)
    : m_pattern(pattern), m_text(text), m_state(std::make_unique<State>()) {
    m_state->data.reset(pcre2_match_data_create(1, nullptr));
    if (!m_state->data) throw std::bad_alloc();
}

SplitPattern::Search::~Search() = default;

Result<bool> SplitPattern::Search::next() {
    if (m_from > m_text.size()) return false;
    const auto match = [this](std::uint32_t options) {
        return pcre2_match(m_pattern.m_code->code.get(), reinterpret_cast<PCRE2_SPTR>(m_text.data()), m_text.size(), m_from,
                           PCRE2_NO_UTF_CHECK | options, m_state->data.get(), m_pattern.m_code->limits.get());
    };
    int found = match(0);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT) found = match(PCRE2_NO_JIT);
    if (found == PCRE2_ERROR_NOMATCH) {
        m_from = m_text.size() + 1;
        return false;
    }
    if (found == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
    if (found < 0)
        return makeError(
            ErrorKind::Unsupported,
            "the tokenizer's split pattern cannot be used on this text: " + printable(pcre2Message(found)),
            "shorten the text around its byte " + std::to_string(m_from) + ", or fetch the model's tokenizer.json again");
    const PCRE2_SIZE* range = pcre2_get_ovector_pointer(m_state->data.get());
    m_begin = range[0];
    m_end = std::max(range[0], range[1]);
    m_from = m_end;
    // After an empty match the search goes on one character further.
    if (m_begin == m_end)
        m_from += m_end < m_text.size() ? std::max<std::size_t>(utf8SequenceLength(m_text.substr(m_end)), 1) : 1;
    return true;
}

}  // namespace trefoil
