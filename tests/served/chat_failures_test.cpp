// Answers that do not end well: each failure has its kind and says what a person can do; keys go where they may and nowhere else.
#include "app/served/reply_errors.h"
#include "tests/served/stream_listener.h"
#include "tests/support/stand_in_server.h"

#include <QSslSocket>
#include <QTest>

using namespace trefoil;
using namespace trefoil::test;
using Kind = ServedErrorKind;

namespace {

const QString kKey = QStringLiteral("sk-very-secret-0123");

/// Runs a call to its end and gives what was heard.
ServedError failureOf(const ServedCall& call, QString* answer = nullptr) {
    ChatStream stream;
    StreamListener heard(stream);
    stream.start(call);
    if (!heard.waitForEnd()) return {Kind::None, QStringLiteral("no end"), {}, -1, 0};
    if (answer) *answer = stream.text().answer();
    return heard.error.value_or(ServedError{Kind::None, QStringLiteral("ended well"), {}, -1, 0});
}

ServedError failureOf(const StandInServer& server, const QString& key = {}) { return failureOf(callTo(server.address(), key)); }

StandInAnswer refusal(int status, const QByteArray& body, const QByteArray& type = "application/json") {
    StandInAnswer answer;
    answer.status = status;
    answer.contentType = type;
    answer.body = body;
    return answer;
}

#define VERIFY_FAILURE(error, expected, ...)                                                            \
    do {                                                                                                \
        const ServedError& e = error;                                                                   \
        QVERIFY2(e.kind == (expected), qPrintable(QStringLiteral("%1: ").arg(int(e.kind)) + e.text())); \
        for (const char* part : std::initializer_list<const char*>{__VA_ARGS__})                        \
            QVERIFY2(e.text().contains(QString::fromUtf8(part)), qPrintable(e.text()));                 \
        QVERIFY2(!e.text().contains(kKey), qPrintable(e.text()));                                       \
        QVERIFY(!e.message.isEmpty() && !e.text().contains(u'\n'));                                     \
    } while (false)

}  // namespace

class ChatFailuresTest : public QObject {
    Q_OBJECT

private slots:
    // Where no name server answers, that is found out within a second.
    void initTestCase() { qputenv("RES_OPTIONS", "attempts:1 timeout:1"); }

