#include "app/cli/commands.h"
#include "engine/base/excerpt.h"
#include "engine/tokenizer/response_text.h"
#include "engine/tokenizer/utf8.h"
#include "engine/verify/golden.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <optional>
#include <utility>

namespace trefoil::cli {
namespace {

using Json = nlohmann::json;

/// Streams the answer to stdout and keeps the passes.
class StreamObserver : public DecodeObserver {
public:
    StreamObserver(ResponseText* text, bool stream, bool keepPasses) : m_text(text), m_stream(stream), m_keepPasses(keepPasses) {}

    void onPass(const PassRecord& pass) override {
        if (m_keepPasses) m_passes.push_back(pass);
    }
    void onTokens(std::span<const TokenId> tokens) override {
        if (m_text != nullptr) m_text->push(tokens);
        flush();
    }
    /// The answer is trimmed at both ends, so white space at its present end waits for what follows.
    void flush() {
        if (!m_stream || m_text == nullptr) return;
        const std::string answer = m_text->answer();
        if (answer.size() <= m_printed) return;
        if (!print(answer.substr(m_printed))) cancelFlag().request();  // stdout is closed: nobody reads on
        m_printed = answer.size();
    }
    [[nodiscard]] bool printedAny() const { return m_printed > 0; }
    [[nodiscard]] const std::vector<PassRecord>& passes() const { return m_passes; }

private:
    ResponseText* m_text;
    bool m_stream;
    bool m_keepPasses;
    std::size_t m_printed = 0;
    std::vector<PassRecord> m_passes;
};

Error badInput(const std::string& message, const std::string& hint = {}) {
    return makeError(ErrorKind::InvalidArgument, message, hint);
}

Result<std::vector<ChatMessage>> readMessages(const GenerateOptions& options) {
    std::vector<ChatMessage> messages;
    if (!options.system.empty()) messages.push_back({"system", options.system});
    if (options.hasPrompt) {
        if (trimWhiteSpace(options.prompt).empty()) return badInput("the prompt is empty", "give --prompt some text");
        messages.push_back({"user", options.prompt});
        return messages;
    }
    auto text = readTextFile(options.messagesFile);
    if (!text.ok()) return text.error();
    const Json list = Json::parse(*text, nullptr, false);
    if (!list.is_array() || list.empty())
        return badInput("'" + options.messagesFile + "' is not a JSON list of {role, content}",
                        "for example [{\"role\":\"user\",\"content\":\"Hi\"}]");
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Json& m = list[i];
        if (!m.is_object() || !m.contains("role") || !m["role"].is_string() || !m.contains("content") ||
            !m["content"].is_string())
            return badInput("message " + std::to_string(i) + " of '" + options.messagesFile +
                            "' needs a role and a content, both text");
        messages.push_back({m["role"].get<std::string>(), m["content"].get<std::string>()});
    }
    return messages;
}

Result<std::vector<TokenId>> readIds(const std::string& path) {
    auto text = readTextFile(path);
    if (!text.ok()) return text.error();
    const Json list = Json::parse(*text, nullptr, false);
    if (!list.is_array()) return badInput("'" + path + "' is not a JSON list of prompt ids");
    std::vector<TokenId> ids;
    for (const Json& v : list) {
        if (!v.is_number_integer() || v.get<std::int64_t>() < 0 || v.get<std::int64_t>() > 0x7FFFFFFF)
            return badInput("'" + path + "' holds something that is no token id: " +
                            startOf(v.dump(-1, ' ', false, Json::error_handler_t::replace), 40));
        ids.push_back(v.get<TokenId>());
    }
    return ids;
}

Status applySettings(GenerationConfig& config, const GenerateOptions& options) {
    for (const std::string& setting : options.set) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos) return badInput("--set takes name=value, not '" + setting + "'");
        if (const Status s = setControl(config, setting.substr(0, equals), setting.substr(equals + 1)); !s.ok()) return s;
    }
    if (options.noThink) config.enableThinking = false;
    return {};
}

