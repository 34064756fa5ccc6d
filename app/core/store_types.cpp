#include "app/core/store_types.h"

#include <nlohmann/json.hpp>

#include <QTextBoundaryFinder>
#include <QUuid>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace trefoil {

namespace {

using Json = nlohmann::json;

constexpr int kTitleCharacters = 60;
/// A character with many combining marks is one for a person and may be thousands of code units.
constexpr qsizetype kTitleUnits = 240;

constexpr std::array<std::pair<EndReason, const char*>, 7> kReasonNames{{{EndReason::None, "none"},
                                                                         {EndReason::End, "end"},
                                                                         {EndReason::Length, "length"},
                                                                         {EndReason::Cancelled, "cancelled"},
                                                                         {EndReason::Refused, "refused"},
                                                                         {EndReason::Failed, "failed"},
                                                                         {EndReason::Interrupted, "interrupted"}}};

Json parse(const QByteArray& json) { return Json::parse(json.constData(), json.constData() + json.size(), nullptr, false); }

QByteArray dump(const Json& json, bool indented) {
    // QString gives valid UTF-8 always; "replace" keeps dump from throwing if that ever changed.
    return QByteArray::fromStdString(json.dump(indented ? 2 : -1, ' ', false, Json::error_handler_t::replace));
}

qint64 integerAt(const Json& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_number_integer() ? it->get<qint64>() : 0;
}

double realAt(const Json& object, const char* key) {
    const auto it = object.find(key);
    return it != object.end() && it->is_number() ? it->get<double>() : 0.0;
}

}  // namespace

bool StoreProblem::retryable() const {
    switch (kind) {
        case StoreProblemKind::Locked:
        case StoreProblemKind::ReadOnly:
        case StoreProblemKind::DiskFull:
        case StoreProblemKind::Io:
        case StoreProblemKind::Closed:
            return true;
        default:
            return false;
    }
}

QString newRecordId() { return QUuid::createUuid().toString(QUuid::WithoutBraces); }

QString titleFromQuestion(const QString& question) {
    const QString trimmed = question.trimmed();
    qsizetype end = 0;
    while (end < trimmed.size() && trimmed[end] != u'\n' && trimmed[end] != u'\r' && trimmed[end] != QChar::LineSeparator &&
           trimmed[end] != QChar::ParagraphSeparator) {
        ++end;
    }
    const QString line = trimmed.left(end).simplified();
    if (line.isEmpty()) return {};
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, line);
    qsizetype beforeLast = 0;
    qsizetype position = 0;
    for (int count = 0; count < kTitleCharacters; ++count) {
        const qsizetype next = finder.toNextBoundary();
        if (next < 0 || next > kTitleUnits) break;
        beforeLast = position;
        position = next;
        if (position == line.size()) return line;
    }
    // Room for the sign that something was cut.
    return line.left(beforeLast).trimmed() + QChar(0x2026);
}

QString endReasonName(EndReason reason) {
    for (const auto& entry : kReasonNames) {
        if (entry.first == reason) return QLatin1String(entry.second);
    }
    return QStringLiteral("none");
}

EndReason endReasonFromName(const QString& name) {
    for (const auto& entry : kReasonNames) {
        if (name == QLatin1String(entry.second)) return entry.first;
    }
    return EndReason::None;
}

QByteArray controlsToJson(const ControlValues& controls, bool indented) {
    Json object = Json::object();
    for (auto it = controls.cbegin(); it != controls.cend(); ++it) {
        Json value;
        switch (it.value().typeId()) {
            case QMetaType::Bool:
                value = it.value().toBool();
                break;
            case QMetaType::Int:
            case QMetaType::LongLong:
                value = it.value().toLongLong();
                break;
            case QMetaType::UInt:
            case QMetaType::ULongLong:
                value = it.value().toULongLong();
                break;
            case QMetaType::Float:
            case QMetaType::Double:
                // JSON has no word for these; an absent control means the default.
                if (!std::isfinite(it.value().toDouble())) continue;
                value = it.value().toDouble();
                break;
            case QMetaType::QString:
                value = it.value().toString().toStdString();
                break;
            default:
                continue;
        }
        object[it.key().toStdString()] = std::move(value);
    }
    return dump(object, indented);
}

bool controlsFromJson(const QByteArray& json, ControlValues* controls) {
    controls->clear();
    const Json object = parse(json);
    if (!object.is_object()) return false;
    for (const auto& item : object.items()) {
        const QString key = QString::fromStdString(item.key());
        const Json& value = item.value();
        // The seed is the one unsigned 64-bit control (see ControlValues).
        const bool isSeed = key == QLatin1String("seed");
        if (value.is_boolean()) {
            controls->insert(key, value.get<bool>());
        } else if (value.is_number_unsigned() && (isSeed || value.get<quint64>() > quint64{std::numeric_limits<qint64>::max()})) {
            controls->insert(key, QVariant::fromValue<qulonglong>(value.get<quint64>()));
        } else if (value.is_number_integer()) {
            controls->insert(key, QVariant::fromValue<qlonglong>(value.get<qint64>()));
        } else if (value.is_number_float()) {
            if (std::isfinite(value.get<double>())) controls->insert(key, value.get<double>());
        } else if (value.is_string()) {
            controls->insert(key, QString::fromStdString(value.get<std::string>()));
        }
    }
    return true;
}

QByteArray statsToJson(const GenerationStats& stats) {
    return dump(Json{{"prompt_tokens", stats.promptTokens},
                     {"reused_tokens", stats.reusedTokens},
                     {"response_tokens", stats.responseTokens},
                     {"kept_tokens", stats.keptTokens},
                     {"thinking_tokens", stats.thinkingTokens},
                     {"passes", stats.passes},
                     {"blocks", stats.blocks},
                     {"prefill_ms", stats.prefillMs},
                     {"decode_ms", stats.decodeMs},
                     {"pass_ms", stats.passMs},
                     {"thinking_ms", stats.thinkingMs},
                     {"first_block_ms", stats.firstBlockMs}},
                false);
}

GenerationStats statsFromJson(const QByteArray& json) {
    GenerationStats stats;
    const Json object = parse(json);
    if (!object.is_object()) return stats;
    stats.promptTokens = integerAt(object, "prompt_tokens");
    stats.reusedTokens = integerAt(object, "reused_tokens");
    stats.responseTokens = integerAt(object, "response_tokens");
    stats.keptTokens = integerAt(object, "kept_tokens");
    stats.thinkingTokens = integerAt(object, "thinking_tokens");
    stats.passes = integerAt(object, "passes");
    stats.blocks = integerAt(object, "blocks");
    stats.prefillMs = realAt(object, "prefill_ms");
    stats.decodeMs = realAt(object, "decode_ms");
    stats.passMs = realAt(object, "pass_ms");
    stats.thinkingMs = realAt(object, "thinking_ms");
    stats.firstBlockMs = realAt(object, "first_block_ms");
    return stats;
}

}  // namespace trefoil
