// ApiError: a refusal as OpenAI-style clients read it.
#pragma once

#include "engine/base/result.h"

#include <string>

namespace trefoil::serve {

struct ApiError {
    int status = 400;  ///< HTTP's
    std::string type = "invalid_request_error";
    std::string message = {};
    std::string code = {};   ///< "model_not_found" …; empty: null
    std::string param = {};  ///< the field; empty: null
};

/// {"error": {"message", "type", "param", "code"}}, on one line.
[[nodiscard]] std::string toJson(const ApiError& error);

/// An engine's error: 400 for what the client can change (with code context_length_exceeded for DoesNotFit), 503 with code
/// no_model for NotFound, 500 or 503 otherwise.
[[nodiscard]] ApiError toApiError(const Error& error);

}  // namespace trefoil::serve
