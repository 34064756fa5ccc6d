#include "ui/chat/text_column.h"

#include "ui/chat/block_cutter.h"
#include "ui/chat/layout_queue.h"
#include "ui/chat/text_column_piece.h"
#include "ui/chat/text_properties.h"
#include "ui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

constexpr qsizetype kLongestMarkdown = 400'000;  ///< parsing takes about 0.1 µs a character
constexpr double kTextScale = 1.06;
const QString kMaskGlyph = QStringLiteral("▒");

MarkdownBlock openBlock(const QStringList& cells, const QList<bool>& masked) {
    MarkdownBlock block;
    for (qsizetype i = 0; i < cells.size(); ++i) {
        const bool mask = i < masked.size() && masked[i];
        QString text = mask ? kMaskGlyph : cells[i];
        text.replace(u'\n', QChar(QChar::LineSeparator));
        const std::uint16_t styles = mask ? kMasked : kPlainText;
        if (!block.runs.isEmpty() && block.runs.back().styles == styles) {
            block.runs.back().text += text;
        } else {
            block.runs.append({text, styles, QString()});
        }
    }
    // The block stands on a line of its own: the space that joins it to the text before would only indent it.
    QString& first = block.runs.front().text;
    const auto start = std::find_if(first.cbegin(), first.cend(), [](QChar sign) { return !sign.isSpace(); });
    first.remove(0, start - first.cbegin());
    return block;
}

/// About how high a block will be: only so that the scroll bar does not jump much while a long text is laid out.
qreal estimatedHeight(const MarkdownBlock& block, qreal width, qreal lineHeight) {
    qsizetype characters = block.text.size() + block.codePart().size();
    for (const InlineRun& run : block.runs) characters += run.text.size();
    qreal height = lineHeight * static_cast<qreal>(1 + block.text.count(u'\n') + block.codePart().count(u'\n'));
    height += lineHeight * static_cast<qreal>(characters) * 0.45 * lineHeight / std::max(width, 100.0) * 0.8;
    for (const MarkdownBlock& child : block.children) height += estimatedHeight(child, width, lineHeight);
    return std::round(height);
}

}  // namespace

TextColumn::TextColumn(LayoutQueue& queue, QWidget* parent) : QWidget(parent), m_queue(queue) {
    setFocusPolicy(Qt::ClickFocus);
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent, false);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(0);
}

TextColumn::~TextColumn() = default;

TextStyle TextColumn::style() const {
    TextStyle style;
    style.font = font();
    // A little larger than the controls around it: this is what is read all day.
    if (style.font.pointSizeF() > 0) style.font.setPointSizeF(style.font.pointSizeF() * kTextScale);
    style.palette = palette();
    style.subtle = m_subtle;
    return style;
}

namespace {

std::vector<MarkdownBlock> markdownPieces(const QString& source, bool streaming) {
    if (source.size() > kLongestMarkdown) {
        std::vector<MarkdownBlock> pieces = plainPieces(source);
        pieces.insert(pieces.begin(), noteBlock(TextColumn::tr("Too long to be set as Markdown; shown as plain text.")));
        return pieces;
    }
    MarkdownResult parsed = parseMarkdown(source, streaming);
    if (!parsed.tooDeep) return cutIntoPieces(std::move(parsed.blocks));
    std::vector<MarkdownBlock> pieces = plainPieces(source);
    pieces.insert(pieces.begin(), nestingNote());
    return pieces;
}

std::vector<MarkdownBlock> textPieces(const QString& text) {
    QString lines = text;
    lines.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    lines.replace(u'\r', u'\n');
    return lines.isEmpty() ? std::vector<MarkdownBlock>() : plainPieces(lines);
}

}  // namespace

void TextColumn::setMarkdown(const QString& source, bool streaming) {
    const std::int64_t start = LayoutQueue::threadTime();
    std::vector<MarkdownBlock> pieces = markdownPieces(source, streaming);
    m_queue.charge(LayoutQueue::threadTime() - start);
    setContent(std::move(pieces));
}

void TextColumn::setPlainText(const QString& text) { setContent(textPieces(text)); }

int TextColumn::markCountOf(const QString& source, bool markdown, const MarkFinder& find) {
    qsizetype count = 0;
    for (const MarkdownBlock& piece : markdown ? markdownPieces(source, false) : textPieces(source))
        count += find(textOf(piece)).size();
    return static_cast<int>(count);
}

