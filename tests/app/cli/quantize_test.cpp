// quantize and compare-models as a person uses them: the demo model in FP8 and in 4 bits answers, also after kill -9 half-way.
#include "tests/app/cli/cli_runner.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"
#include "tests/support/says.h"

#include <gtest/gtest.h>

#include <algorithm>
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
using trefoil::test::readFile;
using trefoil::test::ScratchFolder;
using trefoil::test::shell;

Finished quantize(const fs::path& model, const fs::path& out, const std::string& options) {
    return shell(cli("quantize", model) + ' ' + quoted(out) + ' ' + options);
}

struct Form {
    const char* name;
    const char* options;
    const char* format;
    double agreement;  ///< least share of causal rows with the same likeliest token
};

class QuantizedDemo : public testing::TestWithParam<Form> {};

TEST_P(QuantizedDemo, AnswersTheQuestionOfTheReadmeInLessMemory) {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const Finished made = quantize(kDemo, out, GetParam().options);
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(holds(made.err, "\r")) << "progress";
    const Finished answer = shell(cli("generate", out) + " --device cpu --threads 2 --prompt 'What is 347 + 586?'");
    EXPECT_EQ(answer.code, 0) << answer.err;
    EXPECT_TRUE(holds(answer.out, "933")) << answer.out;
    const auto info = [](const fs::path& model) { return json::parse(shell(cli("info", model) + " --json").out); };
    const json small = info(out);
    EXPECT_TRUE(holds(small["format"], GetParam().format)) << small["format"];
    const auto weights = [](const json& i) { return i["devices"][0]["memory_plan"]["weights"].get<std::uint64_t>(); };
    EXPECT_LT(weights(small), weights(info(kDemo)) * 2 / 3);
    const Finished compared = shell(cli("compare-models", kDemo) + ' ' + quoted(out) + " --tasks 4 --threads 2 --json");
    ASSERT_EQ(compared.code, 0) << compared.err;
    const json result = json::parse(compared.out);
    EXPECT_GE(result["causal"]["top1_agreement"].get<double>(), GetParam().agreement);
    EXPECT_EQ(result["tasks"]["stay_right"], result["tasks"]["right_a"]);
    const Finished again = quantize(kDemo, out, GetParam().options);
    EXPECT_EQ(again.code, 2);
    EXPECT_TRUE(holds(again.err, "complete model already")) << again.err;
}

TEST(Calibrate, WeighsTheScalesOfFourBits) {
    const ScratchFolder folder;
    const fs::path text = folder / "text.txt";
    trefoil::test::writeFile(text,
                             "What is 347 + 586? The threshold says from which confidence on a position is kept. Count from 1 "
                             "to 40, then say how water is called in Japanese, and what your name is.");
    const fs::path importance = folder / "importance.safetensors";
    const std::string calibrate =
        cli("calibrate", kDemo) + " --threads 2 --text " + quoted(text) + " --out " + quoted(importance);
    const Finished made = shell(calibrate);
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_TRUE(holds(made.out, "importance.safetensors: "));
    const Finished twice = shell(calibrate);
    EXPECT_EQ(twice.code, 2);
    EXPECT_TRUE(holds(twice.err, "is there already"));
    const Finished weighted = quantize(kDemo, folder / "out", "--format int4 --importance " + quoted(importance));
    ASSERT_EQ(weighted.code, 0) << weighted.err;
    ASSERT_EQ(quantize(kDemo, folder / "plain", "--format int4").code, 0);
    EXPECT_NE(readFile(folder / "out" / "model-00001-of-00001.safetensors"),
              readFile(folder / "plain" / "model-00001-of-00001.safetensors"));
    const Finished answer = shell(cli("generate", folder / "out") + " --device cpu --threads 2 --prompt 'What is 347 + 586?'");
    EXPECT_TRUE(holds(answer.out, "933")) << answer.err;
    const Finished fp8 = quantize(kDemo, folder / "fp8", "--format fp8 --importance " + quoted(importance));
    EXPECT_EQ(fp8.code, 2);
    EXPECT_TRUE(holds(fp8.err, "--importance belongs to --format int4"));
    const Finished other = quantize(kTiny, folder / "tiny", "--format int4 --importance " + quoted(importance));
    EXPECT_EQ(other.code, 1);
    EXPECT_TRUE(holds(other.err, "of another model"));
    EXPECT_FALSE(fs::exists(folder / "tiny"));
}

