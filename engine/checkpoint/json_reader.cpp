#include "engine/checkpoint/json_reader.h"

#include "engine/checkpoint/json_builder.h"

#include <nlohmann/json.hpp>

namespace trefoil {

using nlohmann::json;

namespace {

Result<json> parse(std::string_view text, const std::string& source, json::value_t expected, const char* what) {
    json value;
    StrictJsonBuilder builder(value);
    if (!json::sax_parse(text.begin(), text.end(), &builder))
        return makeError(ErrorKind::Format, source + ": " + builder.fault(), "the file is damaged or not what its name says");
    if (value.type() != expected)
        return makeError(ErrorKind::Format, source + ": a JSON " + what + " was expected, found " + value.type_name());
    return value;
}

}  // namespace

Result<json> parseJsonObject(std::string_view text, const std::string& source) {
    return parse(text, source, json::value_t::object, "object");
}

Result<json> parseJsonArray(std::string_view text, const std::string& source) {
    return parse(text, source, json::value_t::array, "list");
}

}  // namespace trefoil
