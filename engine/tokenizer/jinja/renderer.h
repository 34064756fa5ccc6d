// Renders a template of the supported part of Jinja.
#pragma once

#include "engine/base/result.h"
#include "engine/tokenizer/jinja/value.h"

#include <string>
#include <string_view>

namespace trefoil::jinja {

/// The text of `source` with the variables of `globals`. Unsupported, with the reason, for what is not understood, for what the
/// template itself refuses, and for more work or output than any chat template needs. No exception leaves it.
Result<std::string> renderTemplate(std::string_view source, Value::Dict globals);

}  // namespace trefoil::jinja
