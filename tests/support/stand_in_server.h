// StandInServer: plays the HTTP side of a served model on this machine, well or badly, as a test says.
#pragma once

#include <QByteArray>
#include <QHash>
#include <QHostAddress>
#include <QList>
#include <QObject>
#include <QPair>
#include <QSslCertificate>
#include <QSslKey>
#include <QString>
#include <QTcpServer>
#include <QUrl>

#include <memory>

class QTcpSocket;

namespace trefoil::test {

/// An answer, and how badly it goes.
struct StandInAnswer {
    int status = 200;
    QByteArray contentType = "text/event-stream; charset=utf-8";  ///< empty: no such header
    QList<QPair<QByteArray, QByteArray>> headers = {};
    QByteArray body = {};
    bool chunked = true;  ///< else the body ends with the connection
    qsizetype pieceBytes =
        0;            ///< each piece is a write, a turn of the event loop and, if chunked, a chunk of its own; 0: all at once
    int pieceMs = 0;  ///< between two pieces
    int waitMs = 0;   ///< before the head
    int waitBeforeBodyMs = 0;      ///< between head and body
    qsizetype breakAfter = -1;     ///< close the connection after so many bytes of the body; -1: never
    bool silentAfterBody = false;  ///< neither end nor close
    bool noAnswer = false;         ///< take the request and say nothing
    bool hangUp = false;           ///< take the request and close
};

struct StandInRequest {
    QByteArray method;
    QByteArray path;
    QHash<QByteArray, QByteArray> headers;  ///< names in lower case
    QByteArray body = {};
};

class StandInServer : public QTcpServer {
    Q_OBJECT
public:
    explicit StandInServer(const QHostAddress& host = QHostAddress(QHostAddress::LocalHost));
    ~StandInServer() override;

    /// From now on connections are encrypted.
    void useTls(const QSslCertificate& certificate, const QSslKey& key);
    /// http(s)://address:port of this server.
    [[nodiscard]] QUrl address() const;

    /// The answer to every request for this path ("/v1/models"); others get 404 with FastAPI's text.
    void answer(const QByteArray& path, const StandInAnswer& answer);
    /// The answer to the requests for an answer of the model.
    void answerChat(const StandInAnswer& answer);

    /// More of the body of the last answer that is silent after it, and its end.
    void sendRest(const QByteArray& body);

    [[nodiscard]] const QList<StandInRequest>& requests() const { return m_requests; }
    /// Connections that are open now.
    [[nodiscard]] int connections() const { return m_connections; }
    /// All bytes that arrived, encrypted ones after their decryption.
    [[nodiscard]] const QByteArray& received() const { return m_received; }

signals:
    void requestCame();

protected:
    void incomingConnection(qintptr descriptor) override;

private:
    struct Connection;
    void take(const std::shared_ptr<Connection>& connection);
    void send(const std::shared_ptr<Connection>& connection, const StandInAnswer& answer);
    void sendPiece(const std::shared_ptr<Connection>& connection, const StandInAnswer& answer, qsizetype from);

    QHash<QByteArray, StandInAnswer> m_answers;
    std::shared_ptr<Connection> m_silent;
    QList<StandInRequest> m_requests;
    QByteArray m_received;
    QSslCertificate m_certificate;
    QSslKey m_key;
    int m_connections = 0;
};

/// A recorded stream of tests/support/streams.
QByteArray recordedStream(const QString& name);

/// A certificate for one host, signed by itself, and its key; made by the openssl command. Null where that fails.
struct SelfSigned {
    QSslCertificate certificate;
    QSslKey key;
};
SelfSigned makeSelfSigned(const QString& host = QStringLiteral("127.0.0.1"));

}  // namespace trefoil::test
