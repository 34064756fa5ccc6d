#include "engine/tokenizer/jinja/renderer.h"

#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/jinja/functions.h"
#include "engine/tokenizer/jinja/lexer.h"
#include "engine/tokenizer/jinja/parser.h"
#include "engine/tokenizer/jinja/syntax.h"

#include <exception>
#include <utility>

namespace trefoil::jinja {

namespace {

using Kind = Expression::Kind;
using Type = Value::Type;

constexpr std::size_t kLargestTemplate = 256U << 10;
constexpr std::size_t kLongestOutput = 64U << 10;
// Steps, and bytes and elements of every value that is made: bounds time and memory alike.
constexpr std::int64_t kBudget = 4 << 20;
constexpr int kDeepestCall = 16;

class Renderer {
public:
    explicit Renderer(Value::Dict globals) { m_scopes.push_back(std::move(globals)); }

    std::string run(const Block& block) {
        std::string out;
        execute(block, out);
        return out;
    }

private:
    void spend(std::size_t amount) {
        m_budget -= static_cast<std::int64_t>(amount) + 1;
        if (m_budget < 0) throw Fault{"it needs more work than is allowed"};
    }
    Value paid(Value value) {
        spend(value.is(Type::String) ? value.string->size() : value.is(Type::List) ? 8 * value.list->size() : 0);
        return value;
    }

    void write(const std::string& text, std::string& out) {
        spend(text.size());
        out += text;
        if (out.size() > kLongestOutput) throw Fault{"its text is longer than is allowed"};
    }

    void execute(const Block& block, std::string& out) {
        for (const Statement& statement : block) execute(statement, out);
    }

    void execute(const Statement& s, std::string& out) {
        spend(0);
        switch (s.kind) {
            case Statement::Kind::Text:
                return write(s.text, out);
            case Statement::Kind::Output:
                return write(textOf(evaluate(*s.value)), out);
            case Statement::Kind::If:
                for (const auto& branch : s.branches) {
                    if (branch.first && !evaluate(*branch.first).truth()) continue;
                    return execute(branch.second, out);
                }
                return;
            case Statement::Kind::For:
                return executeFor(s, out);
            case Statement::Kind::Set:
                return assign(s.names, evaluate(*s.value));
            case Statement::Kind::SetBlock: {
                std::string text;
                execute(s.branches[0].second, text);
                return assign(s.names, Value::of(std::move(text)));
            }
            case Statement::Kind::DefineMacro: {
                Value macro;
                macro.type = Type::Macro;
                macro.macro = s.macro.get();
                return assign({s.macro->name}, std::move(macro));
            }
        }
    }

    static void put(Value::Dict& dict, const std::string& name, Value value) {
        for (auto& entry : dict) {
            if (entry.first != name) continue;
            entry.second = std::move(value);
            return;
        }
        dict.emplace_back(name, std::move(value));
    }

    void assign(const std::vector<std::string>& names, Value value) {
        if (names.size() == 1) return put(m_scopes.back(), names[0], std::move(value));
        const Value target = lookUp(names[0]);
        if (!target.isNamespace) throw Fault{"\"" + printable(names[0]) + "\" is no namespace"};
        // A namespace that held itself would never be freed.
        if (value.is(Type::Dict) || value.is(Type::List)) throw Fault{"a namespace holds a list or a dictionary"};
        put(*target.dict, names[1], std::move(value));
    }

    Value lookUp(const std::string& name) const {
        for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
            for (const auto& entry : *scope)
                if (entry.first == name) return entry.second;
        return {};
    }

    void executeFor(const Statement& s, std::string& out) {
        const Value all = evaluate(*s.value);
        Value::List items;
        if (all.is(Type::List)) {
            items = *all.list;
        } else if (all.is(Type::Dict)) {
            for (const auto& entry : *all.dict) items.push_back(Value::of(entry.first));
        } else if (!all.is(Type::Undefined)) {
            throw Fault{std::string("\"for\" goes through ") + all.typeName()};
        }
        spend(8 * items.size());
        m_scopes.emplace_back();
        if (s.filter) {
            Value::List kept;
            for (const Value& item : items) {
                bind(s.names, item);
                if (evaluate(*s.filter).truth()) kept.push_back(item);
            }
            items = std::move(kept);
        }
        for (std::size_t i = 0; i < items.size(); ++i) {
            m_scopes.back().clear();
            bind(s.names, items[i]);
            put(m_scopes.back(), "loop", loopAt(items, i));
            execute(s.branches[0].second, out);
        }
        m_scopes.pop_back();
        if (items.empty() && s.branches.size() > 1) execute(s.branches[1].second, out);
    }

    void bind(const std::vector<std::string>& names, const Value& item) {
        if (names.size() == 1) return put(m_scopes.back(), names[0], item);
        if (!item.is(Type::List) || item.list->size() != names.size()) throw Fault{"\"for\" takes apart what has other parts"};
        for (std::size_t i = 0; i < names.size(); ++i) put(m_scopes.back(), names[i], (*item.list)[i]);
    }

    static Value loopAt(const Value::List& items, std::size_t i) {
        const auto at = static_cast<std::int64_t>(i);
        const auto count = static_cast<std::int64_t>(items.size());
        return Value::of(Value::Dict{{"index0", Value::of(at)},
                                     {"index", Value::of(at + 1)},
                                     {"revindex0", Value::of(count - at - 1)},
                                     {"revindex", Value::of(count - at)},
                                     {"length", Value::of(count)},
                                     {"first", Value::of(i == 0)},
                                     {"last", Value::of(i + 1 == items.size())},
                                     {"previtem", i == 0 ? Value() : items[i - 1]},
                                     {"nextitem", i + 1 == items.size() ? Value() : items[i + 1]}});
    }

