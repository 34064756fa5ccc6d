// ResponseStream: response ids to new pieces of thinking and answer, as they come.
#pragma once

#include "engine/tokenizer/chat_format.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <functional>
#include <memory>
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

    [[nodiscard]] std::int64_t thinkingTokens() const { return m_thinkingTokens; }

private:
    void decode(std::span<const TokenId> ids);
    void give(std::string_view text);

    const ChatFormat& m_format;
    Sink m_onThinking;
    Sink m_onText;
    bool m_inThinking;
    bool m_muted = false;
    bool m_started = false;  ///< something of this part was given
    std::int64_t m_thinkingTokens = 0;
    std::string m_waiting;  ///< white space
    std::unique_ptr<StreamDecoder> m_decoder;
};

}  // namespace trefoil::serve
