// JSON that knows on which line each value stands, for files that people bring along: what is wrong with one is told by line and
// field. Bounded in depth and size; two equal keys in one object are refused. UTF-8, with or without a mark, and UTF-16 with one.
#pragma once

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace trefoil {

/// What is wrong with a file, and where.
struct JsonProblem {
    qint64 line = 0;  ///< from 1; 0: the file as a whole
    QString field;    ///< such as "conversations[0].messages[2].role"; empty: none
    QString message;  ///< a part of a sentence: "is missing"
};

class JsonValue {
public:
    using Array = std::vector<JsonValue>;
    using Object = std::vector<std::pair<std::string, JsonValue>>;
    using Data = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::unique_ptr<std::string>,
                              std::unique_ptr<Array>, std::unique_ptr<Object>>;

    JsonValue() = default;
    JsonValue(Data data, quint32 line) : m_data(std::move(data)), m_line(line) {}

    [[nodiscard]] quint32 line() const { return m_line; }
    [[nodiscard]] const Data& data() const { return m_data; }
    [[nodiscard]] bool isNull() const { return std::holds_alternative<std::nullptr_t>(m_data); }
    [[nodiscard]] std::optional<bool> boolean() const { return get<bool>(); }
    /// A whole number that fits 64 bits with a sign.
    [[nodiscard]] std::optional<std::int64_t> integer() const;
    /// Any number.
    [[nodiscard]] std::optional<double> real() const;
    [[nodiscard]] const std::string* text() const { return pointer<std::string>(); }
    [[nodiscard]] const Array* array() const { return pointer<Array>(); }
    [[nodiscard]] Array* array() { return pointer<Array>(); }
    [[nodiscard]] const Object* object() const { return pointer<Object>(); }
    [[nodiscard]] Object* object() { return pointer<Object>(); }
    /// The entry of an object; nullptr when there is none, or this is no object.
    [[nodiscard]] const JsonValue* find(const char* key) const;
    /// As JSON again, on one line.
    [[nodiscard]] QByteArray toJson() const;

private:
    template <class T>
    [[nodiscard]] std::optional<T> get() const {
        const T* value = std::get_if<T>(&m_data);
        return value == nullptr ? std::nullopt : std::optional<T>(*value);
    }
    template <class T>
    [[nodiscard]] T* pointer() const {
        const auto* value = std::get_if<std::unique_ptr<T>>(&m_data);
        return value == nullptr ? nullptr : value->get();
    }

    Data m_data = nullptr;
    quint32 m_line = 0;
};

struct JsonLimits {
    int depth = 48;
    qint64 values = 4'000'000;  ///< at a time: elements that were handed over do not count any more
    int entries = 2000;         ///< of one object
};

/// Called for each element of the list `name` of the outermost object as soon as it is complete, with its number; it is not kept
/// afterwards. A problem ends the reading.
struct JsonElements {
    std::string name;
    std::function<std::optional<JsonProblem>(const JsonValue& element, qsizetype index)> take;
};

/// Reads a whole file. The problem of the first thing that is wrong, or the value without what `elements` took.
std::variant<JsonValue, JsonProblem> parseLocatedJson(const QByteArray& bytes, const JsonElements& elements = {},
                                                      const JsonLimits& limits = {});

}  // namespace trefoil
