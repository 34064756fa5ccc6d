// ConversationModel: the rows of the conversation list, grouped by date; while something is searched for, those that hold it.
#pragma once

#include "app/core/search_query.h"

#include <QAbstractListModel>
#include <QDate>
#include <QDateTime>
#include <QHash>
#include <QList>
#include <QString>

namespace trefoil {

/// One conversation as the list shows it.
struct ConversationItem {
    QString id;  ///< opaque, unique, not empty
    QString title;
    QDateTime updatedUtc;
    bool working = false;  ///< an answer is being written
    bool operator==(const ConversationItem&) const = default;
};

/// A flat list: headings ("Today", "Yesterday", "Previous 7 days", "Previous 30 days", months) stand between the conversations as
/// rows that cannot be chosen. Newest first. Small changes keep the other rows' persistent indexes, so that an open editor or
/// the selection survives them.
class ConversationModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { IdRole = Qt::UserRole, HeadingRole, WorkingRole, UpdatedRole, SnippetRole, RangesRole, MessageRole };

    explicit ConversationModel(QObject* parent = nullptr);

    void setItems(QList<ConversationItem> items);
    /// Shows only conversations whose title satisfies parseSearch(text), and those of the result that follows. Empty: all.
    void setFilter(const QString& text);
    /// What the contents hold; ignored when something else is searched for by now.
    void setSearchResult(const SearchResult& result);
    [[nodiscard]] QString filter() const { return m_filter; }
    /// The local date that the groups count from.
    void setToday(const QDate& today);
    [[nodiscard]] QDate today() const { return m_today; }

    /// The row's index, invalid when the conversation is unknown or filtered out.
    [[nodiscard]] QModelIndex indexOf(const QString& id) const;
    [[nodiscard]] bool hasWorkingRows() const;
    /// Conversations on show, headings not counted.
    [[nodiscard]] qsizetype shownCount() const { return m_shownCount; }
    [[nodiscard]] qsizetype totalCount() const { return m_items.size(); }
    /// The heading under which `updatedUtc` falls.
    [[nodiscard]] static QString groupOf(const QDateTime& updatedUtc, const QDate& today);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// EditRole: asks for a new title (renameRequested); the row changes when the owner sets new items.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

signals:
    void renameRequested(const QString& id, const QString& title);

private:
    struct Row {
        QString heading;  ///< not empty: a heading
        ConversationItem item;
        SearchHit hit;  ///< while its contents hold what is searched for
        bool operator==(const Row&) const = default;
        /// Tells a heading from a conversation whose id has the same letters.
        [[nodiscard]] QString key() const { return heading.isEmpty() ? item.id : heading + QLatin1Char('\n'); }
        [[nodiscard]] bool sameKey(const Row& other) const { return item.id == other.item.id && heading == other.heading; }
    };
    [[nodiscard]] QList<Row> makeRows();
    void apply(QList<Row> rows);
    bool applyStepwise(const QList<Row>& rows);

    QList<ConversationItem> m_items;  ///< newest first
    QString m_filter;
    SearchQuery m_query;
    QHash<QString, SearchHit> m_hits;  ///< by conversation
    QDate m_today = QDate::currentDate();
    QList<Row> m_rows;
    qsizetype m_shownCount = 0;
};

}  // namespace trefoil
