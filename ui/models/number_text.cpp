#include "ui/models/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace trefoil {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(trefoil::NumberText)
};

struct Unit {
    double size;
    const char* name;
};

const Unit& unitOf(double bytes) {
    static constexpr std::array<Unit, 5> kUnits{{{1e12, QT_TRANSLATE_NOOP("trefoil::NumberText", "TB")},
                                                 {1e9, QT_TRANSLATE_NOOP("trefoil::NumberText", "GB")},
                                                 {1e6, QT_TRANSLATE_NOOP("trefoil::NumberText", "MB")},
                                                 {1e3, QT_TRANSLATE_NOOP("trefoil::NumberText", "kB")},
                                                 {1, QT_TRANSLATE_NOOP("trefoil::NumberText", "bytes")}}};
    for (const Unit& unit : kUnits)
        if (bytes >= unit.size) return unit;
    return kUnits.back();
}

QString inUnit(double bytes, const Unit& unit) {
    const double value = bytes / unit.size;
    return QLocale().toString(value, 'f', unit.size > 1 && value < 100 ? 1 : 0);
}

}  // namespace

QString countText(qint64 count) { return QLocale().toString(count); }

QString largeCountText(qint64 count) {
    const double value = static_cast<double>(count);
    if (value >= 1e9) return Text::tr("%1 G").arg(QLocale().toString(value / 1e9, 'f', 2));
    if (value >= 1e6) return Text::tr("%1 M").arg(QLocale().toString(value / 1e6, 'f', 1));
    return countText(count);
}

QString bytesText(quint64 bytes) {
    const double value = static_cast<double>(bytes);
    const Unit& unit = unitOf(value);
    return Text::tr("%1 %2", "number, unit").arg(inUnit(value, unit), Text::tr(unit.name));
}

QString bytesOfText(quint64 done, quint64 total) {
    const Unit& unit = unitOf(static_cast<double>(total));
    return Text::tr("%1 of %2 %3", "done, total, unit")
        .arg(inUnit(static_cast<double>(done), unit), inUnit(static_cast<double>(total), unit), Text::tr(unit.name));
}

QString durationText(double milliseconds) {
    const auto seconds = static_cast<qint64>(std::ceil(std::max(milliseconds, 0.0) / 1000.0));
    if (seconds < 60) return Text::tr("%1 s").arg(seconds);
    if (seconds < 3600) return Text::tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
    return Text::tr("%1 h %2 min").arg(seconds / 3600).arg(seconds % 3600 / 60);
}

QString realText(double value, int decimals) { return QLocale().toString(value, 'f', decimals); }

}  // namespace trefoil
