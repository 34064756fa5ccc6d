// Where Trefoil keeps its history, presets and settings: the XDG base directories as QStandardPaths knows them, hardened against
// an environment that is missing or wrong. Finding creates nothing; prepareFolder does.
#pragma once

#include "app/core/store_types.h"

#include <QString>
#include <QStringList>

namespace trefoil {

/// The variables that decide, apart so that tests can give others. An absent one is empty.
struct LocationEnvironment {
    QString dataDirOverride;  ///< TREFOIL_DATA_DIR: everything goes there (tests, portable use)
    QString xdgDataHome;
    QString xdgConfigHome;
    QString home;
    QString passwdHome;  ///< the home of the user data base, for when HOME is no use
};

/// As this process has them.
LocationEnvironment currentLocationEnvironment();

struct DataLocation {
    QString dataFolder;    ///< absolute; empty with a problem
    QString configFolder;  ///< absolute; empty with a problem
    QStringList notes;     ///< what was ignored and why, for the log and the About box
    StoreProblem problem;  ///< no folder could be told: offer a temporary history

    [[nodiscard]] bool ok() const { return problem.ok(); }
    [[nodiscard]] QString historyFile() const { return fileIn(dataFolder, QStringLiteral("history.db")); }
    [[nodiscard]] QString presetsFile() const { return fileIn(dataFolder, QStringLiteral("presets.json")); }
    [[nodiscard]] QString settingsFile() const { return fileIn(configFolder, QStringLiteral("trefoil.ini")); }

private:
    [[nodiscard]] static QString fileIn(const QString& folder, const QString& name) {
        return folder.isEmpty() ? QString() : folder + QLatin1Char('/') + name;
    }
};

/// TREFOIL_DATA_DIR (must be absolute), else the XDG folders where absolute, else those of the specification under HOME, or under
/// the user data base's home when HOME is unset, empty, relative, "/" or not a folder. Never "/" itself, never the current
/// folder.
DataLocation findDataLocation(const LocationEnvironment& environment = currentLocationEnvironment());

/// Makes the folder, private (0700), with its parents, and sees whether it can be written.
StoreProblem prepareFolder(const QString& folder);

}  // namespace trefoil
