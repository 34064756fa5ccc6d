// The test button: each step's outcome, the first failure's reason, models and kind.
#include "app/served/server_probe.h"
#include "tests/support/stand_in_server.h"

#include <QEventLoop>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>
#include <QTimer>

#include <optional>

using namespace trefoil;
using namespace trefoil::test;
using Outcome = ProbeOutcome;

namespace {

const QString kKey = QStringLiteral("sk-very-secret-0123");

struct Probed {
    ProbeResult result;
    QList<ProbeReport> told;
    bool ended = false;

    [[nodiscard]] const ProbeReport& at(ProbeStep step) const { return result.steps.at(static_cast<qsizetype>(step)); }
    [[nodiscard]] Outcome outcome(ProbeStep step) const { return at(step).outcome; }
    [[nodiscard]] QString text(ProbeStep step) const { return at(step).text; }
};

Probed probe(const ServerProfile& profile, const QString& key = {}, const QSslCertificate& trusted = QSslCertificate(),
             const StreamLimits& limits = {}, ProbeDepth depth = ProbeDepth::Streaming) {
    ServerProbe probe;
    if (!trusted.isNull()) probe.addTrustedCertificate(trusted);
    Probed out;
    QEventLoop loop;
    QObject::connect(&probe, &ServerProbe::stepDone, &loop, [&out](const ProbeReport& report) { out.told.append(report); });
    QObject::connect(&probe, &ServerProbe::finished, &loop, [&](const ProbeResult& result) {
        out.result = result;
        out.ended = true;
        loop.quit();
    });
    QTimer::singleShot(30'000, &loop, &QEventLoop::quit);
    probe.start(profile, key, limits, depth);
    loop.exec();
    return out;
}

ServerProfile profileOf(const QUrl& address, const QString& model = {}) {
    ServerProfile profile;
    profile.address = address;
    profile.model = model;
    return profile;
}

StandInAnswer json(const QByteArray& body, int status = 200) {
    StandInAnswer answer;
    answer.status = status;
    answer.contentType = "application/json";
    answer.body = body;
    return answer;
}

StandInAnswer shortStream() {
    StandInAnswer answer;
    answer.body = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n";
    return answer;
}

StandInAnswer models(const QByteArray& owner, const QByteArray& more = {}) {
    return json("{\"object\":\"list\",\"data\":[{\"id\":\"clover\",\"object\":\"model\",\"owned_by\":\"" + owner + "\"" + more +
                "}]}");
}

}  // namespace

#define VERIFY_STEP(probed, step, expected, part)                                                                \
    do {                                                                                                         \
        QVERIFY2((probed).ended && (probed).result.steps.size() == probeSteps().size(), "the probe has no end"); \
        QVERIFY2((probed).outcome(step) == (expected), qPrintable((probed).text(step)));                         \
        QVERIFY2((probed).text(step).contains(QLatin1String(part)), qPrintable((probed).text(step)));            \
    } while (false)

class ServerProbeTest : public QObject {
    Q_OBJECT

private slots:
    // Where no name server answers, that is found out within a second.
    void initTestCase() { qputenv("RES_OPTIONS", "attempts:1 timeout:1"); }

    void kinds_data() {
        QTest::addColumn<QByteArray>("owner");
        QTest::addColumn<QByteArray>("more");
        QTest::addColumn<QByteArray>("props");
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("context");
        QTest::newRow("sglang") << QByteArray("sglang") << QByteArray(",\"max_model_len\":32768") << QByteArray()
                                << int(ServerKind::SGLang) << 32768;
        QTest::newRow("vllm") << QByteArray("vllm") << QByteArray(",\"max_model_len\":8192") << QByteArray()
                              << int(ServerKind::Vllm) << 8192;
        QTest::newRow("llama.cpp") << QByteArray("llamacpp") << QByteArray(",\"meta\":{\"n_ctx_train\":32768}")
                                   << QByteArray("{\"default_generation_settings\":{\"n_ctx\":4096},\"total_slots\":1}")
                                   << int(ServerKind::LlamaCpp) << 4096;
        QTest::newRow("llama.cpp of another name")
            << QByteArray("me") << QByteArray() << QByteArray("{\"default_generation_settings\":{\"n_ctx\":4096}}")
            << int(ServerKind::LlamaCpp) << 4096;
        QTest::newRow("trefoil") << QByteArray("trefoil") << QByteArray() << QByteArray() << int(ServerKind::Trefoil) << -1;
        QTest::newRow("another") << QByteArray("openai") << QByteArray() << QByteArray() << int(ServerKind::Auto) << -1;
    }
    void kinds() {
        QFETCH(QByteArray, owner);
        QFETCH(QByteArray, more);
        QFETCH(QByteArray, props);
        QFETCH(int, kind);
        QFETCH(int, context);
        StandInServer server;
        server.answer("/v1/models", models(owner, more));
        if (!props.isEmpty()) server.answer("/props", json(props));
        server.answerChat(shortStream());
        const Probed found = probe(profileOf(server.address()), kKey);
        VERIFY_STEP(found, ProbeStep::Streaming, Outcome::Passed, "piece by piece");
        QVERIFY(found.result.ok());
        QCOMPARE(found.result.kind, ServerKind(kind));
        QCOMPARE(found.result.context, context);
        QCOMPARE(found.result.models, QStringList{QStringLiteral("clover")});
        QCOMPARE(found.result.model, QStringLiteral("clover"));
        VERIFY_STEP(found, ProbeStep::Name, Outcome::Skipped, "127.0.0.1");
        VERIFY_STEP(found, ProbeStep::Connection, Outcome::Passed, "answers");
        VERIFY_STEP(found, ProbeStep::Tls, Outcome::Skipped, "does not leave this machine");
        VERIFY_STEP(found, ProbeStep::Key, Outcome::Passed, "this key");
        QCOMPARE(found.told.size(), probeSteps().size());
        for (const StandInRequest& request : server.requests())
            QCOMPARE(request.headers.value("authorization"), "Bearer " + kKey.toLatin1());
        // One token was asked for, as this kind wants it.
        const QJsonObject body = QJsonDocument::fromJson(server.requests().last().body).object();
        const QString most = kind == int(ServerKind::Trefoil) ? QStringLiteral("max_new_tokens") : QStringLiteral("max_tokens");
        QCOMPARE(body.value(most).toInt(), 1);
        QCOMPARE(body.value(QLatin1String("model")).toString(), QStringLiteral("clover"));
    }

