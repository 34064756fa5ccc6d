// NamePatterns: lists of modules as quantization_config names them: exact names, class names, and regular expressions after
// "re:".
#pragma once

#include "engine/base/result.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// Patterns of `targets` and `ignore` (compressed-tensors) and of `quantize --keep`. Immutable; copies share the compiled code.
class NamePatterns {
public:
    /// Entries "re:EXPRESSION" match names that begin with the expression (as Python's re.match), all others the whole name.
    /// Format error, naming `source`, on a bad expression; Unsupported when there are too many or one is too long.
    static Result<NamePatterns> compile(std::span<const std::string> entries, const std::string& source);

    /// Whether any entry matches. An error when an expression needs too many steps for a name.
    [[nodiscard]] Result<bool> matches(std::string_view name) const;
    /// Whether one entry is exactly this text, e.g. the class name "Linear".
    [[nodiscard]] bool lists(std::string_view text) const;
    [[nodiscard]] bool empty() const { return m_names.empty() && m_expressions.empty(); }

private:
    struct Expression;
    std::vector<std::string> m_names;  // sorted
    std::vector<std::shared_ptr<const Expression>> m_expressions;
};

}  // namespace trefoil
