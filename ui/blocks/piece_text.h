// How a token's text is shown in a cell: every piece leaves a visible mark.
#pragma once

#include <QFont>
#include <QString>

namespace trefoil {

/// Leading and trailing spaces become ␣, line ends ↵, tabs ⇥ (also as byte pieces "<0x0A>" and "<0x09>"), other invisible
/// characters their code point ("U+200B"), a lone combining mark stands on ◌; an empty piece is shown as its id ("#17"). Never
/// empty.
[[nodiscard]] QString visiblePiece(const QString& text, qint32 token);
/// The same, with signs that neither `font` nor its fallbacks have replaced by their code points. Costly: cache it.
[[nodiscard]] QString drawablePiece(const QString& text, qint32 token, const QFont& font);
/// "' blue'", or "token 17" for an empty piece: for screen readers and tooltips.
[[nodiscard]] QString quotedPiece(const QString& text, qint32 token);
/// "U+0020 U+0062 …", at most `limit` of them.
[[nodiscard]] QString codePoints(const QString& text, qsizetype limit = 12);
/// "0.97", with the locale's decimal sign; rounded down ("<0.01" below that), so that nothing seems to reach a threshold that it
/// misses.
[[nodiscard]] QString probabilityText(double probability);

}  // namespace trefoil
