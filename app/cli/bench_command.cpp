#include "app/cli/commands.h"
#include "app/cli/gpu_bench.h"
#include "engine/checkpoint/synth.h"
#include "engine/checkpoint/synth_quantised.h"
#include "engine/runtime/cuda_plugin.h"
#include "engine/runtime/gpu_choice.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <sstream>
#include <string_view>
#include <utility>

namespace trefoil::cli {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kRepeats = 7;
constexpr std::int64_t kPrefillTokens = 2048;
constexpr std::int64_t kPassPrefix = 256;

/// Prompts that every model can be asked; the same in each run.
constexpr std::array<std::string_view, 3> kPrompts{"What is 347 + 586?", "Count from 1 to 40.", "What does the threshold do?"};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0.0 : values[values.size() / 2];
}

/// Median wall time of `run` in milliseconds after one warm-up.
template <class Run>
Result<double> timed(Run&& run, int repeats = kRepeats) {
    std::vector<double> times;
    for (int i = 0; i <= repeats; ++i) {
        if (cancelFlag().requested()) return makeError(ErrorKind::Cancelled, "stopped");
        const auto start = Clock::now();
        if (const Status s = run(); !s.ok()) return s.error();
        if (i > 0) times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    return median(std::move(times));
}

template <class T>
Status statusOf(const Result<T>& result) {
    return result.ok() ? Status() : Status(result.error());
}

/// Ids that are neither mask nor end tokens, spread over the vocabulary.
std::vector<TokenId> plainIds(const ModelConfig& config, std::int64_t count) {
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; static_cast<std::int64_t>(ids.size()) < count; ++i) {
        const auto id = static_cast<TokenId>((i * 7919 + 13) % config.vocabSize);
        if (id != config.maskTokenId && !config.isEos(id)) ids.push_back(id);
    }
    return ids;
}

Status prefillAll(Executor& executor, std::span<const TokenId> ids) {
    if (const Status s = executor.reset(); !s.ok()) return s;
    for (std::size_t at = 0; at < ids.size();) {
        const std::size_t n = std::min(static_cast<std::size_t>(executor.maxChunk()), ids.size() - at);
        if (const auto pass = executor.prefill(ids.subspan(at, n), nullptr); !pass.ok()) return pass.error();
        at += n;
    }
    return {};
}

/// Times of single passes after a prefix of kPassPrefix tokens.
Status benchPasses(Executor& executor, const GenerationConfig& defaults, Json& out) {
    const ModelConfig& config = executor.config();
    const auto prompt = plainIds(config, std::min(kPrefillTokens, config.maxPositionEmbeddings / 2));
    auto prefill = timed([&] { return prefillAll(executor, prompt); }, 3);
    if (!prefill.ok()) return prefill.error();
    out["prefill_tokens"] = prompt.size();
    out["prefill_tokens_per_second"] = static_cast<double>(prompt.size()) * 1000.0 / *prefill;

    const auto prefix = std::span(prompt).first(std::min<std::size_t>(kPassPrefix, prompt.size() / 2));
    if (const Status s = prefillAll(executor, prefix); !s.ok()) return s;
    auto snapshot = executor.snapshot();
    if (!snapshot.ok()) return snapshot.error();
    const std::vector<TokenId> block(32, config.maskTokenId);
    const auto clean = plainIds(config, 32);
    const PassControls controls{&defaults, 0, 0, 0, false, std::nullopt};
    GenerationConfig full = defaults;
    full.coresetEnabled = false;
    const PassControls withoutCoreset{&full, 0, 0, 0, false, std::nullopt};
    const auto row = [&](const char* name, auto&& run) -> Status {
        auto t = timed(run);
        if (!t.ok()) return t.error();
        out[name] = *t;
        return {};
    };
    if (Status s = row("pass_ms", [&] { return statusOf(executor.denoise(block, controls)); }); !s.ok()) return s;
    if (Status s = row("pass_without_coreset_ms", [&] { return statusOf(executor.denoise(block, withoutCoreset)); }); !s.ok())
        return s;
    if (Status s = row("commit_ms", [&] { return statusOf(executor.commit(clean, nullptr)); }); !s.ok()) return s;
    if (Status s = executor.restore(**snapshot); !s.ok()) return s;
    return row("token_ms", [&] { return statusOf(executor.commit(std::span(clean).first(1), &controls)); });
}

