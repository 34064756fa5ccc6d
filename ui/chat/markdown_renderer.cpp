#include "ui/chat/markdown_renderer.h"

#include "ui/chat/text_properties.h"
#include "ui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QCoreApplication>
#include <QFontDatabase>
#include <QFontMetricsF>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextTable>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace trefoil {
namespace {

constexpr double kLineHeight = 128.0;      // per cent
constexpr double kCodeLineHeight = 118.0;  // per cent

/// Where a block stands: inside which quotes and lists.
struct Place {
    qreal left = 0.0;
    QVariantList bars;  ///< x of each quote bar
    int depth = 0;      ///< of lists
    bool tight = false;
};

struct Marker {
    QString shown;
    QString copied;
    qreal width = 0.0;
    bool pending = false;
};

QFont codeFont(const QFont& base) {
    QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    if (base.pixelSize() > 0) {
        font.setPixelSize(std::max(1, static_cast<int>(std::lround(base.pixelSize() * 0.94))));
    } else {
        font.setPointSizeF(std::max(1.0, base.pointSizeF() * 0.94));
    }
    font.setStyleHint(QFont::Monospace);
    return font;
}

void scaleFont(QTextCharFormat& format, const QFont& base, double factor) {
    if (base.pixelSize() > 0) {
        format.setProperty(QTextFormat::FontPixelSize, static_cast<int>(std::lround(base.pixelSize() * factor)));
    } else {
        format.setFontPointSize(base.pointSizeF() * factor);
    }
}

class Writer {
public:
    Writer(QTextDocument& document, const TextStyle& style, const Highlighter& highlighter)
        : m_cursor(&document),
          m_style(style),
          m_highlighter(highlighter),
          m_metrics(style.font),
          m_codeFont(codeFont(style.font)) {
        m_text.setForeground(style.subtle ? theme::tone(theme::Tone::Subtle, style.palette)
                                          : style.palette.color(QPalette::Text));
        m_unit = m_metrics.height();
    }

    void write(const MarkdownBlock& block, const Place& place);
    std::vector<std::shared_ptr<const CodeText>> takeCodes() { return std::move(m_codes); }

private:
    void beginBlock(QTextBlockFormat format, const Place& place, qreal gap, const QTextCharFormat& charFormat);
    void flushMarker(const Place& place);
    void writeRuns(const QList<InlineRun>& runs, const QTextCharFormat& base);
    void writeParagraph(const MarkdownBlock& block, const Place& place);
    void writeCode(const MarkdownBlock& block, const Place& place);
    void writeCodeLine(QStringView line, qsizetype offset, const QList<CodeSpan>& spans, qsizetype& span);
    void writeLines(const QString& text, const Place& place, const QTextCharFormat& format, bool continues);
    void writeRule(const Place& place);
    void writeList(const MarkdownBlock& block, const Place& place);
    void writeItem(const MarkdownBlock& list, const MarkdownBlock& item, qint64 number, const Place& place, bool opensList);
    void writeTable(const MarkdownBlock& block, const Place& place);
    [[nodiscard]] QTextCharFormat formatOf(const InlineRun& run, const QTextCharFormat& base) const;
    [[nodiscard]] qreal paragraphGap() const { return std::round(m_unit * 0.62); }

