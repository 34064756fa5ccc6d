#include "app/serve/chat_response.h"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <utility>

namespace trefoil::serve {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string newId() {
    std::random_device random;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%08x%08x%08x", random(), random(), random());
    return std::string("chatcmpl-") + text.data();
}

const char* finishReason(const JobEnd& end) { return end.kind == JobEnd::Kind::Length ? "length" : "stop"; }

Json usageJson(const ServeUsage& usage) {
    return {{"prompt_tokens", usage.promptTokens},
            {"completion_tokens", usage.completionTokens},
            {"total_tokens", usage.promptTokens + usage.completionTokens},
            {"prompt_tokens_details", {{"cached_tokens", usage.reusedTokens}}},
            {"completion_tokens_details", {{"reasoning_tokens", usage.thinkingTokens}}}};
}

Json statsJson(const JobEnd& end) {
    const ServeUsage& usage = end.usage;
    return {{"stop_reason", end.stopReason},
            {"prompt_tokens", usage.promptTokens},
            {"reused_tokens", usage.reusedTokens},
            {"completion_tokens", usage.completionTokens},
            {"thinking_tokens", usage.thinkingTokens},
            {"passes", usage.passes},
            {"blocks", usage.blocks},
            {"prefill_ms", usage.prefillMilliseconds},
            {"decode_ms", usage.decodeMilliseconds}};
}

std::string asEvent(const std::string& data) { return "data: " + data + "\n\n"; }

}  // namespace

ApiError stoppedError() { return {503, "server_error", "the server is stopping; the answer ends here", "stopped"}; }

ChatResponse::ChatResponse(const ServedModel& model, const ChatRequest& request, std::int64_t promptTokens)
    : m_model(model),
      m_includeUsage(request.includeUsage),
      m_passes(request.passes),
      m_promptTokens(promptTokens),
      m_blockSize(request.request.config.blockSize),
      m_threshold(request.request.config.threshold),
      m_id(newId()),
      m_created(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count()) {}

Json ChatResponse::frame(const char* object) const {
    return {{"id", m_id}, {"object", object}, {"created", m_created}, {"model", m_model.name}};
}

Json ChatResponse::traceStart() const {
    return {{"mask_id", m_model.maskId},
            {"block_size", m_blockSize},
            {"threshold", m_threshold},
            {"context", m_model.context},
            {"prompt_tokens", m_promptTokens}};
}

std::string ChatResponse::chunk(Json delta, const char* finish, const Json& more) const {
    Json out = frame("chat.completion.chunk");
    out["choices"] = Json::array();
    if (!delta.is_null())
        out["choices"].push_back({{"index", 0},
                                  {"delta", std::move(delta)},
                                  {"logprobs", nullptr},
                                  {"finish_reason", finish != nullptr ? Json(finish) : Json(nullptr)}});
    if (m_includeUsage) out["usage"] = nullptr;
    if (!more.is_null()) out.update(more);
    return asEvent(dumped(out));
}

std::string ChatResponse::event(const JobEvent& event) const {
    const Json tokens = m_passes && !event.tokens.empty() ? Json{{"trefoil_tokens", event.tokens}} : Json();
    switch (event.kind) {
        case JobEvent::Kind::Started:
            return chunk({{"role", "assistant"}, {"content", ""}}, nullptr,
                         m_passes ? Json{{"trefoil_trace", traceStart()}} : Json());
        case JobEvent::Kind::Thinking:
            return chunk({{"reasoning_content", event.text}}, nullptr, tokens);
        case JobEvent::Kind::Text:
            return chunk(event.text.empty() ? Json::object() : Json{{"content", event.text}}, nullptr, tokens);
        case JobEvent::Kind::Pass: {
            // The pass is JSON already: it takes the place of the frame's last brace.
            std::string out = chunk(nullptr, nullptr, nullptr);
            out.resize(out.size() - 3);
            return out + ",\"trefoil_pass\":" + event.text + "}\n\n";
        }
    }
    return {};
}

std::string ChatResponse::end(const JobEnd& end) const {
    std::string out;
    if (end.error || end.kind == JobEnd::Kind::Cancelled) {
        out = asEvent(toJson(end.error ? *end.error : stoppedError()));
    } else {
        out = chunk(Json::object(), finishReason(end), m_passes ? Json{{"trefoil_stats", statsJson(end)}} : Json());
        if (m_includeUsage) out += chunk(nullptr, nullptr, {{"usage", usageJson(end.usage)}});
    }
    return out + asEvent("[DONE]");
}

void ChatResponse::add(const JobEvent& event) {
    if (m_passes) m_tokens.insert(m_tokens.end(), event.tokens.begin(), event.tokens.end());
    if (event.kind == JobEvent::Kind::Thinking) m_thinking += event.text;
    if (event.kind == JobEvent::Kind::Text) m_text += event.text;
    if (event.kind == JobEvent::Kind::Pass) m_passList += (m_passList.empty() ? "" : ",") + event.text;
}

std::string ChatResponse::whole(const JobEnd& end) const {
    Json message{{"role", "assistant"}, {"content", m_text}, {"refusal", nullptr}};
    if (!m_thinking.empty()) message["reasoning_content"] = m_thinking;
    Json out = frame("chat.completion");
    out["choices"] =
        Json::array({{{"index", 0}, {"message", message}, {"logprobs", nullptr}, {"finish_reason", finishReason(end)}}});
    out["usage"] = usageJson(end.usage);
    if (!m_passes) return dumped(out);
    out["trefoil_trace"] = traceStart();
    out["trefoil_tokens"] = m_tokens;
    out["trefoil_stats"] = statsJson(end);
    std::string text = dumped(out);
    text.back() = ',';
    return text + "\"trefoil_passes\":[" + m_passList + "]}";
}

std::string modelsJson(const ServedModel& model, bool alone) {
    Json one{{"id", model.name}, {"object", "model"}, {"created", model.created}, {"owned_by", "trefoil"}};
    one["max_model_len"] = model.context;
    one["trefoil"] = {{"context", model.context}, {"mask_id", model.maskId}, {"thinking", model.thinks},
                      {"device", model.device},   {"passes", true},          {"defaults", Json::parse(toJson(model.defaults))}};
    if (alone) return dumped(one);
    return dumped({{"object", "list"}, {"data", Json::array({one})}});
}

}  // namespace trefoil::serve
