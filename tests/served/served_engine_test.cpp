// A served model as a ChatEngine: what it can do, estimates, cancelling at any time, keys that are gone, what is kept.
#include "app/served/served_engine.h"
#include "tests/support/stand_in_server.h"

#include <QSignalSpy>
#include <QTest>

using namespace trefoil;
using namespace trefoil::test;

namespace {

ServerEntry entryFor(const QUrl& address, ServerKind kind = ServerKind::Vllm) {
    ServerEntry entry;
    entry.profile.id = QStringLiteral("lab");
    entry.profile.address = address;
    entry.profile.kind = kind;
    entry.profile.model = QStringLiteral("clover");
    return entry;
}

GenerateRequest question(const QString& text = QStringLiteral("What is 347 + 586?")) {
    GenerateRequest request;
    request.messages = {{QStringLiteral("user"), text}};
    return request;
}

/// Runs a request to its end; EndReason::None where there was not exactly one.
GenerationOutcome outcomeOf(ServedEngine& engine, RequestId id) {
    QSignalSpy ends(&engine, &ServedEngine::generationFinished);
    if (!QTest::qWaitFor([&] { return !ends.isEmpty(); }, 30000) || ends.size() != 1) return {};
    if (ends.first().at(0).value<RequestId>() != id) return {};
    return ends.first().at(1).value<GenerationOutcome>();
}

}  // namespace

class ServedEngineTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { qRegisterMetaType<RequestId>("trefoil::RequestId"); }

    void saysWhatItCanDo() {
        const auto keys = makeMemoryKeyStore();
        const ServedEngine vllm(entryFor(QUrl(QStringLiteral("http://[::1]:8000"))), keys.get());
        QCOMPARE(vllm.identity().place, QStringLiteral("[::1]:8000"));
        const EngineCapabilities able = vllm.capabilities();
        QVERIFY(able.reachesOut && !able.confidences && !able.interventions && !able.exactCounting);
        QVERIFY(!able.whyNoConfidences.isEmpty() && !able.whyNoInterventions.isEmpty() && !able.whyEstimated.isEmpty());
        QVERIFY(!able.liveSteering && !able.whyNoLiveSteering.isEmpty());
        QVERIFY(able.refusedControls.contains(QStringLiteral("threshold")));
        QVERIFY(!able.refusedControls.contains(QStringLiteral("temperature")));
        QCOMPARE(able.continuing, Continuing::ByText);
        const ServedEngine trefoil(entryFor(QUrl(QStringLiteral("https://gpu.example")), ServerKind::Trefoil), keys.get());
        QVERIFY(trefoil.capabilities().confidences && trefoil.capabilities().continuesThinking);
        QVERIFY(trefoil.capabilities().refusedControls.isEmpty());
        const ServedEngine unknown(entryFor(QUrl(QStringLiteral("https://gpu.example")), ServerKind::Auto), keys.get());
        QCOMPARE(unknown.capabilities().continuing, Continuing::Anew);
        const ServedEngine nowhere(entryFor(QUrl()), keys.get());
        QVERIFY(!nowhere.model() && !nowhere.notReady().isEmpty());
    }

    void estimatesWithoutAsking() {
        const auto keys = makeMemoryKeyStore();
        StandInServer server;
        StandInAnswer answer;
        answer.body = recordedStream(QStringLiteral("vllm_reasoning.sse"));
        server.answerChat(answer);
        ServedEngine engine(entryFor(server.address()), keys.get());
        QSignalSpy counted(&engine, &ServedEngine::promptPreviewed);
        const QList<PromptMessage> prompt{{QStringLiteral("user"), QString(400, QLatin1Char('x'))}};
        engine.previewPromptAsync(prompt, true);
        const RequestId newest = engine.previewPromptAsync(prompt, true);
        QTRY_COMPARE(counted.size(), 1);
        QCOMPARE(counted.first().at(0).value<RequestId>(), newest);
        const auto before = counted.first().at(1).value<PromptView>();
        QVERIFY(!before.exact && before.tokens > 50 && before.tokens < 200 && before.context == 0);
        QVERIFY(server.requests().isEmpty());
        // The server counted 21 tokens for four bytes: from then on the estimate follows it.
        QCOMPARE(outcomeOf(engine, engine.generateAsync(question(QStringLiteral("four")))).reason, EndReason::End);
        engine.previewPromptAsync(prompt, true);
        QTRY_COMPARE(counted.size(), 2);
        QVERIFY(counted.last().at(1).value<PromptView>().tokens > 1000);
    }

    void cancelledAtAnyTime() {
        const auto keys = makeMemoryKeyStore();
        StandInServer server;
        StandInAnswer answer;
        answer.body = recordedStream(QStringLiteral("vllm_reasoning.sse"));
        answer.body = answer.body.left(answer.body.indexOf("\n\n", answer.body.indexOf("347 + 586")) + 2);
        answer.silentAfterBody = true;
        server.answerChat(answer);
        ServedEngine engine(entryFor(server.address()), keys.get());
        QSignalSpy ends(&engine, &ServedEngine::generationFinished);
        const RequestId early = engine.generateAsync(question());
        engine.cancel(early);
        QCOMPARE(ends.size(), 1);
        QCOMPARE(ends.first().at(1).value<GenerationOutcome>().reason, EndReason::Cancelled);
        QSignalSpy updates(&engine, &ServedEngine::responseUpdated);
        const RequestId late = engine.generateAsync(question());
        const auto written = [&] { return !updates.isEmpty() && !updates.last().at(1).value<ResponseUpdate>().answer.isEmpty(); };
        QTRY_VERIFY(written());
        QVERIFY(engine.generating());
        engine.cancel(late);
        engine.cancel(late);
        QTRY_COMPARE(ends.size(), 2);
        const auto outcome = ends.last().at(1).value<GenerationOutcome>();
        QCOMPARE(outcome.reason, EndReason::Cancelled);
        QCOMPARE(outcome.response.answer, QStringLiteral("347 + 586"));
        QVERIFY(!outcome.response.thinking.isEmpty());
        QVERIFY(!engine.generating());
        QTRY_COMPARE(server.connections(), 0);
        QCOMPARE(server.requests().size(), 1);
    }

    void keyThatIsGone() {
        const auto keys = makeMemoryKeyStore();
        StandInServer server;
        ServerEntry entry = entryFor(server.address());
        entry.profile.hasKey = true;
        ServedEngine engine(entry, keys.get());
        const GenerationOutcome outcome = outcomeOf(engine, engine.generateAsync(question()));
        QCOMPARE(outcome.reason, EndReason::Refused);
        QVERIFY(outcome.error.contains(QStringLiteral("key")));
        QVERIFY(server.requests().isEmpty());
    }

    void noRoomNow() {
        const auto keys = makeMemoryKeyStore();
        StandInServer server;
        StandInAnswer full;
        full.status = 429;
        full.headers = {{"Retry-After", "17"}};
        server.answerChat(full);
        ServedEngine engine(entryFor(server.address()), keys.get());
        const GenerationOutcome outcome = outcomeOf(engine, engine.generateAsync(question()));
        QCOMPARE(outcome.reason, EndReason::Failed);
        QCOMPARE(outcome.retryAfterSeconds, 17);
        QCOMPARE(server.requests().size(), 1);
    }

    void learnsTheContextFromAnAnswer() {
        const auto keys = makeMemoryKeyStore();
        StandInServer server;
        StandInAnswer answer;
        answer.body = recordedStream(QStringLiteral("trefoil_passes.sse"));
        server.answerChat(answer);
        ServedEngine engine(entryFor(server.address(), ServerKind::Trefoil), keys.get());
        QSignalSpy changed(&engine, &ServedEngine::changed);
        QCOMPARE(engine.model()->context, 0);
        QCOMPARE(outcomeOf(engine, engine.generateAsync(question())).error, QString());
        QVERIFY(engine.model()->context > 0);
        QCOMPARE(changed.size(), 1);
        // Known already.
        QCOMPARE(outcomeOf(engine, engine.generateAsync(question())).error, QString());
        QCOMPARE(changed.size(), 1);
    }

    void leavesOutTheOldest() {
        const auto keys = makeMemoryKeyStore();
        ServerEntry entry = entryFor(QUrl(QStringLiteral("http://127.0.0.1:9")));
        entry.context = 256;
        ServedEngine engine(entry, keys.get());
        QSignalSpy fitted(&engine, &ServedEngine::promptFitted);
        const QString longText(400, QLatin1Char('x'));
        const QList<PromptMessage> all{{QStringLiteral("system"), QStringLiteral("s")},
                                       {QStringLiteral("user"), longText},
                                       {QStringLiteral("assistant"), longText},
                                       {QStringLiteral("user"), QStringLiteral("q")}};
        engine.fitPromptAsync(all, {{QStringLiteral("max_new_tokens"), 64}, {QStringLiteral("block_size"), 32}});
        QTRY_COMPARE(fitted.size(), 1);
        QCOMPARE(fitted.first().at(2).toInt(), 2);
        QCOMPARE(fitted.first().at(1).value<QList<PromptMessage>>(), (QList<PromptMessage>{all.first(), all.last()}));
    }
};

QTEST_GUILESS_MAIN(ServedEngineTest)
#include "served_engine_test.moc"
