// Markdown as it is shown and copied: structure, text that must survive, fences, long and hostile input.
#include "ui/chat/block_cutter.h"
#include "ui/chat/code_highlighter.h"
#include "ui/chat/markdown_parser.h"
#include "ui/chat/markdown_renderer.h"
#include "ui/chat/tex_guard.h"
#include "ui/chat/text_decorations.h"
#include "ui/chat/text_properties.h"
#include "ui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QTest>
#include <QTextBlock>
#include <QTextTable>

using namespace trefoil;

namespace {

TextStyle plainStyle() {
    TextStyle style;
    style.font = QFont();
    style.palette = theme::lightPalette();
    return style;
}

/// The whole text as it is copied.
QString shown(const QString& markdown) {
    ClosedTextDocument document;
    renderMarkdown(document, markdown, plainStyle());
    return copiedText(document, 0, document.characterCount());
}

QString lines(std::initializer_list<const char*> list) {
    QStringList all;
    for (const char* line : list) all.append(QString::fromUtf8(line));
    return all.join(u'\n');
}

/// The format of the first place where `text` stands.
QTextCharFormat formatOf(const QTextDocument& document, const QString& text) {
    const QTextCursor found = document.find(text, 0, QTextDocument::FindCaseSensitively);
    return found.isNull() ? QTextCharFormat() : found.charFormat();
}

const MarkdownBlock* firstCode(const std::vector<MarkdownBlock>& blocks) {
    for (const MarkdownBlock& block : blocks) {
        if (block.kind == BlockKind::Code) return &block;
        if (const MarkdownBlock* inner = firstCode(block.children)) return inner;
    }
    return nullptr;
}

qsizetype deepestPiece(const MarkdownBlock& block) {
    qsizetype size = block.text.size() + block.codePart().size();
    for (const InlineRun& run : block.runs) size += run.text.size();
    for (const MarkdownBlock& child : block.children) size += deepestPiece(child);
    return size;
}

}  // namespace

class TestMarkdownRenderer : public QObject {
    Q_OBJECT

private slots:
    void text_data();
    void text();
    void formats();
    void fences_data();
    void fences();
    void codeInLists();
    void tables();
    void wideTablesFit();
    void noResourceIsLoaded();
    void texGuardRoundTrip();
    void deepNestingFallsBack();
    void piecesAreSmallAndComplete_data();
    void piecesAreSmallAndComplete();
    void piecesStayWhileGrowing();
    void longListKeepsItsNumbers();
    void frameMarksAreShownAsReplacement();
    void highlighting_data();
    void highlighting();
    void highlightingIsOrdered();
};

