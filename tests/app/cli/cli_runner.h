// Runs a program through the shell as a person would and keeps what it said.
#pragma once

#include <filesystem>
#include <string>

namespace trefoil::test {

struct Finished {
    int code = -1;  ///< exit code; 128 + signal when a signal ended it
    std::string out;
    std::string err;
};

/// Runs a shell command with nothing on its standard input.
Finished shell(const std::string& command);

/// One word for the shell.
std::string quoted(const std::string& text);
/// "trefoil-cli command 'model'".
std::string cli(const std::string& command, const std::filesystem::path& model);

}  // namespace trefoil::test
