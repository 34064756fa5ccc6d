// The cases of a golden traces file, read and checked before anything runs (model-contract.md, section 10).
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/decode/generation_config.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// A pass as the reference recorded it.
struct GoldenPass {
    std::string kind;
    std::int64_t block = -1;
    std::int64_t step = -1;
    std::vector<TokenId> tokens;
    std::vector<std::int32_t> resolved;
    std::vector<TokenId> candidates;
    std::vector<double> confidences;  ///< as many as candidates
    std::int64_t accepted = -1;       ///< of a verify
};

struct GoldenCase {
    GenerationConfig config;
    std::vector<TokenId> prompt;
    std::vector<TokenId> response;
    bool thinking = false;
    std::optional<TokenId> thinkEndId;
    bool bf16 = false;
    bool hasMessages = false;                       ///< a case of a trained model, made from a conversation
    std::optional<std::vector<GoldenPass>> passes;  ///< absent: only the response is compared
};

/// Files beyond this size are refused.
inline constexpr std::uint64_t kLargestTraces = 512U << 20;

/// Reads the text of a traces file: a list of cases. `base`: the configuration that each case's controls are applied to. Format
/// error, naming `source` and the case, on anything that is not as section 10 says.
Result<std::vector<GoldenCase>> parseGoldenCases(std::string_view json, const std::string& source, const GenerationConfig& base);

}  // namespace trefoil
