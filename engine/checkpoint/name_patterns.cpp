#include "engine/checkpoint/name_patterns.h"

#include "engine/base/pcre2_handles.h"
#include "engine/checkpoint/input_file.h"

#include <algorithm>
#include <new>

namespace trefoil {
namespace {

constexpr std::string_view kExpressionMark = "re:";
constexpr std::size_t kMostExpressions = 4096;
constexpr std::size_t kLongestExpression = 4096;
// Names are short; expressions that need more than this are made to need more.
constexpr std::uint32_t kSteps = 100'000;
constexpr std::uint32_t kDepth = 1000;

}  // namespace

struct NamePatterns::Expression {
    std::string text;
    Pcre2Handle<pcre2_code> code;
    Pcre2Handle<pcre2_match_context> limits;
};

Result<NamePatterns> NamePatterns::compile(std::span<const std::string> entries, const std::string& source) {
    NamePatterns out;
    for (const std::string& entry : entries) {
        if (!entry.starts_with(kExpressionMark)) {
            out.m_names.push_back(entry);
            continue;
        }
        auto expression = std::make_shared<Expression>();
        expression->text = entry.substr(kExpressionMark.size());
        if (out.m_expressions.size() >= kMostExpressions || expression->text.size() > kLongestExpression)
            return makeError(ErrorKind::Unsupported, source + ": at most " + std::to_string(kMostExpressions) +
                                                         " expressions of " + std::to_string(kLongestExpression) +
                                                         " bytes each are read");
        int error = 0;
        PCRE2_SIZE offset = 0;
        expression->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression->text.data()), expression->text.size(),
                                             PCRE2_ANCHORED | PCRE2_NEVER_BACKSLASH_C, &error, &offset, nullptr));
        if (!expression->code)
            return makeError(ErrorKind::Format, source + ": \"" + printable(entry) + "\" is no regular expression: " +
                                                    printable(pcre2Message(error)) + ", near byte " + std::to_string(offset));
        expression->limits.reset(pcre2_match_context_create(nullptr));
        if (!expression->limits) throw std::bad_alloc();
        pcre2_set_match_limit(expression->limits.get(), kSteps);
        pcre2_set_depth_limit(expression->limits.get(), kDepth);
        out.m_expressions.push_back(std::move(expression));
    }
    std::sort(out.m_names.begin(), out.m_names.end());
    return out;
}

Result<bool> NamePatterns::matches(std::string_view name) const {
    if (lists(name)) return true;
    for (const auto& expression : m_expressions) {
        const Pcre2Handle<pcre2_match_data> data(pcre2_match_data_create(1, nullptr));
        if (!data) throw std::bad_alloc();
        const int found = pcre2_match(expression->code.get(), reinterpret_cast<PCRE2_SPTR>(name.data()), name.size(), 0, 0,
                                      data.get(), expression->limits.get());
        if (found >= 0) return true;
        if (found != PCRE2_ERROR_NOMATCH)
            return makeError(ErrorKind::Unsupported,
                             "the expression \"" + printable(expression->text) + "\" takes too many steps on " + printable(name));
    }
    return false;
}

bool NamePatterns::lists(std::string_view text) const {
    return std::binary_search(m_names.begin(), m_names.end(), text, std::less<>());
}

}  // namespace trefoil
