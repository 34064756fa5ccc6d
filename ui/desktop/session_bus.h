// The desktop's D-Bus, where there is one. Never starts one, never waits for it.
#pragma once

#include <QDBusConnection>

namespace trefoil {

/// Not connected when the session has no bus: libdbus would otherwise try to launch one.
[[nodiscard]] QDBusConnection desktopBus();

}  // namespace trefoil
