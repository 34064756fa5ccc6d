// A text of any length, as Markdown or verbatim, as high as it is: it never scrolls by itself. Built from small pieces, so that a
// growing text only has its end laid out again, and a long one is laid out in slices (LayoutQueue).
#pragma once

#include "app/core/search_query.h"
#include "ui/chat/markdown_renderer.h"
#include "ui/chat/text_decorations.h"
#include "ui/chat/text_heat.h"

#include <QList>
#include <QPoint>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>

#include <memory>
#include <optional>
#include <vector>

class QToolButton;

namespace trefoil {

class LayoutQueue;

class TextColumn : public QWidget {
    Q_OBJECT
public:
    /// `queue` must outlive the column.
    explicit TextColumn(LayoutQueue& queue, QWidget* parent = nullptr);
    ~TextColumn() override;

    void setMarkdown(const QString& source, bool streaming);
    void setPlainText(const QString& text);
    /// Cells of the open block behind the text; masked ones as a glyph. No cells: no open block.
    void setOpenBlock(const QStringList& cells, const QList<bool>& masked);
    void setSubtle(bool subtle);

    /// Marks parts of the text: `find` gives them for any piece of it. An empty function: none.
    using MarkFinder = std::function<QList<TextRange>(const QString&)>;
    void setMarks(const MarkFinder& find);
    /// How many there are in a text, set as Markdown or verbatim; no column and no layout is needed.
    [[nodiscard]] static int markCountOf(const QString& source, bool markdown, const MarkFinder& find);
    /// Makes one mark the current one, painted apart from the others; -1: none. Returns where it stands, its piece laid out.
    QRect setCurrentMark(int index);
    /// Colours behind the tokens of the text that was set; no stretches: none. A changed text wants new ones.
    void setHeat(const TextHeat& heat);
    /// Selects a token, or the next one that is shown, its piece laid out. Returns where it stands; null: nowhere.
    QRect selectToken(int token);
    /// The stretch there; nullptr: none.
    [[nodiscard]] const HeatStretch* stretchAt(const QPoint& position) const;
    /// The whole text as shown, open block included.
    [[nodiscard]] QString shownText() const;
    [[nodiscard]] QString selectedText() const;
    [[nodiscard]] bool hasSelection() const;
    void selectAll();
    void clearSelection();
    /// The target of the link there; empty: none.
    [[nodiscard]] QString linkAt(const QPoint& position) const;
    /// How many pieces were laid out so far.
    [[nodiscard]] int layoutCount() const { return m_layoutCount; }
    [[nodiscard]] int pieceCount() const { return static_cast<int>(m_pieces.size()); }

    // For the LayoutQueue.
    [[nodiscard]] bool hasWork() const;
    void layOutNext();
    void finishLayout();

signals:
    void linkActivated(const QString& target);
    /// The person began to select here.
    void selectionStarted();
    void copied(const QString& text);
    /// A drag selects and the pointer is at this place (global), maybe outside of the view.
    void dragged(const QPoint& global);
    /// The keyboard's focus moved to a link in this area of the column.
    void linkFocused(const QRect& area);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool focusNextPrevChild(bool next) override;

private:
    struct Piece;
    /// A place in the text: piece, and position in its document.
    struct Place {
        int piece = 0;
        int position = 0;
        bool operator==(const Place&) const = default;
        bool operator<(const Place& other) const {
            return piece != other.piece ? piece < other.piece : position < other.position;
        }
    };
    struct Link {
        Place from;
        int end = 0;
        QString target;
    };

    void setContent(std::vector<MarkdownBlock> pieces);
    void replacePieces(std::size_t first, std::vector<MarkdownBlock> blocks);
    void build(Piece& piece) const;
    /// Finds the stretches of a piece that is built.
    void placeHeat(Piece& piece) const;
    void forgetHeatPlaces();
    [[nodiscard]] QRect placeOf(const Piece& piece, int position) const;
    void placeButtons(Piece& piece);
    void updateOffsets();
    void markAllStale();
    [[nodiscard]] TextStyle style() const;
    [[nodiscard]] Place placeAt(const QPoint& position) const;
    [[nodiscard]] std::pair<Place, Place> selection() const;
    [[nodiscard]] std::optional<Link> nextLink(bool forward) const;
    [[nodiscard]] QString textBetween(const Place& from, const Place& to) const;
    void select(const Place& from, const Place& to);
    [[nodiscard]] Piece* pieceNear(qreal y) const;
    void layOut(Piece& piece);
    void copyCode(const QToolButton* button);

    LayoutQueue& m_queue;
    std::vector<std::unique_ptr<Piece>> m_pieces;
    std::size_t m_contentPieces = 0;                            ///< pieces after these show the open block
    std::size_t m_pending = 0;                                  ///< pieces to lay out
    mutable std::shared_ptr<const CodeText> m_highlightedCode;  ///< cache of the last code's colours
    mutable QList<CodeSpan> m_highlights;
    TextHeat m_heat;
    mutable bool m_heatBegun = false;  ///< every piece knows where it begins in the source
    Place m_anchor;
    Place m_head;
    std::optional<Link> m_focusedLink;
    QString m_pressedLink;
    QPoint m_pressedAt;
    qint64 m_doubleClickTime = -1;
    int m_layoutCount = 0;
    bool m_subtle = false;
    bool m_selecting = false;
    bool m_offsetsStale = false;
    MarkFinder m_findMarks;
    int m_currentPiece = -1;  ///< with the current mark
    int m_currentMark = -1;   ///< in that piece
};

}  // namespace trefoil
