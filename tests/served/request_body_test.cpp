// The bodies that each kind of server gets, and which controls it takes.
#include "app/served/chat_request_body.h"
#include "app/served/served_capabilities.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTest>

using namespace trefoil;

namespace {

ServerProfile serverOf(ServerKind kind) {
    ServerProfile server;
    server.kind = kind;
    server.model = QStringLiteral("clover");
    return server;
}

ControlValues allControls() {
    ControlValues out;
    for (const ControlDescription& d : controlDescriptions()) out.insert(d.name, d.standard);
    return out;
}

ServedRequest requestWith(const ControlValues& controls) {
    ServedRequest request;
    request.messages = {{QStringLiteral("system"), QStringLiteral("Be brief.")},
                        {QStringLiteral("user"), QStringLiteral("Hé \"you\"\n")}};
    request.controls = controls;
    return request;
}

QJsonObject bodyOf(ServerKind kind, const ServedRequest& request) {
    return QJsonDocument::fromJson(servedRequestBody(serverOf(kind), request).json).object();
}

QString s(const char* text) { return QString::fromLatin1(text); }

}  // namespace

class RequestBodyTest : public QObject {
    Q_OBJECT

private slots:
    void common() {
        for (const ServerKind kind : serverKinds()) {
            const QJsonObject body = bodyOf(kind, requestWith({{s("enable_thinking"), false}}));
            QCOMPARE(body.value(s("model")).toString(), s("clover"));
            QCOMPARE(body.value(s("stream")).toBool(), true);
            QCOMPARE(body.value(s("stream_options")).toObject().value(s("include_usage")).toBool(), true);
            const QJsonArray messages = body.value(s("messages")).toArray();
            QCOMPARE(messages.size(), 2);
            QCOMPARE(messages.at(1).toObject().value(s("content")).toString(), QString::fromUtf8("Hé \"you\"\n"));
            QCOMPARE(body.value(s("chat_template_kwargs")).toObject().value(s("enable_thinking")), QJsonValue(false));
            QCOMPARE(body.contains(s("trefoil_passes")), kind == ServerKind::Trefoil);
            ServedRequest plain = requestWith({});
            plain.stream = false;
            QVERIFY(!bodyOf(kind, plain).contains(s("stream_options")));
            QVERIFY(!bodyOf(kind, plain).contains(s("chat_template_kwargs")));
            QVERIFY(!bodyOf(kind, plain).contains(s("trefoil_passes")));
        }
    }

    void greedyIsTemperatureZero() {
        ControlValues controls = allControls();
        controls.insert(s("do_sample"), false);
        controls.insert(s("temperature"), 0.7);
        for (const ServerKind kind : {ServerKind::Auto, ServerKind::SGLang, ServerKind::Vllm, ServerKind::LlamaCpp}) {
            const QJsonObject body = bodyOf(kind, requestWith(controls));
            QCOMPARE(body.value(s("temperature")).toDouble(-1), 0.0);
            for (const char* absent : {"top_p", "top_k", "min_p", "seed", "do_sample"}) QVERIFY(!body.contains(s(absent)));
        }
        controls.insert(s("do_sample"), true);
        controls.insert(s("top_p"), 0.0);
        QCOMPARE(bodyOf(ServerKind::Vllm, requestWith(controls)).value(s("temperature")).toDouble(-1), 0.0);
    }

    void sampling() {
        const ControlValues controls{
            {s("do_sample"), true},       {s("temperature"), 0.7},        {s("top_p"), 0.9},
            {s("top_k"), qint64(0)},      {s("seed"), quint64(42)},       {s("repetition_penalty"), 1.05},
            {s("presence_penalty"), 0.9}, {s("frequency_penalty"), 0.25}, {s("max_new_tokens"), qint64(512)}};
        const QJsonObject sglang = bodyOf(ServerKind::SGLang, requestWith(controls));
        QCOMPARE(sglang.value(s("temperature")).toDouble(), 0.7);
        QCOMPARE(sglang.value(s("top_p")).toDouble(), 0.9);
        QCOMPARE(sglang.value(s("top_k")).toInt(), -1);
        QCOMPARE(sglang.value(s("seed")).toInt(), 42);
        QCOMPARE(sglang.value(s("repetition_penalty")).toDouble(), 1.05);
        QCOMPARE(sglang.value(s("presence_penalty")).toDouble(), 0.9);
        QCOMPARE(sglang.value(s("frequency_penalty")).toDouble(), 0.25);
        QCOMPARE(sglang.value(s("max_tokens")).toInt(), 512);
        QVERIFY(!sglang.contains(s("min_p")));
        QCOMPARE(bodyOf(ServerKind::Vllm, requestWith(controls)), sglang);
        const QJsonObject llama = bodyOf(ServerKind::LlamaCpp, requestWith(controls));
        QCOMPARE(llama.value(s("top_k")).toInt(-7), 0);
        QCOMPARE(llama.value(s("min_p")).toDouble(-1), 0.0);
        QCOMPARE(llama.value(s("repeat_penalty")).toDouble(), 1.05);
        QVERIFY(!llama.contains(s("repetition_penalty")));
        const QJsonObject unknown = bodyOf(ServerKind::Auto, requestWith(controls));
        for (const char* absent : {"top_k", "min_p", "repetition_penalty", "repeat_penalty"})
            QVERIFY(!unknown.contains(s(absent)));
        QCOMPARE(unknown.value(s("seed")).toInt(), 42);
    }

