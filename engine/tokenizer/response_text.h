// ResponseText: a growing response as thinking and answer, without ever re-reading what came before.
#pragma once

#include "engine/base/types.h"
#include "engine/tokenizer/chat_format.h"
#include "engine/tokenizer/response_split.h"

#include <cstdint>
#include <span>
#include <string>

namespace trefoil {

/// Same result as ChatFormat::split over all ids pushed so far, except that bytes which do not yet form a whole character are
/// held back until they do, or until finish().
class ResponseText {
public:
    /// `format` must outlive this object.
    ResponseText(const ChatFormat& format, bool thinkingOpen);

    void push(std::span<const TokenId> ids);
    void finish();

    [[nodiscard]] std::string thinking() const;  ///< trimmed
    [[nodiscard]] std::string answer() const;    ///< trimmed
    [[nodiscard]] bool hasThinking() const { return m_split.hasThinking(); }
    [[nodiscard]] bool thinkingClosed() const { return !m_split.inThinking(); }
    [[nodiscard]] std::int64_t thinkingTokens() const { return m_split.thinkingTokens(); }

private:
    void add(const ResponseSplit::NewText& text);

    ResponseSplit m_split;
    std::string m_thinking;
    std::string m_answer;
};

}  // namespace trefoil
