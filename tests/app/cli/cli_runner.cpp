#include "tests/app/cli/cli_runner.h"

#include "tests/support/checkpoint_maker.h"

#include <sys/wait.h>
#include <cstdlib>

namespace trefoil::test {

Finished shell(const std::string& command) {
    const ScratchFolder folder;
    const std::string out = (folder / "out").string();
    const std::string err = (folder / "err").string();
    const int status = std::system(("( " + command + " ) >'" + out + "' 2>'" + err + "' </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), readFile(out), readFile(err)};
}

std::string quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
    return out;
}

std::string cli(const std::string& command, const std::filesystem::path& model) {
    return quoted(TREFOIL_CLI) + ' ' + command + ' ' + quoted(model);
}

}  // namespace trefoil::test
