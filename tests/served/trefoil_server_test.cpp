// The client against `trefoil-cli serve` with the demo model: two processes, over HTTP.
#include "app/served/chat_request_body.h"
#include "app/served/server_probe.h"
#include "tests/served/stream_listener.h"

#include <QEventLoop>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

using namespace trefoil;
using namespace trefoil::test;

namespace {

const QString kKey = QStringLiteral("key-of-this-test-0123");

/// `trefoil-cli serve` on a port of its own.
class ServeProcess {
public:
    bool start(const QStringList& more = {}) {
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(
            QStringLiteral(TREFOIL_CLI),
            QStringList{QStringLiteral("serve"), QStringLiteral(TREFOIL_SOURCE_DIR "/resources/demo-model"),
                        QStringLiteral("--device"), QStringLiteral("cpu"), QStringLiteral("--port"), QStringLiteral("0")} +
                more);
        QByteArray said;
        const QRegularExpression line(QStringLiteral("at (http://[^\\s]+)"));
        while (m_process.waitForReadyRead(60'000)) {
            said += m_process.readAll();
            const auto match = line.match(QString::fromUtf8(said));
            if (!match.hasMatch()) continue;
            m_address = QUrl(match.captured(1));
            return true;
        }
        qWarning("trefoil-cli serve said: %s", said.constData());
        return false;
    }
    ~ServeProcess() {
        m_process.terminate();
        if (!m_process.waitForFinished(20'000)) m_process.kill();
    }
    [[nodiscard]] ServerProfile profile() const {
        ServerProfile out;
        out.address = m_address;
        out.kind = ServerKind::Trefoil;
        out.model = QStringLiteral("demo-model");
        return out;
    }

private:
    QProcess m_process;
    QUrl m_address;
};

ProbeResult probe(const ServerProfile& profile, const QString& key) {
    ServerProbe probe;
    ProbeResult out;
    QEventLoop loop;
    QObject::connect(&probe, &ServerProbe::finished, &loop, [&](const ProbeResult& result) {
        out = result;
        loop.quit();
    });
    QTimer::singleShot(60'000, &loop, &QEventLoop::quit);
    probe.start(profile, key);
    loop.exec();
    return out;
}

ServedRequest question(const char* text, const ControlValues& controls) {
    ServedRequest request;
    request.messages = {{QStringLiteral("user"), QString::fromLatin1(text)}};
    request.controls = controls;
    return request;
}

ServedCall callOf(const ServerProfile& server, const ServedRequest& request, const QString& key = {}) {
    const ServedBody body = servedRequestBody(server, request);
    ServedCall call;
    call.server = server;
    call.key = key;
    call.body = body.json;
    call.thinkingAsked = body.thinkingAsked;
    return call;
}

const ControlValues kNoThinking{{QStringLiteral("enable_thinking"), false}, {QStringLiteral("max_new_tokens"), 96}};

}  // namespace

class TrefoilServerTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(m_open.start()); }

    void isRecognised() {
        const ProbeResult result = probe(m_open.profile(), {});
        QVERIFY2(result.ok(), qPrintable(result.error.text()));
        QCOMPARE(result.kind, ServerKind::Trefoil);
        QCOMPARE(result.models, QStringList{QStringLiteral("demo-model")});
        QCOMPARE(result.context, 8192);
        QCOMPARE(result.maskId, 4);
        QCOMPARE(result.defaults.size(), controlDescriptions().size());
    }

    void passesMakeUpTheAnswer() {
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callOf(m_open.profile(), question("What is 347 + 586?", kNoThinking)));
        QVERIFY(heard.waitForEnd());
        QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
        QVERIFY2(heard.answer.contains(QLatin1String("933")), qPrintable(heard.answer));
        QCOMPARE(stream.text().answer(), heard.answer.trimmed());
        QVERIFY(heard.trace.has_value());
        QCOMPARE(heard.trace->maskId, 4);
        QVERIFY(heard.end->stats.has_value());
        QCOMPARE(heard.passes.size(), heard.end->stats->passes);
        QVERIFY(!heard.passes.isEmpty());
        QCOMPARE(heard.tokens.size(), heard.end->stats->responseTokens);
        QCOMPARE(heard.end->usage.answerTokens, heard.end->stats->responseTokens);
        for (const QJsonObject& object : heard.passes) {
            const auto pass = readPassEvent(object);
            QVERIFY(pass.has_value());
            QCOMPARE(pass->rows.size(), pass->tokens.size());
            for (const RowView& row : pass->rows) QVERIFY(row.choice.probability > 0.0F && !row.top.isEmpty());
        }
        // Again without passes: the same text.
        ServedRequest plain = question("What is 347 + 586?", kNoThinking);
        plain.passes = false;
        ChatStream second;
        StreamListener other(second);
        second.start(callOf(m_open.profile(), plain));
        QVERIFY(other.waitForEnd());
        QVERIFY(other.passes.isEmpty());
        QCOMPARE(other.answer, heard.answer);
    }

