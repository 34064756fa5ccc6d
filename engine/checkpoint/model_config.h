// ModelConfig: what config.json says about a Clover checkpoint (model-contract.md, section 1).
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/compatibility.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// The kind of a layer's mixer.
enum class LayerKind : std::uint8_t { GatedDeltaNet, FullAttention };

/// The dimensions of a model. All counts are in elements. Field names follow config.json.
struct ModelConfig {
    std::int64_t vocabSize = 0;                     ///< V
    std::int64_t hiddenSize = 0;                    ///< D
    std::int64_t numAttentionHeads = 0;             ///< Hq
    std::int64_t numKeyValueHeads = 0;              ///< Hkv
    std::int64_t headDim = 0;                       ///< Dh
    std::int64_t linearNumKeyHeads = 0;             ///< Hk
    std::int64_t linearNumValueHeads = 0;           ///< Hv
    std::int64_t linearKeyHeadDim = 0;              ///< Dk
    std::int64_t linearValueHeadDim = 0;            ///< Dv
    std::int64_t linearConvKernelDim = 4;           ///< K
    std::int64_t numExperts = 0;                    ///< E
    std::int64_t numExpertsPerTok = 0;              ///< k
    std::int64_t moeIntermediateSize = 0;           ///< I
    std::int64_t sharedExpertIntermediateSize = 0;  ///< width of the shared expert
    std::int64_t maxPositionEmbeddings = 131072;    ///< the context, in tokens
    std::int64_t blockSize = 32;                    ///< B of the checkpoint
    double rmsNormEps = 1e-6;
    double partialRotaryFactor = 0.25;
    double ropeTheta = 1e7;
    bool tieWordEmbeddings = false;
    TokenId maskTokenId = -1;          ///< -1 until looked up in the tokenizer
    std::vector<TokenId> eosTokenIds;  ///< never empty in a valid configuration
    std::vector<LayerKind> layers;     ///< one per layer

    Compatibility compatibility;            ///< section 9, overrides applied
    CompatibilityOverrides configSwitches;  ///< those that config.json's `trefoil` object sets

    /// Human-readable remarks: values that were assumed, conflicts and which side won. Shown by `info` and the Model dialog.
    std::vector<std::string> notes;

    [[nodiscard]] std::int64_t numLayers() const { return static_cast<std::int64_t>(layers.size()); }
    [[nodiscard]] std::int64_t keyDim() const { return linearNumKeyHeads * linearKeyHeadDim; }        ///< Hk·Dk
    [[nodiscard]] std::int64_t valueDim() const { return linearNumValueHeads * linearValueHeadDim; }  ///< Hv·Dv
    [[nodiscard]] std::int64_t convChannels() const { return 2 * keyDim() + valueDim(); }             ///< C
    [[nodiscard]] std::int64_t rotaryDim() const {                                                    ///< R
        return static_cast<std::int64_t>(static_cast<double>(headDim) * partialRotaryFactor);
    }
    [[nodiscard]] bool isEos(TokenId id) const {
        for (const TokenId e : eosTokenIds)
            if (e == id) return true;
        return false;
    }
};

/// Reads config.json's text. `source` names the file in messages. Every refusal of section 1 is checked here, sizes included
/// (positive, within limits, divisibility), so that no later code divides by zero or overflows. `maskTokenId` may stay -1.
Result<ModelConfig> parseModelConfig(std::string_view json, const std::string& source);

}  // namespace trefoil
