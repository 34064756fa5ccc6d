// TextColumn's marks of what was found, and its colours of tokens. Apart from text_column.cpp for its length.
#include "ui/chat/text_column.h"
#include "ui/chat/text_column_piece.h"

#include <QAbstractTextDocumentLayout>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextLayout>

#include <algorithm>
#include <cmath>

namespace trefoil {

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

}  // namespace trefoil
