// Reads an answer's Markdown (CommonMark with tables, strikethrough, task lists, autolinks) into plain values. Nothing is
// interpreted that could act: raw HTML, images and TeX come out as text.
#pragma once

#include <QList>
#include <QString>
#include <QStringView>

#include <cstdint>
#include <memory>
#include <vector>

namespace trefoil {

/// How a stretch of text is set: flags.
inline constexpr std::uint16_t kPlainText = 0;
inline constexpr std::uint16_t kEmphasis = 1U << 0U;
inline constexpr std::uint16_t kStrong = 1U << 1U;
inline constexpr std::uint16_t kStrike = 1U << 2U;
inline constexpr std::uint16_t kInlineCode = 1U << 3U;
inline constexpr std::uint16_t kRawHtml = 1U << 4U;
inline constexpr std::uint16_t kImageNote = 1U << 5U;  ///< label and address of an image
inline constexpr std::uint16_t kMasked = 1U << 6U;     ///< a masked cell of the open block
inline constexpr std::uint16_t kSubtle = 1U << 7U;     ///< the program's own words

/// A stretch of text of one style. Hard breaks are U+2028.
struct InlineRun {
    QString text;
    std::uint16_t styles = kPlainText;
    QString link;  ///< the target as written; empty: no link
    bool operator==(const InlineRun&) const = default;
};

enum class BlockKind : std::uint8_t { Paragraph, Heading, Code, Html, Rule, Quote, List, Item, Table, Row, Cell, Plain };
enum class TaskState : std::uint8_t { None, Open, Done };
enum class CellAlign : std::uint8_t { Standard, Left, Centre, Right };

/// The whole text of a fenced or indented code block, shared by the pieces it is laid out in.
struct CodeText {
    QString language;  ///< first word of the info string, lower case; may be empty
    QString text;      ///< without the last line end
    bool fenced = false;
    bool open = false;  ///< its fence is not closed yet (known only while streaming)
    bool operator==(const CodeText&) const = default;
};

/// A block with its children.
struct MarkdownBlock {
    BlockKind kind = BlockKind::Paragraph;
    std::vector<MarkdownBlock> children;
    QList<InlineRun> runs;                  ///< Paragraph, Heading, Cell
    QString text;                           ///< Html, Plain
    std::shared_ptr<const CodeText> code;   ///< Code
    int level = 0;                          ///< Heading: 1 to 6
    bool ordered = false;                   ///< List
    bool tight = true;                      ///< List
    qint64 start = 1;                       ///< List: number of its first item
    int digits = 1;                         ///< List: digits of the highest number of the whole list, for the markers' width
    QChar delimiter = u'.';                 ///< List: "." or ")"
    TaskState task = TaskState::None;       ///< Item
    CellAlign align = CellAlign::Standard;  ///< Cell
    bool header = false;                    ///< Row
    // A block that is too long to lay out in one go is cut into pieces (block_cutter.h).
    qsizetype from = 0;              ///< Code: first character of this piece
    qsizetype length = -1;           ///< Code: characters of this piece; -1: all
    QList<int> shares;               ///< Table: per cent of the width for each column; empty: by content
    bool continuesPrevious = false;  ///< no gap and no marker: the piece before is the same block
    bool continuesLine = false;      ///< the piece before ends within a line (Plain, Code, Paragraph)
    bool goesOn = false;             ///< the piece after is the same block

    [[nodiscard]] QStringView codePart() const;
    /// Equal when both look the same. Of a code block only this piece counts, not the text after it.
    bool operator==(const MarkdownBlock& other) const;
};

struct MarkdownResult {
    std::vector<MarkdownBlock> blocks;
    bool tooDeep = false;  ///< nested beyond kDeepestNesting: `blocks` is empty, show the source as plain text
};

/// Quotes and lists nested deeper than this are not laid out.
inline constexpr int kDeepestNesting = 16;

/// `streaming`: an unclosed fence at the end is marked open. Line ends may be LF, CRLF or CR.
[[nodiscard]] MarkdownResult parseMarkdown(const QString& source, bool streaming);

/// What a block shows without its looks: the text that a person can find in it. Parts are apart by line ends.
[[nodiscard]] QString textOf(const MarkdownBlock& block);

/// Text as it may be handed to a QTextDocument: U+FDD0 and U+FDD1 are its own frame marks, so they are shown as U+FFFD.
[[nodiscard]] QString displayText(QStringView text);

}  // namespace trefoil
