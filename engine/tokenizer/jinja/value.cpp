#include "engine/tokenizer/jinja/value.h"

namespace trefoil::jinja {

Value Value::none() {
    Value out;
    out.type = Type::None;
    return out;
}

Value Value::of(bool value) {
    Value out;
    out.type = Type::Bool;
    out.number = value ? 1 : 0;
    return out;
}

Value Value::of(std::int64_t value) {
    Value out;
    out.type = Type::Int;
    out.number = value;
    return out;
}

Value Value::of(std::string value) {
    Value out;
    out.type = Type::String;
    out.string = std::make_shared<const std::string>(std::move(value));
    return out;
}

Value Value::of(List value) {
    Value out;
    out.type = Type::List;
    out.list = std::make_shared<const List>(std::move(value));
    return out;
}

Value Value::of(Dict value) {
    Value out;
    out.type = Type::Dict;
    out.dict = std::make_shared<Dict>(std::move(value));
    return out;
}

bool Value::truth() const {
    switch (type) {
        case Type::Undefined:
        case Type::None:
            return false;
        case Type::Bool:
        case Type::Int:
            return number != 0;
        case Type::String:
            return !string->empty();
        case Type::List:
            return !list->empty();
        case Type::Dict:
            return isNamespace || !dict->empty();
        case Type::Macro:
            return true;
    }
    return false;
}

const Value* Value::member(const std::string& key) const {
    if (type != Type::Dict) return nullptr;
    for (const auto& entry : *dict)
        if (entry.first == key) return &entry.second;
    return nullptr;
}

bool Value::equals(const Value& other) const {
    const bool bothNumbers = (is(Type::Bool) || is(Type::Int)) && (other.is(Type::Bool) || other.is(Type::Int));
    if (bothNumbers) return number == other.number;
    if (type != other.type) return false;
    if (is(Type::String)) return *string == *other.string;
    if (is(Type::None) || is(Type::Undefined)) return true;
    throw Fault{std::string("two values are compared, each ") + typeName()};
}

const char* Value::typeName() const {
    switch (type) {
        case Type::Undefined:
            return "undefined";
        case Type::None:
            return "none";
        case Type::Bool:
            return "a truth value";
        case Type::Int:
            return "a number";
        case Type::String:
            return "a string";
        case Type::List:
            return "a list";
        case Type::Dict:
            return "a dictionary";
        case Type::Macro:
            return "a macro";
    }
    return "";
}

}  // namespace trefoil::jinja
