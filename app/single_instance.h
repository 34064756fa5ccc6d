// SingleInstance: one window per person and history. A second start hands over what it was given and ends; its socket lies in a
// folder of mode 0700 only.
#pragma once

#include <QLocalServer>
#include <QObject>
#include <QString>

#include <functional>

namespace trefoil {

/// What a second start wants.
struct StartRequest {
    QString modelFolder;      ///< absolute; empty: only come to the front
    QString activationToken;  ///< Wayland's; empty elsewhere
};

/// Where sockets may lie: `runtimeDir` (XDG_RUNTIME_DIR) when it is absolute, a folder of this person's alone and of mode 0700;
/// else `fallback`, which is made with that mode; else empty.
[[nodiscard]] QString socketFolder(const QString& runtimeDir, const QString& fallback);

class SingleInstance : public QObject {
    Q_OBJECT
public:
    enum class Role {
        First,   ///< listens; the program goes on
        Second,  ///< another Trefoil took the request; the program ends
        Alone    ///< neither was possible (no folder, too long a path): the program goes on without
    };

    explicit SingleInstance(QObject* parent = nullptr);
    /// `identity` tells programs apart that may run side by side: the history's folder. Waits for another program at most 2 s.
    Role begin(const QString& folder, const QString& identity, const StartRequest& request);
    /// Whom later starts are told. Requests that came before wait.
    void serve(std::function<void(const StartRequest&)> onRequest);

private:
    void accept();

    QLocalServer m_server;
    std::function<void(const StartRequest&)> m_onRequest;
};

}  // namespace trefoil
