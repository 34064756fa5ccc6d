// ExpertView: what the passes of a block cost in experts: a line a pass, and below it a line a layer of the pass on show.
#pragma once

#include "app/core/generation_types.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QTableWidget;

namespace trefoil {

class BlockDock;

/// Sums over the layers of a pass.
struct ExpertSums {
    qint64 distinct = 0;      ///< experts read
    qint64 spared = -1;       ///< experts that the rows would have chosen too, but for the coreset; -1: not counted
    quint64 bytes = 0;        ///< of the experts read; 0: not known
    quint64 sparedBytes = 0;  ///< 0: none, or not known
    double meanShare = 0.0;   ///< of the router's mass that the coreset keeps; 0: off
    bool operator==(const ExpertSums&) const = default;
};

[[nodiscard]] ExpertSums sumsOf(const QList<LayerView>& layers);

class ExpertView : public QWidget {
    Q_OBJECT
public:
    /// Follows what `blocks` shows; not owned, outlives the view.
    explicit ExpertView(BlockDock* blocks, QWidget* parent = nullptr);

    /// Why nothing is known of the layers, in a sentence; empty: it is.
    void setUnavailable(const QString& reason);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void fillPasses();
    void fillLayers(const PassView* pass);
    [[nodiscard]] QString summary(const PassView* pass) const;

    BlockDock* m_blocks;
    QLabel* m_summary;
    QTableWidget* m_passes;
    QTableWidget* m_layers;
    QTimer m_timer;
    bool m_filling = false;
    QString m_unavailable;
};

}  // namespace trefoil
