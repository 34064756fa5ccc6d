// Sampler: controls on logits, the choice of a candidate and its confidence (model-contract.md, section 7). The CPU's version,
// and the twin of the GPU's. Float32 throughout; no state.
#pragma once

#include "engine/decode/generation_config.h"
#include "engine/decode/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace trefoil {

/// What the controls need to know about one row.
struct RowContext {
    std::int64_t position = 0;  ///< n: the row's position in the response (0 = first)
    std::int64_t step = 0;      ///< pass number, for the noise
    bool thinkingOpen = false;  ///< with this row's view of the open block taken into account
};

/// What stays the same for all rows of a request.
struct SamplerModel {
    std::span<const TokenId> eosIds;
    TokenId maskId = -1;
    std::optional<TokenId> thinkEndId;
};

/// clamp((n - start) / max(window, 1), 0, 1)
[[nodiscard]] double ramp(std::int64_t n, std::int64_t start, std::int64_t window);

/// The 64-bit hash h behind the noise, and the Gumbel noise -ln(-ln u) of it.
[[nodiscard]] std::uint64_t gumbelHash(std::uint64_t seed, std::int64_t position, std::int64_t step, TokenId id);
[[nodiscard]] float gumbelNoise(std::uint64_t seed, std::int64_t position, std::int64_t step, TokenId id);

/// Applies controls 1 to 6 in place to one row of logits [V]. counts [V]: how often each token stands in the response, this row's
/// view of the open block included.
void adjustLogits(std::span<float> logits, std::span<const float> counts, const RowContext& row, const SamplerModel& model,
                  const GenerationConfig& config);

/// Candidate, confidence and top alternatives of one row of adjusted logits [V] (read only; `scratch` is resized to V as needed).
[[nodiscard]] RowCandidate chooseCandidate(std::span<const float> logits, const RowContext& row, const GenerationConfig& config,
                                           std::vector<float>& scratch);

}  // namespace trefoil
