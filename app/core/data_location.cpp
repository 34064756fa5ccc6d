#include "app/core/data_location.h"

#include <pwd.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtGlobal>

#include <vector>

namespace trefoil {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(DataLocation)
};

constexpr char kFolderName[] = "/trefoil";

QString homeOfUserDatabase() {
    const long suggested = ::sysconf(_SC_GETPW_R_SIZE_MAX);
    std::vector<char> buffer(suggested > 0 ? static_cast<size_t>(suggested) : 16384);
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return {};
    return QFile::decodeName(found->pw_dir);
}

/// Empty when the path is good for a home, else why it is not.
QString homeProblem(const QString& path) {
    if (path.isEmpty()) return Text::tr("is not set");
    if (!QDir::isAbsolutePath(path)) return Text::tr("is relative");
    const QString clean = QDir::cleanPath(path);
    if (clean == QLatin1String("/")) return Text::tr("is the root folder");
    if (!QFileInfo(clean).isDir()) return Text::tr("is no folder");
    return {};
}

/// An XDG variable's folder; empty (with a note when something was ignored) to use the standard one.
QString xdgFolder(const char* name, const QString& value, QStringList* notes) {
    if (value.isEmpty()) return {};
    const QString clean = QDir::cleanPath(value);
    if (QDir::isAbsolutePath(value) && clean != QLatin1String("/")) return clean;
    notes->append(
        Text::tr("%1 is ignored: “%2” is %3.")
            .arg(QLatin1String(name), value,
                 QDir::isAbsolutePath(value) ? Text::tr("the root folder") : Text::tr("relative, it must be absolute")));
    return {};
}

}  // namespace

LocationEnvironment currentLocationEnvironment() {
    return {qEnvironmentVariable("TREFOIL_DATA_DIR"), qEnvironmentVariable("XDG_DATA_HOME"),
            qEnvironmentVariable("XDG_CONFIG_HOME"), qEnvironmentVariable("HOME"), homeOfUserDatabase()};
}

DataLocation findDataLocation(const LocationEnvironment& environment) {
    DataLocation location;
    if (!environment.dataDirOverride.isEmpty()) {
        const QString clean = QDir::cleanPath(environment.dataDirOverride);
        if (!QDir::isAbsolutePath(clean) || clean == QLatin1String("/")) {
            location.problem = {
                StoreProblemKind::Invalid,
                Text::tr("TREFOIL_DATA_DIR must name an absolute folder and is “%1”.").arg(environment.dataDirOverride),
                Text::tr("Correct or unset it, or go on with a temporary history.")};
            return location;
        }
        location.dataFolder = clean;
        location.configFolder = clean;
        return location;
    }
    const QString data = xdgFolder("XDG_DATA_HOME", environment.xdgDataHome, &location.notes);
    const QString config = xdgFolder("XDG_CONFIG_HOME", environment.xdgConfigHome, &location.notes);
    QString home = QDir::cleanPath(environment.home);
    if (const QString problem = homeProblem(environment.home); !problem.isEmpty()) {
        if (homeProblem(environment.passwdHome).isEmpty()) {
            home = QDir::cleanPath(environment.passwdHome);
            location.notes.append(Text::tr("HOME %1; “%2” from the user data base is used.").arg(problem, home));
        } else if (data.isEmpty() || config.isEmpty()) {
            location.problem = {StoreProblemKind::NotFound,
                                Text::tr("There is no home folder to keep the history in: HOME %1.").arg(problem),
                                Text::tr("Set HOME or TREFOIL_DATA_DIR, or go on with a temporary history.")};
            return location;
        }
    }
    const QLatin1String folder(kFolderName);
    location.dataFolder = (data.isEmpty() ? home + QStringLiteral("/.local/share") : data) + folder;
    location.configFolder = (config.isEmpty() ? home + QStringLiteral("/.config") : config) + folder;
    return location;
}

StoreProblem prepareFolder(const QString& folder) {
    const QString hint = Text::tr("Give yourself write permission, or go on with a temporary history.");
    if (!QDir::isAbsolutePath(folder)) {
        return {StoreProblemKind::Invalid, Text::tr("“%1” is no absolute folder.").arg(folder), hint};
    }
    const QString clean = QDir::cleanPath(folder);
    QStringList missing;
    for (QString path = clean; !QFileInfo::exists(path) && path != QLatin1String("/"); path = QFileInfo(path).path()) {
        missing.prepend(path);
    }
    for (const QString& path : missing) {
        // 0700 as the XDG specification asks for folders that a program has to make. Another program may be faster.
        QDir().mkdir(path, QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::ExeOwner);
        if (!QFileInfo(path).isDir()) {
            return {StoreProblemKind::ReadOnly, Text::tr("The folder “%1” cannot be made.").arg(path), hint};
        }
    }
    if (!QFileInfo(clean).isDir()) {
        return {StoreProblemKind::ReadOnly, Text::tr("“%1” should be a folder and is a file.").arg(clean), hint};
    }
    // access() also knows of read-only file systems.
    if (::access(QFile::encodeName(clean).constData(), W_OK | X_OK) != 0) {
        return {StoreProblemKind::ReadOnly, Text::tr("The folder “%1” cannot be written.").arg(clean), hint};
    }
    return {};
}

}  // namespace trefoil