Json resultJson(const DecodeResult& result, const ResponseText* text, const Tokenizer* tokenizer) {
    const auto tokens = static_cast<double>(result.response.size());
    Json out{{"response_ids", result.response},
             {"text", tokenizer != nullptr ? Json(tokenizer->decode(result.response)) : Json(nullptr)},
             {"thinking", text != nullptr ? Json(text->thinking()) : Json(nullptr)},
             {"answer", text != nullptr ? Json(text->answer()) : Json(nullptr)},
             {"stop_reason", stopReasonName(result.stopReason)},
             {"prompt_tokens", result.promptTokens},
             {"response_tokens", result.response.size()},
             {"passes", result.passes},
             {"blocks", result.blocks},
             {"prefill_ms", result.prefillMilliseconds},
             {"decode_ms", result.decodeMilliseconds},
             {"tokens_per_pass", nullptr},
             {"tokens_per_second", nullptr}};
    if (result.passes > 0) out["tokens_per_pass"] = tokens / static_cast<double>(result.passes);
    if (result.decodeMilliseconds > 0) out["tokens_per_second"] = tokens * 1000.0 / result.decodeMilliseconds;
    if (result.error) out["error"] = result.error->text();
    return out;
}

/// Whether a prompt given as ids leaves a think phase open: its last think piece is an opening one.
bool endsInThinking(const std::vector<TokenId>& ids, const Tokenizer* tokenizer) {
    const auto start = tokenizer != nullptr ? tokenizer->controlId("<think>") : std::nullopt;
    const auto end = tokenizer != nullptr ? tokenizer->controlId("</think>") : std::nullopt;
    for (auto it = ids.rbegin(); start && end && it != ids.rend(); ++it) {
        if (*it == *end) return false;
        if (*it == *start) return true;
    }
    return false;
}

/// Prompt ids of the request, and whether a think phase is open after them.
Status preparePrompt(const GenerateOptions& options, const TextModel& text, GenerationRequest& request) {
    if (!options.idsFile.empty()) {
        auto ids = readIds(options.idsFile);
        if (!ids.ok()) return ids.error();
        request.promptIds = std::move(*ids);
        request.thinkingOpen = endsInThinking(request.promptIds, text.tokenizer.get());
        return {};
    }
    auto messages = readMessages(options);
    if (!messages.ok()) return messages.error();
    auto prompt = text.format->render(*messages, request.config.enableThinking);
    if (!prompt.ok()) return prompt.error();
    request.promptIds = std::move(prompt->ids);
    request.thinkingOpen = prompt->thinkingOpen;
    return {};
}

int report(const GenerateOptions& options, const DecodeResult& result, const StreamObserver& observer, const ResponseText* text,
           const Tokenizer* tokenizer) {
    bool written = true;
    if (options.json)
        written = print(resultJson(result, text, tokenizer).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n");
    else if (observer.printedAny())
        written = print("\n");
    else if (text == nullptr)  // no tokenizer: the ids are all there is
        written = print(Json(result.response).dump() + "\n");
    if (result.error) return fail(*result.error);
    if (result.stopReason == StopReason::Cancelled) return exitCodeAfterSignal(kFailed);
    return written ? kOk : kFailed;
}

}  // namespace

int runGenerate(const GenerateOptions& options) {
    GenerationConfig probe;  // bad settings are refused before a model is read
    if (const Status s = applySettings(probe, options); !s.ok()) return fail(s.error());
    if (options.hasPrompt && !isValidUtf8(options.prompt)) return fail(badInput("--prompt is not valid UTF-8"));
    if (!isValidUtf8(options.system)) return fail(badInput("--system is not valid UTF-8"));

    Engine engine;
    auto model = loadModel(engine, options.model, options.idsFile.empty());
    if (!model.ok()) return fail(model.error());
    GenerationRequest request;
    request.config = model->defaults;
    if (const Status s = applySettings(request.config, options); !s.ok()) return fail(s.error());
    if (const Status s = preparePrompt(options, *model->text, request); !s.ok()) return fail(s.error());

    const ChatFormat* format = model->text->format.get();
    std::optional<ResponseText> text;
    if (format != nullptr) text.emplace(*format, request.thinkingOpen);
    StreamObserver observer(text ? &*text : nullptr, !options.json, !options.traceFile.empty());
    const DecodeResult result = engine.generate(request, observer, cancelFlag());
    if (text) text->finish();
    observer.flush();

    const int code = report(options, result, observer, text ? &*text : nullptr, model->text->tokenizer.get());
    if (!options.traceFile.empty() && result.stopReason != StopReason::Refused) {
        const DecodeRequest traced{request.promptIds, request.config, request.thinkingOpen,
                                   format != nullptr ? format->thinkEndId() : std::nullopt};
        if (const Status s = writeTextFile(options.traceFile, traceToJson(traced, result, observer.passes()) + "\n"); !s.ok())
            return fail(s.error());
    }
    return code;
}

}  // namespace trefoil::cli
