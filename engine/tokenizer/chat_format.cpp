#include "engine/tokenizer/chat_format.h"

#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/response_text.h"
#include "engine/tokenizer/utf8.h"

#include <utility>

namespace trefoil {

namespace {

class PromptBuilder {
public:
    explicit PromptBuilder(const Tokenizer& tokenizer) : m_tokenizer(tokenizer) {}

    void control(TokenId id) { add({m_tokenizer.displayText(id), {id}, true}); }
    void text(std::string text) {
        auto ids = m_tokenizer.checkedEncode(text);
        if (ids.ok())
            add({std::move(text), *std::move(ids), false});
        else if (m_fault.ok())
            m_fault = ids.error();
    }
    void boundary() { m_prompt.boundaries.push_back(static_cast<std::int64_t>(m_prompt.ids.size())); }
    Result<Prompt> take(bool thinkingOpen) {
        if (!m_fault.ok()) return m_fault.error();
        m_prompt.thinkingOpen = thinkingOpen;
        return std::move(m_prompt);
    }

private:
    void add(PromptPiece piece) {
        m_prompt.ids.insert(m_prompt.ids.end(), piece.ids.begin(), piece.ids.end());
        m_prompt.pieces.push_back(std::move(piece));
    }
    const Tokenizer& m_tokenizer;
    Prompt m_prompt;
    Status m_fault;  // of the first text that could not be encoded
};

}  // namespace

Result<ChatFormat> ChatFormat::create(std::shared_ptr<const Tokenizer> tokenizer) {
    ChatFormat format;
    const auto start = tokenizer->controlId("<|im_start|>");
    const auto end = tokenizer->controlId("<|im_end|>");
    if (!start || !end)
        return makeError(ErrorKind::Unsupported,
                         std::string("the tokenizer has no control piece ") + (start ? "<|im_end|>" : "<|im_start|>") +
                             ", which the chat format needs",
                         "the tokenizer belongs to another model: fetch the one of this model");
    format.m_imStart = *start;
    format.m_imEnd = *end;
    format.m_thinkStart = tokenizer->controlId("<think>");
    format.m_thinkEnd = tokenizer->controlId("</think>");
    format.m_tokenizer = std::move(tokenizer);
    return format;
}

Result<Prompt> ChatFormat::render(std::span<const ChatMessage> messages, bool thinking) const {
    if (messages.empty())
        return makeError(ErrorKind::InvalidArgument, "the conversation has no message", "write a question first");
    PromptBuilder builder(*m_tokenizer);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const ChatMessage& message = messages[i];
        const std::string number = "message " + std::to_string(i + 1);
        if (message.role != "system" && message.role != "user" && message.role != "assistant")
            return makeError(ErrorKind::InvalidArgument,
                             number + " has the role \"" + printable(message.role) + "\"; system, user or assistant is expected");
        if (message.role == "system" && i != 0)
            return makeError(ErrorKind::InvalidArgument, number + " is a system message; only the first message may be one");
        if (!isValidUtf8(message.content))
            return makeError(ErrorKind::InvalidArgument, number + " (" + message.role + ") is not valid UTF-8",
                             "convert the text to UTF-8");
        builder.control(m_imStart);
        builder.text(message.role + "\n" + message.content);
        builder.control(m_imEnd);
        builder.text("\n");
        builder.boundary();
    }
    builder.control(m_imStart);
    builder.text("assistant\n");
    builder.boundary();
    // Without both pieces there is no think phase to open or close.
    if (!m_thinkStart || !m_thinkEnd) return builder.take(false);
    builder.control(*m_thinkStart);
    if (thinking) {
        builder.text("\n");
        return builder.take(true);
    }
    builder.text("\n\n");
    builder.control(*m_thinkEnd);
    builder.text("\n\n");
    return builder.take(false);
}

ResponseParts ChatFormat::split(std::span<const TokenId> response, bool thinkingOpen) const {
    ResponseText text(*this, thinkingOpen);
    text.push(response);
    text.finish();
    return {text.thinking(), text.answer(), text.thinkingTokens(), text.thinkingClosed()};
}

}  // namespace trefoil
