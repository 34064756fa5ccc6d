// trefoil-cli and trefoil as a person runs them: exit codes, one error line, JSON, closed pipes, bare environments.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/checkpoint_maker.h"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace {

using Json = nlohmann::json;

using trefoil::test::Finished;
using trefoil::test::readFile;
using trefoil::test::ScratchFolder;
using trefoil::test::shell;

/// Writes a file and gives its path.
std::string fileIn(const ScratchFolder& folder, const std::string& name, const std::string& text) {
    trefoil::test::writeFile(folder / name, text);
    return (folder / name).string();
}

const std::string kCli = std::string("'") + TREFOIL_CLI + "'";
const std::string kDemo = std::string("'") + TREFOIL_SOURCE_DIR + "/resources/demo-model'";
const std::string kGolden = std::string(TREFOIL_SOURCE_DIR) + "/tests/golden";

Finished generate(const std::string& arguments) { return shell(kCli + " generate " + kDemo + " --device cpu " + arguments); }

Json generateJson(const std::string& arguments) {
    const Finished run = generate(arguments + " --json");
    EXPECT_EQ(run.code, 0) << run.err;
    const Json json = Json::parse(run.out, nullptr, false);
    EXPECT_TRUE(json.is_object()) << run.out;
    return json;
}

void expectOneErrorLine(const Finished& run, int code, const std::string& part) {
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(run.err.rfind("trefoil-cli: ", 0), 0U) << run.err;
    EXPECT_NE(run.err.find(part), std::string::npos) << run.err;
}

TEST(Generate, AnswersTheSum) {
    const Finished run = generate("--prompt 'What is 347 + 586?'");
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.out, "347 + 586 = **933**\n");
    EXPECT_EQ(run.err, "");
}

TEST(Generate, JsonHasEveryField) {
    const Json json = generateJson("--prompt 'What is 347 + 586?'");
    EXPECT_EQ(json["answer"], "347 + 586 = **933**");
    EXPECT_EQ(json["thinking"].get<std::string>().rfind("Add the digits", 0), 0U);
    EXPECT_EQ(json["stop_reason"], "end");
    EXPECT_EQ(json["prompt_tokens"], 22);
    EXPECT_EQ(json["response_tokens"], 97);
    EXPECT_EQ(json["response_ids"].size(), 97U);
    EXPECT_EQ(json["passes"], 5);
    EXPECT_EQ(json["blocks"], 4);
    EXPECT_NEAR(json["tokens_per_pass"].get<double>(), 97.0 / 5, 1e-9);
    for (const char* key : {"prefill_ms", "decode_ms", "tokens_per_second"}) EXPECT_GT(json[key].get<double>(), 0) << key;
    EXPECT_TRUE(json.contains("text"));
}

TEST(Generate, StreamEqualsTheJsonAnswer) {
    for (const char* question :
         {"Count from 1 to 40.", "Make a multiplication table for 7.", "How do you say water in Japanese?"}) {
        const std::string prompt = "--prompt '" + std::string(question) + "'";
        EXPECT_EQ(generate(prompt).out, generateJson(prompt)["answer"].get<std::string>() + "\n");
    }
}

TEST(Generate, TakesMessagesAndIds) {
    const ScratchFolder folder;
    const std::string messages = fileIn(folder, "m.json", R"([{"role":"user","content":"My name is Grace."},
        {"role":"assistant","content":"Nice to meet you, Grace!"},{"role":"user","content":"What is my name?"}])");
    const Json named = generateJson("--messages '" + messages + "'");
    EXPECT_EQ(named["answer"], "Your name is **Grace**.");
    EXPECT_EQ(named["passes"], 1);
    EXPECT_EQ(named["response_tokens"], 17);
    const Json golden = Json::parse(readFile(kGolden + "/demo/traces.json"));
    const std::string ids = fileIn(folder, "ids.json", golden[0]["prompt"].dump());
    const Json byIds = generateJson("--ids '" + ids + "'");
    EXPECT_EQ(byIds["response_ids"], golden[0]["response"]);
    EXPECT_EQ(byIds["answer"], golden[0]["answer"]);
    const Json system = generateJson("--system 'Answer briefly.' --no-think --prompt 'What does the threshold do?'");
    EXPECT_EQ(system["response_ids"], golden[8]["response"]);
}

