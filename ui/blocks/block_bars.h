// One bar per block of the response: its height the passes that the block took, a mark on top for its forced cells. Choosing a
// bar asks for its block.
#pragma once

#include "ui/blocks/block_model.h"
#include "ui/blocks/painted_items.h"

#include <QAbstractScrollArea>
#include <QColor>

namespace trefoil {

class BlockBars : public QAbstractScrollArea, public PaintedItems {
    Q_OBJECT
public:
    explicit BlockBars(QWidget* parent = nullptr);

    /// Re-reads the model's blocks; `current` is the block shown. The bar of the block is scrolled into view when it changed. The
    /// model must outlive the call only until the next one; nullptr empties the view.
    void refresh(const BlockModel* model, qint32 current);
    /// "Block 3: 5 passes, 2 forced, 30 tokens"
    [[nodiscard]] QString describe(qint32 block) const;

    int itemCount() const override;
    QString itemName(int index) const override { return describe(index); }
    QRect itemRect(int index) const override;
    int itemAt(const QPoint& point) const override;
    int currentItem() const override { return m_current; }
    void chooseItem(int index) override;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void blockChosen(qint32 block);

protected:
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    struct BarStyle {
        double unit = 1.0;
        double base = 0.0;     ///< the bars' lower edge
        double tallest = 0.0;  ///< height of the tallest bar
        QColor accent;
        QColor quiet;
        QColor warning;
        QColor forced;
    };
    [[nodiscard]] int labelStep() const;  ///< every how many bars a number fits
    void paintBar(QPainter& painter, int index, const BarStyle& style) const;
    [[nodiscard]] double pitch() const;  ///< from bar to bar, in pixels
    [[nodiscard]] QRectF slot(int index) const;
    void layOut();
    void reveal(int index);

    const BlockModel* m_model = nullptr;
    qint32 m_current = -1;
};

}  // namespace trefoil
