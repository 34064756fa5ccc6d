#include "app/core/search_query.h"

#include <QSet>

#include <algorithm>

namespace trefoil {

namespace {

constexpr qsizetype kSnippetLength = 120;
constexpr qsizetype kSnippetBefore = 28;
constexpr qsizetype kShort = 2;  ///< characters that the index of three letters cannot find

bool isAscii(const QString& text) {
    return std::all_of(text.cbegin(), text.cend(), [](QChar sign) { return sign.unicode() < 0x80; });
}

/// Of a script that is written without spaces, or a symbol: found by itself, wherever it stands.
bool isDense(char32_t sign) {
    switch (QChar::script(sign)) {
        case QChar::Script_Han:
        case QChar::Script_Hiragana:
        case QChar::Script_Katakana:
        case QChar::Script_Hangul:
        case QChar::Script_Bopomofo:
        case QChar::Script_Yi:
        case QChar::Script_Thai:
        case QChar::Script_Lao:
        case QChar::Script_Khmer:
        case QChar::Script_Myanmar:
        case QChar::Script_Tibetan:
            return true;
        default:
            break;
    }
    // The mark of long vowels belongs to no single script.
    return sign == 0x30FC || (sign >= 0x2190 && QChar::category(sign) == QChar::Symbol_Other);
}

bool isWordPart(char32_t sign) { return QChar::isLetterOrNumber(sign) || QChar::isMark(sign); }

/// Walks the folded text: `dense` for runs of dense characters, `word` for words.
template <class Dense, class Word>
void walk(const QList<uint>& signs, Dense dense, Word word) {
    for (qsizetype i = 0; i < signs.size();) {
        const qsizetype begin = i;
        if (isDense(signs[i])) {
            while (i < signs.size() && isDense(signs[i])) ++i;
            dense(begin, i);
        } else if (isWordPart(signs[i])) {
            while (i < signs.size() && isWordPart(signs[i]) && !isDense(signs[i])) ++i;
            word(begin, i);
        } else {
            ++i;
        }
    }
}

QByteArray hexOf(const QList<uint>& signs, qsizetype begin, qsizetype end) {
    const auto* first = reinterpret_cast<const char32_t*>(signs.constData());
    return QString::fromUcs4(first + begin, end - begin).toUtf8().toHex();
}

QString quoted(const QString& text) {
    QString inside = text;
    return QLatin1Char('"') + inside.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QString wide(const QString& text) {
    QString result = text;
    for (QChar& sign : result)
        if (sign.unicode() > 0x20 && sign.unicode() < 0x7F) sign = QChar(sign.unicode() + 0xFEE0);
    return result;
}

/// The ways in which a text may stand in a message. Case is the index's and QString's own business.
QStringList spellings(const QString& term) {
    QStringList forms{term};
    if (!isAscii(term)) {
        for (const auto form : {QString::NormalizationForm_C, QString::NormalizationForm_D, QString::NormalizationForm_KC})
            forms.append(term.normalized(form));
    }
    const QString plain = forms.last();
    if (isAscii(plain)) forms.append(wide(plain));
    forms.removeDuplicates();
    forms.removeAll(QString());
    return forms;
}

qsizetype characters(const QString& text) { return text.toUcs4().size(); }

bool isWholeWord(const QString& text, qsizetype from, qsizetype length) {
    const auto partAt = [&text](qsizetype at) {
        if (at < 0 || at >= text.size()) return false;
        return isWordPart(text[at].unicode()) && !isDense(text[at].unicode());
    };
    return !partAt(from - 1) && !partAt(from + length);
}

QList<TextRange> joined(QList<TextRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const TextRange& a, const TextRange& b) { return a.from < b.from; });
    QList<TextRange> result;
    for (const TextRange& range : std::as_const(ranges)) {
        if (!result.isEmpty() && range.from < result.last().from + result.last().length) {
            TextRange& last = result.last();
            last.length = std::max(last.length, range.from + range.length - last.from);
        } else {
            result.append(range);
        }
    }
    return result;
}

/// One word or phrase from `at` on, which is moved behind it.
QString takeTerm(const QString& text, qsizetype* at) {
    QString term;
    if (*at < text.size() && text[*at] == QLatin1Char('"')) {
        const qsizetype end = text.indexOf(QLatin1Char('"'), *at + 1);
        term = text.mid(*at + 1, end < 0 ? -1 : end - *at - 1);
        *at = end < 0 ? text.size() : end + 1;
        return term.trimmed();
    }
    const qsizetype begin = *at;
    while (*at < text.size() && !text[*at].isSpace() && text[*at] != QLatin1Char('"')) ++*at;
    return text.mid(begin, *at - begin);
}

}  // namespace

