#include "ui/blocks/block_replay.h"

#include <algorithm>
#include <cmath>

namespace trefoil {

BlockReplay::BlockReplay(QObject* parent) : QObject(parent) {
    m_timer.setTimerType(Qt::CoarseTimer);
    connect(&m_timer, &QTimer::timeout, this, &BlockReplay::advance);
}

void BlockReplay::clear() {
    m_timer.stop();
    m_model.clear();
    m_block = -1;
    m_frame = 0;
    m_live = false;
    m_following = false;
    emit changed();
}

void BlockReplay::setTrace(const TraceView& trace) {
    const QList<PassView>& shown = m_model.trace().passes;
    const bool same = !shown.isEmpty() && shown.size() == trace.passes.size() && shown.first() == trace.passes.first() &&
                      shown.last() == trace.passes.last();
    m_live = false;
    m_following = false;
    if (!same) {
        m_timer.stop();
        m_model.setTrace(trace);
        m_block = m_model.isEmpty() ? -1 : 0;
        m_frame = m_model.frameCount(m_block);
    }
    emit changed();
}

void BlockReplay::beginLive(qint32 maskId, qint32 blockSize, double threshold) {
    m_timer.stop();
    m_model.begin(maskId, blockSize, threshold);
    m_block = -1;
    m_frame = 0;
    m_live = true;
    m_following = true;
    emit changed();
}

void BlockReplay::addPass(const PassView& pass) {
    if (!m_live) return;
    m_model.append(pass);
    emit passesPending();
}

void BlockReplay::catchUp() {
    if (m_following) {
        m_block = m_model.blockCount() - 1;
        m_frame = m_model.frameCount(m_block);
    }
    emit changed();
}

void BlockReplay::endLive() {
    if (!m_live) return;
    catchUp();
    m_live = false;
    m_following = false;
    emit changed();
}

void BlockReplay::follow() {
    if (!m_live) return;
    m_timer.stop();
    m_following = true;
    catchUp();
}

void BlockReplay::moveTo(qint32 block, qint32 frame) {
    if (m_model.isEmpty()) return;
    m_block = std::clamp(block, 0, m_model.blockCount() - 1);
    m_frame = std::clamp(frame, 0, m_model.frameCount(m_block));
    emit changed();
}

void BlockReplay::showBlock(qint32 block) {
    if (m_live && block == m_model.blockCount() - 1) {
        follow();
        return;
    }
    m_following = false;
    const bool playing = isPlaying();
    if (playing) m_timer.start(interval());
    moveTo(block, playing ? 0 : m_model.frameCount(block));
}

void BlockReplay::showFrame(qint32 frame) {
    m_following = false;
    m_timer.stop();
    moveTo(m_block, frame);
}

bool BlockReplay::canStepBack() const { return m_block > 0 || (m_block == 0 && m_frame > 0); }

bool BlockReplay::canStepForward() const {
    return m_block >= 0 && (m_block + 1 < m_model.blockCount() || m_frame < m_model.frameCount(m_block));
}

void BlockReplay::stepBack() {
    if (!canStepBack()) return;
    m_following = false;
    m_timer.stop();
    if (m_frame > 0) {
        moveTo(m_block, m_frame - 1);
    } else {
        moveTo(m_block - 1, m_model.frameCount(m_block - 1));
    }
}

void BlockReplay::stepForward() {
    if (!canStepForward()) return;
    m_following = false;
    m_timer.stop();
    if (m_frame < m_model.frameCount(m_block)) {
        moveTo(m_block, m_frame + 1);
    } else {
        moveTo(m_block + 1, 0);
    }
}

void BlockReplay::play() {
    if (m_model.isEmpty() || isPlaying()) return;
    m_following = false;
    m_timer.start(interval());
    if (m_frame >= m_model.frameCount(m_block)) {
        moveTo(m_block, 0);
    } else {
        emit changed();
    }
}

void BlockReplay::pause() {
    if (!isPlaying()) return;
    m_timer.stop();
    emit changed();
}

void BlockReplay::setSpeed(double speed) {
    m_speed = std::clamp(speed, 0.25, 8.0);
    if (isPlaying()) m_timer.start(interval());
}

int BlockReplay::interval() const { return static_cast<int>(std::lround(1000.0 / (kPassesPerSecond * m_speed))); }

void BlockReplay::advance() {
    if (m_frame < m_model.frameCount(m_block)) {
        moveTo(m_block, m_frame + 1);
    } else if (m_block + 1 < m_model.blockCount()) {
        moveTo(m_block + 1, 0);
    } else if (!m_live) {
        pause();
    }
    // Live, a replay that has caught up waits for the next pass.
}

}  // namespace trefoil
