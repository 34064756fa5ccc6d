// SplitPattern: the regular expression by which a tokenizer.json cuts text before its merges, run by PCRE2. The expressions are
// written for Oniguruma (Ruby's syntax), so what would mean something else to PCRE2 is translated or refused; and they come from
// a file, so steps, depth and memory of a match are limited.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace trefoil {

class SplitPattern {
public:
    /// Unsupported, naming `source` and the construct, for what is not translated; Format for what is no expression.
    static Result<SplitPattern> compile(std::string_view expression, const std::string& source);

    /// Finds one match after the other in one text. For one thread; the pattern may be shared.
    class Search {
    public:
        /// `text` must be well-formed UTF-8; both must outlive this object.
        Search(const SplitPattern& pattern, std::string_view text);
        ~Search();
        Search(const Search&) = delete;
        Search& operator=(const Search&) = delete;

        /// The next match, which may be empty: true and [begin, end); false when there is none. An error when it needs more steps
        /// or memory than a match may take.
        Result<bool> next();
        [[nodiscard]] std::size_t begin() const { return m_begin; }
        [[nodiscard]] std::size_t end() const { return m_end; }

    private:
        struct State;
        const SplitPattern& m_pattern;
        std::string_view m_text;
        std::unique_ptr<State> m_state;
        std::size_t m_from = 0;
        std::size_t m_begin = 0;
        std::size_t m_end = 0;
    };

private:
    SplitPattern() = default;
    struct Code;
    std::shared_ptr<const Code> m_code;
};

}  // namespace trefoil
