// PrefixCache: saved prefixes of earlier prompts, so that the next turn of a conversation prefills only what is new.
//
// A snapshot holds K and V of every attention layer and the states of every GDN layer, in main memory. States cannot be cut back
// to an earlier position, so a snapshot helps only where its ids are, all of them, the beginning of the new prompt.
#pragma once

#include "engine/base/types.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

namespace trefoil {

class PrefixCache {
public:
    static constexpr std::uint64_t kDefaultBudget = std::uint64_t{1} << 30;

    /// `budget`: the most bytes that all snapshots may take together; 0: nothing is kept.
    explicit PrefixCache(std::uint64_t budget = kDefaultBudget) : m_budget(budget) {}

    /// The longest snapshot whose ids begin `ids`, of at most `longest` tokens; nullptr when there is none. It counts as used
    /// now. Valid until the next store(), setBudget() or clear().
    [[nodiscard]] const PrefixSnapshot* find(std::span<const TokenId> ids, std::int64_t longest);
    /// A snapshot of exactly these ids is kept. It counts as used now.
    [[nodiscard]] bool holds(std::span<const TokenId> ids);
    /// Keeps the prefix after `ids`; the least recently used ones go until all fit the budget. One that does not fit alone is
    /// not kept, and the others stay.
    void store(std::span<const TokenId> ids, std::unique_ptr<PrefixSnapshot> snapshot);
    void setBudget(std::uint64_t bytes);
    /// Before another model is used: snapshots are of one executor.
    void clear() { m_entries.clear(); }

    [[nodiscard]] std::uint64_t budget() const { return m_budget; }
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] std::size_t size() const { return m_entries.size(); }

private:
    struct Entry {
        std::vector<TokenId> ids;
        std::unique_ptr<PrefixSnapshot> snapshot;
    };
    void shrinkTo(std::uint64_t bytes);

    std::uint64_t m_budget;
    std::list<Entry> m_entries;  ///< the latest used first
};

}  // namespace trefoil
