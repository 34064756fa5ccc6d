#include "app/termination.h"

#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <csignal>
#include <utility>

namespace trefoil {
namespace {

std::array<int, 2> g_sockets{-1, -1};  // a signal handler can reach nothing else

extern "C" void onTerminationSignal(int /*signal*/) {
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(g_sockets[0], &byte, 1);
}

}  // namespace

TerminationWatcher::TerminationWatcher(std::function<void()> onSignal) : m_onSignal(std::move(onSignal)) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, g_sockets.data()) != 0) return;
    m_notifier = std::make_unique<QSocketNotifier>(g_sockets[1], QSocketNotifier::Read);
    QObject::connect(m_notifier.get(), &QSocketNotifier::activated, m_notifier.get(), [this] {
        char byte = 0;
        while (::read(g_sockets[1], &byte, 1) == 1) continue;
        m_onSignal();
    });
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, onTerminationSignal);
}

TerminationWatcher::~TerminationWatcher() {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_DFL);
    m_notifier.reset();
    for (int& socket : g_sockets) {
        if (socket >= 0) ::close(socket);
        socket = -1;
    }
}

}  // namespace trefoil
