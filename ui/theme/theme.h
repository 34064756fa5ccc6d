// Theme: colours and icons that follow the palette, light or dark. Contrast of text tones on the base colour is at least 4.5:1.
#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QString>

namespace trefoil::theme {

enum class Tone {
    Accent,   ///< the clover green: primary buttons, selected things
    Subtle,   ///< secondary text
    Border,   ///< hairlines
    Outline,  ///< of things to be operated: check boxes, fields
    Raised,   ///< background of cards: a user's message, the thinking pane
    Warning,
    Error,
    Masked,         ///< a masked cell's background
    CandidateLow,   ///< a candidate at confidence 0 (blend towards CandidateHigh)
    CandidateHigh,  ///< a candidate at confidence 1
    ResolvedNow,    ///< resolved in this pass
    ResolvedEarlier,
    Forced,   ///< resolved below the threshold
    Dropped,  ///< after the end
    CodeBackground,
    CodeKeyword,
    CodeString,
    CodeComment,
    CodeNumber,
    CodeType,
};

/// From now on the block display's tones are blue and orange, which people who do not tell green from red tell apart. Like the
/// application's palette this holds for the whole program; who sets it repaints.
void setSafeColours(bool safe);
[[nodiscard]] bool safeColours();
/// From now on the program's style animates nothing (QStyle::SH_Widget_Animation_Duration is 0).
void setReducedMotion(bool reduced);
[[nodiscard]] bool reducedMotion();

/// Qt 6.4 has no colorScheme(): dark when the window colour is darker than its text.
[[nodiscard]] bool isDark(const QPalette& palette);
[[nodiscard]] QColor tone(Tone tone, const QPalette& palette);
/// Linear blend in sRGB, t from 0 (a) to 1 (b).
[[nodiscard]] QColor blend(const QColor& a, const QColor& b, double t);
/// An icon of resources/icons by its name without ".svg", drawn in the palette's text colour; null for an unknown name. Names:
/// new, send, stop, copy, regenerate, rename, delete, undo, open, play, pause, down, left, right, thinking, settings, prompt,
/// model, block, search, reset; and trefoil, the program's own icon, in its own colours.
[[nodiscard]] QIcon icon(const QString& name, const QPalette& palette);
/// The palette of the program's own dark or light theme (used when the person chooses one; otherwise the desktop's is kept).
[[nodiscard]] QPalette darkPalette();
[[nodiscard]] QPalette lightPalette();

}  // namespace trefoil::theme
