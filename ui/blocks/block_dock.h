// The Block dock's content: the block's cells, what is known of the chosen one, a bar per block, and the replay's controls. Shows
// a response while it is written, or any saved one.
#pragma once

#include "app/core/generation_types.h"
#include "ui/blocks/block_replay.h"

#include <QIcon>
#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QScrollArea;
class QSlider;
class QStackedLayout;
class QToolButton;

namespace trefoil {

class BlockBars;
class BlockDetails;
class BlockLegend;
class BlockView;
class SteerBar;

class BlockDock : public QWidget {
    Q_OBJECT
public:
    explicit BlockDock(QWidget* parent = nullptr);

    /// Shows a saved response: its first block, complete. After endLive, the trace of the same response keeps the place shown.
    void setTrace(const TraceView& trace);
    void clear();
    /// Live display of a response that begins now. It follows the newest pass until the person chooses another place.
    void beginLive(qint32 maskId, qint32 blockSize, double threshold);
    /// Takes in a pass at little cost; it is shown with the next frame of about 60 a second. Ignored outside beginLive … endLive.
    void addPass(const PassView& pass);
    /// Shows the last state at once. The response stays, to be replayed.
    void endLive();

    /// The answer being written waits, or goes on again.
    void setPaused(const PauseView& state);
    void setResumed();
    /// Shows a block of the response after its last pass, and chooses a position of it.
    void showCell(qint32 block, int row);
    /// Shows the block on show after one of its passes; see BlockReplay.
    void showFrame(qint32 frame) { m_replay.showFrame(frame); }
    /// Why an answer cannot be written anew from one of its blocks, in a sentence; empty: it can.
    void setRegenerateUnavailable(const QString& reason);
    [[nodiscard]] SteerBar* steering() const { return m_steer; }

    /// Where the display stands, for the window and for tests.
    [[nodiscard]] const BlockReplay& replay() const { return m_replay; }

    QSize sizeHint() const override;

signals:
    /// Another block or frame is on show, or what is known of it changed.
    void shownChanged();
    /// The response is to be written anew from this block on (PassView::block).
    void regenerateFromRequested(int block);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeTransport();
    void connectParts();
    void refresh();
    void refreshTitle();
    void refreshTransport();
    void refreshIcons();
    void refreshSteering();
    /// Gives the cells the height that they need and no more, and chooses how they are best seen in the room that there is.
    void fitView();
    /// The height that is left for the cells beside everything else.
    [[nodiscard]] int roomForCells(int candidates) const;
    [[nodiscard]] QString titleText() const;
    [[nodiscard]] QString factsText() const;
    [[nodiscard]] bool isPieces() const;

    BlockReplay m_replay;
    qint32 m_shownBlock = -1;
    qint32 m_shownFrame = 0;
    QTimer m_frameTimer;  ///< coalesces live passes to the display's rate
    QStackedLayout* m_stack;
    QLabel* m_empty;
    QWidget* m_content;
    QLabel* m_title;
    QLabel* m_facts;
    QScrollArea* m_scroll;
    BlockView* m_view;
    BlockLegend* m_legend;
    BlockDetails* m_details;
    BlockBars* m_bars;
    SteerBar* m_steer;
    QWidget* m_transport = nullptr;
    QToolButton* m_back = nullptr;
    QToolButton* m_play = nullptr;
    QToolButton* m_forward = nullptr;
    QToolButton* m_follow = nullptr;
    QToolButton* m_anew = nullptr;
    QSlider* m_slider = nullptr;
    QComboBox* m_speed = nullptr;
};

}  // namespace trefoil
