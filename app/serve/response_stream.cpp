#include "app/serve/response_stream.h"

#include "engine/tokenizer/utf8.h"

#include <algorithm>
#include <utility>

namespace trefoil::serve {

ResponseStream::ResponseStream(const ChatFormat& format, bool thinkingOpen, Sink onThinking, Sink onText)
    : m_format(format),
      m_onThinking(std::move(onThinking)),
      m_onText(std::move(onText)),
      m_inThinking(thinkingOpen && format.thinkEndId().has_value()),
      m_decoder(format.tokenizer().streamDecoder()) {}

void ResponseStream::begin(std::span<const TokenId> ids) {
    m_muted = true;
    push(ids);
    m_muted = false;
    m_thinkingTokens = 0;
}

void ResponseStream::push(std::span<const TokenId> ids) {
    if (m_inThinking) {
        const auto end = std::find(ids.begin(), ids.end(), *m_format.thinkEndId());
        const auto count = static_cast<std::size_t>(end - ids.begin());
        decode(ids.first(count));
        m_thinkingTokens += static_cast<std::int64_t>(count);
        if (end == ids.end()) return;
        finish();
        m_inThinking = false;
        m_started = false;
        m_waiting.clear();
        m_decoder = m_format.tokenizer().streamDecoder();
        ids = ids.subspan(count + 1);
    }
    decode(ids);
}

void ResponseStream::finish() { give(m_decoder->flush()); }

void ResponseStream::decode(std::span<const TokenId> ids) { give(m_decoder->push(ids)); }

void ResponseStream::give(std::string_view text) {
    if (text.empty()) return;
    std::string all = std::exchange(m_waiting, {});
    all += text;
    if (m_muted) {
        m_started = m_started || !trimWhiteSpace(all).empty();
        return;
    }
    const std::string_view body = trimWhiteSpace(all);
    if (body.empty()) {
        if (m_started) m_waiting = std::move(all);
        return;
    }
    const auto from = m_started ? std::size_t{0} : static_cast<std::size_t>(body.data() - all.data());
    const auto to = static_cast<std::size_t>(body.data() - all.data()) + body.size();
    m_started = true;
    m_waiting = all.substr(to);
    const Sink& sink = m_inThinking ? m_onThinking : m_onText;
    if (sink) sink(std::string_view(all).substr(from, to - from));
}

}  // namespace trefoil::serve