void TextColumn::setContent(std::vector<MarkdownBlock> pieces) {
    const std::size_t count = pieces.size();
    for (std::size_t i = m_contentPieces; i < m_pieces.size(); ++i) pieces.push_back(m_pieces[i]->block);
    m_contentPieces = count;
    replacePieces(0, std::move(pieces));
    forgetHeatPlaces();
}

void TextColumn::setOpenBlock(const QStringList& cells, const QList<bool>& masked) {
    std::vector<MarkdownBlock> pieces;
    if (!cells.isEmpty()) pieces.push_back(openBlock(cells, masked));
    replacePieces(m_contentPieces, std::move(pieces));
}

void TextColumn::setSubtle(bool subtle) {
    if (m_subtle == subtle) return;
    m_subtle = subtle;
    markAllStale();
}

void TextColumn::replacePieces(std::size_t first, std::vector<MarkdownBlock> blocks) {
    // Everything up to the first difference stays as it is laid out.
    std::size_t same = 0;
    while (first + same < m_pieces.size() && same < blocks.size() && m_pieces[first + same]->block == blocks[same]) {
        Piece& piece = *m_pieces[first + same];
        piece.block = std::move(blocks[same]);
        // The code of a piece that stays may have grown in later pieces, or its fence may have been closed.
        const bool startsCode = piece.block.kind == BlockKind::Code && !piece.block.continuesPrevious;
        if (startsCode && !piece.codes.empty()) piece.codes.front() = piece.block.code;
        ++same;
    }
    const qreal lineHeight = QFontMetricsF(font()).height() * 1.28;
    const TextStyle now = style();
    for (std::size_t i = same; i < blocks.size(); ++i) {
        const std::size_t at = first + i;
        const bool fresh = at >= m_pieces.size();
        if (fresh) m_pieces.push_back(std::make_unique<Piece>());
        Piece& piece = *m_pieces[at];
        if (fresh || piece.laidOutWidth >= 0) ++m_pending;
        piece.block = std::move(blocks[i]);
        piece.stale = true;
        piece.laidOutWidth = -1;
        piece.gap = gapBefore(at == 0 ? nullptr : &m_pieces[at - 1]->block, piece.block, now);
        if (fresh) piece.height = estimatedHeight(piece.block, width(), lineHeight);
    }
    while (m_pieces.size() > first + blocks.size()) {
        Piece& piece = *m_pieces.back();
        if (piece.laidOutWidth < 0) --m_pending;
        for (QToolButton* button : std::as_const(piece.buttons)) button->deleteLater();
        m_pieces.pop_back();
    }
    const int last = static_cast<int>(m_pieces.size()) - 1;
    if (m_anchor.piece > last || m_head.piece > last) clearSelection();
    m_focusedLink.reset();
    m_offsetsStale = true;
    update();
    m_queue.run(this);
}

bool TextColumn::hasWork() const { return m_pending > 0 && !isHidden() && testAttribute(Qt::WA_Resized) && width() > 0; }

void TextColumn::build(Piece& piece) const {
    if (!piece.stale && piece.document != nullptr) return;
    piece.document = std::make_unique<ClosedTextDocument>();
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setTabStopDistance(4 * QFontMetricsF(font()).horizontalAdvance(u'0'));
    piece.document->setDefaultTextOption(option);
    // The pieces of one long code share its colours.
    const Highlighter highlighter = [this](const std::shared_ptr<const CodeText>& code) {
        if (m_highlightedCode != code) {
            m_highlights = highlightCode(code->language, code->text);
            m_highlightedCode = code;
        }
        return m_highlights;
    };
    piece.codes = renderBlock(*piece.document, piece.block, style(), highlighter);
    piece.stale = false;
}

void TextColumn::layOutNext() {
    // What the person looks at comes first.
    const QRect visible = visibleRegion().boundingRect();
    Piece* next = nullptr;
    for (const std::unique_ptr<Piece>& piece : m_pieces) {
        if (piece->laidOutWidth >= 0) continue;
        const bool inView = piece->y < visible.bottom() + 1 && piece->y + piece->height > visible.top();
        if (next == nullptr || inView) next = piece.get();
        if (inView) break;
    }
    if (next != nullptr) layOut(*next);
}

