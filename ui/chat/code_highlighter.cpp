#include "ui/chat/code_highlighter.h"

#include <QHash>
#include <QSet>
#include <QStringList>
#include <QStringView>

#include <utility>

namespace trefoil {
namespace {

using theme::Tone;

/// What a language looks like to the scanner.
struct Language {
    QString label;
    QSet<QString> keywords;
    QSet<QString> types;
    QStringList lineComments;
    QString blockOpen;
    QString blockClose;
    QString quotes;                ///< signs that open a string of one line
    bool tripleQuotes = false;     ///< """ and ''' open strings of many lines
    bool backtickStrings = false;  ///< ` opens a string of many lines
    bool ignoreCase = false;       ///< keywords in any case
    bool capitalTypes = false;     ///< names that begin with a capital are types
    bool preprocessor = false;     ///< # at a line's start is a directive
    bool variables = false;        ///< $name and ${name}
    bool lifetimes = false;        ///< 'a is no string
};

QSet<QString> words(const char* list) {
    const QStringList parts = QString::fromLatin1(list).split(u' ', Qt::SkipEmptyParts);
    return {parts.cbegin(), parts.cend()};
}

enum class Shape { Words, Markup, Diff, Json };

struct Entry {
    Language language;
    Shape shape = Shape::Words;
};

Language cLike(const char* label, const char* keywords, const char* types) {
    Language language;
    language.label = QString::fromLatin1(label);
    language.keywords = words(keywords);
    language.types = words(types);
    language.lineComments = {QStringLiteral("//")};
    language.blockOpen = QStringLiteral("/*");
    language.blockClose = QStringLiteral("*/");
    language.quotes = QStringLiteral("\"'");
    return language;
}

Language hashLike(const char* label, const char* keywords, const char* types) {
    Language language;
    language.label = QString::fromLatin1(label);
    language.keywords = words(keywords);
    language.types = words(types);
    language.lineComments = {QStringLiteral("#")};
    language.quotes = QStringLiteral("\"'");
    return language;
}

void addSystemLanguages(QHash<QString, Entry>& table) {
    Language cpp =
        cLike("C++",
              "alignas alignof asm auto break case catch class co_await co_return co_yield concept const consteval "
              "constexpr constinit const_cast continue decltype default delete do dynamic_cast else enum explicit export "
              "extern false final for friend goto if import inline mutable module namespace new noexcept nullptr operator "
              "override private protected public register reinterpret_cast requires return sizeof static static_assert "
              "static_cast struct switch template this thread_local throw true try typedef typeid typename union using "
              "virtual volatile while NULL __global__ __device__ __host__ __shared__",
              "bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t "
              "ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t string string_view "
              "vector map set unordered_map unordered_set array span optional variant pair tuple unique_ptr shared_ptr");
    cpp.preprocessor = true;
    table.insert(QStringLiteral("cpp"), {cpp});
    Language c = cpp;
    c.label = QStringLiteral("C");
    table.insert(QStringLiteral("c"), {c});
    Language cuda = cpp;
    cuda.label = QStringLiteral("CUDA");
    table.insert(QStringLiteral("cuda"), {cuda});
    Language rust =
        cLike("Rust",
              "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod "
              "move mut pub ref return self static struct super trait true type unsafe use where while macro_rules",
              "i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str");
    rust.capitalTypes = true;
    rust.lifetimes = true;
    table.insert(QStringLiteral("rust"), {rust});
    Language go = cLike("Go",
                        "break case chan const continue default defer else fallthrough for func go goto if import interface map "
                        "package range return select struct switch type var true false nil iota make new len cap append",
                        "bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 "
                        "uint16 uint32 uint64 uintptr any");
    go.backtickStrings = true;
    table.insert(QStringLiteral("go"), {go});
    Language java =
        cLike("Java",
              "abstract assert break case catch class const continue default do else enum extends final finally for goto "
              "if implements import instanceof interface native new package private protected public record return "
              "sealed static strictfp super switch synchronized this throw throws transient try var void volatile while "
              "yield true false null",
              "boolean byte char double float int long short");
    java.capitalTypes = true;
    table.insert(QStringLiteral("java"), {java});
    Language sharp =
        cLike("C#",
              "abstract as async await base break case catch class const continue default delegate do else enum event "
              "explicit extern false finally fixed for foreach get goto if implicit in interface internal is lock "
              "namespace new null operator out override params private protected public readonly record ref return "
              "sealed set sizeof static struct switch this throw true try typeof unsafe using var virtual void "
              "volatile when where while yield",
              "bool byte char decimal double dynamic float int long object sbyte short string uint ulong ushort");
    sharp.capitalTypes = true;
    table.insert(QStringLiteral("csharp"), {sharp});
    Language kotlin =
        cLike("Kotlin",
              "as break by class companion const constructor continue data do else enum false final finally for fun if "
              "import in init inline interface internal is lateinit null object open operator out override package "
              "private protected public return sealed super suspend this throw true try typealias val var when while",
              "");
    kotlin.capitalTypes = true;
    table.insert(QStringLiteral("kotlin"), {kotlin});
    Language swift =
        cLike("Swift",
              "as associatedtype async await break case catch class continue default defer do else enum extension false "
              "fileprivate for func guard if import in init inout internal is let nil open operator private protocol "
              "public repeat rethrows return self static struct subscript super switch throw throws true try typealias "
              "var where while",
              "");
    swift.capitalTypes = true;
    table.insert(QStringLiteral("swift"), {swift});
}

void addScriptLanguages(QHash<QString, Entry>& table) {
    Language script =
        cLike("JavaScript",
              "async await break case catch class const continue debugger default delete do else export extends false "
              "finally for from function get if import in instanceof let new null of return set static super switch "
              "this throw true try typeof undefined var void while with yield",
              "");
    script.backtickStrings = true;
    script.capitalTypes = true;
    table.insert(QStringLiteral("javascript"), {script});
    Language typed = script;
    typed.label = QStringLiteral("TypeScript");
    typed.keywords.unite(
        words("abstract as declare enum implements interface is keyof namespace override private protected public "
              "readonly satisfies type unique"));
    typed.types = words("any bigint boolean never number object string symbol unknown void");
    table.insert(QStringLiteral("typescript"), {typed});
    Language python =
        hashLike("Python",
                 "and as assert async await break case class continue def del elif else except False finally for from "
                 "global if import in is lambda match None nonlocal not or pass raise return self True try while with "
                 "yield",
                 "bool bytes dict float frozenset int list object set str tuple type");
    python.tripleQuotes = true;
    table.insert(QStringLiteral("python"), {python});
    Language shell =
        hashLike("Shell",
                 "case do done elif else esac export fi for function if in local readonly return select set shift source "
                 "then trap unset until while alias cd echo eval exec exit printf read sudo test",
                 "");
    shell.variables = true;
    table.insert(QStringLiteral("bash"), {shell});
    Language ruby =
        hashLike("Ruby",
                 "alias and begin break case class def defined do else elsif end ensure extend false for if in include "
                 "module next nil not or private protected public puts raise redo require rescue retry return self super "
                 "then true undef unless until when while yield attr_accessor attr_reader",
                 "");
    ruby.capitalTypes = true;
    table.insert(QStringLiteral("ruby"), {ruby});
    Language php =
        cLike("PHP",
              "abstract and array as break case catch class clone const continue declare default do echo else elseif empty "
              "extends false final finally fn for foreach function global if implements include instanceof interface isset "
              "match namespace new null or private protected public readonly require return static switch this throw trait "
              "true try use var while yield",
              "bool float int mixed object string void");
    php.lineComments.append(QStringLiteral("#"));
    php.variables = true;
    table.insert(QStringLiteral("php"), {php});
    Language lua =
        hashLike("Lua",
                 "and break do else elseif end false for function goto if in local nil not or repeat return then true until "
                 "while",
                 "");
    lua.lineComments = {QStringLiteral("--")};
    lua.blockOpen = QStringLiteral("--[[");
    lua.blockClose = QStringLiteral("]]");
    table.insert(QStringLiteral("lua"), {lua});
}

void addDataLanguages(QHash<QString, Entry>& table) {
    Language sql =
        hashLike("SQL",
                 "add all alter and as asc begin between by case check column commit constraint create cross default delete "
                 "desc distinct drop else end exists explain foreign from full group having if in index inner insert into is "
                 "join key left like limit not null offset on or order outer over partition primary references replace "
                 "returning right rollback select set table then transaction trigger true false union unique update using "
                 "values view when where with count sum avg min max coalesce",
                 "bigint blob boolean char date decimal double float int integer json numeric real serial smallint text "
                 "time timestamp uuid varchar");
    sql.lineComments = {QStringLiteral("--")};
    sql.blockOpen = QStringLiteral("/*");
    sql.blockClose = QStringLiteral("*/");
    sql.ignoreCase = true;
    table.insert(QStringLiteral("sql"), {sql});
    Language json;
    json.label = QStringLiteral("JSON");
    json.keywords = words("true false null");
    json.lineComments = {QStringLiteral("//")};
    json.blockOpen = QStringLiteral("/*");
    json.blockClose = QStringLiteral("*/");
    json.quotes = QStringLiteral("\"");
    table.insert(QStringLiteral("json"), {json, Shape::Json});
    Language yaml = hashLike("YAML", "true false null yes no on off", "");
    table.insert(QStringLiteral("yaml"), {yaml, Shape::Json});
    Language toml = hashLike("TOML", "true false", "");
    toml.tripleQuotes = true;
    table.insert(QStringLiteral("toml"), {toml});
    Language ini = hashLike("INI", "true false", "");
    ini.lineComments.append(QStringLiteral(";"));
    table.insert(QStringLiteral("ini"), {ini});
    Language css = cLike("CSS", "important media import keyframes supports font-face", "");
    css.lineComments.clear();
    table.insert(QStringLiteral("css"), {css});
    Language cmake =
        hashLike("CMake",
                 "add_executable add_library add_subdirectory cmake_minimum_required else elseif endforeach endfunction "
                 "endif endmacro find_package foreach function if include install macro message option project return set "
                 "target_compile_options target_include_directories target_link_libraries target_sources PUBLIC PRIVATE "
                 "INTERFACE STATIC SHARED REQUIRED ON OFF TRUE FALSE AND OR NOT",
                 "");
    cmake.variables = true;
    cmake.quotes = QStringLiteral("\"");
    table.insert(QStringLiteral("cmake"), {cmake});
    Language docker = hashLike(
        "Dockerfile", "add arg as cmd copy entrypoint env expose from healthcheck label run shell user volume workdir", "");
    docker.ignoreCase = true;
    docker.variables = true;
    table.insert(QStringLiteral("dockerfile"), {docker});
    Language make = hashLike("Makefile", "ifeq ifneq ifdef ifndef else endif include define endef export", "");
    table.insert(QStringLiteral("makefile"), {make});
    Language html;
    html.label = QStringLiteral("HTML");
    table.insert(QStringLiteral("html"), {html, Shape::Markup});
    Language xml;
    xml.label = QStringLiteral("XML");
    table.insert(QStringLiteral("xml"), {xml, Shape::Markup});
    Language diff;
    diff.label = QStringLiteral("Diff");
    table.insert(QStringLiteral("diff"), {diff, Shape::Diff});
}

const QHash<QString, Entry>& languages() {
    static const QHash<QString, Entry> table = [] {
        QHash<QString, Entry> entries;
        addSystemLanguages(entries);
        addScriptLanguages(entries);
        addDataLanguages(entries);
        return entries;
    }();
    return table;
}

const Entry* findLanguage(const QString& name) {
    static const QHash<QString, QString> aliases = [] {
        const char* pairs =
            "c++ cpp cc cpp cxx cpp h cpp hpp cpp cu cuda py python python3 python js javascript jsx javascript mjs javascript "
            "node "
            "javascript ts typescript tsx typescript sh bash shell bash zsh bash console bash rs rust golang go cs csharp c# "
            "csharp kt "
            "kotlin rb ruby yml yaml jsonc json json5 json svg xml xhtml html htm html vue html patch diff postgresql sql mysql "
            "sql "
            "sqlite sql docker dockerfile make makefile conf ini cfg ini properties ini scss css less css";
        const QStringList list = QString::fromLatin1(pairs).split(u' ');
        QHash<QString, QString> result;
        for (qsizetype i = 0; i + 1 < list.size(); i += 2) result.insert(list[i], list[i + 1]);
        return result;
    }();
    const auto found = languages().constFind(aliases.value(name, name));
    return found == languages().constEnd() ? nullptr : &*found;
}

bool isWordStart(QChar sign) { return sign.isLetter() || sign == u'_'; }
bool isWord(QChar sign) { return sign.isLetterOrNumber() || sign == u'_'; }

/// Scans one text from left to right.
class Scanner {
public:
    Scanner(const Entry& entry, const QString& code) : m_language(entry.language), m_shape(entry.shape), m_code(code) {}