void TestMarkdownRenderer::text_data() {
    QTest::addColumn<QString>("markdown");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const QString& markdown, const QString& expected) {
        QTest::newRow(name) << markdown << expected;
    };
    row("paragraphs", lines({"One", "line.", "", "Two."}), lines({"One line.", "", "Two."}));
    row("hard break", lines({"One  ", "two\\", "three"}), lines({"One", "two", "three"}));
    row("emphasis", QStringLiteral("*a* __b__ ~~c~~ `d`"), QStringLiteral("a b c d"));
    row("snake case", QStringLiteral("max_new_tokens and a*b"), QStringLiteral("max_new_tokens and a*b"));
    row("numbers", lines({"3. a", "4. b", "5. c"}), lines({"3. a", "4. b", "5. c"}));
    row("brackets", lines({"1) a", "2) b"}), lines({"1) a", "2) b"}));
    row("nested", lines({"- a", "  1. b", "  2. c", "     - d", "- e"}), lines({"- a", "  1. b", "  2. c", "    - d", "- e"}));
    row("numbering goes on after code", lines({"1. a", "", "   ```", "   x", "   ```", "", "2. b"}),
        lines({"1. a", "", "x", "2. b"}));
    row("tasks", lines({"- [x] done", "- [ ] open"}), lines({"- [x] done", "- [ ] open"}));
    row("empty item", lines({"1.", "2. b"}), lines({"1. ", "2. b"}));
    row("list in list at once", QStringLiteral("- - a"), lines({"- ", "  - a"}));
    row("quote", lines({"> a", "> b", ">", "> > c"}), lines({"a b", "", "c"}));
    row("rule", lines({"a", "", "***", "", "b"}), lines({"a", "", "---", "", "b"}));
    row("entities", QStringLiteral("&lt;b&gt; &amp;&copy; &#65;&#x42; &nosuch; &#0;"),
        QStringLiteral("<b> &\u00A9 AB &nosuch; \uFFFD"));
    row("html span", QStringLiteral("a <b onclick=\"x()\">bold</b> <br> c"),
        QStringLiteral("a <b onclick=\"x()\">bold</b> <br> c"));
    row("html block", lines({"<div>", "  <script>alert(1)</script>", "</div>", "", "after"}),
        lines({"<div>", "  <script>alert(1)</script>", "</div>", "", "after"}));
    row("html comment", QStringLiteral("<!-- kept -->"), QStringLiteral("<!-- kept -->"));
    row("image", QStringLiteral("![a chart](https://example.org/c.png \"t\")"),
        QStringLiteral("[a chart] (https://example.org/c.png)"));
    row("image without label", QStringLiteral("![](file:///etc/passwd)"), QStringLiteral("[] (file:///etc/passwd)"));
    row("image by reference", lines({"![x][1]", "", "[1]: //example.org/i.svg"}), QStringLiteral("[x] (//example.org/i.svg)"));
    row("dollar", QStringLiteral("$a*b*c$ and $$x_1 + y_1$$ cost $5 and $6"),
        QStringLiteral("$a*b*c$ and $$x_1 + y_1$$ cost $5 and $6"));
    row("tex brackets", QStringLiteral("\\(a_1*b*c\\) \\[\\frac{1}{2}\\]"), QStringLiteral("\\(a_1*b*c\\) \\[\\frac{1}{2}\\]"));
    row("tex display", lines({"\\[", "a \\\\", "= b_1*c*", "\\]", "after"}), lines({"\\[", "a \\\\", "= b_1*c*", "\\] after"}));
    row("tex in code", QStringLiteral("`\\(x\\)` and \\(y\\)"), QStringLiteral("\\(x\\) and \\(y\\)"));
    row("tex in a fence", lines({"```", "\\[ a_b \\]", "```", "\\[ c \\]"}), lines({"\\[ a_b \\]", "", "\\[ c \\]"}));
    row("table", lines({"| a | b |", "|---|:-:|", "| 1 | *2* |", "| 3 |   |"}), lines({"a\tb", "1\t2", "3\t"}));
    row("crlf", QStringLiteral("a\r\n\r\n- b\r\n- c\r\n"), lines({"a", "- b", "- c"}));
    row("lone backtick", QStringLiteral("a ` b"), QStringLiteral("a ` b"));
    row("emoji and scripts", QStringLiteral("**水** \U0001F340 e\u0301"), QStringLiteral("水 \U0001F340 e\u0301"));
    row("nothing", QString(), QString());
}

void TestMarkdownRenderer::text() {
    QFETCH(QString, markdown);
    QFETCH(QString, expected);
    QCOMPARE(shown(markdown), expected);
}

void TestMarkdownRenderer::formats() {
    ClosedTextDocument document;
    renderMarkdown(
        document,
        QStringLiteral("# Head\n\n*em* **strong** ***both*** ~~gone~~ `code` _word_ [link](https://example.org/a?b=1&c=2) "
                       "https://auto.example and <me@example.org>"),
        plainStyle());
    QVERIFY(formatOf(document, QStringLiteral("em")).fontItalic());
    QCOMPARE(formatOf(document, QStringLiteral("strong")).fontWeight(), static_cast<int>(QFont::Bold));
    QVERIFY(formatOf(document, QStringLiteral("both")).fontItalic());
    QCOMPARE(formatOf(document, QStringLiteral("both")).fontWeight(), static_cast<int>(QFont::Bold));
    QVERIFY(formatOf(document, QStringLiteral("gone")).fontStrikeOut());
    QVERIFY(formatOf(document, QStringLiteral("code")).fontFixedPitch());
    QVERIFY2(!formatOf(document, QStringLiteral("word")).fontUnderline(), "_x_ is emphasis, not underline");
    QVERIFY(formatOf(document, QStringLiteral("word")).fontItalic());
    QCOMPARE(formatOf(document, QStringLiteral("link")).anchorHref(), QStringLiteral("https://example.org/a?b=1&c=2"));
    QCOMPARE(formatOf(document, QStringLiteral("https://auto")).anchorHref(), QStringLiteral("https://auto.example"));
    QCOMPARE(formatOf(document, QStringLiteral("me@")).anchorHref(), QStringLiteral("mailto:me@example.org"));
    QCOMPARE(document.begin().blockFormat().headingLevel(), 1);
    QVERIFY(formatOf(document, QStringLiteral("Head")).fontPointSize() > QFont().pointSizeF());
}

