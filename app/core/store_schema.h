// The history's file format: tables, migrations, and what is checked before a file is used. Internal to the store.
#pragma once

#include "app/core/store_types.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QString>
#include <QVariantList>

namespace trefoil::schema {

/// PRAGMA user_version of this program.
constexpr int kVersion = 5;
/// PRAGMA application_id: "TRFL".
constexpr int kApplicationId = 0x5452464C;

/// The store's word for an SQLite error; `action` is what was tried, e.g. "The history could not be opened".
StoreProblem problemFrom(const QSqlError& error, const QString& action);

/// Runs one statement with values for its question marks.
StoreProblem execute(const QSqlDatabase& database, const QString& statement, const QVariantList& values = {});
/// First column of the first row; invalid when there is none.
StoreResult<QVariant> single(const QSqlDatabase& database, const QString& statement, const QVariantList& values = {});

/// BEGIN IMMEDIATE … COMMIT; rolls back when destroyed before commit().
class Transaction {
public:
    explicit Transaction(const QSqlDatabase& database);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    [[nodiscard]] const StoreProblem& problem() const { return m_problem; }
    StoreProblem commit();

private:
    QSqlDatabase m_database;
    StoreProblem m_problem;
    bool m_open = false;
};

/// Brings the tables from version `from` (0: an empty file) to version `to`, in one transaction. Nothing changes on failure.
StoreProblem migrate(const QSqlDatabase& database, int from, int to = kVersion);

/// Copies everything that is committed, also what is still in the -wal, into a file that needs no -wal, in place of one that is
/// there. The copy has a mark of its own (see renewEpoch): a log that is left beside it by hand is known to be another file's.
StoreProblem backUp(const QSqlDatabase& database, const QString& path);

/// Damaged when PRAGMA quick_check finds anything.
StoreProblem quickCheck(const QSqlDatabase& database);

/// The mark in the main file alone, without its -wal (see renewEpoch); empty when there is none.
QString epochOfMainFile(const QString& path);
/// Whether a -wal that was left behind belongs to its main file.
StoreProblem checkEpoch(const QSqlDatabase& database, const QString& mainFileEpoch);
/// Writes a new mark so that the main file and its -wal can be told apart from older copies. Only while no other program has the
/// file open.
StoreProblem renewEpoch(const QSqlDatabase& database);
/// Part of every write transaction: each log carries the mark.
StoreProblem touchEpoch(const QSqlDatabase& database);

/// The functions that the search index's triggers call, for this connection: before anything else is done with it.
StoreProblem prepareConnection(const QSqlDatabase& database);
/// After rows were removed for good: the search indexes forget them as well. Part of the same transaction.
StoreProblem forgetRemoved(const QSqlDatabase& database);
/// After that transaction: gives room back and empties the -wal, which still holds the removed text. Does nothing where a reader
/// is in the way; the next one does it.
StoreProblem tidyUp(const QSqlDatabase& database);

/// While on, closing the last connection does not write the -wal into the file.
void setKeepWal(const QSqlDatabase& database, bool keep);

}  // namespace trefoil::schema
