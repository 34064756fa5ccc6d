// Colours behind the tokens of a text, and where the tokens stand in it.
#pragma once

#include <QColor>
#include <QList>
#include <QPalette>
#include <QString>
#include <QStringView>

#include <cstdint>

namespace trefoil {

enum class HeatTone : std::uint8_t {
    Doubt,  ///< the more, the less sure the model was
    Late,   ///< the more, the later it was written
};

/// A token's part of a text.
struct HeatStretch {
    qsizetype from = 0;  ///< in TextHeat::source
    qsizetype length = 0;
    double heat = 0.0;  ///< 0 (no colour) to 1
    QString tip;        ///< what pointing at it tells; empty: nothing
    int token = 0;      ///< its place in the response
    bool operator==(const HeatStretch&) const = default;
};

struct TextHeat {
    QString source;                ///< the text as it was set (of an answer: the Markdown)
    QList<HeatStretch> stretches;  ///< by `from`, without overlap
    HeatTone tone = HeatTone::Doubt;
    bool operator==(const TextHeat&) const = default;
};

struct MessageHeat {
    TextHeat thinking;
    TextHeat answer;
};

/// For each character of `shown` its place in `source`, from `from` on; -1 where it has none. `shown` is `source` without some of
/// it (marks of Markdown, addresses of links) and with a little more (bullets). `next`, if given: where the source goes on.
[[nodiscard]] QList<qsizetype> alignText(QStringView shown, QStringView source, qsizetype from, qsizetype* next = nullptr);

/// A background that text of the palette can be read on.
[[nodiscard]] QColor heatColour(HeatTone tone, double heat, const QPalette& palette);

}  // namespace trefoil
