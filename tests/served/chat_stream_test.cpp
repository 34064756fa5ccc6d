// Answers that end well: every server's stream, cut everywhere, gives the same text.
#include "app/served/sse_parser.h"
#include "tests/served/stream_listener.h"
#include "tests/support/stand_in_server.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace trefoil;
using namespace trefoil::test;

namespace {

const QString kThinking = QStringLiteral("Add the units first: 7 and 6 are 13.");
const QString kAnswer = QString::fromUtf8("347 + 586 = 933 — fertig 🍀");

void addRecordings() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"sglang_parser", "sglang_no_parser", "vllm_reasoning", "vllm_reasoning_content", "llama_reasoning", "llama_tagged"})
        QTest::newRow(name) << QString::fromLatin1(name) + QStringLiteral(".sse");
}

StandInAnswer recording(const QString& name) {
    StandInAnswer answer;
    answer.body = recordedStream(name);
    return answer;
}

}  // namespace

class ChatStreamTest : public QObject {
    Q_OBJECT

private slots:
    void recordings_data() { addRecordings(); }
    void recordings() {
        QFETCH(QString, name);
        StandInServer server;
        // Whole, in pieces of several sizes, each byte by itself; with and without chunks.
        for (const auto& [piece, chunked] : {std::pair{0, true}, {1, true}, {1, false}, {7, true}, {61, false}}) {
            StandInAnswer answer = recording(name);
            QVERIFY(!answer.body.isEmpty());
            answer.pieceBytes = piece;
            answer.chunked = chunked;
            answer.pieceMs = piece == 61 ? 1 : 0;
            server.answerChat(answer);
            ChatStream stream;
            StreamListener heard(stream);
            stream.start(callTo(server.address()));
            QVERIFY(heard.waitForEnd());
            QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
            QCOMPARE(heard.thinking.trimmed(), kThinking);
            QCOMPARE(heard.answer.trimmed(), kAnswer);
            QCOMPARE(stream.text().thinking(), kThinking);
            QCOMPARE(stream.text().answer(), kAnswer);
            QCOMPARE(heard.started, 1);
            QCOMPARE(heard.end->finishReason, QStringLiteral("stop"));
            QCOMPARE(heard.end->usage.answerTokens, 31);
            QCOMPARE(heard.end->usage.promptTokens, 21);
            QCOMPARE(heard.usage, std::optional(heard.end->usage));
            QCOMPARE(heard.end->beganInsideThinking, name == QLatin1String("sglang_no_parser.sse"));
            QVERIFY(!heard.end->cameAtOnce && !heard.end->notStreamed && heard.end->note.isEmpty());
            QVERIFY(!stream.running());
        }
    }

    void everyCut_data() { addRecordings(); }
    void everyCut() {
        QFETCH(QString, name);
        const QByteArray bytes = recordedStream(name);
        SseParser whole;
        const QList<SseEvent> events = whole.push(bytes);
        QVERIFY(events.size() > 8 && events.last().type == SseEvent::Type::Done);
        for (qsizetype cut = 0; cut <= bytes.size(); ++cut) {
            SseParser parser;
            QList<SseEvent> parts = parser.push(bytes.left(cut));
            parts += parser.push(bytes.mid(cut));
            QCOMPARE(parts, events);
        }
    }

    void servedCounts() {
        StandInServer server;
        server.answerChat(recording(QStringLiteral("sglang_parser.sse")));
        ChatStream sglang;
        StreamListener heard(sglang);
        sglang.start(callTo(server.address()));
        QVERIFY(heard.waitForEnd());
        QCOMPARE(sglang.usage().thinkingTokens, 12);
        QCOMPARE(sglang.usage().cachedTokens, 16);
        QCOMPARE(sglang.usage().promptMs, -1.0);
        server.answerChat(recording(QStringLiteral("llama_tagged.sse")));
        ChatStream llama;
        StreamListener timed(llama);
        llama.start(callTo(server.address()));
        QVERIFY(timed.waitForEnd());
        QCOMPARE(llama.usage(), (ServedUsage{21, 16, 31, -1, 41.5, 620.25}));
        QCOMPARE(llama.pieces(), 14);
    }

