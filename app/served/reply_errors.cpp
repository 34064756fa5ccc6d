#include "app/served/reply_errors.h"

#include "app/served/endpoint_rules.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace trefoil {
namespace {

/// lupdate takes the context from here, not through another name.
struct Text {
    Q_DECLARE_TR_FUNCTIONS(ServedError)
};
using Kind = ServedErrorKind;

QString where(const ReplyFacts& facts) { return shownAddress(facts.address); }

ServedError made(Kind kind, const ReplyFacts& facts, const QString& message, const QString& hint) {
    ServedError error;
    error.kind = kind;
    error.message = withoutKey(message, facts.key);
    error.hint = withoutKey(hint, facts.key);
    error.httpStatus = facts.status;
    return error;
}

QString seconds(int milliseconds) { return QLocale().toString((milliseconds + 999) / 1000); }

/// What the server said, in quotation marks behind a sentence; or nothing.
QString quoted(const QString& said) {
    return said.isEmpty() ? QString() : QLatin1Char(' ') + Text::tr("It said: \"%1\".").arg(said);
}

/// A complaint's message, or the text of a body that is no page.
QString saidIn(const ReplyFacts& facts) {
    if (const auto complaint = readComplaint(facts.body)) return complaint->message;
    const QByteArray begin = facts.body.trimmed().left(200);
    if (begin.startsWith('<') || begin.startsWith('{') || facts.contentType.contains("html")) return {};
    return QString::fromUtf8(begin).simplified();
}

bool isPage(const ReplyFacts& facts) { return facts.contentType.contains("html") || facts.body.trimmed().startsWith('<'); }

ServedError keyError(const ReplyFacts& facts, const QString& said) {
    if (facts.key.isEmpty())
        return made(Kind::Key, facts, Text::tr("The server at %1 asks for a key.").arg(where(facts)) + quoted(said),
                    Text::tr("Enter the key that belongs to this server in its settings."));
    return made(Kind::Key, facts, Text::tr("The server at %1 does not accept the key.").arg(where(facts)) + quoted(said),
                Text::tr("It may be mistyped, or have been withdrawn. Enter a valid key in the server's settings."));
}

ServedError tooManyError(const ReplyFacts& facts, const QString& said) {
    const qint64 wait = retryAfterSeconds(facts.retryAfter, QDateTime::currentDateTimeUtc());
    ServedError error = made(Kind::TooManyRequests, facts,
                             Text::tr("The server at %1 has too much to do right now.").arg(where(facts)) + quoted(said),
                             wait >= 0 ? Text::tr("It asks to wait %1 s before the next try.").arg(QLocale().toString(wait))
                                       : Text::tr("Wait a little and try again."));
    error.retryAfterSeconds = wait;
    return error;
}

/// 404 of an API that is there means the model; of one that is not, the path.
bool speaksOfModel(const ReplyFacts& facts, const ServerComplaint& complaint) {
    return complaint.message.contains(QLatin1String("model"), Qt::CaseInsensitive) ||
           complaint.type.contains(QLatin1String("model"), Qt::CaseInsensitive) ||
           (!facts.model.isEmpty() && complaint.message.contains(facts.model));
}

ServedError noModelError(const ReplyFacts& facts, const QString& said) {
    return made(Kind::NoSuchModel, facts,
                Text::tr("The server at %1 has no model named \"%2\".").arg(where(facts), facts.model) + quoted(said),
                Text::tr("Choose one of the server's models in its settings."));
}

ServedError notFoundError(const ReplyFacts& facts) {
    const auto complaint = readComplaint(facts.body);
    if (complaint && speaksOfModel(facts, *complaint)) return noModelError(facts, complaint->message);
    return made(Kind::NoSuchPath, facts,
                Text::tr("There is no OpenAI-style API at %1: the server knows no %2.")
                    .arg(where(facts), QStringLiteral("/v1/chat/completions")),
                Text::tr("Check the address. It is the one in front of \"/v1\", with the right port."));
}

ServedError redirectError(const ReplyFacts& facts) {
    const QUrl target = facts.address.resolved(QUrl::fromEncoded(facts.location.left(2000)));
    const QString shown = facts.location.isEmpty() ? QString() : shownAddress(target);
    return made(Kind::Redirected, facts,
                shown.isEmpty() ? Text::tr("The server at %1 points to another address and does not say which.").arg(where(facts))
                                : Text::tr("The server at %1 points to another address: %2.").arg(where(facts), shown),
                Text::tr("Nothing was sent there. If it is the right one, enter it as the server's address."));
}

ServedError badRequestError(const ReplyFacts& facts, const QString& said) {
    return made(Kind::BadRequest, facts,
                Text::tr("The server at %1 refused the request (HTTP %2).").arg(where(facts), QString::number(facts.status)) +
                    quoted(said),
                facts.status == 413 ? Text::tr("The conversation is longer than the server takes.") : QString());
}

ServedError serverFault(const ReplyFacts& facts, const QString& said) {
    const bool gateway = facts.status == 502 || facts.status == 504;
    return made(Kind::ServerError, facts,
                (gateway ? Text::tr("The proxy at %1 gets no answer from the server behind it (HTTP %2).")
                         : Text::tr("The server at %1 reports a fault of its own (HTTP %2)."))
                        .arg(where(facts), QString::number(facts.status)) +
                    quoted(said),
                facts.status == 503 ? Text::tr("It may still be loading its model. Try again in a while.")
                                    : Text::tr("Try again, or look into the server's log."));
}

QString tlsReason(const ReplyFacts& facts) {
    return facts.tlsProblems.isEmpty() ? facts.networkText : facts.tlsProblems.join(QLatin1Char(' '));
}

}  // namespace

