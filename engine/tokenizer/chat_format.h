// ChatFormat: messages to prompt ids, and response ids to thinking and answer (model-contract.md, section 8).
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/tokenizer/tokenizer.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

/// "system", "user" or "assistant".
struct ChatMessage {
    std::string role;
    std::string content;  ///< UTF-8; an assistant's content holds the answer only, never its thinking
};

/// A stretch of the prompt as it will be sent, for the Prompt view.
struct PromptPiece {
    std::string text;  ///< the control piece's name, or plain text
    std::vector<TokenId> ids;
    bool control = false;  ///< inserted by the template as an id
};

struct Prompt {
    std::vector<TokenId> ids;
    std::vector<PromptPiece> pieces;  ///< their ids, joined, are `ids`
    bool thinkingOpen = false;        ///< the prompt leaves a think phase open
    /// Ascending lengths of `ids`: after each message, and where the answer's turn has been opened, before any `<think>`. The
    /// next turn's prompt has the same ids up to there, save where the tokenizer joins the answer's first characters to it.
    std::vector<std::int64_t> boundaries;
};

/// The two parts of a response.
struct ResponseParts {
    std::string thinking;             ///< trimmed
    std::string answer;               ///< trimmed
    std::int64_t thinkingTokens = 0;  ///< ids before `</think>`; 0 when thinking was not open
    bool thinkingClosed = false;      ///< a `</think>` ended it (or the prompt had no open think phase)
};

class ChatFormat {
public:
    /// Fails when the tokenizer lacks the ChatML pieces. `</think>` may be missing (section 8).
    static Result<ChatFormat> create(std::shared_ptr<const Tokenizer> tokenizer);

    /// Ids and pieces of a conversation, ending with an open assistant turn. Refuses an unknown role, invalid UTF-8 (naming the
    /// message), a system message that is not first, and an empty list. With `thinking` false the think phase is closed at once.
    [[nodiscard]] Result<Prompt> render(std::span<const ChatMessage> messages, bool thinking) const;

    /// Splits response ids by the id of `</think>`, never by its text; further `</think>` ids are not shown.
    [[nodiscard]] ResponseParts split(std::span<const TokenId> response, bool thinkingOpen) const;

    [[nodiscard]] std::optional<TokenId> thinkEndId() const { return m_thinkEnd; }
    [[nodiscard]] const Tokenizer& tokenizer() const { return *m_tokenizer; }

private:
    ChatFormat() = default;
    std::shared_ptr<const Tokenizer> m_tokenizer;
    TokenId m_imStart = -1;
    TokenId m_imEnd = -1;
    std::optional<TokenId> m_thinkStart;
    std::optional<TokenId> m_thinkEnd;
};

}  // namespace trefoil
