// The event stream's parser: line ends, comments, limits, and the same events wherever the bytes are cut.
#include "app/served/sse_parser.h"

#include <QTest>

using namespace trefoil;

namespace {

QList<SseEvent> parse(const QByteArray& bytes, qsizetype pieceSize) {
    SseParser parser;
    QList<SseEvent> out;
    for (qsizetype at = 0; at < bytes.size(); at += pieceSize) out += parser.push(bytes.mid(at, pieceSize));
    return out;
}

SseEvent data(const QByteArray& text, const QByteArray& name = {}) { return {SseEvent::Type::Data, name, text}; }

}  // namespace

class SseParserTest : public QObject {
    Q_OBJECT

private slots:
    void events_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QList<SseEvent>>("events");
        const auto row = [](const char* name, const QByteArray& bytes, const QList<SseEvent>& events) {
            QTest::newRow(name) << bytes << events;
        };
        row("one", "data: {\"a\":1}\n\n", {data("{\"a\":1}")});
        row("no space", "data:{\"a\":1}\n\n", {data("{\"a\":1}")});
        row("one space of two", "data:  x\n\n", {data(" x")});
        row("CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", {data("a"), data("b")});
        row("CR", "data: a\r\rdata: b\r\r", {data("a"), data("b")});
        row("mixed", "data: a\r\n\ndata: b\n\r\n", {data("a"), data("b")});
        row("byte order mark",
            "\xEF\xBB\xBF"
            "data: a\n\n",
            {data("a")});
        row("half a byte order mark is no field",
            "\xEF\xBB"
            "data: a\n\ndata: b\n\n",
            {data("b")});
        row("comments", ": ping\n\n:\ndata: a\n: in between\ndata: b\n\n", {data("a\nb")});
        row("several lines", "data: a\ndata\ndata: b\n\n", {data("a\n\nb")});
        row("named", "event: pass\ndata: {}\nid: 7\nretry: 10\n\ndata: x\n\n", {data("{}", "pass"), data("x")});
        row("name alone", "event: pass\n\ndata: x\n\n", {data("x")});
        row("done", "data: a\n\ndata: [DONE]\n\n", {data("a"), {SseEvent::Type::Done, {}, {}}});
        row("empty data", "data:\n\ndata: a\n\n", {data(""), data("a")});
        row("older llama.cpp error", "error: {\"code\":500}\n\n", {{SseEvent::Type::Error, {}, "{\"code\":500}"}});
        row("half an event", "data: a\n\ndata: b\n", {data("a")});
        row("not UTF-8",
            "data: a\xFF"
            "b\n\n",
            {data("a\xEF\xBF\xBD"
                  "b")});
        row("letters of several bytes", "data: \xE2\x80\xA8\xF0\x9F\x8D\x80\n\n", {data("\xE2\x80\xA8\xF0\x9F\x8D\x80")});
        row("no event stream", "<html>\n<p>data: none</p>\n\n", {});
    }
    void events() {
        QFETCH(QByteArray, bytes);
        QFETCH(QList<SseEvent>, events);
        for (qsizetype size = 1; size <= bytes.size(); ++size) QCOMPARE(parse(bytes, size), events);
    }

    void tellsWhatIsLeft() {
        SseParser parser;
        QCOMPARE(parser.rest(), 0);
        parser.push("data: a\n");
        QVERIFY(parser.rest() > 0);
        parser.push("\n");
        QCOMPARE(parser.rest(), 0);
        parser.push("da");
        QCOMPARE(parser.rest(), 2);
        parser.push("ta:\r");
        QVERIFY(parser.rest() > 0);
        parser.push("\n\r");
        QCOMPARE(parser.rest(), 0);
    }

    void countsWhatIsNoEvent() {
        SseParser parser;
        parser.push(": ping\n\n: ping\n<html>\ndata: x\n\n");
        QCOMPARE(parser.comments(), 2);
        QCOMPARE(parser.strangeLines(), 1);
    }

    void limitsLinesAndEvents() {
        SseParser line(16);
        QVERIFY(line.push("data: 0123456789\n\n").size() == 1 && !line.tooLarge());
        QVERIFY(line.push("data: 01234567890\n\n").isEmpty() && line.tooLarge());
        QVERIFY(line.push("data: a\n\n").isEmpty());
        SseParser pieces(16);
        for (int i = 0; i < 17; ++i) pieces.push("x");
        QVERIFY(pieces.tooLarge());
        SseParser event(16);
        event.push("data: 01234567\ndata: 0123456\n");
        QVERIFY(!event.tooLarge());
        QVERIFY(event.push("data: 8\n\n").isEmpty() && event.tooLarge());
    }
};

QTEST_GUILESS_MAIN(SseParserTest)
#include "sse_parser_test.moc"
