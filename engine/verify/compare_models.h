// Comparison of two models of one kind, row by row: what quantising a model, say, does to its predictions.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/decode/generation_config.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <span>

namespace trefoil {

/// Sums over rows.
struct RowAgreement {
    std::int64_t rows = 0;
    std::int64_t sameTop = 0;  ///< rows whose likeliest token is the same
    double divergence = 0.0;   ///< KL(first ‖ second) of the softmax of raw logits, in nats

    [[nodiscard]] double agreement() const { return rows > 0 ? static_cast<double>(sameTop) / static_cast<double>(rows) : 0.0; }
    [[nodiscard]] double meanDivergence() const { return rows > 0 ? divergence / static_cast<double>(rows) : 0.0; }
    /// Adds one row's logits; both of the same length.
    void add(std::span<const float> first, std::span<const float> second);
};

struct ModelAgreement {
    RowAgreement causal;  ///< every row of the text
    RowAgreement noisy;   ///< masked rows of blocks
};

/// Feeds a text to both models, block by block (config.blockSize). Each block is first denoised behind what precedes it, with
/// every second row masked (the odd ones of a block, then the even ones), then run causally. The prefixes are left as they end;
/// the coreset is `config`'s. Logits are those before any control. InvalidArgument when the vocabularies or mask tokens differ.
Status compareRows(Executor& first, Executor& second, std::span<const TokenId> text, const GenerationConfig& config,
                   const CancelFlag& cancel, ModelAgreement& into);

}  // namespace trefoil
