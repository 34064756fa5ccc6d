// The tree of a parsed template.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trefoil::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Expression {
    enum class Kind {
        String,  ///< text
        Int,     ///< number
        Bool,    ///< number
        None,
        List,       ///< children: the elements
        Name,       ///< text
        Attribute,  ///< children[0].text
        Item,       ///< children[0][children[1]]
        Slice,      ///< children[0][children[1]:children[2]:children[3]], each of the last three may be null
        Call,       ///< children[0](children[1]…, named)
        Filter,     ///< children[0] | text(children[1]…, named)
        Test,       ///< children[0] is text
        Not,        ///< children[0]
        Negative,   ///< children[0]
        And,        ///< children[0], children[1]
        Or,
        Binary,     ///< text is the operator: + - * // % ~ == != < <= > >= in
        Condition,  ///< children[0] if children[1] else children[2] (may be null)
    };
    Kind kind = Kind::None;
    std::string text;
    std::int64_t number = 0;
    std::vector<ExpressionPtr> children;
    std::vector<std::pair<std::string, ExpressionPtr>> named;
    int depth = 1;  ///< of this tree
};

struct Statement;
using Block = std::vector<Statement>;

struct Macro {
    std::string name;
    std::vector<std::pair<std::string, ExpressionPtr>> parameters;  ///< name and default (may be null)
    Block body;
};

struct Statement {
    enum class Kind { Text, Output, If, For, Set, SetBlock, DefineMacro };
    Kind kind = Kind::Text;
    std::string text;                ///< Text
    std::vector<std::string> names;  ///< For: loop variables. Set: a name, or a namespace and its attribute
    ExpressionPtr value;             ///< Output, For (what is gone through), Set
    ExpressionPtr filter;            ///< For: its `if`; may be null
    /// If: conditions and bodies in order, the last condition null for `else`. For: the body, then that of `else`.
    /// SetBlock: the body.
    std::vector<std::pair<ExpressionPtr, Block>> branches;
    std::unique_ptr<Macro> macro;
};

}  // namespace trefoil::jinja
