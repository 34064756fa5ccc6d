#include "app/served/endpoint_rules.h"

#include <QCoreApplication>
#include <QHostAddress>

#include <algorithm>

namespace trefoil {
namespace {

struct EndpointRules {
    Q_DECLARE_TR_FUNCTIONS(EndpointRules)
};

/// What people paste behind the address of the API itself; longest first.
const QStringList& knownEnds() {
    static const QStringList ends{QStringLiteral("/v1/chat/completions"), QStringLiteral("/v1/models"), QStringLiteral("/v1")};
    return ends;
}

QString pathOfServer(QString path) {
    while (path.endsWith(u'/')) path.chop(1);
    for (const QString& end : knownEnds())
        if (path.endsWith(end)) {
            path.chop(end.size());
            break;
        }
    while (path.endsWith(u'/')) path.chop(1);
    return path;
}

bool isThisMachineName(const QString& host) {
    return host.compare(QLatin1String("localhost"), Qt::CaseInsensitive) == 0 || QHostAddress(host).isLoopback();
}

/// "localhost:8000" and "127.0.0.1:8000/v1" without a scheme: the host, or empty where something else stands there.
QString hostWithoutScheme(const QString& typed) {
    const QUrl url(QStringLiteral("http://") + typed, QUrl::StrictMode);
    return url.isValid() ? url.host() : QString();
}

AddressReading refused(const QString& problem) { return {{}, problem}; }

}  // namespace

AddressReading readServerAddress(const QString& typed) {
    QString text = typed.trimmed();
    if (text.isEmpty()) return refused(EndpointRules::tr("Enter the server's address, for example http://127.0.0.1:30000."));
    if (!text.contains(QLatin1String("://"))) {
        const QString host = hostWithoutScheme(text);
        // Of another machine only its owner knows whether it speaks TLS; guessing "http" would send text in the clear.
        if (!isThisMachineName(host))
            return refused(EndpointRules::tr("The address has to begin with https:// or http://, for example https://%1.")
                               .arg(host.isEmpty() ? QStringLiteral("models.example.org") : host));
        text.prepend(QLatin1String("http://"));
    }
    QUrl url(text, QUrl::StrictMode);
    // QUrl's own message would repeat the address, and with it a password that stands in it.
    if (!url.isValid())
        return refused(EndpointRules::tr("This is not an address that can be read. Write it as https://host:port."));
    if (url.scheme() != QLatin1String("http") && url.scheme() != QLatin1String("https"))
        return refused(
            EndpointRules::tr("Addresses beginning with %1:// are not supported; a server is reached by https:// or http://.")
                .arg(url.scheme()));
    if (!url.userInfo().isEmpty() || text.section(QLatin1String("://"), 1).section(u'/', 0, 0).contains(u'@'))
        return refused(
            EndpointRules::tr("The address contains a user name or password. Leave them out: a key has a field of its own."));
    if (url.host().isEmpty()) return refused(EndpointRules::tr("The address names no host. Write it as https://host:port."));
    if (url.hasFragment() || url.hasQuery())
        return refused(
            EndpointRules::tr("The address contains \"?\" or \"#\" and what follows it. Only scheme, host, port and path are "
                              "used: remove the rest."));
    if (url.port() == 0) return refused(EndpointRules::tr("Port 0 is not a port that a server can listen on."));
    url.setPath(pathOfServer(url.path()));
    if (url.port() == (url.scheme() == QLatin1String("https") ? 443 : 80)) url.setPort(-1);
    return {url.adjusted(QUrl::NormalizePathSegments), {}};
}

bool isThisMachine(const QUrl& address) { return isThisMachineName(address.host()); }

QString keyProblem(const QUrl& address, const QString& key) {
    if (key.isEmpty()) return {};
    const bool plain = std::all_of(key.cbegin(), key.cend(), [](QChar c) { return c > u' ' && c < u'\x7F'; });
    if (!plain)
        return EndpointRules::tr(
            "The key contains spaces, line ends or letters that a key cannot have. Copy it again, without anything around it.");
    if (address.scheme() != QLatin1String("https") && !isThisMachine(address))
        return EndpointRules::tr(
                   "The key is not sent to %1: the connection is not encrypted and leaves this machine. Use https://, or "
                   "reach the server through a tunnel that ends at 127.0.0.1.")
            .arg(shownAddress(address));
    return {};
}

QUrl endpoint(const QUrl& address, const QString& path) {
    QUrl url = address;
    url.setPath(url.path() + path);
    return url;
}

QString withoutKey(QString text, const QString& key) {
    // A key of one or two letters would turn any sentence into dots.
    if (key.size() >= 3) text.replace(key, QStringLiteral("•••"));
    return text;
}

QString shownAddress(const QUrl& address) {
    return address.adjusted(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment).toDisplayString();
}

}  // namespace trefoil
