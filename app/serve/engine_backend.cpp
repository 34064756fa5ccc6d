#include "app/serve/engine_backend.h"

#include "app/serve/pass_events.h"
#include "app/serve/response_stream.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace trefoil::serve {
namespace {

class Observer : public DecodeObserver {
public:
    Observer(const LoadedModel& model, const GenerationRequest& request, const ServeCallbacks& callbacks)
        : m_callbacks(callbacks),
          m_threshold(request.config.threshold),
          m_maskId(model.text->maskId),
          m_tokenizer(*model.text->tokenizer),
          m_stream(*model.text->format, request.thinkingOpen, callbacks.onThinking, callbacks.onText) {
        m_stream.begin(request.begun);
    }

    void onPass(const PassRecord& pass) override {
        if (pass.changed.threshold) m_threshold = *pass.changed.threshold;
        if (m_callbacks.onPass) m_callbacks.onPass(toServedPass(pass, m_threshold, m_tokenizer, m_maskId));
    }
    void onTokens(std::span<const TokenId> tokens) override {
        if (m_callbacks.onTokens) m_callbacks.onTokens(tokens);
        m_stream.push(tokens);
    }
    void finish() { m_stream.finish(); }
    [[nodiscard]] std::int64_t thinkingTokens() const { return m_stream.thinkingTokens(); }

private:
    const ServeCallbacks& m_callbacks;
    double m_threshold;
    TokenId m_maskId;
    const Tokenizer& m_tokenizer;
    ResponseStream m_stream;
};

Status append(std::vector<TokenId>& ids, const Tokenizer& tokenizer, std::string_view text) {
    if (!isValidUtf8(text)) return makeError(ErrorKind::InvalidArgument, "the answer to be continued is not valid UTF-8");
    if (text.empty()) return {};
    auto more = tokenizer.checkedEncode(text);
    if (!more.ok()) return more.error();
    ids.insert(ids.end(), more->begin(), more->end());
    return {};
}

/// What the answer begins with. A thinking that is not followed by an answer stays open, and is gone on with.
Result<std::vector<TokenId>> begunIds(const ServeRequest& request, const std::string& answer, const Tokenizer& tokenizer,
                                      bool thinkingOpen, std::optional<TokenId> thinkEnd) {
    std::vector<TokenId> ids;
    if (thinkingOpen && thinkEnd) {
        if (const Status s = append(ids, tokenizer, request.begunThinking + (answer.empty() ? "" : "\n")); !s.ok())
            return s.error();
        if (answer.empty()) return ids;
        ids.push_back(*thinkEnd);
        if (const Status s = append(ids, tokenizer, "\n\n" + answer); !s.ok()) return s.error();
        return ids;
    }
    if (const Status s = append(ids, tokenizer, answer); !s.ok()) return s.error();
    return ids;
}

/// Fewer new tokens where the context has no room for as many as the model's defaults allow; at least one.
void fitLength(GenerationRequest& request, std::int64_t context) {
    const auto prompt = static_cast<std::int64_t>(request.promptIds.size());
    const auto begun = static_cast<std::int64_t>(request.begun.size());
    const std::int64_t excess = positionsNeeded(prompt, request.config, begun) - context;
    if (excess <= 0) return;
    const std::int64_t size = request.config.blockSize;
    // Whole blocks are taken away, so the last one that is left is a whole one.
    const std::int64_t blocks = (request.config.maxNewTokens - begun + size - 1) / size - (excess + size - 1) / size;
    request.config.maxNewTokens = begun + std::max<std::int64_t>(1, blocks * size);
}

ServeUsage usageOf(const GenerationRequest& request, const DecodeResult& result, std::int64_t thinkingTokens) {
    const auto begun = static_cast<std::int64_t>(request.begun.size());
    ServeUsage usage;
    usage.promptTokens = static_cast<std::int64_t>(request.promptIds.size()) + begun;
    usage.reusedTokens = result.reusedTokens;
    usage.completionTokens = static_cast<std::int64_t>(result.response.size()) - begun;
    usage.thinkingTokens = thinkingTokens;
    usage.passes = result.passes;
    usage.blocks = result.blocks;
    usage.prefillMilliseconds = result.prefillMilliseconds;
    usage.decodeMilliseconds = result.decodeMilliseconds;
    return usage;
}

}  // namespace

Result<GenerationRequest> toGenerationRequest(const ServeRequest& request, const TextModel& text, const ModelConfig& model) {
    std::vector<ChatMessage> messages = request.messages;
    std::string answer;
    if (request.continues && !messages.empty()) {
        answer = std::move(messages.back().content);
        messages.pop_back();
    }
    const bool continues = request.continues && (!answer.empty() || !request.begunThinking.empty());
    // An answer that began without thinking goes on without.
    auto prompt = text.format->render(messages, continues ? !request.begunThinking.empty() : request.config.enableThinking);
    if (!prompt.ok()) return prompt.error();

    GenerationRequest out;
    out.config = request.config;
    out.promptIds = std::move(prompt->ids);
    out.thinkingOpen = prompt->thinkingOpen;
    out.boundaries = std::move(prompt->boundaries);
    if (continues) {
        auto begun = begunIds(request, answer, *text.tokenizer, out.thinkingOpen, text.format->thinkEndId());
        if (!begun.ok()) return begun.error();
        out.begun = std::move(*begun);
        out.config.maxNewTokens += static_cast<std::int64_t>(out.begun.size());
    }
    if (request.lengthIsDefault) fitLength(out, model.maxPositionEmbeddings);
    if (auto refusal = checkRequest(out.promptIds, out.config, model, out.begun)) return *std::move(refusal);
    return out;
}

ServedModel toServedModel(const LoadedModel& model, std::string name) {
    ServedModel out;
    out.name = std::move(name);
    out.created = std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    out.context = model.config.maxPositionEmbeddings;
    out.maskId = model.text->maskId;
    out.thinks = model.text->format->thinkEndId().has_value();
    out.device = model.device;
    out.defaults = model.defaults;
    return out;
}

Result<ServeOutcome> generateOn(Engine& engine, const ServeRequest& request, const ServeCallbacks& callbacks,
                                const CancelFlag& cancel) {
    if (engine.model() == nullptr) return makeError(ErrorKind::NotFound, "no model is loaded");
    const LoadedModel& model = *engine.model();
    auto ready = toGenerationRequest(request, *model.text, model.config);
    if (!ready.ok()) return ready.error();
    Observer observer(model, *ready, callbacks);
    const DecodeResult result = engine.generate(*ready, observer, cancel);
    if (result.error) return *result.error;
    observer.finish();
    return ServeOutcome{result.stopReason, usageOf(*ready, result, observer.thinkingTokens())};
}

EngineBackend::EngineBackend(Engine& engine, std::string name)
    : m_engine(engine), m_model(toServedModel(*engine.model(), std::move(name))) {}

std::optional<ServedModel> EngineBackend::model() const { return m_model; }

Result<std::int64_t> EngineBackend::check(const ServeRequest& request) const {
    auto ready = toGenerationRequest(request, *m_engine.model()->text, m_engine.model()->config);
    if (!ready.ok()) return ready.error();
    return static_cast<std::int64_t>(ready->promptIds.size() + ready->begun.size());
}

Result<ServeOutcome> EngineBackend::generate(const ServeRequest& request, const ServeCallbacks& callbacks,
                                             const CancelFlag& cancel) {
    return generateOn(m_engine, request, callbacks, cancel);
}

}  // namespace trefoil::serve
