#include "app/served/server_probe.h"

#include "app/served/chat_request_body.h"
#include "app/served/endpoint_rules.h"
#include "app/served/http_get.h"

#include <QCoreApplication>
#include <QHostAddress>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

namespace trefoil {
namespace {

/// lupdate takes the context from here, not through another name.
struct Text {
    Q_DECLARE_TR_FUNCTIONS(ServerProbe)
};

/// The step that an error of the first request belongs to.
ProbeStep stepOf(ServedErrorKind kind) {
    switch (kind) {
        case ServedErrorKind::Address:
            return ProbeStep::Address;
        case ServedErrorKind::NameNotFound:
            return ProbeStep::Name;
        case ServedErrorKind::Refused:
        case ServedErrorKind::Unreachable:
        case ServedErrorKind::ConnectTimeout:
        case ServedErrorKind::Silence:
        case ServedErrorKind::BrokenStream:
            return ProbeStep::Connection;
        case ServedErrorKind::Tls:
            return ProbeStep::Tls;
        case ServedErrorKind::Key:
            return ProbeStep::Key;
        default:
            return ProbeStep::Models;
    }
}

/// By what the servers say of their models and of themselves.
ServerKind kindOf(const QString& owner, const QByteArray& server) {
    if (owner == QLatin1String("sglang")) return ServerKind::SGLang;
    if (owner == QLatin1String("vllm")) return ServerKind::Vllm;
    if (owner == QLatin1String("llamacpp") || server.toLower().startsWith("llama.cpp")) return ServerKind::LlamaCpp;
    if (owner == QLatin1String("trefoil") || server.toLower().startsWith("trefoil")) return ServerKind::Trefoil;
    return ServerKind::Auto;
}

/// What `trefoil-cli serve` says of its model.
void readOwnModel(const QJsonObject& object, ProbeResult& out) {
    if (object.isEmpty()) return;
    out.device = object.value(QLatin1String("device")).toString();
    out.maskId = static_cast<qint32>(object.value(QLatin1String("mask_id")).toInt(-1));
    out.thinks = object.value(QLatin1String("thinking")).toBool(true);
    const QJsonObject defaults = object.value(QLatin1String("defaults")).toObject();
    for (const ControlDescription& d : controlDescriptions()) {
        if (!defaults.contains(d.name)) continue;
        QVariant value = defaults.value(d.name).toVariant();
        if (value.convert(d.standard.metaType()) && controlProblem(d.name, value).isEmpty()) out.defaults.insert(d.name, value);
    }
}

}  // namespace

QList<ProbeStep> probeSteps() {
    return {ProbeStep::Address, ProbeStep::Name,   ProbeStep::Connection, ProbeStep::Tls,
            ProbeStep::Key,     ProbeStep::Models, ProbeStep::Streaming};
}

QString probeStepTitle(ProbeStep step) {
    switch (step) {
        case ProbeStep::Address:
            return Text::tr("Address");
        case ProbeStep::Name:
            return Text::tr("Name");
        case ProbeStep::Connection:
            return Text::tr("Connection");
        case ProbeStep::Tls:
            return Text::tr("Encryption");
        case ProbeStep::Key:
            return Text::tr("Key");
        case ProbeStep::Models:
            return Text::tr("Models");
        case ProbeStep::Streaming:
            return Text::tr("Streaming");
    }
    return {};
}

struct ServerProbe::Private {
    explicit Private(ServerProbe* probe) : q(probe) {}

    void begin();
    void modelsCame(const HttpDocument& document);
    bool passTls();
    bool readModels(const HttpDocument& document);
    bool chooseModel();
    void askProps();
    void propsCame(const HttpDocument& document);
    void tryStreaming();
    void streamed(const ServedEnd& end);

    bool pass(ProbeStep step, ProbeOutcome outcome, const QString& text);
    void fail(ProbeStep step, const ServedError& error);
    void end();
    void release();