    QTextCursor m_cursor;
    const TextStyle& m_style;
    Highlighter m_highlighter;  // its own: an empty one may be given as a temporary
    QFontMetricsF m_metrics;
    QFont m_codeFont;
    QTextCharFormat m_text;
    qreal m_unit = 0.0;
    std::vector<std::shared_ptr<const CodeText>> m_codes;
    Marker m_marker;
    bool m_first = true;       ///< nothing written yet
    bool m_reuseBlock = true;  ///< the cursor's block is empty and free
};

void Writer::beginBlock(QTextBlockFormat format, const Place& place, qreal gap, const QTextCharFormat& charFormat) {
    qreal left = place.left;
    if (m_marker.pending) {
        format.setTextIndent(-m_marker.width);
        format.setTabPositions({QTextOption::Tab(m_marker.width - 1.6 * m_metrics.horizontalAdvance(u' '), QTextOption::RightTab),
                                QTextOption::Tab(m_marker.width, QTextOption::LeftTab)});
    }
    format.setLeftMargin(format.leftMargin() + left);
    if (!place.bars.isEmpty()) format.setProperty(kQuoteBars, place.bars);
    if (!m_first) {
        format.setTopMargin(format.topMargin() + gap);
        if (gap > 0.0) format.setProperty(kGapBefore, gap);
    }
    if (m_reuseBlock) {
        m_cursor.setBlockFormat(format);
        m_cursor.setBlockCharFormat(charFormat);
    } else {
        m_cursor.insertBlock(format, charFormat);
    }
    m_first = false;
    m_reuseBlock = false;
    if (m_marker.pending) {
        QTextCharFormat marker = m_text;
        marker.setForeground(theme::tone(theme::Tone::Subtle, m_style.palette));
        marker.setProperty(kCopyText, m_marker.copied);
        m_cursor.insertText(u'\t' + m_marker.shown + u'\t', marker);
        m_marker.pending = false;
    }
}

void Writer::flushMarker(const Place& place) {
    if (!m_marker.pending) return;
    QTextBlockFormat format;
    format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
    beginBlock(format, place, place.tight ? std::round(m_unit * 0.22) : paragraphGap(), m_text);
}

QTextCharFormat Writer::formatOf(const InlineRun& run, const QTextCharFormat& base) const {
    QTextCharFormat format = base;
    const QColor subtle = theme::tone(theme::Tone::Subtle, m_style.palette);
    if ((run.styles & kEmphasis) != 0) format.setFontItalic(true);
    if ((run.styles & kStrong) != 0) format.setFontWeight(QFont::Bold);
    if ((run.styles & kStrike) != 0) format.setFontStrikeOut(true);
    if ((run.styles & (kInlineCode | kRawHtml)) != 0) {
        format.setFontFamilies(m_codeFont.families());
        format.setFontFixedPitch(true);
        if (!base.hasProperty(QTextFormat::FontPointSize) && !base.hasProperty(QTextFormat::FontPixelSize))
            scaleFont(format, m_style.font, 0.94);
    }
    if ((run.styles & kInlineCode) != 0) format.setBackground(theme::tone(theme::Tone::CodeBackground, m_style.palette));
    if ((run.styles & (kImageNote | kSubtle | kRawHtml)) != 0) format.setForeground(subtle);
    if ((run.styles & kMasked) != 0) format.setForeground(theme::blend(m_style.palette.color(QPalette::Base), subtle, 0.6));
    if (!run.link.isEmpty()) {
        format.setAnchor(true);
        format.setAnchorHref(run.link);
        format.setForeground(theme::tone(theme::Tone::Accent, m_style.palette));
        format.setFontUnderline(true);
    }
    return format;
}

void Writer::writeRuns(const QList<InlineRun>& runs, const QTextCharFormat& base) {
    for (const InlineRun& run : runs) m_cursor.insertText(displayText(run.text), formatOf(run, base));
}

void Writer::writeParagraph(const MarkdownBlock& block, const Place& place) {
    static constexpr std::array<double, 6> kSizes = {1.5, 1.28, 1.14, 1.05, 1.0, 0.94};
    QTextBlockFormat format;
    format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
    QTextCharFormat text = m_text;
    qreal gap = place.tight ? std::round(m_unit * 0.22) : paragraphGap();
    if (block.kind == BlockKind::Heading) {
        const int level = std::clamp(block.level, 1, 6);
        format.setHeadingLevel(level);
        text.setFontWeight(QFont::Bold);
        scaleFont(text, m_style.font, kSizes.at(static_cast<std::size_t>(level - 1)));
        gap = std::round(m_unit * (level <= 2 ? 1.1 : 0.9));
    }
    if (block.continuesPrevious) gap = 0.0;
    beginBlock(format, place, gap, text);
    writeRuns(block.runs, text);
}

void Writer::writeLines(const QString& text, const Place& place, const QTextCharFormat& charFormat, bool continues) {
    QTextBlockFormat format;
    format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
    bool first = true;
    for (const QStringView line : QStringView(text).split(u'\n')) {
        beginBlock(format, place, first && !continues ? paragraphGap() : 0.0, charFormat);
        m_cursor.insertText(displayText(line), charFormat);
        first = false;
    }
}

void Writer::writeCodeLine(QStringView line, qsizetype offset, const QList<CodeSpan>& spans, qsizetype& span) {
    QTextCharFormat plain = m_text;
    plain.setForeground(m_style.palette.color(QPalette::Text));
    plain.setFontFamilies(m_codeFont.families());
    plain.setFontFixedPitch(true);
    scaleFont(plain, m_style.font, 0.94);
    const qsizetype lineEnd = offset + line.size();
    qsizetype at = offset;
    while (span < spans.size() && spans[span].start + spans[span].length <= at) ++span;
    while (at < lineEnd) {
        const bool coloured = span < spans.size() && spans[span].start < lineEnd;
        const qsizetype start = coloured ? std::max(spans[span].start, at) : lineEnd;
        if (start > at) m_cursor.insertText(displayText(line.sliced(at - offset, start - at)), plain);
        if (!coloured) return;
        const qsizetype end = std::min(spans[span].start + spans[span].length, lineEnd);
        QTextCharFormat tinted = plain;
        tinted.setForeground(theme::tone(spans[span].tone, m_style.palette));
        if (spans[span].tone == theme::Tone::CodeComment) tinted.setFontItalic(true);
        m_cursor.insertText(displayText(line.sliced(start - offset, end - start)), tinted);
        at = end;
        if (spans[span].start + spans[span].length > lineEnd) return;
        ++span;
    }
}

void Writer::writeCode(const MarkdownBlock& block, const Place& place) {
    flushMarker(place);
    const qreal pad = codePadding(m_unit);
    const qreal header = codeHeaderHeight(m_unit);
    const QList<CodeSpan> spans =
        m_highlighter ? m_highlighter(block.code) : highlightCode(block.code->language, block.code->text);
    const QList<QStringView> lines = block.codePart().split(u'\n');
    QTextCharFormat text = m_text;
    text.setFontFamilies(m_codeFont.families());
    text.setFontFixedPitch(true);
    scaleFont(text, m_style.font, 0.94);
    qsizetype offset = block.from;
    qsizetype span = static_cast<qsizetype>(
        std::partition_point(spans.begin(), spans.end(),
                             [offset](const CodeSpan& item) { return item.start + item.length <= offset; }) -
        spans.begin());
    for (qsizetype i = 0; i < lines.size(); ++i) {
        QTextBlockFormat format;
        format.setLineHeight(kCodeLineHeight, QTextBlockFormat::ProportionalHeight);
        format.setLeftMargin(pad + std::round(m_unit * 0.2));
        format.setRightMargin(pad);
        int part = kCodeLine;
        if (i == 0 && !block.continuesPrevious) {
            part |= kCodeStart;
            format.setTopMargin(std::round(pad * 0.8) + header);
        }
        if (i == 0 && block.continuesPrevious) part |= kCodeContinues;
        if (i == lines.size() - 1) {
            part |= block.goesOn ? kCodeGoesOn : kCodeEnd;
            // Qt lets the larger of two margins win: the box's own padding must not use up the distance to what follows.
            if (!block.goesOn) format.setBottomMargin(pad + paragraphGap());
        }
        format.setProperty(kCodePart, part);
        format.setProperty(kCodeLeft, place.left);
        beginBlock(format, place, i == 0 && !block.continuesPrevious ? paragraphGap() : 0.0, text);
        writeCodeLine(lines[i], offset, spans, span);
        offset += lines[i].size() + 1;
    }
    if (!block.continuesPrevious) m_codes.push_back(block.code);
}

void Writer::writeRule(const Place& place) {
    flushMarker(place);
    QTextBlockFormat format;
    format.setProperty(kRule, true);
    format.setLineHeight(std::round(m_unit * 0.5), QTextBlockFormat::FixedHeight);
    QTextCharFormat tiny = m_text;
    tiny.setFontPointSize(2);
    beginBlock(format, place, paragraphGap(), tiny);
}

void Writer::writeItem(const MarkdownBlock& list, const MarkdownBlock& item, qint64 number, const Place& place, bool opensList) {
    const qreal space = m_metrics.horizontalAdvance(u' ');
    Place inner = place;
    const qreal width =
        list.ordered
            ? std::max(m_unit * 1.5, m_metrics.horizontalAdvance(QString(list.digits, u'0') + list.delimiter) + 3 * space)
            : std::round(m_unit * 1.5);
    inner.left += width;
    inner.tight = list.tight;
    inner.depth = place.depth + 1;
    if (!item.continuesPrevious) {
        static const QString kBullets[] = {QStringLiteral("•"), QStringLiteral("◦"), QStringLiteral("▪")};
        m_marker.shown = list.ordered ? QString::number(number) + list.delimiter : kBullets[place.depth % 3];
        const QString indent(2 * place.depth, u' ');
        m_marker.copied = indent + (list.ordered ? m_marker.shown : QStringLiteral("-")) + u' ';
        if (item.task != TaskState::None) {
            const bool done = item.task == TaskState::Done;
            m_marker.shown = done ? QStringLiteral("☑") : QStringLiteral("☐");
            m_marker.copied += done ? QStringLiteral("[x] ") : QStringLiteral("[ ] ");
        }
        m_marker.width = width;
        m_marker.pending = true;
    }
    bool first = true;
    for (const MarkdownBlock& child : item.children) {
        Place own = inner;
        // The list as a whole keeps a paragraph's distance to what stands before it.
        own.tight = list.tight && !(first && opensList && place.depth == 0);
        write(child, own);
        first = false;
    }
    flushMarker(inner);
}

void Writer::writeList(const MarkdownBlock& block, const Place& place) {
    flushMarker(place);
    qint64 number = block.start;
    bool first = true;
    for (const MarkdownBlock& item : block.children) {
        writeItem(block, item, number, place, first);
        if (!item.continuesPrevious) ++number;
        first = false;
    }
}

void Writer::writeTable(const MarkdownBlock& block, const Place& place) {
    flushMarker(place);
    std::size_t columns = 0;
    for (const MarkdownBlock& row : block.children) columns = std::max(columns, row.children.size());
    if (columns == 0) return;
    QTextTableFormat format;
    format.setBorder(1);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(theme::tone(theme::Tone::Border, m_style.palette));
    format.setBorderCollapse(true);
    format.setCellPadding(std::round(m_unit * 0.32));
    format.setCellSpacing(0);
    format.setLeftMargin(place.left);
    format.setTopMargin(m_first || block.continuesPrevious ? 0.0 : paragraphGap());
    format.setBottomMargin(1);
    if (!place.bars.isEmpty()) format.setProperty(kQuoteBars, place.bars);
    if (block.shares.size() == static_cast<qsizetype>(columns)) {
        QList<QTextLength> widths;
        for (const int share : block.shares) widths.append(QTextLength(QTextLength::PercentageLength, share));
        format.setColumnWidthConstraints(widths);
        format.setWidth(QTextLength(QTextLength::PercentageLength, 100));
    }
    QTextTable* table = m_cursor.insertTable(static_cast<int>(block.children.size()), static_cast<int>(columns), format);
    for (std::size_t row = 0; row < block.children.size(); ++row) {
        const MarkdownBlock& cells = block.children[row];
        for (std::size_t column = 0; column < cells.children.size(); ++column) {
            const MarkdownBlock& cell = cells.children[column];
            QTextTableCell target = table->cellAt(static_cast<int>(row), static_cast<int>(column));
            QTextBlockFormat alignment;
            alignment.setLineHeight(118, QTextBlockFormat::ProportionalHeight);
            if (cell.align == CellAlign::Centre) alignment.setAlignment(Qt::AlignHCenter);
            if (cell.align == CellAlign::Right) alignment.setAlignment(Qt::AlignRight | Qt::AlignAbsolute);
            QTextCharFormat text = m_text;
            if (cells.header) {
                text.setFontWeight(QFont::Bold);
                QTextTableCellFormat background = target.format().toTableCellFormat();
                background.setBackground(theme::tone(theme::Tone::Raised, m_style.palette));
                target.setFormat(background);
            }
            m_cursor = target.firstCursorPosition();
            m_cursor.setBlockFormat(alignment);
            writeRuns(cell.runs, text);
        }
    }
    m_cursor.movePosition(QTextCursor::End);
    m_first = false;
    m_reuseBlock = true;
}

void Writer::write(const MarkdownBlock& block, const Place& place) {
    switch (block.kind) {
        case BlockKind::Paragraph:
        case BlockKind::Heading:
            writeParagraph(block, place);
            break;
        case BlockKind::Code:
            writeCode(block, place);
            break;
        case BlockKind::Plain:
            writeLines(block.text, place, m_text, block.continuesPrevious);
            break;
        case BlockKind::Html: {
            InlineRun html;
            html.styles = kRawHtml;
            writeLines(block.text, place, formatOf(html, m_text), block.continuesPrevious);
            break;
        }
        case BlockKind::Rule:
            writeRule(place);
            break;
        case BlockKind::Quote: {
            flushMarker(place);
            Place inner = place;
            inner.bars.append(place.left + 1.0);
            inner.left += std::round(m_unit * 0.95);
            inner.tight = false;
            for (const MarkdownBlock& child : block.children) write(child, inner);
            break;
        }
        case BlockKind::List:
            writeList(block, place);
            break;
        case BlockKind::Table:
            writeTable(block, place);
            break;
        default:
            break;
    }
}

}  // namespace