    void outOfAServersRange() {
        const ControlValues controls{{s("do_sample"), true},
                                     {s("temperature"), 5.0},
                                     {s("presence_penalty"), 5.0},
                                     {s("repetition_penalty"), 3.0},
                                     {s("seed"), quint64(0xFFFFFFFFFFFFFFFFULL)}};
        const ServedBody sglang = servedRequestBody(serverOf(ServerKind::SGLang), requestWith(controls));
        QVERIFY(sglang.json.contains("\"seed\":9223372036854775807"));
        QVERIFY(sglang.json.contains("\"presence_penalty\":2.0"));
        QVERIFY(sglang.json.contains("\"repetition_penalty\":2.0"));
        QVERIFY(sglang.json.contains("\"temperature\":5.0"));
        QCOMPARE(sglang.notes.size(), 3);
        QVERIFY2(sglang.notes.join(u' ').contains(s("presence_penalty was sent as 2")), qPrintable(sglang.notes.join(u' ')));
        // The seed that means "any" to llama.cpp is never sent.
        const ServedBody llama =
            servedRequestBody(serverOf(ServerKind::LlamaCpp), requestWith({{s("seed"), quint64(0xFFFFFFFFULL)}}));
        QVERIFY(llama.json.contains("\"seed\":0"));
        QCOMPARE(llama.notes.size(), 1);
        QVERIFY(servedRequestBody(serverOf(ServerKind::Auto), requestWith(controls)).json.contains("\"temperature\":2.0"));
    }

    void trefoilTakesAllUnderTheirOwnNames() {
        ControlValues controls = allControls();
        controls.insert(s("seed"), quint64(0xFFFFFFFFFFFFFFFFULL));
        const ServedBody made = servedRequestBody(serverOf(ServerKind::Trefoil), requestWith(controls));
        QVERIFY(made.json.contains("\"seed\":18446744073709551615"));
        QVERIFY(made.notes.isEmpty());
        const QJsonObject body = QJsonDocument::fromJson(made.json).object();
        for (const ControlDescription& d : controlDescriptions()) {
            QVERIFY2(body.contains(d.name), qPrintable(d.name));
            if (d.kind == ControlKind::Boolean) QVERIFY2(body.value(d.name).isBool(), qPrintable(d.name));
            if (d.kind == ControlKind::Choice) QVERIFY2(body.value(d.name).isString(), qPrintable(d.name));
            if (d.kind == ControlKind::Integer) QCOMPARE(body.value(d.name).toInteger(), d.standard.toLongLong());
        }
        QVERIFY(!body.contains(s("max_tokens")));
        QCOMPARE(body.value(s("threshold")).toDouble(), 0.95);
    }

    void onlyKnownControlsAreSent() {
        ControlValues controls = allControls();
        controls.insert(s("do_sample"), true);
        controls.insert(s("surprise"), 1);
        const QSet<QString> allowed{s("model"),
                                    s("messages"),
                                    s("stream"),
                                    s("stream_options"),
                                    s("chat_template_kwargs"),
                                    s("max_tokens"),
                                    s("temperature"),
                                    s("top_p"),
                                    s("top_k"),
                                    s("seed"),
                                    s("min_p"),
                                    s("repeat_penalty"),
                                    s("repetition_penalty"),
                                    s("presence_penalty"),
                                    s("frequency_penalty")};
        for (const ServerKind kind : {ServerKind::Auto, ServerKind::SGLang, ServerKind::Vllm, ServerKind::LlamaCpp})
            for (const QString& key : bodyOf(kind, requestWith(controls)).keys())
                QVERIFY2(allowed.contains(key), qPrintable(key));
        QVERIFY(!bodyOf(ServerKind::Trefoil, requestWith(controls)).contains(s("surprise")));
    }

