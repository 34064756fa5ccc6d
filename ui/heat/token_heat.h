// An answer's tokens with how sure the model was of them and when they were resolved, and the same as colours behind its text.
#pragma once

#include "app/core/generation_types.h"
#include "app/core/settings.h"
#include "ui/chat/text_heat.h"

#include <QList>
#include <QString>

namespace trefoil {

struct HeatToken {
    qint32 token = -1;         ///< its id
    QString text;              ///< as in PassView::texts
    qint32 block = 0;          ///< in order of appearance, from 0
    qint32 row = 0;            ///< in its block
    double confidence = -1.0;  ///< of the pass that resolved it; negative: not known
    qint32 pass = 0;           ///< of its block, from 0
    qint32 passes = 1;         ///< of its block
    bool forced = false;       ///< resolved below the threshold
    bool byHand = false;
};

enum class HeatKind : quint8 { Off, Confidence, Pass };

/// The tokens that the response was left with, in its order.
[[nodiscard]] QList<HeatToken> heatTokens(const TraceView& trace);

/// Where they stand in the texts of an answer; with None they have no colour.
[[nodiscard]] MessageHeat heatOf(const QList<HeatToken>& tokens, const QString& thinking, const QString& answer,
                                 AnswerColour colour);

/// Tokens below this confidence count as doubtful.
inline constexpr double kLowConfidence = 0.5;

enum class HeatSearch : quint8 { Forced, LowConfidence };

/// The next such token after `after` (-1: from the start), around the end if need be; -1: there is none.
[[nodiscard]] int nextToken(const QList<HeatToken>& tokens, int after, HeatSearch search);

}  // namespace trefoil
