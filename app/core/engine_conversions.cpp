#include "app/core/engine_conversions.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace trefoil {
namespace {

/// A control's value as setControl takes it; the C locale whatever the desktop's.
std::string controlInput(const QVariant& value) {
    if (value.typeId() == QMetaType::Double || value.typeId() == QMetaType::Float)
        return QString::number(value.toDouble(), 'g', QLocale::FloatingPointShortest).toStdString();
    return value.toString().toStdString();
}

QVariant controlValue(const ControlSpec& spec, const std::string& text) {
    const QString t = toQString(text);
    switch (spec.type) {
        case ControlType::Integer:
            return t.toLongLong();
        case ControlType::Unsigned64:
            return t.toULongLong();
        case ControlType::Real:
            return t.toDouble();
        case ControlType::Boolean:
            return t == QLatin1String("true");
        case ControlType::Choice:
            return t;
    }
    return {};
}

ControlKind kindOf(ControlType type) {
    switch (type) {
        case ControlType::Integer:
            return ControlKind::Integer;
        case ControlType::Unsigned64:
            return ControlKind::Unsigned64;
        case ControlType::Real:
            return ControlKind::Real;
        case ControlType::Boolean:
            return ControlKind::Boolean;
        case ControlType::Choice:
            return ControlKind::Choice;
    }
    return ControlKind::Real;
}

const QString kThreshold = QStringLiteral("threshold");
const QString kCoreset = QStringLiteral("moe_block_coreset_enabled");
const QString kCoresetTopP = QStringLiteral("moe_block_coreset_top_p");
const QString kDecoding = QStringLiteral("decoding");

ControlValues changedValues(const ControlChange& change) {
    ControlValues out;
    if (change.threshold) out.insert(kThreshold, *change.threshold);
    if (change.coresetEnabled) out.insert(kCoreset, *change.coresetEnabled);
    if (change.coresetTopP) out.insert(kCoresetTopP, *change.coresetTopP);
    if (change.decoding) out.insert(kDecoding, toQString(std::string(decodingModeName(*change.decoding))));
    return out;
}

ModeChoiceView toModeChoice(const ModeChoice& choice) {
    const auto rate = [&](DecodingMode mode) { return choice.rates.at(static_cast<std::size_t>(mode)); };
    return {toQString(std::string(decodingModeName(choice.mode))), static_cast<ModeChoiceView::Reason>(choice.reason),
            rate(DecodingMode::LowConfidence), rate(DecodingMode::SelfSpeculative), rate(DecodingMode::Autoregressive)};
}

TokenChoice toChoice(TokenId token, float probability, const Tokenizer* tokenizer) {
    return {token, probability, tokenizer != nullptr ? toQString(tokenizer->displayText(token)) : QString::number(token)};
}

struct DimensionText {
    Q_DECLARE_TR_FUNCTIONS(ModelSummary)
};

QList<QPair<QString, QString>> dimensionRows(const ModelConfig& c) {
    const auto attention = std::count(c.layers.begin(), c.layers.end(), LayerKind::FullAttention);
    const auto number = [](std::int64_t v) { return QLocale().toString(static_cast<qlonglong>(v)); };
    return {
        {DimensionText::tr("Vocabulary"), number(c.vocabSize)},
        {DimensionText::tr("Hidden size"), number(c.hiddenSize)},
        {DimensionText::tr("Layers"),
         DimensionText::tr("%1 Gated DeltaNet, %2 full attention").arg(number(c.numLayers() - attention), number(attention))},
        {DimensionText::tr("Attention heads"),
         DimensionText::tr("%1 query, %2 key/value, of %3")
             .arg(number(c.numAttentionHeads), number(c.numKeyValueHeads), number(c.headDim))},
        {DimensionText::tr("Gated DeltaNet heads"), DimensionText::tr("%1 key of %2, %3 value of %4")
                                                        .arg(number(c.linearNumKeyHeads), number(c.linearKeyHeadDim),
                                                             number(c.linearNumValueHeads), number(c.linearValueHeadDim))},
        {DimensionText::tr("Experts"), DimensionText::tr("%1, of which %2 a token, width %3")
                                           .arg(number(c.numExperts), number(c.numExpertsPerTok), number(c.moeIntermediateSize))},
        {DimensionText::tr("Shared expert"), DimensionText::tr("width %1").arg(number(c.sharedExpertIntermediateSize))},
        {DimensionText::tr("Context"), DimensionText::tr("%1 tokens").arg(number(c.maxPositionEmbeddings))},
        {DimensionText::tr("Block size"), number(c.blockSize)},
        {DimensionText::tr("RoPE"), DimensionText::tr("theta %1, %2 of %3 dimensions")
                                        .arg(QLocale().toString(c.ropeTheta, 'g', 8), number(c.rotaryDim()), number(c.headDim))}};
}

QString modelName(const QString& folder) { return QFileInfo(QDir(folder).absolutePath()).fileName(); }

DevicePlanView toPlanView(const DevicePlan& plan) {
    DevicePlanView out;
    out.device = toDeviceSummary(plan.device);
    out.planned = plan.plan.has_value();
    out.fit = static_cast<DeviceFit>(plan.fit);
    out.problem = toQString(plan.problem);
    if (!plan.plan) return out;
    out.weightBytes = plan.plan->weights;
    out.expertBytes = plan.plan->experts;
    out.keyValueBytes = plan.plan->keyValue;
    out.stateBytes = plan.plan->states;
    out.workspaceBytes = plan.plan->workspace;
    out.availableBytes = plan.plan->available;
    return out;
}

}  // namespace