    Value optional(const ExpressionPtr& expression) { return expression ? evaluate(*expression) : Value(); }

    Value evaluate(const Expression& e) {
        spend(0);
        const auto child = [&](std::size_t i) { return evaluate(*e.children[i]); };
        switch (e.kind) {
            case Kind::String:
                return paid(Value::of(e.text));
            case Kind::Int:
                return Value::of(e.number);
            case Kind::Bool:
                return Value::of(e.number != 0);
            case Kind::None:
                return Value::none();
            case Kind::List: {
                Value::List list;
                for (const ExpressionPtr& item : e.children) list.push_back(evaluate(*item));
                return paid(Value::of(std::move(list)));
            }
            case Kind::Name:
                return lookUp(e.text);
            case Kind::Attribute:
                return attribute(child(0), e.text);
            case Kind::Item:
                return itemOf(child(0), child(1));
            case Kind::Slice:
                return paid(sliceOf(child(0), optional(e.children[1]), optional(e.children[2]), optional(e.children[3])));
            case Kind::Call:
                return paid(call(e));
            case Kind::Filter: {
                if (!e.named.empty()) throw Fault{"the filter " + printable(e.text) + " with named arguments is not supported"};
                return paid(applyFilter(e.text, child(0), arguments(e)));
            }
            case Kind::Test:
                return Value::of(applyTest(e.text, child(0)));
            case Kind::Not:
                return Value::of(!child(0).truth());
            case Kind::Negative:
                return applyOperator("-", Value::of(std::int64_t{0}), child(0));
            case Kind::And: {
                Value left = child(0);
                return left.truth() ? child(1) : left;
            }
            case Kind::Or: {
                Value left = child(0);
                return left.truth() ? left : child(1);
            }
            case Kind::Binary: {
                const Value left = child(0);
                return paid(applyOperator(e.text, left, child(1)));
            }
            case Kind::Condition:
                return child(1).truth() ? child(0) : optional(e.children[2]);
        }
        return {};
    }

    static Value attribute(const Value& object, const std::string& name) {
        if (object.is(Type::Undefined)) throw Fault{"\"" + printable(name) + "\" is asked of what is undefined"};
        const Value* found = object.member(name);
        return found != nullptr ? *found : Value();
    }

    Arguments arguments(const Expression& e) {
        Arguments out;
        for (std::size_t i = 1; i < e.children.size(); ++i) out.push_back(evaluate(*e.children[i]));
        return out;
    }

    Value call(const Expression& e) {
        const Expression& callee = *e.children[0];
        if (callee.kind == Kind::Attribute) {
            if (!e.named.empty()) throw Fault{"calling " + printable(callee.text) + " with named arguments is not supported"};
            const Value object = evaluate(*callee.children[0]);
            return callMethod(object, callee.text, arguments(e));
        }
        if (callee.kind != Kind::Name) throw Fault{"calling what has no name is not supported"};
        const Value target = lookUp(callee.text);
        if (target.is(Type::Macro)) return callMacro(*target.macro, e);
        const Arguments given = arguments(e);
        if (callee.text == "namespace" && given.empty()) {
            Value::Dict members;
            for (const auto& argument : e.named) put(members, argument.first, evaluate(*argument.second));
            Value out = Value::of(std::move(members));
            out.isNamespace = true;
            return out;
        }
        if (callee.text == "raise_exception")
            throw Fault{"it refuses the conversation" + (given.size() == 1 ? ": " + textOf(given[0]) : std::string())};
        throw Fault{"the function " + printable(callee.text) + " is not supported"};
    }

    Value callMacro(const Macro& macro, const Expression& e) {
        if (m_calls >= kDeepestCall) throw Fault{"macros call each other too deep"};
        const Arguments given = arguments(e);
        if (given.size() > macro.parameters.size()) throw Fault{"the macro " + printable(macro.name) + " has too many arguments"};
        Value::Dict scope;
        for (std::size_t i = 0; i < macro.parameters.size(); ++i)
            scope.emplace_back(macro.parameters[i].first, i < given.size() ? given[i] : optional(macro.parameters[i].second));
        for (const auto& argument : e.named) put(scope, argument.first, evaluate(*argument.second));
        // A macro sees the template's own variables, not those of the loops around its call.
        std::vector<Value::Dict> outer(std::make_move_iterator(m_scopes.begin() + 1), std::make_move_iterator(m_scopes.end()));
        m_scopes.resize(1);
        m_scopes.push_back(std::move(scope));
        ++m_calls;
        std::string text;
        execute(macro.body, text);
        --m_calls;
        m_scopes.resize(1);
        m_scopes.insert(m_scopes.end(), std::make_move_iterator(outer.begin()), std::make_move_iterator(outer.end()));
        return Value::of(std::move(text));
    }

    std::vector<Value::Dict> m_scopes;  // the template's own, then those of loops or of a macro
    std::int64_t m_budget = kBudget;
    int m_calls = 0;
};

}  // namespace

Result<std::string> renderTemplate(std::string_view source, Value::Dict globals) try {
    if (source.size() > kLargestTemplate)
        return makeError(ErrorKind::Unsupported, "it has " + std::to_string(source.size()) + " bytes; at most " +
                                                     std::to_string(kLargestTemplate) + " are read");
    const Block block = parse(cut(source));
    return Renderer(std::move(globals)).run(block);
} catch (const Fault& fault) {
    return makeError(ErrorKind::Unsupported, printable(fault.reason));
} catch (const std::exception& error) {
    return makeError(ErrorKind::Internal, printable(error.what()));
}

}  // namespace trefoil::jinja
