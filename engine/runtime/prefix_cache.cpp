#include "engine/runtime/prefix_cache.h"

#include <algorithm>
#include <utility>

namespace trefoil {

const PrefixSnapshot* PrefixCache::find(std::span<const TokenId> ids, std::int64_t longest) {
    const auto limit = std::min(static_cast<std::size_t>(std::max<std::int64_t>(longest, 0)), ids.size());
    auto best = m_entries.end();
    for (auto it = m_entries.begin(); it != m_entries.end(); ++it) {
        const std::size_t size = it->ids.size();
        if (size > limit || (best != m_entries.end() && size <= best->ids.size())) continue;
        if (std::equal(it->ids.begin(), it->ids.end(), ids.begin())) best = it;
    }
    if (best == m_entries.end()) return nullptr;
    m_entries.splice(m_entries.begin(), m_entries, best);
    return m_entries.front().snapshot.get();
}

bool PrefixCache::holds(std::span<const TokenId> ids) {
    for (auto it = m_entries.begin(); it != m_entries.end(); ++it) {
        if (!std::equal(it->ids.begin(), it->ids.end(), ids.begin(), ids.end())) continue;
        m_entries.splice(m_entries.begin(), m_entries, it);
        return true;
    }
    return false;
}

void PrefixCache::store(std::span<const TokenId> ids, std::unique_ptr<PrefixSnapshot> snapshot) {
    if (snapshot == nullptr || snapshot->bytes() > m_budget || holds(ids)) return;
    shrinkTo(m_budget - snapshot->bytes());
    m_entries.push_front({{ids.begin(), ids.end()}, std::move(snapshot)});
}

void PrefixCache::setBudget(std::uint64_t bytes) {
    m_budget = bytes;
    shrinkTo(bytes);
}

std::uint64_t PrefixCache::bytes() const {
    std::uint64_t sum = 0;
    for (const Entry& entry : m_entries) sum += entry.snapshot->bytes();
    return sum;
}

void PrefixCache::shrinkTo(std::uint64_t wanted) {
    while (!m_entries.empty() && bytes() > wanted) m_entries.pop_back();
}

}  // namespace trefoil