INSTANTIATE_TEST_SUITE_P(Formats, QuantizedDemo,
                         testing::Values(Form{"fp8", "--format fp8", "FP8 in blocks of 128", 0.99},
                                         Form{"int4", "--format int4", "4 bits in groups of 32", 0.95},
                                         Form{"int4of128", "--format int4 --group 128", "4 bits in groups of 128", 0.95}),
                         [](const testing::TestParamInfo<Form>& form) { return std::string(form.param.name); });

TEST(Quantize, GoesOnAfterKill) {
    const ScratchFolder folder;
    // Wherever the signal falls, the same command then leaves the same files.
    shell("timeout -s KILL 0.3 " + cli("quantize", kDemo) + ' ' + quoted(folder / "killed") + " --format int4");
    if (!fs::exists(folder / "killed" / "config.json")) {
        const Finished finished = quantize(kDemo, folder / "killed", "--format int4");
        EXPECT_EQ(finished.code, 0) << finished.err;
    }
    ASSERT_EQ(quantize(kDemo, folder / "whole", "--format int4").code, 0);
    for (const auto& entry : fs::directory_iterator(folder / "whole"))
        EXPECT_EQ(readFile(entry.path()), readFile(folder / "killed" / entry.path().filename())) << entry.path();
    for (const auto& entry : fs::directory_iterator(folder / "killed")) EXPECT_NE(entry.path().extension(), ".part");
}

TEST(Quantize, SaysWhichMatricesStayAndWhatItRefuses) {
    const ScratchFolder folder;
    const Finished wide = quantize(kDemo, folder / "wide", "--format int4 --group 128");
    EXPECT_TRUE(holds(wide.err, "rows of 96 columns hold no whole groups of 128")) << wide.err;
    const Finished twice = quantize(folder / "wide", folder / "twice", "--format fp8");
    EXPECT_EQ(twice.code, 2);
    EXPECT_TRUE(holds(twice.err, "quantised already")) << twice.err;
    EXPECT_EQ(quantize(kDemo, folder / "x", "--format gguf").code, 2);
    EXPECT_EQ(quantize(kDemo, folder / "x", "--format int4 --group 64").code, 2);
}

TEST(OtherFormats, AreRefusedByNameWithWhatWorks) {
    const auto refused = [](const json& quantization, const std::string& name) {
        const ScratchFolder folder;
        CheckpointMaker maker(kTiny);
        maker.config["quantization_config"] = quantization;
        maker.writeSingle(folder.path());
        const Finished info = shell(cli("info", folder.path()));
        EXPECT_EQ(info.code, 1);
        EXPECT_EQ(std::count(info.err.begin(), info.err.end(), '\n'), 1) << info.err;
        EXPECT_TRUE(holds(info.err, name)) << info.err;
        EXPECT_TRUE(holds(info.err, "trefoil-cli quantize makes both")) << info.err;
    };
    refused({{"quant_method", "gptq"}, {"bits", 4}}, "GPTQ");
    refused({{"quant_method", "awq"}, {"bits", 4}}, "AWQ");
    refused({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}, "NVFP4");
    refused({{"quant_method", "compressed-tensors"}, {"format", "nvfp4-pack-quantized"}}, "nvfp4-pack-quantized");
    refused({{"quant_method", "gguf"}}, "GGUF");
    const ScratchFolder folder;
    trefoil::test::writeFile(folder / "model-q4.gguf", "GGUF");
    const Finished gguf = shell(cli("info", folder.path()));
    EXPECT_EQ(gguf.code, 1);
    EXPECT_TRUE(holds(gguf.err, "GGUF files, which cannot be loaded: use the model's safetensors")) << gguf.err;
}

}  // namespace
