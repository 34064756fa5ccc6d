// Quantised checkpoints: the stored forms against golden values, quantization_config, whole models, and what is refused.
#include "engine/checkpoint/quantisation.h"

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/number_formats.h"
#include "engine/checkpoint/quantised_reader.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/runtime/devices.h"
#include "engine/session.h"
#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"
#include "tests/support/says.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace trefoil {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::CheckpointMaker;
using test::kTiny;
using test::says;
using test::ScratchFolder;
using test::TensorData;

const fs::path kCases = fs::path(TREFOIL_SOURCE_DIR) / "tests/golden/quantised/cases.safetensors";

// ---- single matrices -------------------------------------------------------------------------------------------------------

std::vector<std::byte> bytesOf(const SafetensorsFile& file, const std::string& name) {
    const SafetensorsEntry* entry = file.find(name);
    if (entry == nullptr) return {};
    std::vector<std::byte> out(static_cast<std::size_t>(entry->end - entry->begin));
    EXPECT_TRUE(file.read(*entry, out).ok());
    return out;
}

DType typeOf(const std::string& name) { return name == "BF16" ? DType::BF16 : name == "F16" ? DType::F16 : DType::F32; }

TensorSegment segmentOf(const SafetensorsFile& file, const std::string& name) {
    auto storage = std::make_shared<QuantisedStorage>();
    const bool fp8 = file.find(name + ".weight") != nullptr;
    const SafetensorsEntry* weights = file.find(name + (fp8 ? ".weight" : ".weight_packed"));
    const SafetensorsEntry* scales = file.find(name + (fp8 ? ".weight_scale_inv" : ".weight_scale"));
    const SafetensorsEntry* zeros = file.find(name + ".weight_zero_point");
    const SafetensorsEntry* expected = file.find(name + ".expected");
    const QuantisedFormat format = fp8 ? QuantisedFormat::Fp8Blocks : QuantisedFormat::Int4Groups;
    const std::int64_t columns = expected->shape[1];
    storage->form = {format, columns, fp8 ? kScaleBlock : columns / scales->shape[1], typeOf(scales->dtype), zeros != nullptr};
    storage->scales = {0, file.fileOffset(*scales)};
    if (zeros != nullptr) storage->zeroPoints = {0, file.fileOffset(*zeros)};
    storage->name = weights->name;
    return {0, file.fileOffset(*weights), typeOf(expected->dtype), expected->elements, storage};
}

class GoldenMatrix : public testing::TestWithParam<const char*> {};

TEST_P(GoldenMatrix, ReadsAsExpectedWholeAndInPieces) {
    const std::string name = GetParam();
    std::vector<SafetensorsFile> files;
    auto opened = SafetensorsFile::open(kCases);
    ASSERT_TRUE(opened.ok());
    files.push_back(*std::move(opened));
    const TensorSegment segment = segmentOf(files[0], name);
    const std::vector<std::byte> expected = bytesOf(files[0], name + ".expected");
    std::vector<std::byte> read(expected.size());
    ASSERT_TRUE(readQuantised(segment, files, 0, segment.elements, read).ok());
    EXPECT_TRUE(read == expected);
    const std::size_t size = dtypeSize(segment.dtype);
    const std::int64_t columns = segment.quantised->form.columns;
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1}, columns - 1, columns, columns + 3})
        for (const std::int64_t count : {std::int64_t{1}, columns - 1, columns, columns + 1, 2 * columns + 5}) {
            if (first + count > segment.elements) continue;
            std::vector<std::byte> piece(static_cast<std::size_t>(count) * size);
            ASSERT_TRUE(readQuantised(segment, files, first, count, piece).ok());
            const auto from = expected.begin() + first * static_cast<std::int64_t>(size);
            EXPECT_TRUE(std::equal(piece.begin(), piece.end(), from)) << first << " + " << count;
        }
}

