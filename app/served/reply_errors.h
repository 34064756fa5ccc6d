// Why a request came to nothing, from what Qt Network and the server said. Pure but for the translations.
#pragma once

#include "app/served/chat_event.h"
#include "app/served/served_error.h"
#include "app/served/server_profile.h"

#include <QByteArray>
#include <QDateTime>
#include <QNetworkReply>
#include <QSslError>
#include <QString>
#include <QStringList>
#include <QUrl>

namespace trefoil {

/// What is known of a request that failed.
struct ReplyFacts {
    QUrl address;  ///< of the server, as in its profile
    QString key;   ///< to keep it out of what the server says
    QString model;
    QNetworkReply::NetworkError networkError = QNetworkReply::NoError;
    QString networkText;  ///< Qt's own words
    QStringList tlsProblems;
    int status = 0;
    QByteArray contentType;
    QByteArray body;        ///< of an answer that is no success; its beginning
    QByteArray retryAfter;  ///< the header
    QByteArray location;    ///< the header
};

/// What a reply from `server` says of itself; the body and the TLS problems are the caller's.
ReplyFacts factsOf(const QNetworkReply& reply, const ServerProfile& server, const QString& key);
/// A sentence each, none twice.
QStringList tlsProblemTexts(const QList<QSslError>& errors);

/// No answer from a server: name, connection, TLS, proxy.
ServedError connectionError(const ReplyFacts& facts);
/// An answer with a status other than 2xx.
ServedError statusError(const ReplyFacts& facts);
/// An answer that is no event stream and no JSON.
ServedError notAnApiError(const ReplyFacts& facts);
/// An error that the server reported inside its answer.
ServedError complaintError(const ReplyFacts& facts, const ServerComplaint& complaint);
/// The address or the key is refused by endpoint_rules.h; `problem` says why.
ServedError addressError(const QString& problem);
ServedError connectTimeoutError(const ReplyFacts& facts, int milliseconds);
ServedError silenceError(const ReplyFacts& facts, int milliseconds);
/// The connection ended, and the answer did not.
ServedError brokenStreamError(const ReplyFacts& facts, bool halfAnEvent);
ServedError tooLargeError(const ReplyFacts& facts, qint64 limitBytes);

/// Seconds from a Retry-After header, which gives seconds or a date; -1: nothing that can be read. At most a day.
qint64 retryAfterSeconds(const QByteArray& header, const QDateTime& now);

}  // namespace trefoil
