// Checkpoints good and broken as a person meets them on the command line: faults that others' programs had with loading.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"
#include "tests/support/says.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using trefoil::test::CheckpointMaker;
using trefoil::test::cli;
using trefoil::test::Finished;
using trefoil::test::holds;
using trefoil::test::kDemo;
using trefoil::test::kTiny;
using trefoil::test::quoted;
using trefoil::test::ScratchFolder;
using trefoil::test::shell;
using trefoil::test::TensorData;
using trefoil::test::writeFile;

const fs::path kSource = TREFOIL_SOURCE_DIR;

Finished info(const fs::path& folder) { return shell(cli("info", folder)); }
Finished generate(const fs::path& folder) {
    return shell(cli("generate", folder) + " --device cpu --threads 2 --prompt 'What is 347 + 586?' --json");
}
Finished verify(const fs::path& folder, const fs::path& golden, const std::string& more = "") {
    return shell(cli("verify", folder) + " " + quoted(golden) + " --device cpu --threads 2 " + more);
}

json responseOf(const Finished& run) {
    EXPECT_EQ(run.code, 0) << run.err;
    const json parsed = json::parse(run.out, nullptr, false);
    return parsed.is_object() ? parsed["response_ids"] : json();
}

/// Refused by `info` and `generate`, before any pass, with one line that is the same every time and holds all parts.
void expectRefused(const fs::path& folder, std::initializer_list<std::string> parts, int times = 1) {
    const Finished first = info(folder);
    EXPECT_EQ(first.code, 1);
    EXPECT_EQ(first.out, "");
    EXPECT_EQ(std::count(first.err.begin(), first.err.end(), '\n'), 1) << first.err;
    for (const std::string& part : parts) EXPECT_TRUE(holds(first.err, part));
    for (int i = 0; i < times; ++i) {
        const Finished again = generate(folder);
        EXPECT_EQ(again.code, 1);
        EXPECT_EQ(again.out, "");
        EXPECT_EQ(again.err, first.err);
        EXPECT_EQ(info(folder).err, first.err);
    }
}

/// The demo model's own answer.
const json& demoResponse() {
    static const json response = responseOf(generate(kDemo));
    return response;
}

TEST(Loading, ShardsOfAnotherLengthThanTheirHeaderSays) {
    const ScratchFolder folder;
    const auto names = CheckpointMaker(kDemo).writeShards(folder.path(), 2);
    EXPECT_EQ(responseOf(generate(folder.path())), demoResponse());
    const fs::path second = folder / names[1];
    const std::uintmax_t whole = fs::file_size(second);
    fs::resize_file(second, whole - 4096);
    expectRefused(folder.path(), {names[1], std::to_string(whole), std::to_string(whole - 4096)}, 5);
    fs::resize_file(second, whole + 16);
    expectRefused(folder.path(), {names[1], std::to_string(whole), std::to_string(whole + 16)}, 5);
}

TEST(Loading, EmptyTensors) {
    const ScratchFolder folder;
    CheckpointMaker maker(kDemo);
    maker.tensors.push_back({"mtp.marker", "F32", {0}, ""});
    maker.writeSingle(folder.path());
    const Finished good = generate(folder.path());
    EXPECT_EQ(responseOf(good), demoResponse());
    EXPECT_EQ(good.err, "note: 1 tensor is not needed and ignored: mtp.marker\n");
    maker.tensors.back().shape = {1};
    maker.writeSingle(folder.path());
    expectRefused(folder.path(), {"mtp.marker is F32 [1]: 4 bytes expected, its offsets give 0 bytes"});
    maker.tensors.pop_back();
    TensorData& norm = maker.tensor("model.norm.weight");
    norm.shape = {0};
    maker.writeSingle(folder.path());
    expectRefused(folder.path(), {"model.norm.weight is BF16 [0]: 0 bytes expected, its offsets give 512 bytes"});
    norm = {"model.norm.weight", "F32", {INT64_C(1) << 40, INT64_C(1) << 40}, "1234"};
    maker.writeSingle(folder.path());
    expectRefused(folder.path(), {"model.norm.weight", "[1099511627776, 1099511627776]", "give 4 bytes"});
}

TEST(Loading, IndexAndShardsThatDisagree) {
    const ScratchFolder folder;
    CheckpointMaker maker(kDemo);
    const auto names = maker.writeShards(folder.path(), 3);
    const fs::path index = folder / "model.safetensors.index.json";
    const json listed = json::parse(trefoil::test::readFile(index));

    CheckpointMaker stray(kDemo);
    for (TensorData& t : stray.tensors) t.bytes.assign(t.bytes.size(), '0');
    writeFile(folder / "model.safetensors", trefoil::test::safetensorsBytes(stray.tensors));
    const Finished both = generate(folder.path());
    EXPECT_EQ(responseOf(both), demoResponse());
    EXPECT_TRUE(holds(both.err, "not part of the model and not used: model.safetensors"));
    EXPECT_TRUE(holds(info(folder.path()).out, "note: not part of the model and not used: model.safetensors"));
    fs::remove(folder / "model.safetensors");

    json changed = listed;
    changed["weight_map"].erase("model.norm.weight");
    writeFile(index, changed.dump());
    expectRefused(folder.path(), {"holds 1 tensor that the index does not place there: model.norm.weight"});
    changed = listed;
    changed["weight_map"]["model.extra.weight"] = names[1];
    writeFile(index, changed.dump());
    expectRefused(folder.path(), {"places 1 tensor in " + names[1] + ", which lacks them: model.extra.weight"});
    writeFile(index, listed.dump());
    fs::remove(folder / names[1]);
    expectRefused(folder.path(), {names[1], "(tensors of the first: model.layers.", " more)"});
}

