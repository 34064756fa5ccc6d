// Small types that every part of the engine uses.
#pragma once

#include <atomic>
#include <cstdint>

namespace trefoil {

/// Index into the vocabulary. Signed, so that -1 can mean "none".
using TokenId = std::int32_t;

/// A request to stop, set from any thread and read by the engine once a pass and once a prefill chunk.
class CancelFlag {
public:
    void request() { m_requested.store(true, std::memory_order_relaxed); }
    void clear() { m_requested.store(false, std::memory_order_relaxed); }
    [[nodiscard]] bool requested() const { return m_requested.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> m_requested{false};
};

}  // namespace trefoil
