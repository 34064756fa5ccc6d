#include "ui/settings/control_texts.h"

#include <QCoreApplication>
#include <QLocale>

namespace trefoil {
namespace {

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(GenerationDock)
public:
    static QHash<QString, ControlText> table();
    static QString title(ControlGroup group);
    static QString choice(const QString& value);
    static QString toolTip(const ControlDescription& control, const QVariant& standard, const QLocale& locale);
    static QString range(const ControlDescription& control, const QLocale& locale);
    static QString onOff(bool on) { return on ? tr("on") : tr("off"); }
    static QString inert(const QString& name, const ControlValues& values, bool thinkEndAvailable);
};

QHash<QString, ControlText> Texts::table() {
    using G = ControlGroup;
    const QString tokens = tr("tokens");
    const QString counted =
        tr("Counts response tokens only, thinking included: prompt, template and end tokens never count. Works "
           "without sampling too.");
    QHash<QString, ControlText> t;
    t[QStringLiteral("decoding")] = {
        G::Decoding,
        tr("Mode"),
        {},
        tr("How the response is written. Low confidence fills in whole blocks over a few passes. Self-speculative drafts a block "
           "and checks it with the model itself. Autoregressive writes one token at a time, the baseline for both. Auto measures "
           "all three and writes each block with the fastest; the Block dock says which and why."),
        tr("Self-speculative changes the speed, not the text: it equals autoregressive, token for token. Low confidence may give "
           "another text.")};
    t[QStringLiteral("block_size")] = {G::Decoding, tr("Block size"), tokens,
                                       tr("How many tokens are written together as one block."),
                                       tr("Does not limit the response. Sizes that the model was not trained with may give worse "
                                          "text. In autoregressive mode it "
                                          "only rounds up the room that a request needs.")};
    t[QStringLiteral("threshold")] = {
        G::Decoding,
        tr("Threshold"),
        {},
        tr("A position is settled in a pass when its confidence is above this. Lower: fewer passes, more risk."),
        tr("Does not keep unsure tokens out: when no position is above it, the surest one is settled all the same. Confidence is "
           "always that at temperature 1, before top-k and top-p, so a threshold means the same whatever the sampler."),
        0.01};
    t[QStringLiteral("align_blocks")] = {G::Decoding,
                                         tr("Align blocks"),
                                         {},
                                         tr("Blocks begin at multiples of the block size from the start of the prompt; the first "
                                            "block then begins with the end of "
                                            "the prompt."),
                                         tr("The prompt's tokens in that block never change and never count as response.")};

    t[QStringLiteral("max_new_tokens")] = {G::Length,
                                           tr("Max. response"),
                                           tokens,
                                           tr("The response ends here at the latest, thinking included."),
                                           tr("Counts response tokens only: prompt, template and end tokens never count. Does "
                                              "not make answers longer. The prompt and "
                                              "this, rounded up to whole blocks, must fit into the context."),
                                           32};
    t[QStringLiteral("enable_thinking")] = {
        G::Length,
        tr("Thinking"),
        {},
        tr("The model thinks before it answers; its thinking stands in a pane of its own."),
        tr("Thinking is not sent again with later questions. Its tokens count towards the response's length.")};

    t[QStringLiteral("do_sample")] = {G::Sampling,
                                      tr("Sample"),
                                      {},
                                      tr("Draws each token at random, by its probability, instead of taking the likeliest."),
                                      tr("Does not make answers unrepeatable: the same seed and controls give the same text.")};
    t[QStringLiteral("temperature")] = {
        G::Sampling,
        tr("Temperature"),
        {},
        tr("Below 1 likely tokens are drawn more often, above 1 less often. 0 always takes the likeliest."),
        tr("Does not change the confidence, which stays at temperature 1: the threshold keeps its meaning."),
        0.05};
    t[QStringLiteral("top_p")] = {
        G::Sampling,
        tr("Top-p"),
        {},
        tr("Draws only among the likeliest tokens that together reach this share of the probability. 1 is off."),
        tr("Does not change the confidence. Works on what top-k left; at least one token always stays."),
        0.01};
    t[QStringLiteral("top_k")] = {
        G::Sampling,
        tr("Top-k"),
        {},
        tr("Draws only among this many likeliest tokens, and those equal to the last of them. 0 is off."),
        tr("Does not change the confidence. Beyond the size of the vocabulary it is off.")};
    t[QStringLiteral("seed")] = {
        G::Sampling,
        tr("Seed"),
        {},
        tr("Where the random numbers start."),
        tr("Does not change by itself: regenerating with the same seed and controls gives the same text.")};

    t[QStringLiteral("repetition_penalty")] = {G::Penalties,
                                               tr("Repetition"),
                                               {},
                                               tr("Tokens that stand in the response become less likely: a positive logit is "
                                                  "divided by this, a negative one multiplied. 1 "
                                                  "is off, below 1 favours repetition."),
                                               counted,
                                               0.05};
    t[QStringLiteral("presence_penalty")] = {
        G::Penalties,
        tr("Presence"),
        tr("logits"),
        tr("Taken once from the logit of each token that stands in the response. 0 is off, below 0 favours repetition."),
        counted,
        0.1};
    t[QStringLiteral("frequency_penalty")] = {
        G::Penalties,
        tr("Frequency"),
        tr("logits"),
        tr("Taken from a token's logit for each time that it stands in the response. 0 is off, below 0 favours repetition."),
        counted,
        0.1};

    t[QStringLiteral("dllm_length_penalty")] = {
        G::Ending, tr("Length penalty"), tr("logits"),
        tr("Added to the end tokens of long responses so that they come to an end: nothing up to the start, then growing to this "
           "value over the window. 0 is off."),
        tr("Not a limit: a response can go on, up to the maximum. Positions are counted in the response, not in the "
           "prompt.")};
    t[QStringLiteral("dllm_length_penalty_start")] = {G::Ending,
                                                      tr("Length: start"),
                                                      tokens,
                                                      tr("The response position from which the length penalty grows."),
                                                      tr("The prompt's tokens do not count."),
                                                      256};
    t[QStringLiteral("dllm_length_penalty_window")] = {G::Ending, tr("Length: window"), tokens,
                                                       tr("Over how many tokens the length penalty grows to its full value."),
                                                       tr("It does not fall again after the window.")};
    t[QStringLiteral("dllm_length_penalty_window")].step = 256;
    t[QStringLiteral("dllm_think_end_bias")] = {G::Ending, tr("Think-end bias"), tr("logits"),
                                                tr("Added to </think> in long thinking so that it comes to an end: nothing up to "
                                                   "the start, then growing to this value over "
                                                   "the window. 0 is off."),
                                                tr("Does not shorten the answer, and does nothing once thinking is closed.")};
    t[QStringLiteral("dllm_think_end_start")] = {G::Ending,
                                                 tr("Thinking: start"),
                                                 tokens,
                                                 tr("The response position from which the think-end bias grows."),
                                                 tr("The prompt's tokens do not count."),
                                                 256};
    t[QStringLiteral("dllm_think_end_window")] = {G::Ending,
                                                  tr("Thinking: window"),
                                                  tokens,
                                                  tr("Over how many tokens the think-end bias grows to its full value."),
                                                  tr("It does not fall again after the window."),
                                                  256};

    t[QStringLiteral("moe_block_coreset_enabled")] = {
        G::Experts,
        tr("Expert coreset"),
        {},
        tr("In each layer a block's passes use only the experts that its rows ask for most, so that fewer weights are read."),
        tr("The coreset saves reading, not memory: all experts stay loaded. Prompts, commits and single tokens are never "
           "restricted. It can change the text.")};
    t[QStringLiteral("moe_block_coreset_top_p")] = {G::Experts,
                                                    tr("Coverage"),
                                                    {},
                                                    tr("The share of the rows' router probability that the kept experts must "
                                                       "cover. 1: no restriction. 0: as many experts as one "
                                                       "token uses."),
                                                    tr("Not the share of experts that is kept; that depends on the text."),
                                                    0.01};
    return t;
}

QString Texts::title(ControlGroup group) {
    switch (group) {
        case ControlGroup::Decoding:
            return tr("Decoding");
        case ControlGroup::Length:
            return tr("Length");
        case ControlGroup::Sampling:
            return tr("Sampling");
        case ControlGroup::Penalties:
            return tr("Penalties");
        case ControlGroup::Ending:
            return tr("Ending");
        case ControlGroup::Experts:
            return tr("Experts");
        case ControlGroup::Other:
            break;
    }
    return tr("Other");
}

QString Texts::choice(const QString& value) {
    if (value == QLatin1String("low_confidence")) return tr("Low confidence");
    if (value == QLatin1String("self_speculative")) return tr("Self-speculative");
    if (value == QLatin1String("autoregressive")) return tr("Autoregressive");
    if (value == QLatin1String("auto")) return tr("Auto");
    return value;
}

QString Texts::range(const ControlDescription& control, const QLocale& locale) {
    switch (control.kind) {
        case ControlKind::Integer:
        case ControlKind::Real:
            return tr("%1 to %2").arg(valueText(control, control.minimum, locale), valueText(control, control.maximum, locale));
        case ControlKind::Unsigned64:
            // A double cannot hold the largest seed.
            return tr("%1 to %2").arg(valueText(control, 0ULL, locale), valueText(control, ~0ULL, locale));
        case ControlKind::Boolean:
        case ControlKind::Choice:
            break;
    }
    return {};
}

QString Texts::toolTip(const ControlDescription& control, const QVariant& standard, const QLocale& locale) {
    const ControlText text = controlText(control.name);
    QString out = QStringLiteral("<p><b>%1</b></p>").arg(text.label.toHtmlEscaped());
    if (!text.does.isEmpty()) out += QStringLiteral("<p>%1</p>").arg(text.does.toHtmlEscaped());
    if (!text.doesNot.isEmpty()) out += QStringLiteral("<p>%1</p>").arg(text.doesNot.toHtmlEscaped());
    QStringList facts;
    const QString range = rangeText(control, locale);
    if (!range.isEmpty())
        facts += text.unit.isEmpty() ? tr("Range: %1.").arg(range) : tr("Range: %1 %2.", "numbers, unit").arg(range, text.unit);
    facts += tr("Default: %1.").arg(valueText(control, standard, locale));
    facts += tr("Name: %1").arg(control.name);
    return out + QStringLiteral("<p>%1</p>").arg(facts.join(QLatin1Char(' ')).toHtmlEscaped());
}

QString Texts::inert(const QString& name, const ControlValues& values, bool thinkEndAvailable) {
    const auto number = [&values](const char* key) { return values.value(QLatin1String(key)).toDouble(); };
    const auto isOn = [&values](const char* key) { return values.value(QLatin1String(key)).toBool(); };
    const QString mode = values.value(QStringLiteral("decoding")).toString();

    if (name == QLatin1String("threshold") || name == QLatin1String("align_blocks")) {
        return mode == QLatin1String("low_confidence") || mode == QLatin1String("auto") ? QString()
                                                                                        : tr("Only in low-confidence mode.");
    }
    const bool draws = name == QLatin1String("top_p") || name == QLatin1String("top_k") || name == QLatin1String("seed");
    if (draws || name == QLatin1String("temperature")) {
        if (!isOn("do_sample")) return tr("Only while sampling is on.");
        if (draws && number("temperature") == 0.0) return tr("Temperature 0 always takes the likeliest.");
        return {};
    }
    if (name == QLatin1String("enable_thinking")) {
        return thinkEndAvailable ? QString() : tr("This model has no </think> token.");
    }
    if (name.startsWith(QLatin1String("dllm_think_end_"))) {
        if (!thinkEndAvailable) return tr("This model has no </think> token.");
        if (!isOn("enable_thinking")) return tr("Only while thinking is on.");
        if (name != QLatin1String("dllm_think_end_bias") && number("dllm_think_end_bias") == 0.0) return tr("The bias is 0.");
        return {};
    }
    if (name == QLatin1String("dllm_length_penalty_start") || name == QLatin1String("dllm_length_penalty_window")) {
        return number("dllm_length_penalty") == 0.0 ? tr("The length penalty is 0.") : QString();
    }
    if (name.startsWith(QLatin1String("moe_block_coreset_"))) {
        if (mode == QLatin1String("autoregressive")) return tr("Autoregressive mode uses no coreset.");
        if (name == QLatin1String("moe_block_coreset_top_p") && !isOn("moe_block_coreset_enabled"))
            return tr("The coreset is off.");
    }
    return {};
}

}  // namespace

