// Composition of the window program: locations, settings, history, engine, window.
#pragma once

#include <QString>

#include <string>

namespace trefoil {

struct ApplicationOptions {
    QString modelFolder;  ///< empty: the default model, the last one, or the demo model
    QString device;       ///< empty: the setting
    int threads = -1;     ///< -1: the setting
    std::string problem;  ///< not empty: the command line is wrong
};

[[nodiscard]] ApplicationOptions parseArguments(int argc, char** argv);

/// Runs until the window is closed. Needs a QApplication. Returns the process's exit code.
int runApplication(const ApplicationOptions& options);

}  // namespace trefoil
