#include "app/core/store_search.h"

#include "app/core/store_schema.h"

#include <sqlite3.h>

#include <QCoreApplication>
#include <QHash>
#include <QSqlError>
#include <QSqlQuery>

#include <algorithm>

namespace trefoil::search {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(ConversationStore)
};

// What a list can show of use; both bound the time that a very common word takes.
constexpr qsizetype kMostConversations = 200;
constexpr int kMostMessages = 5000;

template <class F>
void textFunction(sqlite3_context* context, sqlite3_value* value, F change) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_value_text(value));
    const QByteArray result = change(QString::fromUtf8(bytes, sqlite3_value_bytes(value)));
    sqlite3_result_text(context, result.constData(), static_cast<int>(result.size()), SQLITE_TRANSIENT);
}

void shortTermsFunction(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
    textFunction(context, values[0], [](const QString& text) { return shortTerms(text); });
}

void foldFunction(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
    textFunction(context, values[0], [](const QString& text) { return foldedForSearch(text).toUtf8(); });
}

/// One reading statement that is put together from the parts of a query.
class Statement {
public:
    explicit Statement(const SearchQuery& query) : m_query(query) {}

    StoreProblem run(const QSqlDatabase& database, SearchResult* result) {
        if (const StoreProblem problem = chooseModels(database); !problem.ok()) return problem;
        if (!m_query.models.isEmpty() && m_models.isEmpty()) return {};
        if (!build()) return {};
        QSqlQuery select(database);
        select.setForwardOnly(true);
        bool ok = select.prepare(m_text);
        if (ok) {
            for (const QVariant& value : std::as_const(m_values)) select.addBindValue(value);
            ok = select.exec();
        }
        QHash<QString, qsizetype> rows;
        int messages = 0;
        while (ok && select.next()) {
            const QString conversation = select.value(2).toString();
            if (const auto known = rows.constFind(conversation); known != rows.cend()) {
                ++result->hits[*known].count;
            } else if (result->hits.size() == kMostConversations) {
                result->more = true;
                break;
            } else {
                rows.insert(conversation, result->hits.size());
                SearchHit hit;
                hit.conversationId = conversation;
                if (!m_query.terms.isEmpty()) hit.messageId = select.value(1).toString();
                result->hits.append(hit);
            }
            if (++messages == kMostMessages) {
                result->more = true;
                break;
            }
        }
        if (select.lastError().isValid()) return problemOf(select);
        select.finish();
        return m_query.terms.isEmpty() ? StoreProblem() : addSnippets(database, result);
    }

private:
    static StoreProblem problemOf(const QSqlQuery& query) {
        return schema::problemFrom(query.lastError(), Text::tr("The history could not be searched"));
    }

    StoreProblem chooseModels(const QSqlDatabase& database) {
        if (m_query.models.isEmpty()) return {};
        QSqlQuery select(database);
        select.setForwardOnly(true);
        if (!select.exec(QStringLiteral("SELECT DISTINCT model FROM messages"))) return problemOf(select);
        while (select.next()) {
            const QString folded = foldedForSearch(select.value(0).toString());
            const bool all = std::all_of(m_query.models.cbegin(), m_query.models.cend(),
                                         [&folded](const QString& wanted) { return folded.contains(foldedForSearch(wanted)); });
            if (all) m_models.append(select.value(0));
        }
        return {};
    }