void TestMarkdownRenderer::fences_data() {
    QTest::addColumn<QString>("markdown");
    QTest::addColumn<QString>("code");
    QTest::addColumn<bool>("open");
    QTest::newRow("closing fence as last bytes") << QStringLiteral("```cpp\nint a;\n```") << QStringLiteral("int a;") << false;
    QTest::newRow("closing fence and line end") << QStringLiteral("```cpp\nint a;\n```\n") << QStringLiteral("int a;") << false;
    QTest::newRow("fence and spaces") << QStringLiteral("```cpp\nint a;\n```   ") << QStringLiteral("int a;") << false;
    QTest::newRow("fence, spaces, line ends") << QStringLiteral("```cpp\nint a;\n```  \n\n") << QStringLiteral("int a;") << false;
    QTest::newRow("crlf") << QStringLiteral("```cpp\r\nint a;\r\nint b;\r\n```\r\n") << QStringLiteral("int a;\nint b;") << false;
    QTest::newRow("crlf, last bytes") << QStringLiteral("```cpp\r\nint a;\r\n```") << QStringLiteral("int a;") << false;
    QTest::newRow("unclosed") << QStringLiteral("```cpp\nint a;\nint b") << QStringLiteral("int a;\nint b") << true;
    QTest::newRow("unclosed, line end") << QStringLiteral("```cpp\nint a;\n") << QStringLiteral("int a;") << true;
    QTest::newRow("unclosed, blank lines") << QStringLiteral("```cpp\nint a;\n\n\n") << QStringLiteral("int a;\n\n") << true;
    QTest::newRow("just opened") << QStringLiteral("text\n\n```") << QString() << true;
    QTest::newRow("just opened with language") << QStringLiteral("text\n\n```cpp") << QString() << true;
    QTest::newRow("empty") << QStringLiteral("```\n```") << QString() << false;
    QTest::newRow("too short to close") << QStringLiteral("````\na\n```") << QStringLiteral("a\n```") << true;
    QTest::newRow("other sign") << QStringLiteral("~~~\na\n```") << QStringLiteral("a\n```") << true;
    QTest::newRow("tildes") << QStringLiteral("~~~\na\n~~~") << QStringLiteral("a") << false;
    QTest::newRow("in a list, closed") << QStringLiteral("- x\n\n  ```\n  a\n  ```") << QStringLiteral("a") << false;
    QTest::newRow("in a list, open") << QStringLiteral("- x\n\n  ```\n  a") << QStringLiteral("a") << true;
    QTest::newRow("in a quote, closed") << QStringLiteral("> ```\n> a\n> ```") << QStringLiteral("a") << false;
    QTest::newRow("in a quote, open") << QStringLiteral("> ```\n> a") << QStringLiteral("a") << true;
    QTest::newRow("text after") << QStringLiteral("```\na\n```\nafter") << QStringLiteral("a") << false;
    QTest::newRow("indented code is never open") << QStringLiteral("    a\n    b") << QStringLiteral("a\nb") << false;
    QTest::newRow("one backtick at the end") << QStringLiteral("```\na\n`") << QStringLiteral("a\n`") << true;
}

void TestMarkdownRenderer::fences() {
    QFETCH(QString, markdown);
    QFETCH(QString, code);
    QFETCH(bool, open);
    const MarkdownResult streamed = parseMarkdown(markdown, true);
    const MarkdownResult reopened = parseMarkdown(markdown, false);
    const MarkdownBlock* whileStreaming = firstCode(streamed.blocks);
    const MarkdownBlock* afterwards = firstCode(reopened.blocks);
    QVERIFY(whileStreaming != nullptr && afterwards != nullptr);
    QCOMPARE(whileStreaming->code->text, code);
    QCOMPARE(whileStreaming->code->open, open);
    QCOMPARE(afterwards->code->text, code);
    QVERIFY2(!afterwards->code->open, "only a text that is being written has open fences");
    QVERIFY2(*whileStreaming == *afterwards, "the mark apart, both views are the same");
}

