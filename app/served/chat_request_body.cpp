#include "app/served/chat_request_body.h"

#include "app/served/served_capabilities.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

#include <algorithm>
#include <limits>

namespace trefoil {
namespace {

using Json = nlohmann::ordered_json;

struct RequestBodyText {
    Q_DECLARE_TR_FUNCTIONS(ServedRequest)
};

const QString kThinking = QStringLiteral("enable_thinking");
const QString kSample = QStringLiteral("do_sample");
const QString kTemperature = QStringLiteral("temperature");
const QString kTopP = QStringLiteral("top_p");
const QString kTopK = QStringLiteral("top_k");
const QString kMinP = QStringLiteral("min_p");
const QString kSeed = QStringLiteral("seed");

std::string utf8(const QString& text) { return text.toStdString(); }

/// A control's value with its own type; text for choices.
Json valueOf(const QVariant& value) {
    switch (value.typeId()) {
        case QMetaType::Bool:
            return value.toBool();
        case QMetaType::Int:
        case QMetaType::LongLong:
            return static_cast<std::int64_t>(value.toLongLong());
        case QMetaType::UInt:
        case QMetaType::ULongLong:
            return static_cast<std::uint64_t>(value.toULongLong());
        case QMetaType::Float:
        case QMetaType::Double:
            return value.toDouble();
        default:
            return utf8(value.toString());
    }
}

/// The controls of one request, put down as its kind of server takes them.
class ControlWriter {
public:
    ControlWriter(ServerKind kind, const ControlValues& controls, Json& json, QStringList& notes)
        : m_kind(kind), m_controls(controls), m_json(json), m_notes(notes) {}

    void write() {
        if (m_kind == ServerKind::Trefoil) return ownNames();
        if (m_controls.contains(QStringLiteral("max_new_tokens")))
            m_json["max_tokens"] = valueOf(m_controls.value(QStringLiteral("max_new_tokens")));
        if (greedy())
            m_json["temperature"] = 0.0;
        else
            sampling();
        within(QStringLiteral("presence_penalty"), "presence_penalty", -2.0, 2.0);
        within(QStringLiteral("frequency_penalty"), "frequency_penalty", -2.0, 2.0);
        const double most = m_kind == ServerKind::SGLang ? 2.0 : std::numeric_limits<double>::max();
        within(QStringLiteral("repetition_penalty"), m_kind == ServerKind::LlamaCpp ? "repeat_penalty" : "repetition_penalty",
               0.0, most);
    }

private:
    void ownNames() {
        for (const QString& control : servedControls(m_kind))
            if (m_controls.contains(control) && control != kThinking) m_json[utf8(control)] = valueOf(m_controls.value(control));
    }

    /// What the contract calls greedy; the other kinds know it as temperature 0.
    [[nodiscard]] bool greedy() const {
        return !m_controls.value(kSample, true).toBool() || m_controls.value(kTemperature, 1.0).toDouble() <= 0.0 ||
               m_controls.value(kTopP, 1.0).toDouble() <= 0.0;
    }

    void sampling() {
        // Only OpenAI's own limit; the others take any.
        within(kTemperature, "temperature", 0.0, m_kind == ServerKind::Auto ? 2.0 : std::numeric_limits<double>::max());
        if (m_controls.contains(kTopP)) m_json["top_p"] = m_controls.value(kTopP).toDouble();
        seed();
        if (m_kind == ServerKind::Auto) return;
        if (m_controls.contains(kTopK)) {
            const qint64 topK = m_controls.value(kTopK).toLongLong();
            m_json["top_k"] = topK > 0 ? topK : (m_kind == ServerKind::LlamaCpp ? 0 : -1);
        }
        // llama.cpp has one of its own unless it is told otherwise, and the contract knows none.
        if (m_controls.contains(kMinP) || m_kind == ServerKind::LlamaCpp)
            m_json["min_p"] = m_controls.value(kMinP, 0.0).toDouble();
    }

    /// llama.cpp's seeds have 32 bits, of which the last value means "any"; the others' have 63.
    void seed() {
        if (!m_controls.contains(kSeed)) return;
        const quint64 given = m_controls.value(kSeed).toULongLong();
        const quint64 sent = m_kind == ServerKind::LlamaCpp ? given % 0xFFFFFFFFULL : given & 0x7FFFFFFFFFFFFFFFULL;
        m_json["seed"] = static_cast<std::uint64_t>(sent);
        if (sent != given) note(kSeed, QString::number(given), QString::number(sent));
    }

    void within(const QString& control, const char* name, double least, double most) {
        if (!m_controls.contains(control) || !servedControlTaken(control)) return;
        const double given = m_controls.value(control).toDouble();
        const double sent = std::clamp(given, least, most);
        m_json[name] = sent;
        if (sent != given) note(control, QString::number(given), QString::number(sent));
    }

    [[nodiscard]] bool servedControlTaken(const QString& control) const {
        return servedControlRefusal(m_kind, control).isEmpty();
    }

    void note(const QString& control, const QString& given, const QString& sent) {
        m_notes.append(RequestBodyText::tr("%1 was sent as %2: this server does not take %3.").arg(control, sent, given));
    }

    ServerKind m_kind;
    const ControlValues& m_controls;
    Json& m_json;
    QStringList& m_notes;
};

Json messagesOf(const ServedRequest& request, bool continued, bool withThinking) {
    Json messages = Json::array();
    for (const PromptMessage& message : request.messages)
        messages.push_back({{"role", utf8(message.role)}, {"content", utf8(message.content)}});
    if (!continued) return messages;
    Json begun{{"role", "assistant"}, {"content", utf8(request.begunAnswer)}};
    if (withThinking) begun["reasoning_content"] = utf8(request.begunThinking);
    messages.push_back(std::move(begun));
    return messages;
}

}  // namespace

ServedBody servedRequestBody(const ServerProfile& server, const ServedRequest& request) {
    ServedBody out;
    // The other servers' templates would drop it, or write a second thinking behind it.
    const bool withThinking = server.kind == ServerKind::Trefoil && !request.begunThinking.isEmpty();
    out.continuesAnswer = (withThinking || !request.begunAnswer.isEmpty()) && servedCapabilities(server.kind).continuesAnswers;
    // Behind the answer's first word the thinking is over; asked for again, it would be opened in front of it.
    out.thinkingAsked = (!out.continuesAnswer || withThinking) && request.controls.value(kThinking, true).toBool();

    Json json;
    if (!server.model.isEmpty()) json["model"] = utf8(server.model);
    json["messages"] = messagesOf(request, out.continuesAnswer, withThinking);
    json["stream"] = request.stream;
    if (request.stream) json["stream_options"] = {{"include_usage", true}};
    if ((out.continuesAnswer && !withThinking) || request.controls.contains(kThinking)) {
        if (server.kind == ServerKind::Trefoil) json["enable_thinking"] = out.thinkingAsked;
        json["chat_template_kwargs"] = {{"enable_thinking", out.thinkingAsked}};
    }
    // A llama.cpp server goes on with a conversation that ends with an answer by itself.
    if (out.continuesAnswer && server.kind != ServerKind::LlamaCpp) {
        json["continue_final_message"] = true;
        json["add_generation_prompt"] = false;
    }
    ControlWriter(server.kind, request.controls, json, out.notes).write();
    if (server.kind == ServerKind::Trefoil && request.passes && request.stream) json["trefoil_passes"] = true;
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    out.json = QByteArray(text.data(), static_cast<qsizetype>(text.size()));
    return out;
}

}  // namespace trefoil
