// What a person searches for: words, "phrases", title:word and model:word. How texts are compared: without regard to case, width
// and the way in which accents are composed.
#pragma once

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>

namespace trefoil {

/// All of it must be found. What was typed stays as it is; folding is done where it is compared.
struct SearchQuery {
    QStringList terms;   ///< in the contents of one message, or all of them in the title
    QStringList titles;  ///< in the title
    QStringList models;  ///< in the name of the model that wrote the message
    [[nodiscard]] bool isEmpty() const { return terms.isEmpty() && titles.isEmpty() && models.isEmpty(); }
    bool operator==(const SearchQuery&) const = default;
};

/// A quote that is not closed reaches to the end; a filter without a value is left out.
SearchQuery parseSearch(const QString& text);

/// Part of a text, in UTF-16 units.
struct TextRange {
    qsizetype from = 0;
    qsizetype length = 0;
    bool operator==(const TextRange&) const = default;
};

/// A message that was found, or a conversation found by its model alone.
struct SearchHit {
    QString conversationId;
    QString messageId;        ///< the newest one; empty: none in particular
    QString snippet;          ///< one line from the message around the first term
    QList<TextRange> ranges;  ///< the terms in `snippet`
    int count = 1;            ///< messages found in this conversation
    bool operator==(const SearchHit&) const = default;
};

struct SearchResult {
    QString text;  ///< what was searched for
    QList<SearchHit> hits;
    bool more = false;  ///< older ones are left out
};

/// For comparisons: case folded, compatibility forms (full width, ligatures) made plain, accents composed.
QString foldedForSearch(const QString& text);
/// Whether the title satisfies the query's terms and title filters.
bool titleMatches(const QString& title, const SearchQuery& query);
/// Where the terms stand in the text, in order, overlapping ones joined. A term of one or two letters is found as a word of its
/// own, except in scripts that are written without spaces.
QList<TextRange> findTerms(const QString& text, const QStringList& terms);
/// Where exactly this text stands.
QList<TextRange> findText(const QString& text, const QString& wanted, Qt::CaseSensitivity sensitivity);
/// About 120 characters on one line that begin shortly before the first term.
SearchHit snippetOf(const QString& text, const QStringList& terms);

/// Two characters or fewer when folded: too short for an index of three letters.
bool isShortTerm(const QString& term);
/// The words of one or two letters, and single characters and pairs of the scripts written without spaces, as lower-case
/// hexadecimal words with spaces between, each once. What the short-word index of the history holds: changing this needs a
/// migration.
QByteArray shortTerms(const QString& text);
/// An FTS5 expression over these words that finds a short term; empty when it holds nothing to be found.
QString shortExpression(const QString& term);
/// An FTS5 expression for a longer term in its various spellings.
QString longExpression(const QString& term);

}  // namespace trefoil

Q_DECLARE_METATYPE(trefoil::SearchResult)
