// Passes as values with texts, and as the JSON of docs/serving.md, "Pass events".
#pragma once

#include "app/serve/serve_backend.h"
#include "engine/decode/trace.h"
#include "engine/tokenizer/tokenizer.h"

#include <nlohmann/json_fwd.hpp>

namespace trefoil::serve {

/// A pass with the texts that `tokenizer` gives its tokens.
[[nodiscard]] ServedPass toServedPass(const PassRecord& record, double threshold, const Tokenizer& tokenizer, TokenId maskId);

/// The value of a chunk's "trefoil_pass".
[[nodiscard]] nlohmann::ordered_json passJson(const ServedPass& pass);

}  // namespace trefoil::serve
