#include "app/core/transfer/located_json.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QStringDecoder>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <new>

namespace trefoil {

namespace {

using Json = nlohmann::json;

struct Text {
    Q_DECLARE_TR_FUNCTIONS(LocatedJson)
};

/// Where the reader stands: the line of the last sign that was no space. A number's end is known only from the sign after it,
/// which may be the end of the line.
struct Place {
    quint32 newlines = 0;
    quint32 line = 1;
};

class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, Place* place) : m_at(at), m_place(place) {}
    reference operator*() const { return *m_at; }
    CountingIterator& operator++() {
        const char sign = *m_at++;
        if (sign == '\n') {
            ++m_place->newlines;
        } else if (sign != ' ' && sign != '\t' && sign != '\r') {
            m_place->line = m_place->newlines + 1;
        }
        return *this;
    }
    CountingIterator operator++(int) {
        const CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& other) const { return m_at == other.m_at; }
    bool operator!=(const CountingIterator& other) const { return m_at != other.m_at; }

private:
    const char* m_at;
    Place* m_place;
};

/// Builds the values. The base class is the library's; its names and signatures are given.
class Builder : public nlohmann::json_sax<Json> {
public:
    Builder(const Place& place, const JsonElements& elements, const JsonLimits& limits)
        : m_place(place), m_elements(elements), m_limits(limits) {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(std::int64_t value) override { return put(value); }
    bool number_unsigned(std::uint64_t value) override { return put(value); }
    bool number_float(double value, const std::string& /*text*/) override { return put(value); }
    bool string(std::string& value) override { return put(std::make_unique<std::string>(std::move(value))); }
    bool binary(Json::binary_t& /*value*/) override { return fail(Text::tr("holds binary data")); }
    bool start_object(std::size_t /*count*/) override { return open(std::make_unique<JsonValue::Object>()); }
    bool start_array(std::size_t /*count*/) override { return open(std::make_unique<JsonValue::Array>()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& name) override {
        JsonValue::Object& object = *m_open.back().value.object();
        m_open.back().key = name;
        const auto same = [&name](const auto& entry) { return entry.first == name; };
        if (std::any_of(object.begin(), object.end(), same)) return fail(Text::tr("stands twice in one object"));
        if (static_cast<int>(object.size()) >= m_limits.entries)
            return fail(Text::tr("is one entry too many: an object may have %1").arg(m_limits.entries));
        return true;
    }
    bool parse_error(std::size_t /*position*/, const std::string& /*token*/, const Json::exception& error) override {
        QString what = QString::fromUtf8(error.what());
        // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while …": the part for people.
        if (what.startsWith(u'[')) what = what.mid(what.indexOf(QLatin1String("] ")) + 2);
        if (what.startsWith(QLatin1String("parse error"))) what = what.mid(what.indexOf(QLatin1String(": ")) + 2);
        constexpr qsizetype kLongest = 160;
        if (what.size() > kLongest) what = what.left(kLongest) + QChar(0x2026);
        return fail(Text::tr("is no valid JSON (%1)").arg(what.simplified()));
    }

    JsonValue takeRoot() { return std::move(m_root); }
    [[nodiscard]] const JsonProblem& problem() const { return m_problem; }

private:
    struct Level {
        JsonValue value;
        std::string key;         // of the entry that is being read
        qsizetype elements = 0;  // of an array, those that were handed over included
    };

    bool fail(const QString& message) {
        m_problem = {qint64{m_place.line}, field(), message};
        return false;
    }

    [[nodiscard]] QString field() const {
        QString path;
        for (const Level& level : m_open) {
            if (level.value.array() != nullptr) {
                path += QStringLiteral("[%1]").arg(level.elements);
            } else if (!level.key.empty()) {
                if (!path.isEmpty()) path += u'.';
                path += QString::fromStdString(level.key).simplified().left(40);  // a problem is told in one line
            }
        }
        return path;
    }

    bool count() {
        if (++m_values <= m_limits.values) return true;
        return fail(Text::tr("has too many values: %1 are read at most").arg(m_limits.values));
    }

    bool put(JsonValue::Data data) { return count() && place(JsonValue(std::move(data), m_place.line)); }

    /// A complete value goes where it belongs.
    bool place(JsonValue value) {
        if (m_open.empty()) {
            m_root = std::move(value);
            return true;
        }
        Level& parent = m_open.back();
        if (JsonValue::Object* object = parent.value.object()) {
            object->emplace_back(parent.key, std::move(value));
            parent.key.clear();
            return true;
        }
        if (isHandedOver()) {
            const std::optional<JsonProblem> problem = m_elements.take(value, parent.elements++);
            m_values = 0;
            if (problem) m_problem = *problem;
            return !problem;
        }
        parent.value.array()->push_back(std::move(value));
        ++parent.elements;
        return true;
    }

    [[nodiscard]] bool isHandedOver() const {
        return m_open.size() == 2 && m_elements.take && m_open.front().value.object() != nullptr &&
               m_open.front().key == m_elements.name;
    }

    bool open(JsonValue::Data data) {
        if (static_cast<int>(m_open.size()) >= m_limits.depth)
            return fail(Text::tr("is nested more than %1 deep").arg(m_limits.depth));
        m_open.push_back({JsonValue(std::move(data), m_place.line), {}, 0});
        return count();
    }

    bool close() {
        JsonValue value = std::move(m_open.back().value);
        m_open.pop_back();
        return place(std::move(value));
    }

    const Place& m_place;
    const JsonElements& m_elements;
    const JsonLimits& m_limits;
    std::vector<Level> m_open;
    JsonValue m_root;
    JsonProblem m_problem;
    qint64 m_values = 0;
};

/// UTF-8 without a mark, or what is wrong.
std::optional<JsonProblem> toUtf8(const QByteArray& bytes, QByteArray* utf8) {
    if (bytes.startsWith("\xEF\xBB\xBF")) {
        *utf8 = QByteArray::fromRawData(bytes.constData() + 3, bytes.size() - 3);
        return {};
    }
    // The mark of UTF-32 (little endian) begins with that of UTF-16.
    const bool wide = bytes.startsWith(QByteArray("\xFF\xFE\0\0", 4)) || bytes.startsWith(QByteArray("\0\0\xFE\xFF", 4));
    const auto encoding = bytes.startsWith("\xFF\xFE")   ? QStringConverter::Utf16LE
                          : bytes.startsWith("\xFE\xFF") ? QStringConverter::Utf16BE
                                                         : QStringConverter::Utf8;
    if (!wide && encoding == QStringConverter::Utf8) {
        *utf8 = bytes;
        return {};
    }
    QStringDecoder decoder(encoding);
    const QString text = decoder(bytes);
    if (wide || decoder.hasError() || bytes.size() % 2 != 0) return JsonProblem{0, {}, Text::tr("is no text in UTF-8 or UTF-16")};
    *utf8 = text.toUtf8();
    if (utf8->startsWith("\xEF\xBB\xBF")) utf8->remove(0, 3);
    return {};
}

Json toLibrary(const JsonValue& value) {
    if (const auto flag = value.boolean()) return *flag;
    if (const auto* number = std::get_if<std::int64_t>(&value.data())) return *number;
    if (const auto* number = std::get_if<std::uint64_t>(&value.data())) return *number;
    if (const auto* number = std::get_if<double>(&value.data())) return *number;
    if (const std::string* text = value.text()) return *text;
    if (const JsonValue::Array* array = value.array()) {
        Json out = Json::array();
        for (const JsonValue& element : *array) out.push_back(toLibrary(element));
        return out;
    }
    if (const JsonValue::Object* object = value.object()) {
        Json out = Json::object();
        for (const auto& entry : *object) out[entry.first] = toLibrary(entry.second);
        return out;
    }
    return nullptr;
}

}  // namespace

std::optional<std::int64_t> JsonValue::integer() const {
    if (const auto* value = std::get_if<std::int64_t>(&m_data)) return *value;
    const auto* value = std::get_if<std::uint64_t>(&m_data);
    if (value == nullptr || *value > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) return std::nullopt;
    return static_cast<std::int64_t>(*value);
}

std::optional<double> JsonValue::real() const {
    if (const auto* value = std::get_if<double>(&m_data)) return *value;
    if (const auto* value = std::get_if<std::int64_t>(&m_data)) return static_cast<double>(*value);
    if (const auto* value = std::get_if<std::uint64_t>(&m_data)) return static_cast<double>(*value);
    return std::nullopt;
}

const JsonValue* JsonValue::find(const char* key) const {
    const Object* entries = object();
    if (entries == nullptr) return nullptr;
    const auto it = std::find_if(entries->begin(), entries->end(), [key](const auto& entry) { return entry.first == key; });
    return it == entries->end() ? nullptr : &it->second;
}

QByteArray JsonValue::toJson() const {
    return QByteArray::fromStdString(toLibrary(*this).dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::variant<JsonValue, JsonProblem> parseLocatedJson(const QByteArray& bytes, const JsonElements& elements,
                                                      const JsonLimits& limits) {
    try {
        QByteArray utf8;
        if (const std::optional<JsonProblem> problem = toUtf8(bytes, &utf8)) return *problem;
        Place place;
        Builder builder(place, elements, limits);
        const char* begin = utf8.constData();
        const CountingIterator first(begin, &place);
        const CountingIterator last(begin + utf8.size(), &place);
        if (Json::sax_parse(first, last, &builder)) return builder.takeRoot();
        return builder.problem();
    } catch (const std::bad_alloc&) {
        return JsonProblem{0, {}, Text::tr("needs more memory than there is")};
    }
}

}  // namespace trefoil
