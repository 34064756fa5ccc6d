// Mixture: which experts a row takes, and the coreset of a block (model-contract.md, sections 2 and 5).
#pragma once

#include <cstdint>
#include <span>

namespace trefoil::kernels {

/// Softmax over x, in place, in float32. Twin: reference::softmax, 1e-6.
void softmax(std::span<float> x);

/// The ids.size() likeliest experts by descending probability (ties: lower index); weights[i] is the probability of ids[i], not
/// renormalised. `allowed` [E], if not empty, restricts the choice to its nonzero entries, of which there must be ids.size() or
/// more. Twin: reference::topExperts, identical.
void topExperts(std::span<const float> probabilities, std::span<const std::uint8_t> allowed, std::span<std::int32_t> ids,
                std::span<float> weights);

/// Divides weights by their sum.
void renormalise(std::span<float> weights);

struct Coreset {
    std::int32_t size = 0;  ///< experts kept
    float share = 0.0F;     ///< of the router's mass
};

/// Section 5: sums the masses of all rows' choices per expert (ids, masses: [T, k], row by row), ranks the experts (ties: lower
/// index), keeps the shortest head that covers topP of the sum, at least k. kept [E] becomes 1 for the kept ones; ranking [E] and
/// mass [E] are scratch memory. All sums in float32: masses in row order, their total by ascending expert, the cover by rank.
/// Twin: reference::chooseCoreset, identical.
Coreset chooseCoreset(std::span<const std::int32_t> ids, std::span<const float> masses, std::int64_t k, float topP,
                      std::span<std::uint8_t> kept, std::span<std::int32_t> ranking, std::span<float> mass);

}  // namespace trefoil::kernels
