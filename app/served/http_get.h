// HttpGet: one small document of a server, within limits. For ServerProbe.
#pragma once

#include "app/served/chat_stream.h"
#include "app/served/reply_errors.h"

#include <QByteArray>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QObject>
#include <QSslCertificate>
#include <QString>

#include <functional>
#include <memory>

class QTimer;

namespace trefoil {

struct HttpDocument {
    ReplyFacts facts;   ///< with `body`: of any status
    ServedError error;  ///< no answer with a status of 2xx
    QByteArray server;  ///< the header of this name
};

/// Asks for one document and gives exactly one answer, unless it goes away before.
class HttpGet : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(const HttpDocument&)>;

    explicit HttpGet(QObject* parent = nullptr);
    ~HttpGet() override;

    /// Once in an object's life. `server` and `key` must have passed endpoint_rules.h.
    void start(const ServedCall& call, const QString& path, const QList<QSslCertificate>& trusted, Done done);

private:
    void read();
    void end();
    void give(const ServedError& error);
    [[nodiscard]] ReplyFacts facts() const;

    std::unique_ptr<QNetworkAccessManager> m_http;
    QNetworkReply* m_reply = nullptr;  ///< of m_http
    QTimer* m_timer;
    ServedCall m_call;
    Done m_done;
    QByteArray m_body;
    QStringList m_tlsProblems;
    bool m_sent = false;
};

}  // namespace trefoil
