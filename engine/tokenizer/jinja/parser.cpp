#include "engine/tokenizer/jinja/parser.h"

#include "engine/tokenizer/jinja/value.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace trefoil::jinja {

namespace {

using Kind = Expression::Kind;

constexpr int kDeepestExpression = 100;
constexpr int kDeepestBlock = 40;

// One tag's tokens as an expression, or the parts of a statement.
class TagParser {
public:
    explicit TagParser(const std::vector<Token>& tokens) : m_tokens(tokens) {}

    [[nodiscard]] const Token& peek() const { return m_tokens[m_at]; }
    bool isName(const char* text) const { return peek().kind == Token::Kind::Name && peek().text == text; }
    bool isSymbol(const char* text) const { return peek().kind == Token::Kind::Symbol && peek().text == text; }
    bool takeName(const char* text) { return isName(text) && advance(); }
    bool takeSymbol(const char* text) { return isSymbol(text) && advance(); }
    void expectSymbol(const char* text) {
        if (!takeSymbol(text)) throw Fault{std::string("\"") + text + "\" is expected" + found()};
    }
    std::string name() {
        if (peek().kind != Token::Kind::Name) throw Fault{"a name is expected" + found()};
        std::string text = peek().text;
        advance();
        return text;
    }
    void end() const {
        if (peek().kind != Token::Kind::End) throw Fault{"a tag goes on unexpectedly" + found()};
    }

    ExpressionPtr expression() {
        const Nesting nesting(m_nesting);
        ExpressionPtr value = either();
        while (takeName("if")) {
            ExpressionPtr condition = either();
            ExpressionPtr other = takeName("else") ? expression() : nullptr;
            value = make(Kind::Condition, {}, std::move(value), std::move(condition), std::move(other));
        }
        return value;
    }
    /// Without a condition: what `for` goes through, whose `if` is its own.
    ExpressionPtr either() {
        ExpressionPtr left = both();
        while (takeName("or")) left = make(Kind::Or, {}, std::move(left), both());
        return left;
    }

private:
    class Nesting {
    public:
        explicit Nesting(int& depth) : m_depth(depth) {
            if (++m_depth > kDeepestExpression) {
                --m_depth;
                throw Fault{"an expression is nested too deep"};
            }
        }
        ~Nesting() { --m_depth; }
        Nesting(const Nesting&) = delete;
        Nesting& operator=(const Nesting&) = delete;

    private:
        int& m_depth;
    };

    bool advance() {
        if (m_at + 1 < m_tokens.size()) ++m_at;
        return true;
    }
    std::string found() const { return peek().kind == Token::Kind::End ? ", found the tag's end" : ", found " + peek().text; }

    static void adopt(Expression& parent, ExpressionPtr child) {
        if (child) parent.depth = std::max(parent.depth, child->depth + 1);
        if (parent.depth > kDeepestExpression) throw Fault{"an expression is too long"};
        parent.children.push_back(std::move(child));
    }
    template <class... Children>
    static ExpressionPtr make(Kind kind, std::string text, Children... children) {
        auto out = std::make_unique<Expression>();
        out->kind = kind;
        out->text = std::move(text);
        (adopt(*out, std::move(children)), ...);
        return out;
    }

    ExpressionPtr both() {
        ExpressionPtr left = negation();
        while (takeName("and")) left = make(Kind::And, {}, std::move(left), negation());
        return left;
    }
    ExpressionPtr negation() {
        const Nesting nesting(m_nesting);
        return takeName("not") ? make(Kind::Not, {}, negation()) : comparison();
    }
    ExpressionPtr comparison() {
        ExpressionPtr left = sum();
        for (const char* op : {"==", "!=", "<=", ">=", "<", ">"})
            if (takeSymbol(op)) return make(Kind::Binary, op, std::move(left), sum());
        if (takeName("in")) return make(Kind::Binary, "in", std::move(left), sum());
        if (isName("not") && m_tokens[m_at + 1].kind == Token::Kind::Name && m_tokens[m_at + 1].text == "in") {
            advance();
            advance();
            return make(Kind::Not, {}, make(Kind::Binary, "in", std::move(left), sum()));
        }
        return left;
    }
    ExpressionPtr operators(std::initializer_list<const char*> list, ExpressionPtr (TagParser::*next)()) {
        ExpressionPtr left = (this->*next)();
        for (;;) {
            const auto op = std::find_if(list.begin(), list.end(), [this](const char* text) { return isSymbol(text); });
            if (op == list.end()) return left;
            advance();
            left = make(Kind::Binary, *op, std::move(left), (this->*next)());
        }
    }
    ExpressionPtr sum() { return operators({"+", "-"}, &TagParser::joined); }
    ExpressionPtr joined() { return operators({"~"}, &TagParser::product); }
    ExpressionPtr product() { return operators({"*", "//", "/", "%"}, &TagParser::signedValue); }
    ExpressionPtr signedValue() {
        const Nesting nesting(m_nesting);
        return takeSymbol("-") ? make(Kind::Negative, {}, signedValue()) : postfix(primary());
    }

