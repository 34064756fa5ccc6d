// Search in the history's contents: the functions that its triggers use, and the statements. Internal to ConversationStore.
#pragma once

#include "app/core/search_query.h"
#include "app/core/store_types.h"

#include <QSqlDatabase>

struct sqlite3;

namespace trefoil::search {

/// Makes trefoil_short_terms and trefoil_fold known to this connection. Formats from 3 on need the first for every write: a
/// program without it can read a history and cannot change its messages.
StoreProblem registerFunctions(sqlite3* handle);

/// Finished messages, newest first, one hit a conversation; deleted conversations are left out.
StoreResult<SearchResult> find(const QSqlDatabase& database, const QString& text);

}  // namespace trefoil::search
