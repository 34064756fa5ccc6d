// trefoil-cli serve as a program: what it refuses before it loads anything, and how it ends. (tests/serve has the server itself.)
#include "tests/app/cli/cli_runner.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace trefoil::test {
namespace {

const std::filesystem::path kDemo = std::filesystem::path(TREFOIL_SOURCE_DIR) / "resources/demo-model";

std::string serve(const std::string& arguments) { return cli("serve", kDemo) + " --device cpu --port 0 " + arguments; }

/// A file of this process alone: tests run side by side.
std::string ownFile(const std::string& name) {
    return testing::TempDir() + "trefoil_cli_" + name + "_" + std::to_string(getpid());
}

/// A key file with the given mode.
std::string keyFile(mode_t mode) {
    const std::string path = ownFile("key");
    std::ofstream(path, std::ios::trunc) << "0123456789abcdef\n";
    chmod(path.c_str(), mode);
    return quoted(path);
}

TEST(ServeCommand, RefusesToListenUnprotected) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"--listen 0.0.0.0", "--key-file"},
        {"--listen 0.0.0.0 --insecure-http", "--key-file"},
        {"--listen :: --key-file " + keyFile(0600), "--insecure-http"},
        {"--tls-cert /nonexistent", "--tls-key"},
        {"--port 70000", "--port"},
        {"--key-file /nonexistent", "/nonexistent"},
    };
    for (const auto& [arguments, says] : cases) {
        const Finished run = shell(serve(arguments));
        EXPECT_NE(run.code, 0) << arguments;
        EXPECT_TRUE(run.out.empty());
        EXPECT_NE(run.err.find(says), std::string::npos) << run.err;
        EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    }
    const Finished readable = shell(serve("--key-file " + keyFile(0644)));
    EXPECT_NE(readable.code, 0);
    EXPECT_NE(readable.err.find("chmod 600"), std::string::npos) << readable.err;
}

TEST(ServeCommand, SaysItsAddressAndEndsOnASignal) {
    const std::string out = quoted(ownFile("serve"));
    // What an earlier run said must not be taken for this one's word: a signal that comes too early is ignored.
    std::string start = "rm -f " + out + "; " + serve("--key-file " + keyFile(0600));
    start.append(" >").append(out).append(" & server=$!; for i in $(seq 600); do [ -s ").append(out);
    start.append(" ] && break; sleep 0.05; done; cat ").append(out).append("; kill -s ");
    for (const std::string signal : {"TERM", "INT"}) {
        // A shell starts background programs with SIGINT ignored; the program installs its own handler.
        const Finished run = shell(start + signal + " $server; wait $server");
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_NE(run.out.find("serving demo-model at http://127.0.0.1:"), std::string::npos) << run.out;
        EXPECT_EQ(run.err.find("0123456789abcdef"), std::string::npos) << "the key is in no message";
    }
}

}  // namespace
}  // namespace trefoil::test