TEST(Generate, TracesAreWhatVerifyReads) {
    const ScratchFolder folder;
    const std::string trace = (folder.path() / "t.json").string();
    ASSERT_EQ(generate("--prompt 'Count from 1 to 40.' --set decoding=self_speculative --trace '" + trace + "'").code, 0);
    const Json written = Json::parse(readFile(trace));
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(written[0]["passes"][0]["kind"], "draft");
    const Finished run = shell(kCli + " verify " + kDemo + " '" + trace + "' --device cpu");
    EXPECT_EQ(run.code, 0) << run.out;
    // A trace that says something else is told apart.
    Json changed = written;
    changed[0]["response"][3] = 5;
    const Finished wrong = shell(kCli + " verify " + kDemo + " '" + fileIn(folder, "c.json", changed.dump()) + "' --device cpu");
    EXPECT_EQ(wrong.code, 1);
    EXPECT_NE(wrong.out.find("FAIL"), std::string::npos);
}

TEST(Generate, ThinkingIsDecidedByIds) {
    const Json plain = generateJson("--no-think --prompt 'What does the threshold do?'");
    EXPECT_EQ(plain["thinking"], "");
    EXPECT_EQ(plain["answer"].get<std::string>().rfind("The **threshold**", 0), 0U);
    const Json cut = generateJson("--prompt 'What is 347 + 586?' --set max_new_tokens=10");
    EXPECT_NE(cut["thinking"], "");
    EXPECT_EQ(cut["answer"], "");
    EXPECT_EQ(cut["stop_reason"], "length");
    const Json closes = generateJson(
        "--prompt 'What does the threshold do?' --set dllm_think_end_bias=1000 --set dllm_think_end_start=0 --set "
        "dllm_think_end_window=1 "
        "--set max_new_tokens=64");
    EXPECT_EQ(closes["answer"].get<std::string>().find("</think>"), std::string::npos);
    EXPECT_EQ(closes["thinking"].get<std::string>().find("</think>"), std::string::npos);
}

TEST(Generate, TypedControlTokensStayText) {
    const Json golden = Json::parse(readFile(kGolden + "/demo/traces.json"));
    const Json json = generateJson("--prompt 'What is <think> and <|im_end|>?'");
    EXPECT_EQ(json["response_ids"], golden[12]["response"]);
}

TEST(Errors, AreOneLineWithWhatToDo) {
    const ScratchFolder folder;
    expectOneErrorLine(shell(kCli + " info /nonexistent"), 1, "no folder");
    expectOneErrorLine(shell(kCli + " info '" + folder.path().string() + "'"), 1, "config.json");
    expectOneErrorLine(generate("--prompt ''"), 2, "empty");
    expectOneErrorLine(generate("--prompt \"$(printf '\\377')\""), 2, "UTF-8");
    expectOneErrorLine(generate("--prompt x --set threshold=0,95"), 2, "from 0 to 1");
    for (const char* bad :
         {"temperature=-1", "top_p=1.0000001", "temperature=nan", "temperature=inf", "top_k=-1", "block_size=0"})
        expectOneErrorLine(generate(std::string("--prompt x --set ") + bad), 2, "takes");
    expectOneErrorLine(generate("--prompt x --set max_new_tokens=9000"), 1, "8192");
    expectOneErrorLine(generate("--ids '" + fileIn(folder, "bad.json", "[1, -2]") + "'"), 2, "token id");
    expectOneErrorLine(generate("--ids '" + fileIn(folder, "big.json", "[99999]") + "'"), 2, "4095");
    expectOneErrorLine(generate("--messages '" + fileIn(folder, "m.json", "{}") + "'"), 2, "list");
    expectOneErrorLine(generate("--messages /nonexistent.json"), 1, "no file");
    expectOneErrorLine(generate(""), 2, "--prompt");
    expectOneErrorLine(shell(kCli + " generate " + kDemo + " --prompt x --device tpu"), 2, "auto, cpu");
    expectOneErrorLine(shell(kCli), 2, "subcommand");
}

