// Runs a program through the shell as a person would and keeps what it said.
#pragma once

#include <string>

namespace trefoil::test {

struct Finished {
    int code = -1;  ///< exit code; 128 + signal when a signal ended it
    std::string out;
    std::string err;
};

/// Runs a shell command with nothing on its standard input.
Finished shell(const std::string& command);

}  // namespace trefoil::test
