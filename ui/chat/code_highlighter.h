// Colours code by a table of languages: keywords, types, strings, comments, numbers. Coarse on purpose: it never needs the whole
// grammar and takes linear time.
#pragma once

#include "ui/theme/theme.h"

#include <QList>
#include <QString>

namespace trefoil {

/// A stretch of one tone; stretches are ascending and do not overlap. Text between them has the usual colour.
struct CodeSpan {
    qsizetype start = 0;
    qsizetype length = 0;
    theme::Tone tone = theme::Tone::CodeKeyword;
    bool operator==(const CodeSpan&) const = default;
};

/// `language` as in a fence's info string, lower case ("cpp", "c++", "python", "py", …). Unknown languages give no spans.
[[nodiscard]] QList<CodeSpan> highlightCode(const QString& language, const QString& code);

/// The language's name for a label: "C++" for "cpp"; unknown ones as written; "Code" for none.
[[nodiscard]] QString languageLabel(const QString& language);

}  // namespace trefoil
