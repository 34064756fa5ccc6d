#include "app/serve/response_stream.h"

#include "engine/tokenizer/utf8.h"

#include <utility>

namespace trefoil::serve {

ResponseStream::ResponseStream(const ChatFormat& format, bool thinkingOpen, Sink onThinking, Sink onText)
    : m_thinking{std::move(onThinking)}, m_text{std::move(onText)}, m_split(format, thinkingOpen) {}

void ResponseStream::begin(std::span<const TokenId> ids) {
    const ResponseSplit::NewText begun = m_split.push(ids);
    m_thinking.begin(begun.thinking);
    m_text.begin(begun.answer);
    m_begunThinkingTokens = m_split.thinkingTokens();
}

void ResponseStream::push(std::span<const TokenId> ids) { give(m_split.push(ids)); }

void ResponseStream::finish() { give(m_split.finish()); }

void ResponseStream::give(const ResponseSplit::NewText& text) {
    m_thinking.give(text.thinking);
    m_text.give(text.answer);
}

void ResponseStream::Part::begin(std::string_view text) { started = started || !trimWhiteSpace(text).empty(); }

void ResponseStream::Part::give(std::string_view text) {
    if (text.empty()) return;
    std::string all = std::exchange(waiting, {});
    all += text;
    const std::string_view body = trimWhiteSpace(all);
    if (body.empty()) {
        if (started) waiting = std::move(all);
        return;
    }
    const auto first = static_cast<std::size_t>(body.data() - all.data());
    const std::size_t from = started ? 0 : first;
    const std::size_t to = first + body.size();
    started = true;
    waiting = all.substr(to);
    if (sink) sink(std::string_view(all).substr(from, to - from));
}

}  // namespace trefoil::serve