    void requestsAreAsTheyShouldBe() {
        StandInServer server;
        server.answerChat(recording(QStringLiteral("vllm_reasoning.sse")));
        server.answer("/clover/v1/chat/completions", recording(QStringLiteral("vllm_reasoning.sse")));
        for (const QString& path : {QString(), QStringLiteral("/clover")}) {
            QUrl address = server.address();
            address.setPath(path);
            ChatStream stream;
            StreamListener heard(stream);
            stream.start(callTo(address, QStringLiteral("sk-1234")));
            QCOMPARE(heard.ends, 0);
            QVERIFY(stream.running());
            QVERIFY(heard.waitForEnd());
            QVERIFY(heard.end.has_value());
            const StandInRequest& request = server.requests().last();
            QCOMPARE(request.method, QByteArray("POST"));
            QCOMPARE(request.path, path.toUtf8() + "/v1/chat/completions");
            QCOMPARE(request.headers.value("authorization"), QByteArray("Bearer sk-1234"));
            QCOMPARE(request.headers.value("content-type"), QByteArray("application/json"));
            QVERIFY(request.headers.value("accept").contains("text/event-stream"));
            QVERIFY(!request.headers.contains("cookie"));
            QCOMPARE(request.body, callTo(address).body);
        }
        ChatStream keyless;
        StreamListener heard(keyless);
        keyless.start(callTo(server.address()));
        QVERIFY(heard.waitForEnd());
        QVERIFY(!server.requests().last().headers.contains("authorization"));
    }

