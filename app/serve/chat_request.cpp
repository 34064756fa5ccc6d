#include "app/serve/chat_request.h"

#include "engine/base/excerpt.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace trefoil::serve {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostStops = 4;
constexpr std::size_t kLongestStop = 1024;

/// Nothing, or why the request is refused.
using Refusal = std::optional<ApiError>;

Refusal refuse(std::string message, std::string param = {}, std::string code = {}) {
    return ApiError{400, "invalid_request_error", std::move(message), std::move(code), std::move(param)};
}

std::string shown(const Json& value) { return startOf(value.dump(-1, ' ', false, Json::error_handler_t::replace), 60); }

/// The field's value; nullptr where it is absent or null, which clients send for "not given".
const Json* given(const Json& object, const char* name) {
    const auto at = object.find(name);
    return at == object.end() || at->is_null() ? nullptr : &*at;
}

Refusal readFlag(const Json& object, const char* name, bool& out) {
    const Json* value = given(object, name);
    if (value == nullptr) return {};
    if (!value->is_boolean()) return refuse(std::string(name) + " must be true or false, found " + shown(*value), name);
    out = value->get<bool>();
    return {};
}

/// A control from its JSON value, by its name of the contract; `field` is what the client called it.
Refusal readControl(GenerationConfig& config, std::string_view control, const Json& value, const std::string& field) {
    const bool isText = value.is_string();
    if (!isText && !value.is_number() && !value.is_boolean())
        return refuse(field + " must be a value of its own, found " + shown(value), field);
    const auto specs = controlSpecs();
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const ControlSpec& s) { return s.name == control; });
    if (isText != (spec->type == ControlType::Choice))
        return refuse(field + " cannot be " + shown(value) + (isText ? "; give it without quotes" : ""), field);
    if (const Status s = setControl(config, control, isText ? value.get<std::string>() : value.dump()); !s.ok())
        return refuse(s.error().text(), field);
    return {};
}

// ------------------------------------------------------------------------------------------------- what cannot be done

Refusal refuseTools(const Json& body) {
    for (const char* name : {"tools", "functions"}) {
        const Json* value = given(body, name);
        if (value != nullptr && !(value->is_array() && value->empty()))
            return refuse("this server runs no tools: leave out " + std::string(name), name, "unsupported_parameter");
    }
    for (const char* name : {"tool_choice", "function_call"}) {
        const Json* value = given(body, name);
        if (value != nullptr && *value != "none" && *value != "auto")
            return refuse("this server runs no tools: leave out " + std::string(name), name, "unsupported_parameter");
    }
    return {};
}

Refusal refuseOthers(const Json& body) {
    for (const char* name : {"n", "best_of"}) {
        const Json* value = given(body, name);
        if (value != nullptr && *value != 1)
            return refuse(std::string(name) + " must be 1, found " + shown(*value) + ": this server writes one answer a request",
                          name, "unsupported_parameter");
    }
    for (const char* name : {"logprobs", "top_logprobs"}) {
        const Json* value = given(body, name);
        if (value != nullptr && *value != false && *value != 0)
            return refuse("this server gives no logprobs; \"trefoil_passes\": true gives the confidences of each pass", name,
                          "unsupported_parameter");
    }
    if (const Json* bias = given(body, "logit_bias"); bias != nullptr && !bias->empty())
        return refuse("this server takes no logit_bias", "logit_bias", "unsupported_parameter");
    if (const Json* audio = given(body, "audio"); audio != nullptr)
        return refuse("this model writes text only: leave out audio", "audio", "unsupported_parameter");
    if (const Json* modalities = given(body, "modalities"); modalities != nullptr && *modalities != Json::array({"text"}))
        return refuse("this model writes text only: modalities may hold \"text\" alone", "modalities", "unsupported_parameter");
    if (const Json* format = given(body, "response_format"); format != nullptr) {
        const Json* type = format->is_object() ? given(*format, "type") : nullptr;
        if (type == nullptr || *type != "text")
            return refuse("this server does not force a response_format; only {\"type\": \"text\"} is taken", "response_format",
                          "unsupported_parameter");
    }
    return {};
}

// ------------------------------------------------------------------------------------------------------------ messages

