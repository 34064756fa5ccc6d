// The subcommands of trefoil-cli. Each returns the process's exit code.
#pragma once

#include "app/cli/support.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trefoil::cli {

struct InfoOptions {
    std::string model;
    std::int64_t context = 0;           ///< positions to plan for; 0: the model's
    std::vector<std::string> switches;  ///< "name=choice"
    bool json = false;
    bool recommend = false;   ///< also say which form suits which card
    double cardMemory = 0.0;  ///< GiB of a card to recommend for instead of this machine's; 0: this machine's
    double bandwidth = 0.0;   ///< GB/s that this card reads from its memory; 0: measured, or assumed
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
    bool search = false;
    double seconds = 600.0;  ///< of a search
};
int runVerify(const VerifyCommandOptions& options);

struct BenchOptions {
    ModelOptions model;
    std::string synth;            ///< "clover-35b" or a config.json: random weights on a GPU instead of a model folder
    std::int64_t layers = 0;      ///< with synth: only the first so many layers; 0: all
    std::string format = "bf16";  ///< with synth: how the weights are stored
    std::int64_t group = 32;      ///< of int4
    double routerSkew = -1.0;     ///< GPU: experts are drawn in proportion to rank^-skew; negative: as the router says
    std::vector<int> experts;     ///< GPU: also passes forced to so many distinct experts a layer
    std::int64_t longPrefix = 0;  ///< GPU: also passes behind so many tokens
    int repeats = 20;             ///< GPU: passes per row
    bool noPrompts = false;       ///< GPU: leave out the prompts of 1,024 and 8,192 tokens
    bool json = false;
};
int runBench(const BenchOptions& options);

struct SynthCommandOptions {
    std::string folder;
    std::string size;  ///< "clover-35b" or a config.json
    std::uint64_t seed = 0;
    int threads = 0;
    bool headersOnly = false;
};
int runSynth(const SynthCommandOptions& options);

struct QuantizeCommandOptions {
    std::string model;
    std::string out;
    std::string format;      ///< "fp8" or "int4"
    std::int64_t group = 0;  ///< int4: 32 or 128; 0: 32
    std::vector<std::string> keep;
    std::string head = "keep";   ///< or "quantize"
    std::string importanceFile;  ///< int4: of calibrate; empty: all columns alike
    int threads = 0;
};
int runQuantize(const QuantizeCommandOptions& options);

struct CalibrateOptions {
    std::string model;
    std::string textFile;
    std::string out = "importance.safetensors";
    int threads = 0;
};
int runCalibrate(const CalibrateOptions& options);

struct CompareModelsOptions {
    std::string first;
    std::string second;
    std::string textFile;  ///< empty: what the first model answers to the tasks
    int tasks = 40;        ///< sums to ask
    int threads = 0;
    bool json = false;
};
int runCompareModels(const CompareModelsOptions& options);

struct ServeCommandOptions {
    ModelOptions model;
    std::string name;  ///< what clients call the model; empty: the folder's name
    std::string listen = "127.0.0.1";
    int port = 8033;
    std::string keyFile;
    std::string certificateFile;
    std::string certificateKeyFile;
    bool insecureHttp = false;
    std::vector<std::string> hosts;
    int queue = 32;
};
int runServe(const ServeCommandOptions& options);

}  // namespace trefoil::cli
