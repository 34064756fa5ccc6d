#include "engine/tokenizer/jinja/functions.h"

#include "engine/tokenizer/utf8.h"

#include <algorithm>
#include <limits>
#include <string_view>

namespace trefoil::jinja {

namespace {

using Type = Value::Type;

const std::string& stringOf(const Value& value, const char* where) {
    if (!value.is(Type::String)) throw Fault{std::string(where) + " wants a string, found " + value.typeName()};
    return *value.string;
}
std::int64_t numberOf(const Value& value, const char* where) {
    if (!value.is(Type::Int) && !value.is(Type::Bool))
        throw Fault{std::string(where) + " wants a number, found " + value.typeName()};
    return value.number;
}
void expectArguments(const Arguments& arguments, std::size_t most, const std::string& where) {
    if (arguments.size() > most) throw Fault{where + " has more arguments than are supported"};
}
// Characters are counted one byte each, so nothing beyond ASCII may be counted.
void expectAscii(const std::string& text) {
    if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
        throw Fault{"characters beyond ASCII are counted"};
}

Value strip(const std::string& text, const Arguments& arguments, bool atStart, bool atEnd) {
    std::string_view out = text;
    if (arguments.empty() || arguments[0].is(Type::None)) {
        const std::string_view core = trimWhiteSpace(out);
        if (core.empty()) return Value::of("");
        const auto before = static_cast<std::size_t>(core.data() - out.data());
        if (atEnd) out = out.substr(0, before + core.size());
        if (atStart) out.remove_prefix(before);
        return Value::of(std::string(out));
    }
    const std::string& letters = stringOf(arguments[0], "strip");
    expectAscii(letters);
    if (atStart) out.remove_prefix(std::min(out.find_first_not_of(letters), out.size()));
    if (atEnd) out = out.substr(0, out.find_last_not_of(letters) + 1);
    return Value::of(std::string(out));
}

Value split(const std::string& text, const Arguments& arguments) {
    if (arguments.size() != 1) throw Fault{"split is supported with a separator only"};
    const std::string& separator = stringOf(arguments[0], "split");
    if (separator.empty()) throw Fault{"split has an empty separator"};
    Value::List parts;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = text.find(separator, from)) != std::string::npos; from = at + separator.size())
        parts.push_back(Value::of(text.substr(from, at - from)));
    parts.push_back(Value::of(text.substr(from)));
    return Value::of(std::move(parts));
}

Value replace(const std::string& text, const Arguments& arguments) {
    if (arguments.size() != 2) throw Fault{"replace is supported with two arguments only"};
    const std::string& from = stringOf(arguments[0], "replace");
    const std::string& to = stringOf(arguments[1], "replace");
    if (from.empty()) throw Fault{"replace has an empty search text"};
    std::string out;
    std::size_t done = 0;
    for (std::size_t at = 0; (at = text.find(from, done)) != std::string::npos; done = at + from.size()) {
        out.append(text, done, at - done).append(to);
        if (out.size() > std::size_t{1} << 20) throw Fault{"a text grows too long"};
    }
    return Value::of(out.append(text, done));
}

Value lengthOf(const Value& value) {
    if (value.is(Type::List)) return Value::of(static_cast<std::int64_t>(value.list->size()));
    if (value.is(Type::Dict)) return Value::of(static_cast<std::int64_t>(value.dict->size()));
    std::int64_t count = 0;
    for (const char c : stringOf(value, "length")) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
    return Value::of(count);
}

Value itemsOf(const Value& value) {
    if (!value.is(Type::Dict)) throw Fault{std::string("items wants a dictionary, found ") + value.typeName()};
    Value::List out;
    for (const auto& entry : *value.dict) out.push_back(Value::of(Value::List{Value::of(entry.first), entry.second}));
    return Value::of(std::move(out));
}

bool contains(const Value& container, const Value& value) {
    switch (container.type) {
        case Type::String:
            return container.string->find(stringOf(value, "in")) != std::string::npos;
        case Type::List:
            return std::any_of(container.list->begin(), container.list->end(), [&](const Value& v) { return v.equals(value); });
        case Type::Dict:
            return container.member(stringOf(value, "in")) != nullptr;
        default:
            throw Fault{std::string("\"in\" wants something to look through, found ") + container.typeName()};
    }
}

