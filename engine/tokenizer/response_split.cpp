#include "engine/tokenizer/response_split.h"

#include "engine/tokenizer/chat_format.h"

#include <algorithm>

namespace trefoil {

ResponseSplit::ResponseSplit(const ChatFormat& format, bool thinkingOpen)
    : m_tokenizer(format.tokenizer()),
      m_thinkEnd(format.thinkEndId()),
      m_hasThinking(thinkingOpen && m_thinkEnd.has_value()),
      m_inThinking(m_hasThinking),
      m_decoder(m_tokenizer.streamDecoder()) {}

ResponseSplit::NewText ResponseSplit::push(std::span<const TokenId> ids) {
    NewText out;
    if (m_inThinking) {
        const auto end = std::find(ids.begin(), ids.end(), *m_thinkEnd);
        const auto count = static_cast<std::size_t>(end - ids.begin());
        out.thinking = m_decoder->push(ids.first(count));
        m_thinkingTokens += static_cast<std::int64_t>(count);
        if (end == ids.end()) return out;
        out.thinking += m_decoder->flush();
        m_inThinking = false;
        m_decoder = m_tokenizer.streamDecoder();
        ids = ids.subspan(count + 1);
    }
    out.answer = m_decoder->push(ids);
    return out;
}

ResponseSplit::NewText ResponseSplit::finish() {
    NewText out;
    (m_inThinking ? out.thinking : out.answer) = m_decoder->flush();
    return out;
}

}  // namespace trefoil
