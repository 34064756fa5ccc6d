#include "ui/desktop/notifier.h"

#include "ui/desktop/session_bus.h"

#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QStringList>
#include <QVariantMap>

namespace trefoil {
namespace {

const QString kService = QStringLiteral("org.freedesktop.Notifications");
const QString kPath = QStringLiteral("/org/freedesktop/Notifications");

}  // namespace

Notifier::Notifier(QObject* parent) : QObject(parent) {
    QDBusConnection bus = desktopBus();
    if (bus.isConnected())
        bus.connect(kService, kPath, kService, QStringLiteral("ActionInvoked"), this, SLOT(onAction(uint, QString)));
}

void Notifier::answerBegan() { m_since.start(); }

void Notifier::answerEnded(const QString& title, const QString& text, qint64 longMs) {
    const bool worthIt = m_since.isValid() && m_since.elapsed() >= longMs;
    m_since.invalidate();
    const QDBusConnection bus = desktopBus();
    if (!worthIt || !bus.isConnected()) return;
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kService, QStringLiteral("Notify"));
    // Servers may read the body as markup.
    call << QStringLiteral("Trefoil") << m_last << QStringLiteral("org.trefoil.Trefoil") << title << text.toHtmlEscaped()
         << QStringList{QStringLiteral("default"), tr("Show it")}
         << QVariantMap{{QStringLiteral("desktop-entry"), QStringLiteral("org.trefoil.Trefoil")}} << -1;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        const QDBusPendingReply<uint> reply = *done;
        if (!reply.isError()) m_last = reply.value();
        done->deleteLater();
    });
}

void Notifier::onAction(uint id, const QString& /*action*/) {
    if (id == m_last && id != 0) emit activated();
}

}  // namespace trefoil
