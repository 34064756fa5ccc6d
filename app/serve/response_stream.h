// ResponseStream: response ids to new pieces of thinking and answer, as they come.
#pragma once

#include "engine/tokenizer/chat_format.h"
#include "engine/tokenizer/response_split.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace trefoil::serve {

/// The pieces joined are what ChatFormat::split gives: each part trimmed at both ends. White space at a part's present end
/// therefore waits for what follows it.
class ResponseStream {
public:
    using Sink = std::function<void(std::string_view)>;

    /// `format` must outlive this object; empty sinks are allowed.
    ResponseStream(const ChatFormat& format, bool thinkingOpen, Sink onThinking, Sink onText);

    /// What the response began with: it gives no text, and what follows is not trimmed at its beginning.
    void begin(std::span<const TokenId> ids);
    void push(std::span<const TokenId> ids);
    /// After the last push: bytes that never became whole.
    void finish();

    /// Without those of begin().
    [[nodiscard]] std::int64_t thinkingTokens() const { return m_split.thinkingTokens() - m_begunThinkingTokens; }

private:
    /// One of the two texts, trimmed as it grows.
    struct Part {
        Sink sink;
        bool started = false;      ///< something of it was given, or begun with
        std::string waiting = {};  ///< white space
        void begin(std::string_view text);
        void give(std::string_view text);
    };
    void give(const ResponseSplit::NewText& text);

    Part m_thinking;
    Part m_text;
    ResponseSplit m_split;
    std::int64_t m_begunThinkingTokens = 0;
};

}  // namespace trefoil::serve
