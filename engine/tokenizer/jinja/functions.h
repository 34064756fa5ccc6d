// Filters, tests, methods and operators of the supported part of Jinja. All throw Fault.
#pragma once

#include "engine/tokenizer/jinja/value.h"

#include <string>
#include <vector>

namespace trefoil::jinja {

using Arguments = std::vector<Value>;

[[nodiscard]] std::string textOf(const Value& value);  ///< as an output tag shows it
[[nodiscard]] Value applyFilter(const std::string& name, const Value& value, const Arguments& arguments);
[[nodiscard]] bool applyTest(const std::string& name, const Value& value);
[[nodiscard]] Value callMethod(const Value& object, const std::string& name, const Arguments& arguments);
[[nodiscard]] Value applyOperator(const std::string& op, const Value& left, const Value& right);
[[nodiscard]] Value itemOf(const Value& object, const Value& index);
/// Python's object[first:last:step]; undefined for what is left out.
[[nodiscard]] Value sliceOf(const Value& object, const Value& first, const Value& last, const Value& step);

}  // namespace trefoil::jinja