TEST(Loading, OneTensorPerExpert) {
    const ScratchFolder folder;
    CheckpointMaker maker(kDemo);
    for (std::int64_t layer = 1; layer < 8; ++layer) maker.splitExperts(layer);
    maker.writeSingle(folder.path());
    EXPECT_EQ(responseOf(generate(folder.path())), demoResponse());
    maker.splitExperts(0);
    maker.writeSingle(folder.path());
    EXPECT_EQ(responseOf(generate(folder.path())), demoResponse());
    maker.remove("model.layers.5.mlp.experts.7.down_proj.weight");
    maker.writeSingle(folder.path());
    expectRefused(folder.path(), {"1 tensor is missing: model.layers.5.mlp.experts.7.down_proj.weight [256, 96]"});
}

TEST(Loading, ExpertsStoredTransposed) {
    const ScratchFolder folder;
    CheckpointMaker maker(kDemo);
    for (int layer = 0; layer < 8; ++layer)
        maker.transpose("model.layers." + std::to_string(layer) + ".mlp.experts.gate_up_proj");
    maker.writeSingle(folder.path());
    expectRefused(folder.path(), {"model.layers.0.mlp.experts.gate_up_proj is BF16 [16, 256, 192]", "expected [16, 192, 256]",
                                  "(stored transposed)"});
    // Of tiny, 2·I equals D: the shape of gate_up_proj cannot tell, so that info says what was assumed, and down_proj is refused.
    EXPECT_TRUE(holds(info(kTiny).out, "square per expert (2·I = D = 64): assumed to be [E, 2·I, D], gate rows before up rows"));
    CheckpointMaker square(kTiny);
    square.transpose("model.layers.2.mlp.experts.gate_up_proj");
    square.transpose("model.layers.2.mlp.experts.down_proj");
    square.writeSingle(folder.path());
    expectRefused(folder.path(), {"experts.down_proj is BF16 [8, 32, 64]", "expected [8, 64, 32]"});
}

class RopeTest : public ::testing::Test {
protected:
    RopeTest() : m_maker(kDemo) { m_maker.config.erase("rope_theta"); }

    json& config() { return m_maker.config; }
    /// Exit code of verify on the first of the demo model's golden runs.
    int verified() {
        write();
        const json all = json::parse(trefoil::test::readFile(kSource / "tests/golden/demo/traces.json"));
        const ScratchFolder traces;
        writeFile(traces / "traces.json", json::array({all[0], all[1], all[2]}).dump());
        return verify(m_folder.path(), traces / "traces.json").code;
    }
    std::string infoText() {
        write();
        return info(m_folder.path()).out;
    }
    const fs::path& folder() { return m_folder.path(); }
    void write() { m_maker.writeSingle(m_folder.path()); }

private:
    ScratchFolder m_folder;
    CheckpointMaker m_maker;
};

