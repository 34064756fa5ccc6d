// Keeps TeX formulas readable: Markdown would take the backslashes of \[ … \] and turn a*b*c into emphasis.
#pragma once

#include <QString>

namespace trefoil {

/// Replaces the ASCII punctuation inside \( … \), \[ … \] and $$ … $$ (outside code) by U+FDD0 to U+FDEF, which Markdown leaves
/// alone, and marks line ends inside with U+FFFE. A source that contains such noncharacters itself is returned unchanged.
/// Expects LF line ends.
[[nodiscard]] QString guardTex(const QString& source);

/// Undoes guardTex in a stretch of text. `endsInLineMark` tells whether its last character was a line mark (a line break of the
/// formula follows). Call it only on text that guardTex changed.
[[nodiscard]] QString unguardTex(QString text, bool* endsInLineMark = nullptr);

}  // namespace trefoil