    void thinkingIsSeparate() {
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callOf(m_open.profile(), question("What is 347 + 586?", {{QStringLiteral("max_new_tokens"), 256}})));
        QVERIFY(heard.waitForEnd());
        QVERIFY2(heard.end.has_value(), heard.error ? qPrintable(heard.error->text()) : "");
        QVERIFY(!heard.thinking.isEmpty());
        QVERIFY(!heard.answer.contains(QLatin1String("</think>")));
        QCOMPARE(heard.moved, 0);
    }

    void cutAnswersGoOn() {
        ControlValues few = kNoThinking;
        few.insert(QStringLiteral("max_new_tokens"), 12);
        ServedRequest request = question("Count from 1 to 40.", few);
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callOf(m_open.profile(), request));
        QVERIFY(heard.waitForEnd());
        QVERIFY(heard.end.has_value());
        QCOMPARE(heard.end->finishReason, QStringLiteral("length"));
        const QString begun = stream.text().rawAnswer();
        QVERIFY(!begun.isEmpty());
        request.begunAnswer = begun;
        ChatStream rest;
        StreamListener more(rest);
        rest.start(callOf(m_open.profile(), request));
        QVERIFY(more.waitForEnd());
        QVERIFY2(more.end.has_value(), more.error ? qPrintable(more.error->text()) : "");
        QVERIFY(!more.answer.isEmpty());
        QVERIFY2(!more.answer.startsWith(begun.left(8)), qPrintable(more.answer));
    }

    void refusalsAreUnderstood() {
        ServerProfile other = m_open.profile();
        other.model = QStringLiteral("another-model");
        ChatStream missing;
        StreamListener heard(missing);
        missing.start(callOf(other, question("Hello", kNoThinking)));
        QVERIFY(heard.waitForEnd());
        QVERIFY(heard.error.has_value());
        QVERIFY2(heard.error->kind == ServedErrorKind::NoSuchModel, qPrintable(heard.error->text()));
        ControlValues wrong = kNoThinking;
        wrong.insert(QStringLiteral("threshold"), 7.0);
        ChatStream bad;
        StreamListener refused(bad);
        bad.start(callOf(m_open.profile(), question("Hello", wrong)));
        QVERIFY(refused.waitForEnd());
        QVERIFY(refused.error.has_value());
        QVERIFY2(refused.error->kind == ServedErrorKind::BadRequest && refused.error->text().contains(QLatin1String("threshold")),
                 qPrintable(refused.error->text()));
    }

    void keysAreAsked() {
        QTemporaryDir folder;
        QFile file(folder.filePath(QStringLiteral("key")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(kKey.toLatin1() + '\n');
        file.close();
        file.setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner);
        ServeProcess closed;
        QVERIFY(closed.start({QStringLiteral("--key-file"), file.fileName()}));
        QCOMPARE(probe(closed.profile(), {}).error.kind, ServedErrorKind::Key);
        QCOMPARE(probe(closed.profile(), QStringLiteral("another")).error.kind, ServedErrorKind::Key);
        QVERIFY(probe(closed.profile(), kKey).ok());
        ChatStream stream;
        StreamListener heard(stream);
        stream.start(callOf(closed.profile(), question("What is 347 + 586?", kNoThinking), kKey));
        QVERIFY(heard.waitForEnd());
        QVERIFY(heard.end.has_value());
    }

    void goingAwayFreesTheServer() {
        ControlValues slow = kNoThinking;
        slow.insert(QStringLiteral("threshold"), 1.0);
        slow.insert(QStringLiteral("max_new_tokens"), 2048);
        ChatStream stream;
        StreamListener heard(stream);
        connect(&stream, &ChatStream::passArrived, &stream, [&stream] { stream.cancel(); });
        stream.start(callOf(m_open.profile(), question("Count from 1 to 40.", slow)));
        QTRY_VERIFY_WITH_TIMEOUT(!stream.running(), 30'000);
        QCOMPARE(heard.ends, 0);
        ChatStream next;
        StreamListener answered(next);
        next.start(callOf(m_open.profile(), question("What is 347 + 586?", kNoThinking)));
        QVERIFY(answered.waitForEnd());
        QVERIFY(answered.end.has_value());
    }

private:
    ServeProcess m_open;
};

QTEST_GUILESS_MAIN(TrefoilServerTest)
#include "trefoil_server_test.moc"