/// Tokens per second of one mode over the fixed prompts: all response tokens by all decoding time, median over repeats.
Result<double> benchMode(Engine& engine, const GenerationConfig& config) {
    std::vector<double> rates;
    for (int i = 0; i < 3; ++i) {
        double tokens = 0;
        double milliseconds = 0;
        for (const std::string_view text : kPrompts) {
            const std::vector<ChatMessage> messages{{"user", std::string(text)}};
            auto prompt = engine.model()->text->format->render(messages, config.enableThinking);
            if (!prompt.ok()) return prompt.error();
            DecodeObserver quiet;
            const DecodeResult result =
                engine.generate({prompt->ids, prompt->thinkingOpen, std::nullopt, config}, quiet, cancelFlag());
            if (result.error) return *result.error;
            if (result.stopReason == StopReason::Cancelled) return makeError(ErrorKind::Cancelled, "stopped");
            tokens += static_cast<double>(result.response.size());
            milliseconds += result.decodeMilliseconds;
        }
        rates.push_back(tokens * 1000.0 / milliseconds);
    }
    return median(std::move(rates));
}

Status benchModes(Engine& engine, const GenerationConfig& defaults, Json& out) {
    out["tokens_per_second"] = Json::object();
    if (engine.model()->text->format == nullptr) return {};
    for (const DecodingMode mode : {DecodingMode::LowConfidence, DecodingMode::SelfSpeculative, DecodingMode::Autoregressive}) {
        GenerationConfig config = defaults;
        config.decoding = mode;
        config.maxNewTokens = std::min<std::int64_t>(config.maxNewTokens, 256);
        auto rate = benchMode(engine, config);
        if (!rate.ok()) return rate.error();
        out["tokens_per_second"][std::string(decodingModeName(mode))] = *rate;
    }
    return {};
}

std::string forPeople(const Json& out) {
    std::ostringstream text;
    for (const auto& [key, value] : out.items()) {
        if (key == "gpu") continue;  // its table was printed row by row
        if (value.is_object()) {
            for (const auto& [mode, rate] : value.items()) text << key << ' ' << mode << ": " << rate.get<double>() << '\n';
        } else {
            text << key << ": " << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
        }
    }
    return text.str();
}

GpuBenchOptions gpuOptions(const BenchOptions& options, int device) {
    return {device, options.experts, options.longPrefix, !options.noPrompts, options.repeats, options.json, options.routerSkew};
}

/// The GPUs that a device's name means; "auto" and "cuda" are the first one here. Empty for the CPU.
std::vector<int> gpusOf(const std::string& device) {
    if (device == "auto" || device == "cuda") return {0};
    return parseGpus(device).value_or(std::vector<int>());
}

