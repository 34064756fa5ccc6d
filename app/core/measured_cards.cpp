#include "app/core/measured_cards.h"

#include "engine/runtime/recommendation.h"

#include <QMutexLocker>
#include <QThread>

#include <algorithm>
#include <memory>
#include <utility>

namespace trefoil {

MeasuredCards::MeasuredCards() = default;
MeasuredCards::~MeasuredCards() = default;

std::vector<CardRates> MeasuredCards::rates() const {
    const QMutexLocker lock(&m_mutex);
    return m_rates;
}

int MeasuredCards::measure() {
    std::vector<CardRates> rates;
    const std::unique_ptr<QThread> measuring(QThread::create([&rates] { rates = measureCards(); }));
    measuring->start();
    measuring->wait();
    const auto count = std::count_if(rates.begin(), rates.end(), [](const CardRates& card) { return card.read > 0.0; });
    const QMutexLocker lock(&m_mutex);
    m_rates = std::move(rates);
    return static_cast<int>(count);
}

}  // namespace trefoil