    ServerProbe* q;
    std::unique_ptr<HttpGet> get;
    std::unique_ptr<ChatStream> stream;
    QList<QSslCertificate> trusted;
    ServedCall call;
    ProbeResult result;
    ProbeDepth depth = ProbeDepth::Streaming;
    quint64 run = 0;  ///< which start() this is
    bool running = false;
};

/// False: the listener has cancelled, or started over.
bool ServerProbe::Private::pass(ProbeStep step, ProbeOutcome outcome, const QString& text) {
    const ProbeReport report{step, outcome, text};
    result.steps.append(report);
    const quint64 before = run;
    emit q->stepDone(report);
    return run == before;
}

void ServerProbe::Private::fail(ProbeStep step, const ServedError& error) {
    result.error = error;
    if (pass(step, ProbeOutcome::Failed, error.text())) end();
}

void ServerProbe::Private::end() {
    for (const ProbeStep step : probeSteps())
        if (result.steps.size() <= static_cast<qsizetype>(step))
            result.steps.append({step, ProbeOutcome::Skipped, Text::tr("Not tried.")});
    running = false;
    release();
    const ProbeResult out = result;
    emit q->finished(out);
}

void ServerProbe::Private::release() {
    call.key.clear();
    // Not at once: this may run inside one of their signals.
    if (get) get.release()->deleteLater();
    if (stream) {
        stream->cancel();
        stream.release()->deleteLater();
    }
}

void ServerProbe::Private::begin() {
    const AddressReading address = readServerAddress(call.server.address.toString());
    if (!address.ok()) return fail(ProbeStep::Address, addressError(address.problem));
    call.server.address = address.address;
    const QString problem = keyProblem(address.address, call.key);
    if (!problem.isEmpty()) return fail(ProbeStep::Address, addressError(problem));
    if (!pass(ProbeStep::Address, ProbeOutcome::Passed, shownAddress(address.address))) return;
    get = std::make_unique<HttpGet>();
    get->start(call, QStringLiteral("/v1/models"), trusted, [this](const HttpDocument& document) { modelsCame(document); });
}

bool ServerProbe::Private::passTls() {
    const QUrl& address = call.server.address;
    if (address.scheme() == QLatin1String("https"))
        return pass(ProbeStep::Tls, ProbeOutcome::Passed, Text::tr("The connection is encrypted and the certificate is valid."));
    if (isThisMachine(address))
        return pass(ProbeStep::Tls, ProbeOutcome::Skipped,
                    Text::tr("Not encrypted; the connection does not leave this machine."));
    return pass(ProbeStep::Tls, ProbeOutcome::Noted, Text::tr("Not encrypted: your text can be read on its way to this server."));
}

void ServerProbe::Private::modelsCame(const HttpDocument& document) {
    const QUrl& address = call.server.address;
    const ProbeStep failed = document.error.ok() ? ProbeStep::Streaming : stepOf(document.error.kind);
    if (failed == ProbeStep::Name) return fail(failed, document.error);
    const bool isName = QHostAddress(address.host()).isNull();
    if (!pass(ProbeStep::Name, isName ? ProbeOutcome::Passed : ProbeOutcome::Skipped,
              isName ? Text::tr("The name %1 is known.").arg(address.host())
                     : Text::tr("%1 is an address and needs no name.").arg(address.host())))
        return;
    if (failed == ProbeStep::Connection) return fail(failed, document.error);
    if (!pass(ProbeStep::Connection, ProbeOutcome::Passed, Text::tr("Something answers at %1.").arg(shownAddress(address))))
        return;
    if (failed == ProbeStep::Tls) return fail(failed, document.error);
    if (!passTls()) return;
    if (failed == ProbeStep::Key) return fail(failed, document.error);
    if (!pass(ProbeStep::Key, call.key.isEmpty() ? ProbeOutcome::Skipped : ProbeOutcome::Passed,
              call.key.isEmpty() ? Text::tr("No key is set, and the server asks for none.")
                                 : Text::tr("The server takes requests with this key.")))
        return;
    // A server may do without the list, if the model's name is known.
    const bool noList = document.error.kind == ServedErrorKind::NoSuchPath && !call.server.model.isEmpty();
    if (failed == ProbeStep::Models && !noList) return fail(failed, document.error);
    if (noList) {
        result.model = call.server.model;
        result.kind = kindOf({}, document.server);
        if (pass(ProbeStep::Models, ProbeOutcome::Noted, Text::tr("The server gives no list of its models."))) tryStreaming();
        return;
    }
    if (!readModels(document)) return fail(ProbeStep::Models, notAnApiError(document.facts));
    if (result.kind == ServerKind::Auto || result.kind == ServerKind::LlamaCpp) return askProps();
    if (chooseModel()) tryStreaming();
}

bool ServerProbe::Private::readModels(const HttpDocument& document) {
    const QJsonObject list = QJsonDocument::fromJson(document.facts.body).object();
    if (!list.value(QLatin1String("data")).isArray()) return false;
    QJsonObject chosen;
    for (const QJsonValue entry : list.value(QLatin1String("data")).toArray()) {
        const QJsonObject model = entry.toObject();
        const QString id = model.value(QLatin1String("id")).toString();
        if (id.isEmpty()) continue;
        result.models.append(id);
        if (chosen.isEmpty() || id == call.server.model) chosen = model;
    }
    result.context = chosen.value(QLatin1String("max_model_len")).toInteger(-1);
    const QString owner = chosen.value(QLatin1String("owned_by")).toString().toLower();
    readOwnModel(chosen.value(QLatin1String("trefoil")).toObject(), result);
    result.kind = kindOf(owner, document.server);
    return true;
}

/// llama.cpp says there what it was started with; others have no such page.
void ServerProbe::Private::askProps() {
    get.release()->deleteLater();
    get = std::make_unique<HttpGet>();
    get->start(call, QStringLiteral("/props"), trusted, [this](const HttpDocument& document) { propsCame(document); });
}

void ServerProbe::Private::propsCame(const HttpDocument& document) {
    const QJsonObject props = QJsonDocument::fromJson(document.facts.body).object();
    const QJsonObject settings = props.value(QLatin1String("default_generation_settings")).toObject();
    if (document.error.ok() && !settings.isEmpty()) {
        result.kind = ServerKind::LlamaCpp;
        result.context = settings.value(QLatin1String("n_ctx")).toInteger(result.context);
    }
    if (chooseModel()) tryStreaming();
}

/// False: the probe is over.
bool ServerProbe::Private::chooseModel() {
    ServedError error;
    error.kind = ServedErrorKind::NoSuchModel;
    const QString& wanted = call.server.model;
    if (result.models.isEmpty()) {
        error.message = Text::tr("The server's list of models is empty.");
        error.hint = Text::tr("It may still be loading one. Try again in a while.");
        fail(ProbeStep::Models, error);
        return false;
    }
    if (!wanted.isEmpty() && !result.models.contains(wanted)) {
        error.message = Text::tr("The server has no model named \"%1\".").arg(wanted);
        error.hint = Text::tr("It has: %1.").arg(result.models.mid(0, 8).join(QLatin1String(", ")));
        fail(ProbeStep::Models, error);
        return false;
    }
    const QString of = result.kind == ServerKind::Auto ? Text::tr("The server has: %1.")
                                                       : Text::tr("%1 has: %2.").arg(serverKindTitle(result.kind));
    const QString text = of.arg(result.models.mid(0, 8).join(QLatin1String(", ")));
    if (wanted.isEmpty() && result.models.size() > 1) {
        if (pass(ProbeStep::Models, ProbeOutcome::Noted, text + QLatin1Char(' ') + Text::tr("Choose one of them.")) &&
            pass(ProbeStep::Streaming, ProbeOutcome::Skipped, Text::tr("Not tried: no model has been chosen.")))
            end();
        return false;
    }
    result.model = wanted.isEmpty() ? result.models.first() : wanted;
    const bool other = call.server.kind != ServerKind::Auto && result.kind != ServerKind::Auto && call.server.kind != result.kind;
    return pass(ProbeStep::Models, other ? ProbeOutcome::Noted : ProbeOutcome::Passed,
                other ? text + QLatin1Char(' ') + Text::tr("It was set up as %1.").arg(serverKindTitle(call.server.kind)) : text);
}

void ServerProbe::Private::tryStreaming() {
    if (depth == ProbeDepth::Models) return end();
    ServedCall ask = call;
    ask.server.model = result.model;
    ask.server.kind = result.kind == ServerKind::Auto ? call.server.kind : result.kind;
    ServedRequest request;
    request.messages = {{QStringLiteral("user"), QStringLiteral("Hello")}};
    request.controls = {
        {QStringLiteral("max_new_tokens"), 1}, {QStringLiteral("enable_thinking"), false}, {QStringLiteral("do_sample"), false}};
    request.passes = false;
    const ServedBody body = servedRequestBody(ask.server, request);
    ask.body = body.json;
    ask.thinkingAsked = body.thinkingAsked;
    stream = std::make_unique<ChatStream>();
    for (const QSslCertificate& certificate : std::as_const(trusted)) stream->addTrustedCertificate(certificate);
    QObject::connect(stream.get(), &ChatStream::finished, q, [this](const ServedEnd& e) { streamed(e); });
    QObject::connect(stream.get(), &ChatStream::failed, q, [this](const ServedError& e) { fail(ProbeStep::Streaming, e); });
    stream->start(ask);
}

void ServerProbe::Private::streamed(const ServedEnd& streamEnd) {
    if (pass(ProbeStep::Streaming, streamEnd.notStreamed ? ProbeOutcome::Noted : ProbeOutcome::Passed,
             streamEnd.notStreamed ? Text::tr("The server answers, but does not stream: each answer will appear in one piece.")
                                   : Text::tr("The answer arrives piece by piece.")))
        end();
}

ServerProbe::ServerProbe(QObject* parent) : QObject(parent), d(std::make_unique<Private>(this)) {}

ServerProbe::~ServerProbe() { d->release(); }

void ServerProbe::start(const ServerProfile& profile, const QString& key, const StreamLimits& limits, ProbeDepth depth) {
    cancel();
    d->depth = depth;
    d->call = {profile, key, {}, false, false, limits};
    d->result = {};
    d->running = true;
    QMetaObject::invokeMethod(
        this,
        [this, run = d->run] {
            if (d->running && d->run == run) d->begin();
        },
        Qt::QueuedConnection);
}

void ServerProbe::cancel() {
    ++d->run;
    d->running = false;
    d->release();
}

bool ServerProbe::running() const { return d->running; }

void ServerProbe::addTrustedCertificate(const QSslCertificate& certificate) { d->trusted.append(certificate); }

}  // namespace trefoil