ControlText controlText(const QString& name) {
    // Made anew each time, so that a language that is chosen later takes effect; it is only read when a dock is filled.
    const QHash<QString, ControlText> table = Texts::table();
    const auto found = table.constFind(name);
    if (found != table.constEnd()) return *found;
    ControlText text;
    text.label = name;
    return text;
}

QString groupTitle(ControlGroup group) { return Texts::title(group); }

QString choiceText(const QString& value) { return Texts::choice(value); }

QString valueText(const ControlDescription& control, const QVariant& value, const QLocale& locale) {
    QLocale plain = locale;
    plain.setNumberOptions(QLocale::OmitGroupSeparator);
    switch (control.kind) {
        case ControlKind::Integer:
            return plain.toString(value.toLongLong());
        case ControlKind::Unsigned64:
            return plain.toString(value.toULongLong());
        case ControlKind::Real:
            return plain.toString(value.toDouble(), 'f', QLocale::FloatingPointShortest);
        case ControlKind::Boolean:
            return Texts::onOff(value.toBool());
        case ControlKind::Choice:
            return choiceText(value.toString());
    }
    return {};
}

QString rangeText(const ControlDescription& control, const QLocale& locale) { return Texts::range(control, locale); }

QString controlToolTip(const ControlDescription& control, const QVariant& standard, const QLocale& locale) {
    return Texts::toolTip(control, standard, locale);
}

QString inertReason(const QString& name, const ControlValues& values, bool thinkEndAvailable) {
    return Texts::inert(name, values, thinkEndAvailable);
}

}  // namespace trefoil