INSTANTIATE_TEST_SUITE_P(Quantised, GoldenMatrix,
                         testing::Values("fp8_small", "fp8_edges", "fp8_whole", "int4_32", "int4_128", "int4_half", "int4_float",
                                         "int4_zeros"));

TEST(NumberFormats, Fp8CodesComeBack) {
    for (unsigned code = 0; code < 256; ++code) {
        const float value = fromFp8(static_cast<std::uint8_t>(code));
        if ((code & 127U) == 127U) {
            EXPECT_TRUE(std::isnan(value));
            continue;
        }
        EXPECT_EQ(toFp8(value), code);
    }
    EXPECT_EQ(fromFp8(0x38), 1.0F);
    EXPECT_EQ(fromFp8(0x7E), 448.0F);
    EXPECT_EQ(fromFp8(0x01), 0x1p-9F);
    EXPECT_EQ(toFp8(1e9F), 0x7E);
    EXPECT_EQ(toFp8(-1e9F), 0xFE);
}

TEST(NumberFormats, Fp8RoundsToTheNearestAndTiesToEven) {
    for (unsigned code = 0; code < 126; ++code) {
        const float low = fromFp8(static_cast<std::uint8_t>(code));
        const float high = fromFp8(static_cast<std::uint8_t>(code + 1));
        const float middle = (low + high) / 2;
        EXPECT_EQ(toFp8(middle), code + code % 2) << code;
        EXPECT_EQ(toFp8(std::nextafter(middle, 0.0F)), code);
        EXPECT_EQ(toFp8(std::nextafter(middle, 500.0F)), code + 1);
    }
}

TEST(NumberFormats, HalvesComeBack) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        if ((bits >> 10 & 31U) == 31U) continue;
        const auto half = static_cast<std::uint16_t>(bits);
        float value = 0;
        toFloat32(DType::F16, std::as_bytes(std::span(&half, 1)), std::span(&value, 1));
        ASSERT_EQ(toHalf(value), half);
    }
    EXPECT_EQ(toHalf(65520.0F), 0x7C00U);
    EXPECT_EQ(toHalf(1.0F + 0x1p-11F), 0x3C00U);  // a tie
    EXPECT_EQ(toHalf(1.0F + 3 * 0x1p-11F), 0x3C02U);
}

// ---- quantization_config -----------------------------------------------------------------------------------------------------

const json kFp8 = {{"quant_method", "fp8"}, {"fmt", "e4m3"}, {"activation_scheme", "dynamic"}, {"weight_block_size", {128, 128}}};

json int4Config(std::int64_t group, bool symmetric) {
    return {{"quant_method", "compressed-tensors"},
            {"format", "pack-quantized"},
            {"config_groups",
             {{"group_0",
               {{"targets", {"Linear"}},
                {"weights",
                 {{"num_bits", 4}, {"type", "int"}, {"strategy", "group"}, {"group_size", group}, {"symmetric", symmetric}}}}}}},
            {"ignore", {"lm_head"}}};
}

Result<Quantisation> parse(const json& quantization) {
    return parseQuantisation(json{{"quantization_config", quantization}}.dump(), "config.json");
}

TEST(QuantizationConfig, IsReadWhereverItStands) {
    EXPECT_EQ(parseQuantisation("{}", "config.json")->format, QuantisedFormat::None);
    EXPECT_EQ(parseQuantisation(R"({"quantization_config": null})", "config.json")->format, QuantisedFormat::None);
    EXPECT_EQ(parse(kFp8)->format, QuantisedFormat::Fp8Blocks);
    const json nested = {{"text_config", {{"quantization_config", kFp8}}}};
    EXPECT_EQ(parseQuantisation(nested.dump(), "config.json")->format, QuantisedFormat::Fp8Blocks);
    const json older = {{"compression_config", int4Config(32, true)}};
    const auto int4 = parseQuantisation(older.dump(), "config.json");
    ASSERT_TRUE(int4.ok()) << int4.error().text();
    EXPECT_EQ(int4->format, QuantisedFormat::Int4Groups);
    EXPECT_EQ(int4->groups.at(0).size, 32);
}