    void statuses_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<bool>("withKey");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("says");
        const QByteArray json = "application/json";
        const auto row = [](const char* name, int status, const QByteArray& type, const QByteArray& body, bool key, Kind kind,
                            const char* says) {
            QTest::newRow(name) << status << type << body << key << int(kind) << QString::fromUtf8(says);
        };
        row("key wanted", 401, json, "{\"error\":{\"message\":\"missing key\",\"code\":401}}", false, Kind::Key,
            "asks for a key");
        row("key refused", 401, json, "{\"error\":{\"message\":\"Incorrect API key sk-very-secret-0123\",\"code\":401}}", true,
            Kind::Key, "does not accept the key");
        row("key not allowed", 403, "text/plain", "forbidden", true, Kind::Key, "It said: \"forbidden\"");
        row("no such model", 404, json,
            "{\"error\":{\"message\":\"The model `clover` does not exist.\",\"type\":\"NotFoundError\",\"code\":404}}", false,
            Kind::NoSuchModel, "no model named \"clover\"");
        row("no such model, flat", 404, json,
            "{\"object\":\"error\",\"message\":\"model not found\",\"type\":\"NotFoundError\",\"code\":404}", false,
            Kind::NoSuchModel, "Choose one of the server's models");
        row("no such path", 404, json, "{\"detail\":\"Not Found\"}", false, Kind::NoSuchPath, "no OpenAI-style API");
        row("no such page", 404, "text/html", "<html><h1>404</h1></html>", false, Kind::NoSuchPath, "Check the address");
        row("method", 405, json, "{\"detail\":\"Method Not Allowed\"}", false, Kind::NoSuchPath, "/v1/chat/completions");
        row("bad request", 400, json, "{\"object\":\"error\",\"message\":\"top_p must be in (0, 1]\",\"code\":400}", false,
            Kind::BadRequest, "top_p must be in (0, 1]");
        row("unfit", 422, json, "{\"detail\":[{\"loc\":[\"body\",\"seed\"],\"msg\":\"not an integer\",\"type\":\"x\"}]}", false,
            Kind::BadRequest, "body.seed: not an integer");
        row("too long", 413, json, "{\"error\":\"too long\"}", true, Kind::BadRequest, "longer than the server takes");
        row("page of a proxy", 400, "text/html", "<html>The plain HTTP request was sent to HTTPS port</html>", true,
            Kind::NotAnApi, "web page");
        row("fault", 500, json, "{\"error\":{\"message\":\"CUDA out of memory\"}}", false, Kind::ServerError,
            "CUDA out of memory");
        row("fault without words", 500, "", "", false, Kind::ServerError, "HTTP 500");
        row("gateway", 502, "text/html", "<html>Bad Gateway</html>", false, Kind::ServerError, "server behind it");
        row("loading", 503, json, "{\"error\":{\"code\":503,\"message\":\"Loading model\",\"type\":\"unavailable_error\"}}",
            false, Kind::ServerError, "still be loading");
        row("busy", 429, json, "{\"error\":{\"message\":\"queue is full\"}}", true, Kind::TooManyRequests, "queue is full");
        row("redirect without target", 302, "", "", true, Kind::Redirected, "does not say which");
        row("a page that is fine", 200, "text/html", "<html>Welcome</html>", true, Kind::NotAnApi, "web page");
        row("a page without a type", 200, "", "\n<html>Welcome</html>", true, Kind::NotAnApi, "web page");
        row("another JSON", 200, json, "{\"hello\":\"world\"}", false, Kind::NotAnApi, "not as a server of language models");
        row("broken JSON", 200, json, "{\"choices\":[", false, Kind::NotAnApi, "Check the address");
        row("text", 200, "text/plain", "OK\n", false, Kind::NotAnApi, "answers, but not");
        row("an error as an answer", 200, json, "{\"error\":{\"message\":\"no slot\"}}", false, Kind::StreamError, "no slot");
        row("nothing", 200, "text/event-stream", "", false, Kind::BrokenStream, "ended before the answer");
    }
    void statuses() {
        QFETCH(int, status);
        QFETCH(QByteArray, type);
        QFETCH(QByteArray, body);
        QFETCH(bool, withKey);
        QFETCH(int, kind);
        QFETCH(QString, says);
        const QByteArray said = says.toUtf8();
        StandInServer server;
        server.answerChat(refusal(status, body, type));
        const ServedError error = failureOf(server, withKey ? kKey : QString());
        VERIFY_FAILURE(error, Kind(kind), said.constData());
        if (status != 200) QCOMPARE(error.httpStatus, status);
    }

    void retryAfter() {
        StandInServer server;
        StandInAnswer answer = refusal(429, {});
        answer.headers = {{"Retry-After", "17"}};
        server.answerChat(answer);
        ServedError error = failureOf(server);
        VERIFY_FAILURE(error, Kind::TooManyRequests, "17 s");
        QCOMPARE(error.retryAfterSeconds, 17);
        answer.status = 503;
        server.answerChat(answer);
        QCOMPARE(failureOf(server).retryAfterSeconds, 17);
        const QDateTime now(QDate(2026, 12, 3), QTime(5, 0), Qt::UTC);
        QCOMPARE(retryAfterSeconds("Thu, 03 Dec 2026 05:00:30 GMT", now), 30);
        QCOMPARE(retryAfterSeconds("Thu, 03 Dec 2026 04:00:30 GMT", now), 0);
        QCOMPARE(retryAfterSeconds("Thu, 03 Dec 2036 04:00:30 GMT", now), 86400);
        QCOMPARE(retryAfterSeconds("Mon, 03 Dec 2026 05:00:30 GMT", now), 30);  // the day of the week is no news
        QCOMPARE(retryAfterSeconds(" 5 ", now), 5);
        QCOMPARE(retryAfterSeconds("99999999999999999999", now), 86400);
        for (const char* nonsense : {"", "soon", "-5", "1.5"}) QCOMPARE(retryAfterSeconds(nonsense, now), -1);
    }

    void errorsInTheMiddle_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("says");
        QTest::newRow("sglang") << QStringLiteral("sglang_error.sse") << QStringLiteral("CUDA out of memory while decoding");
        QTest::newRow("vllm") << QStringLiteral("vllm_error.sse") << QStringLiteral("EngineCore encountered an issue");
        QTest::newRow("llama") << QStringLiteral("llama_error.sse") << QStringLiteral("Context size has been exceeded.");
        QTest::newRow("older llama") << QStringLiteral("llama_older_error.sse")
                                     << QStringLiteral("Context size has been exceeded.");
    }
    void errorsInTheMiddle() {
        QFETCH(QString, name);
        QFETCH(QString, says);
        const QByteArray said = says.toUtf8();
        StandInServer server;
        for (const qsizetype piece : {0, 1}) {
            StandInAnswer answer;
            answer.body = recordedStream(name);
            answer.pieceBytes = piece;
            server.answerChat(answer);
            QString kept;
            VERIFY_FAILURE(failureOf(callTo(server.address()), &kept), Kind::StreamError, said.constData());
            QCOMPARE(kept, QStringLiteral("347 + 586"));
        }
    }

    void otherErrorsInTheMiddle() {
        StandInServer server;
        const QByteArray begin = "data: {\"choices\":[{\"delta\":{\"content\":\"One\"}}]}\n\n";
        const auto tell = [&](const QByteArray& rest) {
            server.answerChat({.body = begin + rest});
            QString kept;
            const ServedError error = failureOf(callTo(server.address(), kKey), &kept);
            return kept == QLatin1String("One") ? error : ServedError{Kind::None, QStringLiteral("lost: ") + kept, {}, -1, 0};
        };
        VERIFY_FAILURE(tell("data: {\"error\":\"no more\"}\n\n"), Kind::StreamError, "no more");
        VERIFY_FAILURE(tell("data: {\"error\":{\"code\":401,\"message\":\"revoked sk-very-secret-0123\"}}\n\n"), Kind::Key,
                       "withdrawn");
        VERIFY_FAILURE(tell("data: {\"error\":{\"code\":\"429\",\"message\":\"slow down\"}}\n\n"), Kind::TooManyRequests,
                       "slow down");
        VERIFY_FAILURE(tell("event: error\ndata: {\"message\":\"odd\"}\n\n"), Kind::StreamError, "odd");
        VERIFY_FAILURE(tell("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"abort\"}]}\n\n"), Kind::StreamError,
                       "stopped with an error");
        VERIFY_FAILURE(tell("data: {\"choices\":[{\"del\n\n"), Kind::BrokenStream, "is kept");
        VERIFY_FAILURE(tell("data: {\"choices\":[{\"del"), Kind::BrokenStream, "in the middle of a piece");
        VERIFY_FAILURE(tell(""), Kind::BrokenStream, "ended before the answer did");
    }

    void brokenAnywhere() {
        StandInServer server;
        StandInAnswer answer;
        answer.body = recordedStream(QStringLiteral("sglang_parser.sse"));
        const qsizetype last = answer.body.indexOf("\"finish_reason\":\"stop\"");
        const QString whole = QString::fromUtf8("347 + 586 = 933 — fertig 🍀");
        // In the first and the last pieces at every byte, in between at some.
        for (qsizetype cut = 0; cut < last; cut += cut < 40 || cut > last - 40 ? 1 : 61) {
            answer.breakAfter = cut;
            server.answerChat(answer);
            QString kept;
            const ServedError error = failureOf(callTo(server.address()), &kept);
            VERIFY_FAILURE(error, Kind::BrokenStream, "kept");
            QVERIFY2(whole.startsWith(kept), qPrintable(kept));
            QVERIFY(error.passing());
        }
    }

    void hangsUp() {
        StandInServer server;
        server.answerChat({.hangUp = true});
        VERIFY_FAILURE(failureOf(server, kKey), Kind::BrokenStream, "without an answer", "https://");
    }

    void silence() {
        StandInServer server;
        ServedCall call = callTo(server.address(), kKey);
        call.limits.firstByteMs = 60;
        call.limits.silenceMs = 1'000'000;
        server.answerChat({.noAnswer = true});
        VERIFY_FAILURE(failureOf(call), Kind::Silence, "for 1 seconds", "slept");
        QTRY_COMPARE(server.connections(), 0);
        // A beginning without a word, of a server that reads the question yet.
        server.answerChat({.body = ": ping\n\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
                           .silentAfterBody = true});
        VERIFY_FAILURE(failureOf(call), Kind::Silence, "Try again");
        // The connection of a machine that slept: there, and nothing comes.
        call.limits.firstByteMs = 1'000'000;
        call.limits.silenceMs = 60;
        server.answerChat({.body = "data: {\"choices\":[{\"delta\":{\"content\":\"One\"}}]}\n\n", .silentAfterBody = true});
        QString kept;
        VERIFY_FAILURE(failureOf(call, &kept), Kind::Silence, "Try again");
        QCOMPARE(kept, QStringLiteral("One"));
    }

    void noConnectionInTime() {
        // A queue of connections that nobody takes, and that is full.
        QTcpServer full;
        full.setListenBacklogSize(0);
        QVERIFY(full.listen(QHostAddress::LocalHost));
        full.pauseAccepting();
        std::vector<std::unique_ptr<QTcpSocket>> waiting;
        for (int i = 0; i < 4; ++i) {
            waiting.push_back(std::make_unique<QTcpSocket>());
            waiting.back()->connectToHost(QHostAddress::LocalHost, full.serverPort());
        }
        QTest::qWait(50);
        ServedCall call = callTo(QUrl(QStringLiteral("http://127.0.0.1:%1").arg(full.serverPort())));
        call.limits.connectMs = 80;
        VERIFY_FAILURE(failureOf(call), Kind::ConnectTimeout, "within 1 seconds", "firewall");
    }

    void nobodyThere() {
        quint16 port = 0;
        {
            QTcpServer server;
            QVERIFY(server.listen(QHostAddress::LocalHost));
            port = server.serverPort();
        }
        VERIFY_FAILURE(failureOf(callTo(QUrl(QStringLiteral("http://127.0.0.1:%1").arg(port)), kKey)), Kind::Refused, "refused",
                       "Check the port");
        // Names under .invalid are never given out.
        VERIFY_FAILURE(failureOf(callTo(QUrl(QStringLiteral("https://nowhere.invalid")), kKey)), Kind::NameNotFound,
                       "nowhere.invalid");
    }

    void redirectsAreNotFollowed() {
        StandInServer other;
        other.answerChat({.body = recordedStream(QStringLiteral("vllm_reasoning.sse"))});
        const QByteArray target = other.address().toEncoded();
        StandInServer server;
        for (const int status : {301, 302, 303, 307, 308}) {
            StandInAnswer answer = refusal(status, "<html>moved</html>", "text/html");
            answer.headers = {{"Location", other.address().toEncoded() + "/v1/chat/completions?token=x"}};
            server.answerChat(answer);
            VERIFY_FAILURE(failureOf(server, kKey), Kind::Redirected, target.constData(), "Nothing was sent there");
        }
        StandInAnswer relative = refusal(308, {});
        relative.headers = {{"Location", "/login"}};
        server.answerChat(relative);
        VERIFY_FAILURE(failureOf(server, kKey), Kind::Redirected, "/login");
        QVERIFY(other.requests().isEmpty());
        QVERIFY(other.received().isEmpty());
    }

    void keysStayHere() {
        // Nothing is sent, not even the question.
        VERIFY_FAILURE(failureOf(callTo(QUrl(QStringLiteral("http://models.example.org")), kKey)), Kind::Address, "not encrypted",
                       "https://");
        StandInServer server;
        VERIFY_FAILURE(failureOf(server, kKey + QStringLiteral("\r\nX-Other: 1")), Kind::Address, "Copy it again");
        QVERIFY(server.received().isEmpty());
        VERIFY_FAILURE(failureOf(callTo(QUrl(QStringLiteral("http://me:pw@127.0.0.1")), kKey)), Kind::Address, "user name");
    }

    void tooMuch() {
        StandInServer server;
        StandInAnswer answer;
        for (int i = 0; i < 200; ++i) answer.body += "data: {\"choices\":[{\"delta\":{\"content\":\"again and again \"}}]}\n\n";
        server.answerChat(answer);
        ServedCall call = callTo(server.address());
        call.limits.maxBytes = 5000;
        QString kept;
        VERIFY_FAILURE(failureOf(call, &kept), Kind::TooLarge, "no answer is");
        QVERIFY(kept.startsWith(QLatin1String("again")) || kept.isEmpty());
        // A page without an end.
        answer.contentType = "text/html";
        answer.silentAfterBody = true;
        answer.body = QByteArray("<html>") + QByteArray(200'000, ' ');
        server.answerChat(answer);
        VERIFY_FAILURE(failureOf(server), Kind::NotAnApi, "web page");
    }

    void certificates() {
        QVERIFY(QSslSocket::supportsSsl());
        const SelfSigned own = makeSelfSigned();
        const SelfSigned foreign = makeSelfSigned(QStringLiteral("models.example.org"));
        if (own.certificate.isNull()) QSKIP("There is no openssl command.");
        StandInServer server;
        server.answerChat({.body = recordedStream(QStringLiteral("vllm_reasoning.sse"))});
        server.useTls(own.certificate, own.key);
        VERIFY_FAILURE(failureOf(server, kKey), Kind::Tls, "self-signed", "certificate authority", "Nothing was sent");
        QVERIFY(server.requests().isEmpty());
        // The same one, trusted.
        ChatStream stream;
        StreamListener heard(stream);
        stream.addTrustedCertificate(own.certificate);
        stream.start(callTo(server.address(), kKey));
        QVERIFY(heard.waitForEnd());
        QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
        QCOMPARE(server.requests().first().headers.value("authorization"), "Bearer " + kKey.toLatin1());
        // Trusted, but another host's.
        server.useTls(foreign.certificate, foreign.key);
        ChatStream wrong;
        StreamListener refused(wrong);
        wrong.addTrustedCertificate(foreign.certificate);
        wrong.start(callTo(server.address(), kKey));
        QVERIFY(refused.waitForEnd());
        QVERIFY(refused.error.has_value());
        VERIFY_FAILURE(*refused.error, Kind::Tls, "host name");
        QCOMPARE(server.requests().size(), 1);
        // A server without encryption.
        StandInServer plain;
        QUrl address = plain.address();
        address.setScheme(QStringLiteral("https"));
        plain.answerChat({.body = "x"});
        ServedCall call = callTo(address, kKey);
        call.limits.connectMs = 300;
        const ServedError error = failureOf(call);
        QVERIFY2(error.kind == Kind::Tls || error.kind == Kind::ConnectTimeout, qPrintable(error.text()));
        QVERIFY(!plain.received().contains(kKey.toLatin1()));
    }
};

QTEST_GUILESS_MAIN(ChatFailuresTest)
#include "chat_failures_test.moc"
