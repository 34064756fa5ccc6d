#include "app/served/http_get.h"

#include "app/served/http_call.h"

#include <QTimer>

#include <algorithm>
#include <utility>

namespace trefoil {
namespace {

constexpr qsizetype kMaxDocumentBytes = 4 << 20;
/// A list of models is there at once or not at all.
constexpr int kDocumentMs = 30'000;

}  // namespace

HttpGet::HttpGet(QObject* parent) : QObject(parent), m_timer(new QTimer(this)) {
    m_timer->setSingleShot(true);
    connect(m_timer, &QTimer::timeout, this, [this] {
        give(m_sent ? silenceError(facts(), std::min(kDocumentMs, m_call.limits.silenceMs))
                    : connectTimeoutError(facts(), m_call.limits.connectMs));
    });
}

HttpGet::~HttpGet() {
    if (m_reply) m_reply->disconnect(this);
    // Not at once: this may run inside one of its signals.
    if (m_http) m_http.release()->deleteLater();
}

void HttpGet::start(const ServedCall& call, const QString& path, const QList<QSslCertificate>& trusted, Done done) {
    m_call = call;
    m_done = std::move(done);
    m_http = makeHttp();
    QNetworkRequest request = httpRequest(call.server.address, path, call.key, trusted);
    request.setRawHeader("Accept", "application/json");
    m_reply = m_http->get(request);
    connect(m_reply, &QNetworkReply::requestSent, this, [this] {
        m_sent = true;
        m_timer->start(std::min(kDocumentMs, m_call.limits.silenceMs));
    });
    connect(m_reply, &QNetworkReply::readyRead, this, [this] { read(); });
    connect(m_reply, &QNetworkReply::finished, this, [this] { end(); });
    connect(m_reply, &QNetworkReply::sslErrors, this,
            [this](const QList<QSslError>& errors) { m_tlsProblems = tlsProblemTexts(errors); });
    m_timer->start(call.limits.connectMs);
}

void HttpGet::read() {
    m_body += m_reply->readAll();
    if (m_body.size() > kMaxDocumentBytes) give(tooLargeError(facts(), kMaxDocumentBytes));
}

ReplyFacts HttpGet::facts() const {
    ReplyFacts out = factsOf(*m_reply, m_call.server, m_call.key);
    out.tlsProblems = m_tlsProblems;
    out.body = m_body;
    return out;
}

void HttpGet::end() {
    m_body += m_reply->readAll();
    const ReplyFacts known = facts();
    if (known.status == 0) return give(connectionError(known));
    if (known.status < 200 || known.status > 299) return give(statusError(known));
    give(known.networkError == QNetworkReply::NoError ? ServedError() : connectionError(known));
}

void HttpGet::give(const ServedError& error) {
    m_timer->stop();
    m_reply->disconnect(this);
    const HttpDocument document{facts(), error, m_reply->rawHeader("Server")};
    m_reply->abort();
    // The listener may delete this object.
    if (const Done done = std::exchange(m_done, {})) done(document);
}

}  // namespace trefoil
