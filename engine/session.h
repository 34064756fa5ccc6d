// Engine: what app/ and the command line see. Loads one model, prepares prompts, generates.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/decode/block_decoder.h"
#include "engine/decode/generation_config.h"
#include "engine/runtime/devices.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/prefix_cache.h"
#include "engine/runtime/recommendation.h"
#include "engine/tokenizer/chat_format.h"
#include "engine/tokenizer/chat_template.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trefoil {

struct LoadOptions {
    DeviceOptions device;
    CompatibilityOverrides compatibility;  ///< section 9's switches that the user set; they win over config.json's
    bool requireTokenizer = true;          ///< false for verify, bench and --ids
    /// Asked when the new model only fits once the one in use (device.inUse) is let go: true when it has been. Empty: it stays,
    /// and the load fails.
    std::function<bool()> release = {};
    std::vector<CardRates> cardRates = {};  ///< what was measured of this machine's cards: for examineModel's recommendations
};

/// The text side of a model. Immutable; shared between threads (the window counts tokens while the engine generates).
struct TextModel {
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null when the folder has none
    std::shared_ptr<const ChatFormat> format;    ///< null when there is no tokenizer
    std::vector<TokenId> eosIds;
    TokenId maskId = -1;
    std::int64_t context = 0;
    ChatTemplateCheck chatTemplate;     ///< whether the checkpoint asks for the prompts that `format` writes
    std::vector<std::string> notes;     ///< about tokenizer and chat format, for people, a line each
    std::vector<std::string> warnings;  ///< of them, what probably makes answers wrong; not in `notes`
};

struct LoadedModel {
    CheckpointSummary summary;
    ModelConfig config;
    GenerationConfig defaults;    ///< section 7's defaults with the model's generation_config.json applied
    std::string device;           ///< deviceName() of the executor
    std::string deviceId;         ///< "cpu", "cuda:0", "cuda:0,cuda:1"
    std::vector<PartPlan> parts;  ///< of a GPU's: its layers, GPU by GPU
    MemoryPlan memory;
    std::vector<SwitchState> switches;  ///< section 9's, each with its origin
    double loadMilliseconds = 0.0;
    std::shared_ptr<const TextModel> text;
};

/// What a loaded model holds, and would give back.
[[nodiscard]] ModelFootprint footprintOf(const LoadedModel& model);

struct GenerationRequest {
    std::vector<TokenId> promptIds;  ///< from TextModel::format->render(...).ids, or the caller's own
    bool thinkingOpen = false;
    std::optional<TokenId> thinkEndId;  ///< absent: the tokenizer's `</think>`, if it has one
    GenerationConfig config;
    std::vector<std::int64_t> boundaries = {};  ///< Prompt::boundaries: where snapshots of the prefix are of use
    std::vector<TokenId> begun = {};            ///< see DecodeRequest::begun
    std::int64_t begunBlocks = 0;
    Steering* steering = nullptr;  ///< see DecodeRequest::steering
};

/// A checkpoint whose headers, tokenizer and defaults were read and found good; no weight has been read yet.
struct PreparedModel {
    Checkpoint checkpoint;
    std::shared_ptr<const TextModel> text;
    GenerationConfig defaults;
    std::vector<SwitchState> switches;
    std::vector<std::string> notes;     ///< of the checkpoint, the switches and the text side
    std::vector<std::string> warnings;  ///< of the norms' weights and the text side
    std::int64_t modelContext = 0;      ///< the checkpoint's own; the configuration's may have been made shorter (DeviceOptions)
};

/// The first half of loadModel, from headers alone.
Result<PreparedModel> prepareModel(const std::filesystem::path& folder, const LoadOptions& options);

/// What is to be known before a model is loaded: that it is complete, what it is, what it takes on each device.
struct ModelExamination {
    CheckpointSummary summary;
    ModelConfig config;
    GenerationConfig defaults;
    std::shared_ptr<const TextModel> text;
    std::int64_t modelContext = 0;  ///< the checkpoint's own; config.maxPositionEmbeddings is the one planned for
    std::vector<SwitchState> switches;
    std::vector<DevicePlan> devices;  ///< one for each device of the machine
    std::string chosenDevice;         ///< DeviceInfo::id of the one that `options.device` leads to; empty: none, see problem
    std::string problem;              ///< why no device can be chosen
    std::vector<CardRecommendation> cards;  ///< which form suits each usable GPU; empty: there is none
};

/// For `info` and the Model dialog; reads no weights. An error says what makes the folder no complete model.
Result<ModelExamination> examineModel(const std::filesystem::path& folder, const LoadOptions& options);

/// A loaded model that nobody uses yet.
struct ReadyModel {
    LoadedModel model;
    std::unique_ptr<Executor> executor;
};

/// Loads a model folder, on any thread, beside whatever an Engine uses at that time.
Result<ReadyModel> loadModel(const std::filesystem::path& folder, const LoadOptions& options, const LoadProgress& progress,
                             const CancelFlag& cancel);

class Engine {
public:
    Engine();
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Loads a model folder. The previous model stays usable when this fails or is cancelled.
    Result<LoadedModel> load(const std::filesystem::path& folder, const LoadOptions& options,
                             const std::function<void(std::uint64_t done, std::uint64_t total)>& progress,
                             const CancelFlag& cancel);
    /// Uses a loaded model from now on; the previous one is let go.
    void adopt(ReadyModel ready);
    void unload();
    /// nullptr while nothing is loaded.
    [[nodiscard]] const LoadedModel* model() const;
    /// The executor of the loaded model, for verify and bench; nullptr while nothing is loaded.
    [[nodiscard]] Executor* executor();
    /// Snapshots of earlier prompts; emptied when another model is adopted. A budget of 0 ends the reuse.
    [[nodiscard]] PrefixCache& prefixCache();

    /// Runs one request on the calling thread. Refused when no model is loaded.
    [[nodiscard]] DecodeResult generate(const GenerationRequest& request, DecodeObserver& observer, const CancelFlag& cancel);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace trefoil