    void overIPv6() {
        StandInServer server(QHostAddress(QHostAddress::LocalHostIPv6));
        if (!server.isListening()) QSKIP("This machine has no IPv6.");
        server.answerChat(recording(QStringLiteral("vllm_reasoning.sse")));
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callTo(server.address(), QStringLiteral("sk-1234")));
        QVERIFY(heard.waitForEnd());
        QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
        QCOMPARE(stream.text().answer(), kAnswer);
    }

    void oneObjectInsteadOfAStream() {
        StandInServer server;
        StandInAnswer answer = recording(QStringLiteral("not_streamed.json"));
        for (const char* type : {"application/json", "", "text/plain"}) {
            answer.contentType = type;
            answer.pieceBytes = 11;
            server.answerChat(answer);
            ChatStream stream;
            StreamListener heard(stream);
            stream.start(callTo(server.address()));
            QVERIFY(heard.waitForEnd());
            QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
            QVERIFY(heard.end->notStreamed);
            QVERIFY(heard.end->note.contains(QLatin1String("does not stream")));
            QCOMPARE(stream.text().thinking(), kThinking);
            QCOMPARE(stream.text().answer(), kAnswer);
            QCOMPARE(heard.end->usage.answerTokens, 31);
        }
    }

    void withoutContentType() {
        StandInServer server;
        StandInAnswer answer = recording(QStringLiteral("llama_reasoning.sse"));
        answer.contentType.clear();
        answer.pieceBytes = 1;
        server.answerChat(answer);
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callTo(server.address()));
        QVERIFY(heard.waitForEnd());
        QVERIFY(heard.end.has_value());
        QCOMPARE(stream.text().answer(), kAnswer);
    }

    void compressedOnTheWay() {
        StandInServer server;
        StandInAnswer answer = recording(QStringLiteral("sglang_parser.sse"));
        answer.body = qCompress(answer.body).mid(4);  // without Qt's own length in front
        answer.headers = {{"Content-Encoding", "deflate"}};
        answer.pieceBytes = 50;
        server.answerChat(answer);
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callTo(server.address()));
        QVERIFY(heard.waitForEnd());
        QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
        QCOMPARE(stream.text().answer(), kAnswer);
    }

    void piecesHeldBackOnTheWay() {
        StandInServer server;
        StandInAnswer answer = recording(QStringLiteral("vllm_reasoning.sse"));
        answer.waitBeforeBodyMs = 30;
        server.answerChat(answer);
        ServedCall call = callTo(server.address());
        for (const int threshold : {10, 1'000'000}) {
            call.limits.atOnceWaitMs = threshold;
            ChatStream stream;
            StreamListener heard(stream);
            stream.start(call);
            QVERIFY(heard.waitForEnd());
            QCOMPARE(heard.end->cameAtOnce, threshold == 10);
            QCOMPARE(heard.end->note.contains(QLatin1String("in one go")), threshold == 10);
        }
        // Pieces that come one by one were not held back, however long the first took.
        const qsizetype half = answer.body.size() / 2;
        const QByteArray rest = answer.body.mid(half);
        answer.body.truncate(half);
        answer.silentAfterBody = true;
        server.answerChat(answer);
        call.limits.atOnceWaitMs = 10;
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(call);
        QTRY_VERIFY(!heard.thinking.isEmpty());
        server.sendRest(rest);
        QVERIFY(heard.waitForEnd());
        QVERIFY(!heard.end->cameAtOnce);
        QCOMPARE(stream.text().answer(), kAnswer);
    }

    void endsWithoutAMark() {
        StandInServer server;
        for (const bool stays : {false, true}) {
            StandInAnswer answer = recording(QStringLiteral("vllm_reasoning.sse"));
            answer.body.replace("data: [DONE]\n\n", "");
            answer.silentAfterBody = stays;
            server.answerChat(answer);
            ServedCall call = callTo(server.address());
            call.limits.lingerMs = 50;
            ChatStream stream;
            StreamListener heard(stream);
            stream.start(call);
            QVERIFY(heard.waitForEnd());
            QVERIFY(heard.end.has_value());
            QCOMPARE(heard.end->usage.answerTokens, 31);
            QCOMPARE(stream.text().answer(), kAnswer);
        }
    }

    void thinkingOffAndKnownServers() {
        StandInServer server;
        StandInAnswer answer;
        answer.body =
            "data: {\"choices\":[{\"delta\":{\"content\":\"It ends with </think>.\"},\"finish_reason\":\"length\"}]}\n\ndata: "
            "[DONE]\n\n";
        server.answerChat(answer);
        ServedCall call = callTo(server.address());
        call.thinkingAsked = false;
        ChatStream off;
        StreamListener heard(off);
        off.start(call);
        QVERIFY(heard.waitForEnd());
        QCOMPARE(heard.end->finishReason, QStringLiteral("length"));
        QCOMPARE(off.text().answer(), QStringLiteral("It ends with </think>."));
        // Of this server it is known that thinking comes first: cut there, nothing is taken for an answer.
        call.thinkingAsked = true;
        call.beginsInsideThinking = true;
        server.answerChat({.body = "data: {\"choices\":[{\"delta\":{\"content\":\"Add "
                                   "them\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n"});
        ChatStream inside;
        StreamListener cut(inside);
        inside.start(call);
        QVERIFY(cut.waitForEnd());
        QCOMPARE(cut.thinking, QStringLiteral("Add them"));
        QVERIFY(inside.text().hasThinking() && !inside.text().thinkingClosed() && cut.answer.isEmpty());
    }

    void passes() {
        StandInServer server;
        server.answerChat(recording(QStringLiteral("trefoil_passes.sse")));
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callTo(server.address()));
        QVERIFY(heard.waitForEnd());
        QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
        QCOMPARE(heard.trace, std::optional(ServedTrace{4, 4, 0.9, 8192, 27}));
        QCOMPARE(heard.tokens, (QList<qint32>{811, 290, 3}));
        QCOMPARE(stream.text().thinking(), QStringLiteral("Hm."));
        QCOMPARE(stream.text().answer(), QStringLiteral("Hello!"));
        QCOMPARE(stream.pieces(), 2);
        QVERIFY(heard.end->stats.has_value());
        QCOMPARE(heard.end->stats->passes, 2);
        QCOMPARE(heard.end->stats->reusedTokens, 16);
        QCOMPARE(heard.end->stats->decodeMs, 130.9);
        QCOMPARE(heard.passes.size(), 2);
        const auto first = readPassEvent(heard.passes.first());
        const auto second = readPassEvent(heard.passes.last());
        QVERIFY(first && second);
        QCOMPARE(first->type, PassType::Denoise);
        QCOMPARE(first->tokens, (QList<qint32>{811, 4, 290}));
        QCOMPARE(first->texts, (QStringList{QStringLiteral("Hello"), QString(), QStringLiteral("!")}));
        QCOMPARE(first->rows.size(), 3);
        QCOMPARE(first->rows.first().choice, (TokenChoice{811, 0.9981F, QStringLiteral("Hello")}));
        QCOMPARE(first->rows.first().top.size(), 2);
        QCOMPARE(first->rows.first().top.last(), (TokenChoice{7, 0.0011F, QStringLiteral("<0x00>")}));
        QCOMPARE(first->resolved, (QList<qint32>{0, 2}));
        QCOMPARE(first->firstPosition, -1);
        QCOMPARE(first->promptRows, 1);
        QCOMPARE(first->milliseconds, 12.4);
        QCOMPARE(first->weightBytes, 18432000U);
        QCOMPARE(first->layers.size(), 2);
        QCOMPARE(first->meanDistinctExperts, 8.0);
        QCOMPARE(first->layers.first(), (LayerView{9, 9, 0.91F, 12, 147456}));
        QCOMPARE(first->choice.mode, QStringLiteral("low_confidence"));
        QCOMPARE(first->choice.reason, ModeChoiceView::Reason::Fastest);
        QCOMPARE(first->choice.lowConfidenceRate, 81.2);
        QCOMPARE(second->type, PassType::Verify);
        QCOMPARE(second->accepted, 3);
        QCOMPARE(second->droppedFrom, 2);
        QVERIFY(second->rows.isEmpty());
    }

    void passesThatCannotBe() {
        const QJsonObject good = QJsonDocument::fromJson(
                                     "{\"kind\":\"denoise\",\"block\":0,\"step\":0,\"tokens\":[1,2],"
                                     "\"texts\":[\"a\",\"b\"],\"rows\":[],\"resolved\":[1]}")
                                     .object();
        QVERIFY(readPassEvent(good).has_value());
        const auto with = [&good](const char* name, const QJsonValue& value) {
            QJsonObject changed = good;
            changed.insert(QLatin1String(name), value);
            return readPassEvent(changed);
        };
        QVERIFY(!readPassEvent({}));
        QVERIFY(!with("kind", QStringLiteral("edit")));
        QVERIFY(!with("block", -1));
        QVERIFY(!with("step", -1));
        QVERIFY(!with("prompt_rows", 1000));
        QVERIFY(!with("texts", QJsonArray{QStringLiteral("a")}));
        QVERIFY(!with("rows", QJsonArray{QJsonObject()}));
        QVERIFY(!with("resolved", QJsonArray{2}));
        QVERIFY(!with("resolved", QJsonArray{-1}));
        QVERIFY(!with("resolved", QJsonArray{QStringLiteral("0")}));
        QJsonArray many;
        for (int i = 0; i < 129; ++i) many.append(i);
        QVERIFY(!with("tokens", many));
        QCOMPARE(with("ms", -5.0)->milliseconds, 0.0);
        QCOMPARE(with("block", 1e300)->block, 0);
        QVERIFY(!readTraceEvent({{QStringLiteral("mask_id"), 4}, {QStringLiteral("block_size"), 0}}));
        QVERIFY(!readTraceEvent({}));
    }

    void cancelling() {
        StandInServer server;
        StandInAnswer answer = recording(QStringLiteral("vllm_reasoning.sse"));
        answer.pieceBytes = 1;
        server.answerChat(answer);
        ChatStream stream;
        StreamListener heard(stream);
        // In the middle of a signal of its own.
        connect(&stream, &ChatStream::contentArrived, &stream, [&stream] { stream.cancel(); });
        stream.start(callTo(server.address()));
        QTRY_VERIFY(!stream.running());
        QTRY_COMPARE(server.connections(), 0);
        QCOMPARE(heard.ends, 0);
        QCOMPARE(heard.answer, QStringLiteral("347 + 586"));
        QCOMPARE(stream.text().answer(), QStringLiteral("347 + 586"));
        // Before anything was sent, and by going away.
        const qsizetype before = server.requests().size();
        ChatStream early;
        StreamListener nothing(early);
        early.start(callTo(server.address()));
        early.cancel();
        {
            ChatStream gone;
            gone.start(callTo(server.address()));
        }
        QTest::qWait(20);
        QCOMPARE(nothing.ends, 0);
        QCOMPARE(server.requests().size(), before);
    }

    void cancellingWhileItWaits() {
        StandInServer server;
        server.answerChat({.noAnswer = true});
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callTo(server.address()));
        QTRY_COMPARE(server.requests().size(), 1);
        stream.cancel();
        QTRY_COMPARE(server.connections(), 0);
        QCOMPARE(heard.ends, 0);
    }
};

QTEST_GUILESS_MAIN(ChatStreamTest)
#include "chat_stream_test.moc"
