#include "app/single_instance.h"

#include "app/core/data_location.h"

#include <sys/stat.h>
#include <unistd.h>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalSocket>
#include <QLockFile>

#include <utility>

namespace trefoil {
namespace {

constexpr int kWaitMs = 2000;
constexpr qint64 kLongestRequest = 64 * 1024;
constexpr QLatin1String kFolderKey("folder");
constexpr QLatin1String kTokenKey("token");

bool isPrivate(const QString& folder) {
    struct stat info {};
    if (::lstat(QFile::encodeName(folder).constData(), &info) != 0) return false;
    return S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & 07777) == 0700;
}

/// True when another program answered.
bool handOver(const QString& socketName, const StartRequest& request) {
    QLocalSocket socket;
    socket.connectToServer(socketName);
    if (!socket.waitForConnected(kWaitMs)) return false;
    const QJsonObject object{{kFolderKey, request.modelFolder}, {kTokenKey, request.activationToken}};
    socket.write(QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n');
    if (!socket.waitForBytesWritten(kWaitMs)) return false;
    // A program that hangs must not swallow the start.
    return socket.waitForReadyRead(kWaitMs) && socket.readAll().startsWith("ok");
}

}  // namespace

QString socketFolder(const QString& runtimeDir, const QString& fallback) {
    if (QDir::isAbsolutePath(runtimeDir) && isPrivate(QDir::cleanPath(runtimeDir))) return QDir::cleanPath(runtimeDir);
    if (fallback.isEmpty() || !prepareFolder(fallback).ok() || !isPrivate(fallback)) return {};
    return fallback;
}

SingleInstance::SingleInstance(QObject* parent) : QObject(parent) {
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::accept);
}

SingleInstance::Role SingleInstance::begin(const QString& folder, const QString& identity, const StartRequest& request) {
    if (folder.isEmpty()) return Role::Alone;
    const QByteArray hash = QCryptographicHash::hash(identity.toUtf8(), QCryptographicHash::Sha256).toHex().left(16);
    const QString path = folder + QStringLiteral("/trefoil-") + QString::fromLatin1(hash);
    // Two programs that start at the same moment: one of them listens, the other one finds it.
    QLockFile lock(path + QStringLiteral(".lock"));
    lock.setStaleLockTime(0);
    if (!lock.tryLock(kWaitMs)) return Role::Alone;
    const QString socket = path + QStringLiteral(".socket");
    if (handOver(socket, request)) return Role::Second;
    // Nobody answers: what lies there was left by a program that was killed.
    QLocalServer::removeServer(socket);
    return m_server.listen(socket) ? Role::First : Role::Alone;
}

void SingleInstance::serve(std::function<void(const StartRequest&)> onRequest) {
    m_onRequest = std::move(onRequest);
    accept();
}

void SingleInstance::accept() {
    if (!m_onRequest) return;
    while (QLocalSocket* socket = m_server.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto read = [this, socket] {
            if (socket->bytesAvailable() > kLongestRequest) return socket->abort();
            if (!socket->canReadLine()) return;
            const QJsonObject object = QJsonDocument::fromJson(socket->readLine()).object();
            const StartRequest request{object.value(kFolderKey).toString(), object.value(kTokenKey).toString()};
            socket->write("ok\n");
            socket->flush();
            m_onRequest(request);
        };
        connect(socket, &QLocalSocket::readyRead, this, read);
        read();
    }
}

}  // namespace trefoil
