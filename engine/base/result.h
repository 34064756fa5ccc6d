// Result<T>: a value or an Error. The only way errors cross the engine's façade; exceptions do not cross a library.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace trefoil {

/// What went wrong, for code that reacts differently to different causes. The text is in Error.
enum class ErrorKind {
    InvalidArgument,    ///< a value from the caller: control out of range, empty prompt, bad UTF-8
    NotFound,           ///< a file or folder that is not there
    Io,                 ///< reading or writing failed
    Format,             ///< a file's contents are broken or contradict each other
    Unsupported,        ///< well formed, but nothing that this program can run
    DoesNotFit,         ///< a request or a model that is larger than the context or the memory
    OutOfMemory,        ///< an allocation failed
    DeviceLost,         ///< the GPU went away while in use
    DeviceUnavailable,  ///< the asked-for device cannot be used here
    Cancelled,          ///< the caller asked to stop
    Internal,           ///< a bug in this program
};

/// One error. `message` says what was wanted and what was found, in one line; `hint` what to do (may be empty).
struct Error {
    ErrorKind kind = ErrorKind::Internal;
    std::string message;
    std::string hint;

    /// "message; hint" on one line.
    [[nodiscard]] std::string text() const { return hint.empty() ? message : message + "; " + hint; }
};

inline Error makeError(ErrorKind kind, std::string message, std::string hint = {}) {
    return Error{kind, std::move(message), std::move(hint)};
}

/// A T or an Error. Reading the wrong one is a programming error (asserted).
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
    Result(Error error) : m_state(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    T& value() & {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    const T& value() const& {
        assert(ok());
        return *std::get_if<0>(&m_state);
    }
    T&& value() && {
        assert(ok());
        return std::move(*std::get_if<0>(&m_state));
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] const Error& error() const {
        assert(!ok());
        return *std::get_if<1>(&m_state);
    }

private:
    std::variant<T, Error> m_state;
};

/// Success or an Error.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    [[nodiscard]] bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] const Error& error() const {
        assert(!ok());
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

using Status = Result<void>;

}  // namespace trefoil