/// A content's text: a string, or text parts, joined by new lines.
Refusal readContent(const Json& content, const std::string& where, std::string& out) {
    if (content.is_string()) {
        out = content.get<std::string>();
        return {};
    }
    if (!content.is_array())
        return refuse(where + ".content must be text or a list of text parts, found " + shown(content), where);
    for (std::size_t i = 0; i < content.size(); ++i) {
        const Json& part = content[i];
        const Json* type = part.is_object() ? given(part, "type") : nullptr;
        const Json* text = part.is_object() ? given(part, "text") : nullptr;
        if (type != nullptr && type->is_string() && *type != "text")
            return refuse(
                "this model reads text only: " + where + ".content[" + std::to_string(i) + "] is of type " + shown(*type), where,
                "unsupported_content");
        if (type == nullptr || text == nullptr || !text->is_string())
            return refuse(
                where + ".content[" + std::to_string(i) + "] must be {\"type\": \"text\", \"text\": …}, found " + shown(part),
                where);
        if (i > 0) out += '\n';
        out += text->get<std::string>();
    }
    return {};
}

struct Message {
    ChatMessage chat;
    std::string thinking;
};

Refusal readMessage(const Json& json, const std::string& where, Message& out) {
    if (!json.is_object()) return refuse(where + " must be an object with role and content, found " + shown(json), where);
    const Json* role = given(json, "role");
    if (role == nullptr || !role->is_string()) return refuse(where + " has no role", where);
    out.chat.role = role->get<std::string>();
    if (out.chat.role == "developer") out.chat.role = "system";
    static constexpr std::array<std::string_view, 3> kRoles{"system", "user", "assistant"};
    if (std::find(kRoles.begin(), kRoles.end(), out.chat.role) == kRoles.end())
        return refuse(where + ".role is " + shown(*role) + "; this server takes system, developer, user and assistant", where);
    if (const Json* calls = given(json, "tool_calls"); calls != nullptr && !calls->empty())
        return refuse("this server runs no tools: " + where + " has tool_calls", where, "unsupported_parameter");
    const bool assistant = out.chat.role == "assistant";
    for (const char* name : {"reasoning_content", "reasoning"})
        if (const Json* thinking = given(json, name); assistant && thinking != nullptr && out.thinking.empty()) {
            if (!thinking->is_string()) return refuse(where + "." + name + " must be text", where);
            out.thinking = thinking->get<std::string>();
        }
    const Json* content = given(json, "content");
    if (content == nullptr) {
        if (assistant && !out.thinking.empty()) return {};  // cut inside the thinking
        return refuse(where + " has no content", where);
    }
    return readContent(*content, where, out.chat.content);
}

/// Whether an assistant's message at the end is continued or stands as it is.
Refusal readContinuation(const Json& body, bool assistantLast, bool& continues) {
    bool anew = false;
    continues = assistantLast;
    if (Refusal r = readFlag(body, "add_generation_prompt", anew)) return r;
    const bool isGiven = given(body, "continue_final_message") != nullptr;
    if (Refusal r = readFlag(body, "continue_final_message", continues)) return r;
    if (isGiven && continues && anew)
        return refuse("continue_final_message and add_generation_prompt cannot both be true", "continue_final_message");
    if (continues && !assistantLast)
        return refuse("continue_final_message needs an assistant's message at the end", "continue_final_message");
    if (!isGiven && anew) continues = false;
    return {};
}

Refusal readMessages(const Json& body, ServeRequest& out) {
    const Json* list = given(body, "messages");
    if (list == nullptr) return refuse("messages is missing: a list of {role, content}", "messages");
    if (!list->is_array() || list->empty()) return refuse("messages must be a list of {role, content}, not empty", "messages");
    for (std::size_t i = 0; i < list->size(); ++i) {
        Message message;
        if (Refusal r = readMessage((*list)[i], "messages[" + std::to_string(i) + "]", message)) return r;
        // Several instructions at the beginning are one.
        if (out.messages.size() == 1 && out.messages[0].role == "system" && message.chat.role == "system")
            out.messages[0].content += "\n\n" + message.chat.content;
        else
            out.messages.push_back(std::move(message.chat));
        // The thinking of earlier turns is never fed back.
        out.begunThinking = i + 1 == list->size() ? std::move(message.thinking) : std::string();
    }
    const bool assistantLast = out.messages.back().role == "assistant";
    if (Refusal r = readContinuation(body, assistantLast, out.continues)) return r;
    if (!out.continues) out.begunThinking.clear();
    if (out.continues && out.messages.size() == 1)
        return refuse("messages must have a user's message before the answer", "messages");
    return {};
}

