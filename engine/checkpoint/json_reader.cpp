#include "engine/checkpoint/json_reader.h"

#include "engine/checkpoint/json_builder.h"

#include <nlohmann/json.hpp>

namespace trefoil {

using nlohmann::json;

Result<json> parseJsonObject(std::string_view text, const std::string& source) {
    json value;
    StrictJsonBuilder builder(value);
    if (!json::sax_parse(text.begin(), text.end(), &builder))
        return makeError(ErrorKind::Format, source + ": " + builder.fault(), "the file is damaged or not what its name says");
    if (!value.is_object())
        return makeError(ErrorKind::Format, source + ": a JSON object was expected, found " + value.type_name());
    return value;
}

}  // namespace trefoil
