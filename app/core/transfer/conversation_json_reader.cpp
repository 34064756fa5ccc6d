// Reading conversations from JSON. Apart from conversation_json.cpp, which writes them, for its length.
#include "app/core/trace_store.h"
#include "app/core/transfer/conversation_json.h"
#include "app/core/transfer/located_json.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QHash>
#include <QSet>
#include <QUuid>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <optional>

namespace trefoil {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConversationJson)
};

/// The first thing that is wrong ends the reading; everything after it goes unread.
struct Broken {
    std::optional<JsonProblem> problem;
    void set(const JsonValue& at, const QString& field, const QString& message) {
        if (!problem) problem = JsonProblem{qint64{at.line()}, field, message};
    }
    [[nodiscard]] bool yes() const { return problem.has_value(); }
};

const QString kUserRole = QStringLiteral("user");
const QString kAssistantRole = QStringLiteral("assistant");
const QString kSystemRole = QStringLiteral("system");
constexpr int kNamedFields = 8;
constexpr qsizetype kLongestId = 128;

QString toQString(const std::string& utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

/// One object's fields, by name. Fields that nobody asked for are noted when it goes.
class Fields {
public:
    Fields(const JsonValue& value, QString path, Broken& broken, QStringList& ignored)
        : m_value(value), m_path(std::move(path)), m_broken(broken), m_ignored(ignored) {
        if (value.object() == nullptr) broken.set(value, m_path, Text::tr("should be an object"));
    }
    ~Fields() {
        if (m_value.object() == nullptr || m_broken.yes()) return;
        for (const auto& entry : *m_value.object()) {
            const QString name = toQString(entry.first);
            if (!m_known.contains(name) && !m_ignored.contains(name) && m_ignored.size() < kNamedFields) m_ignored.append(name);
        }
    }
    Fields(const Fields&) = delete;
    Fields& operator=(const Fields&) = delete;

    const JsonValue* find(const char* name) {
        m_known.insert(QLatin1String(name));
        return m_value.find(name);
    }
    const JsonValue* required(const char* name) {
        const JsonValue* value = find(name);
        if (value == nullptr) m_broken.set(m_value, path(name), Text::tr("is missing"));
        return value;
    }
    [[nodiscard]] QString path(const char* name) const {
        return m_path.isEmpty() ? QString::fromLatin1(name) : m_path + u'.' + QLatin1String(name);
    }

    QString text(const char* name, bool mustBeThere = false) {
        const JsonValue* value = mustBeThere ? required(name) : find(name);
        if (value == nullptr || (value->isNull() && !mustBeThere)) return {};
        if (value->text() == nullptr) m_broken.set(*value, path(name), Text::tr("should be a text"));
        return value->text() == nullptr ? QString() : toQString(*value->text());
    }
    QString id(const char* name, bool mustBeThere) {
        const QString value = text(name, mustBeThere);
        if (mustBeThere && value.isEmpty()) m_broken.set(*at(name), path(name), Text::tr("is empty"));
        if (value.size() > kLongestId) m_broken.set(*at(name), path(name), Text::tr("is longer than %1 signs").arg(kLongestId));
        return value;
    }
    bool boolean(const char* name, bool standard) {
        const JsonValue* value = find(name);
        if (value == nullptr) return standard;
        if (!value->boolean()) m_broken.set(*value, path(name), Text::tr("should be true or false"));
        return value->boolean().value_or(standard);
    }
    /// ISO 8601, or seconds or milliseconds since 1970.
    std::optional<QDateTime> time(const char* name) {
        const JsonValue* value = find(name);
        if (value == nullptr || value->isNull()) return {};
        const QDateTime found = timeOf(*value);
        if (!found.isValid() || found.date().year() < 1970 || found.date().year() > 9999)
            m_broken.set(*value, path(name),
                         Text::tr("is no time that is understood (ISO 8601, or seconds or milliseconds since 1970)"));
        return found;
    }
    /// Numbers, texts and truth values by name.
    ControlValues controls(const char* name, const ArchiveReading& reading) {
        ControlValues values;
        const JsonValue* value = find(name);
        if (value == nullptr || !isFlat(*value, path(name))) return values;
        (void)controlsFromJson(value->toJson(), &values);
        for (const auto& entry : *value->object()) {
            const QString control = toQString(entry.first);
            if (!values.contains(control) || !reading.controlProblem) continue;
            const QString problem = reading.controlProblem(control, values.value(control));
            if (!problem.isEmpty())
                m_broken.set(entry.second, path(name) + u'.' + control, Text::tr("has no possible value (%1)").arg(problem));
        }
        return values;
    }
    GenerationStats stats(const char* name) {
        const JsonValue* value = find(name);
        if (value == nullptr || !isFlat(*value, path(name))) return {};
        for (const auto& entry : *value->object()) {
            const std::optional<double> number = entry.second.real();
            // Sums over a history must stay numbers.
            constexpr double kLargest = 1e15;
            if (!number || !(*number >= 0) || *number > kLargest)
                m_broken.set(entry.second, path(name) + u'.' + toQString(entry.first), Text::tr("is no possible number here"));
        }
        return statsFromJson(value->toJson());
    }
    QList<qint32> ids(const char* name) {
        QList<qint32> out;
        const JsonValue* value = find(name);
        if (value == nullptr) return out;
        if (value->array() == nullptr) {
            m_broken.set(*value, path(name), Text::tr("should be a list"));
            return out;
        }
        out.reserve(static_cast<qsizetype>(value->array()->size()));
        for (const JsonValue& entry : *value->array()) {
            const std::optional<std::int64_t> number = entry.integer();
            if (!number || *number < 0 || *number > std::numeric_limits<qint32>::max()) {
                m_broken.set(entry, path(name) + QStringLiteral("[%1]").arg(out.size()), Text::tr("is no token id"));
                return out;
            }
            out.append(static_cast<qint32>(*number));
        }
        return out;
    }
    QList<QByteArray> trace(const char* name) {
        QList<QByteArray> out;
        const JsonValue* value = find(name);
        if (value == nullptr) return out;
        if (value->array() == nullptr) m_broken.set(*value, path(name), Text::tr("should be a list"));
        if (value->array() == nullptr) return out;
        for (const JsonValue& entry : *value->array()) {
            const std::string* text = entry.text();
            const auto piece = text == nullptr ? QByteArray::FromBase64Result()
                                               : QByteArray::fromBase64Encoding(QByteArray::fromStdString(*text),
                                                                                QByteArray::AbortOnBase64DecodingErrors);
            if (text == nullptr || !piece || !unpackTrace(piece.decoded).ok()) {
                m_broken.set(entry, path(name) + QStringLiteral("[%1]").arg(out.size()), Text::tr("is no packed trace"));
                return out;
            }
            out.append(piece.decoded);
        }
        return out;
    }

private:
    [[nodiscard]] const JsonValue* at(const char* name) const {
        const JsonValue* value = m_value.find(name);
        return value == nullptr ? &m_value : value;
    }
    bool isFlat(const JsonValue& value, const QString& at) {
        if (value.object() == nullptr) {
            m_broken.set(value, at, Text::tr("should be an object"));
            return false;
        }
        for (const auto& entry : *value.object()) {
            if (entry.second.array() == nullptr && entry.second.object() == nullptr) continue;
            m_broken.set(entry.second, at + u'.' + toQString(entry.first),
                         Text::tr("should be a number, a text or a truth value"));
            return false;
        }
        return true;
    }
    static QDateTime timeOf(const JsonValue& value) {
        if (const std::string* text = value.text()) {
            QDateTime time = QDateTime::fromString(toQString(*text).trimmed(), Qt::ISODateWithMs);
            if (time.isValid() && time.timeSpec() == Qt::LocalTime) time.setTimeSpec(Qt::UTC);
            return time.isValid() ? time.toUTC() : QDateTime();
        }
        const std::optional<double> number = value.real();
        // A hundred thousand million seconds are the year 5138, as many milliseconds 1973.
        constexpr double kSecondsBelow = 1e11;
        constexpr double kLatestMs = 253'402'300'799'000.0;  // the end of 9999
        if (!number || !(*number >= 0)) return {};
        const double ms = *number < kSecondsBelow ? *number * 1000.0 : *number;
        return ms <= kLatestMs ? QDateTime::fromMSecsSinceEpoch(std::llround(ms), Qt::UTC) : QDateTime();
    }

    const JsonValue& m_value;
    QString m_path;
    Broken& m_broken;
    QStringList& m_ignored;
    QSet<QString> m_known;
};

/// The time of any of the usual names.
QDateTime anyTime(Fields& fields, const QDateTime& otherwise) {
    std::optional<QDateTime> found;
    for (const char* name : {"created", "created_at", "timestamp", "time"})
        if (const std::optional<QDateTime> time = fields.time(name); time && !found) found = time;
    return found.value_or(otherwise);
}

class ArchiveReader {
public:
    explicit ArchiveReader(const ArchiveReading& reading) : m_reading(reading) {}

    StoreResult<ConversationArchive> read(const QByteArray& bytes) {
        const JsonElements elements{"conversations", [this](const JsonValue& element, qsizetype index) {
                                        readOwn(element, QStringLiteral("conversations[%1]").arg(index));
                                        if (m_reading.cancelled && m_reading.cancelled())
                                            m_broken.set(element, {}, Text::tr("was not read to its end"));
                                        return m_broken.problem;
                                    }};
        const std::variant<JsonValue, JsonProblem> parsed = parseLocatedJson(bytes, elements);
        if (const auto* problem = std::get_if<JsonProblem>(&parsed)) {
            m_broken.problem = *problem;
        } else {
            readRoot(std::get<JsonValue>(parsed));
        }
        if (m_broken.yes()) return {{}, told(*m_broken.problem)};
        return {{m_conversations, m_ignored}, {}};
    }

private:
    static StoreProblem told(const JsonProblem& problem) {
        QString where;
        if (problem.line > 0 && !problem.field.isEmpty()) {
            where = Text::tr("Line %1: %2 %3.").arg(QString::number(problem.line), problem.field, problem.message);
        } else if (problem.line > 0) {
            where = Text::tr("Line %1 %2.").arg(QString::number(problem.line), problem.message);
        } else {
            where = Text::tr("The file %1.").arg(problem.message);
        }
        return {StoreProblemKind::Invalid, where, Text::tr("Nothing was taken from this file.")};
    }

    void readRoot(const JsonValue& root) {
        if (root.array() != nullptr) return readForeignList(root);
        if (root.find("messages") != nullptr && root.find("conversations") == nullptr) return readForeign(root, {});
        QStringList unused;
        Fields fields(root, {}, m_broken, unused);
        if (m_broken.yes()) return;
        if (root.find("conversations") == nullptr && root.find("format") == nullptr)
            return m_broken.set(root, {}, Text::tr("begins neither conversations of Trefoil nor a list of messages"));
        if (const JsonValue* format = fields.required("format"); format != nullptr && fields.text("format") != kArchiveFormat)
            m_broken.set(*format, QStringLiteral("format"), Text::tr("should be \"%1\"").arg(kArchiveFormat));
        const JsonValue* version = fields.required("version");
        if (version != nullptr && (!version->integer() || *version->integer() < 1))
            m_broken.set(*version, QStringLiteral("version"), Text::tr("should be a whole number from 1"));
        else if (version != nullptr && *version->integer() > kArchiveVersion)
            m_broken.set(*version, QStringLiteral("version"),
                         Text::tr("is newer than this Trefoil, which reads up to %1; update Trefoil").arg(kArchiveVersion));
        const JsonValue* conversations = fields.required("conversations");
        if (conversations != nullptr && conversations->array() == nullptr)
            m_broken.set(*conversations, QStringLiteral("conversations"), Text::tr("should be a list"));
    }

    // ------------------------------------------------------------------------------------------------------- Trefoil's own

    void readOwn(const JsonValue& value, const QString& path) {
        ArchivedConversation out;
        Fields fields(value, path, m_broken, m_ignored);
        if (m_broken.yes()) return;
        ConversationRecord& r = out.record;
        r.id = fields.id("id", true);
        r.title = fields.text("title");
        r.titleIsManual = fields.boolean("title_is_manual", !r.title.isEmpty());
        if (fields.required("created") == nullptr) return;
        r.createdUtc = fields.time("created").value_or(QDateTime());
        r.updatedUtc = fields.time("updated").value_or(r.createdUtc);
        r.systemPrompt = fields.text("system_prompt");
        r.controls = fields.controls("controls", m_reading);
        r.modelFolder = fields.text("model_folder");
        r.draft = fields.text("draft");
        r.edited = fields.id("edited", false);
        r.edit = fields.text("edit");
        r.engine = fields.text("engine");
        out.activeLeaf = fields.id("active", false);
        if (m_conversationIds.contains(r.id)) m_broken.set(value, fields.path("id"), Text::tr("stands twice in the file"));
        m_conversationIds.insert(r.id);
        const JsonValue* messages = fields.required("messages");
        if (m_broken.yes()) return;
        if (messages->array() == nullptr) return m_broken.set(*messages, fields.path("messages"), Text::tr("should be a list"));
        QHash<QString, QString> roles;  // of the conversation's messages so far
        for (const JsonValue& entry : *messages->array()) {
            const QString at = fields.path("messages") + QStringLiteral("[%1]").arg(out.messages.size());
            out.messages.append(readOwnMessage(entry, at, roles));
            if (m_broken.yes()) return;
            out.messages.last().message.conversationId = r.id;
            roles.insert(out.messages.constLast().message.id, out.messages.constLast().message.role);
        }
        if (!out.activeLeaf.isEmpty() && !roles.contains(out.activeLeaf))
            return m_broken.set(*value.find("active"), fields.path("active"), Text::tr("names no message of the conversation"));
        if (!r.edited.isEmpty() && !roles.contains(r.edited))
            return m_broken.set(*value.find("edited"), fields.path("edited"), Text::tr("names no message of the conversation"));
        sortForArchive(&out.messages);
        m_conversations.append(out);
    }

    ArchivedMessage readOwnMessage(const JsonValue& value, const QString& path, const QHash<QString, QString>& earlier) {
        ArchivedMessage out;
        Fields fields(value, path, m_broken, m_ignored);
        if (m_broken.yes()) return out;
        MessageRecord& m = out.message;
        m.id = fields.id("id", true);
        m.parentId = fields.id("parent", false);
        m.role = fields.text("role", true);
        m.content = fields.text("content", true);
        if (fields.required("created") == nullptr) return out;
        m.createdUtc = fields.time("created").value_or(QDateTime());
        m.thinking = fields.text("thinking");
        m.hasThinking = fields.boolean("has_thinking", !m.thinking.isEmpty());
        m.thinkingClosed = fields.boolean("thinking_closed", true);
        const QString reason = fields.text("stop_reason");
        m.stopReason = endReasonFromName(reason);
        m.error = fields.text("error");
        m.model = fields.text("model");
        m.settings = fields.controls("settings", m_reading);
        m.stats = fields.stats("stats");
        m.responseIds = fields.ids("response_ids");
        out.trace = fields.trace("trace");
        if (m_broken.yes()) return out;
        if (m.role != kUserRole && m.role != kAssistantRole)
            m_broken.set(*value.find("role"), fields.path("role"), Text::tr("should be \"user\" or \"assistant\""));
        if (!reason.isEmpty() && endReasonName(m.stopReason) != reason)
            m_broken.set(*value.find("stop_reason"), fields.path("stop_reason"), Text::tr("is no known reason"));
        if (!m.parentId.isEmpty() && !earlier.contains(m.parentId))
            m_broken.set(*value.find("parent"), fields.path("parent"), Text::tr("names no message before this one"));
        if (m_messageIds.contains(m.id)) m_broken.set(value, fields.path("id"), Text::tr("stands twice in the file"));
        m_messageIds.insert(m.id);
        return out;
    }

    // ------------------------------------------------------------------------------------------------- the common messages

    void readForeignList(const JsonValue& root) {
        const JsonValue::Array& list = *root.array();
        if (list.empty()) return m_broken.set(root, {}, Text::tr("holds no message"));
        // A list of objects with "messages" holds several conversations.
        if (list.front().find("messages") == nullptr) return readForeign(root, {});
        for (std::size_t i = 0; i < list.size() && !m_broken.yes(); ++i) {
            readForeign(list[i], QStringLiteral("[%1]").arg(i));
            if (m_reading.cancelled && m_reading.cancelled()) m_broken.set(list[i], {}, Text::tr("was not read to its end"));
        }
    }

    /// `value`: the list itself, or an object that holds it as "messages".
    void readForeign(const JsonValue& value, const QString& path) {
        ArchivedConversation out;
        ConversationRecord& r = out.record;
        r.createdUtc = m_reading.nowUtc;
        const JsonValue* messages = &value;
        QString at = path;
        if (value.array() == nullptr) {
            Fields fields(value, path, m_broken, m_ignored);
            if (m_broken.yes()) return;
            messages = fields.required("messages");
            at = fields.path("messages");
            r.title = fields.text("title");
            r.titleIsManual = !r.title.isEmpty();
            r.createdUtc = anyTime(fields, m_reading.nowUtc);
            r.systemPrompt = fields.text("system");
            if (m_broken.yes()) return;
        }
        if (messages->array() == nullptr) return m_broken.set(*messages, at, Text::tr("should be a list"));
        if (messages->array()->empty()) return m_broken.set(*messages, at, Text::tr("holds no message"));
        const QDateTime begin = r.createdUtc;
        qsizetype index = 0;
        for (const JsonValue& entry : *messages->array()) {
            readForeignMessage(entry, at + QStringLiteral("[%1]").arg(index), begin.addMSecs(index), &out);
            if (m_broken.yes()) return;
            ++index;
        }
        giveIds(&out);
        m_conversations.append(out);
    }

    void readForeignMessage(const JsonValue& value, const QString& path, const QDateTime& otherwise, ArchivedConversation* out) {
        Fields fields(value, path, m_broken, m_ignored);
        if (m_broken.yes()) return;
        MessageRecord m;
        m.role = fields.text("role", true);
        m.createdUtc = anyTime(fields, otherwise);
        m.content = contentOf(fields);
        m.thinking = fields.text("reasoning_content");
        m.hasThinking = !m.thinking.isEmpty();
        m.model = fields.text("model");
        if (m_broken.yes()) return;
        if (m.role == kSystemRole && out->messages.isEmpty() && out->record.systemPrompt.isEmpty()) {
            out->record.systemPrompt = m.content;
            return;
        }
        if (m.role == kSystemRole)
            return m_broken.set(*value.find("role"), fields.path("role"),
                                Text::tr("is \"system\", which only the first message may be"));
        if (m.role != kUserRole && m.role != kAssistantRole)
            return m_broken.set(*value.find("role"), fields.path("role"),
                                Text::tr("is \"%1\"; it should be \"system\", \"user\" or \"assistant\"").arg(m.role.left(40)));
        if (m.role == kAssistantRole) m.stopReason = EndReason::End;
        out->messages.append({m, {}});
    }

    /// A text, or a list of parts that are all texts.
    QString contentOf(Fields& fields) {
        const JsonValue* value = fields.required("content");
        if (value == nullptr || value->array() == nullptr) return fields.text("content", true);
        QString text;
        qsizetype index = 0;
        for (const JsonValue& part : *value->array()) {
            const QString at = fields.path("content") + QStringLiteral("[%1]").arg(index++);
            Fields partFields(part, at, m_broken, m_ignored);
            if (m_broken.yes()) return {};
            if (const JsonValue* type = partFields.required("type");
                type != nullptr && partFields.text("type") != QLatin1String("text"))
                m_broken.set(*type, at + QStringLiteral(".type"), Text::tr("should be \"text\"; other parts cannot be kept"));
            text += partFields.text("text", true);
        }
        return text;
    }

    /// From the texts, so that the same file is known again.
    void giveIds(ArchivedConversation* out) {
        QCryptographicHash hash(QCryptographicHash::Sha256);
        const auto add = [&hash](const QString& text) {
            const QByteArray utf8 = text.toUtf8();
            hash.addData(QByteArray::number(utf8.size()) + ':' + utf8);
        };
        add(out->record.systemPrompt);
        for (const ArchivedMessage& entry : std::as_const(out->messages)) {
            add(entry.message.role);
            add(entry.message.content);
            add(entry.message.thinking);
        }
        const QUuid space = QUuid::createUuidV5(QUuid(), QStringLiteral("trefoil-import"));
        QUuid id = QUuid::createUuidV5(space, hash.result());
        while (m_conversationIds.contains(id.toString(QUuid::WithoutBraces))) id = QUuid::createUuidV5(id, QByteArray("again"));
        out->record.id = id.toString(QUuid::WithoutBraces);
        m_conversationIds.insert(out->record.id);
        out->record.updatedUtc = out->record.createdUtc;
        QString parent;
        qsizetype index = 0;
        for (ArchivedMessage& entry : out->messages) {
            MessageRecord& m = entry.message;
            m.id = QUuid::createUuidV5(id, QByteArray::number(index++)).toString(QUuid::WithoutBraces);
            m.conversationId = out->record.id;
            m.parentId = parent;
            parent = m.id;
            out->record.updatedUtc = std::max(out->record.updatedUtc, m.createdUtc);
            if (out->record.title.isEmpty() && m.role == kUserRole) out->record.title = titleFromQuestion(m.content);
        }
        out->activeLeaf = parent;
    }

    const ArchiveReading& m_reading;
    Broken m_broken;
    QStringList m_ignored;
    QList<ArchivedConversation> m_conversations;
    QSet<QString> m_conversationIds;
    QSet<QString> m_messageIds;
};

}  // namespace

StoreResult<ConversationArchive> readConversationJson(const QByteArray& bytes, const ArchiveReading& reading) {
    return ArchiveReader(reading).read(bytes);
}

}  // namespace trefoil