TEST(QuantizationConfig, RefusesOtherFormatsByName) {
    const auto refused = [](const json& config, std::initializer_list<std::string_view> parts) {
        const auto result = parse(config);
        ASSERT_FALSE(result.ok()) << config.dump();
        EXPECT_EQ(result.error().kind, ErrorKind::Unsupported);
        EXPECT_TRUE(says(result.error(), parts));
        EXPECT_TRUE(says(result.error(), {"config.json", "BF16", "blocks of 128", "pack-quantized", "trefoil-cli quantize"}));
    };
    refused({{"quant_method", "gptq"}, {"bits", 4}}, {"GPTQ"});
    refused({{"quant_method", "AWQ"}}, {"AWQ"});
    refused({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}, {"NVFP4"});
    refused({{"quant_method", "mxfp4"}}, {"MXFP4"});
    refused({{"quant_method", "gguf"}}, {"GGUF"});
    refused({{"quant_method", "bitsandbytes"}}, {"bitsandbytes"});
    refused({{"quant_method", "something_new"}}, {"something_new"});
    for (const char* format : {"nvfp4-pack-quantized", "float-quantized", "int-quantized", "marlin-24", "mixed-precision"}) {
        json config = int4Config(32, true);
        config["format"] = format;
        refused(config, {format});
    }
    const auto changed = [](json config, const char* pointer, const json& value) {
        config[json::json_pointer(pointer)] = value;
        return config;
    };
    refused(changed(kFp8, "/weight_block_size", {64, 64}), {"weight_block_size [64,64]"});
    refused(changed(kFp8, "/weight_block_size", nullptr), {"weight_block_size missing"});
    refused(changed(kFp8, "/fmt", "e5m2"), {"e5m2"});
    refused(changed(kFp8, "/activation_scheme", "static"), {"activations"});
    const std::string weights = "/config_groups/group_0/weights/";
    refused(changed(int4Config(32, true), (weights + "num_bits").c_str(), 8), {"num_bits 8"});
    refused(changed(int4Config(32, true), (weights + "type").c_str(), "float"), {"float"});
    refused(changed(int4Config(32, true), (weights + "strategy").c_str(), "channel"), {"strategy channel"});
    refused(changed(int4Config(32, true), "/config_groups/group_0/input_activations", {{"num_bits", 8}}), {"input_activations"});
    refused(changed(int4Config(32, true), "/sparsity_config", {{"format", "sparse-24-bitmask"}}), {"sparse-24-bitmask"});
}

TEST(QuantizationConfig, NamesWhatIsBroken) {
    const auto broken = [](const json& config, std::string_view part) {
        const auto result = parse(config);
        ASSERT_FALSE(result.ok()) << config.dump();
        EXPECT_EQ(result.error().kind, ErrorKind::Format);
        EXPECT_TRUE(says(result.error(), {part}));
    };
    broken(json::object(), "quant_method");
    json config = int4Config(32, true);
    config["config_groups"]["group_0"]["weights"]["group_size"] = 0;
    broken(config, "group_size 0");
    config = int4Config(32, true);
    config["ignore"] = {"re:.*("};
    broken(config, "re:.*(");
    config["ignore"] = {3};
    broken(config, "ignore");
    config = int4Config(32, true);
    config["config_groups"] = json::object();
    broken(config, "config_groups");
    config = int4Config(32, true);
    config["config_groups"]["group_0"]["targets"] = json::array();
    broken(config, "targets");
    EXPECT_FALSE(parseQuantisation(R"({"quantization_config": 3})", "config.json").ok());
}

