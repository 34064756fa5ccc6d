#include "engine/decode/sampler.h"

#include "kernels/cpu/row_operators.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace trefoil {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

/// The 64-bit finaliser of SplitMix64.
constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

constexpr std::uint64_t gumbelKey(std::uint64_t seed, std::int64_t position, std::int64_t step) {
    return mix(mix(mix(seed + kGolden) + kGolden * static_cast<std::uint64_t>(position + 1)) +
               kGolden * static_cast<std::uint64_t>(step + 1));
}

constexpr std::uint64_t hashOfKey(std::uint64_t key, TokenId id) {
    return mix(key + kGolden * (static_cast<std::uint64_t>(id) + 1));
}

float noiseOfHash(std::uint64_t h) {
    const float u = (static_cast<float>(h >> 41) + 0.5F) * 0x1p-23F;
    return -std::log(-std::log(u));
}

/// The likeliest tokens, descending; ties to the lower id. `best[0]` is the greedy choice.
struct TopList {
    std::array<TokenId, kTopAlternatives> id{};
    std::array<float, kTopAlternatives> logit{};

    explicit TopList(std::span<const float> logits) {
        id.fill(-1);
        logit.fill(kMinusInfinity);
        // Few blocks hold anything that enters the list: their maximum tells.
        constexpr std::size_t kBlock = 64;
        for (std::size_t begin = 0; begin < logits.size(); begin += kBlock) {
            const auto block = logits.subspan(begin, std::min(kBlock, logits.size() - begin));
            if (!(kernels::maximum(block.data(), static_cast<std::int64_t>(block.size())) > logit.back())) continue;
            for (std::size_t i = begin; i < begin + block.size(); ++i)
                if (logits[i] > logit.back()) insert(static_cast<TokenId>(i), logits[i]);
        }
    }

    void insert(TokenId token, float value) {
        std::size_t at = kTopAlternatives - 1;
        while (at > 0 && value > logit[at - 1]) {
            logit[at] = logit[at - 1];
            id[at] = id[at - 1];
            --at;
        }
        logit[at] = value;
        id[at] = token;
    }
};

/// Zeroes all but the top_k likeliest of `p`, those equal to the last of them kept too.
void keepTopK(std::vector<float>& p, std::int64_t k) {
    if (k <= 0 || k >= static_cast<std::int64_t>(p.size())) return;
    std::vector<float> order(p);
    std::nth_element(order.begin(), order.begin() + (k - 1), order.end(), std::greater<>());
    const float last = order[static_cast<std::size_t>(k - 1)];
    for (float& v : p)
        if (v < last) v = 0.0F;
}

/// Zeroes all but the shortest head of the descending order (ties: lower id first) whose share reaches topP; at least one stays.
void keepTopP(std::vector<float>& p, double topP) {
    if (topP >= 1.0) return;
    double sum = 0;
    std::vector<TokenId> heap;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (p[i] <= 0.0F) continue;
        sum += p[i];
        heap.push_back(static_cast<TokenId>(i));
    }
    const auto later = [&p](TokenId a, TokenId b) {
        const float pa = p[static_cast<std::size_t>(a)];
        const float pb = p[static_cast<std::size_t>(b)];
        return pa != pb ? pa < pb : a > b;
    };
    std::make_heap(heap.begin(), heap.end(), later);
    const double target = topP * sum;
    double reached = 0;
    std::vector<std::pair<TokenId, float>> kept;
    while (!heap.empty() && (kept.empty() || reached < target)) {
        std::pop_heap(heap.begin(), heap.end(), later);
        const TokenId id = heap.back();
        heap.pop_back();
        kept.emplace_back(id, p[static_cast<std::size_t>(id)]);
        reached += kept.back().second;
    }
    std::fill(p.begin(), p.end(), 0.0F);
    for (const auto& k : kept) p[static_cast<std::size_t>(k.first)] = k.second;
}

