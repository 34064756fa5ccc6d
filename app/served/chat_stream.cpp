#include "app/served/chat_stream.h"

#include "app/served/endpoint_rules.h"
#include "app/served/http_call.h"
#include "app/served/reply_errors.h"
#include "app/served/sse_parser.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QNetworkReply>
#include <QSslError>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace trefoil {
namespace {

constexpr qint64 kMaxErrorBytes = 64 << 10;
constexpr qint64 kReadBufferBytes = 4 << 20;
/// Fewer pieces may well come together: a short answer of a model that writes in blocks.
constexpr qint64 kPiecesHeldBack = 8;

struct ReplyGone {
    void operator()(QNetworkReply* reply) const {
        reply->disconnect();
        reply->abort();
        reply->deleteLater();
    }
};

}  // namespace

struct ChatStream::Private {
    enum class Phase : std::uint8_t { Idle, Connecting, Waiting, Receiving, Over };
    enum class Shape : std::uint8_t { Unknown, Events, Object, Refusal };

    explicit Private(ChatStream* stream) : q(stream), timer(new QTimer(stream)) { timer->setSingleShot(true); }

    void begin();
    void requestIsSent();
    void waitForMore();
    void read();
    void readEvents(const QByteArray& bytes);
    bool takeEvent(const SseEvent& event);
    bool takeChat(const ChatEvent& chat);
    bool takeTrefoil(const ChatEvent& chat);
    void replyFinished();
    void objectFinished();
    void timedOut();
    [[nodiscard]] Shape shapeOf(const QByteArray& bytes) const;
    [[nodiscard]] ReplyFacts facts() const;
    bool emitAdded(const ServedText::Added& added);
    void end();
    void fail(const ServedError& error);
    void release();

    ChatStream* q;
    QTimer* timer;
    std::unique_ptr<QNetworkAccessManager> http;
    std::unique_ptr<QNetworkReply, ReplyGone> reply;
    QList<QSslCertificate> trusted;
    ServedCall call;
    Phase phase = Phase::Idle;
    Shape shape = Shape::Unknown;
    SseParser parser;
    ServedText text;
    ServedUsage usage;
    std::optional<GenerationStats> stats;
    QByteArray whole;  ///< of an answer that is not streamed, or of a refusal
    QStringList tlsProblems;
    QString finishReason;
    QElapsedTimer clock;
    qint64 received = 0;
    qint64 pieces = 0;
    qint64 readsWithText = 0;
    qint64 firstWordMs = -1;  ///< of text or of a pass
    int allowedMs = 0;
    bool textInThisRead = false;
};

void ChatStream::Private::begin() {
    if (phase != Phase::Connecting) return;
    const AddressReading address = readServerAddress(call.server.address.toString());
    if (!address.ok()) return fail(addressError(address.problem));
    const QString problem = keyProblem(call.server.address, call.key);
    if (!problem.isEmpty()) return fail(addressError(problem));

    http = makeHttp();
    QNetworkRequest request = httpRequest(call.server.address, QStringLiteral("/v1/chat/completions"), call.key, trusted);
    request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
    request.setRawHeader("Accept", "text/event-stream, application/json");
    clock.start();
    reply.reset(http->post(request, call.body));
    reply->setReadBufferSize(kReadBufferBytes);
    QObject::connect(reply.get(), &QNetworkReply::requestSent, q, [this] { requestIsSent(); });
    QObject::connect(reply.get(), &QNetworkReply::readyRead, q, [this] { read(); });
    QObject::connect(reply.get(), &QNetworkReply::finished, q, [this] { replyFinished(); });
    QObject::connect(reply.get(), &QNetworkReply::sslErrors, q,
                     [this](const QList<QSslError>& errors) { tlsProblems = tlsProblemTexts(errors); });
    timer->start(call.limits.connectMs);
}

void ChatStream::Private::requestIsSent() {
    if (phase != Phase::Connecting) return;
    phase = Phase::Waiting;
    waitForMore();
}

ReplyFacts ChatStream::Private::facts() const {
    ReplyFacts out = factsOf(*reply, call.server, call.key);
    out.tlsProblems = tlsProblems;
    out.body = whole;
    return out;
}

ChatStream::Private::Shape ChatStream::Private::shapeOf(const QByteArray& bytes) const {
    const int status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    if (status < 200 || status > 299) return Shape::Refusal;
    const QByteArray type = reply->rawHeader("Content-Type").toLower();
    if (type.startsWith("text/event-stream")) return Shape::Events;
    if (type.contains("html")) return Shape::Refusal;
    // Some servers and proxies say nothing, or text/plain.
    const QByteArray begin = bytes.trimmed();
    if (begin.isEmpty()) return Shape::Unknown;
    return begin.startsWith('{') ? Shape::Object : begin.startsWith('<') ? Shape::Refusal : Shape::Events;
}

