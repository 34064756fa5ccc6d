#include "ui/models/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <array>
#include <cmath>

namespace trefoil {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("trefoil::NumberText", text); }

/// Three significant digits at most.
QString threeDigits(double value) { return QLocale().toString(value, 'f', value < 10 ? 2 : value < 100 ? 1 : 0); }

}  // namespace

QString countText(qint64 count) { return QLocale().toString(count); }

QString largeCountText(qint64 count) {
    const double value = static_cast<double>(count);
    if (value >= 1e9) return tr("%1 G").arg(QLocale().toString(value / 1e9, 'f', 2));
    if (value >= 1e6) return tr("%1 M").arg(QLocale().toString(value / 1e6, 'f', 1));
    return countText(count);
}

QString bytesText(quint64 bytes) {
    struct Unit {
        double size;
        const char* text;
    };
    static constexpr std::array<Unit, 4> kUnits{{{1e12, QT_TRANSLATE_NOOP("trefoil::NumberText", "%1 TB")},
                                                 {1e9, QT_TRANSLATE_NOOP("trefoil::NumberText", "%1 GB")},
                                                 {1e6, QT_TRANSLATE_NOOP("trefoil::NumberText", "%1 MB")},
                                                 {1e3, QT_TRANSLATE_NOOP("trefoil::NumberText", "%1 kB")}}};
    const double value = static_cast<double>(bytes);
    for (const Unit& unit : kUnits)
        if (value >= unit.size) return tr(unit.text).arg(threeDigits(value / unit.size));
    return tr("%1 bytes").arg(QLocale().toString(bytes));
}

QString durationText(double milliseconds) {
    const auto seconds = static_cast<qint64>(std::ceil(std::max(milliseconds, 0.0) / 1000.0));
    if (seconds < 60) return tr("%1 s").arg(seconds);
    if (seconds < 3600) return tr("%1 min %2 s").arg(seconds / 60).arg(seconds % 60);
    return tr("%1 h %2 min").arg(seconds / 3600).arg(seconds % 3600 / 60);
}

QString realText(double value, int decimals) { return QLocale().toString(value, 'f', decimals); }

}  // namespace trefoil
