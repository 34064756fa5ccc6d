// The subcommands of trefoil-cli. Each returns the process's exit code.
#pragma once

#include "app/cli/support.h"

#include <string>
#include <vector>

namespace trefoil::cli {

struct InfoOptions {
    std::string model;
    bool json = false;
};
int runInfo(const InfoOptions& options);

struct GenerateOptions {
    ModelOptions model;
    std::string prompt;
    bool hasPrompt = false;
    std::string messagesFile;
    std::string idsFile;
    std::string system;
    bool noThink = false;
    std::vector<std::string> set;  ///< "name=value"
    bool json = false;
    std::string traceFile;
};
int runGenerate(const GenerateOptions& options);

struct VerifyCommandOptions {
    ModelOptions model;
    std::string golden;
};
int runVerify(const VerifyCommandOptions& options);

struct BenchOptions {
    ModelOptions model;
    bool json = false;
};
int runBench(const BenchOptions& options);

}  // namespace trefoil::cli
