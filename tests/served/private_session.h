// Key stores asked and answered, on a session bus and in a home of their own.
#pragma once

#include "app/served/key_store.h"

#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

namespace trefoil::test {

inline const QString kKey = QStringLiteral("sk-very-secret-0123");

enum class Call : quint8 { Read, Write, Remove };

inline KeyAnswer ask(KeyStore& store, Call call, const QString& id, const QString& key = {}) {
    QObject context;
    KeyAnswer out{{}, QStringLiteral("no answer")};
    int answers = 0;
    const auto done = [&](const KeyAnswer& answer) {
        out = answer;
        ++answers;
    };
    if (call == Call::Read) store.read(id, &context, done);
    if (call == Call::Write) store.write(id, key, &context, done);
    if (call == Call::Remove) store.remove(id, &context, done);
    if (answers != 0) return {{}, QStringLiteral("an answer before the event loop ran")};
    if (!QTest::qWaitFor([&answers] { return answers > 0; }, 30'000)) return out;
    QTest::qWait(0);
    return answers == 1 ? out : KeyAnswer{{}, QStringLiteral("several answers")};
}

/// Whether any file below `folder` holds the key.
inline QString fileWithKey(const QString& folder) {
    QDirIterator files(folder, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly) && file.readAll().contains(kKey.toLatin1())) return file.fileName();
    }
    return {};
}

/// A session bus of its own, in a home of its own.
class PrivateSession {
public:
    bool start() {
        const QString daemon = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
        if (daemon.isEmpty()) return false;
        QFile config(m_home.filePath(QStringLiteral("bus.conf")));
        if (!config.open(QIODevice::WriteOnly)) return false;
        config.write("<busconfig><type>session</type><listen>unix:dir=" + QFile::encodeName(m_home.path()) + "</listen>" +
                     "<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/>"
                     "<allow own=\"*\"/></policy></busconfig>\n");
        config.close();
        // Before the process's first use of its session bus.
        qputenv("HOME", QFile::encodeName(m_home.path()));
        for (const char* variable : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CURRENT_DESKTOP",
                                     "DESKTOP_SESSION", "GNOME_KEYRING_CONTROL", "KDE_SESSION_VERSION", "DISPLAY"})
            qunsetenv(variable);
        qputenv("XDG_RUNTIME_DIR", QFile::encodeName(m_home.path()));
        m_bus.start(daemon, {QStringLiteral("--config-file=") + config.fileName(), QStringLiteral("--nofork"),
                             QStringLiteral("--print-address")});
        if (!m_bus.waitForStarted() || !m_bus.waitForReadyRead()) return false;
        qputenv("DBUS_SESSION_BUS_ADDRESS", m_bus.readLine().trimmed());
        return true;
    }
    ~PrivateSession() {
        m_bus.terminate();
        m_bus.waitForFinished();
    }
    [[nodiscard]] QString home() const { return m_home.path(); }

private:
    QTemporaryDir m_home;
    QProcess m_bus;
};

}  // namespace trefoil::test
