// Strict JSON for files of a model folder. Private to the engine: includes nlohmann_json's forward declarations.
#pragma once

#include "engine/base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace trefoil {

/// Nesting beyond this is refused: nothing legitimate comes near it, and no code that walks the value can overflow its stack.
inline constexpr int kDeepestJson = 64;

/// Parses `text`, whose top level must be an object. Format error, naming `source` and the byte, on a syntax error, invalid
/// UTF-8, a number out of range, a key that stands twice in one object, or nesting deeper than kDeepestJson. Stops at the first
/// fault.
Result<nlohmann::json> parseJsonObject(std::string_view text, const std::string& source);
/// The same for a text whose top level must be a list.
Result<nlohmann::json> parseJsonArray(std::string_view text, const std::string& source);

}  // namespace trefoil
