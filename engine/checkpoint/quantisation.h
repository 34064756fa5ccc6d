// Quantisation: what `quantization_config` of config.json says about the stored weights (model-contract.md, section 1).
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/name_patterns.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

enum class QuantisedFormat : std::uint8_t {
    None,
    Fp8Blocks,   ///< quant_method fp8: F8_E4M3, one scale for each block of 128 × 128
    Int4Groups,  ///< compressed-tensors, pack-quantized, 4 bits: one scale for each group of a row
};

/// Rows and columns that share one scale in Fp8Blocks.
inline constexpr std::int64_t kScaleBlock = 128;
/// 4-bit values in one stored word.
inline constexpr std::int64_t kNibblesPerWord = 8;

/// One entry of compressed-tensors' config_groups.
struct QuantisedGroup {
    std::string name;
    NamePatterns targets;
    std::int64_t size = 0;  ///< columns that share one scale
    bool symmetric = true;  ///< false: `weight_zero_point` beside the scales
};

/// Which modules are quantised, and how. `kept`: ignore, or modules_to_not_convert.
struct Quantisation {
    QuantisedFormat format = QuantisedFormat::None;
    std::vector<QuantisedGroup> groups;  ///< Int4Groups only
    NamePatterns kept;
    std::vector<std::string> keptNames;  ///< Fp8Blocks only: entries of modules_to_not_convert

    /// Whether a module (a stored name without its `.weight`) is to keep its own type. Of modules_to_not_convert an entry names
    /// a module, everything below it, or the end of a module's name at a dot.
    [[nodiscard]] Result<bool> keeps(std::string_view module) const;
    /// The group that a linear module belongs to; nullptr when none targets it. Names win over the class name.
    [[nodiscard]] Result<const QuantisedGroup*> groupOf(std::string_view module) const;
};

/// Reads `quantization_config` (or `compression_config`, its older name) of a config.json's text, at the top level or in
/// text_config. Unsupported, with the format's name and what would work, for every format but the two above.
Result<Quantisation> parseQuantisation(std::string_view configJson, const std::string& source);

}  // namespace trefoil