    void refusedAddresses() {
        Probed found = probe(profileOf(QUrl(QStringLiteral("http://models.example.org"))), kKey);
        VERIFY_STEP(found, ProbeStep::Address, Outcome::Failed, "not encrypted");
        QVERIFY(!found.text(ProbeStep::Address).contains(kKey));
        VERIFY_STEP(found, ProbeStep::Name, Outcome::Skipped, "Not tried");
        QCOMPARE(found.told.size(), 1);
        found = probe(profileOf(QUrl()));
        VERIFY_STEP(found, ProbeStep::Address, Outcome::Failed, "Enter the server's address");
    }

    void names() {
        const Probed found = probe(profileOf(QUrl(QStringLiteral("https://nowhere.invalid"))), kKey);
        VERIFY_STEP(found, ProbeStep::Name, Outcome::Failed, "no machine named");
        VERIFY_STEP(found, ProbeStep::Connection, Outcome::Skipped, "Not tried");
        QCOMPARE(found.result.error.kind, ServedErrorKind::NameNotFound);
    }

    void connections() {
        QUrl address;
        {
            const StandInServer gone;
            address = gone.address();
        }
        Probed found = probe(profileOf(address));
        VERIFY_STEP(found, ProbeStep::Connection, Outcome::Failed, "refused");
        StandInServer mute;
        mute.answer("/v1/models", {.noAnswer = true});
        StreamLimits limits;
        limits.silenceMs = 50;
        found = probe(profileOf(mute.address()), {}, QSslCertificate(), limits);
        VERIFY_STEP(found, ProbeStep::Connection, Outcome::Failed, "Nothing has come");
        mute.answer("/v1/models", {.hangUp = true});
        found = probe(profileOf(mute.address()));
        VERIFY_STEP(found, ProbeStep::Connection, Outcome::Failed, "without an answer");
    }

    void certificates() {
        const SelfSigned own = makeSelfSigned();
        if (own.certificate.isNull()) QSKIP("There is no openssl command.");
        StandInServer server;
        server.useTls(own.certificate, own.key);
        server.answer("/v1/models", models("sglang"));
        server.answerChat(shortStream());
        Probed found = probe(profileOf(server.address()), kKey);
        VERIFY_STEP(found, ProbeStep::Tls, Outcome::Failed, "self-signed");
        VERIFY_STEP(found, ProbeStep::Connection, Outcome::Passed, "answers");
        QVERIFY(server.requests().isEmpty());
        found = probe(profileOf(server.address()), kKey, own.certificate);
        VERIFY_STEP(found, ProbeStep::Tls, Outcome::Passed, "certificate is valid");
        VERIFY_STEP(found, ProbeStep::Streaming, Outcome::Passed, "");
    }

