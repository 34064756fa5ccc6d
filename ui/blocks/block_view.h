// One block as a grid of cells. Point, click or use the keys to choose a cell; the view shows what it is given and keeps nothing
// else.
#pragma once

#include "ui/blocks/block_model.h"
#include "ui/blocks/painted_items.h"

#include <QHash>
#include <QVariantAnimation>
#include <QWidget>

#include <optional>

namespace trefoil {

class BlockView : public QWidget, public PaintedItems {
    Q_OBJECT
public:
    explicit BlockView(QWidget* parent = nullptr);

    /// Shows these cells. The chosen row stays chosen while there is such a row.
    /// `fade`: what the pass resolved fades in (where the style animates at all); for replays, not for live display.
    void setCells(const QList<CellView>& cells, double threshold, bool fade = false);
    [[nodiscard]] const QList<CellView>& cells() const { return m_cells; }
    /// The cell under the pointer, else the one chosen by click or key; -1: none.
    [[nodiscard]] int shownRow() const;
    [[nodiscard]] std::optional<CellView> shownCell() const;
    /// "row 5, ' blue', 0.97, resolved in pass 2"
    [[nodiscard]] static QString describe(const CellView& cell);
    /// Times that the widget was painted; for tests of the display's rate.
    [[nodiscard]] int paintCount() const { return m_paintCount; }
    [[nodiscard]] int columns() const;
    /// Sets the number of columns, from 1; 0: as many as columnsFitting gives for the widget's width.
    void setColumns(int columns);
    /// 16, 8, 4, 2 or 1, so that a usual block is a full rectangle. `dense`: cells for about three letters instead of six.
    [[nodiscard]] int columnsFitting(int width, bool dense = false) const;
    /// The least height of that many columns' lines, nothing clipped.
    [[nodiscard]] int heightForColumns(int columns) const;

    int itemCount() const override { return static_cast<int>(m_cells.size()); }
    QString itemName(int index) const override;
    QRect itemRect(int index) const override;
    int itemAt(const QPoint& point) const override;
    int currentItem() const override { return m_chosen; }
    void chooseItem(int index) override;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    /// The least height at which nothing is clipped.
    int heightForWidth(int width) const override;
    /// The height from which on cells grow no more.
    [[nodiscard]] int tallestForWidth(int width) const;

signals:
    /// Another cell is shown, or what is known of it changed.
    void shownCellChanged();
    /// The cell chosen by key should be scrolled into view (widget coordinates).
    void revealWanted(const QRect& rect);

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] int columnsFor(int width) const { return m_columns > 0 ? m_columns : columnsFitting(width); }
    [[nodiscard]] int linesFor(int columns) const { return (itemCount() + columns - 1) / columns; }
    [[nodiscard]] QRectF cellRect(int index) const;
    [[nodiscard]] QString drawn(const CellView& cell);
    void hover(int index);
    /// The row that a navigation key leads to; -1 when the key is none.
    [[nodiscard]] int rowAfterKey(int key) const;

    QList<CellView> m_cells;
    double m_threshold = 0.95;
    int m_chosen = -1;
    int m_hovered = -1;
    int m_columns = 0;
    int m_paintCount = 0;
    QVariantAnimation m_fade;
    QList<CellView> m_before;         ///< what fades away
    QHash<QString, QString> m_drawn;  ///< a token's text -> its text in the cell, with this font
};

}  // namespace trefoil
