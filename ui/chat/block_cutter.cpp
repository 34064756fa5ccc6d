#include "ui/chat/block_cutter.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace trefoil {
namespace {

constexpr qsizetype kPieceCharacters = 2000;
constexpr qsizetype kLongestParagraph = 4000;
constexpr qsizetype kPieceLines = 50;
constexpr std::size_t kPieceRows = 40;
constexpr qsizetype kBlockWeight = 40;  ///< what an empty block costs, in characters

qsizetype weightOf(const MarkdownBlock& block) {
    qsizetype weight = kBlockWeight + block.text.size() + block.codePart().size();
    for (const InlineRun& run : block.runs) weight += run.text.size();
    for (const MarkdownBlock& child : block.children) weight += weightOf(child);
    return weight;
}

/// Where a piece that begins at `from` ends: after a line end if one comes in time, else after a space, else anywhere between
/// characters.
qsizetype pieceEnd(QStringView text, qsizetype from) {
    qsizetype lines = 0;
    qsizetype lastLineEnd = -1;
    qsizetype lastSpace = -1;
    const qsizetype limit = std::min(text.size(), from + kPieceCharacters);
    for (qsizetype at = from; at < limit; ++at) {
        if (text[at] == u'\n') {
            lastLineEnd = at + 1;
            if (++lines == kPieceLines) return lastLineEnd;
        } else if (text[at].isSpace()) {
            lastSpace = at + 1;
        }
    }
    if (limit == text.size()) return limit;
    if (lastLineEnd > 0) return lastLineEnd;
    if (lastSpace > 0) return lastSpace;
    return text[limit - 1].isHighSurrogate() ? limit - 1 : limit;
}

/// Calls add(from, length, continuesLine, goesOn) for each piece of a text; a line end between two pieces belongs to neither.
template <typename Add>
void cutText(QStringView text, const Add& add) {
    qsizetype from = 0;
    bool continuesLine = false;
    do {
        const qsizetype end = pieceEnd(text, from);
        const bool more = end < text.size();
        const bool wholeLine = more && end > from && text[end - 1] == u'\n';
        add(from, wholeLine ? end - 1 - from : end - from, continuesLine, more);
        continuesLine = more && !wholeLine;
        if (!more) break;
        from = end;
    } while (true);
}

std::vector<MarkdownBlock> cut(MarkdownBlock block);

std::vector<MarkdownBlock> cutCode(const MarkdownBlock& block) {
    std::vector<MarkdownBlock> pieces;
    cutText(block.code->text, [&](qsizetype from, qsizetype length, bool continuesLine, bool goesOn) {
        MarkdownBlock piece = block;
        piece.from = from;
        piece.length = length;
        piece.continuesPrevious = !pieces.empty();
        piece.continuesLine = continuesLine;
        piece.goesOn = goesOn;
        pieces.push_back(std::move(piece));
    });
    return pieces;
}

std::vector<MarkdownBlock> cutPlain(const MarkdownBlock& block) {
    std::vector<MarkdownBlock> pieces;
    cutText(block.text, [&](qsizetype from, qsizetype length, bool continuesLine, bool goesOn) {
        MarkdownBlock piece;
        piece.kind = block.kind;
        piece.text = block.text.mid(from, length);
        piece.continuesPrevious = !pieces.empty();
        piece.continuesLine = continuesLine;
        piece.goesOn = goesOn;
        pieces.push_back(std::move(piece));
    });
    return pieces;
}

std::vector<MarkdownBlock> cutParagraph(MarkdownBlock block) {
    std::vector<MarkdownBlock> pieces;
    MarkdownBlock piece = block;
    piece.runs.clear();
    qsizetype size = 0;
    const auto finish = [&](bool goesOn) {
        piece.goesOn = goesOn;
        pieces.push_back(piece);
        piece.runs.clear();
        piece.continuesPrevious = true;
        piece.continuesLine = true;
        size = 0;
    };
    for (const InlineRun& run : std::as_const(block.runs)) {
        cutText(run.text, [&](qsizetype from, qsizetype length, bool, bool) {
            if (size > 0 && size + length > kLongestParagraph) finish(true);
            piece.runs.append({run.text.mid(from, length), run.styles, run.link});
            size += length;
        });
    }
    finish(false);
    return pieces;
}

std::vector<MarkdownBlock> cutTable(MarkdownBlock block) {
    // One width for a column in every piece: from the longest texts, within reason.
    std::vector<int> widest;
    for (const MarkdownBlock& row : block.children) {
        widest.resize(std::max(widest.size(), row.children.size()), 4);
        for (std::size_t column = 0; column < row.children.size(); ++column) {
            const qsizetype length = weightOf(row.children[column]) - kBlockWeight;
            widest[column] = std::max(widest[column], static_cast<int>(std::min<qsizetype>(length, 60)));
        }
    }
    int sum = 0;
    for (const int width : widest) sum += width;
    QList<int> shares;
    for (const int width : widest) shares.append(std::max(1, 100 * width / std::max(sum, 1)));

    std::vector<MarkdownBlock> rows = std::exchange(block.children, {});
    block.shares = shares;
    std::vector<MarkdownBlock> pieces;
    for (std::size_t from = 0; from < rows.size(); from += kPieceRows) {
        MarkdownBlock piece = block;
        const std::size_t end = std::min(rows.size(), from + kPieceRows);
        std::move(rows.begin() + static_cast<std::ptrdiff_t>(from), rows.begin() + static_cast<std::ptrdiff_t>(end),
                  std::back_inserter(piece.children));
        piece.continuesPrevious = from > 0;
        piece.goesOn = end < rows.size();
        pieces.push_back(std::move(piece));
    }
    return pieces;
}

/// Quotes, lists and items: their children are cut, then gathered again in containers of bounded weight.
std::vector<MarkdownBlock> cutContainer(MarkdownBlock block) {
    std::vector<MarkdownBlock> children;
    for (MarkdownBlock& child : block.children) {
        for (MarkdownBlock& part : cut(std::move(child))) children.push_back(std::move(part));
    }
    block.children.clear();
    std::vector<MarkdownBlock> pieces;
    MarkdownBlock piece = block;
    qsizetype weight = 0;
    qint64 number = block.start;
    const auto finish = [&](bool goesOn) {
        piece.goesOn = goesOn;
        pieces.push_back(std::move(piece));
        piece = block;
        piece.continuesPrevious = true;
        piece.start = number;
        weight = 0;
    };
    for (MarkdownBlock& child : children) {
        const qsizetype own = weightOf(child);
        if (weight > 0 && weight + own > kPieceCharacters) finish(true);
        if (!child.continuesPrevious) ++number;
        weight += own;
        piece.children.push_back(std::move(child));
    }
    finish(false);
    return pieces;
}

std::vector<MarkdownBlock> cut(MarkdownBlock block) {
    const bool longCode = block.kind == BlockKind::Code && block.code->text.count(u'\n') >= kPieceLines;
    const bool longTable = block.kind == BlockKind::Table && block.children.size() > kPieceRows;
    if (longCode || longTable || weightOf(block) > kPieceCharacters) {
        switch (block.kind) {
            case BlockKind::Code:
                return cutCode(block);
            case BlockKind::Plain:
            case BlockKind::Html:
                return cutPlain(block);
            case BlockKind::Quote:
            case BlockKind::List:
            case BlockKind::Item:
                return cutContainer(std::move(block));
            case BlockKind::Table:
                if (longTable) return cutTable(std::move(block));
                break;
            case BlockKind::Paragraph:
            case BlockKind::Heading:
                if (weightOf(block) > kLongestParagraph) return cutParagraph(std::move(block));
                break;
            default:
                break;
        }
    }
    std::vector<MarkdownBlock> whole;
    whole.push_back(std::move(block));
    return whole;
}

}  // namespace

std::vector<MarkdownBlock> cutIntoPieces(std::vector<MarkdownBlock> blocks) {
    std::vector<MarkdownBlock> pieces;
    for (MarkdownBlock& block : blocks) {
        for (MarkdownBlock& piece : cut(std::move(block))) pieces.push_back(std::move(piece));
    }
    return pieces;
}

std::vector<MarkdownBlock> plainPieces(const QString& text) {
    MarkdownBlock block;
    block.kind = BlockKind::Plain;
    block.text = text;
    return cutPlain(block);
}

}  // namespace trefoil