/// Random weights of a size on a GPU, made in memory: for sizes that no disk here holds.
Status benchSynthetic(const BenchOptions& options, Json& out) {
    std::string json = cloverConfigJson();
    if (options.synth != "clover-35b") {
        auto text = readTextFile(options.synth);
        if (!text.ok()) return text.error();
        json = std::move(*text);
    }
    auto config = parseModelConfig(json, options.synth);
    if (!config.ok()) return config.error();
    if (options.layers > 0 && options.layers < config->numLayers())
        config->layers.resize(static_cast<std::size_t>(options.layers));
    const std::vector<int> gpus = gpusOf(options.model.device);
    if (gpus.empty())
        return makeError(ErrorKind::InvalidArgument, "bench --synth runs on a GPU only, and --device is " + options.model.device,
                         "give --device cuda, or write the weights with trefoil-cli synth");
    SynthFormat format;
    format.format = options.format == "fp8"    ? QuantisedFormat::Fp8Blocks
                    : options.format == "int4" ? QuantisedFormat::Int4Groups
                                               : QuantisedFormat::None;
    format.group = options.group;
    const SyntheticQuantised weights(*config, 1, format);
    WeightSource source;
    source.config = &*config;
    source.tensors = weights.tensors();
    source.read = [&](std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination) -> Status {
        weights.read(tensor, first, count, destination);
        return {};
    };
    source.readRows = [&](std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) -> Status {
        weights.readRows(tensor, first, count, rows);
        return {};
    };
    const auto freeBytes = [&] {
        std::uint64_t sum = 0;
        for (const CudaDevice& device : listCudaDevices())
            if (std::find(gpus.begin(), gpus.end(), device.index) != gpus.end()) sum += device.memoryFree;
        return sum;
    };
    const std::uint64_t freeBefore = freeBytes();
    const auto start = Clock::now();
    std::vector<CudaShare> shares;
    shares.reserve(gpus.size());
    for (const int gpu : gpus) shares.push_back({gpu, 0});
    auto executor = makeCudaExecutor(source, shares, {options.model.context, options.model.gpuBytes()}, {}, &cancelFlag());
    if (!executor.ok()) return executor.error();
    const double ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    const MemoryPlan plan = (*executor)->memory();
    out["device"] = (*executor)->deviceName();
    out["load_ms"] = ms;
    out["load_bytes_per_second"] = static_cast<double>(plan.weights) * 1000.0 / ms;
    out["plan"] = {{"weights", plan.weights},    {"experts", plan.experts}, {"host", plan.host},
                   {"key_value", plan.keyValue}, {"states", plan.states},   {"workspace", plan.workspace}};
    const std::uint64_t freeNow = freeBytes();
    out["device_memory_used"] = freeBefore > freeNow ? freeBefore - freeNow : 0;
    return benchGpu(**executor, gpuOptions(options, gpus.front()), out);
}

}  // namespace

int runBench(const BenchOptions& options) {
    Json out = Json::object();
    if (!options.synth.empty()) {
        if (const Status s = benchSynthetic(options, out); !s.ok()) return fail(s.error());
        return print(options.json ? out.dump() + "\n" : forPeople(out)) ? kOk : kFailed;
    }
    Engine engine;
    LoadOptions load{{options.model.device, options.model.threads, options.model.context}, {}, false};
    load.device.gpuMemory = options.model.gpuBytes();
    std::vector<double> loads;
    for (int i = 0; i < 4; ++i) {
        engine.unload();
        auto model = engine.load(options.model.model, load, {}, cancelFlag());
        if (!model.ok()) return fail(model.error());
        if (i > 0) loads.push_back(model->loadMilliseconds);  // the first read warms the page cache
        if (model->loadMilliseconds > 5000.0 && i > 0) break;
    }
    out["device"] = engine.model()->device;
    out["load_ms"] = median(std::move(loads));
    out["load_bytes_per_second"] = static_cast<double>(engine.model()->memory.weights) * 1000.0 / out["load_ms"].get<double>();
    if (const Status s = benchPasses(*engine.executor(), engine.model()->defaults, out); !s.ok()) return fail(s.error());
    if (const Status s = benchModes(engine, engine.model()->defaults, out); !s.ok()) return fail(s.error());
    if (const std::vector<int> gpus = gpusOf(engine.model()->deviceId); !gpus.empty())
        if (const Status s = benchGpu(*engine.executor(), gpuOptions(options, gpus.front()), out); !s.ok())
            return fail(s.error());
    return print(options.json ? out.dump() + "\n" : forPeople(out)) ? kOk : kFailed;
}

}  // namespace trefoil::cli
