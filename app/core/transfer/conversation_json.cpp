#include "app/core/transfer/conversation_json.h"

#include <nlohmann/json.hpp>

namespace trefoil {

namespace {

QByteArray quoted(const QString& text) {
    const QByteArray utf8 = text.toUtf8();
    const nlohmann::json json(std::string(utf8.constData(), static_cast<std::size_t>(utf8.size())));
    return QByteArray::fromStdString(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

QByteArray quotedOrNull(const QString& text) { return text.isEmpty() ? QByteArray("null") : quoted(text); }

QByteArray flag(bool value) { return value ? QByteArray("true") : QByteArray("false"); }

QByteArray time(const QDateTime& time) {
    return '"' + time.toUTC().toString(QStringLiteral("yyyy-MM-ddTHH:mm:ss.zzz")).toLatin1() + "Z\"";
}

/// The lines of an object, each with its name, at some depth.
class Lines {
public:
    explicit Lines(int depth) : m_start(QByteArray(2 * depth, ' ')) {}
    void add(const char* name, const QByteArray& value) {
        if (!m_text.isEmpty()) m_text += ",\n";
        m_text += m_start + '"' + name + "\": " + value;
    }
    [[nodiscard]] const QByteArray& text() const { return m_text; }

private:
    QByteArray m_start;
    QByteArray m_text;
};

template <class List, class F>
QByteArray listOnOneLine(const List& list, F element) {
    QByteArray out = "[";
    for (const auto& entry : list) {
        if (out.size() > 1) out += ',';
        out += element(entry);
    }
    return out + ']';
}

QByteArray messageToJson(const ArchivedMessage& entry) {
    const MessageRecord& m = entry.message;
    Lines lines(5);
    lines.add("id", quoted(m.id));
    lines.add("parent", quotedOrNull(m.parentId));
    lines.add("role", quoted(m.role));
    lines.add("created", time(m.createdUtc));
    lines.add("content", quoted(m.content));
    if (m.role == QLatin1String("assistant")) {
        lines.add("thinking", quoted(m.thinking));
        lines.add("has_thinking", flag(m.hasThinking));
        lines.add("thinking_closed", flag(m.thinkingClosed));
        lines.add("stop_reason", quoted(endReasonName(m.inProgress ? EndReason::Interrupted : m.stopReason)));
        lines.add("error", quoted(m.error));
        lines.add("model", quoted(m.model));
        lines.add("settings", controlsToJson(m.settings));
        lines.add("stats", statsToJson(m.stats));
        lines.add("response_ids", listOnOneLine(m.responseIds, [](qint32 id) { return QByteArray::number(id); }));
        lines.add("trace", listOnOneLine(entry.trace, [](const QByteArray& piece) { return '"' + piece.toBase64() + '"'; }));
    }
    return "        {\n" + lines.text() + "\n        }";
}

}  // namespace

QByteArray archiveHead(const QDateTime& exportedUtc) {
    return "{\n  \"format\": " + quoted(kArchiveFormat) + ",\n  \"version\": " + QByteArray::number(kArchiveVersion) +
           ",\n  \"exported\": " + time(exportedUtc) + ",\n  \"conversations\": [\n";
}

QByteArray archiveSeparator() { return ",\n"; }

QByteArray archiveTail() { return "\n  ]\n}\n"; }

QByteArray conversationToJson(const ArchivedConversation& conversation) {
    const ConversationRecord& r = conversation.record;
    Lines lines(3);
    lines.add("id", quoted(r.id));
    lines.add("title", quoted(r.title));
    lines.add("title_is_manual", flag(r.titleIsManual));
    lines.add("created", time(r.createdUtc));
    lines.add("updated", time(r.updatedUtc));
    lines.add("system_prompt", quoted(r.systemPrompt));
    lines.add("controls", controlsToJson(r.controls));
    lines.add("model_folder", quoted(r.modelFolder));
    lines.add("draft", quoted(r.draft));
    lines.add("edited", quotedOrNull(r.edited));
    lines.add("edit", quoted(r.edit));
    lines.add("engine", quoted(r.engine));
    lines.add("active", quotedOrNull(conversation.activeLeaf));
    QByteArray messages = "[";
    for (const ArchivedMessage& message : conversation.messages) {
        messages += messages.size() > 1 ? ",\n" : "\n";
        messages += messageToJson(message);
    }
    lines.add("messages", messages + (messages.size() > 1 ? "\n      ]" : "]"));
    return "    {\n" + lines.text() + "\n    }";
}

}  // namespace trefoil