void TextColumn::layOut(Piece& piece) {
    build(piece);
    piece.document->setTextWidth(width());
    fitTables(*piece.document);
    piece.boxes = codeBoxes(*piece.document, style());
    qreal height = piece.document->size().height();
    if (!piece.boxes.isEmpty()) height = std::max(height, piece.boxes.back().box.bottom());
    piece.inset = piece.boxes.isEmpty() ? 0.0 : std::ceil(std::max(0.0, -piece.boxes.front().box.top()));
    piece.height = piece.inset + std::ceil(height);
    piece.laidOutWidth = width();
    --m_pending;
    ++m_layoutCount;
    m_offsetsStale = true;
}

void TextColumn::finishLayout() {
    if (!m_offsetsStale) return;
    updateOffsets();
    update();
}

void TextColumn::updateOffsets() {
    m_offsetsStale = false;
    qreal y = 0.0;
    for (const std::unique_ptr<Piece>& piece : m_pieces) {
        y += piece->gap;
        piece->y = y + piece->inset;
        y += piece->height;
        placeButtons(*piece);
    }
    const int height = static_cast<int>(std::ceil(y));
    if (height != minimumHeight() || height != maximumHeight()) setFixedHeight(height);
}

void TextColumn::placeButtons(Piece& piece) {
    qsizetype used = 0;
    for (const CodeBox& code : std::as_const(piece.boxes)) {
        if (code.header.isEmpty()) continue;
        if (used == piece.buttons.size()) {
            auto* button = new QToolButton(this);
            button->setObjectName(QStringLiteral("copyCodeButton"));
            button->setAccessibleName(tr("Copy this code"));
            button->setToolTip(tr("Copy this code"));
            button->setText(tr("Copy"));
            button->setIcon(theme::icon(QStringLiteral("copy"), palette()));
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            button->setAutoRaise(true);
            button->setCursor(Qt::ArrowCursor);
            button->setFocusPolicy(Qt::TabFocus);
            connect(button, &QToolButton::clicked, this, [this, button] { copyCode(button); });
            piece.buttons.append(button);
        }
        QToolButton* button = piece.buttons[used++];
        const QSize size(button->sizeHint().width(),
                         std::min(button->sizeHint().height(), static_cast<int>(code.header.height()) - 2));
        const QRectF header = code.header.translated(0, piece.y);
        button->setGeometry(static_cast<int>(header.right()) - size.width() - 4,
                            static_cast<int>(header.top() + (header.height() - size.height()) / 2), size.width(), size.height());
        button->show();
    }
    while (piece.buttons.size() > used) piece.buttons.takeLast()->deleteLater();
}

void TextColumn::copyCode(const QToolButton* button) {
    for (const std::unique_ptr<Piece>& piece : m_pieces) {
        const auto found = std::find(piece->buttons.cbegin(), piece->buttons.cend(), button);
        const qsizetype index = found - piece->buttons.cbegin();
        if (found == piece->buttons.cend() || static_cast<std::size_t>(index) >= piece->codes.size()) continue;
        const QString code = piece->codes[static_cast<std::size_t>(index)]->text;
        QApplication::clipboard()->setText(code);
        emit copied(code);
        return;
    }
}

void TextColumn::markAllStale() {
    m_highlightedCode.reset();
    for (const std::unique_ptr<Piece>& piece : m_pieces) {
        piece->stale = true;
        piece->laidOutWidth = -1;
        for (QToolButton* button : std::as_const(piece->buttons)) button->setIcon(theme::icon(QStringLiteral("copy"), palette()));
    }
    const TextStyle now = style();
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        m_pieces[i]->gap = gapBefore(i == 0 ? nullptr : &m_pieces[i - 1]->block, m_pieces[i]->block, now);
    }
    m_pending = m_pieces.size();
    m_queue.run(this);
}

void TextColumn::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    const bool look = event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange;
    if (look && !m_pieces.empty()) markAllStale();
}

void TextColumn::resizeEvent(QResizeEvent* event) {
    if (event->size().width() == event->oldSize().width()) return;
    m_pending = 0;
    for (const std::unique_ptr<Piece>& piece : m_pieces) {
        if (piece->laidOutWidth == width()) continue;
        piece->laidOutWidth = -1;
        ++m_pending;
    }
    m_queue.run(this);
}