    ExpressionPtr primary() {
        const Token token = peek();
        if (takeSymbol("(")) {
            ExpressionPtr inner = expression();
            expectSymbol(")");
            return inner;
        }
        if (takeSymbol("[")) {
            ExpressionPtr list = make(Kind::List, {});
            while (!takeSymbol("]")) {
                adopt(*list, expression());
                if (!isSymbol("]")) expectSymbol(",");
            }
            return list;
        }
        if (token.kind == Token::Kind::End || token.kind == Token::Kind::Symbol) throw Fault{"a value is expected" + found()};
        advance();
        if (token.kind == Token::Kind::String) {
            ExpressionPtr value = make(Kind::String, token.text);
            for (; peek().kind == Token::Kind::String; advance()) value->text += peek().text;
            return value;
        }
        ExpressionPtr value = make(Kind::Name, token.text);
        if (token.kind == Token::Kind::Int) {
            value->kind = Kind::Int;
            value->number = token.number;
        } else if (token.text == "true" || token.text == "True" || token.text == "false" || token.text == "False") {
            value->kind = Kind::Bool;
            value->number = token.text == "true" || token.text == "True" ? 1 : 0;
        } else if (token.text == "none" || token.text == "None") {
            value->kind = Kind::None;
        }
        return value;
    }

    ExpressionPtr postfix(ExpressionPtr value) {
        for (;;) {
            if (takeSymbol(".")) {
                value = make(Kind::Attribute, name(), std::move(value));
            } else if (takeSymbol("[")) {
                value = subscript(std::move(value));
            } else if (isSymbol("(")) {
                value = arguments(make(Kind::Call, {}, std::move(value)));
            } else if (takeSymbol("|")) {
                value = make(Kind::Filter, name(), std::move(value));
                if (isSymbol("(")) value = arguments(std::move(value));
            } else if (takeName("is")) {
                const bool negated = takeName("not");
                value = make(Kind::Test, name(), std::move(value));
                if (negated) value = make(Kind::Not, {}, std::move(value));
            } else {
                return value;
            }
        }
    }
    ExpressionPtr subscript(ExpressionPtr value) {
        const auto part = [this] { return isSymbol(":") || isSymbol("]") ? nullptr : expression(); };
        ExpressionPtr first = part();
        if (takeSymbol("]")) {
            if (!first) throw Fault{"an index is expected"};
            return make(Kind::Item, {}, std::move(value), std::move(first));
        }
        expectSymbol(":");
        ExpressionPtr last = part();
        ExpressionPtr step = takeSymbol(":") ? part() : nullptr;
        expectSymbol("]");
        return make(Kind::Slice, {}, std::move(value), std::move(first), std::move(last), std::move(step));
    }
    ExpressionPtr arguments(ExpressionPtr call) {
        expectSymbol("(");
        while (!takeSymbol(")")) {
            const bool named = peek().kind == Token::Kind::Name && m_tokens[m_at + 1].kind == Token::Kind::Symbol &&
                               m_tokens[m_at + 1].text == "=";
            if (named) {
                std::string key = name();
                advance();
                ExpressionPtr value = expression();
                call->depth = std::max(call->depth, value->depth + 1);
                call->named.emplace_back(std::move(key), std::move(value));
            } else {
                adopt(*call, expression());
            }
            if (!isSymbol(")")) expectSymbol(",");
        }
        return call;
    }

    const std::vector<Token>& m_tokens;
    std::size_t m_at = 0;
    int m_nesting = 0;
};

class Parser {
public:
    explicit Parser(std::vector<Segment> segments) : m_segments(std::move(segments)) {}

    Block parse() {
        Block block = parseUntil({});
        if (m_at < m_segments.size()) throw Fault{"\"" + tagName() + "\" has no beginning"};
        return block;
    }

private:
    std::string tagName() const {
        const Segment& segment = m_segments[m_at];
        return segment.kind == Segment::Kind::Statement ? segment.tokens[0].text : std::string();
    }
    static bool isEnd(const std::string& name) { return name.starts_with("end") || name == "else" || name == "elif"; }

