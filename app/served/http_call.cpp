#include "app/served/http_call.h"

#include "app/served/endpoint_rules.h"

#include <QNetworkProxyFactory>
#include <QSslConfiguration>

namespace trefoil {
namespace {

/// A proxy for this machine's own addresses would see what was meant to stay here.
class ProxyBeyondThisMachine : public QNetworkProxyFactory {
public:
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery& query) override {
        if (isThisMachine(query.url())) return {QNetworkProxy(QNetworkProxy::NoProxy)};
        return systemProxyForQuery(query);
    }
};

}  // namespace

std::unique_ptr<QNetworkAccessManager> makeHttp() {
    auto http = std::make_unique<QNetworkAccessManager>();
    http->setProxyFactory(new ProxyBeyondThisMachine);
    http->setRedirectPolicy(QNetworkRequest::ManualRedirectPolicy);
    http->setAutoDeleteReplies(false);
    return http;
}

QNetworkRequest httpRequest(const QUrl& address, const QString& path, const QString& key, const QList<QSslCertificate>& trusted) {
    QNetworkRequest request(endpoint(address, path));
    request.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    request.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::AuthenticationReuseAttribute, QNetworkRequest::Manual);
    request.setAttribute(QNetworkRequest::CacheLoadControlAttribute, QNetworkRequest::AlwaysNetwork);
    request.setAttribute(QNetworkRequest::CacheSaveControlAttribute, false);
    // One answer a connection: HTTP/2 would gain nothing, and would tell less about how a connection ended.
    request.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    request.setHeader(QNetworkRequest::UserAgentHeader, QStringLiteral("Trefoil"));
    if (!key.isEmpty()) request.setRawHeader("Authorization", "Bearer " + key.toLatin1());
    if (!trusted.isEmpty()) {
        QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
        tls.addCaCertificates(trusted);
        request.setSslConfiguration(tls);
    }
    return request;
}

}  // namespace trefoil
