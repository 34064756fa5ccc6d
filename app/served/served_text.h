// ServedText: an answer that arrives in pieces, as thinking and answer, whichever way the server separates them.
#pragma once

#include <QString>

#include <cstdint>

namespace trefoil {

/// A server with a reasoning parser sends thinking as a field of its own (pushThinking). One without sends it in front of
/// `</think>` in the content, and the `<think>` may have stood in the prompt: until the tag is there such text counts as answer,
/// and becomes thinking when it arrives. Tags may be cut anywhere. A piece costs what its length costs.
class ServedText {
public:
    enum class Begin : std::uint8_t {
        Answer,    ///< no thinking was asked for, or the answer is continued: only a `<think>` at the beginning opens one
        Unknown,   ///< thinking was asked for: text up to a first `</think>` was thinking
        Thinking,  ///< this server is known to begin inside the thinking
    };
    /// What a push added, in this order.
    struct Added {
        bool moved = false;  ///< what was answer until now is thinking
        QString thinking;
        QString answer;
        [[nodiscard]] bool isEmpty() const { return !moved && thinking.isEmpty() && answer.isEmpty(); }
    };

    explicit ServedText(Begin begin = Begin::Unknown) : m_begin(begin) {}

    Added pushContent(const QString& piece);
    Added pushThinking(const QString& piece);
    /// The stream has ended: what was held back as the beginning of a tag is text.
    Added finish();

    [[nodiscard]] QString thinking() const { return m_thinking.trimmed(); }
    [[nodiscard]] QString answer() const { return m_answer.trimmed(); }
    /// With the white space at its end, for going on from it.
    [[nodiscard]] const QString& rawAnswer() const { return m_answer; }
    /// Thinking is under way or there was some.
    [[nodiscard]] bool hasThinking() const { return !thinkingClosed() || m_thought; }
    [[nodiscard]] bool thinkingClosed() const { return m_state != State::Tagged && m_state != State::Separate; }
    /// The content closed a thinking that it had not opened: worth remembering of the server (Begin::Thinking).
    [[nodiscard]] bool beganInsideThinking() const { return m_beganInside; }

private:
    enum class State : std::uint8_t {
        Start,     ///< nothing but white space, or the beginning of a tag
        Open,      ///< answer, unless a closing tag says that it was thinking
        Tagged,    ///< thinking in the content
        Separate,  ///< thinking as a field of its own
        After,     ///< behind the thinking, before the answer's first letter
        Answer,
    };
    void scan(Added& added, bool atEnd);
    void start(bool atEnd);
    void untilClosed(Added& added, bool atEnd);
    void afterThinking(bool atEnd);
    void add(Added& added, const QString& text);

    State m_state = State::Start;
    Begin m_begin;
    QString m_held;  ///< content that is not given out yet
    QString m_thinking;
    QString m_answer;
    bool m_thought = false;  ///< m_thinking is more than white space
    bool m_beganInside = false;
};

}  // namespace trefoil
