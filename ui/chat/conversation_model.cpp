#include "ui/chat/conversation_model.h"

#include <QLocale>
#include <QSet>

#include <algorithm>
#include <limits>

namespace trefoil {

namespace {

// Beyond this many row operations a reset is cheaper than keeping persistent indexes.
constexpr int kMaximumSteps = 64;

/// A tool tip is rich text when it looks like it; a title must never be.
QString plainToolTip(const QString& text) {
    return QStringLiteral("<p style=\"white-space:pre-wrap\">%1</p>").arg(text.toHtmlEscaped());
}

}  // namespace

ConversationModel::ConversationModel(QObject* parent) : QAbstractListModel(parent) {}

void ConversationModel::setItems(QList<ConversationItem> items) {
    std::stable_sort(items.begin(), items.end(),
                     [](const ConversationItem& a, const ConversationItem& b) { return a.updatedUtc > b.updatedUtc; });
    m_items = std::move(items);
    apply(makeRows());
}

void ConversationModel::setFilter(const QString& text) {
    if (text == m_filter) return;
    m_filter = text;
    m_query = parseSearch(text);
    // Those of a text that was shorter by a letter are near enough until the next ones come.
    if (m_query.isEmpty()) m_hits.clear();
    apply(makeRows());
}

void ConversationModel::setSearchResult(const SearchResult& result) {
    if (result.text != m_filter || m_query.isEmpty()) return;
    m_hits.clear();
    for (const SearchHit& hit : result.hits) m_hits.insert(hit.conversationId, hit);
    apply(makeRows());
}

void ConversationModel::setToday(const QDate& today) {
    if (today == m_today) return;
    m_today = today;
    apply(makeRows());
}

QString ConversationModel::groupOf(const QDateTime& updatedUtc, const QDate& today) {
    const QDate date = updatedUtc.toLocalTime().date();
    const qint64 days = date.daysTo(today);
    // A clock that ran ahead must not open a group of its own.
    if (days <= 0) return tr("Today");
    if (days == 1) return tr("Yesterday");
    if (days <= 7) return tr("Previous 7 days");
    if (days <= 30) return tr("Previous 30 days");
    const QString month = QLocale().standaloneMonthName(date.month());
    return date.year() == today.year() ? month : tr("%1 %2", "month, year").arg(month).arg(date.year());
}

QList<ConversationModel::Row> ConversationModel::makeRows() {
    QList<Row> rows;
    rows.reserve(m_items.size() + 16);
    // Time zones are asked once a day of the list, not once a row.
    qint64 dayBegin = std::numeric_limits<qint64>::max();
    QString group;
    QString shownGroup;
    m_shownCount = 0;
    for (const ConversationItem& item : m_items) {
        const auto hit = m_hits.constFind(item.id);
        if (!m_query.isEmpty() && hit == m_hits.cend() && (!m_query.models.isEmpty() || !titleMatches(item.title, m_query)))
            continue;
        if (item.updatedUtc.toMSecsSinceEpoch() < dayBegin) {
            dayBegin = item.updatedUtc.toLocalTime().date().startOfDay().toMSecsSinceEpoch();
            group = groupOf(item.updatedUtc, m_today);
        }
        if (group != shownGroup) {
            shownGroup = group;
            rows.append({group, {}, {}});
        }
        rows.append({{}, item, hit == m_hits.cend() ? SearchHit() : *hit});
        ++m_shownCount;
    }
    return rows;
}

void ConversationModel::apply(QList<Row> rows) {
    if (applyStepwise(rows)) return;
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

bool ConversationModel::applyStepwise(const QList<Row>& rows) {
    // Most changes touch few rows: what is equal at both ends needs no thought.
    qsizetype head = 0;
    const qsizetype shorter = std::min(rows.size(), m_rows.size());
    while (head < shorter && m_rows[head].sameKey(rows[head])) ++head;
    qsizetype tail = 0;
    while (tail < shorter - head && m_rows[m_rows.size() - 1 - tail].sameKey(rows[rows.size() - 1 - tail])) ++tail;

    QSet<QString> wanted;
    for (qsizetype i = head; i < rows.size() - tail; ++i) wanted.insert(rows[i].key());
    QSet<QString> present;
    QList<int> vanished;
    for (qsizetype i = head; i < m_rows.size() - tail; ++i) {
        const QString key = m_rows[i].key();
        present.insert(key);
        if (!wanted.contains(key)) vanished.append(static_cast<int>(i));
    }
    // Counted first: half a walk followed by a reset would be the dearest of all.
    const qsizetype arriving = rows.size() - (m_rows.size() - vanished.size());
    if (vanished.size() + arriving > kMaximumSteps) return false;

    for (auto row = vanished.crbegin(); row != vanished.crend(); ++row) {
        beginRemoveRows({}, *row, *row);
        m_rows.removeAt(*row);
        endRemoveRows();
    }
    int moves = 0;
    for (int i = static_cast<int>(head); i < rows.size() - tail; ++i) {
        if (i < m_rows.size() && m_rows[i].sameKey(rows[i])) continue;
        if (!present.contains(rows[i].key())) {
            beginInsertRows({}, i, i);
            m_rows.insert(i, rows[i]);
            endInsertRows();
            continue;
        }
        if (++moves > kMaximumSteps) return false;
        int from = i + 1;
        while (!m_rows[from].sameKey(rows[i])) ++from;
        beginMoveRows({}, from, from, {}, i);
        m_rows.move(from, i);
        endMoveRows();
    }
    for (int i = 0; i < rows.size(); ++i) {
        if (m_rows[i] == rows[i]) continue;
        m_rows[i] = rows[i];
        emit dataChanged(index(i), index(i));
    }
    return true;
}

QModelIndex ConversationModel::indexOf(const QString& id) const {
    if (id.isEmpty()) return {};
    for (int i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].item.id == id) return index(i);
    return {};
}

bool ConversationModel::hasWorkingRows() const {
    return std::any_of(m_rows.begin(), m_rows.end(), [](const Row& row) { return row.item.working; });
}

int ConversationModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ConversationModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = m_rows[index.row()];
    if (!row.heading.isEmpty()) {
        if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) return row.heading;
        return role == HeadingRole ? QVariant(true) : QVariant();
    }
    const ConversationItem& item = row.item;
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            return item.title;
        case Qt::ToolTipRole: {
            const QString when = QLocale().toString(item.updatedUtc.toLocalTime(), QLocale::ShortFormat);
            return plainToolTip((item.title.isEmpty() ? tr("New chat") : item.title) + QLatin1Char('\n') +
                                (item.working ? tr("An answer is being written") : when));
        }
        case Qt::AccessibleTextRole: {
            const QString title = item.title.isEmpty() ? tr("New chat") : item.title;
            const QString found =
                row.hit.snippet.isEmpty() ? title : tr("%1: %2", "title: text found").arg(title, row.hit.snippet);
            return item.working ? tr("%1, an answer is being written").arg(found) : found;
        }
        case IdRole:
            return item.id;
        case HeadingRole:
            return false;
        case WorkingRole:
            return item.working;
        case UpdatedRole:
            return item.updatedUtc;
        case SnippetRole:
            return row.hit.snippet;
        case RangesRole:
            return QVariant::fromValue(row.hit.ranges);
        case MessageRole:
            return row.hit.messageId;
        default:
            return {};
    }
}

Qt::ItemFlags ConversationModel::flags(const QModelIndex& index) const {
    if (!index.isValid() || !m_rows[index.row()].heading.isEmpty()) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsEditable | Qt::ItemNeverHasChildren;
}

bool ConversationModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !index.isValid() || !m_rows[index.row()].heading.isEmpty()) return false;
    const QString title = value.toString().simplified();
    const ConversationItem& item = m_rows[index.row()].item;
    if (title.isEmpty() || title == item.title) return false;
    emit renameRequested(item.id, title);
    return true;
}

}  // namespace trefoil
