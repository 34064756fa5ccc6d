// MeasuredCards: what was measured of this machine's cards in this run. From any thread. Private to trefoil_core.
#pragma once

#include "engine/runtime/recommendation.h"

#include <QMutex>
#include <QMutexLocker>
#include <QThread>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace trefoil {

class MeasuredCards {
public:
    [[nodiscard]] std::vector<CardRates> rates() const {
        const QMutexLocker lock(&m_mutex);
        return m_rates;
    }
    /// Waits for it and says how many cards could be measured. On a thread of its own, since CUDA keeps the device in use by
    /// thread, and the caller's may have one.
    int measure() {
        std::vector<CardRates> rates;
        const std::unique_ptr<QThread> measuring(QThread::create([&rates] { rates = measureCards(); }));
        measuring->start();
        measuring->wait();
        const auto count = std::count_if(rates.begin(), rates.end(), [](const CardRates& card) { return card.read > 0.0; });
        const QMutexLocker lock(&m_mutex);
        m_rates = std::move(rates);
        return static_cast<int>(count);
    }

private:
    mutable QMutex m_mutex;
    std::vector<CardRates> m_rates;
};

}  // namespace trefoil