ReplyFacts factsOf(const QNetworkReply& reply, const ServerProfile& server, const QString& key) {
    ReplyFacts out;
    out.address = server.address;
    out.key = key;
    out.model = server.model;
    out.networkError = reply.error();
    out.networkText = reply.errorString().simplified();
    out.status = reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
    out.contentType = reply.rawHeader("Content-Type").toLower();
    out.retryAfter = reply.rawHeader("Retry-After");
    out.location = reply.rawHeader("Location");
    return out;
}

QStringList tlsProblemTexts(const QList<QSslError>& errors) {
    QStringList out;
    for (const QSslError& error : errors) {
        const QString text = error.errorString().simplified();
        out.append(text.endsWith(u'.') ? text : text + u'.');
    }
    out.removeDuplicates();
    return out;
}

ServedError connectionError(const ReplyFacts& facts) {
    using Net = QNetworkReply;
    switch (facts.networkError) {
        case Net::HostNotFoundError:
            return made(Kind::NameNotFound, facts, Text::tr("There is no machine named \"%1\".").arg(facts.address.host()),
                        Text::tr("Check how the name is written, and whether this machine is connected to the network."));
        case Net::ConnectionRefusedError:
            return made(Kind::Refused, facts, Text::tr("Nothing answers at %1: the connection was refused.").arg(where(facts)),
                        Text::tr("Check the port, and whether the server has been started."));
        case Net::SslHandshakeFailedError:
            return made(
                Kind::Tls, facts, Text::tr("There is no secure connection to %1. %2").arg(where(facts), tlsReason(facts)),
                Text::tr("Nothing was sent. A server with a certificate of its own needs its certificate authority installed on "
                         "this machine; a server without encryption is reached by http://."));
        case Net::RemoteHostClosedError:
            return made(Kind::BrokenStream, facts,
                        Text::tr("The server at %1 closed the connection without an answer.").arg(where(facts)),
                        facts.address.scheme() == QLatin1String("http")
                            ? Text::tr("If it speaks TLS, its address begins with https://. Otherwise try again.")
                            : Text::tr("Try again, or look into the server's log."));
        case Net::ProxyConnectionRefusedError:
        case Net::ProxyConnectionClosedError:
        case Net::ProxyNotFoundError:
        case Net::ProxyTimeoutError:
        case Net::ProxyAuthenticationRequiredError:
        case Net::UnknownProxyError:
            return made(Kind::Unreachable, facts,
                        Text::tr("The proxy on the way to %1 does not let the connection through: %2")
                            .arg(where(facts), facts.networkText),
                        Text::tr("Check the proxy in the desktop's network settings."));
        default:
            return made(Kind::Unreachable, facts, Text::tr("%1 cannot be reached: %2").arg(where(facts), facts.networkText),
                        Text::tr("Check the network connection and the address."));
    }
}

