// trefoil-cli: the engine without a window. Parses the command line and runs one subcommand.
#include "app/cli/commands.h"
#include "app/cli/support.h"
#include "app/version.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace trefoil::cli;

void addSwitches(CLI::App& command, std::vector<std::string>& switches) {
    command.add_option("--switch", switches, "Set a compatibility switch: name=choice (repeatable)")
        ->type_size(1)
        ->allow_extra_args(false);
}

CLI::Option* addModel(CLI::App& command, ModelOptions& options) {
    CLI::Option* model = command.add_option("MODEL", options.model, "Model folder");
    model->required();
    command.add_option("--device", options.device, "auto, cpu, cuda, cuda:N, or cuda:0,cuda:1 (layers split over these)")
        ->capture_default_str();
    command.add_option("--threads", options.threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 1024));
    command
        .add_option(
            "--gpu-memory", options.gpuMemory,
            "GiB of each GPU that the program may take in all; experts that do not fit stay in main memory; 0: what is free")
        ->check(CLI::Range(0.0, 65536.0));
    addSwitches(command, options.switches);
    return model;
}

void addServe(CLI::App& command, ServeCommandOptions& options) {
    addModel(command, options.model);
    command.add_option("--context", options.model.context, "Tokens of context to make room for; 0: the model's")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
    command.add_option("--name", options.name, "What clients call the model (the folder's name)");
    command.add_option("--port", options.port, "Port; 0: any that is free, see the line that is printed")
        ->check(CLI::Range(0, 65535))
        ->capture_default_str();
    command.add_option("--listen", options.listen, "Address to listen on; beyond this machine it takes a key, and TLS")
        ->capture_default_str();
    command.add_option("--key-file", options.keyFile, "File whose first line is the key that clients must send");
    auto* certificate = command.add_option("--tls-cert", options.certificateFile, "PEM file of the server's certificate");
    auto* key = command.add_option("--tls-key", options.certificateKeyFile, "PEM file of the certificate's private key");
    certificate->needs(key);
    key->needs(certificate);
    command.add_flag("--insecure-http", options.insecureHttp, "Listen beyond this machine without TLS");
    command.add_option("--host", options.hosts, "A further name by which clients may call this machine (repeatable)")
        ->type_size(1)
        ->allow_extra_args(false);
    command.add_option("--queue", options.queue, "Requests that may wait while one is answered")
        ->check(CLI::Range(0, 100000))
        ->capture_default_str();
}

/// One error line for people instead of CLI11's usage text.
int usageError(const CLI::App& app, const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    std::string line = error.what();
    for (char& c : line)
        if (c == '\n') c = ' ';
    std::string command = "trefoil-cli";
    for (const CLI::App* chosen : app.get_subcommands()) command += ' ' + chosen->get_name();
    std::fprintf(stderr, "trefoil-cli: %s; see %s --help\n", line.c_str(), command.c_str());
    return kUsage;
}

