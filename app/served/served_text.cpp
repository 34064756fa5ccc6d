#include "app/served/served_text.h"

#include <algorithm>

namespace trefoil {
namespace {

const QString kOpen = QStringLiteral("<think>");
const QString kClose = QStringLiteral("</think>");

qsizetype firstLetter(const QString& text) {
    return std::distance(text.cbegin(), std::find_if(text.cbegin(), text.cend(), [](QChar c) { return !c.isSpace(); }));
}

/// How many characters at the end of `text` may be the beginning of `tag`.
qsizetype beginOfTag(const QString& text, const QString& tag) {
    for (qsizetype n = std::min(text.size(), tag.size() - 1); n > 0; --n)
        if (text.endsWith(QStringView(tag).left(n))) return n;
    return 0;
}

}  // namespace

ServedText::Added ServedText::pushContent(const QString& piece) {
    Added added;
    if (piece.isEmpty()) return added;
    if (m_state == State::Separate) m_state = m_answer.isEmpty() ? State::After : State::Answer;
    m_held += piece;
    scan(added, false);
    return added;
}

ServedText::Added ServedText::pushThinking(const QString& piece) {
    Added added;
    if (piece.isEmpty()) return added;
    // A server that sends such a field has a parser: what it calls content is content.
    if (m_state != State::Separate) {
        scan(added, true);
        m_state = State::Separate;
    }
    m_thinking += piece;
    m_thought = m_thought || firstLetter(piece) < piece.size();
    added.thinking += piece;
    return added;
}

ServedText::Added ServedText::finish() {
    Added added;
    scan(added, true);
    return added;
}

void ServedText::add(Added& added, const QString& text) {
    if (text.isEmpty()) return;
    if (m_state == State::Tagged) {
        m_thinking += text;
        m_thought = m_thought || firstLetter(text) < text.size();
        added.thinking += text;
    } else {
        m_answer += text;
        added.answer += text;
    }
}

void ServedText::scan(Added& added, bool atEnd) {
    // Each state takes what it can; a change of state lets the next one go on with the rest.
    State before = m_state;
    do {
        before = m_state;
        if (m_held.isEmpty()) return;
        switch (m_state) {
            case State::Start:
                start(atEnd);
                break;
            case State::Open:
            case State::Tagged:
                untilClosed(added, atEnd);
                break;
            case State::After:
                afterThinking(atEnd);
                break;
            case State::Separate:
            case State::Answer:
                add(added, m_held);
                m_held.clear();
                break;
        }
    } while (m_state != before);
}

void ServedText::start(bool atEnd) {
    const QString rest = m_held.mid(firstLetter(m_held));
    if (rest.startsWith(kOpen)) {
        m_held = rest.mid(kOpen.size());
        m_state = State::Tagged;
    } else if (atEnd || !kOpen.startsWith(rest)) {
        m_state = m_begin == Begin::Thinking ? State::Tagged : m_begin == Begin::Unknown ? State::Open : State::Answer;
        m_beganInside = m_begin == Begin::Thinking;
    }
}

void ServedText::untilClosed(Added& added, bool atEnd) {
    const qsizetype close = m_held.indexOf(kClose);
    if (close < 0) {
        const qsizetype keep = atEnd ? 0 : beginOfTag(m_held, kClose);
        add(added, m_held.chopped(keep));
        m_held = m_held.right(keep);
        return;
    }
    if (m_state == State::Open) {
        added.moved = !m_answer.isEmpty();
        m_thinking += m_answer;
        m_answer.clear();
        m_thought = firstLetter(m_thinking) < m_thinking.size();
        m_beganInside = true;
        m_state = State::Tagged;
    }
    add(added, m_held.left(close));
    m_held.remove(0, close + kClose.size());
    m_state = State::After;
}

void ServedText::afterThinking(bool atEnd) {
    m_held.remove(0, firstLetter(m_held));
    while (m_held.startsWith(kClose)) {
        m_held.remove(0, kClose.size());
        m_held.remove(0, firstLetter(m_held));
    }
    if (!m_held.isEmpty() && (atEnd || !kClose.startsWith(m_held))) m_state = State::Answer;
}

}  // namespace trefoil
