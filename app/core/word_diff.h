// Which words of two texts are the same.
#pragma once

#include <QList>
#include <QString>

namespace trefoil {

/// A stretch of one text. The stretches in order are the whole text, white space included.
struct DiffPart {
    QString text;
    bool same = true;  ///< also in the other text, in this order
    bool operator==(const DiffPart&) const = default;
};

struct WordDiff {
    QList<DiffPart> left;
    QList<DiffPart> right;
    /// Words of either side that the other does not have there.
    qsizetype leftOnly = 0;
    qsizetype rightOnly = 0;
    [[nodiscard]] bool equal() const { return leftOnly == 0 && rightOnly == 0; }
};

/// A longest common sequence of words; white space counts with the word before it. Texts whose differing middles are too long to
/// be compared word by word (more than four million pairs) differ there as a whole.
WordDiff diffWords(const QString& left, const QString& right);

}  // namespace trefoil
