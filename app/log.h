// The program's log: a small rotating file in the data folder, and warnings on stderr. Never holds what a person typed or read.
#pragma once

#include <QString>
#include <QStringList>

namespace trefoil {

/// Begins logging; Qt's own messages go there as well. An empty folder, or one that cannot be written, leaves stderr only.
void startLog(const QString& folder);
void logNote(const QString& text);

}  // namespace trefoil
