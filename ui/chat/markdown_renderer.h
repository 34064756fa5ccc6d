// Fills a QTextDocument with parsed Markdown in the program's own formatting. Loads nothing, ever. What a QTextDocument cannot
// show by itself (bars of quotes, boxes of code, rules) is left to text_decorations.h.
#pragma once

#include "ui/chat/code_highlighter.h"
#include "ui/chat/markdown_parser.h"

#include <QFont>
#include <QList>
#include <QPalette>
#include <QTextDocument>
#include <QVariant>

#include <functional>
#include <memory>
#include <vector>

namespace trefoil {

/// A document without resources: an image or style sheet that is asked for does not exist.
class ClosedTextDocument : public QTextDocument {
    Q_OBJECT
public:
    using QTextDocument::QTextDocument;

protected:
    QVariant loadResource(int type, const QUrl& name) override;
};

/// How text is set.
struct TextStyle {
    QFont font;
    QPalette palette;
    bool subtle = false;  ///< secondary text, such as the thinking
    bool operator==(const TextStyle&) const = default;
};

/// Gives the colour stretches of a whole code block; called while rendering, may cache.
using Highlighter = std::function<QList<CodeSpan>(const std::shared_ptr<const CodeText>&)>;

/// Appends `block` to an empty document. The document gets `style`'s font. Returns the code blocks that begin in it, in the order
/// of codeBoxes() with a header.
std::vector<std::shared_ptr<const CodeText>> renderBlock(QTextDocument& document, const MarkdownBlock& block,
                                                         const TextStyle& style, const Highlighter& highlighter);

/// The whole of a Markdown text in one document (export, print, tests). Too deep a nesting: the source, with a note before it.
void renderMarkdown(QTextDocument& document, const QString& source, const TextStyle& style);

/// A line of the program's own, set apart from the text by its look; and the one that stands before a text that is shown as
/// plain text for being nested too deeply.
[[nodiscard]] MarkdownBlock noteBlock(const QString& text);
[[nodiscard]] MarkdownBlock nestingNote();

/// Makes tables that are wider than the laid out document fit: columns by the share of their texts, then words broken anywhere.
void fitTables(QTextDocument& document);

/// Vertical distance before a piece, in pixels, given the one before it.
[[nodiscard]] qreal gapBefore(const MarkdownBlock* previous, const MarkdownBlock& block, const TextStyle& style);

}  // namespace trefoil
