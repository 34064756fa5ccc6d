#include "kernels/cpu/mixture.h"

#include "kernels/cpu/row_operators.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trefoil::kernels {

void softmax(std::span<float> x) {
    const auto n = static_cast<std::int64_t>(x.size());
    const float sum = exponentials(x.data(), n, maximum(x.data(), n), x.data());
    // A division for each, as the reference does: multiplying by 1/sum may order two experts differently.
    for (float& v : x) v /= sum;
}

void topExperts(std::span<const float> probabilities, std::span<const std::uint8_t> allowed, std::span<std::int32_t> ids,
                std::span<float> weights) {
    // Keeps a sorted list of the best so far; few experts ever enter it.
    std::size_t count = 0;
    for (std::size_t e = 0; e < probabilities.size(); ++e) {
        if (!allowed.empty() && allowed[e] == 0) continue;
        const float p = probabilities[e];
        if (count == ids.size() && !(p > weights[count - 1])) continue;
        std::size_t at = count < ids.size() ? count++ : count - 1;
        for (; at > 0 && p > weights[at - 1]; --at) {
            weights[at] = weights[at - 1];
            ids[at] = ids[at - 1];
        }
        weights[at] = p;
        ids[at] = static_cast<std::int32_t>(e);
    }
}

void renormalise(std::span<float> weights) {
    float sum = 0.0F;
    for (const float w : weights) sum += w;
    for (float& w : weights) w /= sum;
}

Coreset chooseCoreset(std::span<const std::int32_t> ids, std::span<const float> masses, std::int64_t k, float topP,
                      std::span<std::uint8_t> kept, std::span<std::int32_t> ranking, std::span<float> mass) {
    std::fill(mass.begin(), mass.end(), 0.0F);
    for (std::size_t i = 0; i < ids.size(); ++i) mass[static_cast<std::size_t>(ids[i])] += masses[i];
    float total = 0.0F;
    for (const float m : mass) total += m;
    std::iota(ranking.begin(), ranking.end(), 0);
    std::sort(ranking.begin(), ranking.end(), [&](std::int32_t a, std::int32_t b) {
        const float ma = mass[static_cast<std::size_t>(a)];
        const float mb = mass[static_cast<std::size_t>(b)];
        // NaN (broken weights) goes last, so that this stays a strict order.
        if (std::isnan(ma) || std::isnan(mb)) return std::isnan(ma) == std::isnan(mb) ? a < b : !std::isnan(ma);
        return ma != mb ? ma > mb : a < b;
    });
    std::fill(kept.begin(), kept.end(), std::uint8_t{0});
    Coreset coreset;
    float covered = 0.0F;
    for (const std::int32_t expert : ranking) {
        const bool enough = coreset.size > 0 && !(covered < topP * total);
        if (enough && coreset.size >= k) break;
        covered += mass[static_cast<std::size_t>(expert)];
        kept[static_cast<std::size_t>(expert)] = 1;
        ++coreset.size;
    }
    coreset.share = total > 0.0F ? covered / total : 1.0F;
    return coreset;
}

}  // namespace trefoil::kernels