/// argmax of ln p + Gumbel noise over what temperature, top_k and top_p leave (section 7). `greedy` when nothing is left.
TokenId sampleToken(std::span<const float> logits, float maximum, TokenId greedy, const RowContext& row,
                    const GenerationConfig& config, std::vector<float>& p) {
    p.resize(logits.size());
    // In double: a temperature below the smallest float must not become a division by zero.
    for (std::size_t i = 0; i < logits.size(); ++i)
        p[i] = static_cast<float>(std::exp(static_cast<double>(logits[i] - maximum) / config.temperature));
    keepTopK(p, config.topK);
    keepTopP(p, config.topP);
    double sum = 0;
    for (const float v : p) sum += v;
    const std::uint64_t key = gumbelKey(config.seed, row.position, row.step);
    const auto total = static_cast<float>(sum);
    TokenId best = greedy;
    float bestScore = kMinusInfinity;
    for (std::size_t i = 0; i < p.size(); ++i) {
        if (!(p[i] > 0.0F)) continue;
        const float score = std::log(p[i] / total) + noiseOfHash(hashOfKey(key, static_cast<TokenId>(i)));
        if (score > bestScore) {
            bestScore = score;
            best = static_cast<TokenId>(i);
        }
    }
    return best;
}

}  // namespace

double ramp(std::int64_t n, std::int64_t start, std::int64_t window) {
    const double t = static_cast<double>(n - start) / static_cast<double>(std::max<std::int64_t>(window, 1));
    return std::clamp(t, 0.0, 1.0);
}

std::uint64_t gumbelHash(std::uint64_t seed, std::int64_t position, std::int64_t step, TokenId id) {
    return hashOfKey(gumbelKey(seed, position, step), id);
}

float gumbelNoise(std::uint64_t seed, std::int64_t position, std::int64_t step, TokenId id) {
    return noiseOfHash(gumbelHash(seed, position, step, id));
}

void adjustLogits(std::span<float> logits, std::span<const float> counts, const RowContext& row, const SamplerModel& model,
                  const GenerationConfig& config) {
    const auto r = static_cast<float>(config.repetitionPenalty);
    const auto presence = static_cast<float>(config.presencePenalty);
    const auto frequency = static_cast<float>(config.frequencyPenalty);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (!(counts[i] > 0.0F)) continue;
        const float l = logits[i];
        logits[i] = (l > 0.0F ? l / r : l * r) - presence - frequency * counts[i];
    }
    const auto size = static_cast<TokenId>(logits.size());
    const auto lengthBias =
        static_cast<float>(config.lengthPenalty * ramp(row.position, config.lengthPenaltyStart, config.lengthPenaltyWindow));
    for (const TokenId e : model.eosIds)
        if (e >= 0 && e < size) logits[static_cast<std::size_t>(e)] += lengthBias;
    if (row.thinkingOpen && model.thinkEndId && *model.thinkEndId < size)
        logits[static_cast<std::size_t>(*model.thinkEndId)] +=
            static_cast<float>(config.thinkEndBias * ramp(row.position, config.thinkEndStart, config.thinkEndWindow));
    if (model.maskId >= 0 && model.maskId < size) logits[static_cast<std::size_t>(model.maskId)] = kMinusInfinity;
}

RowCandidate chooseCandidate(std::span<const float> logits, const RowContext& row, const GenerationConfig& config,
                             std::vector<float>& scratch) {
    const TopList best(logits);
    RowCandidate out;
    if (best.id[0] < 0) {  // nothing but NaN or -inf: broken weights; stay deterministic and claim no confidence
        out.token = 0;
        return out;
    }
    const float maximum = best.logit[0];
    const float sum = kernels::sumOfExponentials(logits.data(), static_cast<std::int64_t>(logits.size()), maximum);
    const auto probability = [&](float l) {
        const float p = std::exp(l - maximum) / sum;
        return std::isfinite(p) ? p : 0.0F;
    };
    out.token = config.samples() ? sampleToken(logits, maximum, best.id[0], row, config, scratch) : best.id[0];
    out.confidence = probability(logits[static_cast<std::size_t>(out.token)]);
    for (std::size_t i = 0; i < kTopAlternatives && best.id[i] >= 0; ++i) out.top[i] = {best.id[i], probability(best.logit[i])};
    return out;
}

}  // namespace trefoil
