#include "app/core/word_diff.h"

#include <QHash>
#include <QStringList>

#include <algorithm>
#include <vector>

namespace trefoil {

namespace {

constexpr qsizetype kMostPairs = 4'000'000;

/// CJK text has no spaces: each such sign is a word.
bool standsAlone(QChar sign) {
    const auto code = sign.unicode();
    return (code >= 0x2E80 && code <= 0x9FFF) || (code >= 0xAC00 && code <= 0xD7AF) || (code >= 0xF900 && code <= 0xFAFF) ||
           (code >= 0xFF00 && code <= 0xFFEF);
}

QStringList wordsOf(const QString& text) {
    QStringList words;
    qsizetype begin = 0;
    for (qsizetype i = 1; i <= text.size(); ++i) {
        const bool ends = i == text.size() || (text[i - 1].isSpace() && !text[i].isSpace()) ||
                          (!text[i].isSpace() && (standsAlone(text[i]) || standsAlone(text[i - 1])));
        if (!ends) continue;
        words.append(text.mid(begin, i - begin));
        begin = i;
    }
    return words;
}

/// Stretches from words and whether each is common.
QList<DiffPart> joined(const QStringList& words, const std::vector<bool>& same, qsizetype* only) {
    QList<DiffPart> parts;
    for (qsizetype i = 0; i < words.size(); ++i) {
        const bool common = same[static_cast<std::size_t>(i)];
        if (!common) ++*only;
        if (parts.isEmpty() || parts.constLast().same != common) parts.append({QString(), common});
        parts.last().text += words.at(i);
    }
    return parts;
}

/// Equal words have equal numbers. Trailing white space is no difference.
QList<int> numbered(const QStringList& words, QHash<QString, int>* numbers) {
    QList<int> out;
    out.reserve(words.size());
    for (const QString& word : words) {
        const QString key = word.trimmed();
        if (!numbers->contains(key)) numbers->insert(key, static_cast<int>(numbers->size()));
        out.append(numbers->value(key));
    }
    return out;
}

}  // namespace

WordDiff diffWords(const QString& left, const QString& right) {
    const QStringList a = wordsOf(left);
    const QStringList b = wordsOf(right);
    QHash<QString, int> numbers;
    std::vector<bool> sameA(static_cast<std::size_t>(a.size()), false);
    std::vector<bool> sameB(static_cast<std::size_t>(b.size()), false);
    const QList<int> numbersA = numbered(a, &numbers);
    const QList<int> numbersB = numbered(b, &numbers);
    const auto equal = [&](qsizetype i, qsizetype j) { return numbersA.at(i) == numbersB.at(j); };
    const auto mark = [&](qsizetype i, qsizetype j) {
        sameA[static_cast<std::size_t>(i)] = true;
        sameB[static_cast<std::size_t>(j)] = true;
    };
    qsizetype begin = 0;
    qsizetype endA = a.size();
    qsizetype endB = b.size();
    for (; begin < endA && begin < endB && equal(begin, begin); ++begin) mark(begin, begin);
    while (endA > begin && endB > begin && equal(endA - 1, endB - 1)) mark(--endA, --endB);

    const qsizetype rows = endA - begin;
    const qsizetype columns = endB - begin;
    if (rows > 0 && columns > 0 && rows <= kMostPairs / columns) {
        // length[i][j]: of the longest common sequence of what follows.
        const auto width = static_cast<std::size_t>(columns) + 1;
        std::vector<int> length((static_cast<std::size_t>(rows) + 1) * width, 0);
        const auto at = [&](qsizetype i, qsizetype j) -> int& {
            return length[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(j)];
        };
        for (qsizetype i = rows; i-- > 0;)
            for (qsizetype j = columns; j-- > 0;)
                at(i, j) = equal(begin + i, begin + j) ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
        for (qsizetype i = 0, j = 0; i < rows && j < columns;) {
            if (equal(begin + i, begin + j)) {
                mark(begin + i++, begin + j++);
            } else if (at(i + 1, j) >= at(i, j + 1)) {
                ++i;
            } else {
                ++j;
            }
        }
    }
    WordDiff diff;
    diff.left = joined(a, sameA, &diff.leftOnly);
    diff.right = joined(b, sameB, &diff.rightOnly);
    return diff;
}

}  // namespace trefoil