    void keys() {
        StandInServer server;
        server.answer("/v1/models", json("{\"error\":{\"message\":\"Unauthorized\",\"code\":401}}", 401));
        Probed found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Key, Outcome::Failed, "asks for a key");
        VERIFY_STEP(found, ProbeStep::Connection, Outcome::Passed, "");
        found = probe(profileOf(server.address()), kKey);
        VERIFY_STEP(found, ProbeStep::Key, Outcome::Failed, "does not accept the key");
        server.answer("/v1/models", models("vllm"));
        server.answerChat(shortStream());
        found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Key, Outcome::Skipped, "asks for none");
    }

    void modelLists() {
        StandInServer server;
        server.answerChat(shortStream());
        server.answer(
            "/v1/models",
            json("{\"data\":[{\"id\":\"a\",\"owned_by\":\"vllm\",\"max_model_len\":10},{\"id\":\"b\",\"max_model_len\":20}]}"));
        Probed found = probe(profileOf(server.address(), QStringLiteral("c")));
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Failed, "no model named \"c\". It has: a, b.");
        QCOMPARE(found.result.error.kind, ServedErrorKind::NoSuchModel);
        QCOMPARE(found.result.models.size(), 2);
        found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Noted, "Choose one");
        VERIFY_STEP(found, ProbeStep::Streaming, Outcome::Skipped, "no model has been chosen");
        QVERIFY(found.result.ok());
        found = probe(profileOf(server.address(), QStringLiteral("b")));
        QCOMPARE(found.result.model, QStringLiteral("b"));
        QCOMPARE(found.result.context, 20);
        ServerProfile other = profileOf(server.address(), QStringLiteral("a"));
        other.kind = ServerKind::SGLang;
        found = probe(other);
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Noted, "set up as SGLang");
        QCOMPARE(found.result.kind, ServerKind::Vllm);
        server.answer("/v1/models", json("{\"data\":[]}"));
        found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Failed, "empty");
        server.answer("/v1/models", json("{\"data\":7}"));
        found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Failed, "not as a server");
        StandInAnswer page = json("<html>Log in</html>");
        page.contentType = "text/html";
        server.answer("/v1/models", page);
        found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Failed, "web page");
        StandInAnswer moved = json({}, 301);
        moved.headers = {{"Location", "https://elsewhere.example/v1/models"}};
        server.answer("/v1/models", moved);
        found = probe(profileOf(server.address()), kKey);
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Failed, "https://elsewhere.example");
        // Without a list it goes by the name, if there is one.
        server.answer("/v1/models", json("{\"detail\":\"Not Found\"}", 404));
        found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Failed, "no OpenAI-style API");
        found = probe(profileOf(server.address(), QStringLiteral("a")));
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Noted, "no list");
        VERIFY_STEP(found, ProbeStep::Streaming, Outcome::Passed, "");
    }

    void streaming() {
        StandInServer server;
        server.answer("/v1/models", models("vllm"));
        server.answerChat(json(recordedStream(QStringLiteral("not_streamed.json"))));
        Probed found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Streaming, Outcome::Noted, "does not stream");
        QVERIFY(found.result.ok());
        server.answerChat(json("{\"error\":{\"message\":\"no GPU\"}}", 500));
        found = probe(profileOf(server.address()));
        VERIFY_STEP(found, ProbeStep::Streaming, Outcome::Failed, "no GPU");
        QVERIFY(!found.result.ok());
    }

    void modelsOnly() {
        StandInServer server;
        server.answer("/v1/models",
                      models("trefoil",
                             ",\"max_model_len\":8192,\"trefoil\":{\"mask_id\":4,\"thinking\":false,\"device\":\"CPU\","
                             "\"defaults\":{\"threshold\":0.8,\"max_new_tokens\":2048,\"seed\":7,\"do_sample\":true,"
                             "\"decoding\":\"auto\",\"top_p\":\"wrong\",\"block_size\":4000,\"other\":1}}"));
        const Probed found = probe(profileOf(server.address()), {}, QSslCertificate(), {}, ProbeDepth::Models);
        VERIFY_STEP(found, ProbeStep::Models, Outcome::Passed, "Trefoil has: clover");
        VERIFY_STEP(found, ProbeStep::Streaming, Outcome::Skipped, "Not tried");
        QVERIFY(found.result.ok());
        QCOMPARE(server.requests().size(), 1);
        QCOMPARE(found.result.device, QStringLiteral("CPU"));
        QCOMPARE(found.result.maskId, 4);
        QVERIFY(!found.result.thinks);
        const ControlValues expected{{QStringLiteral("threshold"), 0.8},
                                     {QStringLiteral("max_new_tokens"), qlonglong(2048)},
                                     {QStringLiteral("seed"), qulonglong(7)},
                                     {QStringLiteral("do_sample"), true},
                                     {QStringLiteral("decoding"), QStringLiteral("auto")}};
        QCOMPARE(found.result.defaults, expected);
        for (const QVariant& value : found.result.defaults) QVERIFY(value.isValid());
    }

    void cancelling() {
        StandInServer server;
        server.answer("/v1/models", {.noAnswer = true});
        ServerProbe probe;
        int ends = 0;
        connect(&probe, &ServerProbe::finished, &probe, [&ends] { ++ends; });
        probe.start(profileOf(server.address()), kKey);
        QTRY_COMPARE(server.requests().size(), 1);
        probe.cancel();
        QVERIFY(!probe.running());
        QTRY_COMPARE(server.connections(), 0);
        // Starting over, from a slot of its own.
        server.answer("/v1/models", models("vllm"));
        server.answerChat(shortStream());
        bool again = false;
        connect(&probe, &ServerProbe::stepDone, &probe, [&](const ProbeReport& report) {
            if (report.step == ProbeStep::Key && !std::exchange(again, true)) probe.start(profileOf(server.address()), {});
        });
        probe.start(profileOf(server.address()), {});
        QTRY_COMPARE(ends, 1);
        QTest::qWait(20);
        QCOMPARE(ends, 1);
        QVERIFY(again);
    }
};

QTEST_GUILESS_MAIN(ServerProbeTest)
#include "server_probe_test.moc"
