// Pause, single steps and changes by hand, for the answer that is being written. Asks; what happens comes back as passes.
#pragma once

#include "app/core/generation_types.h"
#include "ui/blocks/block_model.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLabel;
class QToolButton;

namespace trefoil {

class SteerBar : public QWidget {
    Q_OBJECT
public:
    explicit SteerBar(QWidget* parent = nullptr);

    /// An answer begins, unpaused.
    void begin();
    void setPaused(const PauseView& state);
    void setResumed();
    /// Why the answer cannot be paused or changed by hand, in a sentence; empty: it can.
    void setUnavailable(const QString& reason);
    /// The cell that the buttons change, if any; only a cell of the newest state of the block that is written.
    void setCell(const std::optional<CellView>& cell);
    [[nodiscard]] bool isPaused() const { return m_state.has_value(); }

    /// "Paused after pass 3 of block 2."
    [[nodiscard]] static QString stateText(const PauseView& state);

public slots:
    /// As the button does.
    void pauseOrGoOn();

signals:
    void pauseRequested();
    void resumeRequested();
    void stepRequested();
    /// Masks the row again, or puts a known token there.
    void changeRequested(int block, const trefoil::RowChange& change);
    /// Puts the tokens of a text there, from this row on.
    void textRequested(int block, int row, const QString& text);

private:
    void fix();
    void refresh();

    std::optional<PauseView> m_state;
    bool m_asked = false;  ///< to pause; the pass is not over yet
    std::optional<CellView> m_cell;
    QString m_unavailable;
    QToolButton* m_pause;
    QToolButton* m_step;
    QLabel* m_text;
    QWidget* m_edits;
    QToolButton* m_mask;
    QComboBox* m_token;
    QToolButton* m_fix;
};

}  // namespace trefoil
