// trefoil: the window. Reads the command line, puts the parts together and runs them.
#include "app/application.h"
#include "app/start_guard.h"
#include "app/version.h"

#include <QApplication>
#include <QFontMetrics>

#include <cstdio>
#include <string_view>

namespace {

/// --help and --version must work without a display, so they are answered before Qt starts.
bool answeredEarly(int argc, char** argv, int& exitCode) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--help" || argument == "-h") {
            std::puts(
                "usage: trefoil [--model DIR | DIR] [--device auto|cpu|cuda|cuda:N|cuda:N,cuda:M] [--threads N]\n\n"
                "Chat with block-diffusion language models and watch them decode.\n\n"
                "  DIR, --model DIR   open this model folder (otherwise the default or last one)\n"
                "  --device NAME      where the model runs; for this start only\n"
                "  --threads N        CPU threads; 0: all cores\n"
                "  --version          print the version\n\n"
                "Without a display use trefoil-cli.");
            exitCode = std::fflush(stdout) == 0 ? 0 : 1;
            return true;
        }
        if (argument == "--version") {
            std::printf("trefoil %s\n", trefoil::kVersion);
            exitCode = std::fflush(stdout) == 0 ? 0 : 1;
            return true;
        }
    }
    return false;
}

}  // namespace

int main(int argc, char** argv) {
    int exitCode = 0;
    if (answeredEarly(argc, argv, exitCode)) return exitCode;
    const auto options = trefoil::parseArguments(argc, argv);
    if (!options.problem.empty()) {
        std::fprintf(stderr, "trefoil: %s; see trefoil --help\n", options.problem.c_str());
        return 2;
    }
    trefoil::StartGuard guard;
    if (!guard.displayAvailable()) return 1;
    QApplication::setApplicationName(QStringLiteral("trefoil"));
    QApplication::setApplicationDisplayName(QStringLiteral("Trefoil"));
    QApplication::setApplicationVersion(QString::fromLatin1(trefoil::kVersion));
    QApplication::setDesktopFileName(QStringLiteral("org.trefoil.Trefoil"));
    const QApplication qt(argc, argv);
    guard.started();
    // Families such as "Sans Serif" have names without any font; signs they have not.
    if (!QFontMetrics(QGuiApplication::font()).inFont(u'a')) {
        std::fputs("trefoil: there is no font: nothing in the window could be read; install one, such as fonts-dejavu-core\n",
                   stderr);
        return 1;
    }
    return trefoil::runApplication(options);
}
