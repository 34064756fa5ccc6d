#include "app/served/chat_event.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <limits>

namespace trefoil {
namespace {

constexpr qsizetype kLongestComplaint = 600;

QString oneLine(const QString& text) {
    const QString simple = text.simplified();
    return simple.size() <= kLongestComplaint ? simple : simple.left(kLongestComplaint) + QChar(0x2026);
}

/// FastAPI's list of what did not fit: [{"loc": ["body", "top_p"], "msg": "…"}].
QString detailText(const QJsonValue& detail) {
    if (detail.isString()) return detail.toString();
    QStringList lines;
    for (const QJsonValue entry : detail.toArray()) {
        const QJsonObject object = entry.toObject();
        QStringList place;
        for (const QJsonValue part : object.value(QLatin1String("loc")).toArray()) place.append(part.toVariant().toString());
        const QString message = object.value(QLatin1String("msg")).toString();
        if (!message.isEmpty()) lines.append(place.isEmpty() ? message : place.join(u'.') + QLatin1String(": ") + message);
    }
    return lines.join(QLatin1String("; "));
}

int codeOf(const QJsonObject& object) {
    const QJsonValue code = object.value(QLatin1String("code"));
    const int number = code.isString() ? code.toString().toInt() : code.toInt();
    return number >= 100 && number <= 599 ? number : 0;
}

std::optional<ServerComplaint> complaintOf(const QJsonObject& object) {
    const QJsonValue error = object.value(QLatin1String("error"));
    if (error.isString()) return ServerComplaint{oneLine(error.toString()), {}, codeOf(object)};
    if (error.isObject()) {
        const QJsonObject inner = error.toObject();
        // Some give a name as the code, and only that says what the type does not.
        const QString name = inner.value(QLatin1String("code")).toString() + u' ' + inner.value(QLatin1String("type")).toString();
        return ServerComplaint{oneLine(inner.value(QLatin1String("message")).toString()), oneLine(name), codeOf(inner)};
    }
    if (object.value(QLatin1String("object")) == QLatin1String("error"))
        return ServerComplaint{oneLine(object.value(QLatin1String("message")).toString()),
                               oneLine(object.value(QLatin1String("type")).toString()), codeOf(object)};
    if (object.contains(QLatin1String("detail")) && !object.contains(QLatin1String("choices")))
        return ServerComplaint{oneLine(detailText(object.value(QLatin1String("detail")))), {}, 0};
    return {};
}

qint64 countOf(const QJsonObject& object, const char* name) {
    const QJsonValue value = object.value(QLatin1String(name));
    return value.isDouble() ? std::max<qint64>(value.toInteger(-1), -1) : -1;
}

double timeOf(const QJsonObject& object, const char* name) {
    const QJsonValue value = object.value(QLatin1String(name));
    return value.isDouble() && value.toDouble() >= 0.0 ? value.toDouble() : -1.0;
}

std::optional<ServedUsage> usageOf(const QJsonObject& object) {
    const QJsonObject usage = object.value(QLatin1String("usage")).toObject();
    const QJsonObject timings = object.value(QLatin1String("timings")).toObject();
    if (usage.isEmpty() && timings.isEmpty()) return {};
    ServedUsage out;
    out.promptTokens = countOf(usage, "prompt_tokens");
    out.answerTokens = countOf(usage, "completion_tokens");
    out.thinkingTokens =
        std::max(countOf(usage, "reasoning_tokens"),
                 countOf(usage.value(QLatin1String("completion_tokens_details")).toObject(), "reasoning_tokens"));
    out.cachedTokens = countOf(usage.value(QLatin1String("prompt_tokens_details")).toObject(), "cached_tokens");
    // llama.cpp's own: prompt_n is what was computed, cache_n what was not.
    if (!timings.isEmpty()) {
        if (out.answerTokens < 0) out.answerTokens = countOf(timings, "predicted_n");
        if (out.cachedTokens < 0) out.cachedTokens = countOf(timings, "cache_n");
        if (out.promptTokens < 0 && countOf(timings, "prompt_n") >= 0)
            out.promptTokens = countOf(timings, "prompt_n") + std::max<qint64>(out.cachedTokens, 0);
        out.promptMs = timeOf(timings, "prompt_ms");
        out.answerMs = timeOf(timings, "predicted_ms");
    }
    return out;
}

/// Content is a text, or since some models a list of parts with texts.
QString textOf(const QJsonValue& content) {
    if (!content.isArray()) return content.toString();
    QString out;
    for (const QJsonValue part : content.toArray()) out += part.toObject().value(QLatin1String("text")).toString();
    return out;
}

}  // namespace

std::optional<ChatEvent> readChatEvent(const QByteArray& data) {
    const QJsonDocument document = QJsonDocument::fromJson(data);
    if (!document.isObject()) return {};
    const QJsonObject object = document.object();
    ChatEvent out;
    out.complaint = complaintOf(object);
    out.usage = usageOf(object);
    out.pass = object.value(QLatin1String("trefoil_pass")).toObject();
    out.trace = object.value(QLatin1String("trefoil_trace")).toObject();
    out.stats = object.value(QLatin1String("trefoil_stats")).toObject();
    for (const QJsonValue token : object.value(QLatin1String("trefoil_tokens")).toArray())
        out.tokens.append(static_cast<qint32>(std::clamp<qint64>(token.toInteger(-1), -1, std::numeric_limits<qint32>::max())));
    const QJsonObject choice = object.value(QLatin1String("choices")).toArray().first().toObject();
    QJsonObject piece = choice.value(QLatin1String("delta")).toObject();
    if (piece.isEmpty()) piece = choice.value(QLatin1String("message")).toObject();
    out.content = textOf(piece.value(QLatin1String("content")));
    // vLLM has renamed the field, and for a while sent both.
    out.thinking = piece.value(QLatin1String("reasoning_content")).toString();
    if (out.thinking.isEmpty()) out.thinking = piece.value(QLatin1String("reasoning")).toString();
    out.finishReason = choice.value(QLatin1String("finish_reason")).toString();
    return out;
}

std::optional<ServerComplaint> readComplaint(const QByteArray& data) {
    const QJsonDocument document = QJsonDocument::fromJson(data);
    return document.isObject() ? complaintOf(document.object()) : std::nullopt;
}

ServedUsage mergedUsage(const ServedUsage& earlier, const ServedUsage& later) {
    const auto newer = [](auto before, auto after) { return after >= 0 ? after : before; };
    return {newer(earlier.promptTokens, later.promptTokens), newer(earlier.cachedTokens, later.cachedTokens),
            newer(earlier.answerTokens, later.answerTokens), newer(earlier.thinkingTokens, later.thinkingTokens),
            newer(earlier.promptMs, later.promptMs),         newer(earlier.answerMs, later.answerMs)};
}

}  // namespace trefoil