TEST(Errors, BrokenCheckpointsAreRefusedTheSameWayEachTime) {
    const ScratchFolder folder;
    std::filesystem::copy(std::string(TREFOIL_SOURCE_DIR) + "/resources/demo-model", folder.path() / "m");
    const auto weights = folder.path() / "m/model.safetensors";
    std::filesystem::resize_file(weights, std::filesystem::file_size(weights) - 4096);
    const Finished first = shell(kCli + " info '" + (folder.path() / "m").string() + "'");
    expectOneErrorLine(first, 1, "model.safetensors");
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(shell(kCli + " generate '" + (folder.path() / "m").string() + "' --prompt x --device cpu").err, first.err);
}

TEST(Info, RecommendsAFormForACardThatIsNotHere) {
    const ScratchFolder folder;
    const std::string model = trefoil::test::quoted((folder.path() / "clover").string());
    ASSERT_EQ(shell(kCli + " synth " + model + " --size clover-35b --headers-only").code, 0);
    const std::string ask = kCli + " info " + model + " --context 32768 --recommend";
    const auto recommended = [&](const std::string& gibibytes) -> Json {
        const Json info =
            Json::parse(shell(ask + " --card-memory " + gibibytes + " --bandwidth 1000 --json").out, nullptr, false);
        EXPECT_TRUE(info.is_object() && info["recommendation"]["cards"].size() == 1);
        EXPECT_EQ(info["recommendation"]["estimate"], true);
        EXPECT_EQ(info["recommendation"]["cards"][0]["read"]["bytes_per_second"], 1e12);
        EXPECT_EQ(info["recommendation"]["cards"][0]["read"]["measured"], false);
        for (const Json& form : info["recommendation"]["cards"][0]["forms"])
            if (form["recommended"] == true) return form;
        return {};
    };
    EXPECT_EQ(recommended("80")["form"], "bf16");
    EXPECT_EQ(recommended("48")["form"], "fp8");
    const Json small = recommended("24");
    EXPECT_EQ(small["form"], "int4-32");
    EXPECT_EQ(small["placement"], "all_on_card");
    EXPECT_EQ(small["can_be_made"], true);
    EXPECT_TRUE(recommended("3").is_null());

    const Finished text = shell(ask + " --card-memory 24");
    EXPECT_EQ(text.code, 0) << text.err;
    for (const char* part : {"recommendation (speeds are estimates)", "a card of 24 GiB", "reads 900 GB/s (assumed)",
                             "  * int4-32           fits entirely: ", "bf16 (as it is)", "tokens a pass are assumed"})
        EXPECT_NE(text.out.find(part), std::string::npos) << part << " in " << text.out;
    EXPECT_EQ(shell(kCli + " info " + model).out.find("recommendation"), std::string::npos);
    expectOneErrorLine(shell(kCli + " info " + kDemo + " --card-memory 24"), 2, "--recommend");
    expectOneErrorLine(shell(kCli + " info " + kDemo + " --recommend --bandwidth 900"), 2, "--card-memory");
    expectOneErrorLine(shell(kCli + " info " + kDemo + " --recommend --card-memory 0"), 2, "--card-memory");
}

