#include "app/served/pass_reader.h"

#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

/// The most rows, alternatives and layers that are read of one pass.
constexpr qsizetype kMostRows = 1024;
constexpr qsizetype kMostAlternatives = 5;
constexpr qsizetype kMostLayers = 1024;

QString key(const char* name) { return QString::fromLatin1(name); }

qint32 whole(const QJsonObject& object, const char* name, qint32 fallback = 0) { return object.value(key(name)).toInt(fallback); }

double real(const QJsonObject& object, const char* name) {
    const double value = object.value(key(name)).toDouble();
    return std::isfinite(value) && value >= 0.0 ? value : 0.0;
}

quint64 bytes(const QJsonObject& object, const char* name) {
    constexpr double kMost = 1e18;
    return static_cast<quint64>(std::min(real(object, name), kMost));
}

PassType typeOf(const QString& kind) {
    if (kind == QLatin1String("draft")) return PassType::Draft;
    if (kind == QLatin1String("verify")) return PassType::Verify;
    return kind == QLatin1String("token") ? PassType::Token : PassType::Denoise;
}

TokenChoice choiceOf(const QJsonObject& object, const char* probability) {
    return {whole(object, "id", -1), static_cast<float>(std::min(real(object, probability), 1.0)),
            object.value(key("text")).toString()};
}

ModeChoiceView modeOf(const QJsonObject& object) {
    ModeChoiceView choice;
    choice.mode = object.value(key("mode")).toString();
    const QString reason = object.value(key("reason")).toString();
    if (reason == QLatin1String("fastest")) choice.reason = ModeChoiceView::Reason::Fastest;
    if (reason == QLatin1String("retrial")) choice.reason = ModeChoiceView::Reason::Retrial;
    choice.lowConfidenceRate = real(object, "low_confidence");
    choice.selfSpeculativeRate = real(object, "self_speculative");
    choice.autoregressiveRate = real(object, "autoregressive");
    return choice;
}

void readRows(const QJsonArray& rows, PassView& view) {
    for (const QJsonValue& value : rows) {
        if (view.rows.size() == kMostRows) return;
        const QJsonObject object = value.toObject();
        RowView row{choiceOf(object, "confidence"), {}};
        const QJsonArray top = object.value(key("top")).toArray();
        for (const QJsonValue& alternative : top)
            if (row.top.size() < kMostAlternatives) row.top.append(choiceOf(alternative.toObject(), "p"));
        view.rows.append(row);
    }
}

void readLayers(const QJsonArray& layers, PassView& view) {
    for (const QJsonValue& value : layers) {
        if (view.layers.size() == kMostLayers) break;
        const QJsonObject object = value.toObject();
        view.layers.append({whole(object, "experts"), whole(object, "coreset"), static_cast<float>(real(object, "coreset_share")),
                            whole(object, "free_experts", -1), bytes(object, "expert_bytes")});
    }
    const auto count = static_cast<double>(view.layers.size());
    for (const LayerView& layer : std::as_const(view.layers)) {
        view.meanDistinctExperts += layer.distinctExperts / count;
        view.meanCoresetSize += layer.coresetSize / count;
    }
}

}  // namespace

PassView PassReader::read(const QJsonObject& pass) {
    PassView view;
    view.type = typeOf(pass.value(key("kind")).toString());
    view.block = m_firstBlock + std::max(0, whole(pass, "block"));
    view.step = std::max(0, whole(pass, "step"));
    view.firstPosition = whole(pass, "first_position");
    view.promptRows = std::max(0, whole(pass, "prompt_rows"));
    if (view.block != m_block) m_resolved.clear();
    m_block = view.block;
    const QJsonArray resolved = pass.value(key("resolved")).toArray();
    for (const QJsonValue& row : resolved) {
        if (view.resolved.size() == kMostRows) break;
        view.resolved.append(row.toInt(-1));
        m_resolved.insert(row.toInt(-1));
    }
    const QJsonArray tokens = pass.value(key("tokens")).toArray();
    const QJsonArray texts = pass.value(key("texts")).toArray();
    const bool masks = view.type == PassType::Denoise;
    const auto rows = static_cast<qint32>(std::min<qsizetype>(tokens.size(), kMostRows));
    for (qint32 row = 0; row < rows; ++row) {
        const bool open = masks && row >= view.promptRows && !m_resolved.contains(row);
        view.tokens.append(open ? -1 : tokens.at(row).toInt(-1));
        view.texts.append(open ? QString() : texts.at(row).toString());
    }
    readRows(pass.value(key("rows")).toArray(), view);
    view.accepted = std::max(0, whole(pass, "accepted"));
    view.droppedFrom = whole(pass, "dropped_from", -1);
    view.milliseconds = real(pass, "ms");
    view.weightBytes = bytes(pass, "weight_bytes");
    view.choice = modeOf(pass.value(key("choice")).toObject());
    readLayers(pass.value(key("layers")).toArray(), view);
    return view;
}

}  // namespace trefoil
