#include "app/start_guard.h"

#include <QString>

#include <cstdio>
#include <cstdlib>

namespace trefoil {
namespace {

constexpr const char* kNoDisplay = "trefoil: no display: the window needs X11 or Wayland; without one use trefoil-cli";

void quietUntilFatal(QtMsgType type, const QMessageLogContext& /*context*/, const QString& message) {
    if (type != QtFatalMsg) return;
    if (message.contains(QLatin1String("platform plugin")))
        std::fprintf(stderr, "%s\n", kNoDisplay);
    else
        std::fprintf(stderr, "trefoil: cannot start: %s\n", qUtf8Printable(message.simplified()));
    std::_Exit(1);  // returning would let Qt abort
}

bool isSet(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
}

}  // namespace

StartGuard::StartGuard() : m_previous(qInstallMessageHandler(quietUntilFatal)) {}

StartGuard::~StartGuard() { started(); }

void StartGuard::started() {
    if (m_active) qInstallMessageHandler(m_previous);
    m_active = false;
}

bool StartGuard::displayAvailable() const {
    if (isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM")) return true;
    std::fprintf(stderr, "%s\n", kNoDisplay);
    return false;
}

}  // namespace trefoil
