// What `info --recommend` adds: which form of a model suits which card.
#pragma once

#include "engine/checkpoint/checkpoint.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace trefoil::cli {

/// For a card of `cardMemory` GiB that reads `bandwidth` GB a second (0: assumed), or, with cardMemory 0, for the cards of this
/// machine, whose rates are measured. `context`: positions to plan for; 0: the model's.
[[nodiscard]] nlohmann::json recommendationJson(const Checkpoint& checkpoint, double cardMemory, double bandwidth,
                                                std::int64_t context);
/// The same for people.
[[nodiscard]] std::string recommendationText(const nlohmann::json& recommendation);

}  // namespace trefoil::cli