ServedError statusError(const ReplyFacts& facts) {
    const QString said = saidIn(facts);
    if (facts.status >= 300 && facts.status < 400) return redirectError(facts);
    switch (facts.status) {
        case 401:
        case 403:
            return keyError(facts, said);
        case 404:
        case 405:
        case 501:
            return notFoundError(facts);
        case 407:
            return made(Kind::Unreachable, facts,
                        Text::tr("The proxy on the way to %1 asks for a name and password.").arg(where(facts)),
                        Text::tr("Check the proxy in the desktop's network settings."));
        case 429:
            return tooManyError(facts, said);
        default:
            break;
    }
    if (facts.status == 503 && !facts.retryAfter.isEmpty()) return tooManyError(facts, said);
    if (facts.status >= 500) return serverFault(facts, said);
    const auto complaint = readComplaint(facts.body);
    if (facts.status == 400 && complaint && complaint->type.contains(QLatin1String("model_not_found")))
        return noModelError(facts, said);
    if (isPage(facts)) return notAnApiError(facts);
    return badRequestError(facts, said);
}

ServedError notAnApiError(const ReplyFacts& facts) {
    return made(Kind::NotAnApi, facts,
                isPage(facts) ? Text::tr("%1 answers with a web page, not as a server of language models does.").arg(where(facts))
                              : Text::tr("%1 answers, but not as a server of language models does.").arg(where(facts)),
                Text::tr("Check the address and the port. A login page of the network, or a proxy, may stand in between."));
}

ServedError complaintError(const ReplyFacts& facts, const ServerComplaint& complaint) {
    ReplyFacts with = facts;
    if (complaint.code != 0) with.status = complaint.code;
    // An error inside an answer that had begun: its code says what the status could not.
    if (complaint.code == 401 || complaint.code == 403) return keyError(with, complaint.message);
    if (complaint.code == 429) return tooManyError(with, complaint.message);
    if (complaint.code == 404 && speaksOfModel(with, complaint)) return noModelError(with, complaint.message);
    if (complaint.code == 400) return badRequestError(with, complaint.message);
    return made(Kind::StreamError, with,
                Text::tr("The server at %1 stopped with an error.").arg(where(facts)) + quoted(complaint.message),
                Text::tr("Try again, or look into the server's log."));
}

ServedError addressError(const QString& problem) {
    ServedError error;
    error.kind = Kind::Address;
    error.message = problem;
    return error;
}

ServedError connectTimeoutError(const ReplyFacts& facts, int milliseconds) {
    return made(Kind::ConnectTimeout, facts,
                Text::tr("%1 gave no connection within %2 seconds.").arg(where(facts), seconds(milliseconds)),
                Text::tr("The machine may be off, or a firewall in between. Check the address and the network connection."));
}

ServedError silenceError(const ReplyFacts& facts, int milliseconds) {
    return made(
        Kind::Silence, facts, Text::tr("Nothing has come from %1 for %2 seconds.").arg(where(facts), seconds(milliseconds)),
        Text::tr(
            "The connection may have been lost, for instance while this machine slept, or the server is overloaded. Try again."));
}

ServedError brokenStreamError(const ReplyFacts& facts, bool halfAnEvent) {
    return made(Kind::BrokenStream, facts,
                halfAnEvent ? Text::tr("The connection to %1 broke in the middle of a piece of the answer.").arg(where(facts))
                            : Text::tr("The connection to %1 ended before the answer did.").arg(where(facts)),
                Text::tr("What had arrived is kept. Try again, or continue the answer."));
}

ServedError tooLargeError(const ReplyFacts& facts, qint64 limitBytes) {
    return made(Kind::TooLarge, facts,
                Text::tr("%1 sent more than %2, which no answer is.").arg(where(facts), QLocale().formattedDataSize(limitBytes)),
                Text::tr("What had arrived is kept. Check that the address is that of a server of language models."));
}

qint64 retryAfterSeconds(const QByteArray& header, const QDateTime& now) {
    constexpr qint64 kDay = 86'400;
    const QByteArray text = header.trimmed();
    if (text.isEmpty()) return -1;
    const bool digits = std::all_of(text.cbegin(), text.cend(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) {
        bool fits = false;
        const qint64 given = text.toLongLong(&fits);
        return fits ? std::min(given, kDay) : kDay;
    }
    // "Thu, 03 Dec 2026 05:00:00 GMT"; always English, always GMT.
    const QString date = QString::fromLatin1(text.mid(text.indexOf(',') + 1)).trimmed();
    QDateTime then = QLocale::c().toDateTime(date, QStringLiteral("dd MMM yyyy hh:mm:ss 'GMT'"));
    if (!then.isValid()) return -1;
    then.setTimeSpec(Qt::UTC);
    return std::clamp<qint64>((now.msecsTo(then) + 999) / 1000, 0, kDay);
}

}  // namespace trefoil
