// What the cells' looks mean: one small sample cell and a word for each state.
#pragma once

#include "ui/blocks/block_model.h"

#include <QList>
#include <QWidget>

namespace trefoil {

class BlockLegend : public QWidget {
    Q_OBJECT
public:
    explicit BlockLegend(QWidget* parent = nullptr);
    /// The entry for the prompt's rows is only shown where a block has some.
    void setPromptShown(bool shown);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    struct Entry {
        CellView sample;
        QString label;
        QString toolTip;
        QRectF rect;  ///< sample and label
    };
    [[nodiscard]] QList<Entry> entries(int width) const;

    bool m_promptShown = false;
};

}  // namespace trefoil
