#include "app/served/served_engine.h"

#include "app/core/prompt_fitting.h"
#include "app/served/chat_request_body.h"
#include "app/served/endpoint_rules.h"
#include "app/served/pass_event.h"
#include "app/served/served_capabilities.h"

#include <QElapsedTimer>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace trefoil {
namespace {

/// Pieces reach the window at most this often, in milliseconds.
constexpr int kTextInterval = 33;
/// An answer whose pieces arrived within so many milliseconds came at once.
constexpr double kAtOnceMs = 5.0;
/// Until a server has counted a prompt: about four bytes of text to a token.
constexpr double kUsualTokensPerByte = 0.25;
/// What a message costs beside its text.
constexpr qint64 kTokensPerMessage = 4;
/// Kept free beside an estimated prompt.
constexpr qint64 kSpareTokens = 64;

const QString kMaxNewTokens = QStringLiteral("max_new_tokens");

QVariant standardOf(const QString& control) {
    for (const ControlDescription& description : controlDescriptions())
        if (description.name == control) return description.standard;
    return {};
}

qint64 bytesOf(const QList<PromptMessage>& messages) {
    qint64 bytes = 0;
    for (const PromptMessage& message : messages) bytes += message.content.toUtf8().size();
    return bytes;
}

double milliseconds(const QElapsedTimer& clock) {
    return clock.isValid() ? static_cast<double>(clock.nsecsElapsed()) / 1e6 : 0.0;
}

}  // namespace

/// One answer: from the reading of the key to its end.
class ServedEngine::Run : public QObject {
public:
    Run(ServedEngine* engine, RequestId id, GenerateRequest request)
        : m_engine(engine),
          m_id(id),
          m_request(std::move(request)),
          m_server(engine->m_entry.profile),
          m_blockSize(std::max(1, m_request.controls.value(QStringLiteral("block_size"), 32).toInt())) {
        m_update.setSingleShot(true);
        m_update.setInterval(kTextInterval);
        connect(&m_update, &QTimer::timeout, this, [this] { emit m_engine->responseUpdated(m_id, response()); });
    }

    void start(const QString& key) {
        ServedRequest asked;
        asked.messages = m_request.messages;
        asked.controls = m_request.controls;
        limitLength(asked.controls);
        asked.begunAnswer = m_request.begunText;
        asked.begunThinking = m_request.begunThinking;
        const ServedBody body = servedRequestBody(m_server, asked);
        m_notes += body.notes;
        connectStream();
        for (const QSslCertificate& certificate : std::as_const(m_engine->m_certificates))
            m_stream.addTrustedCertificate(certificate);
        ServedCall call{m_server, key, body.json, body.thinkingAsked, m_engine->m_beginsInsideThinking, m_engine->m_limits};
        m_clock.start();
        m_stream.start(call);
    }

    void cancel() {
        m_stream.cancel();
        finish(EndReason::Cancelled, {});
    }

    void finish(EndReason reason, const QString& error, qint64 retryAfterSeconds = -1) {
        m_update.stop();
        GenerationOutcome outcome;
        outcome.response = response();
        outcome.reason = reason;
        outcome.error = error;
        outcome.retryAfterSeconds = retryAfterSeconds;
        outcome.note = m_notes.join(QLatin1Char(' '));
        m_engine->end(m_id, outcome);
    }

private:
    /// An answer of the usual length may be more than the model has room for, and would be refused: there the server's own limit
    /// holds, or what is left beside the prompt by a careful estimate.
    void limitLength(ControlValues& controls) {
        const auto limit = controls.find(kMaxNewTokens);
        if (limit == controls.end()) return;
        const bool usual = limit->toLongLong() == standardOf(kMaxNewTokens).toLongLong();
        const qint64 context = m_engine->m_entry.context;
        if (usual && (context <= 0 || m_server.kind == ServerKind::Trefoil)) {
            controls.erase(limit);
            return;
        }
        QList<PromptMessage> prompt = m_request.messages;
        if (!m_request.begunText.isEmpty()) prompt.append({QStringLiteral("assistant"), m_request.begunText});
        const qint64 room = (context - m_engine->estimatedTokens(prompt) * 5 / 4 - kSpareTokens) / m_blockSize * m_blockSize;
        if (context <= 0 || limit->toLongLong() <= room || room < m_blockSize) return;
        *limit = room;
        if (!usual)
            m_notes.append(
                ServedEngine::tr("The answer was limited to %1 tokens, which is what the model has room for.").arg(room));
    }