    QList<CodeSpan> run() {
        if (m_shape == Shape::Diff) {
            scanDiff();
        } else if (m_shape == Shape::Markup) {
            scanMarkup();
        } else {
            while (m_at < m_code.size()) scanNext();
        }
        return std::move(m_spans);
    }

private:
    void add(qsizetype start, qsizetype end, Tone tone) {
        if (end > start) m_spans.append({start, end - start, tone});
        m_at = end;
    }
    [[nodiscard]] bool startsWith(const QString& sign) const { return !sign.isEmpty() && m_code.sliced(m_at).startsWith(sign); }
    [[nodiscard]] qsizetype lineEnd(qsizetype from) const {
        const qsizetype end = m_code.indexOf(u'\n', from);
        return end < 0 ? m_code.size() : end;
    }
    [[nodiscard]] qsizetype after(QStringView sign, qsizetype from) const {
        const qsizetype found = m_code.indexOf(sign, from);
        return found < 0 ? m_code.size() : found + sign.size();
    }
    [[nodiscard]] bool atLineStart() const {
        for (qsizetype at = m_at; at > 0; --at) {
            if (m_code[at - 1] == u'\n') return true;
            if (!m_code[at - 1].isSpace()) return false;
        }
        return true;
    }

    void scanNext() {
        const QChar sign = m_code[m_at];
        if (sign.isSpace()) {
            ++m_at;
        } else if (startsWith(m_language.blockOpen)) {
            add(m_at, after(m_language.blockClose, m_at + m_language.blockOpen.size()), Tone::CodeComment);
        } else if (m_language.preprocessor && sign == u'#' && atLineStart()) {
            qsizetype end = m_at + 1;
            while (end < m_code.size() && (m_code[end] == u' ' || isWord(m_code[end]))) {
                if (m_code[end] == u' ' && end > m_at + 1 && m_code[end - 1] != u' ') break;
                ++end;
            }
            add(m_at, end, Tone::CodeKeyword);
        } else if (!scanLineComment() && !scanString(sign) && !scanVariable(sign)) {
            scanWordOrNumber(sign);
        }
    }

