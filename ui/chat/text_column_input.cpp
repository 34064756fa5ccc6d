// What a person does in a TextColumn: selecting, copying, links, tool tips, by pointer and keys. Apart from text_column.cpp for
// its length.
#include "ui/chat/text_column.h"
#include "ui/chat/text_column_piece.h"
#include "ui/chat/text_properties.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QStyleHints>
#include <QTextBlock>
#include <QTextCursor>
#include <QToolTip>

#include <algorithm>

namespace trefoil {

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
