// Figures over the answers of a model: rates and times that are kept apart because they mean different things.
#pragma once

#include "app/core/store_types.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace trefoil {

/// What can be said of an answer. Times are milliseconds, rates tokens a second.
enum class Figure : quint8 {
    TokensPerPass,
    PassesPerBlock,
    PassTime,    ///< mean time inside a pass
    InPassRate,  ///< tokens written per second inside passes
    WallRate,    ///< the same per second of wall time after the prefill
    PrefillTime,
    FirstBlockTime,  ///< from the request until the first text, prefill included
};

inline const QList<Figure> kFigures{Figure::TokensPerPass, Figure::PassesPerBlock, Figure::PassTime,      Figure::InPassRate,
                                    Figure::WallRate,      Figure::PrefillTime,    Figure::FirstBlockTime};

/// Nothing where the answer does not tell it.
std::optional<double> figureOf(const AnswerFigures& answer, Figure figure);

struct FigureSummary {
    qsizetype answers = 0;  ///< that tell it
    double least = 0.0;
    double median = 0.0;
    double most = 0.0;
};
FigureSummary summarise(const QList<AnswerFigures>& answers, Figure figure);

/// Models with answers, the one that answered last first.
QStringList modelsOf(const QList<AnswerFigures>& answers);

/// One line an answer, a full stop in every locale, unknown values empty (RFC 4180).
QByteArray figuresToCsv(const QList<AnswerFigures>& answers);

}  // namespace trefoil