QVariant ClosedTextDocument::loadResource(int, const QUrl&) { return {}; }

std::vector<std::shared_ptr<const CodeText>> renderBlock(QTextDocument& document, const MarkdownBlock& block,
                                                         const TextStyle& style, const Highlighter& highlighter) {
    document.setUndoRedoEnabled(false);
    document.setDocumentMargin(0);
    document.setDefaultFont(style.font);
    document.setLayoutEnabled(false);
    Writer writer(document, style, highlighter);
    writer.write(block, {});
    document.setLayoutEnabled(true);
    return writer.takeCodes();
}

void renderMarkdown(QTextDocument& document, const QString& source, const TextStyle& style) {
    document.setUndoRedoEnabled(false);
    document.setDocumentMargin(0);
    document.setDefaultFont(style.font);
    document.setLayoutEnabled(false);
    MarkdownResult parsed = parseMarkdown(source, false);
    if (parsed.tooDeep) {
        parsed.blocks.push_back(nestingNote());
        MarkdownBlock plain;
        plain.kind = BlockKind::Plain;
        plain.text = source;
        parsed.blocks.push_back(plain);
    }
    Writer writer(document, style, {});
    for (const MarkdownBlock& block : parsed.blocks) writer.write(block, {});
    document.setLayoutEnabled(true);
}

