// ServedError: why a served model gave no answer, or only a part of one, in words that a person can act on.
#pragma once

#include <QMetaType>
#include <QString>

#include <cstdint>

namespace trefoil {

enum class ServedErrorKind : std::uint8_t {
    None,
    Address,          ///< refused before anything was sent: see endpoint_rules.h
    NameNotFound,     ///< no such host
    Refused,          ///< nothing listens there
    Unreachable,      ///< no way to the host, or a proxy in between refused
    ConnectTimeout,   ///< no connection in time
    Silence,          ///< connected, then nothing for too long
    Tls,              ///< no trustworthy connection
    Key,              ///< 401, 403
    NoSuchModel,      ///< the server has no model of this name
    NoSuchPath,       ///< 404 and the like: no OpenAI-style API at this address
    BadRequest,       ///< the server refused what was asked
    TooManyRequests,  ///< 429, and 503 with Retry-After; retryAfterSeconds
    ServerError,      ///< 5xx
    Redirected,       ///< 3xx; never followed
    NotAnApi,         ///< a web page or something else that is no answer of such an API
    BrokenStream,     ///< the connection ended before the answer did
    StreamError,      ///< the server reported an error in the middle of its answer
    TooLarge,         ///< more than any answer is
};

struct ServedError {
    ServedErrorKind kind = ServedErrorKind::None;
    QString message;                ///< one or two sentences, translated; never contains the key
    QString hint;                   ///< what to do; may be empty
    qint64 retryAfterSeconds = -1;  ///< that the server asked to wait; -1: it did not say
    int httpStatus = 0;             ///< 0: none was received

    [[nodiscard]] bool ok() const { return kind == ServedErrorKind::None; }
    /// Message and hint in one line.
    [[nodiscard]] QString text() const;
    /// The same request may succeed later without any change.
    [[nodiscard]] bool passing() const;
    bool operator==(const ServedError&) const = default;
};

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::ServedError)
