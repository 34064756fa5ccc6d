// What one pass of decoding did, as kept for display, replay and comparison with golden traces (model-contract.md, section 10).
#pragma once

#include "engine/base/types.h"
#include "engine/decode/mode_chooser.h"
#include "engine/decode/steering.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

inline constexpr std::size_t kTopAlternatives = 5;

/// A token and its probability at temperature 1, before truncation.
struct TokenProbability {
    TokenId token = -1;  ///< -1: no such alternative (vocabulary smaller than 5)
    float probability = 0.0F;
};

/// What a pass says about one row.
struct RowCandidate {
    TokenId token = -1;
    float confidence = 0.0F;                               ///< softmax probability of `token` (section 7)
    std::array<TokenProbability, kTopAlternatives> top{};  ///< likeliest tokens, descending (ties: lower id first)
};

/// Per-layer cost of one pass. One entry per layer.
struct LayerStats {
    std::int32_t distinctExperts = 0;  ///< experts whose weights were read
    std::int32_t coresetSize = 0;      ///< experts kept by the coreset; 0 when off
    float coresetShare = 0.0F;         ///< share of the router mass that the coreset covers; 0 when off
    std::int32_t freeExperts = -1;     ///< experts that the rows choose without a coreset; -1: this device does not count them
    std::uint64_t expertBytes = 0;     ///< weight bytes of one routed expert; 0: this device does not say
    std::int32_t missedExperts = 0;    ///< of the distinct ones those that were not on the GPU but in main memory
    double stallMilliseconds = 0.0;    ///< in which the layer waited for these to be copied
};

struct PassStats {
    double milliseconds = 0.0;
    std::uint64_t weightBytes = 0;  ///< weight bytes read once
    std::vector<LayerStats> layers;
};

enum class PassKind : std::uint8_t {
    Denoise,
    Draft,
    Verify,
    Token,  ///< one autoregressive step; displayed, but no pass of the contract and not in golden traces
    Edit,   ///< no pass: a person changed rows of the block while it was paused
};

[[nodiscard]] std::string_view passKindName(PassKind kind);

/// One pass. `tokens` is the block after it, the mask id where unresolved (of a verify: the accepted head). Of an Edit:
/// `resolved` are the rows that were fixed; those that were masked again hold the mask id; `step` is that of the pass before.
struct PassRecord {
    PassKind kind = PassKind::Denoise;
    std::int64_t block = 0;          ///< from 0; one a round in self-speculation
    std::int64_t step = 0;           ///< within the block; of a Token: the token's place in its block of block_size
    std::int64_t firstPosition = 0;  ///< response position of rows[0]; negative while the block starts with prompt rows
    std::int32_t promptRows = 0;     ///< rows at the block's start that hold the prompt's tail (align_blocks)
    std::vector<TokenId> tokens;
    std::vector<RowCandidate> rows;      ///< empty for a verify
    std::vector<std::int32_t> resolved;  ///< rows resolved in this pass, ascending
    std::int32_t accepted = 0;           ///< of a verify
    std::int32_t droppedFrom =
        -1;  ///< first row at or after the first end token or the length cut; -1: none (known with the block's last pass)
    PassStats stats;
    ControlChange changed = {};                       ///< controls that a person changed: in force from this pass on
    std::optional<ModeChoice> choice = std::nullopt;  ///< decoding auto: what was chosen with this pass, and why
};

}  // namespace trefoil