Value arithmetic(char op, std::int64_t a, std::int64_t b) {
    std::int64_t out = 0;
    bool overflow = false;
    switch (op) {
        case '+':
            overflow = __builtin_add_overflow(a, b, &out);
            break;
        case '-':
            overflow = __builtin_sub_overflow(a, b, &out);
            break;
        case '*':
            overflow = __builtin_mul_overflow(a, b, &out);
            break;
        default: {
            if (b == 0) throw Fault{"a division by zero"};
            overflow = b == -1 && a == std::numeric_limits<std::int64_t>::min();
            if (overflow) break;
            // Python rounds down, and the remainder has the divisor's sign.
            const bool down = a % b != 0 && ((a % b < 0) != (b < 0));
            out = op == '/' ? a / b - (down ? 1 : 0) : a % b + (down ? b : 0);
        }
    }
    if (overflow) throw Fault{"a number grows too large"};
    return Value::of(out);
}

bool lessThan(const Value& left, const Value& right) {
    if (left.is(Type::String)) return *left.string < stringOf(right, "a comparison");
    return numberOf(left, "a comparison") < numberOf(right, "a comparison");
}

}  // namespace

std::string textOf(const Value& value) {
    switch (value.type) {
        case Type::Undefined:
            return "";
        case Type::None:
            return "None";
        case Type::Bool:
            return value.number != 0 ? "True" : "False";
        case Type::Int:
            return std::to_string(value.number);
        case Type::String:
            return *value.string;
        default:
            throw Fault{std::string(value.typeName()) + " is written out"};
    }
}

Value applyFilter(const std::string& name, const Value& value, const Arguments& arguments) {
    const auto plain = [&] { expectArguments(arguments, 0, "the filter " + name); };
    if (name == "trim") return strip(stringOf(value, "trim"), arguments, true, true);
    if (name == "default" || name == "d") {
        if (arguments.size() == 1) return value.is(Type::Undefined) ? arguments[0] : value;
        if (arguments.size() == 2) return arguments[1].truth() && !value.truth() ? arguments[0] : value;
        throw Fault{"the filter default has no value"};
    }
    if (name == "replace") return replace(stringOf(value, "replace"), arguments);
    plain();
    if (name == "length" || name == "count") return lengthOf(value);
    if (name == "string" || name == "safe") return Value::of(textOf(value));
    if (name == "items") return itemsOf(value);
    if (name == "list" && value.is(Type::List)) return value;
    if ((name == "first" || name == "last") && value.is(Type::List)) {
        if (value.list->empty()) return {};
        return name == "first" ? value.list->front() : value.list->back();
    }
    throw Fault{"the filter " + name + " is not supported for " + value.typeName()};
}

bool applyTest(const std::string& name, const Value& value) {
    if (name == "defined") return !value.is(Type::Undefined);
    if (name == "undefined") return value.is(Type::Undefined);
    if (name == "none") return value.is(Type::None);
    if (name == "string") return value.is(Type::String);
    if (name == "mapping") return value.is(Type::Dict) && !value.isNamespace;
    if (name == "boolean") return value.is(Type::Bool);
    if (name == "integer") return value.is(Type::Int);
    if (name == "number") return value.is(Type::Int) || value.is(Type::Bool);
    if (name == "true") return value.is(Type::Bool) && value.number != 0;
    if (name == "false") return value.is(Type::Bool) && value.number == 0;
    // An undefined value can be gone through in Jinja: it is empty.
    if (name == "iterable" || name == "sequence")
        return value.is(Type::String) || value.is(Type::List) || value.is(Type::Dict) || value.is(Type::Undefined);
    throw Fault{"the test " + name + " is not supported"};
}