    void connectStream() {
        connect(&m_stream, &ChatStream::contentArrived, this, &Run::onPiece);
        connect(&m_stream, &ChatStream::thinkingArrived, this, &Run::onPiece);
        connect(&m_stream, &ChatStream::contentWasThinking, this, &Run::updateSoon);
        connect(&m_stream, &ChatStream::traceArrived, this, [this](const ServedTrace& trace) {
            m_engine->learnContext(trace.context);
            if (trace.promptTokens > 0) m_stats.promptTokens = trace.promptTokens;
            emit m_engine->traceBegan(m_id, trace.maskId, trace.blockSize, trace.threshold);
        });
        connect(&m_stream, &ChatStream::tokensArrived, this, [this](const QList<qint32>& tokens) { m_tokens += tokens; });
        connect(&m_stream, &ChatStream::passArrived, this, &Run::onPass);
        connect(&m_stream, &ChatStream::finished, this, &Run::onFinished);
        connect(&m_stream, &ChatStream::failed, this, [this](const ServedError& error) {
            const bool wait = error.kind == ServedErrorKind::TooManyRequests;
            finish(error.kind == ServedErrorKind::Address ? EndReason::Refused : EndReason::Failed, error.text(),
                   wait ? std::max<qint64>(0, error.retryAfterSeconds) : -1);
        });
    }

    /// The first sign of the answer: until then the server read the prompt.
    void begun() {
        if (m_decodeClock.isValid()) return;
        m_stats.prefillMs = milliseconds(m_clock);
        m_decodeClock.start();
    }

    void onPass(const QJsonObject& event) {
        std::optional<PassView> pass = readPassEvent(event);
        if (!pass) return;  // the text does not depend on it
        begun();
        if (pass->type != PassType::Token) {
            ++m_stats.passes;
            m_stats.blocks = pass->block + 1;
        }
        m_stats.passMs += pass->milliseconds;
        pass->block += m_request.begunBlocks;
        emit m_engine->passDone(m_id, *pass);
    }

    void onPiece(const QString& piece) {
        begun();
        // Where no passes are reported the block dock shows the pieces: a cell for each.
        if (!servedCapabilities(m_server.kind).confidences) {
            PassView pass;
            pass.type = PassType::Token;
            pass.block = m_request.begunBlocks + static_cast<qint32>(m_pieces / m_blockSize);
            pass.step = static_cast<qint32>(m_pieces % m_blockSize);
            pass.firstPosition = m_pieces++;
            pass.tokens = {-1};
            pass.texts = {piece};
            pass.resolved = {0};
            emit m_engine->passDone(m_id, pass);
        }
        updateSoon();
    }

    void updateSoon() {
        const ServedText& text = m_stream.text();
        if (m_stats.thinkingMs <= 0.0 && text.hasThinking() && text.thinkingClosed())
            m_stats.thinkingMs = milliseconds(m_decodeClock);
        if (!m_update.isActive()) m_update.start();
    }

    void onFinished(const ServedEnd& end) {
        m_engine->m_beginsInsideThinking = m_engine->m_beginsInsideThinking || end.beganInsideThinking;
        const qint64 bytes = bytesOf(m_request.messages);
        if (end.usage.promptTokens > 0 && bytes > 0)
            m_engine->m_tokensPerByte = static_cast<double>(end.usage.promptTokens) / static_cast<double>(bytes);
        if (!end.note.isEmpty()) m_notes.append(end.note);
        if (end.finishReason == QLatin1String("length")) return finish(EndReason::Length, {});
        if (end.finishReason.isEmpty() || end.finishReason == QLatin1String("stop")) return finish(EndReason::End, {});
        finish(EndReason::Failed,
               ServedEngine::tr("The server ended the answer before its time, and calls the reason “%1”.").arg(end.finishReason));
    }