TEST(QuantizationConfig, PatternsMatchAsInTheLibrary) {
    json config = int4Config(32, true);
    config["ignore"] = {"lm_head", "re:model\\.layers\\.[0-3]\\.mlp\\.gate$", "re:.*shared_expert_gate"};
    config["config_groups"]["group_1"] = config["config_groups"]["group_0"];
    config["config_groups"]["group_1"]["targets"] = {"re:.*down_proj"};
    config["config_groups"]["group_1"]["weights"]["group_size"] = 128;
    const auto parsed = parse(config);
    ASSERT_TRUE(parsed.ok()) << parsed.error().text();
    const auto keeps = [&](std::string_view module) { return *parsed->keeps(module); };
    EXPECT_TRUE(keeps("lm_head"));
    EXPECT_FALSE(keeps("lm_head.more"));
    EXPECT_TRUE(keeps("model.layers.2.mlp.gate"));
    EXPECT_FALSE(keeps("model.layers.2.mlp.gate_proj"));
    EXPECT_FALSE(keeps("model.layers.7.mlp.gate"));
    EXPECT_FALSE(keeps("x.model.layers.2.mlp.gate"));  // an expression begins where the name does
    EXPECT_TRUE(keeps("model.layers.2.mlp.shared_expert_gate"));
    EXPECT_EQ((*parsed->groupOf("model.layers.0.mlp.shared_expert.down_proj"))->size, 128);
    EXPECT_EQ((*parsed->groupOf("model.layers.0.mlp.shared_expert.up_proj"))->size, 32);
    const auto fp8 = parse({{"quant_method", "fp8"},
                            {"weight_block_size", {128, 128}},
                            {"modules_to_not_convert", {"lm_head", "model.layers.0.mlp.gate", "model.layers.1"}}});
    ASSERT_TRUE(fp8.ok());
    EXPECT_TRUE(*fp8->keeps("lm_head"));
    EXPECT_TRUE(*fp8->keeps("model.layers.0.mlp.gate"));
    EXPECT_FALSE(*fp8->keeps("model.layers.0.mlp.gate_proj"));
    EXPECT_TRUE(*fp8->keeps("model.layers.1.mlp.experts.3.gate_proj"));
    EXPECT_FALSE(*fp8->keeps("model.layers.10.mlp.gate_proj"));
}

TEST(QuantizationConfig, AnEndlessExpressionIsRefused) {
    json config = int4Config(32, true);
    config["ignore"] = {"re:(.+)+(.+)+(.+)+(.+)+x$"};
    const auto parsed = parse(config);
    ASSERT_TRUE(parsed.ok());
    const auto kept = parsed->keeps("model.layers.0.mlp.experts.3.gate_proj.and.so.on.and.so.on");
    ASSERT_FALSE(kept.ok());
    EXPECT_TRUE(says(kept.error(), {"too many steps"}));
}

// ---- whole models ------------------------------------------------------------------------------------------------------------

template <class T>
std::string bytesOf(const std::vector<T>& values) {
    std::string out(values.size() * sizeof(T), '\0');
    std::memcpy(out.data(), values.data(), out.size());
    return out;
}

/// Replaces a matrix by FP8 codes of its values, with the scale 1/64 everywhere.
void makeFp8(CheckpointMaker& maker, const std::string& name) {
    TensorData& t = maker.tensor(name);
    const std::size_t count = t.bytes.size() / 2;
    std::vector<float> values(count);
    toFloat32(DType::BF16, std::as_bytes(std::span(t.bytes)), values);
    std::string codes;
    for (const float v : values) codes += static_cast<char>(toFp8(v * 64));
    t.dtype = "F8_E4M3";
    t.bytes = codes;
    std::vector<std::int64_t> shape = t.shape;
    std::size_t scales = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i + 2 >= shape.size()) shape[i] = (shape[i] + 127) / 128;
        scales *= static_cast<std::size_t>(shape[i]);
    }
    maker.tensors.push_back({name + "_scale_inv", "F32", shape, bytesOf(std::vector<float>(scales, 1.0F / 64))});
}

