// SseParser: bytes of a text/event-stream to events, cut anywhere. No I/O, no state outside.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <cstdint>

namespace trefoil {

struct SseEvent {
    enum class Type : std::uint8_t {
        Data,   ///< `data` lines, joined with line feeds
        Done,   ///< `data: [DONE]`
        Error,  ///< an `error: …` line, as older llama.cpp servers send; `data` is what stands behind it
    };
    Type type = Type::Data;
    QByteArray name;  ///< of the `event` field; mostly empty
    QByteArray data;  ///< valid UTF-8: bytes that are not become U+FFFD
    bool operator==(const SseEvent&) const = default;
};

/// The events of a stream are the same however it is cut into pieces. Line ends are CR, LF and CRLF; a byte order mark at the
/// beginning and comments are skipped; `id` and `retry` are read and ignored. An event that is not ended by an empty line is
/// not given out: rest() says that something was left.
class SseParser {
public:
    /// A line and an event longer than this end the parsing (tooLarge).
    explicit SseParser(qsizetype maxEventBytes = qsizetype(8) << 20);

    /// Takes the next bytes; gives the events that they complete. After tooLarge nothing more comes.
    QList<SseEvent> push(const QByteArray& bytes);

    /// Bytes of an event that has begun and not ended, its field names not counted; 0: the stream stands between two events.
    [[nodiscard]] qsizetype rest() const;
    [[nodiscard]] qsizetype maxEventBytes() const { return m_maxEventBytes; }
    [[nodiscard]] bool tooLarge() const { return m_tooLarge; }
    /// Comment lines so far; servers send them to keep a connection alive.
    [[nodiscard]] qint64 comments() const { return m_comments; }
    /// Lines that are of no event stream: neither a known field nor empty nor a comment.
    [[nodiscard]] qint64 strangeLines() const { return m_strangeLines; }

private:
    void endLine(QList<SseEvent>& out);
    void endEvent(QList<SseEvent>& out);
    void field(const QByteArray& name, const QByteArray& value, QList<SseEvent>& out);

    qsizetype m_maxEventBytes;
    QByteArray m_line;
    QByteArray m_data;
    QByteArray m_name;
    qint64 m_comments = 0;
    qint64 m_strangeLines = 0;
    int m_markBytes = 0;  ///< bytes of the byte order mark seen; -1: past it
    bool m_hasData = false;
    bool m_afterCarriageReturn = false;
    bool m_tooLarge = false;
};

}  // namespace trefoil
