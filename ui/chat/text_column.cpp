#include "ui/chat/text_column.h"

#include "ui/chat/block_cutter.h"
#include "ui/chat/layout_queue.h"
#include "ui/chat/text_properties.h"
#include "ui/theme/theme.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QStyleHints>
#include <QTextBlock>
#include <QTextCursor>
#include <QToolButton>
#include <QToolTip>

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

struct TextColumn::Piece {
    MarkdownBlock block;
    std::unique_ptr<ClosedTextDocument> document;
    QList<CodeBox> boxes;
    std::vector<std::shared_ptr<const CodeText>> codes;
    QList<QToolButton*> buttons;
    qreal gap = 0.0;
    qreal y = 0.0;          ///< of the document's top
    qreal inset = 0.0;      ///< room above the document: a QTextDocument drops the margin of its first block
    qreal height = 0.0;     ///< inset included
    int laidOutWidth = -1;  ///< -1: to do
    bool stale = true;      ///< the document does not show `block` in today's style
    struct HeatRange {
        int from = 0;
        int length = 0;
        qsizetype stretch = 0;
    };
    qsizetype heatFrom = 0;  ///< in the source of the heat
    QList<HeatRange> heat;
    bool heatPlaced = false;
};

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

void TextColumn::setMarks(const MarkFinder& find) {
    m_findMarks = find;
    m_currentPiece = -1;
    m_currentMark = -1;
    update();
}

QRect TextColumn::setCurrentMark(int wanted) {
    m_currentPiece = -1;
    m_currentMark = -1;
    update();
    if (!m_findMarks || wanted < 0) return {};
    for (std::size_t i = 0; i < m_contentPieces; ++i) {
        Piece& piece = *m_pieces[i];
        const int here = static_cast<int>(m_findMarks(textOf(piece.block)).size());
        if (wanted >= here) {
            wanted -= here;
            continue;
        }
        m_currentPiece = static_cast<int>(i);
        m_currentMark = wanted;
        if (piece.laidOutWidth < 0) {
            layOut(piece);
            updateOffsets();
        }
        const QList<TextRange> marks = m_findMarks(piece.document->toPlainText());
        if (marks.isEmpty()) return {0, static_cast<int>(piece.y), width(), static_cast<int>(piece.height)};
        return placeOf(piece, static_cast<int>(marks[std::min<qsizetype>(wanted, marks.size() - 1)].from));
    }
    return {};
}

/// The line of a position; the piece is laid out.
QRect TextColumn::placeOf(const Piece& piece, int position) const {
    const QTextBlock block = piece.document->findBlock(position);
    QRectF place = piece.document->documentLayout()->blockBoundingRect(block);
    if (const QTextLine line = block.layout()->lineForTextPosition(position - block.position()); line.isValid())
        place = line.rect().translated(place.topLeft());
    return place.translated(0, piece.y).toAlignedRect();
}

void TextColumn::setHeat(const TextHeat& heat) {
    if (m_heat == heat) return;
    m_heat = heat;
    forgetHeatPlaces();
    update();
}

void TextColumn::forgetHeatPlaces() {
    m_heatBegun = false;
    for (const std::unique_ptr<Piece>& piece : m_pieces) piece->heatPlaced = false;
}

void TextColumn::placeHeat(Piece& piece) const {
    if (!m_heatBegun) {
        m_heatBegun = true;
        qsizetype next = 0;
        for (std::size_t i = 0; i < m_contentPieces; ++i) {
            m_pieces[i]->heatFrom = next;
            (void)alignText(textOf(m_pieces[i]->block), m_heat.source, next, &next);
        }
    }
    if (piece.heatPlaced) return;
    piece.heatPlaced = true;
    piece.heat.clear();
    const QList<qsizetype> places = alignText(piece.document->toPlainText(), m_heat.source, piece.heatFrom);
    qsizetype stretch = 0;
    for (int i = 0; i < static_cast<int>(places.size()); ++i) {
        if (places[i] < 0) continue;
        while (stretch < m_heat.stretches.size() &&
               m_heat.stretches[stretch].from + m_heat.stretches[stretch].length <= places[i])
            ++stretch;
        if (stretch == m_heat.stretches.size()) break;
        if (m_heat.stretches[stretch].from > places[i]) continue;
        const bool goesOn = !piece.heat.isEmpty() && piece.heat.last().stretch == stretch &&
                            piece.heat.last().from + piece.heat.last().length == i;
        if (goesOn) {
            ++piece.heat.last().length;
        } else {
            piece.heat.append({i, 1, stretch});
        }
    }
}