/// Replaces NAME.weight by 4-bit groups of 32 with BF16 scales; all words are `word`.
void makeInt4(CheckpointMaker& maker, const std::string& module, std::int64_t group, bool zeros, std::uint32_t word) {
    const std::vector<std::int64_t> shape = maker.tensor(module + ".weight").shape;
    maker.remove(module + ".weight");
    const auto rows = static_cast<std::size_t>(shape[0]);
    const auto columns = static_cast<std::size_t>(shape[1]);
    const std::int64_t groups = shape[1] / group;
    const std::size_t scales = rows * static_cast<std::size_t>(groups);
    maker.tensors.push_back({module + ".weight_packed",
                             "I32",
                             {shape[0], (shape[1] + 7) / 8},
                             bytesOf(std::vector<std::uint32_t>(rows * ((columns + 7) / 8), word))});
    maker.tensors.push_back(
        {module + ".weight_scale", "BF16", {shape[0], groups}, bytesOf(std::vector<std::uint16_t>(scales, toBrain(0.0625F)))});
    maker.tensors.push_back({module + ".weight_shape", "I64", {2}, bytesOf(shape)});
    if (!zeros) return;
    const std::int64_t zeroRows = (shape[0] + 7) / 8;
    maker.tensors.push_back({module + ".weight_zero_point",
                             "I32",
                             {zeroRows, groups},
                             bytesOf(std::vector<std::uint32_t>(static_cast<std::size_t>(zeroRows * groups), 0x11111111U))});
}

constexpr const char* kProjection = "model.layers.0.linear_attn.in_proj_qkv";
constexpr const char* kFused = "model.layers.0.mlp.experts.gate_up_proj";

std::vector<float> valuesOf(const Checkpoint& checkpoint, const std::string& name) {
    const TensorInfo* info = checkpoint.find(name);
    if (info == nullptr) return {};
    std::vector<std::byte> bytes(info->bytes());
    EXPECT_TRUE(checkpoint.read(*info, 0, info->elements, bytes).ok());
    std::vector<float> out(static_cast<std::size_t>(info->elements));
    toFloat32(info->dtype, bytes, out);
    return out;
}

TEST(QuantisedModel, Fp8IsReadFusedAndPerExpert) {
    const auto plain = Checkpoint::open(kTiny);
    ASSERT_TRUE(plain.ok());
    for (const bool split : {false, true}) {
        const ScratchFolder scratch;
        CheckpointMaker maker(kTiny);
        maker.config["quantization_config"] = kFp8;
        if (split) maker.splitExperts();
        std::vector<std::string> names;
        for (const TensorData& t : maker.tensors)
            if (t.name.find(split ? ".experts." : "gate_up_proj") != std::string::npos ||
                t.name == kProjection + std::string(".weight"))
                names.push_back(t.name);
        for (const std::string& name : names) makeFp8(maker, name);
        maker.writeSingle(scratch.path());
        const auto opened = Checkpoint::open(scratch.path());
        ASSERT_TRUE(opened.ok()) << opened.error().text();
        EXPECT_TRUE(opened->summary().quantised);
        EXPECT_EQ(opened->summary().format.rfind("FP8 in blocks of 128 × 128 (", 0), 0U) << opened->summary().format;
        EXPECT_EQ(opened->summary().parameters, plain->summary().parameters);
        EXPECT_LT(opened->summary().weightBytes, plain->summary().weightBytes);
        for (const std::string& name : {std::string(kFused), kProjection + std::string(".weight")}) {
            EXPECT_EQ(opened->find(name)->dtype, DType::BF16);
            const std::vector<float> before = valuesOf(*plain, name);
            const std::vector<float> after = valuesOf(*opened, name);
            ASSERT_EQ(before.size(), after.size());
            for (std::size_t i = 0; i < before.size(); ++i)
                ASSERT_EQ(after[i], fromFp8(toFp8(before[i] * 64)) / 64) << name << " " << i;
        }
    }
}

