// ResponseSplit: growing response ids as the new text of thinking and of the answer (model-contract.md, section 8).
#pragma once

#include "engine/base/types.h"
#include "engine/tokenizer/tokenizer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace trefoil {

class ChatFormat;

/// The thinking ends at the id of `</think>`, never at its spelling; control pieces, further `</think>` included, give no text.
class ResponseSplit {
public:
    /// What a call adds to each part: UTF-8, not trimmed. Bytes that do not yet form a whole character are held back until they
    /// do, until their part ends, or until finish().
    struct NewText {
        std::string thinking;
        std::string answer;
    };

    /// The format's tokenizer must outlive this object.
    ResponseSplit(const ChatFormat& format, bool thinkingOpen);

    [[nodiscard]] NewText push(std::span<const TokenId> ids);
    /// After the last push: bytes that never became whole.
    [[nodiscard]] NewText finish();

    [[nodiscard]] bool hasThinking() const { return m_hasThinking; }
    [[nodiscard]] bool inThinking() const { return m_inThinking; }
    /// Ids before `</think>`; 0 when thinking was not open.
    [[nodiscard]] std::int64_t thinkingTokens() const { return m_thinkingTokens; }

private:
    const Tokenizer& m_tokenizer;
    std::optional<TokenId> m_thinkEnd;
    bool m_hasThinking;
    bool m_inThinking;
    std::int64_t m_thinkingTokens = 0;
    std::unique_ptr<StreamDecoder> m_decoder;
};

}  // namespace trefoil