int runCommand(int argc, char** argv) {
    CLI::App app{"Runs block-diffusion language models without a window.", "trefoil-cli"};
    app.set_version_flag("--version", std::string("trefoil-cli ") + trefoil::kVersion);
    app.require_subcommand(1);

    InfoOptions info;
    CLI::App* infoCommand = app.add_subcommand("info", "Say what a model folder holds and what it needs");
    infoCommand->add_option("MODEL", info.model, "Model folder")->required();
    infoCommand->add_option("--context", info.context, "Tokens of context to plan the memory for; 0: the model's")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
    infoCommand->add_flag("--json", info.json, "Print one JSON object");
    auto* recommend =
        infoCommand->add_flag("--recommend", info.recommend, "Also say which form of the model suits the cards, and how fast");
    auto* cardMemory =
        infoCommand
            ->add_option("--card-memory", info.cardMemory, "Recommend for a card of so many GiB instead of those in this machine")
            ->check(CLI::Range(0.5, 65536.0))
            ->needs(recommend);
    infoCommand->add_option("--bandwidth", info.bandwidth, "GB a second that this card reads from its memory")
        ->check(CLI::Range(1.0, 1e6))
        ->needs(cardMemory);
    addSwitches(*infoCommand, info.switches);

    GenerateOptions generate;
    CLI::App* generateCommand = app.add_subcommand("generate", "Write an answer");
    addModel(*generateCommand, generate.model);
    auto* input = generateCommand->add_option_group("input");
    auto* prompt = input->add_option("--prompt", generate.prompt, "The question");
    input->add_option("--messages", generate.messagesFile, "JSON file: a list of {role, content}");
    auto* ids = input->add_option("--ids", generate.idsFile, "JSON file: a list of prompt ids");
    input->require_option(1);
    generateCommand->add_option("--system", generate.system, "System prompt")->excludes(ids);
    generateCommand->add_flag("--no-think", generate.noThink, "Answer without thinking");
    generateCommand->add_option("--set", generate.set, "Set a control: name=value (repeatable)")
        ->type_size(1)
        ->allow_extra_args(false);
    generateCommand->add_flag("--json", generate.json, "Print one JSON object at the end");
    generateCommand->add_option("--trace", generate.traceFile, "Write the passes to this file");

    VerifyCommandOptions verify;
    CLI::App* verifyCommand = app.add_subcommand("verify", "Compare a model with golden files");
    addModel(*verifyCommand, verify.model);
    verifyCommand->add_option("GOLDEN", verify.golden, "Folder or traces file")->required();
    auto* searchFlag =
        verifyCommand->add_flag("--search", verify.search, "Try the compatibility switches and say which fit best");
    verifyCommand->add_option("--limit", verify.seconds, "Seconds that a search may take (600)")
        ->check(CLI::Range(0.0, 1e6))
        ->needs(searchFlag);

    BenchOptions bench;
    CLI::App* benchCommand = app.add_subcommand("bench", "Measure loading, prefill, passes and decoding");
    CLI::Option* benchModel = addModel(*benchCommand, bench.model)->required(false);
    CLI::Option* benchSynth = benchCommand->add_option(
        "--synth", bench.synth, "Instead of MODEL, on a GPU: random weights of clover-35b or a config.json");
    benchSynth->excludes(benchModel);
    benchCommand->add_option("--layers", bench.layers, "With --synth: only the first layers; 0: all")->needs(benchSynth);
    benchCommand->add_option("--format", bench.format, "With --synth: bf16, fp8 or int4")
        ->check(CLI::IsMember({"bf16", "fp8", "int4"}))
        ->needs(benchSynth);
    benchCommand->add_option("--group", bench.group, "With --format int4: columns that share a scale, 32 or 128")
        ->check(CLI::IsMember({32, 128}))
        ->needs(benchSynth);
    benchCommand->add_option("--context", bench.model.context, "With --synth: tokens of context to make room for; 0: the model's")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40));
    benchCommand
        ->add_option("--router-skew", bench.routerSkew,
                     "GPU: small passes draw their experts at random in proportion to rank^-S, another order in each layer")
        ->check(CLI::Range(0.0, 16.0));
    benchCommand
        ->add_option("--experts", bench.experts, "GPU: also passes forced to so many distinct experts a layer, as 8,40,64")
        ->delimiter(',')
        ->check(CLI::Range(1, 1024));
    benchCommand->add_option("--long", bench.longPrefix, "GPU: also passes behind a prefix of so many tokens");
    benchCommand->add_option("--repeats", bench.repeats, "GPU: passes per row")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    benchCommand->add_flag("--no-prompts", bench.noPrompts, "GPU: leave out the prompts of 1,024 and 8,192 tokens");
    benchCommand->add_flag("--json", bench.json, "Print one JSON object");

    SynthCommandOptions synth;
    CLI::App* synthCommand = app.add_subcommand("synth", "Write a checkpoint with random weights, to measure and to test");
    synthCommand->add_option("OUT", synth.folder, "Folder to make")->required();
    synthCommand->add_option("--size", synth.size, "clover-35b or a config.json")->required();
    synthCommand->add_option("--seed", synth.seed, "Seed of the weights");
    synthCommand->add_flag("--headers-only", synth.headersOnly, "Write no weights: files of the full length that take no room");
    synthCommand->add_option("--threads", synth.threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 1024));

    QuantizeCommandOptions quantize;
    CLI::App* quantizeCommand = app.add_subcommand("quantize", "Write a smaller copy of a BF16 model, in FP8 or 4 bits");
    quantizeCommand->add_option("MODEL", quantize.model, "Model folder")->required();
    quantizeCommand->add_option("OUT", quantize.out, "Folder to make; one of a stopped run is gone on with")->required();
    quantizeCommand->add_option("--format", quantize.format, "fp8 (blocks of 128 x 128) or int4 (groups of a row)")
        ->required()
        ->check(CLI::IsMember({"fp8", "int4"}));
    quantizeCommand->add_option("--group", quantize.group, "With int4: columns that share a scale, 32 (the default) or 128")
        ->check(CLI::IsMember({32, 128}));
    quantizeCommand->add_option("--keep", quantize.keep, "A module that keeps its type: its name, or re:EXPRESSION (repeatable)")
        ->type_size(1)
        ->allow_extra_args(false);
    quantizeCommand->add_option("--head", quantize.head, "lm_head: keep its type, or quantize it too")
        ->check(CLI::IsMember({"keep", "quantize"}))
        ->capture_default_str();
    quantizeCommand->add_option("--importance", quantize.importanceFile,
                                "With int4: a file of calibrate, whose columns count as they are used");
    quantizeCommand->add_option("--threads", quantize.threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 1024));

    CalibrateOptions calibrate;
    CLI::App* calibrateCommand =
        app.add_subcommand("calibrate", "Find out on a text which columns of a model matter, for quantize --importance");
    calibrateCommand->add_option("MODEL", calibrate.model, "Model folder")->required();
    calibrateCommand->add_option("--text", calibrate.textFile, "A text such as the model will meet, UTF-8")->required();
    calibrateCommand->add_option("--out", calibrate.out, "File to make")->capture_default_str();
    calibrateCommand->add_option("--threads", calibrate.threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 1024));

    CompareModelsOptions compare;
    CLI::App* compareCommand = app.add_subcommand("compare-models", "Say how much a model's predictions differ from another's");
    compareCommand->add_option("A", compare.first, "Model folder")->required();
    compareCommand->add_option("B", compare.second, "Another form of the same model, such as a quantized one")->required();
    compareCommand->add_option("--text", compare.textFile, "Compare rows of this text, not of A's answers");
    compareCommand->add_option("--tasks", compare.tasks, "Sums that both are asked")
        ->check(CLI::Range(0, 10000))
        ->capture_default_str();
    compareCommand->add_option("--threads", compare.threads, "CPU threads; 0: all cores")->check(CLI::Range(0, 1024));
    compareCommand->add_flag("--json", compare.json, "Print one JSON object");

    ServeCommandOptions serve;
    CLI::App* serveCommand = app.add_subcommand("serve", "Answer other programs over an OpenAI-style local API");
    addServe(*serveCommand, serve);

    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return usageError(app, error);
    }
    generate.hasPrompt = prompt->count() > 0;
    if (*benchCommand && bench.model.model.empty() && bench.synth.empty())
        return usageError(*benchCommand, CLI::RequiredError("MODEL or --synth"));
    if (*infoCommand) return runInfo(info);
    if (*generateCommand) return runGenerate(generate);
    if (*verifyCommand) return runVerify(verify);
    if (*synthCommand) return runSynth(synth);
    if (*compareCommand) return runCompareModels(compare);
    if (*calibrateCommand) return runCalibrate(calibrate);
    if (*quantizeCommand) return runQuantize(quantize);
    if (*serveCommand) return runServe(serve);
    return runBench(bench);
}

}  // namespace

int main(int argc, char** argv) {
    installSignalHandlers();
    try {
        return runCommand(argc, argv);
    } catch (const std::bad_alloc&) {
        return fail(trefoil::makeError(trefoil::ErrorKind::OutOfMemory, "out of memory",
                                       "close other programs or choose a smaller model"));
    } catch (const std::exception& error) {
        return fail(trefoil::makeError(trefoil::ErrorKind::Internal, std::string("unexpected: ") + error.what()));
    }
}