void TestMarkdownRenderer::codeInLists() {
    ClosedTextDocument document;
    renderMarkdown(document, lines({"1. one", "", "   ```python", "   x = 1", "", "   y = 2", "   ```", "", "2. two"}),
                   plainStyle());
    document.setTextWidth(600);
    const QList<CodeBox> boxes = codeBoxes(document, plainStyle());
    QCOMPARE(boxes.size(), 1);
    QVERIFY2(boxes.front().box.left() > 0, "the code stands inside its item");
    QVERIFY(boxes.front().header.height() > 0);
    int markers = 0;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().textIndent() < 0) ++markers;
    }
    QCOMPARE(markers, 2);
}

void TestMarkdownRenderer::tables() {
    ClosedTextDocument document;
    renderMarkdown(document, lines({"| l | c | r |", "|:--|:-:|--:|", "| 1 | 2 | 3 |"}), plainStyle());
    auto* table = qobject_cast<QTextTable*>(document.rootFrame()->childFrames().value(0));
    QVERIFY(table != nullptr);
    QCOMPARE(table->rows(), 2);
    QCOMPARE(table->columns(), 3);
    QVERIFY((table->cellAt(1, 1).firstCursorPosition().blockFormat().alignment() & Qt::AlignHCenter) != 0);
    QVERIFY((table->cellAt(1, 2).firstCursorPosition().blockFormat().alignment() & Qt::AlignRight) != 0);
    QCOMPARE(formatOf(document, QStringLiteral("l")).fontWeight(), static_cast<int>(QFont::Bold));
}

void TestMarkdownRenderer::wideTablesFit() {
    QString head = QStringLiteral("|");
    QString rule = QStringLiteral("|");
    QString body = QStringLiteral("|");
    for (int i = 0; i < 9; ++i) {
        head += QStringLiteral(" Column%1 |").arg(i);
        rule += QStringLiteral("---|");
        body += QStringLiteral(" quite_a_long_identifier_%1 and words |").arg(i);
    }
    ClosedTextDocument document;
    renderMarkdown(document, head + u'\n' + rule + u'\n' + body, plainStyle());
    document.setTextWidth(420);
    const auto right = [&document] {
        return document.documentLayout()->frameBoundingRect(document.rootFrame()->childFrames().constFirst()).right();
    };
    QVERIFY2(right() > 421, "too wide without help");
    fitTables(document);
    QVERIFY2(right() <= 420.5, qPrintable(QString::number(right())));
}

void TestMarkdownRenderer::noResourceIsLoaded() {
    ClosedTextDocument document;
    renderMarkdown(document,
                   QStringLiteral("![x](file:///etc/passwd) <img src=\"file:///etc/passwd\"> ![y](data:image/png;base64,%1)")
                       .arg(QString(100000, u'A')),
                   plainStyle());
    document.setTextWidth(600);
    QVERIFY(!document.resource(QTextDocument::ImageResource, QUrl(QStringLiteral("file:///etc/passwd"))).isValid());
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto it = block.begin(); !it.atEnd(); ++it) QVERIFY(!it.fragment().charFormat().isImageFormat());
    }
    QVERIFY2(document.toPlainText().size() < 1000, "the address of a data image is shortened");
    QVERIFY(document.toPlainText().contains(QStringLiteral("<img src=\"file:///etc/passwd\">")));
}

void TestMarkdownRenderer::texGuardRoundTrip() {
    const QString source = QStringLiteral("a \\[ x_1 \\\\ \n *y* \\] `\\(` \\(z\\) $$ a\n\nb $$");
    const QString guarded = guardTex(source);
    QVERIFY(guarded != source);
    QVERIFY2(guarded.contains(QStringLiteral("$$ a\n\nb $$")), "a formula does not go beyond its paragraph");
    QVERIFY(guarded.contains(QStringLiteral("`\\(`")));
    QCOMPARE(unguardTex(guarded), source);
    const QString strange = QStringLiteral("\\(a\\) \uFDD0");
    QCOMPARE(guardTex(strange), strange);
}

void TestMarkdownRenderer::deepNestingFallsBack() {
    QString list;
    for (int depth = 0; depth < 60; ++depth) list += QString(2 * depth, u' ') + QStringLiteral("- item %1\n").arg(depth);
    for (const QString& source :
         {list, QString(2000, u'>') + QStringLiteral(" deep"), QStringLiteral("> - ").repeated(300) + u'x'}) {
        QVERIFY(parseMarkdown(source, false).tooDeep);
        const QString text = shown(source);
        QVERIFY2(text.contains(source.trimmed()), "the source, verbatim");
        QVERIFY2(text.startsWith(QStringLiteral("Nested too deeply")), "and a note");
    }
    QString fine;
    for (int depth = 0; depth < kDeepestNesting; ++depth)
        fine += QString(2 * depth, u' ') + QStringLiteral("- item %1\n").arg(depth);
    QVERIFY(!parseMarkdown(fine, false).tooDeep);
}