QRect TextColumn::selectToken(int token) {
    for (std::size_t i = 0; i < m_contentPieces && !m_heat.stretches.isEmpty(); ++i) {
        Piece& piece = *m_pieces[i];
        build(piece);
        placeHeat(piece);
        const auto found = std::find_if(piece.heat.cbegin(), piece.heat.cend(), [&](const Piece::HeatRange& range) {
            return m_heat.stretches[range.stretch].token >= token;
        });
        if (found == piece.heat.cend()) continue;
        if (piece.laidOutWidth < 0) {
            layOut(piece);
            updateOffsets();
        }
        const auto index = static_cast<int>(i);
        select({index, found->from}, {index, found->from + found->length});
        return placeOf(piece, found->from);
    }
    return {};
}

const HeatStretch* TextColumn::stretchAt(const QPoint& position) const {
    if (m_heat.stretches.isEmpty() || m_pieces.empty()) return nullptr;
    const Place place = placeAt(position);
    if (place.piece >= static_cast<int>(m_contentPieces)) return nullptr;
    Piece& piece = *m_pieces[static_cast<std::size_t>(place.piece)];
    if (piece.document == nullptr) return nullptr;
    placeHeat(piece);
    for (const Piece::HeatRange& range : std::as_const(piece.heat))
        if (range.from <= place.position && place.position < range.from + range.length) return &m_heat.stretches[range.stretch];
    return nullptr;
}

TextColumn::Piece* TextColumn::pieceNear(qreal y) const {
    Piece* found = nullptr;
    for (const std::unique_ptr<Piece>& piece : m_pieces) {
        if (found != nullptr && piece->y - piece->inset > y) break;
        found = piece.get();
    }
    return found;
}

TextColumn::Place TextColumn::placeAt(const QPoint& position) const {
    if (m_pieces.empty()) return {};
    const Piece* piece = pieceNear(position.y());
    const auto found = std::find_if(m_pieces.begin(), m_pieces.end(), [piece](const auto& item) { return item.get() == piece; });
    Place place{static_cast<int>(found - m_pieces.begin()), 0};
    if (piece->document == nullptr) return place;
    if (position.y() >= height()) {
        place.position = piece->document->characterCount() - 1;
        return place;
    }
    if (position.y() < 0) return {};
    place.position =
        std::max(0, piece->document->documentLayout()->hitTest(QPointF(position) - QPointF(0, piece->y), Qt::FuzzyHit));
    return place;
}

QString TextColumn::linkAt(const QPoint& position) const {
    const Piece* piece = pieceNear(position.y());
    if (piece == nullptr || piece->document == nullptr) return {};
    return piece->document->documentLayout()->anchorAt(QPointF(position) - QPointF(0, piece->y));
}

std::pair<TextColumn::Place, TextColumn::Place> TextColumn::selection() const {
    return {std::min(m_anchor, m_head), std::max(m_anchor, m_head)};
}

bool TextColumn::hasSelection() const { return m_anchor != m_head; }

void TextColumn::select(const Place& from, const Place& to) {
    m_anchor = from;
    m_head = to;
    update();
}

void TextColumn::selectAll() {
    if (m_pieces.empty()) return;
    build(*m_pieces.back());
    select({}, {static_cast<int>(m_pieces.size()) - 1, m_pieces.back()->document->characterCount() - 1});
    emit selectionStarted();
}

void TextColumn::clearSelection() { select({}, {}); }

QString TextColumn::textBetween(const Place& from, const Place& to) const {
    QString text;
    for (int i = from.piece; i <= to.piece && i < static_cast<int>(m_pieces.size()); ++i) {
        Piece& piece = *m_pieces[static_cast<std::size_t>(i)];
        build(piece);
        if (i > from.piece && !piece.block.continuesLine) {
            text += piece.block.continuesPrevious ? QStringLiteral("\n") : QStringLiteral("\n\n");
        }
        const int begin = i == from.piece ? from.position : 0;
        const int end = i == to.piece ? to.position : piece.document->characterCount() - 1;
        text += copiedText(*piece.document, begin, end);
    }
    return text;
}

QString TextColumn::selectedText() const {
    if (!hasSelection()) return {};
    const auto [from, to] = selection();
    return textBetween(from, to);
}

QString TextColumn::shownText() const {
    if (m_pieces.empty()) return {};
    build(*m_pieces.back());
    return textBetween({}, {static_cast<int>(m_pieces.size()) - 1, m_pieces.back()->document->characterCount() - 1});
}

void TextColumn::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) {
        QWidget::mousePressEvent(event);
        return;
    }
    const QPoint at = event->position().toPoint();
    const Place place = placeAt(at);
    m_pressedLink = linkAt(at);
    m_pressedAt = at;
    m_selecting = true;
    const bool triple = m_doubleClickTime >= 0 && static_cast<qint64>(event->timestamp()) - m_doubleClickTime <
                                                      QApplication::styleHints()->mouseDoubleClickInterval();
    m_doubleClickTime = -1;
    if (triple && !m_pieces.empty() && m_pieces[static_cast<std::size_t>(place.piece)]->document != nullptr) {
        const QTextBlock block = m_pieces[static_cast<std::size_t>(place.piece)]->document->findBlock(place.position);
        select({place.piece, block.position()}, {place.piece, block.position() + block.length() - 1});
        m_selecting = false;
    } else if ((event->modifiers() & Qt::ShiftModifier) != 0) {
        select(m_anchor, place);
    } else {
        select(place, place);
    }
    emit selectionStarted();
}