    bool scanLineComment() {
        for (const QString& mark : m_language.lineComments) {
            if (!startsWith(mark)) continue;
            // A "#" within a word ("$#", "a#b") and the "//" of an address are no comments.
            const bool inWord = m_at > 0 && (mark == u"#" ? !m_code[m_at - 1].isSpace() && m_code[m_at - 1] != u';'
                                                          : m_code[m_at - 1] == u':' && m_shape == Shape::Json);
            if (inWord) continue;
            add(m_at, lineEnd(m_at), Tone::CodeComment);
            return true;
        }
        return false;
    }

    bool scanString(QChar sign) {
        if (m_language.tripleQuotes && (sign == u'"' || sign == u'\'')) {
            const QString triple(3, sign);
            if (startsWith(triple)) {
                add(m_at, after(triple, m_at + 3), Tone::CodeString);
                return true;
            }
        }
        if (m_language.backtickStrings && sign == u'`') {
            add(m_at, stringEnd(u'`', true), Tone::CodeString);
            return true;
        }
        if (!m_language.quotes.contains(sign)) return false;
        if (m_language.lifetimes && sign == u'\'') {
            // 'a is a lifetime, 'a' and '\n' are characters.
            const bool character = m_at + 2 < m_code.size() && (m_code[m_at + 1] == u'\\' || m_code[m_at + 2] == u'\'');
            if (!character) {
                ++m_at;
                return true;
            }
        }
        const qsizetype end = stringEnd(sign, false);
        qsizetype next = end;
        while (next < m_code.size() && m_code[next] == u' ') ++next;
        const bool key = m_shape == Shape::Json && next < m_code.size() && m_code[next] == u':';
        add(m_at, end, key ? Tone::CodeType : Tone::CodeString);
        return true;
    }