QString toQString(const std::string& utf8) { return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size())); }

PassView toPassView(const PassRecord& pass, const Tokenizer* tokenizer, TokenId maskId) {
    PassView view;
    view.type = static_cast<PassType>(pass.kind);
    view.block = static_cast<qint32>(pass.block);
    view.step = static_cast<qint32>(pass.step);
    view.firstPosition = pass.firstPosition;
    view.promptRows = pass.promptRows;
    for (const TokenId t : pass.tokens) {
        view.tokens.append(t);
        view.texts.append(t == maskId ? QString() : toChoice(t, 0, tokenizer).text);
    }
    for (const RowCandidate& row : pass.rows) {
        RowView r{toChoice(row.token, row.confidence, tokenizer), {}};
        for (const TokenProbability& alternative : row.top)
            if (alternative.token >= 0) r.top.append(toChoice(alternative.token, alternative.probability, tokenizer));
        view.rows.append(std::move(r));
    }
    for (const std::int32_t t : pass.resolved) view.resolved.append(t);
    view.accepted = pass.accepted;
    view.droppedFrom = pass.droppedFrom;
    view.changed = changedValues(pass.changed);
    if (pass.choice) view.choice = toModeChoice(*pass.choice);
    view.milliseconds = pass.stats.milliseconds;
    view.weightBytes = pass.stats.weightBytes;
    for (const LayerStats& l : pass.stats.layers)
        view.layers.append({l.distinctExperts, l.coresetSize, l.coresetShare, l.freeExperts, l.expertBytes});
    if (!pass.stats.layers.empty()) {
        const auto layers = static_cast<double>(pass.stats.layers.size());
        for (const LayerStats& l : pass.stats.layers) {
            view.meanDistinctExperts += l.distinctExperts / layers;
            view.meanCoresetSize += l.coresetSize / layers;
        }
    }
    return view;
}

PauseView toPauseView(const PauseState& state) {
    return {static_cast<qint32>(state.block), static_cast<qint32>(state.step), state.editable, state.complete};
}

EndReason toEndReason(StopReason reason) {
    switch (reason) {
        case StopReason::End:
            return EndReason::End;
        case StopReason::Length:
            return EndReason::Length;
        case StopReason::Cancelled:
            return EndReason::Cancelled;
        case StopReason::Refused:
            return EndReason::Refused;
        case StopReason::Failed:
            return EndReason::Failed;
    }
    return EndReason::Failed;
}

ModelSummary toModelSummary(const LoadedModel& model) {
    ModelSummary out;
    out.folder = toQString(model.summary.folder);
    out.name = modelName(out.folder);
    out.device = toQString(model.device);
    out.deviceId = toQString(model.deviceId);
    out.layout = toQString(model.summary.layout);
    out.format = toQString(model.summary.format);
    out.parameters = model.summary.parameters;
    out.weightBytes = model.memory.weights;
    out.expertBytes = model.memory.experts;
    out.keyValueBytes = model.memory.keyValue;
    out.stateBytes = model.memory.states;
    out.workspaceBytes = model.memory.workspace;
    out.context = model.config.maxPositionEmbeddings;
    out.maskId = model.config.maskTokenId;
    for (const TokenId id : model.config.eosTokenIds) out.eosIds.append(id);
    if (model.text->tokenizer) out.tokenizer = toQString(model.text->tokenizer->description());
    if (model.text->format && model.text->format->thinkEndId()) out.thinkEndId = *model.text->format->thinkEndId();
    out.thinks = out.thinkEndId >= 0;
    out.loadMs = model.loadMilliseconds;
    out.defaults = toControlValues(model.defaults);
    out.compatibility = toCompatibilityValues(model.switches);
    for (const std::string& warning : model.summary.warnings) out.warnings.append(toQString(warning));
    for (const std::string& note : model.summary.notes) out.notes.append(toQString(note));
    out.dimensions = dimensionRows(model.config);
    return out;
}

