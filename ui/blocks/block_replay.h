// Where in a response's passes the display stands: steps, plays at reading speed, follows what is being written. No widgets.
#pragma once

#include "ui/blocks/block_model.h"

#include <QObject>
#include <QTimer>

namespace trefoil {

class BlockReplay : public QObject {
    Q_OBJECT
public:
    /// Passes a second at speed 1: slow enough to read what changed.
    static constexpr double kPassesPerSecond = 2.0;

    explicit BlockReplay(QObject* parent = nullptr);

    [[nodiscard]] const BlockModel& model() const { return m_model; }
    /// The block shown, from 0; -1 when there is none.
    [[nodiscard]] qint32 block() const { return m_block; }
    /// 0: before the block's first pass; k: after its k-th.
    [[nodiscard]] qint32 frame() const { return m_frame; }
    [[nodiscard]] bool isLive() const { return m_live; }
    /// Live, and showing whatever is newest.
    [[nodiscard]] bool isFollowing() const { return m_live && m_following; }
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    [[nodiscard]] double speed() const { return m_speed; }

    void clear();
    /// Shows a saved response: its first block, complete. A response that just was written live keeps its place.
    void setTrace(const TraceView& trace);
    void beginLive(qint32 maskId, qint32 blockSize, double threshold);
    /// Takes in a pass; cheap, and announced only through passesPending.
    void addPass(const PassView& pass);
    /// Applies what addPass took in: moves to the newest pass when following. Called at the display's rate.
    void catchUp();
    void endLive();
    /// Back to the newest pass; no effect when not live.
    void follow();

    /// Shows a block after its last pass; a replay that runs goes on from that block's start. Live, the newest block means to
    /// follow.
    void showBlock(qint32 block);
    /// Stops playing and following.
    void showFrame(qint32 frame);
    [[nodiscard]] bool canStepBack() const;
    [[nodiscard]] bool canStepForward() const;
    void stepBack();
    void stepForward();

    /// From the current frame, or from the start of the block when it is complete; goes on through the blocks that follow.
    void play();
    void pause();
    /// 0.25 to 8.
    void setSpeed(double speed);

signals:
    void passesPending();
    /// Something to be shown changed: the frame, the number of frames, playing, following, live or the response.
    void changed();

private:
    void advance();
    void moveTo(qint32 block, qint32 frame);
    [[nodiscard]] int interval() const;

    BlockModel m_model;
    QTimer m_timer;
    qint32 m_block = -1;
    qint32 m_frame = 0;
    bool m_live = false;
    bool m_following = false;
    double m_speed = 1.0;
};

}  // namespace trefoil
