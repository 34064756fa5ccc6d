// ChatResponse: the JSON of /v1/chat/completions, as a stream of events or in one piece (docs/serving.md).
#pragma once

#include "app/serve/generation_queue.h"
#include "app/serve/serve_backend.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace trefoil::serve {

class ChatResponse {
public:
    ChatResponse(const ServedModel& model, const ChatRequest& request, std::int64_t promptTokens);

    /// Server-sent events, each "data: …\n\n".
    [[nodiscard]] std::string event(const JobEvent& event) const;
    /// The last ones: finish_reason and usage, or the error; then [DONE].
    [[nodiscard]] std::string end(const JobEnd& end) const;

    /// Without a stream: events are collected …
    void add(const JobEvent& event);
    /// … and given with the end, which is no error.
    [[nodiscard]] std::string whole(const JobEnd& end) const;

private:
    using Json = nlohmann::ordered_json;
    [[nodiscard]] Json frame(const char* object) const;
    [[nodiscard]] std::string chunk(Json delta, const char* finish, const Json& more) const;
    [[nodiscard]] Json traceStart() const;

    const ServedModel m_model;
    const bool m_includeUsage;
    const bool m_passes;
    const std::int64_t m_promptTokens;
    const std::int64_t m_blockSize;
    const double m_threshold;
    std::string m_id;
    std::int64_t m_created;
    std::string m_thinking;
    std::string m_text;
    std::vector<TokenId> m_tokens;
    std::string m_passList;  ///< JSON, joined by commas
};

/// The answer of /v1/models: {"object": "list", "data": [...]}, or, for one, that model's object alone.
[[nodiscard]] std::string modelsJson(const ServedModel& model, bool alone);

/// What a cancelled request is told, where somebody still listens.
[[nodiscard]] ApiError stoppedError();

}  // namespace trefoil::serve
