#include "app/served/pass_event.h"

#include <QJsonArray>

#include <algorithm>
#include <limits>

namespace trefoil {
namespace {

/// Section 7 of docs/model-contract.md: a block's largest size. The tail of a prompt that leads a block is part of it.
constexpr qsizetype kMostRows = 128;
constexpr qsizetype kMostAlternatives = 8;
constexpr qsizetype kMostLayers = 1024;

qint32 number(const QJsonObject& object, const char* name, qint32 otherwise) {
    const qint64 value = object.value(QLatin1String(name)).toInteger(otherwise);
    return value >= std::numeric_limits<qint32>::min() && value <= std::numeric_limits<qint32>::max() ? static_cast<qint32>(value)
                                                                                                      : otherwise;
}

qint64 count(const QJsonObject& object, const char* name) {
    return std::max<qint64>(object.value(QLatin1String(name)).toInteger(0), 0);
}

double real(const QJsonObject& object, const char* name) {
    const double value = object.value(QLatin1String(name)).toDouble(0.0);
    return value >= 0.0 ? value : 0.0;
}

std::optional<PassType> typeOf(const QString& kind) {
    if (kind == QLatin1String("denoise")) return PassType::Denoise;
    if (kind == QLatin1String("draft")) return PassType::Draft;
    if (kind == QLatin1String("verify")) return PassType::Verify;
    if (kind == QLatin1String("token")) return PassType::Token;
    return {};
}

TokenChoice choiceOf(const QJsonObject& object, const char* probability) {
    const double value = std::clamp(object.value(QLatin1String(probability)).toDouble(0.0), 0.0, 1.0);
    return {number(object, "id", -1), static_cast<float>(value), object.value(QLatin1String("text")).toString()};
}

RowView rowOf(const QJsonObject& object) {
    RowView out{choiceOf(object, "confidence"), {}};
    const QJsonArray top = object.value(QLatin1String("top")).toArray();
    for (qsizetype i = 0; i < std::min(top.size(), kMostAlternatives); ++i) out.top.append(choiceOf(top.at(i).toObject(), "p"));
    return out;
}

LayerView layerOf(const QJsonObject& object) {
    LayerView out;
    out.distinctExperts = std::max(number(object, "experts", 0), 0);
    out.coresetSize = std::max(number(object, "coreset", 0), 0);
    out.coresetShare = static_cast<float>(std::min(real(object, "coreset_share"), 1.0));
    out.freeExperts = number(object, "free_experts", -1);
    out.expertBytes = static_cast<quint64>(count(object, "expert_bytes"));
    return out;
}

ModeChoiceView modeOf(const QJsonObject& object) {
    ModeChoiceView out;
    out.mode = object.value(QLatin1String("mode")).toString();
    const QString reason = object.value(QLatin1String("reason")).toString();
    if (reason == QLatin1String("fastest")) out.reason = ModeChoiceView::Reason::Fastest;
    if (reason == QLatin1String("retrial")) out.reason = ModeChoiceView::Reason::Retrial;
    out.lowConfidenceRate = real(object, "low_confidence");
    out.selfSpeculativeRate = real(object, "self_speculative");
    out.autoregressiveRate = real(object, "autoregressive");
    return out;
}

void readLayers(const QJsonArray& layers, PassView& out) {
    if (layers.isEmpty() || layers.size() > kMostLayers) return;
    for (const QJsonValue layer : layers) {
        out.layers.append(layerOf(layer.toObject()));
        out.meanDistinctExperts += out.layers.last().distinctExperts;
        out.meanCoresetSize += out.layers.last().coresetSize;
    }
    out.meanDistinctExperts /= static_cast<double>(layers.size());
    out.meanCoresetSize /= static_cast<double>(layers.size());
}

/// False: no display could draw it.
bool readRows(const QJsonObject& object, PassView& out) {
    const QJsonArray tokens = object.value(QLatin1String("tokens")).toArray();
    const QJsonArray texts = object.value(QLatin1String("texts")).toArray();
    const QJsonArray rows = object.value(QLatin1String("rows")).toArray();
    const QJsonArray resolved = object.value(QLatin1String("resolved")).toArray();
    const qsizetype size = tokens.size();
    const bool fits = size <= kMostRows && texts.size() == size && resolved.size() <= size &&
                      (out.type == PassType::Verify ? rows.size() <= kMostRows : rows.size() == size || rows.isEmpty());
    if (!fits || out.promptRows < 0 || out.promptRows > kMostRows || out.block < 0 || out.step < 0) return false;
    for (const QJsonValue token : tokens) out.tokens.append(static_cast<qint32>(token.toInteger(-1)));
    for (const QJsonValue text : texts) out.texts.append(text.toString());
    for (const QJsonValue row : rows) out.rows.append(rowOf(row.toObject()));
    for (const QJsonValue row : resolved) {
        const qint64 index = row.toInteger(-1);
        if (index < 0 || index >= size) return false;
        out.resolved.append(static_cast<qint32>(index));
    }
    return true;
}

}  // namespace

std::optional<ServedTrace> readTraceEvent(const QJsonObject& object) {
    ServedTrace out;
    if (object.isEmpty()) return {};
    out.maskId = number(object, "mask_id", -1);
    out.blockSize = number(object, "block_size", 0);
    out.threshold = std::clamp(object.value(QLatin1String("threshold")).toDouble(out.threshold), 0.0, 1.0);
    out.context = object.value(QLatin1String("context")).toInteger(-1);
    out.promptTokens = object.value(QLatin1String("prompt_tokens")).toInteger(-1);
    if (out.blockSize < 1 || out.blockSize > kMostRows) return {};
    return out;
}

std::optional<PassView> readPassEvent(const QJsonObject& object) {
    const auto type = typeOf(object.value(QLatin1String("kind")).toString());
    if (!type) return {};
    PassView out;
    out.type = *type;
    out.block = number(object, "block", 0);
    out.step = number(object, "step", 0);
    out.firstPosition = object.value(QLatin1String("first_position")).toInteger(0);
    out.promptRows = number(object, "prompt_rows", 0);
    if (!readRows(object, out)) return {};
    out.accepted = std::clamp<qint32>(number(object, "accepted", 0), 0, kMostRows);
    out.droppedFrom = std::clamp<qint32>(number(object, "dropped_from", -1), -1, kMostRows);
    out.milliseconds = real(object, "ms");
    out.weightBytes = static_cast<quint64>(count(object, "weight_bytes"));
    readLayers(object.value(QLatin1String("layers")).toArray(), out);
    out.choice = modeOf(object.value(QLatin1String("choice")).toObject());
    const QJsonObject changed = object.value(QLatin1String("changed")).toObject();
    for (const QString& name : {QStringLiteral("threshold"), QStringLiteral("moe_block_coreset_enabled"),
                                QStringLiteral("moe_block_coreset_top_p"), QStringLiteral("decoding")})
        if (changed.contains(name)) out.changed.insert(name, changed.value(name).toVariant());
    return out;
}

GenerationStats readStatsEvent(const QJsonObject& object) {
    GenerationStats out;
    out.promptTokens = count(object, "prompt_tokens");
    out.reusedTokens = count(object, "reused_tokens");
    out.responseTokens = count(object, "completion_tokens");
    out.thinkingTokens = count(object, "thinking_tokens");
    out.passes = count(object, "passes");
    out.blocks = count(object, "blocks");
    out.prefillMs = real(object, "prefill_ms");
    out.decodeMs = real(object, "decode_ms");
    return out;
}

}  // namespace trefoil
