// GenerationConfig: every control of a generation, by the contract's names, with ranges (model-contract.md, section 7).
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trefoil {

/// Auto: one of the others, chosen for each block by ModeChooser.
enum class DecodingMode : std::uint8_t { LowConfidence, SelfSpeculative, Autoregressive, Auto };

/// The controls, with the defaults of section 7. Values are kept as the contract types them; arithmetic on logits is float32.
struct GenerationConfig {
    std::int64_t maxNewTokens = 24576;
    std::int64_t blockSize = 32;
    double threshold = 0.95;
    bool enableThinking = true;
    DecodingMode decoding = DecodingMode::LowConfidence;
    bool alignBlocks = false;

    bool doSample = false;
    double temperature = 1.0;
    double topP = 1.0;
    std::int64_t topK = 0;
    std::uint64_t seed = 0;

    double repetitionPenalty = 1.05;
    double presencePenalty = 0.9;
    double frequencyPenalty = 0.0;

    double lengthPenalty = 10.0;
    std::int64_t lengthPenaltyStart = 8192;
    std::int64_t lengthPenaltyWindow = 8192;
    double thinkEndBias = 10.0;
    std::int64_t thinkEndStart = 4096;
    std::int64_t thinkEndWindow = 4096;

    bool coresetEnabled = true;
    double coresetTopP = 0.9;

    bool operator==(const GenerationConfig&) const = default;

    [[nodiscard]] bool samples() const { return doSample && temperature > 0.0; }
};

enum class ControlType : std::uint8_t { Integer, Unsigned64, Real, Boolean, Choice };

/// One control: its contract name ("dllm_length_penalty"), type and range (inclusive).
struct ControlSpec {
    std::string_view name;
    ControlType type;
    double minimum = 0;
    double maximum = 0;
    std::string_view choices;  ///< for Choice: comma-separated values
};

/// All controls, in the order of the contract. Static storage.
[[nodiscard]] std::span<const ControlSpec> controlSpecs();

/// Sets one control by its contract name from text ("0.95", "true", "self_speculative"). Always the C locale. Refuses unknown
/// names (listing the known), NaN, inf, trailing characters, and values out of range (naming the range).
Status setControl(GenerationConfig& config, std::string_view name, std::string_view text);

/// The control's value as setControl would take it; shortest text that reads back to the same value.
[[nodiscard]] Result<std::string> controlText(const GenerationConfig& config, std::string_view name);

/// Applies the known keys of a generation_config.json (or of a trace's `controls`) over `config`; unknown keys are ignored,
/// out-of-range or mistyped values refused. `source` names the file in messages.
Status applyGenerationJson(GenerationConfig& config, std::string_view json, const std::string& source);

/// All controls as one JSON object, by contract names.
[[nodiscard]] std::string toJson(const GenerationConfig& config);

[[nodiscard]] std::string_view decodingModeName(DecodingMode mode);

}  // namespace trefoil
