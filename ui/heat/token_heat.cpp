#include "ui/heat/token_heat.h"

#include "ui/blocks/block_model.h"
#include "ui/blocks/piece_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace trefoil {
namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(trefoil::TokenHeat)
};

/// The texts of tokens as one, and which token each character is of.
struct JoinedTokens {
    QString text;
    QList<int> tokenAt;

    void append(const QString& more, int token) {
        text += more;
        tokenAt.insert(tokenAt.size(), more.size(), token);
    }
};

/// The byte that "<0xE6>" stands for; -1: it is another text.
int byteOf(const QString& text) {
    if (text.size() != 6 || !text.startsWith(QLatin1String("<0x")) || !text.endsWith(u'>')) return -1;
    bool ok = false;
    const int value = QStringView(text).mid(3, 2).toInt(&ok, 16);
    return ok ? value : -1;
}

JoinedTokens join(const QList<HeatToken>& tokens) {
    JoinedTokens joined;
    for (int i = 0; i < tokens.size();) {
        QByteArray bytes;
        const int first = i;
        for (; i < tokens.size() && byteOf(tokens[i].text) >= 0; ++i) bytes.append(static_cast<char>(byteOf(tokens[i].text)));
        if (!bytes.isEmpty()) {
            joined.append(QString::fromUtf8(bytes), first);
            continue;
        }
        joined.append(tokens[i].text, i);
        ++i;
    }
    return joined;
}

/// 0 where the model was sure. The square root keeps apart what lies near to that.
double doubt(const HeatToken& token) {
    return token.confidence < 0.0 || token.byHand ? 0.0 : std::sqrt(std::clamp(1.0 - token.confidence, 0.0, 1.0));
}

double lateness(const HeatToken& token, qint32 mostPasses) {
    return mostPasses < 2 ? 0.0 : static_cast<double>(token.pass) / static_cast<double>(mostPasses - 1);
}

QString tipOf(const HeatToken& token) {
    QStringList parts{quotedPiece(token.text, token.token)};
    if (token.byHand) {
        parts.append(Text::tr("fixed by hand"));
    } else {
        if (token.confidence >= 0.0) parts.append(Text::tr("confidence %1").arg(QLocale().toString(token.confidence, 'f', 3)));
        parts.append(Text::tr("pass %1 of %2").arg(token.pass + 1).arg(token.passes));
        if (token.forced) parts.append(Text::tr("forced below the threshold"));
    }
    parts.append(Text::tr("block %1, row %2").arg(token.block + 1).arg(token.row + 1));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace

QList<HeatToken> heatTokens(const TraceView& trace) {
    BlockModel model;
    model.setTrace(trace);
    QList<HeatToken> tokens;
    for (qint32 block = 0; block < model.blockCount(); ++block) {
        for (const CellView& cell : model.cells(block, model.frameCount(block))) {
            if (cell.resolvedPass < 0 || cell.state == CellState::Dropped || cell.state == CellState::Prompt) continue;
            tokens.append({cell.token, cell.text, block, cell.row, cell.confidence, cell.resolvedPass, model.block(block).passes,
                           cell.forced, cell.byHand});
        }
    }
    return tokens;
}

MessageHeat heatOf(const QList<HeatToken>& tokens, const QString& thinking, const QString& answer, AnswerColour colour) {
    const JoinedTokens joined = join(tokens);
    qint32 mostPasses = 0;
    for (const HeatToken& token : tokens) mostPasses = std::max(mostPasses, token.passes);
    qsizetype next = 0;
    const auto heat = [&](const QString& source) {
        TextHeat out;
        out.source = source;
        out.tone = colour == AnswerColour::Pass ? HeatTone::Late : HeatTone::Doubt;
        const QList<qsizetype> places = alignText(source, joined.text, next, &next);
        for (qsizetype i = 0; i < places.size(); ++i) {
            if (places[i] < 0) continue;
            const int index = joined.tokenAt.at(places[i]);
            if (!out.stretches.isEmpty() && out.stretches.last().token == index) {
                out.stretches.last().length = i + 1 - out.stretches.last().from;
                continue;
            }
            const HeatToken& token = tokens[index];
            const double level = colour == AnswerColour::Confidence ? doubt(token)
                                 : colour == AnswerColour::Pass     ? lateness(token, mostPasses)
                                                                    : 0.0;
            out.stretches.append({i, 1, level, colour == AnswerColour::None ? QString() : tipOf(token), index});
        }
        return out;
    };
    MessageHeat out;
    out.thinking = heat(thinking);
    out.answer = heat(answer);
    return out;
}

int nextToken(const QList<HeatToken>& tokens, int after, HeatSearch search) {
    const auto count = static_cast<int>(tokens.size());
    for (int step = 1; step <= count; ++step) {
        const int index = (std::max(after, -1) + step) % count;
        const HeatToken& token = tokens[index];
        const bool low = token.confidence >= 0.0 && token.confidence < kLowConfidence && !token.byHand;
        if (search == HeatSearch::Forced ? token.forced : low) return index;
    }
    return -1;
}

}  // namespace trefoil
