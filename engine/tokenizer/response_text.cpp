#include "engine/tokenizer/response_text.h"

#include "engine/tokenizer/utf8.h"

namespace trefoil {

ResponseText::ResponseText(const ChatFormat& format, bool thinkingOpen) : m_split(format, thinkingOpen) {}

void ResponseText::push(std::span<const TokenId> ids) { add(m_split.push(ids)); }

void ResponseText::finish() { add(m_split.finish()); }

void ResponseText::add(const ResponseSplit::NewText& text) {
    m_thinking += text.thinking;
    m_answer += text.answer;
}

std::string ResponseText::thinking() const { return std::string(trimWhiteSpace(m_thinking)); }
std::string ResponseText::answer() const { return std::string(trimWhiteSpace(m_answer)); }

}  // namespace trefoil