    /// Behind the closing quote; at the line's end when there is none.
    [[nodiscard]] qsizetype stringEnd(QChar quote, bool manyLines) const {
        for (qsizetype at = m_at + 1; at < m_code.size(); ++at) {
            if (m_code[at] == u'\\') {
                ++at;
            } else if (m_code[at] == quote) {
                return at + 1;
            } else if (m_code[at] == u'\n' && !manyLines) {
                return at;
            }
        }
        return m_code.size();
    }

    bool scanVariable(QChar sign) {
        if (!m_language.variables || sign != u'$' || m_at + 1 >= m_code.size()) return false;
        qsizetype end = m_at + 1;
        if (m_code[end] == u'{') {
            end = qMin(after(u"}", end), lineEnd(end));
        } else {
            while (end < m_code.size() && isWord(m_code[end])) ++end;
        }
        add(m_at, qMax(end, m_at + 1), Tone::CodeType);
        return true;
    }

    void scanWordOrNumber(QChar sign) {
        qsizetype end = m_at + 1;
        if (isWordStart(sign)) {
            while (end < m_code.size() && isWord(m_code[end])) ++end;
            const QString word = m_code.sliced(m_at, end - m_at).toString();
            const QString key = m_language.ignoreCase ? word.toLower() : word;
            if (m_language.keywords.contains(key)) {
                add(m_at, end, Tone::CodeKeyword);
            } else if (m_language.types.contains(key) || (m_language.capitalTypes && sign.isUpper())) {
                add(m_at, end, Tone::CodeType);
            } else {
                m_at = end;
            }
        } else if (sign.isDigit()) {
            while (end < m_code.size() &&
                   (isWord(m_code[end]) || (m_code[end] == u'.' && end + 1 < m_code.size() && m_code[end + 1].isDigit()))) {
                ++end;
            }
            add(m_at, end, Tone::CodeNumber);
        } else {
            ++m_at;
        }
    }