    [[nodiscard]] ResponseUpdate response() const {
        ResponseUpdate out;
        const ServedText& text = m_stream.text();
        out.thinking = (m_request.begunThinking + (m_request.begunText.isEmpty() ? text.thinking() : QString())).trimmed();
        out.answer = m_request.begunText.isEmpty() ? text.answer() : (m_request.begunText + text.rawAnswer()).trimmed();
        out.hasThinking = text.hasThinking() || !m_request.begunThinking.isEmpty();
        out.thinkingClosed = text.thinkingClosed();
        out.stats = m_stats;
        const ServedUsage usage = m_stream.usage();
        out.tokens = m_tokens;
        out.stats.promptTokens = std::max(m_stats.promptTokens, usage.promptTokens);
        out.stats.reusedTokens = std::max<qint64>(0, usage.cachedTokens);
        out.stats.responseTokens =
            usage.answerTokens >= 0 ? usage.answerTokens : std::max<qint64>(m_tokens.size(), m_stream.pieces());
        out.stats.thinkingTokens = std::max<qint64>(0, usage.thinkingTokens);
        out.stats.decodeMs = milliseconds(m_decodeClock);
        // All of it at once says nothing about the time after the first piece: then it is the time of the whole request.
        if (m_decodeClock.isValid() && out.stats.decodeMs < kAtOnceMs) {
            out.stats.decodeMs += out.stats.prefillMs;
            out.stats.prefillMs = 0.0;
        }
        return out;
    }

    ServedEngine* m_engine;
    RequestId m_id;
    GenerateRequest m_request;
    ServerProfile m_server;
    ChatStream m_stream;
    QTimer m_update;
    QElapsedTimer m_clock;
    QElapsedTimer m_decodeClock;
    GenerationStats m_stats;
    QList<qint32> m_tokens;
    QStringList m_notes;
    qint64 m_blockSize;
    qint64 m_pieces = 0;
};

ServedEngine::ServedEngine(const ServerEntry& entry, KeyStore* keys, QObject* parent)
    : ChatEngine(parent), m_entry(entry), m_keys(keys), m_tokensPerByte(kUsualTokensPerByte) {}

ServedEngine::~ServedEngine() = default;

void ServedEngine::setEntry(const ServerEntry& entry) {
    if (entry == m_entry) return;
    if (entry.profile.address != m_entry.profile.address || entry.profile.model != m_entry.profile.model) {
        m_beginsInsideThinking = false;
        m_tokensPerByte = kUsualTokensPerByte;
    }
    m_entry = entry;
    emit changed();
}

void ServedEngine::learnContext(qint64 context) {
    if (m_entry.context > 0 || context <= 0) return;
    m_entry.context = context;
    emit changed();
}

EngineIdentity ServedEngine::identity() const {
    return {m_entry.profile.id, m_entry.profile.title(), m_entry.profile.address.authority(QUrl::PrettyDecoded)};
}

EngineCapabilities ServedEngine::capabilities() const {
    const ServerKind kind = m_entry.profile.kind;
    const ServedCapabilities served = servedCapabilities(kind);
    EngineCapabilities out;
    out.confidences = served.confidences;
    out.blocks = served.confidences;
    out.interventions = out.liveSteering = out.prefixSnapshots = out.exactCounting = false;
    out.layerFigures = served.confidences;
    out.continuing = served.continuesAnswers ? Continuing::ByText : Continuing::Anew;
    out.continuesThinking = served.continuesThinking;
    out.reachesOut = true;
    if (!out.confidences) {
        out.whyNoConfidences = tr("This engine reports no confidences: the cells are the pieces of text as they arrive.");
        out.whyNoLayerFigures = tr("This engine does not report what its layers do.");
    }
    out.whyNoInterventions = tr("A served model writes on its own: it cannot be paused, or changed by hand.");
    out.whyNoLiveSteering =
        tr("A served model takes its controls with the question: this can be changed again after the answer.");
    out.whyEstimated = tr("Estimated from the length of the text: only the server knows how many tokens it is.");
    for (const ControlDescription& control : controlDescriptions())
        if (const QString reason = servedControlRefusal(kind, control.name); !reason.isEmpty())
            out.refusedControls.insert(control.name, reason);
    return out;
}