    // Statements up to a tag of one of these names, which is left to read; without names, up to the template's end.
    Block parseUntil(std::initializer_list<const char*> ends) {
        if (++m_depth > kDeepestBlock) throw Fault{"tags are nested too deep"};
        Block block;
        for (; m_at < m_segments.size(); ++m_at) {
            Segment& segment = m_segments[m_at];
            Statement statement;
            if (segment.kind == Segment::Kind::Text) {
                statement.text = std::move(segment.text);
            } else if (segment.kind == Segment::Kind::Output) {
                TagParser tag(segment.tokens);
                statement.kind = Statement::Kind::Output;
                statement.value = tag.expression();
                tag.end();
            } else {
                const std::string name = tagName();
                if (name == "generation" || name == "endgeneration") continue;  // marks, without effect on the text
                if (isEnd(name)) break;
                statement = parseStatement(name);
            }
            block.push_back(std::move(statement));
        }
        --m_depth;
        if (ends.size() == 0) return block;
        if (m_at == m_segments.size()) throw Fault{std::string("\"") + *(ends.end() - 1) + "\" is missing"};
        const std::string name = tagName();
        if (std::none_of(ends.begin(), ends.end(), [&](const char* end) { return name == end; }))
            throw Fault{"\"" + name + "\" stands where \"" + *(ends.end() - 1) + "\" is expected"};
        return block;
    }

    Statement parseStatement(const std::string& name) {
        if (name == "if") return parseIf();
        if (name == "for") return parseFor();
        if (name == "set") return parseSet();
        if (name == "macro") return parseMacro();
        throw Fault{"the tag \"" + name + "\" is not supported"};
    }

    TagParser tag() const {
        TagParser parser(m_segments[m_at].tokens);
        parser.name();
        return parser;
    }

    Statement parseIf() {
        Statement out;
        out.kind = Statement::Kind::If;
        for (;;) {
            TagParser head = tag();
            ExpressionPtr condition = tagName() == "else" ? nullptr : head.expression();
            head.end();
            const bool last = condition == nullptr;
            ++m_at;
            Block body = last ? parseUntil({"endif"}) : parseUntil({"elif", "else", "endif"});
            out.branches.emplace_back(std::move(condition), std::move(body));
            if (tagName() == "endif") return out;
        }
    }

    Statement parseFor() {
        Statement out;
        out.kind = Statement::Kind::For;
        TagParser head = tag();
        do {
            out.names.push_back(head.name());
        } while (head.takeSymbol(","));
        if (!head.takeName("in")) throw Fault{"\"for\" without \"in\""};
        out.value = head.either();
        if (head.takeName("if")) out.filter = head.expression();
        head.end();
        ++m_at;
        out.branches.emplace_back(nullptr, parseUntil({"else", "endfor"}));
        if (tagName() == "else") {
            ++m_at;
            out.branches.emplace_back(nullptr, parseUntil({"endfor"}));
        }
        return out;
    }

    Statement parseSet() {
        Statement out;
        TagParser head = tag();
        out.names.push_back(head.name());
        if (head.takeSymbol(".")) out.names.push_back(head.name());
        if (head.takeSymbol("=")) {
            out.kind = Statement::Kind::Set;
            out.value = head.expression();
            head.end();
            return out;
        }
        head.end();
        out.kind = Statement::Kind::SetBlock;
        ++m_at;
        out.branches.emplace_back(nullptr, parseUntil({"endset"}));
        return out;
    }

    Statement parseMacro() {
        Statement out;
        out.kind = Statement::Kind::DefineMacro;
        out.macro = std::make_unique<Macro>();
        TagParser head = tag();
        out.macro->name = head.name();
        head.expectSymbol("(");
        while (!head.takeSymbol(")")) {
            std::string name = head.name();
            out.macro->parameters.emplace_back(std::move(name), head.takeSymbol("=") ? head.expression() : nullptr);
            if (!head.isSymbol(")")) head.expectSymbol(",");
        }
        head.end();
        ++m_at;
        out.macro->body = parseUntil({"endmacro"});
        return out;
    }

    std::vector<Segment> m_segments;
    std::size_t m_at = 0;
    int m_depth = 0;
};

}  // namespace

Block parse(std::vector<Segment> segments) { return Parser(std::move(segments)).parse(); }

}  // namespace trefoil::jinja
