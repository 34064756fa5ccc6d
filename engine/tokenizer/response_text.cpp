#include "engine/tokenizer/response_text.h"

#include "engine/tokenizer/utf8.h"

#include <algorithm>

namespace trefoil {

ResponseText::ResponseText(const ChatFormat& format, bool thinkingOpen)
    : m_format(format),
      m_hasThinking(thinkingOpen && format.thinkEndId().has_value()),
      m_inThinking(m_hasThinking),
      m_decoder(format.tokenizer().streamDecoder()) {}

void ResponseText::push(std::span<const TokenId> ids) {
    if (m_inThinking) {
        const auto end = std::find(ids.begin(), ids.end(), *m_format.thinkEndId());
        const auto count = static_cast<std::size_t>(end - ids.begin());
        decode(ids.first(count));
        m_thinkingTokens += static_cast<std::int64_t>(count);
        if (end == ids.end()) return;
        finish();
        m_inThinking = false;
        m_decoder = m_format.tokenizer().streamDecoder();
        ids = ids.subspan(count + 1);
    }
    decode(ids);
}

void ResponseText::decode(std::span<const TokenId> ids) { (m_inThinking ? m_thinking : m_answer) += m_decoder->push(ids); }

void ResponseText::finish() { (m_inThinking ? m_thinking : m_answer) += m_decoder->flush(); }

std::string ResponseText::thinking() const { return std::string(trimWhiteSpace(m_thinking)); }
std::string ResponseText::answer() const { return std::string(trimWhiteSpace(m_answer)); }

}  // namespace trefoil
