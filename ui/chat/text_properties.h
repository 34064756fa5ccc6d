// Marks that the Markdown renderer leaves in a document for the painting and copying of it.
#pragma once

#include <QTextFormat>

#include <cmath>

namespace trefoil {

inline constexpr int kQuoteBars = QTextFormat::UserProperty + 1;  ///< block, table: list of x
inline constexpr int kCodePart = QTextFormat::UserProperty + 2;   ///< block: the flags below
inline constexpr int kCodeLeft = QTextFormat::UserProperty + 3;   ///< block: left edge of the code's box
inline constexpr int kRule = QTextFormat::UserProperty + 4;       ///< block: a thematic break
inline constexpr int kGapBefore = QTextFormat::UserProperty + 5;  ///< block: distance to the block before, pixels
inline constexpr int kCopyText = QTextFormat::UserProperty + 6;   ///< character format: what copying gives instead

// Flags of kCodePart.
inline constexpr int kCodeLine = 1;
inline constexpr int kCodeStart = 2;      ///< first line of a code block
inline constexpr int kCodeContinues = 4;  ///< first line of a later piece of one
inline constexpr int kCodeGoesOn = 8;     ///< last line, another piece follows
inline constexpr int kCodeEnd = 16;       ///< last line of a code block

/// Sizes of a code box for a font's height in pixels.
[[nodiscard]] inline qreal codePadding(qreal unit) { return std::round(unit * 0.55); }
[[nodiscard]] inline qreal codeHeaderHeight(qreal unit) { return std::round(unit * 1.75); }

}  // namespace trefoil