SearchQuery parseSearch(const QString& text) {
    SearchQuery query;
    const QString titlePrefix = QStringLiteral("title:");
    const QString modelPrefix = QStringLiteral("model:");
    for (qsizetype at = 0; at < text.size();) {
        if (text[at].isSpace()) {
            ++at;
            continue;
        }
        const QStringView rest = QStringView(text).mid(at);
        QStringList* into = &query.terms;
        if (rest.startsWith(titlePrefix, Qt::CaseInsensitive)) {
            into = &query.titles;
            at += titlePrefix.size();
        } else if (rest.startsWith(modelPrefix, Qt::CaseInsensitive)) {
            into = &query.models;
            at += modelPrefix.size();
        }
        const QString term = takeTerm(text, &at);
        if (!term.isEmpty()) into->append(term);
    }
    return query;
}

QString foldedForSearch(const QString& text) {
    return isAscii(text) ? text.toLower() : text.normalized(QString::NormalizationForm_KC).toCaseFolded();
}

bool titleMatches(const QString& title, const SearchQuery& query) {
    const QString folded = foldedForSearch(title);
    const auto holds = [&folded](const QString& term) { return folded.contains(foldedForSearch(term)); };
    return std::all_of(query.terms.cbegin(), query.terms.cend(), holds) &&
           std::all_of(query.titles.cbegin(), query.titles.cend(), holds);
}

QList<TextRange> findText(const QString& text, const QString& wanted, Qt::CaseSensitivity sensitivity) {
    QList<TextRange> ranges;
    if (wanted.isEmpty()) return ranges;
    for (qsizetype at = text.indexOf(wanted, 0, sensitivity); at >= 0;
         at = text.indexOf(wanted, at + wanted.size(), sensitivity)) {
        ranges.append({at, wanted.size()});
    }
    return ranges;
}

QList<TextRange> findTerms(const QString& text, const QStringList& terms) {
    QList<TextRange> ranges;
    for (const QString& term : terms) {
        const QList<uint> signs = term.toUcs4();
        const bool word =
            isShortTerm(term) && std::none_of(signs.cbegin(), signs.cend(), [](uint sign) { return isDense(sign); });
        for (const QString& form : spellings(term)) {
            for (const TextRange& range : findText(text, form, Qt::CaseInsensitive))
                if (!word || isWholeWord(text, range.from, range.length)) ranges.append(range);
        }
    }
    return joined(ranges);
}

SearchHit snippetOf(const QString& text, const QStringList& terms) {
    SearchHit hit;
    const QList<TextRange> all = findTerms(text, terms);
    const qsizetype first = all.isEmpty() ? 0 : all.first().from;
    qsizetype begin = std::max<qsizetype>(0, first - kSnippetBefore);
    // From the beginning of a word, and never from the second half of a character.
    if (begin > 0) {
        const qsizetype space = text.indexOf(QLatin1Char(' '), begin);
        if (space >= 0 && space < first) begin = space + 1;
        if (text[begin].isLowSurrogate()) ++begin;
    }
    qsizetype length = kSnippetLength;
    if (begin + length < text.size() && text[begin + length].isLowSurrogate()) --length;
    hit.snippet = (begin > 0 ? QStringLiteral("…") : QString()) + text.mid(begin, length).simplified();
    hit.ranges = findTerms(hit.snippet, terms);
    return hit;
}

bool isShortTerm(const QString& term) { return characters(foldedForSearch(term)) <= kShort; }

QByteArray shortTerms(const QString& text) {
    const QList<uint> signs = foldedForSearch(text).toUcs4();
    QSet<QByteArray> terms;
    walk(
        signs,
        [&](qsizetype begin, qsizetype end) {
            for (qsizetype i = begin; i < end; ++i) {
                terms.insert(hexOf(signs, i, i + 1));
                if (i + 1 < end) terms.insert(hexOf(signs, i, i + 2));
            }
        },
        [&](qsizetype begin, qsizetype end) {
            if (end - begin <= kShort) terms.insert(hexOf(signs, begin, end));
        });
    QList<QByteArray> sorted(terms.cbegin(), terms.cend());
    std::sort(sorted.begin(), sorted.end());
    return sorted.join(' ');
}

QString shortExpression(const QString& term) {
    const QList<uint> signs = foldedForSearch(term).toUcs4();
    QStringList words;
    const auto add = [&](qsizetype begin, qsizetype end) {
        words.append(QLatin1Char('"') + QString::fromLatin1(hexOf(signs, begin, end)) + QLatin1Char('"'));
    };
    walk(signs, add, add);
    return words.join(QStringLiteral(" AND "));
}

QString longExpression(const QString& term) {
    QStringList forms;
    for (const QString& form : spellings(term))
        if (characters(form) > kShort) forms.append(quoted(form));
    return QLatin1Char('(') + forms.join(QStringLiteral(" OR ")) + QLatin1Char(')');
}

}  // namespace trefoil
