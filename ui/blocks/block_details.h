// What is known of one cell: its place, the pass that resolved it and the likeliest candidates as bars.
#pragma once

#include "ui/blocks/block_model.h"

#include <QWidget>

#include <optional>

namespace trefoil {

class BlockDetails : public QWidget {
    Q_OBJECT
public:
    static constexpr int kCandidates = 5;
    static constexpr int kFewest = 2;

    explicit BlockDetails(QWidget* parent = nullptr);
    /// No cell: a hint is shown.
    void setCell(const std::optional<CellView>& cell, double threshold);
    /// How many of the candidates have room; kFewest to kCandidates.
    void setRows(int rows);
    [[nodiscard]] int heightForRows(int rows) const;
    /// The whole content as text.
    [[nodiscard]] QString text() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QString heading() const;
    [[nodiscard]] QString explanation() const;
    void paintHint(QPainter& painter) const;
    void paintCandidate(QPainter& painter, const QRectF& rect, const TokenChoice& choice, double textWidth) const;

    std::optional<CellView> m_cell;
    double m_threshold = 0.95;
    int m_rows = kCandidates;
};

}  // namespace trefoil
