#include "app/served/served_error.h"

namespace trefoil {

QString ServedError::text() const { return hint.isEmpty() ? message : message + QLatin1Char(' ') + hint; }

bool ServedError::passing() const {
    switch (kind) {
        case ServedErrorKind::ConnectTimeout:
        case ServedErrorKind::Silence:
        case ServedErrorKind::Unreachable:
        case ServedErrorKind::Refused:
        case ServedErrorKind::TooManyRequests:
        case ServedErrorKind::ServerError:
        case ServedErrorKind::BrokenStream:
        case ServedErrorKind::StreamError:
            return true;
        default:
            return false;
    }
}

}  // namespace trefoil
