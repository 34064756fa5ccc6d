// The body of /v1/chat/completions, read and checked (docs/serving.md, "Requests"). Pure; any bytes may come.
#pragma once

#include "app/serve/api_error.h"
#include "app/serve/serve_backend.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace trefoil::serve {

struct ChatRequest {
    ServeRequest request;
    bool stream = false;
    bool includeUsage = false;  ///< stream_options.include_usage
    bool passes = false;        ///< trefoil_passes
    std::vector<std::string> stop;
};

/// A request for `model`, or why it is refused: 400, and 404 for another model's name. What is not known is ignored; what is
/// known and would change the answer, but cannot be done, is refused (tools, n above 1, images, logprobs …).
[[nodiscard]] std::variant<ChatRequest, ApiError> parseChatRequest(std::string_view body, const ServedModel& model);

}  // namespace trefoil::serve
