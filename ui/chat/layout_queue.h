// Shares out the time for laying out text: a bounded amount of CPU time in each turn of the event loop, what is visible first.
#pragma once

#include <QList>
#include <QObject>
#include <QPointer>
#include <QTimer>

#include <cstdint>

namespace trefoil {

class TextColumn;

class LayoutQueue : public QObject {
    Q_OBJECT
public:
    explicit LayoutQueue(QObject* parent = nullptr);

    /// Lays out as much of the column as the rest of this turn's time allows; the rest follows in later turns.
    void run(TextColumn* column);
    /// Time that was spent on a text otherwise (parsing) and counts towards this turn, in nanoseconds of threadTime().
    void charge(std::int64_t nanoseconds);
    [[nodiscard]] bool idle() const { return m_waiting.isEmpty(); }
    /// CPU time of this thread: on a busy machine the clock would punish us for the work of others.
    [[nodiscard]] static std::int64_t threadTime();

signals:
    /// Nothing is left to lay out.
    void finished();

private:
    void work();
    void workOn(TextColumn& column);

    QList<QPointer<TextColumn>> m_waiting;
    QTimer m_timer;
    std::int64_t m_spent = 0;  ///< nanoseconds of this turn
};

}  // namespace trefoil
