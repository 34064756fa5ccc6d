// How app/served asks a server: the one place where requests are put together and where a key enters one.
#pragma once

#include <QNetworkAccessManager>
#include <QNetworkRequest>
#include <QSslCertificate>
#include <QString>
#include <QUrl>

#include <memory>

namespace trefoil {

/// A manager without cookies, cache and stored passwords; straight to this machine, by the desktop's proxy to others.
std::unique_ptr<QNetworkAccessManager> makeHttp();

/// A request to `path` of the server that follows no redirect. `key` must have passed keyProblem; empty: none is sent.
QNetworkRequest httpRequest(const QUrl& address, const QString& path, const QString& key, const QList<QSslCertificate>& trusted);

}  // namespace trefoil
