// The parts of reading config.json that only checkpoint.cpp needs besides parseModelConfig.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/model_config.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// `eos_token_id` of a generation_config.json; nullopt when it has none. Ids are checked by applyEosIds.
Result<std::optional<std::vector<TokenId>>> parseGenerationEos(std::string_view json, const std::string& source);

/// Replaces the end tokens by those of generation_config.json (section 1: they win), noting a difference.
Status applyEosIds(ModelConfig& config, const std::vector<TokenId>& ids, const std::string& source);

}  // namespace trefoil
