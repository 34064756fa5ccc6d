// Marks that the Markdown renderer leaves in a document for the painting and copying of it.
#pragma once

#include <QTextFormat>

#include <cmath>

namespace trefoil {

enum TextProperty : int {
    kQuoteBars = QTextFormat::UserProperty + 1,  ///< block, table: list of x
    kCodePart,                                   ///< block: CodePart flags
    kCodeLeft,                                   ///< block: left edge of the code's box
    kRule,                                       ///< block: a thematic break
    kGapBefore,                                  ///< block: distance to the block before, pixels
    kCopyText,                                   ///< character format: what copying gives instead
};

enum CodePart : int { kCodeLine = 1, kCodeStart = 2, kCodeContinues = 4, kCodeGoesOn = 8, kCodeEnd = 16 };

/// Sizes of a code box for a font's height in pixels.
[[nodiscard]] inline qreal codePadding(qreal unit) { return std::round(unit * 0.55); }
[[nodiscard]] inline qreal codeHeaderHeight(qreal unit) { return std::round(unit * 1.75); }

}  // namespace trefoil