    /// False: nothing can be found.
    bool build() {
        QStringList longTerms;
        QStringList shortTerms;
        for (const QString& term : m_query.terms) {
            const bool isShort = isShortTerm(term);
            const QString expression = isShort ? shortExpression(term) : longExpression(term);
            // A lone sign that no index holds.
            if (expression.isEmpty()) return false;
            (isShort ? shortTerms : longTerms).append(expression);
        }
        const QString all = QStringLiteral(" AND ");
        QStringList conditions;
        QString source = QStringLiteral("messages m");
        QString order = QStringLiteral("m.seq");
        if (!longTerms.isEmpty()) {
            conditions.append(QStringLiteral("message_search MATCH ?"));
            m_values.append(longTerms.join(all));
            if (!shortTerms.isEmpty()) {
                conditions.append(
                    QStringLiteral("message_search.rowid IN (SELECT rowid FROM short_search WHERE short_search MATCH ?)"));
                m_values.append(shortTerms.join(all));
            }
        } else if (!shortTerms.isEmpty()) {
            conditions.append(QStringLiteral("short_search MATCH ?"));
            m_values.append(shortTerms.join(all));
        }
        if (!m_query.terms.isEmpty()) {
            const QString index = longTerms.isEmpty() ? QStringLiteral("short_search") : QStringLiteral("message_search");
            source = QStringLiteral("%1 CROSS JOIN messages m ON m.seq = %1.rowid").arg(index);
            order = index + QStringLiteral(".rowid");
        } else if (m_models.isEmpty()) {
            return false;  // titles alone are the list's own business
        }
        conditions.append(QStringLiteral("c.deleted_at IS NULL"));
        for (const QString& title : m_query.titles) {
            conditions.append(QStringLiteral("instr(trefoil_fold(c.title), ?) > 0"));
            m_values.append(foldedForSearch(title));
        }
        if (!m_models.isEmpty()) {
            conditions.append(
                QStringLiteral("m.model IN (%1)").arg(QStringList(m_models.size(), QStringLiteral("?")).join(u',')));
            m_values.append(m_models);
        }
        m_text = QStringLiteral(
                     "SELECT m.seq, m.id, m.conversation_id FROM %1 CROSS JOIN conversations c "
                     "ON c.id = m.conversation_id WHERE %2 ORDER BY %3 DESC")
                     .arg(source, conditions.join(all), order);
        if (m_query.terms.isEmpty()) {
            m_text = QStringLiteral(
                         "SELECT max(m.seq), '', m.conversation_id FROM %1 CROSS JOIN conversations c "
                         "ON c.id = m.conversation_id WHERE %2 GROUP BY m.conversation_id ORDER BY 1 DESC")
                         .arg(source, conditions.join(all));
        }
        return true;
    }

    StoreProblem addSnippets(const QSqlDatabase& database, SearchResult* result) {
        QSqlQuery select(database);
        select.setForwardOnly(true);
        if (!select.prepare(QStringLiteral("SELECT content FROM messages WHERE id = ?"))) return problemOf(select);
        for (SearchHit& hit : result->hits) {
            select.bindValue(0, hit.messageId);
            if (!select.exec()) return problemOf(select);
            if (!select.next()) continue;
            const SearchHit snippet = snippetOf(select.value(0).toString(), m_query.terms);
            hit.snippet = snippet.snippet;
            hit.ranges = snippet.ranges;
        }
        return {};
    }

    const SearchQuery& m_query;
    QVariantList m_models;
    QString m_text;
    QVariantList m_values;
};

}  // namespace

StoreProblem registerFunctions(sqlite3* handle) {
    constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    for (const auto& [name, function] :
         {std::pair("trefoil_short_terms", &shortTermsFunction), std::pair("trefoil_fold", &foldFunction)}) {
        if (handle == nullptr ||
            sqlite3_create_function_v2(handle, name, 1, kFlags, nullptr, function, nullptr, nullptr, nullptr) != SQLITE_OK) {
            return {StoreProblemKind::Io, Text::tr("The search could not be set up: SQLite does not take its functions."),
                    Text::tr("Please report this.")};
        }
    }
    return {};
}

StoreResult<SearchResult> find(const QSqlDatabase& database, const QString& text) {
    StoreResult<SearchResult> result;
    result.value.text = text;
    const SearchQuery query = parseSearch(text);
    if (!query.isEmpty()) result.problem = Statement(query).run(database, &result.value);
    return result;
}

}  // namespace trefoil::search