    void continuation() {
        ServedRequest request = requestWith({{s("enable_thinking"), true}});
        request.begunAnswer = s("One, two, ");
        for (const ServerKind kind : serverKinds()) {
            const ServedBody made = servedRequestBody(serverOf(kind), request);
            const QJsonObject body = QJsonDocument::fromJson(made.json).object();
            QCOMPARE(made.continuesAnswer, servedCapabilities(kind).continuesAnswers);
            QCOMPARE(made.thinkingAsked, !made.continuesAnswer);
            QCOMPARE(body.value(s("chat_template_kwargs")).toObject().value(s("enable_thinking")).toBool(), made.thinkingAsked);
            const QJsonObject last = body.value(s("messages")).toArray().last().toObject();
            QCOMPARE(last.value(s("role")).toString(), made.continuesAnswer ? s("assistant") : s("user"));
            if (made.continuesAnswer) QCOMPARE(last.value(s("content")).toString(), request.begunAnswer);
            const bool named = made.continuesAnswer && kind != ServerKind::LlamaCpp;
            QCOMPARE(body.value(s("continue_final_message")).toBool(), named);
            QCOMPARE(body.contains(s("add_generation_prompt")), named);
            if (named) QCOMPARE(body.value(s("add_generation_prompt")), QJsonValue(false));
        }
    }

    void continuationOfThinking() {
        for (const char* answer : {"", "One, "}) {
            ServedRequest request = requestWith({{s("enable_thinking"), true}});
            request.begunAnswer = s(answer);
            request.begunThinking = s("Count.");
            const ServedBody made = servedRequestBody(serverOf(ServerKind::Trefoil), request);
            QVERIFY(made.continuesAnswer && made.thinkingAsked);
            const QJsonObject body = QJsonDocument::fromJson(made.json).object();
            QCOMPARE(body.value(s("enable_thinking")), QJsonValue(true));
            QCOMPARE(body.value(s("continue_final_message")), QJsonValue(true));
            const QJsonObject last = body.value(s("messages")).toArray().last().toObject();
            QCOMPARE(last.value(s("reasoning_content")).toString(), s("Count."));
            QCOMPARE(last.value(s("content")).toString(), s(answer));
            // Others are asked anew where no answer has begun, and never get the thinking.
            for (const ServerKind kind : {ServerKind::SGLang, ServerKind::Vllm, ServerKind::LlamaCpp}) {
                const ServedBody other = servedRequestBody(serverOf(kind), request);
                QVERIFY(!other.json.contains("Count."));
                QCOMPARE(other.continuesAnswer, *answer != 0);
                QCOMPARE(other.thinkingAsked, *answer == 0);
                QVERIFY(!servedCapabilities(kind).continuesThinking);
            }
        }
    }

    void reasons() {
        const QStringList diffusion{
            s("block_size"),          s("threshold"),          s("decoding"), s("align_blocks"), s("moe_block_coreset_enabled"),
            s("dllm_length_penalty"), s("dllm_think_end_bias")};
        for (const ServerKind kind : serverKinds()) {
            QCOMPARE(servedCapabilities(kind).confidences, kind == ServerKind::Trefoil);
            for (const QString& control : diffusion)
                QCOMPARE(servedControlRefusal(kind, control).isEmpty(), kind == ServerKind::Trefoil);
            for (const QString& control : {s("max_new_tokens"), s("temperature"), s("top_p"), s("seed"), s("enable_thinking")})
                QCOMPARE(servedControlRefusal(kind, control), QString());
            QVERIFY(!servedControlRefusal(kind, s("surprise")).isEmpty());
            for (const QString& control : servedControls(kind)) QVERIFY(servedControlRefusal(kind, control).isEmpty());
        }
        QVERIFY(servedControlRefusal(ServerKind::SGLang, s("threshold")).contains(s("started")));
        QVERIFY(servedControlRefusal(ServerKind::LlamaCpp, s("threshold")).contains(s("llama.cpp")));
        QCOMPARE(servedControls(ServerKind::Trefoil).size(), controlDescriptions().size());
        QVERIFY(!servedControlRefusal(ServerKind::Auto, s("top_k")).isEmpty());
    }
};

QTEST_GUILESS_MAIN(RequestBodyTest)
#include "request_body_test.moc"
