#include "app/core/trace_export.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace trefoil {
namespace {

QString typeName(PassType type) {
    switch (type) {
        case PassType::Denoise:
            return QStringLiteral("denoise");
        case PassType::Draft:
            return QStringLiteral("draft");
        case PassType::Verify:
            return QStringLiteral("verify");
        case PassType::Token:
            return QStringLiteral("token");
        case PassType::Edit:
            return QStringLiteral("edit");
    }
    return {};
}

QJsonArray numbers(const QList<qint32>& list) {
    QJsonArray out;
    for (const qint32 n : list) out.append(n);
    return out;
}

QJsonObject choiceObject(const TokenChoice& choice) {
    return {{QStringLiteral("token"), choice.token},
            {QStringLiteral("text"), choice.text},
            {QStringLiteral("probability"), static_cast<double>(choice.probability)}};
}

QJsonArray rowsArray(const QList<RowView>& rows) {
    QJsonArray out;
    for (const RowView& row : rows) {
        QJsonObject object = choiceObject(row.choice);
        QJsonArray top;
        for (const TokenChoice& choice : row.top) top.append(choiceObject(choice));
        object.insert(QStringLiteral("top"), top);
        out.append(object);
    }
    return out;
}

QJsonArray layersArray(const QList<LayerView>& layers) {
    QJsonArray out;
    for (const LayerView& layer : layers) {
        QJsonObject object{{QStringLiteral("distinct_experts"), layer.distinctExperts}};
        if (layer.coresetSize > 0) {
            object.insert(QStringLiteral("coreset_size"), layer.coresetSize);
            object.insert(QStringLiteral("coreset_share"), static_cast<double>(layer.coresetShare));
        }
        if (layer.freeExperts >= 0) object.insert(QStringLiteral("experts_without_coreset"), layer.freeExperts);
        if (layer.expertBytes > 0) object.insert(QStringLiteral("expert_bytes"), static_cast<qint64>(layer.expertBytes));
        out.append(object);
    }
    return out;
}

const char* reasonName(ModeChoiceView::Reason reason) {
    switch (reason) {
        case ModeChoiceView::Reason::Trial:
            return "not measured yet";
        case ModeChoiceView::Reason::Fastest:
            return "fastest";
        case ModeChoiceView::Reason::Retrial:
            return "measured again";
    }
    return "";
}

QJsonObject passObject(const PassView& pass) {
    QJsonObject out{{QStringLiteral("type"), typeName(pass.type)},
                    {QStringLiteral("block"), pass.block},
                    {QStringLiteral("step"), pass.step},
                    {QStringLiteral("first_position"), pass.firstPosition},
                    {QStringLiteral("prompt_rows"), pass.promptRows},
                    {QStringLiteral("tokens"), numbers(pass.tokens)},
                    {QStringLiteral("texts"), QJsonArray::fromStringList(pass.texts)},
                    {QStringLiteral("resolved"), numbers(pass.resolved)}};
    if (!pass.rows.isEmpty()) out.insert(QStringLiteral("rows"), rowsArray(pass.rows));
    if (pass.type == PassType::Verify) out.insert(QStringLiteral("accepted"), pass.accepted);
    if (pass.droppedFrom >= 0) out.insert(QStringLiteral("dropped_from"), pass.droppedFrom);
    if (pass.milliseconds > 0.0) out.insert(QStringLiteral("milliseconds"), pass.milliseconds);
    if (pass.weightBytes > 0) out.insert(QStringLiteral("weight_bytes"), static_cast<qint64>(pass.weightBytes));
    if (!pass.layers.isEmpty()) out.insert(QStringLiteral("layers"), layersArray(pass.layers));
    if (!pass.changed.isEmpty()) out.insert(QStringLiteral("changed"), QJsonObject::fromVariantHash(pass.changed));
    if (!pass.choice.mode.isEmpty()) {
        out.insert(QStringLiteral("auto"), QJsonObject{{QStringLiteral("mode"), pass.choice.mode},
                                                       {QStringLiteral("reason"), QLatin1String(reasonName(pass.choice.reason))},
                                                       {QStringLiteral("low_confidence_rate"), pass.choice.lowConfidenceRate},
                                                       {QStringLiteral("self_speculative_rate"), pass.choice.selfSpeculativeRate},
                                                       {QStringLiteral("autoregressive_rate"), pass.choice.autoregressiveRate}});
    }
    return out;
}

QString field(const QString& text) {
    if (!text.contains(u'"') && !text.contains(u',') && !text.contains(u'\n') && !text.contains(u'\r')) return text;
    QString quoted = text;
    quoted.replace(u'"', QStringLiteral("\"\""));
    return u'"' + quoted + u'"';
}

}  // namespace

QByteArray traceJson(const TraceView& trace) {
    QJsonArray passes;
    for (const PassView& pass : trace.passes) passes.append(passObject(pass));
    return QJsonDocument(QJsonObject{{QStringLiteral("format"), QStringLiteral("trefoil-trace")},
                                     {QStringLiteral("version"), 1},
                                     {QStringLiteral("mask_id"), trace.maskId},
                                     {QStringLiteral("block_size"), trace.blockSize},
                                     {QStringLiteral("threshold"), trace.threshold},
                                     {QStringLiteral("passes"), passes}})
        .toJson();
}

QByteArray traceCsv(const TraceView& trace) {
    QString out =
        QStringLiteral("pass,type,block,row,position,token,text,candidate,candidate_text,confidence,resolved,milliseconds\r\n");
    qint64 number = 0;
    for (const PassView& pass : trace.passes) {
        if (pass.type != PassType::Edit) ++number;
        // A single token is its block's row `step`.
        const qint32 shift = pass.type == PassType::Token ? pass.step : 0;
        const qsizetype rows = std::max(pass.tokens.size(), pass.rows.size());
        for (qsizetype row = 0; row < rows; ++row) {
            const bool candidate = row < pass.rows.size();
            const RowView view = candidate ? pass.rows[row] : RowView();
            const bool resolved = pass.type == PassType::Token || pass.resolved.contains(static_cast<qint32>(row)) ||
                                  (pass.type == PassType::Verify && row < pass.accepted);
            const QStringList fields{
                QString::number(number),
                typeName(pass.type),
                QString::number(pass.block + 1),
                QString::number(row + shift + 1),
                QString::number(pass.firstPosition + row + 1),
                row < pass.tokens.size() ? QString::number(pass.tokens[row]) : QString(),
                field(pass.texts.value(row)),
                candidate ? QString::number(view.choice.token) : QString(),
                field(view.choice.text),
                candidate ? QString::number(static_cast<double>(view.choice.probability), 'g', 7) : QString(),
                resolved && pass.type != PassType::Draft ? QStringLiteral("1") : QStringLiteral("0"),
                QString::number(pass.milliseconds, 'g', 7)};
            out += fields.join(u',') + QStringLiteral("\r\n");
        }
    }
    return out.toUtf8();
}

}  // namespace trefoil