/// How long the next bytes may take.
void ChatStream::Private::waitForMore() {
    // Some servers begin their answer before they have read the question.
    allowedMs = firstWordMs < 0 ? call.limits.firstByteMs : call.limits.silenceMs;
    // Behind the last word only counts may come, and the mark of the end, which not every server sends.
    if (!finishReason.isEmpty()) allowedMs = std::min(call.limits.silenceMs, call.limits.lingerMs);
    timer->start(allowedMs);
}

void ChatStream::Private::read() {
    if (phase == Phase::Over || !reply) return;
    const bool first = phase != Phase::Receiving;
    phase = Phase::Receiving;
    waitForMore();
    QByteArray bytes = reply->readAll();
    received += bytes.size();
    if (shape == Shape::Unknown) {
        whole += bytes;
        shape = shapeOf(whole);
        if (shape == Shape::Events) bytes = std::exchange(whole, {});
    } else if (shape != Shape::Events) {
        whole += bytes;
    }
    if (first && shape != Shape::Refusal) emit q->started();
    if (phase == Phase::Over) return;
    if (shape == Shape::Refusal) {
        // The beginning of a page or of an error says enough.
        if (whole.size() > kMaxErrorBytes) replyFinished();
        return;
    }
    if (received > call.limits.maxBytes) return fail(tooLargeError(facts(), call.limits.maxBytes));
    if (shape == Shape::Events) readEvents(bytes);
}

void ChatStream::Private::readEvents(const QByteArray& bytes) {
    textInThisRead = false;
    for (const SseEvent& event : parser.push(bytes))
        if (!takeEvent(event)) return;
    if (parser.tooLarge()) return fail(tooLargeError(facts(), parser.maxEventBytes()));
    if (textInThisRead) ++readsWithText;
    waitForMore();  // the first word may have been among them
}

/// False: the stream is over.
bool ChatStream::Private::takeEvent(const SseEvent& event) {
    if (event.type == SseEvent::Type::Done) {
        if (textInThisRead) ++readsWithText;
        end();
        return false;
    }
    if (event.type == SseEvent::Type::Error || event.name == "error") {
        auto complaint = readComplaint(event.data);
        if (!complaint) complaint = readComplaint("{\"error\":" + event.data + "}");
        fail(complaintError(facts(), complaint.value_or(ServerComplaint{QString::fromUtf8(event.data).simplified(), {}, 0})));
        return false;
    }
    if (event.data.trimmed().isEmpty()) return true;
    auto chat = readChatEvent(event.data);
    if (!chat) {
        fail(pieces == 0 ? notAnApiError(facts()) : brokenStreamError(facts(), true));
        return false;
    }
    return takeChat(*chat);
}

bool ChatStream::Private::takeChat(const ChatEvent& chat) {
    if (chat.complaint) {
        fail(complaintError(facts(), *chat.complaint));
        return false;
    }
    if (!takeTrefoil(chat)) return false;
    if (!chat.content.isEmpty() || !chat.thinking.isEmpty()) {
        ++pieces;
        textInThisRead = true;
        if (firstWordMs < 0) firstWordMs = clock.elapsed();
    }
    if (!emitAdded(text.pushThinking(chat.thinking)) || !emitAdded(text.pushContent(chat.content))) return false;
    if (!chat.finishReason.isEmpty()) finishReason = chat.finishReason;
    if (chat.usage) {
        const ServedUsage merged = mergedUsage(usage, *chat.usage);
        if (merged != std::exchange(usage, merged)) emit q->usageArrived(usage);
    }
    if (phase == Phase::Over) return false;
    if (finishReason == QLatin1String("error") || finishReason == QLatin1String("abort")) {
        fail(complaintError(facts(), {}));
        return false;
    }
    return true;
}

/// False: the listener has cancelled.
bool ChatStream::Private::takeTrefoil(const ChatEvent& chat) {
    if (const auto trace = readTraceEvent(chat.trace)) emit q->traceArrived(*trace);
    if (phase != Phase::Over && !chat.pass.isEmpty()) {
        if (firstWordMs < 0) firstWordMs = clock.elapsed();
        emit q->passArrived(chat.pass);
    }
    if (phase != Phase::Over && !chat.tokens.isEmpty()) emit q->tokensArrived(chat.tokens);
    if (!chat.stats.isEmpty()) stats = readStatsEvent(chat.stats);
    return phase != Phase::Over;
}

