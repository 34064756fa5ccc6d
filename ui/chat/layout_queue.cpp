#include "ui/chat/layout_queue.h"

#include "ui/chat/text_column.h"

#include <algorithm>
#include <ctime>

namespace trefoil {
namespace {

constexpr std::int64_t kTurn = 12'000'000;

}  // namespace

LayoutQueue::LayoutQueue(QObject* parent) : QObject(parent) {
    m_timer.setSingleShot(true);
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &LayoutQueue::work);
}

std::int64_t LayoutQueue::threadTime() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

void LayoutQueue::charge(std::int64_t nanoseconds) {
    m_spent += nanoseconds;
    if (!m_timer.isActive()) m_timer.start();
}

void LayoutQueue::workOn(TextColumn& column) {
    const std::int64_t start = threadTime();
    const std::int64_t before = m_spent;
    while (column.hasWork() && m_spent < kTurn) {
        column.layOutNext();
        m_spent = before + threadTime() - start;
    }
    column.finishLayout();
}

void LayoutQueue::run(TextColumn* column) {
    workOn(*column);
    if (column->hasWork() && !m_waiting.contains(column)) m_waiting.append(column);
    // Also when nothing waits: a turn ends with the timer.
    if (!m_timer.isActive()) m_timer.start();
}

void LayoutQueue::work() {
    m_spent = 0;
    const bool wasIdle = m_waiting.isEmpty();
    std::stable_partition(m_waiting.begin(), m_waiting.end(), [](const QPointer<TextColumn>& column) {
        return column != nullptr && !column->visibleRegion().isEmpty();
    });
    while (!m_waiting.isEmpty() && m_spent < kTurn) {
        const QPointer<TextColumn> column = m_waiting.first();
        if (column != nullptr) workOn(*column);
        if (column == nullptr || !column->hasWork()) m_waiting.removeOne(column);
    }
    if (!m_waiting.isEmpty()) {
        m_timer.start();
    } else if (!wasIdle) {
        emit finished();
    }
}

}  // namespace trefoil