// ------------------------------------------------------------------------------------------------------------ controls

Refusal readThinking(const Json& body, GenerationConfig& config) {
    const Json* keys = given(body, "chat_template_kwargs");
    if (keys == nullptr) return {};
    if (!keys->is_object())
        return refuse("chat_template_kwargs must be an object, found " + shown(*keys), "chat_template_kwargs");
    for (const char* name : {"enable_thinking", "thinking"})
        if (const Json* value = given(*keys, name))
            return readControl(config, "enable_thinking", *value, std::string("chat_template_kwargs.") + name);
    return {};
}

Refusal readControls(const Json& body, ServeRequest& out) {
    for (const ControlSpec& spec : controlSpecs())
        if (const Json* value = given(body, std::string(spec.name).c_str()))
            if (Refusal r = readControl(out.config, spec.name, *value, std::string(spec.name))) return r;
    if (Refusal r = readThinking(body, out.config)) return r;
    // The newer name wins where a client sends both.
    out.lengthIsDefault = given(body, "max_new_tokens") == nullptr;
    for (const char* name : {"max_tokens", "max_completion_tokens"})
        if (const Json* value = given(body, name)) {
            if (Refusal r = readControl(out.config, "max_new_tokens", *value, name)) return r;
            out.lengthIsDefault = false;
        }
    // OpenAI's clients know no do_sample: for them a temperature above 0 is the wish to sample.
    if (given(body, "do_sample") == nullptr && given(body, "temperature") != nullptr)
        out.config.doSample = out.config.temperature > 0.0;
    return {};
}

Refusal readStop(const Json& body, std::vector<std::string>& out) {
    const Json* stop = given(body, "stop");
    if (stop == nullptr) return {};
    const Json list = stop->is_string() ? Json::array({*stop}) : *stop;
    if (!list.is_array() || list.size() > kMostStops)
        return refuse("stop must be a text or up to " + std::to_string(kMostStops) + " texts, found " + shown(*stop), "stop");
    for (const Json& one : list) {
        if (!one.is_string() || one.get_ref<const std::string&>().empty())
            return refuse("stop must hold texts that are not empty, found " + shown(one), "stop");
        if (one.get_ref<const std::string&>().size() > kLongestStop)
            return refuse("a stop text may have " + std::to_string(kLongestStop) + " bytes", "stop");
        out.push_back(one.get<std::string>());
    }
    return {};
}

Refusal readStream(const Json& body, ChatRequest& out) {
    if (Refusal r = readFlag(body, "stream", out.stream)) return r;
    if (Refusal r = readFlag(body, "trefoil_passes", out.passes)) return r;
    const Json* options = given(body, "stream_options");
    if (options == nullptr) return {};
    if (!options->is_object()) return refuse("stream_options must be an object, found " + shown(*options), "stream_options");
    if (!out.stream) return refuse("stream_options is for requests with \"stream\": true", "stream_options");
    return readFlag(*options, "include_usage", out.includeUsage);
}

Refusal readModel(const Json& body, const ServedModel& model) {
    const Json* name = given(body, "model");
    if (name == nullptr || !name->is_string()) return refuse("model is missing; this server has \"" + model.name + "\"", "model");
    if (*name == model.name) return {};
    return ApiError{404, "invalid_request_error",
                    "there is no model " + shown(*name) + " here; this server has \"" + model.name + "\"", "model_not_found",
                    "model"};
}

}  // namespace

std::variant<ChatRequest, ApiError> parseChatRequest(std::string_view text, const ServedModel& model) {
    const Json body = Json::parse(text, nullptr, false);
    if (body.is_discarded()) return *refuse("the body is not valid JSON");
    if (!body.is_object()) return *refuse("the body must be a JSON object, found " + shown(body));
    ChatRequest out;
    out.request.config = model.defaults;
    out.request.load = model.load;
    if (Refusal r = readModel(body, model)) return *std::move(r);
    if (Refusal r = refuseTools(body)) return *std::move(r);
    if (Refusal r = refuseOthers(body)) return *std::move(r);
    if (Refusal r = readMessages(body, out.request)) return *std::move(r);
    if (Refusal r = readControls(body, out.request)) return *std::move(r);
    if (Refusal r = readStop(body, out.stop)) return *std::move(r);
    if (Refusal r = readStream(body, out)) return *std::move(r);
    return out;
}

}  // namespace trefoil::serve