/// False: the listener has cancelled.
bool ChatStream::Private::emitAdded(const ServedText::Added& added) {
    if (added.moved) emit q->contentWasThinking();
    if (phase != Phase::Over && !added.thinking.isEmpty()) emit q->thinkingArrived(added.thinking);
    if (phase != Phase::Over && !added.answer.isEmpty()) emit q->contentArrived(added.answer);
    return phase != Phase::Over;
}

void ChatStream::Private::replyFinished() {
    if (phase == Phase::Over || !reply) return;
    // What came together with the end.
    if (reply->bytesAvailable() > 0 && whole.size() <= kMaxErrorBytes) read();
    if (phase == Phase::Over) return;
    const ReplyFacts known = facts();
    if (known.status == 0) return fail(connectionError(known));
    if (known.status < 200 || known.status > 299) return fail(statusError(known));
    if (shape == Shape::Refusal) return fail(notAnApiError(known));
    if (shape == Shape::Object) return objectFinished();
    if (!finishReason.isEmpty()) return end();
    if (known.networkError == QNetworkReply::NoError && pieces == 0 && parser.strangeLines() > 0)
        return fail(notAnApiError(known));
    emitAdded(text.finish());
    if (phase != Phase::Over) fail(brokenStreamError(known, parser.rest() > 0));
}

void ChatStream::Private::objectFinished() {
    const ReplyFacts known = facts();
    const auto chat = readChatEvent(whole);
    if (!chat) return fail(known.networkError == QNetworkReply::NoError ? notAnApiError(known) : brokenStreamError(known, true));
    if (!chat->complaint && chat->finishReason.isEmpty() && chat->content.isEmpty() && chat->thinking.isEmpty())
        return fail(notAnApiError(known));
    if (takeChat(*chat)) end();
}

void ChatStream::Private::timedOut() {
    if (phase == Phase::Over) return;
    if (!finishReason.isEmpty()) return end();
    if (phase == Phase::Connecting) return fail(connectTimeoutError(facts(), call.limits.connectMs));
    fail(silenceError(facts(), allowedMs));
}

void ChatStream::Private::end() {
    if (!emitAdded(text.finish())) return;
    ServedEnd out;
    out.finishReason = finishReason;
    out.usage = usage;
    out.stats = stats;
    out.beganInsideThinking = text.beganInsideThinking();
    out.notStreamed = shape == Shape::Object;
    out.cameAtOnce =
        !out.notStreamed && pieces >= kPiecesHeldBack && readsWithText == 1 && firstWordMs >= call.limits.atOnceWaitMs;
    if (out.notStreamed)
        out.note = QCoreApplication::translate("ServedError", "The server does not stream: the answer came in one piece.");
    else if (out.cameAtOnce)
        out.note = QCoreApplication::translate(
            "ServedError", "The answer came in one go at the end: a proxy on the way to the server holds its pieces back.");
    release();
    emit q->finished(out);
}

void ChatStream::Private::fail(const ServedError& error) {
    release();
    emit q->failed(error);
}

void ChatStream::Private::release() {
    phase = Phase::Over;
    timer->stop();
    call.key.clear();
    reply.reset();
    // Not at once: this may run inside one of its signals.
    if (http) http.release()->deleteLater();
}

ChatStream::ChatStream(QObject* parent) : QObject(parent), d(std::make_unique<Private>(this)) {
    connect(d->timer, &QTimer::timeout, this, [this] { d->timedOut(); });
}

ChatStream::~ChatStream() { d->release(); }

void ChatStream::start(const ServedCall& call) {
    if (d->phase != Private::Phase::Idle) return;
    d->call = call;
    using Begin = ServedText::Begin;
    d->text = ServedText(!call.thinkingAsked ? Begin::Answer : call.beginsInsideThinking ? Begin::Thinking : Begin::Unknown);
    d->phase = Private::Phase::Connecting;
    QMetaObject::invokeMethod(
        this, [this] { d->begin(); }, Qt::QueuedConnection);
}

void ChatStream::cancel() {
    if (d->phase != Private::Phase::Over) d->release();
}

bool ChatStream::running() const { return d->phase != Private::Phase::Idle && d->phase != Private::Phase::Over; }

const ServedText& ChatStream::text() const { return d->text; }

ServedUsage ChatStream::usage() const { return d->usage; }

qint64 ChatStream::pieces() const { return d->pieces; }

void ChatStream::addTrustedCertificate(const QSslCertificate& certificate) { d->trusted.append(certificate); }

}  // namespace trefoil
