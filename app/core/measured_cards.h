// MeasuredCards: what was measured of this machine's cards in this run. From any thread. Private to trefoil_core.
#pragma once

#include <QMutex>

#include <vector>

namespace trefoil {

struct CardRates;  // engine/runtime/recommendation.h

class MeasuredCards {
public:
    MeasuredCards();
    ~MeasuredCards();
    MeasuredCards(const MeasuredCards&) = delete;
    MeasuredCards& operator=(const MeasuredCards&) = delete;

    [[nodiscard]] std::vector<CardRates> rates() const;
    /// Waits for it and says how many cards could be measured. On a thread of its own, since CUDA keeps the device in use by
    /// thread, and the caller's may have one.
    int measure();

private:
    mutable QMutex m_mutex;
    std::vector<CardRates> m_rates;
};

}  // namespace trefoil
