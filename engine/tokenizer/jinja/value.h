// Value: what a template computes with. Copies share strings, lists and dictionaries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trefoil::jinja {

/// Why a template cannot be rendered here, in one line. Thrown inside this folder only.
struct Fault {
    std::string reason;
};

struct Macro;

struct Value {
    enum class Type { Undefined, None, Bool, Int, String, List, Dict, Macro };
    using List = std::vector<Value>;
    using Dict = std::vector<std::pair<std::string, Value>>;

    Type type = Type::Undefined;
    std::int64_t number = 0;  ///< of Bool and Int
    std::shared_ptr<const std::string> string;
    std::shared_ptr<const List> list;
    std::shared_ptr<Dict> dict;  ///< only namespaces are changed
    bool isNamespace = false;
    const Macro* macro = nullptr;  ///< owned by the parsed template

    static Value none();
    static Value of(bool value);
    static Value of(std::int64_t value);
    static Value of(std::string value);
    static Value of(const char* value) { return of(std::string(value)); }
    static Value of(List value);
    static Value of(Dict value);

    [[nodiscard]] bool is(Type other) const { return type == other; }
    [[nodiscard]] bool truth() const;
    /// Member of a dictionary; nullptr when this is none or has none.
    [[nodiscard]] const Value* member(const std::string& key) const;
    /// As Python's ==. Lists and dictionaries are not compared (Fault).
    [[nodiscard]] bool equals(const Value& other) const;
    /// "a string", "a list", … for messages.
    [[nodiscard]] const char* typeName() const;
};

}  // namespace trefoil::jinja
