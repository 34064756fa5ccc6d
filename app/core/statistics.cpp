#include "app/core/statistics.h"

#include <algorithm>

namespace trefoil {

namespace {

std::optional<double> ratio(double a, double b) { return b > 0 ? std::optional<double>(a / b) : std::nullopt; }

QByteArray csvText(const QString& text) {
    return '"' + QString(text).replace(QLatin1Char('"'), QLatin1String("\"\"")).toUtf8() + '"';
}

}  // namespace

std::optional<double> figureOf(const AnswerFigures& answer, Figure figure) {
    const GenerationStats& s = answer.stats;
    const auto tokens = static_cast<double>(s.writtenTokens());
    const auto passes = static_cast<double>(s.passes);
    constexpr double kMsPerSecond = 1000.0;
    switch (figure) {
        case Figure::TokensPerPass:
            return ratio(tokens, passes);
        case Figure::PassesPerBlock:
            return ratio(passes, static_cast<double>(s.blocks));
        case Figure::PassTime:
            return s.passMs > 0 ? ratio(s.passMs, passes) : std::nullopt;
        case Figure::InPassRate:
            return ratio(tokens * kMsPerSecond, s.passMs);
        case Figure::WallRate:
            return ratio(tokens * kMsPerSecond, s.decodeMs);
        case Figure::PrefillTime:
            return s.prefillMs > 0 ? std::optional<double>(s.prefillMs) : std::nullopt;
        case Figure::FirstBlockTime:
            return s.firstBlockMs > 0 ? std::optional<double>(s.firstBlockMs) : std::nullopt;
    }
    return std::nullopt;
}

FigureSummary summarise(const QList<AnswerFigures>& answers, Figure figure) {
    QList<double> values;
    for (const AnswerFigures& answer : answers)
        if (const std::optional<double> value = figureOf(answer, figure)) values.append(*value);
    if (values.isEmpty()) return {};
    std::sort(values.begin(), values.end());
    const qsizetype middle = values.size() / 2;
    const double median = values.size() % 2 == 1 ? values.at(middle) : (values.at(middle - 1) + values.at(middle)) / 2;
    return {values.size(), values.constFirst(), median, values.constLast()};
}

QStringList modelsOf(const QList<AnswerFigures>& answers) {
    QStringList models;
    for (auto it = answers.crbegin(); it != answers.crend(); ++it)
        if (!models.contains(it->model)) models.append(it->model);
    return models;
}

QByteArray figuresToCsv(const QList<AnswerFigures>& answers) {
    QByteArray out =
        "created,model,decoding,stop_reason,prompt_tokens,reused_tokens,written_tokens,thinking_tokens,passes,blocks,"
        "tokens_per_pass,passes_per_block,pass_ms,in_pass_tokens_per_s,wall_tokens_per_s,prefill_ms,first_block_ms\r\n";
    for (const AnswerFigures& a : answers) {
        const GenerationStats& s = a.stats;
        out += a.createdUtc.toUTC().toString(Qt::ISODateWithMs).toLatin1() + ',' + csvText(a.model) + ',' + csvText(a.decoding) +
               ',' + endReasonName(a.stopReason).toLatin1();
        for (const qint64 count : {s.promptTokens, s.reusedTokens, s.writtenTokens(), s.thinkingTokens, s.passes, s.blocks})
            out += ',' + QByteArray::number(count);
        for (const Figure figure : kFigures) {
            const std::optional<double> value = figureOf(a, figure);
            out += ',' + (value ? QByteArray::number(*value, 'g', 8) : QByteArray());
        }
        out += "\r\n";
    }
    return out;
}

}  // namespace trefoil
