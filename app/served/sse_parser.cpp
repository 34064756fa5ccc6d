#include "app/served/sse_parser.h"

#include <algorithm>

namespace trefoil {
namespace {

constexpr char kMark[] = {'\xEF', '\xBB', '\xBF'};

/// The bytes with everything that is not UTF-8 replaced.
QByteArray asUtf8(const QByteArray& bytes) {
    const bool plain = std::all_of(bytes.cbegin(), bytes.cend(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    return plain ? bytes : QString::fromUtf8(bytes).toUtf8();
}

}  // namespace

SseParser::SseParser(qsizetype maxEventBytes) : m_maxEventBytes(std::max<qsizetype>(maxEventBytes, 1)) {}

QList<SseEvent> SseParser::push(const QByteArray& bytes) {
    QList<SseEvent> out;
    qsizetype at = 0;
    while (at < bytes.size() && !m_tooLarge) {
        const char c = bytes.at(at);
        if (m_markBytes >= 0) {
            if (c == kMark[m_markBytes]) {
                ++at;
                if (++m_markBytes == sizeof kMark) m_markBytes = -1;
                continue;
            }
            m_line = QByteArray(static_cast<const char*>(kMark), m_markBytes);  // the beginning only looked like a mark
            m_markBytes = -1;
        }
        // The line feed of a CRLF whose two bytes may have come in two pieces.
        if (m_afterCarriageReturn) {
            m_afterCarriageReturn = false;
            if (c == '\n') {
                ++at;
                continue;
            }
        }
        const auto end = std::find_if(bytes.cbegin() + at, bytes.cend(), [](char b) { return b == '\n' || b == '\r'; });
        const qsizetype length = std::distance(bytes.cbegin() + at, end);
        if (length > m_maxEventBytes - m_line.size()) {
            m_tooLarge = true;
            break;
        }
        m_line.append(bytes.constData() + at, length);
        at += length;
        if (end == bytes.cend()) break;
        m_afterCarriageReturn = *end == '\r';
        ++at;
        endLine(out);
    }
    return out;
}

qsizetype SseParser::rest() const {
    const qsizetype mark = std::max(m_markBytes, 0);
    return mark + m_line.size() + m_data.size() + (m_hasData && m_data.isEmpty() ? 1 : 0);
}

void SseParser::endLine(QList<SseEvent>& out) {
    const QByteArray line = m_line;
    m_line.clear();
    if (line.isEmpty()) return endEvent(out);
    const qsizetype colon = line.indexOf(':');
    if (colon == 0) {
        ++m_comments;
        return;
    }
    if (colon < 0) return field(line, {}, out);
    const qsizetype value = colon + 1 + (colon + 1 < line.size() && line.at(colon + 1) == ' ' ? 1 : 0);
    field(line.left(colon), line.mid(value), out);
}

void SseParser::field(const QByteArray& name, const QByteArray& value, QList<SseEvent>& out) {
    if (name == "data") {
        if (value.size() + 1 > m_maxEventBytes - m_data.size()) {
            m_tooLarge = true;
            return;
        }
        if (m_hasData) m_data.append('\n');
        m_data.append(value);
        m_hasData = true;
    } else if (name == "event") {
        m_name = value;
    } else if (name == "error") {
        out.append({SseEvent::Type::Error, {}, asUtf8(value)});
    } else if (name != "id" && name != "retry") {
        ++m_strangeLines;
    }
}

void SseParser::endEvent(QList<SseEvent>& out) {
    if (m_hasData) {
        const QByteArray data = asUtf8(m_data);
        const bool done = data.trimmed() == "[DONE]";
        out.append({done ? SseEvent::Type::Done : SseEvent::Type::Data, asUtf8(m_name), done ? QByteArray() : data});
    }
    m_data.clear();
    m_name.clear();
    m_hasData = false;
}

}  // namespace trefoil