Value callMethod(const Value& object, const std::string& name, const Arguments& arguments) {
    expectArguments(arguments, 2, name);
    if (object.is(Type::Dict)) {
        if (name == "items" && arguments.empty()) return itemsOf(object);
        if (name == "get" && !arguments.empty()) {
            const Value* found = object.member(stringOf(arguments[0], "get"));
            return found != nullptr ? *found : arguments.size() == 2 ? arguments[1] : Value::none();
        }
    } else if (object.is(Type::String)) {
        const std::string& text = *object.string;
        if (name == "strip") return strip(text, arguments, true, true);
        if (name == "lstrip") return strip(text, arguments, true, false);
        if (name == "rstrip") return strip(text, arguments, false, true);
        if (name == "split") return split(text, arguments);
        if (name == "replace") return replace(text, arguments);
        if (name == "startswith" && arguments.size() == 1)
            return Value::of(text.starts_with(stringOf(arguments[0], "startswith")));
        if (name == "endswith" && arguments.size() == 1) return Value::of(text.ends_with(stringOf(arguments[0], "endswith")));
    }
    throw Fault{"calling " + name + " on " + object.typeName() + " is not supported"};
}

Value applyOperator(const std::string& op, const Value& left, const Value& right) {
    if (op == "==") return Value::of(left.equals(right));
    if (op == "!=") return Value::of(!left.equals(right));
    if (op == "in") return Value::of(contains(right, left));
    if (op == "<") return Value::of(lessThan(left, right));
    if (op == ">") return Value::of(lessThan(right, left));
    if (op == "<=") return Value::of(!lessThan(right, left));
    if (op == ">=") return Value::of(!lessThan(left, right));
    if (op == "~") return Value::of(textOf(left) + textOf(right));
    if (op == "+" && left.is(Type::String)) return Value::of(*left.string + stringOf(right, "+ after a string"));
    if (op == "+" && left.is(Type::List) && right.is(Type::List)) {
        Value::List out = *left.list;
        out.insert(out.end(), right.list->begin(), right.list->end());
        return Value::of(std::move(out));
    }
    if (op == "/") throw Fault{"numbers with a fraction are not supported"};
    return arithmetic(op[0], numberOf(left, op.c_str()), numberOf(right, op.c_str()));
}

Value itemOf(const Value& object, const Value& index) {
    if (object.is(Type::Dict)) {
        const Value* found = object.member(stringOf(index, "a dictionary's index"));
        return found != nullptr ? *found : Value();
    }
    std::int64_t at = numberOf(index, "an index");
    if (object.is(Type::String)) expectAscii(*object.string);
    if (!object.is(Type::List) && !object.is(Type::String)) throw Fault{std::string("an index into ") + object.typeName()};
    const auto size = static_cast<std::int64_t>(object.is(Type::List) ? object.list->size() : object.string->size());
    if (at < 0) at += size;
    if (at < 0 || at >= size) return {};
    return object.is(Type::List) ? (*object.list)[static_cast<std::size_t>(at)]
                                 : Value::of(std::string(1, (*object.string)[static_cast<std::size_t>(at)]));
}

Value sliceOf(const Value& object, const Value& first, const Value& last, const Value& step) {
    const bool isList = object.is(Type::List);
    if (!isList) expectAscii(stringOf(object, "a slice"));
    const auto size = static_cast<std::int64_t>(isList ? object.list->size() : object.string->size());
    const auto missing = [](const Value& v) { return v.is(Type::Undefined) || v.is(Type::None); };
    const std::int64_t by = missing(step) ? 1 : numberOf(step, "a slice");
    if (by != 1 && by != -1) throw Fault{"slices are supported with steps of 1 and -1 only"};
    const auto bound = [&](const Value& v, std::int64_t otherwise) {
        if (missing(v)) return otherwise;
        std::int64_t at = numberOf(v, "a slice");
        if (at < 0) at = std::max(at, -size - 1) + size;
        return by > 0 ? std::clamp<std::int64_t>(at, 0, size) : std::clamp<std::int64_t>(at, -1, size - 1);
    };
    const std::int64_t begin = bound(first, by > 0 ? 0 : size - 1);
    const std::int64_t end = bound(last, by > 0 ? size : -1);
    Value::List items;
    std::string text;
    for (std::int64_t at = begin; by > 0 ? at < end : at > end; at += by) {
        if (isList)
            items.push_back((*object.list)[static_cast<std::size_t>(at)]);
        else
            text += (*object.string)[static_cast<std::size_t>(at)];
    }
    return isList ? Value::of(std::move(items)) : Value::of(std::move(text));
}

}  // namespace trefoil::jinja