void TextColumn::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (m_pending > 0) m_queue.run(this);
}

void TextColumn::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    const QRect exposed = event->rect();
    const auto [from, to] = selection();
    const TextStyle now = style();
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        const Piece& piece = *m_pieces[i];
        const bool exposedPiece =
            piece.y - piece.inset - piece.gap <= exposed.bottom() && piece.y + piece.height >= exposed.top();
        if (!exposedPiece || piece.document == nullptr) continue;
        painter.save();
        painter.translate(0, piece.y);
        QStringList labels;
        for (const auto& code : piece.codes) {
            labels.append(code->open ? tr("%1 · being written").arg(languageLabel(code->language))
                                     : languageLabel(code->language));
        }
        paintDecorations(painter, *piece.document, piece.boxes, labels, now, piece.block.continuesPrevious ? piece.gap : 0.0,
                         piece.height);
        QAbstractTextDocumentLayout::PaintContext context;
        context.palette = palette();
        context.clip = QRectF(exposed).translated(0, -piece.y);
        if (i < m_contentPieces && !m_heat.stretches.isEmpty()) {
            placeHeat(*m_pieces[i]);
            for (const Piece::HeatRange& range : piece.heat) {
                const double heat = m_heat.stretches[range.stretch].heat;
                if (heat <= 0.0) continue;
                QAbstractTextDocumentLayout::Selection warm;
                warm.cursor = QTextCursor(piece.document.get());
                warm.cursor.setPosition(range.from);
                warm.cursor.setPosition(range.from + range.length, QTextCursor::KeepAnchor);
                warm.format.setBackground(heatColour(m_heat.tone, heat, palette()));
                // Secondary text would be too faint on a colour.
                if (m_subtle) warm.format.setForeground(palette().brush(QPalette::Text));
                context.selections.append(warm);
            }
        }
        const int index = static_cast<int>(i);
        if (from < to && from.piece <= index && index <= to.piece) {
            QAbstractTextDocumentLayout::Selection selected;
            selected.cursor = QTextCursor(piece.document.get());
            selected.cursor.setPosition(from.piece == index ? from.position : 0);
            if (to.piece == index) {
                selected.cursor.setPosition(std::min(to.position, piece.document->characterCount() - 1), QTextCursor::KeepAnchor);
            } else {
                selected.cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
            }
            selected.format.setBackground(palette().brush(QPalette::Highlight));
            selected.format.setForeground(palette().brush(QPalette::HighlightedText));
            context.selections.append(selected);
        }
        if (m_focusedLink.has_value() && hasFocus() && m_focusedLink->from.piece == index) {
            QAbstractTextDocumentLayout::Selection focus;
            focus.cursor = QTextCursor(piece.document.get());
            focus.cursor.setPosition(m_focusedLink->from.position);
            focus.cursor.setPosition(m_focusedLink->end, QTextCursor::KeepAnchor);
            focus.format.setBackground(theme::tone(theme::Tone::Accent, palette()));
            focus.format.setForeground(palette().brush(QPalette::Base));
            context.selections.append(focus);
        }
        if (m_findMarks) {
            const QList<TextRange> marks = m_findMarks(piece.document->toPlainText());
            for (qsizetype mark = 0; mark < marks.size(); ++mark) {
                const bool current = index == m_currentPiece && mark == std::min<qsizetype>(m_currentMark, marks.size() - 1);
                QAbstractTextDocumentLayout::Selection found;
                found.cursor = QTextCursor(piece.document.get());
                found.cursor.setPosition(static_cast<int>(marks[mark].from));
                found.cursor.setPosition(static_cast<int>(marks[mark].from + marks[mark].length), QTextCursor::KeepAnchor);
                const QColor accent = theme::tone(theme::Tone::Accent, palette());
                found.format.setBackground(current ? accent : theme::blend(palette().color(QPalette::Base), accent, 0.35));
                if (current) found.format.setForeground(palette().brush(QPalette::Base));
                context.selections.append(found);
            }
        }
        piece.document->documentLayout()->draw(&painter, context);
        painter.restore();
    }
}

}  // namespace trefoil
