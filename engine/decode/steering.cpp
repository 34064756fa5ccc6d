#include "engine/decode/steering.h"

#include <utility>

namespace trefoil {

void ControlChange::add(const ControlChange& later) {
    if (later.threshold) threshold = later.threshold;
    if (later.coresetEnabled) coresetEnabled = later.coresetEnabled;
    if (later.coresetTopP) coresetTopP = later.coresetTopP;
    if (later.decoding) decoding = later.decoding;
}

void Steering::change(const ControlChange& change) {
    const std::lock_guard lock(m_mutex);
    m_waiting.add(change);
}

ControlChange Steering::take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_waiting, {});
}

void Steering::pause() {
    const std::lock_guard lock(m_mutex);
    m_paused = true;
    m_steps = 0;
}

void Steering::resume() {
    {
        const std::lock_guard lock(m_mutex);
        m_paused = false;
        m_steps = 0;
    }
    m_news.notify_all();
}

void Steering::step() {
    {
        const std::lock_guard lock(m_mutex);
        m_paused = true;
        ++m_steps;
    }
    m_news.notify_all();
}

void Steering::edit(const std::vector<RowEdit>& edits) {
    {
        const std::lock_guard lock(m_mutex);
        if (m_paused) m_edits.insert(m_edits.end(), edits.begin(), edits.end());
    }
    m_news.notify_all();
}

void Steering::wake() {
    // Taking the lock makes sure that a waiter has not looked at the flag before and yet to fall asleep.
    { const std::lock_guard lock(m_mutex); }
    m_news.notify_all();
}

bool Steering::goes() {
    if (!m_paused) return true;
    if (m_steps == 0) return false;
    --m_steps;
    return true;
}

bool Steering::mayGo() {
    const std::lock_guard lock(m_mutex);
    if (!m_paused) m_edits.clear();
    return m_edits.empty() && goes();
}

Steering::Turn Steering::wait(const CancelFlag& cancel) {
    std::unique_lock lock(m_mutex);
    m_news.wait(lock, [&] { return cancel.requested() || !m_edits.empty() || !m_paused || m_steps > 0; });
    if (cancel.requested()) return Turn::Stop;
    if (!m_edits.empty()) return Turn::Edit;
    (void)goes();
    return Turn::Go;
}

std::vector<RowEdit> Steering::takeEdits() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_edits, {});
}

bool Steering::paused() const {
    const std::lock_guard lock(m_mutex);
    return m_paused;
}

}  // namespace trefoil