void TestMarkdownRenderer::piecesAreSmallAndComplete_data() {
    QTest::addColumn<QString>("markdown");
    QString json = QStringLiteral("{\n");
    while (json.size() < 200000)
        json += QStringLiteral("    \"key_%1\": [\n        1.5,\n        \"*value*\"\n    ],\n").arg(json.size());
    QTest::newRow("json as text") << json;
    QTest::newRow("json in a fence") << QStringLiteral("```json\n") + json + QStringLiteral("```");
    QTest::newRow("one line of code") << QStringLiteral("```\n") + QString(50000, u'x') + QStringLiteral("\n```");
    QTest::newRow("one long word") << QString(50000, u'x');
    QTest::newRow("one long paragraph") << QStringLiteral("He said: \"*never*\" and left. ").repeated(3000);
    QTest::newRow("one long quote") << QStringLiteral("> a line of it\n>\n").repeated(2000);
    QString table = QStringLiteral("| a | b |\n|---|---|\n");
    for (int i = 0; i < 1000; ++i) table += QStringLiteral("| %1 | word |\n").arg(i);
    QTest::newRow("table") << table;
    QTest::newRow("list in an item") << QStringLiteral("1. top\n") + QStringLiteral("   - inner item\n").repeated(2000);
    QTest::newRow("rules and items") << QStringLiteral("- \n* * *\n- a\n").repeated(1000);
}

void TestMarkdownRenderer::piecesAreSmallAndComplete() {
    QFETCH(QString, markdown);
    const MarkdownResult whole = parseMarkdown(markdown, false);
    QVERIFY(!whole.tooDeep);
    qsizetype expected = 0;
    for (const MarkdownBlock& block : whole.blocks) expected += deepestPiece(block);
    const std::vector<MarkdownBlock> pieces = cutIntoPieces(whole.blocks);
    qsizetype characters = 0;
    qsizetype between = 0;
    for (const MarkdownBlock& piece : pieces) {
        const qsizetype size = deepestPiece(piece);
        QVERIFY2(size <= 4200, qPrintable(QString::number(size)));
        characters += size;
        const MarkdownBlock* leaf = &piece;
        while (!leaf->children.empty() && leaf->continuesPrevious) leaf = &leaf->children.front();
        // A line end between two pieces of code belongs to neither.
        if ((leaf->kind == BlockKind::Code || leaf->kind == BlockKind::Html) && leaf->continuesPrevious && !leaf->continuesLine)
            ++between;
    }
    QCOMPARE(characters + between, expected);
}

void TestMarkdownRenderer::piecesStayWhileGrowing() {
    QString text;
    std::vector<MarkdownBlock> before;
    int rebuilt = 0;
    int steps = 0;
    for (int i = 0; i < 120; ++i) {
        text += QStringLiteral("%1. item with *some* words in it\n").arg(i + 1);
        const std::vector<MarkdownBlock> after = cutIntoPieces(parseMarkdown(text, true).blocks);
        std::size_t same = 0;
        while (same < before.size() && same < after.size() && before[same] == after[same]) ++same;
        rebuilt += static_cast<int>(after.size() - same);
        ++steps;
        before = after;
    }
    QVERIFY(before.size() > 3);
    // One piece a step, and the others only when the numbers get another digit or a piece is full.
    QVERIFY2(rebuilt < steps + 30, qPrintable(QString::number(rebuilt)));
}

void TestMarkdownRenderer::longListKeepsItsNumbers() {
    QString text;
    for (int i = 7; i < 3007; ++i) text += QStringLiteral("%1. line\n").arg(i);
    const std::vector<MarkdownBlock> pieces = cutIntoPieces(parseMarkdown(text, false).blocks);
    QVERIFY(pieces.size() > 20);
    qint64 next = 7;
    for (const MarkdownBlock& piece : pieces) {
        QCOMPARE(piece.kind, BlockKind::List);
        QCOMPARE(piece.start, next);
        QCOMPARE(piece.digits, 4);
        next += static_cast<qint64>(piece.children.size());
    }
    QCOMPARE(next, 3007);
}