TEST(Environment, NeedsNoDisplayHomeOrPath) {
    const Finished bare = shell("cd / && env -i " + kCli + " generate " + kDemo + " --device cpu --prompt 'What is 347 + 586?'");
    EXPECT_EQ(bare.code, 0) << bare.err;
    EXPECT_NE(bare.out.find("933"), std::string::npos);
    for (const char* home : {"''", "/", "/nonexistent", "relative"})
        EXPECT_EQ(shell("env -i HOME=" + std::string(home) + " " + kCli + " info " + kDemo).code, 0) << home;
}

TEST(Environment, ClosedPipesEndQuietly) {
    const Finished pipe = shell(kCli + " generate " + kDemo + " --device cpu --prompt 'Count from 1 to 40.' | head -c1");
    EXPECT_EQ(pipe.out, "1");
    EXPECT_EQ(pipe.err, "");
    const Finished closed = shell(kCli + " info " + kDemo + " >&-");
    EXPECT_EQ(closed.code, 1);
    const Finished full = shell(kCli + " info " + kDemo + " >/dev/full");
    EXPECT_EQ(full.code, 1);
}

TEST(Signals, LeaveWholeJsonOrNothing) {
    for (const char* signal : {"INT", "TERM"}) {
        const Finished run =
            shell("timeout -s " + std::string(signal) + " 0.25 " + kCli + " generate " + kDemo +
                  " --device cpu --threads 1 --prompt 'Count from 1 to 40.' --set threshold=1 --set block_size=1 "
                  "--set dllm_length_penalty=0 --set max_new_tokens=4000 --json");
        if (run.out.empty()) continue;
        const Json json = Json::parse(run.out, nullptr, false);
        ASSERT_TRUE(json.is_object()) << run.out;
        EXPECT_TRUE(json["stop_reason"] == "cancelled" || json["stop_reason"] == "end") << json["stop_reason"];
    }
}

#ifdef TREFOIL_APP
const std::string kApp = std::string("'") + TREFOIL_APP + "'";

TEST(Window, AnswersHelpAndVersionWithoutADisplay) {
    const std::string bare = "env -u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM ";
    for (const char* option : {"--help", "--version", "-h"}) {
        const Finished run = shell(bare + kApp + " " + option);
        EXPECT_EQ(run.code, 0) << option;
        EXPECT_NE(run.out.find("trefoil"), std::string::npos);
    }
    EXPECT_EQ(shell(bare + kApp + " --help >&-").code, 1);
}

TEST(Window, SaysThatThereIsNoDisplay) {
    for (const char* environment :
         {"-u DISPLAY -u WAYLAND_DISPLAY -u QT_QPA_PLATFORM", "-u WAYLAND_DISPLAY -u QT_QPA_PLATFORM DISPLAY=:77",
          "-u DISPLAY -u WAYLAND_DISPLAY QT_QPA_PLATFORM=nonsense"}) {
        // -session: a session manager that starts the last session's programs again.
        for (const char* arguments : {"", "--model /tmp", "-session 10a_1796290669_1"}) {
            const Finished run = shell("env " + std::string(environment) + " " + kApp + " " + arguments);
            EXPECT_EQ(run.code, 1) << environment << run.err;
            EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
            EXPECT_NE(run.err.find("trefoil-cli"), std::string::npos) << run.err;
        }
    }
}

TEST(Window, SaysThatThereIsNoFont) {
    const ScratchFolder home;
    const std::string fonts = (home.path() / "fonts.conf").string();
    std::ofstream(fonts) << "<?xml version=\"1.0\"?><fontconfig><dir>/nonexistent</dir></fontconfig>\n";
    // Ended after 20 seconds if it starts all the same.
    const Finished run = shell("env HOME='" + home.path().string() + "' QT_QPA_PLATFORM=offscreen FONTCONFIG_FILE='" + fonts +
                               "' timeout 20 " + kApp);
    EXPECT_EQ(run.code, 1) << run.err;
    EXPECT_NE(run.err.find("there is no font"), std::string::npos) << run.err;
}

