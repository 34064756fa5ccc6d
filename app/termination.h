// TerminationWatcher: SIGTERM, SIGINT and SIGHUP close the window in the usual way, so that nothing is lost.
#pragma once

#include <QObject>
#include <QSocketNotifier>

#include <functional>
#include <memory>

namespace trefoil {

/// One at a time in a process. The handler only writes a byte to a socket; `onSignal` runs in the event loop.
class TerminationWatcher {
public:
    explicit TerminationWatcher(std::function<void()> onSignal);
    ~TerminationWatcher();
    TerminationWatcher(const TerminationWatcher&) = delete;
    TerminationWatcher& operator=(const TerminationWatcher&) = delete;

private:
    std::function<void()> m_onSignal;
    std::unique_ptr<QSocketNotifier> m_notifier;
};

}  // namespace trefoil