TEST(QuantisedModel, FourBitsAreReadPerExpert) {
    const ScratchFolder scratch;
    CheckpointMaker maker(kTiny);
    maker.config["quantization_config"] = int4Config(16, false);
    maker.splitExperts();
    makeInt4(maker, kProjection, 16, true, 0x9ABCDEF1U);
    makeInt4(maker, "model.layers.0.mlp.experts.1.up_proj", 16, true, 0x9ABCDEF1U);
    maker.writeShards(scratch.path(), 2);
    const auto opened = Checkpoint::open(scratch.path());
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    EXPECT_EQ(opened->summary().format.rfind("4 bits in groups of 16 with zero points (", 0), 0U) << opened->summary().format;
    const std::vector<float> values = valuesOf(*opened, kProjection + std::string(".weight"));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const int nibble = static_cast<int>(0x9ABCDEF1U >> (4 * (i % 8)) & 15U);
        ASSERT_EQ(values[i], static_cast<float>(nibble - 1) * 0.0625F);
    }
}

TEST(QuantisedModel, RunsOnTheCpuAndWhereThereIsAGpuOnIt) {
    const ScratchFolder scratch;
    CheckpointMaker maker(kTiny);
    maker.config["quantization_config"] = kFp8;
    makeFp8(maker, kFused);
    maker.writeSingle(scratch.path());
    LoadOptions options;
    options.requireTokenizer = false;
    options.device.threads = 1;
    Engine engine;
    for (const char* device : {"cpu", "cuda"}) {
        options.device.device = device;
        const auto loaded = engine.load(scratch.path(), options, {}, CancelFlag());
        if (!loaded.ok() && loaded.error().kind == ErrorKind::DeviceUnavailable && options.device.device == "cuda") continue;
        ASSERT_TRUE(loaded.ok()) << loaded.error().text();
        EXPECT_TRUE(loaded->deviceId.starts_with(device)) << loaded->deviceId;
        ASSERT_TRUE(engine.executor()->prefill(std::vector<TokenId>{1, 2, 3}, nullptr).ok());
    }
}

Error openError(const std::function<void(CheckpointMaker&)>& spoil) {
    const ScratchFolder scratch;
    CheckpointMaker maker(kTiny);
    spoil(maker);
    maker.writeSingle(scratch.path());
    const auto opened = Checkpoint::open(scratch.path());
    EXPECT_FALSE(opened.ok());
    return opened.ok() ? Error{} : opened.error();
}

Error fp8Error(const std::function<void(CheckpointMaker&)>& spoil) {
    return openError([&](CheckpointMaker& maker) {
        maker.config["quantization_config"] = kFp8;
        makeFp8(maker, kProjection + std::string(".weight"));
        spoil(maker);
    });
}

Error int4Error(bool zeros, const std::function<void(CheckpointMaker&)>& spoil) {
    return openError([&](CheckpointMaker& maker) {
        maker.config["quantization_config"] = int4Config(16, !zeros);
        makeInt4(maker, kProjection, 16, zeros, 0x88888888U);
        spoil(maker);
    });
}

