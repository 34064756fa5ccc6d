// Quantisation: what `quantization_config` of config.json says about the stored weights (model-contract.md, section 1).
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/name_patterns.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

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