    void scanDiff() {
        while (m_at < m_code.size()) {
            const qsizetype end = lineEnd(m_at);
            const QStringView line = m_code.sliced(m_at, end - m_at);
            const qsizetype start = m_at;
            if (line.startsWith(u"+++") || line.startsWith(u"---") || line.startsWith(u"diff ") || line.startsWith(u"index ")) {
                add(start, end, Tone::CodeComment);
            } else if (line.startsWith(u"@@")) {
                add(start, end, Tone::CodeType);
            } else if (line.startsWith(u'+')) {
                add(start, end, Tone::CodeString);
            } else if (line.startsWith(u'-')) {
                add(start, end, Tone::CodeKeyword);
            }
            m_at = end + 1;
        }
    }

    void scanMarkup() {
        while (m_at < m_code.size()) {
            const qsizetype open = m_code.indexOf(u'<', m_at);
            if (open < 0) return;
            m_at = open;
            if (startsWith(QStringLiteral("<!--"))) {
                add(open, after(u"-->", open), Tone::CodeComment);
                continue;
            }
            qsizetype end = open + 1;
            while (end < m_code.size() && (isWord(m_code[end]) || QStringView(u"/!?-:").contains(m_code[end]))) ++end;
            if (end == open + 1) {
                m_at = end;
                continue;
            }
            add(open, end, Tone::CodeKeyword);
            scanAttributes();
        }
    }

    void scanAttributes() {
        while (m_at < m_code.size() && m_code[m_at] != u'>' && m_code[m_at] != u'<') {
            const QChar sign = m_code[m_at];
            if (sign == u'"' || sign == u'\'') {
                qsizetype end = m_code.indexOf(sign, m_at + 1);
                end = end < 0 ? m_code.size() : end + 1;
                add(m_at, end, Tone::CodeString);
            } else if (isWordStart(sign)) {
                qsizetype end = m_at;
                while (end < m_code.size() && (isWord(m_code[end]) || m_code[end] == u'-' || m_code[end] == u':')) ++end;
                add(m_at, end, Tone::CodeType);
            } else {
                ++m_at;
            }
        }
        if (m_at < m_code.size() && m_code[m_at] == u'>') add(m_at, m_at + 1, Tone::CodeKeyword);
    }

    const Language& m_language;
    Shape m_shape;
    QStringView m_code;
    qsizetype m_at = 0;
    QList<CodeSpan> m_spans;
};

}  // namespace

QList<CodeSpan> highlightCode(const QString& language, const QString& code) {
    const Entry* entry = findLanguage(language);
    if (entry == nullptr) return {};
    return Scanner(*entry, code).run();
}

QString languageLabel(const QString& language) {
    if (language.isEmpty()) return QStringLiteral("Code");
    const Entry* entry = findLanguage(language);
    return entry != nullptr ? entry->language.label : language.left(40);
}

}  // namespace trefoil