TEST(QuantisedModel, WrongPartsAreNamed) {
    const std::string projection = kProjection;
    const std::string scale = projection + ".weight_scale_inv";
    EXPECT_TRUE(says(fp8Error([&](CheckpointMaker& m) { m.remove(scale); }), {"1 tensor is missing", scale}));
    EXPECT_TRUE(says(fp8Error([&](CheckpointMaker& m) {
                         m.tensor(scale).shape.push_back(2);
                         m.tensor(scale).bytes += m.tensor(scale).bytes;
                     }),
                     {scale, "expected F32 or BF16 or F16"}));
    EXPECT_TRUE(
        says(fp8Error([&](CheckpointMaker& m) { m.config["quantization_config"]["modules_to_not_convert"] = {projection}; }),
             {projection, "keep their type"}));
    const Error unsaid = fp8Error([&](CheckpointMaker& m) { m.config.erase("quantization_config"); });
    EXPECT_EQ(unsaid.kind, ErrorKind::Unsupported);
    EXPECT_TRUE(says(unsaid, {projection + ".weight is F8_E4M3", "quantization_config"}));

    const auto edit = [&](const std::string& part, const std::function<void(TensorData&)>& change) {
        return [=](CheckpointMaker& m) { change(m.tensor(projection + part)); };
    };
    for (const char* part : {".weight_scale", ".weight_shape", ".weight_zero_point"})
        EXPECT_TRUE(says(int4Error(true, [&](CheckpointMaker& m) { m.remove(projection + part); }),
                         {"1 tensor is missing", projection + part}));
    EXPECT_TRUE(says(int4Error(false, edit(".weight_shape", [](TensorData& t) { t.bytes[0] = 1; })), {".weight_shape says"}));
    EXPECT_TRUE(says(int4Error(false, edit(".weight_scale", [](TensorData& t) { std::swap(t.shape[0], t.shape[1]); })),
                     {".weight_scale is BF16"}));
    EXPECT_TRUE(
        says(int4Error(false, [&](CheckpointMaker& m) { m.config["quantization_config"]["ignore"] = {"re:.*in_proj_qkv"}; }),
             {projection, "keep their type"}));
    EXPECT_TRUE(says(int4Error(false,
                               [&](CheckpointMaker& m) {
                                   m.config["quantization_config"]["config_groups"]["group_0"]["targets"] = {"re:.*k_proj"};
                               }),
                     {projection, "no config_groups entry targets it"}));
    EXPECT_TRUE(says(int4Error(false,
                               [&](CheckpointMaker& m) {
                                   m.config["quantization_config"]["config_groups"]["group_0"]["weights"]["group_size"] = 17;
                               }),
                     {projection, "groups of 17"}));
    const Error reordered = int4Error(false, [&](CheckpointMaker& m) {
        const std::int64_t columns = m.tensor(projection + ".weight_packed").shape[1] * 8;
        m.tensors.push_back(
            {projection + ".weight_g_idx", "I32", {columns}, std::string(static_cast<std::size_t>(columns) * 4, '\0')});
    });
    EXPECT_EQ(reordered.kind, ErrorKind::Unsupported);
    EXPECT_TRUE(says(reordered, {".weight_g_idx", "activation order"}));
}

TEST(QuantisedModel, BadNumbersAreFoundWhileLoading) {
    const auto loadError = [](const std::function<void(CheckpointMaker&)>& spoil) {
        const ScratchFolder scratch;
        CheckpointMaker maker(kTiny);
        spoil(maker);
        maker.writeSingle(scratch.path());
        LoadOptions options;
        options.requireTokenizer = false;
        options.device.device = "cpu";
        const auto loaded = loadModel(scratch.path(), options, {}, CancelFlag());
        EXPECT_FALSE(loaded.ok());
        return loaded.ok() ? Error{} : loaded.error();
    };
    const std::string weight = kProjection + std::string(".weight");
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 3e38F}) {
        const Error error = loadError([&](CheckpointMaker& m) {
            m.config["quantization_config"] = kFp8;
            makeFp8(m, weight);
            std::memcpy(m.tensor(weight + "_scale_inv").bytes.data(), &bad, sizeof bad);
        });
        EXPECT_EQ(error.kind, ErrorKind::Format);
        EXPECT_TRUE(says(error, {weight, "scale in row 0, column 0", "finite"}));
    }
    EXPECT_TRUE(says(loadError([&](CheckpointMaker& m) {
                         m.config["quantization_config"] = kFp8;
                         makeFp8(m, weight);
                         m.tensor(weight).bytes[3] = '\x7F';
                     }),
                     {weight, "row 0, column 3 is NaN"}));
    EXPECT_TRUE(says(loadError([&](CheckpointMaker& m) {
                         m.config["quantization_config"] = int4Config(16, true);
                         makeInt4(m, kProjection, 16, false, 0x88888888U);
                         m.tensor(kProjection + std::string(".weight_scale")).bytes[3] = '\x7F';
                         m.tensor(kProjection + std::string(".weight_scale")).bytes[2] = '\xFF';
                     }),
                     {kProjection, "scale in row 0, column 1"}));
}

}  // namespace
}  // namespace trefoil