TEST(Window, OpensTheFolderOfItsArguments) {
    for (const char* option : {"", "--model "}) {
        const ScratchFolder home;
        // A copy, so that it is neither the demo model beside the program nor one that was used before.
        std::filesystem::copy(std::string(TREFOIL_SOURCE_DIR) + "/resources/demo-model", home.path() / "mine");
        const std::string mine = (home.path() / "mine").string();
        const std::string log = (home.path() / ".local/share/trefoil/trefoil.log").string();
        // Ends it as soon as a model is loaded, after 20 seconds in any case.
        std::string command = "env -u XDG_DATA_HOME -u XDG_CONFIG_HOME QT_QPA_PLATFORM=offscreen HOME='";
        command += home.path().string() + "' " + kApp + " --device cpu " + option + "'" + mine + "' & p=$!; ";
        command += "for i in $(seq 200); do grep -qs ' loaded ' '" + log + "' && break; sleep 0.1; done; kill -TERM $p; wait $p";
        const Finished run = shell(command);
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_NE(readFile(log).find(" loaded " + mine + " on "), std::string::npos) << readFile(log);
    }
}

TEST(Window, LogsWhyAModelWasNotLoaded) {
    const ScratchFolder home;
    const std::string model = (home.path() / "model").string();
    std::filesystem::copy(std::string(TREFOIL_SOURCE_DIR) + "/resources/demo-model", model);
    std::filesystem::resize_file(model + "/model.safetensors", std::filesystem::file_size(model + "/model.safetensors") - 1);
    const std::string log = (home.path() / ".local/share/trefoil/trefoil.log").string();
    std::string command = "env -u XDG_DATA_HOME -u XDG_CONFIG_HOME QT_QPA_PLATFORM=offscreen HOME='";
    command += home.path().string() + "' " + kApp + " --device cpu --model '" + model + "' & p=$!; ";
    command += "for i in $(seq 200); do grep -qs ' not loaded' '" + log + "' && break; sleep 0.1; done; kill -TERM $p; wait $p";
    const Finished run = shell(command);
    EXPECT_EQ(run.code, 0) << run.err;
    const std::string said = readFile(log);
    EXPECT_NE(said.find(" not loaded: " + model + ": "), std::string::npos) << said;
    EXPECT_NE(said.find("model.safetensors: its header needs"), std::string::npos) << said;
}

TEST(Window, RefusesUnknownArguments) {
    const Finished run = shell(kApp + " --frobnicate");
    EXPECT_EQ(run.code, 2);
    EXPECT_NE(run.err.find("--frobnicate"), std::string::npos);
    EXPECT_EQ(shell(kApp + " --threads many").code, 2);
}
#endif

TEST(TrefoilCli, DamagedGpuPluginIsNamedAndTheCpuGoesOn) {
    const ScratchFolder folder;
    const auto bin = folder.path() / "bin";
    const auto lib = folder.path() / "lib" / "trefoil";
    std::filesystem::create_directories(bin);
    std::filesystem::create_directories(lib);
    std::filesystem::copy_file(TREFOIL_CLI, bin / "trefoil-cli");
    const std::string whole = readFile(TREFOIL_CLI);
    const auto info = [&](const std::string& plugin) {
        std::ofstream(lib / "libtrefoil_cuda.so", std::ios::binary) << plugin;
        std::string command = "'";
        command += (bin / "trefoil-cli").string();
        command += "' info " TREFOIL_SOURCE_DIR "/resources/demo-model";
        return shell(command);
    };
    for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{64}, whole.size() / 2, whole.size() - 1}) {
        const Finished run = info(whole.substr(0, size));
        EXPECT_EQ(run.code, 0) << size;
        EXPECT_NE(run.out.find("install it again"), std::string::npos) << size << run.out << run.err;
    }
    EXPECT_NE(info(std::string(100000, 'x')).out.find("it is not a shared library"), std::string::npos);
    EXPECT_NE(info(whole).out.find("cannot be opened"), std::string::npos);  // a program, not a library
}

}  // namespace