std::optional<ModelSummary> ServedEngine::model() const {
    if (!notReady().isEmpty()) return std::nullopt;
    ModelSummary out;
    out.name = m_entry.profile.model.isEmpty() ? m_entry.profile.title() : m_entry.profile.model;
    out.context = m_entry.context;
    out.thinks = true;  // every kind of server takes enable_thinking
    for (const ControlDescription& control : controlDescriptions()) out.defaults.insert(control.name, control.standard);
    return out;
}

QString ServedEngine::notReady() const {
    if (m_entry.profile.address.isEmpty()) return tr("This server has no address. Give it one under Chat, Servers.");
    return {};
}

RequestId ServedEngine::generateAsync(const GenerateRequest& request) {
    const RequestId id = ++m_lastId;
    const auto run = std::make_shared<Run>(this, id, request);
    m_runs.insert(id, run);
    if (!m_entry.profile.hasKey) {
        QMetaObject::invokeMethod(
            run.get(), [this, id] { begin(id, {}); }, Qt::QueuedConnection);
        return id;
    }
    m_keys->read(m_entry.profile.id, run.get(), [this, id](const KeyAnswer& answer) {
        const std::shared_ptr<Run> reading = m_runs.value(id);
        if (!reading) return;
        if (!answer.ok()) return reading->finish(EndReason::Refused, answer.problem);
        if (answer.key.isEmpty())
            return reading->finish(EndReason::Refused,
                                   tr("The key of this server is not there any more. Give it again under Chat, Servers."));
        begin(id, answer.key);
    });
    return id;
}

void ServedEngine::begin(RequestId id, const QString& key) {
    if (const std::shared_ptr<Run> run = m_runs.value(id)) run->start(key);
}

void ServedEngine::cancel(RequestId id) {
    if (const std::shared_ptr<Run> run = m_runs.value(id)) run->cancel();
}

/// The run is still on the stack: it goes with the next turn of the event loop.
void ServedEngine::end(RequestId id, const GenerationOutcome& outcome) {
    const std::shared_ptr<Run> run = m_runs.take(id);
    if (!run) return;
    QMetaObject::invokeMethod(
        this, [run] {}, Qt::QueuedConnection);
    emit generationFinished(id, outcome);
}

qint64 ServedEngine::estimatedTokens(const QList<PromptMessage>& messages) const {
    return static_cast<qint64>(static_cast<double>(bytesOf(messages)) * m_tokensPerByte) + kTokensPerMessage * messages.size();
}

RequestId ServedEngine::previewPromptAsync(const QList<PromptMessage>& messages, bool /*thinking*/) {
    const RequestId id = ++m_lastId;
    m_newestPreview = id;
    QMetaObject::invokeMethod(
        this,
        [this, id, messages] {
            if (m_newestPreview != id) return;  // a newer one waits
            PromptView view;
            view.exact = false;
            view.tokens = estimatedTokens(messages);
            view.context = m_entry.context;
            for (const PromptMessage& message : messages) {
                view.pieces.append({message.role + QLatin1Char('\n'), {}, true});
                view.pieces.append({message.content + QLatin1Char('\n'), {}, false});
            }
            emit promptPreviewed(id, view);
        },
        Qt::QueuedConnection);
    return id;
}

RequestId ServedEngine::fitPromptAsync(const QList<PromptMessage>& messages, const ControlValues& controls) {
    const RequestId id = ++m_lastId;
    QMetaObject::invokeMethod(
        this,
        [this, id, messages, controls] {
            // An estimate refuses nothing: where not even the question seems to fit, the server decides.
            const FittedPrompt fitted = withoutOldest(messages, [&](const QList<PromptMessage>& kept) {
                return m_entry.context <= 0 || positionsNeeded(estimatedTokens(kept), controls) <= m_entry.context;
            });
            emit promptFitted(id, fitted.messages, fitted.dropped);
        },
        Qt::QueuedConnection);
    return id;
}

}  // namespace trefoil
