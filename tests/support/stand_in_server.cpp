#include "tests/support/stand_in_server.h"

#include <QFile>
#include <QPointer>
#include <QProcess>
#include <QSslSocket>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTimer>

namespace trefoil::test {

struct StandInServer::Connection {
    QPointer<QTcpSocket> socket;
    QByteArray request;
};

StandInServer::StandInServer(const QHostAddress& host) { listen(host, 0); }

StandInServer::~StandInServer() {
    close();
    for (QTcpSocket* socket : findChildren<QTcpSocket*>()) {
        socket->disconnect(this);
        socket->abort();
    }
}

void StandInServer::useTls(const QSslCertificate& certificate, const QSslKey& key) {
    m_certificate = certificate;
    m_key = key;
}

QUrl StandInServer::address() const {
    QUrl url;
    url.setScheme(m_key.isNull() ? QStringLiteral("http") : QStringLiteral("https"));
    url.setHost(serverAddress().toString());
    url.setPort(serverPort());
    return url;
}

void StandInServer::answer(const QByteArray& path, const StandInAnswer& answer) { m_answers.insert(path, answer); }

void StandInServer::answerChat(const StandInAnswer& answer) { this->answer("/v1/chat/completions", answer); }

void StandInServer::incomingConnection(qintptr descriptor) {
    auto connection = std::make_shared<Connection>();
    if (m_key.isNull()) {
        connection->socket = new QTcpSocket(this);
        connection->socket->setSocketDescriptor(descriptor);
    } else {
        auto* secure = new QSslSocket(this);
        connection->socket = secure;
        secure->setSocketDescriptor(descriptor);
        secure->setLocalCertificate(m_certificate);
        secure->setPrivateKey(m_key);
        secure->startServerEncryption();
    }
    QTcpSocket* socket = connection->socket;
    socket->setSocketOption(QAbstractSocket::LowDelayOption, 1);
    ++m_connections;
    connect(socket, &QTcpSocket::readyRead, this, [this, connection] { take(connection); });
    connect(socket, &QTcpSocket::disconnected, this, [this, socket] {
        --m_connections;
        socket->deleteLater();
    });
}

void StandInServer::take(const std::shared_ptr<Connection>& connection) {
    const QByteArray bytes = connection->socket->readAll();
    m_received += bytes;
    connection->request += bytes;
    const qsizetype head = connection->request.indexOf("\r\n\r\n");
    if (head < 0) return;
    StandInRequest request;
    const QList<QByteArray> lines = connection->request.left(head).split('\n');
    const QList<QByteArray> first = lines.first().split(' ');
    request.method = first.value(0);
    request.path = first.value(1).trimmed();
    for (const QByteArray& line : lines.mid(1)) {
        const qsizetype colon = line.indexOf(':');
        request.headers.insert(line.left(colon).toLower(), line.mid(colon + 1).trimmed());
    }
    const qsizetype length = request.headers.value("content-length").toLongLong();
    if (connection->request.size() < head + 4 + length) return;
    request.body = connection->request.mid(head + 4, length);
    connection->request.clear();
    m_requests.append(request);
    emit requestCame();
    StandInAnswer unknown;
    unknown.status = 404;
    unknown.contentType = "application/json";
    unknown.body = R"({"detail":"Not Found"})";
    const StandInAnswer answer = m_answers.value(request.path, unknown);
    if (answer.noAnswer) return;
    if (answer.hangUp) return connection->socket->abort();
    QTimer::singleShot(answer.waitMs, this, [this, connection, answer] { send(connection, answer); });
}

void StandInServer::send(const std::shared_ptr<Connection>& connection, const StandInAnswer& answer) {
    if (!connection->socket) return;
    QByteArray head = "HTTP/1.1 " + QByteArray::number(answer.status) + " Status\r\nConnection: close\r\n";
    if (!answer.contentType.isEmpty()) head += "Content-Type: " + answer.contentType + "\r\n";
    for (const auto& [name, value] : answer.headers) head += name + ": " + value + "\r\n";
    if (answer.chunked) head += "Transfer-Encoding: chunked\r\n";
    connection->socket->write(head + "\r\n");
    connection->socket->flush();
    QTimer::singleShot(answer.waitBeforeBodyMs, this, [this, connection, answer] { sendPiece(connection, answer, 0); });
}

void StandInServer::sendPiece(const std::shared_ptr<Connection>& connection, const StandInAnswer& answer, qsizetype from) {
    if (!connection->socket) return;
    QTcpSocket& socket = *connection->socket;
    const qsizetype end = answer.breakAfter < 0 ? answer.body.size() : std::min(answer.breakAfter, answer.body.size());
    const qsizetype size = answer.pieceBytes > 0 ? std::min(answer.pieceBytes, end - from) : end - from;
    const QByteArray piece = answer.body.mid(from, size);
    if (!piece.isEmpty()) socket.write(answer.chunked ? QByteArray::number(size, 16) + "\r\n" + piece + "\r\n" : piece);
    socket.flush();
    if (from + size < end) {
        // A timer of its own, not QTimer::singleShot: posted events would be run before anyone reads what was written.
        auto* turn = new QTimer(&socket);
        turn->setSingleShot(true);
        connect(turn, &QTimer::timeout, this, [this, turn, connection, answer, next = from + size] {
            turn->deleteLater();
            sendPiece(connection, answer, next);
        });
        turn->start(answer.pieceMs);
        return;
    }
    if (answer.silentAfterBody) {
        m_silent = connection;
        return;
    }
    if (answer.breakAfter < 0 && answer.chunked) socket.write("0\r\n\r\n");
    socket.disconnectFromHost();
}

void StandInServer::sendRest(const QByteArray& body) {
    StandInAnswer rest;
    rest.body = body;
    if (m_silent) sendPiece(m_silent, rest, 0);
}

QByteArray recordedStream(const QString& name) {
    QFile file(QStringLiteral(TREFOIL_SOURCE_DIR "/tests/support/streams/") + name);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

SelfSigned makeSelfSigned(const QString& host) {
    const QTemporaryDir folder;
    const QString key = folder.filePath(QStringLiteral("key.pem"));
    const QString certificate = folder.filePath(QStringLiteral("certificate.pem"));
    const bool isAddress = !QHostAddress(host).isNull();
    QProcess openssl;
    openssl.start(QStringLiteral("openssl"),
                  {QStringLiteral("req"), QStringLiteral("-x509"), QStringLiteral("-newkey"), QStringLiteral("ec"),
                   QStringLiteral("-pkeyopt"), QStringLiteral("ec_paramgen_curve:prime256v1"), QStringLiteral("-nodes"),
                   QStringLiteral("-days"), QStringLiteral("30"), QStringLiteral("-subj"), QStringLiteral("/CN=") + host,
                   QStringLiteral("-addext"), QStringLiteral("subjectAltName=%1:%2").arg(isAddress ? "IP" : "DNS", host),
                   QStringLiteral("-keyout"), key, QStringLiteral("-out"), certificate});
    if (!openssl.waitForFinished()) return SelfSigned();
    QFile keyFile(key);
    QFile certificateFile(certificate);
    if (!keyFile.open(QIODevice::ReadOnly) || !certificateFile.open(QIODevice::ReadOnly)) return SelfSigned();
    return {QSslCertificate(&certificateFile), QSslKey(&keyFile, QSsl::Ec)};
}

}  // namespace trefoil::test
