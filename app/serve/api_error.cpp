#include "app/serve/api_error.h"

#include <nlohmann/json.hpp>

namespace trefoil::serve {

std::string toJson(const ApiError& error) {
    using Json = nlohmann::ordered_json;
    const auto orNull = [](const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); };
    const Json out{
        {"error",
         {{"message", error.message}, {"type", error.type}, {"param", orNull(error.param)}, {"code", orNull(error.code)}}}};
    return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ApiError toApiError(const Error& error) {
    switch (error.kind) {
        case ErrorKind::InvalidArgument:
        case ErrorKind::Unsupported:
            return {400, "invalid_request_error", error.text()};
        case ErrorKind::DoesNotFit:
            return {400, "invalid_request_error", error.text(), "context_length_exceeded", "messages"};
        case ErrorKind::NotFound:
            return {503, "server_error", error.text(), "no_model"};
        case ErrorKind::DeviceLost:
        case ErrorKind::DeviceUnavailable:
            return {503, "server_error", error.text(), "device_lost"};
        case ErrorKind::OutOfMemory:
            return {503, "server_error", error.text(), "out_of_memory"};
        default:
            return {500, "server_error", error.text()};
    }
}

}  // namespace trefoil::serve
