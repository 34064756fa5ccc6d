// StartGuard: turns "no display" into one line and exit code 1, where Qt would abort with a core dump.
#pragma once

#include <QtGlobal>

namespace trefoil {

class StartGuard {
public:
    /// From here until started(), what Qt complains about is held back; a fatal message ends the process with a plain line.
    StartGuard();
    ~StartGuard();
    StartGuard(const StartGuard&) = delete;
    StartGuard& operator=(const StartGuard&) = delete;

    /// False, after saying so, when neither X11 nor Wayland nor another platform is asked for.
    [[nodiscard]] bool displayAvailable() const;
    /// QApplication stands: messages go their usual way again.
    void started();

private:
    QtMessageHandler m_previous;
    bool m_active = true;
};

}  // namespace trefoil
