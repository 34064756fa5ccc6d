// Which addresses are taken, and where a key may go. Every request of app/served is made through these rules.
#pragma once

#include <QByteArray>
#include <QString>
#include <QUrl>

namespace trefoil {

/// An address as typed, read.
struct AddressReading {
    QUrl address;     ///< normalised: scheme, host, port, path without "/v1…" and without "/" at its end; empty with a problem
    QString problem;  ///< a sentence or two; empty: fine
    [[nodiscard]] bool ok() const { return problem.isEmpty(); }
};

/// Takes http and https, a path before "/v1" (a server behind a proxy), and what people paste: ".../v1", ".../v1/",
/// ".../v1/chat/completions". A missing "http://" is added for this machine only. Refuses user names and passwords, queries,
/// fragments and other schemes with the reason.
AddressReading readServerAddress(const QString& typed);

/// "localhost", 127.0.0.0/8 or ::1. Names are not resolved: another name of this machine is not this machine.
bool isThisMachine(const QUrl& address);

/// Why `key` must not be sent to `address` (plain HTTP to another machine; signs that no header can hold); empty: it may be.
/// The sentences never contain the key. An empty key is always fine: nothing is sent.
QString keyProblem(const QUrl& address, const QString& key);

/// `address` with `path` ("/v1/models") behind its own path.
QUrl endpoint(const QUrl& address, const QString& path);

/// `text` with every occurrence of `key` replaced: for anything a server says that is shown.
QString withoutKey(QString text, const QString& key);

/// How an address is shown: readable, without anything secret.
QString shownAddress(const QUrl& address);

}  // namespace trefoil