ModelExaminationView toExaminationView(const QString& folder, const Result<ModelExamination>& examined) {
    ModelExaminationView out;
    out.folder = folder;
    out.name = modelName(folder);
    if (!examined.ok()) {
        out.problem = toQString(examined.error().text());
        return out;
    }
    const ModelExamination& e = *examined;
    out.layout = toQString(e.summary.layout);
    out.format = toQString(e.summary.format);
    if (e.text->tokenizer) out.tokenizer = toQString(e.text->tokenizer->description());
    out.files = static_cast<qint32>(e.summary.files.size());
    out.parameters = e.summary.parameters;
    out.weightBytes = e.summary.weightBytes;
    out.modelContext = e.modelContext;
    out.plannedContext = e.config.maxPositionEmbeddings;
    for (const std::string& warning : e.summary.warnings) out.warnings.append(toQString(warning));
    for (const std::string& note : e.summary.notes) out.notes.append(toQString(note));
    out.dimensions = dimensionRows(e.config);
    for (const DevicePlan& plan : e.devices) out.devices.append(toPlanView(plan));
    out.chosenDevice = toQString(e.chosenDevice);
    out.deviceProblem = toQString(e.problem);
    out.recommendation = toRecommendation(e);
    return out;
}

DeviceSummary toDeviceSummary(const DeviceInfo& device) {
    return {toQString(device.id),     toQString(device.name), device.usable,
            toQString(device.reason), device.memoryTotal,     device.memoryFree};
}

ControlValues toControlValues(const GenerationConfig& config) {
    ControlValues out;
    for (const ControlSpec& spec : controlSpecs())
        if (const auto text = controlText(config, spec.name); text.ok())
            out.insert(toQString(std::string(spec.name)), controlValue(spec, *text));
    return out;
}

Status applyControlValues(GenerationConfig& config, const ControlValues& values) {
    for (auto it = values.constBegin(); it != values.constEnd(); ++it)
        if (const Status s = setControl(config, it.key().toStdString(), controlInput(it.value())); !s.ok()) return s;
    return {};
}

ControlChange toControlChange(const ControlValues& values) {
    GenerationConfig config;
    const auto taken = [&](const QString& name) {
        return values.contains(name) && setControl(config, name.toStdString(), controlInput(values.value(name))).ok();
    };
    ControlChange change;
    if (taken(kThreshold)) change.threshold = config.threshold;
    if (taken(kCoreset)) change.coresetEnabled = config.coresetEnabled;
    if (taken(kCoresetTopP)) change.coresetTopP = config.coresetTopP;
    if (taken(kDecoding)) change.decoding = config.decoding;
    return change;
}

std::vector<ChatMessage> toChatMessages(const QList<PromptMessage>& messages) {
    std::vector<ChatMessage> out;
    for (const PromptMessage& m : messages) out.push_back({m.role.toStdString(), m.content.toStdString()});
    return out;
}

CompatibilityOverrides toOverrides(const CompatibilityChoices& choices) {
    CompatibilityOverrides out;
    for (auto it = choices.constBegin(); it != choices.constEnd(); ++it) out[it.key().toStdString()] = it.value().toStdString();
    return out;
}

QList<CompatibilityValue> toCompatibilityValues(const std::vector<SwitchState>& states) {
    const auto text = [](std::string_view s) { return toQString(std::string(s)); };
    // The engine's English is the source text; a translation may replace it.
    const auto tr = [](std::string_view s) { return QCoreApplication::translate("Compatibility", std::string(s).c_str()); };
    QList<CompatibilityValue> out;
    for (const SwitchState& state : states)
        out.append({text(state.which->name),
                    tr(state.which->title),
                    tr(state.which->explanation),
                    {text(state.which->standard), text(state.which->alternative)},
                    toQString(state.choice),
                    static_cast<CompatibilityOrigin>(state.origin)});
    return out;
}

QList<CompatibilityValue> compatibilityValues() { return toCompatibilityValues(switchStates({}, {})); }

PromptView toPromptView(const Result<Prompt>& prompt, qint64 context) {
    PromptView view;
    view.context = context;
    if (!prompt.ok()) {
        view.problem = toQString(prompt.error().text());
        return view;
    }
    view.tokens = static_cast<qint64>(prompt->ids.size());
    for (const PromptPiece& piece : prompt->pieces)
        view.pieces.append({toQString(piece.text), QList<qint32>(piece.ids.begin(), piece.ids.end()), piece.control});
    return view;
}

QList<ControlDescription> controlDescriptions() {
    QList<ControlDescription> out;
    const ControlValues standard = toControlValues(GenerationConfig());
    for (const ControlSpec& spec : controlSpecs()) {
        ControlDescription d{toQString(std::string(spec.name)), kindOf(spec.type), spec.minimum, spec.maximum, {}, {}};
        if (!spec.choices.empty()) d.choices = toQString(std::string(spec.choices)).split(QLatin1Char(','));
        d.standard = standard.value(d.name);
        out.append(std::move(d));
    }
    return out;
}

QStringList liveControls() { return {kThreshold, kCoreset, kCoresetTopP, kDecoding}; }

QString controlProblem(const QString& name, const QVariant& value) {
    GenerationConfig config;
    const Status s = setControl(config, name.toStdString(), controlInput(value));
    return s.ok() ? QString() : toQString(s.error().text());
}

qint64 positionsNeeded(qint64 promptTokens, const ControlValues& controls) {
    GenerationConfig config;
    (void)applyControlValues(config, controls);  // values out of range are refused when the request runs
    return positionsNeeded(static_cast<std::int64_t>(promptTokens), config);
}

}  // namespace trefoil