TEST_F(RopeTest, ThetaInRopeParametersOnly) {
    config()["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 100000.0}, {"partial_rotary_factor", 0.25}};
    config().erase("partial_rotary_factor");
    EXPECT_EQ(verified(), 0);
    EXPECT_TRUE(holds(infoText(), "rope_theta = 100000.0\n"));
}

TEST_F(RopeTest, ThetaAtTheTopOnly) {
    config()["rope_theta"] = 100000.0;
    EXPECT_EQ(verified(), 0);
}

TEST_F(RopeTest, ThetaInBothWithDifferentValues) {
    config()["rope_theta"] = 10000.0;
    config()["rope_parameters"] = {{"rope_theta", 100000.0}};
    EXPECT_EQ(verified(), 0);
    EXPECT_TRUE(holds(infoText(), "note: rope_theta: rope_parameters says 100000.0, elsewhere it is 10000.0; 100000.0 is used"));
}

TEST_F(RopeTest, ThetaPerKindOfLayer) {
    config()["rope_parameters"] = {{"full_attention", {{"rope_type", "default"}, {"rope_theta", 100000.0}}},
                                   {"linear_attention", {{"rope_type", "default"}, {"rope_theta", 5.0}}}};
    EXPECT_EQ(verified(), 0);
    EXPECT_TRUE(holds(infoText(), "rope_parameters are given per kind of layer: those of full_attention are used"));
}

TEST_F(RopeTest, ScaledPositionsAreRefused) {
    config()["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 4.0}, {"rope_theta", 100000.0}};
    write();
    expectRefused(folder(), {"rope_parameters.rope_type", "yarn", "is not supported"});
    config()["rope_parameters"] = {{"full_attention", {{"rope_type", "yarn"}, {"factor", 4.0}}}};
    write();
    expectRefused(folder(), {"rope_parameters.full_attention.rope_type", "yarn", "is not supported"});
}

TEST_F(RopeTest, ThetaNowhereIsAssumedAndSaid) {
    EXPECT_TRUE(holds(infoText(), "note: rope_theta is not given: 10000000 is assumed"));
    EXPECT_EQ(verified(), 1) << "the demo model's is another one, so that the runs must differ";
}

TEST(Switches, AreShownSetAndRefused) {
    const json shown = json::parse(shell(cli("info", kTiny) + " --json --switch noisy_value=scaled_by_beta").out);
    ASSERT_EQ(shown["switches"].size(), 6U);
    for (const json& s : shown["switches"]) {
        const bool set = s["name"] == "noisy_value";
        EXPECT_EQ(s["origin"], set ? "command line" : "default");
        EXPECT_EQ(s["value"], s["choices"][set ? 1 : 0]);
        EXPECT_GT(s["explanation"].get<std::string>().size(), 40U);
    }
    const fs::path golden = kSource / "tests/golden/switched/noisy_value";
    const Finished without = verify(kTiny, golden);
    EXPECT_EQ(without.code, 1);
    EXPECT_TRUE(holds(without.out, "first difference: noisy.layer.0 (Gated DeltaNet, then experts) differs by "));
    EXPECT_TRUE(holds(without.out, "; causal.logits just before it agrees ("));
    EXPECT_EQ(verify(kTiny, golden, "--switch noisy_value=scaled_by_beta").code, 0);
    for (const char* bad : {"noisy_value", "noisy_value=maybe", "nothing=plain"}) {
        const Finished refused = shell(cli("info", kTiny) + " --switch " + bad);
        EXPECT_EQ(refused.code, 2);
        EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    }
}

TEST(Verify, SaysWhatIsWrongWithTheGoldenFiles) {
    const ScratchFolder empty;
    const auto refused = [](const Finished& run, const std::string& part) {
        EXPECT_EQ(run.code, 1);
        EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
        EXPECT_TRUE(holds(run.err, part));
    };
    // Before the model is read: there is nothing on the standard output.
    const Finished nowhere = verify(kDemo, empty / "nowhere");
    refused(nowhere, "there is no file or folder " + (empty / "nowhere").string());
    EXPECT_EQ(nowhere.out, "");
    refused(verify(kDemo, empty.path()), "nothing to compare with in " + empty.path().string());
    // Files of another model are no wrong equation of this one.
    refused(verify(kDemo, kTiny), "golden.safetensors was recorded with another model: causal.layer.0 is [");
    EXPECT_TRUE(holds(shell(cli("verify", kDemo)).err, "GOLDEN is required; see trefoil-cli verify --help"));
}

TEST(Switches, AreFoundBySearching) {
    const Finished found = verify(kTiny, kSource / "tests/golden/switched/history_read+coreset_mass", "--search");
    EXPECT_EQ(found.code, 0) << found.out;
    EXPECT_TRUE(holds(found.out, "fits: history_read = scaled, coreset_mass = renormalised (12 compared, 0 failed)"));
    EXPECT_TRUE(holds(found.out, R"("trefoil": {"history_read": "scaled", "coreset_mass": "renormalised"})"));
    EXPECT_TRUE(holds(found.out, "\n1     0 of 12"));

    // What it says to add to config.json is what makes the model right.
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    maker.config["trefoil"] = {{"history_read", "scaled"}, {"coreset_mass", "renormalised"}};
    maker.writeSingle(folder.path());
    EXPECT_EQ(verify(folder.path(), kSource / "tests/golden/switched/history_read+coreset_mass").code, 0);
}

TEST(Switches, AreNotBlamedForOtherFaults) {
    const ScratchFolder folder;
    CheckpointMaker maker(kTiny);
    std::string& taps = maker.tensor("model.layers.2.linear_attn.conv1d.weight").bytes;
    std::fill(taps.begin(), taps.end(), '\0');
    maker.writeSingle(folder.path());
    const Finished found = verify(folder.path(), kTiny, "--search");
    EXPECT_EQ(found.code, 1);
    EXPECT_TRUE(holds(found.out, "nothing fits: none of these combinations agrees with the golden files. Closest: "));
    EXPECT_TRUE(holds(found.out, "first difference then: causal.layer.2 (Gated DeltaNet, then experts) differs by "));
    const Finished late = verify(folder.path(), kTiny, "--search --limit 0");
    EXPECT_EQ(late.code, 1);
    EXPECT_TRUE(holds(late.out, "stopped after 0 s: 1 of at least 7 combinations tried"));
}

}  // namespace