void TestMarkdownRenderer::frameMarksAreShownAsReplacement() {
    QCOMPARE(shown(QStringLiteral("a\uFDD0b\uFDD1c")), QStringLiteral("a\uFFFDb\uFFFDc"));
}

void TestMarkdownRenderer::highlighting_data() {
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("code");
    QTest::addColumn<QString>("part");
    QTest::addColumn<int>("tone");
    using theme::Tone;
    const auto row = [](const char* name, const char* language, const char* code, const char* part, Tone tone) {
        QTest::newRow(name) << QString::fromLatin1(language) << QString::fromLatin1(code) << QString::fromLatin1(part)
                            << static_cast<int>(tone);
    };
    row("cpp keyword", "cpp", "return x;", "return", Tone::CodeKeyword);
    row("cpp type", "c++", "int x;", "int", Tone::CodeType);
    row("cpp comment", "cpp", "a; // b \"c\"\nd", "// b \"c\"", Tone::CodeComment);
    row("cpp block comment", "c", "a /* b\nc */ d", "/* b\nc */", Tone::CodeComment);
    row("cpp string with escape", "cpp", "f(\"a\\\"b\");", "\"a\\\"b\"", Tone::CodeString);
    row("cpp number", "cpp", "x = 0x1F;", "0x1F", Tone::CodeNumber);
    row("cpp directive", "cpp", "#include <a>", "#include", Tone::CodeKeyword);
    row("python triple quotes", "python", "x = \"\"\"a\n'b\"\"\"", "\"\"\"a\n'b\"\"\"", Tone::CodeString);
    row("python comment", "py", "x = 1 # one", "# one", Tone::CodeComment);
    row("js template", "js", "let a = `x\ny`", "`x\ny`", Tone::CodeString);
    row("json key", "json", "{\"a\": \"b\"}", "\"a\"", Tone::CodeType);
    row("json value", "json", "{\"a\": \"b\"}", "\"b\"", Tone::CodeString);
    row("shell variable", "sh", "echo $HOME", "$HOME", Tone::CodeType);
    row("rust lifetime is no string", "rust", "fn a<'a>(x: &'a str) {}", "str", Tone::CodeType);
    row("sql in any case", "sql", "Select 1", "Select", Tone::CodeKeyword);
    row("html tag", "html", "<a href=\"x\">y</a>", "<a", Tone::CodeKeyword);
    row("html attribute value", "html", "<a href=\"x\">y</a>", "\"x\"", Tone::CodeString);
    row("diff", "diff", " a\n+b\n-c", "+b", Tone::CodeString);
    row("yaml comment", "yaml", "a: b # c", "# c", Tone::CodeComment);
    row("unclosed string ends with its line", "cpp", "a = \"b\nint c;", "int", Tone::CodeType);
}

void TestMarkdownRenderer::highlighting() {
    QFETCH(QString, language);
    QFETCH(QString, code);
    QFETCH(QString, part);
    QFETCH(int, tone);
    for (const CodeSpan& span : highlightCode(language, code)) {
        if (code.mid(span.start, span.length) == part) {
            QCOMPARE(static_cast<int>(span.tone), tone);
            return;
        }
    }
    QFAIL("not coloured");
}

void TestMarkdownRenderer::highlightingIsOrdered() {
    const QString code = QStringLiteral("// a\n#x 'b' \"c\\\n<d e='f'>/* g */ `h` $i ${j} 1.5e3 \"\"\" '''\n+k\n-l <!-- m");
    for (const char* language :
         {"cpp", "python", "js", "json", "sh", "rust", "html", "diff", "sql", "yaml", "go", "lua", "nosuch", ""}) {
        qsizetype end = 0;
        for (const CodeSpan& span : highlightCode(QString::fromLatin1(language), code)) {
            QVERIFY(span.start >= end);
            QVERIFY(span.length > 0);
            end = span.start + span.length;
        }
        QVERIFY(end <= code.size());
    }
    QCOMPARE(languageLabel(QStringLiteral("py")), QStringLiteral("Python"));
    QCOMPARE(languageLabel(QStringLiteral("brainfog")), QStringLiteral("brainfog"));
    QCOMPARE(languageLabel(QString()), QStringLiteral("Code"));
}

QTEST_MAIN(TestMarkdownRenderer)
#include "test_markdown_renderer.moc"
