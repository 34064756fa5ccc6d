#include "ui/chat/text_heat.h"

#include "ui/theme/theme.h"

#include <algorithm>

namespace trefoil {
namespace {

// A mark of Markdown is short, an address may be long. What lies far ahead must agree better, since nothing before it will be
// found any more.
constexpr qsizetype kNear = 64;
constexpr qsizetype kVeryNear = 8;
constexpr qsizetype kFar = 4096;
constexpr qsizetype kAlike = 4;

/// How many characters agree from there on, as far as a word goes and `most`.
qsizetype alike(QStringView a, qsizetype i, QStringView b, qsizetype j, qsizetype most) {
    qsizetype count = 0;
    while (count < most && i + count < a.size() && j + count < b.size() && a[i + count] == b[j + count]) ++count;
    return count;
}

qsizetype wordLength(QStringView text, qsizetype from, qsizetype most) {
    qsizetype count = 0;
    while (count < most && from + count < text.size() && !text[from + count].isSpace()) ++count;
    return count;
}

/// The first place from `from` on, within `reach`, where `least` characters agree.
qsizetype findAhead(QStringView shown, qsizetype i, QStringView source, qsizetype from, qsizetype reach, qsizetype least) {
    const qsizetype end = std::min(source.size(), from + reach);
    for (qsizetype j = from; j < end; ++j)
        if (source[j] == shown[i] && alike(shown, i, source, j, least) == least) return j;
    return -1;
}

}  // namespace

QList<qsizetype> alignText(QStringView shown, QStringView source, qsizetype from, qsizetype* next) {
    QList<qsizetype> places(shown.size(), -1);
    qsizetype at = std::max<qsizetype>(from, 0);
    for (qsizetype i = 0; i < shown.size(); ++i) {
        if (shown[i].isSpace()) {
            // A closing mark may stand before it.
            qsizetype space = at;
            while (space < source.size() && space < at + kVeryNear && !source[space].isSpace() &&
                   !source[space].isLetterOrNumber())
                ++space;
            if (space < source.size() && source[space].isSpace()) {
                places[i] = space;
                at = space + 1;
            }
            continue;
        }
        qsizetype found = at < source.size() && source[at] == shown[i] ? at : -1;
        if (found < 0) found = findAhead(shown, i, source, at, kNear, wordLength(shown, i, kAlike));
        if (found < 0) found = findAhead(shown, i, source, at, kVeryNear, 1);
        if (found < 0 && wordLength(shown, i, kAlike) == kAlike) found = findAhead(shown, i, source, at, kFar, kAlike);
        if (found < 0) continue;
        places[i] = found;
        at = found + 1;
    }
    if (next != nullptr) *next = at;
    return places;
}

QColor heatColour(HeatTone tone, double heat, const QPalette& palette) {
    const QColor full = tone == HeatTone::Doubt
                            ? theme::blend(theme::tone(theme::Tone::Forced, palette), theme::tone(theme::Tone::Warning, palette),
                                           theme::isDark(palette) ? 0.15 : 0.3)
                            : theme::tone(theme::Tone::ResolvedNow, palette);
    return theme::blend(palette.color(QPalette::Base), full, std::clamp(heat, 0.0, 1.0));
}

}  // namespace trefoil