MarkdownBlock noteBlock(const QString& text) {
    MarkdownBlock note;
    note.runs.append({text, static_cast<std::uint16_t>(kSubtle | kEmphasis), QString()});
    return note;
}

MarkdownBlock nestingNote() {
    return noteBlock(QCoreApplication::translate("trefoil::MarkdownRenderer",
                                                 "Nested too deeply to be set as Markdown; shown as plain text."));
}

void fitTables(QTextDocument& document) {
    const auto tooWide = [&document] {
        const QList<QTextFrame*> frames = document.rootFrame()->childFrames();
        return std::any_of(frames.begin(), frames.end(), [&document](QTextFrame* frame) {
            return document.documentLayout()->frameBoundingRect(frame).right() > document.textWidth() + 0.5;
        });
    };
    if (!tooWide()) return;
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (table == nullptr) continue;
        std::vector<int> widest(static_cast<std::size_t>(table->columns()), 3);
        int sum = 0;
        for (int column = 0; column < table->columns(); ++column) {
            int& width = widest[static_cast<std::size_t>(column)];
            for (int row = 0; row < table->rows(); ++row) {
                const QTextTableCell cell = table->cellAt(row, column);
                width = std::max(width, std::min(60, cell.lastPosition() - cell.firstPosition()));
            }
            sum += width;
        }
        QTextTableFormat format = table->format();
        QList<QTextLength> widths;
        for (const int width : widest) widths.append(QTextLength(QTextLength::PercentageLength, 100.0 * width / sum));
        format.setColumnWidthConstraints(widths);
        // Borders come on top of what Qt takes for the width.
        const qreal room = document.textWidth() - format.leftMargin() - table->columns() - 2;
        format.setWidth(QTextLength(QTextLength::FixedLength, std::max(room, 40.0)));
        table->setFormat(format);
    }
    if (!tooWide()) return;
    // Some word is longer than its column.
    QTextOption option = document.defaultTextOption();
    option.setWrapMode(QTextOption::WrapAnywhere);
    document.setDefaultTextOption(option);
}

qreal gapBefore(const MarkdownBlock* previous, const MarkdownBlock& block, const TextStyle& style) {
    if (previous == nullptr) return 0.0;
    const qreal unit = QFontMetricsF(style.font).height();
    const qreal paragraph = std::round(unit * 0.62);
    if (block.continuesPrevious) {
        // A container that goes on: its first child tells whether that is the rest of a child or a new one.
        if (block.children.empty() || block.kind == BlockKind::Table) return 0.0;
        const MarkdownBlock& child = block.children.front();
        if (child.continuesPrevious) return gapBefore(previous, child, style);
        return block.kind == BlockKind::List && block.tight ? std::round(unit * 0.22) : paragraph;
    }
    if (block.kind == BlockKind::Heading) return std::round(unit * (block.level <= 2 ? 1.1 : 0.9));
    return paragraph;
}

}  // namespace trefoil