void TextColumn::mouseMoveEvent(QMouseEvent* event) {
    const QPoint at = event->position().toPoint();
    if (m_selecting && (event->buttons() & Qt::LeftButton) != 0) {
        select(m_anchor, placeAt(at));
        emit dragged(event->globalPosition().toPoint());
        return;
    }
    setCursor(linkAt(at).isEmpty() ? Qt::IBeamCursor : Qt::PointingHandCursor);
}

void TextColumn::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    m_selecting = false;
    const QPoint at = event->position().toPoint();
    const bool still = (at - m_pressedAt).manhattanLength() < QApplication::startDragDistance();
    const QString link = std::exchange(m_pressedLink, {});
    if (still && !link.isEmpty() && linkAt(at) == link) emit linkActivated(link);
}

void TextColumn::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || m_pieces.empty()) return;
    const Place place = placeAt(event->position().toPoint());
    const Piece& piece = *m_pieces[static_cast<std::size_t>(place.piece)];
    m_pressedLink.clear();
    if (piece.document == nullptr) return;
    QTextCursor cursor(piece.document.get());
    cursor.setPosition(place.position);
    cursor.select(QTextCursor::WordUnderCursor);
    select({place.piece, cursor.selectionStart()}, {place.piece, cursor.selectionEnd()});
    m_doubleClickTime = static_cast<qint64>(event->timestamp());
    emit selectionStarted();
}

void TextColumn::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->matches(QKeySequence::Copy) && hasSelection()) {
        const QString text = selectedText();
        QApplication::clipboard()->setText(text);
        emit copied(text);
    } else if (event->matches(QKeySequence::SelectAll)) {
        selectAll();
    } else if (enter && m_focusedLink.has_value()) {
        emit linkActivated(m_focusedLink->target);
    } else {
        QWidget::keyPressEvent(event);
    }
}

void TextColumn::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    if (event->reason() != Qt::ActiveWindowFocusReason && event->reason() != Qt::PopupFocusReason) m_focusedLink.reset();
    update();
}

std::optional<TextColumn::Link> TextColumn::nextLink(bool forward) const {
    std::optional<Link> previous;
    for (std::size_t i = 0; i < m_pieces.size(); ++i) {
        if (m_pieces[i]->document == nullptr) continue;
        for (QTextBlock block = m_pieces[i]->document->begin(); block.isValid(); block = block.next()) {
            for (auto it = block.begin(); !it.atEnd(); ++it) {
                const QTextFragment fragment = it.fragment();
                if (!fragment.charFormat().isAnchor()) continue;
                Link link{{static_cast<int>(i), fragment.position()},
                          fragment.position() + fragment.length(),
                          fragment.charFormat().anchorHref()};
                const bool isCurrent = m_focusedLink.has_value() && link.from == m_focusedLink->from;
                if (forward && (!m_focusedLink.has_value() || m_focusedLink->from < link.from)) return link;
                if (!forward && isCurrent) return previous;
                previous = link;
            }
        }
    }
    return forward ? std::nullopt : m_focusedLink.has_value() ? std::nullopt : previous;
}

bool TextColumn::focusNextPrevChild(bool next) {
    if (hasFocus()) {
        const std::optional<Link> link = nextLink(next);
        if (link.has_value()) {
            m_focusedLink = link;
            const Piece& piece = *m_pieces[static_cast<std::size_t>(link->from.piece)];
            const QTextBlock block = piece.document->findBlock(link->from.position);
            emit linkFocused(piece.document->documentLayout()->blockBoundingRect(block).translated(0, piece.y).toAlignedRect());
            update();
            return true;
        }
        m_focusedLink.reset();
        update();
    }
    return QWidget::focusNextPrevChild(next);
}

bool TextColumn::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString link = linkAt(help->pos());
        const HeatStretch* stretch = stretchAt(help->pos());
        if (link.isEmpty() && stretch != nullptr && !stretch->tip.isEmpty()) {
            QToolTip::showText(help->globalPos(), Qt::convertFromPlainText(stretch->tip), this);
        } else if (link.isEmpty()) {
            QToolTip::hideText();
        } else {
            // Plain text: an address must not be able to dress itself up.
            const QString shown = link.size() > 300 ? link.left(300) + QStringLiteral("…") : link;
            QToolTip::showText(help->globalPos(), Qt::convertFromPlainText(shown), this);
        }
        return true;
    }
    return QWidget::event(event);
}

}  // namespace trefoil
