// Which experts of a layer have a slot on the card: the scores, and the decision of a pass. No CUDA is needed to include this;
// the kernel (expert_cache.cu) computes scores with the same functions and decides the same, by ranks instead of a sort.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#ifdef __CUDACC__
#define TREFOIL_BOTH __host__ __device__
#else
#define TREFOIL_BOTH
#endif

namespace trefoil::cuda {

/// A score after `passes` more: it halves every eight of them, rounded alike on host and device. Least recently used
/// where experts are named alike, else weighted by how often they are.
[[nodiscard]] TREFOIL_BOTH inline float scoreAfter(float score, std::int32_t passes) {
    // Between halvings linear: 1, 15/16, 14/16, … 9/16, then half of it. No exponential, which host and device round differently.
    const std::int32_t whole = passes / 8;
    if (whole > 60) return 0.0F;
    const float rest = static_cast<float>(16 - passes % 8) / 16.0F;
    return score * rest / static_cast<float>(std::int64_t{1} << whole);
}
/// What naming an expert adds.
inline constexpr float kScoreStep = 1.0F;

/// The state of a layer's cache, and the twin of the kernel's decision.
struct CacheState {
    std::vector<std::int32_t> slotOf;
    std::vector<std::int32_t> expertIn;
    std::vector<float> score;
    std::vector<std::int32_t> stamp;
    std::int32_t pass = 0;

    CacheState(int experts, int slots)
        : slotOf(static_cast<std::size_t>(experts), -1),
          expertIn(static_cast<std::size_t>(slots), -1),
          score(static_cast<std::size_t>(experts), 0.0F),
          stamp(static_cast<std::size_t>(experts), 0) {}

    struct Copy {
        std::int32_t expert = 0;
        std::int32_t slot = 0;
        friend bool operator==(const Copy&, const Copy&) = default;
    };
    struct Decision {
        std::vector<Copy> copies;  ///< warmest first
        std::int32_t missed = 0;
    };

    [[nodiscard]] float scoreOf(std::int32_t expert) const {
        const auto e = static_cast<std::size_t>(expert);
        return scoreAfter(score[e], pass - stamp[e]);
    }

    /// A pass that names `named`, ascending and without repetition.
    Decision decide(const std::vector<std::int32_t>& named) {
        ++pass;
        for (const std::int32_t expert : named) {
            const float now = scoreOf(expert) + kScoreStep;
            score[static_cast<std::size_t>(expert)] = now;
            stamp[static_cast<std::size_t>(expert)] = pass;
        }
        Decision out;
        std::vector<std::int32_t> missing;
        for (const std::int32_t expert : named)
            if (slotOf[static_cast<std::size_t>(expert)] < 0) missing.push_back(expert);
        out.missed = static_cast<std::int32_t>(missing.size());
        std::stable_sort(missing.begin(), missing.end(), [&](std::int32_t a, std::int32_t b) { return scoreOf(a) > scoreOf(b); });
        // Free slots first, then the coldest.
        std::vector<std::int32_t> victims;
        for (std::size_t s = 0; s < expertIn.size(); ++s)
            if (expertIn[s] < 0 || !std::binary_search(named.begin(), named.end(), expertIn[s]))
                victims.push_back(static_cast<std::int32_t>(s));
        const auto heat = [&](std::int32_t slot) {
            const std::int32_t expert = expertIn[static_cast<std::size_t>(slot)];
            return expert < 0 ? -1.0F : scoreOf(expert);
        };
        std::stable_sort(victims.begin(), victims.end(), [&](std::int32_t a, std::int32_t b) { return heat(a) < heat(b); });
        for (std::size_t i = 0; i < missing.size() && i < victims.size(); ++i) {
            if (heat(victims[i]) >= scoreOf(missing[i])) continue;
            out.copies.push_back({missing[i], victims[i]});
        }
        for (const Copy& copy : out.copies) {
            const auto slot = static_cast<std::size_t>(copy.slot);
            if (expertIn[slot] >= 0) slotOf[static_cast<std::size_t>(expertIn[slot])] = -1;
            expertIn[slot] = copy.expert;
            slotOf[static_cast<std::size_t>(copy.expert)] = copy.slot;
        }
        return out;
    }
};

}  // namespace trefoil::cuda
