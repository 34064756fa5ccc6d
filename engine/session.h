// Engine: what app/ and the command line see. Loads one model, prepares prompts, generates.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/decode/block_decoder.h"
#include "engine/decode/generation_config.h"
#include "engine/runtime/devices.h"
#include "engine/runtime/executor.h"
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
};

/// The text side of a model. Immutable; shared between threads (the window counts tokens while the engine generates).
struct TextModel {
    std::shared_ptr<const Tokenizer> tokenizer;  ///< null when the folder has none
    std::shared_ptr<const ChatFormat> format;    ///< null when there is no tokenizer
    std::vector<TokenId> eosIds;
    TokenId maskId = -1;
    std::int64_t context = 0;
    ChatTemplateCheck chatTemplate;  ///< whether the checkpoint asks for the prompts that `format` writes
    std::vector<std::string> notes;  ///< about tokenizer and chat format, for people, a line each
};

struct LoadedModel {
    CheckpointSummary summary;
    ModelConfig config;
    GenerationConfig defaults;  ///< section 7's defaults with the model's generation_config.json applied
    std::string device;         ///< deviceName() of the executor
    std::string deviceId;       ///< "cpu", "cuda:0"
    MemoryPlan memory;
    std::vector<SwitchState> switches;  ///< section 9's, each with its origin
    double loadMilliseconds = 0.0;
    std::shared_ptr<const TextModel> text;
};

struct GenerationRequest {
    std::vector<TokenId> promptIds;  ///< from TextModel::format->render(...).ids, or the caller's own
    bool thinkingOpen = false;
    std::optional<TokenId> thinkEndId;  ///< absent: the tokenizer's `</think>`, if it has one
    GenerationConfig config;
};

/// A checkpoint whose headers, tokenizer and defaults were read and found good; no weight has been read yet.
struct PreparedModel {
    Checkpoint checkpoint;
    std::shared_ptr<const TextModel> text;
    GenerationConfig defaults;
    std::vector<SwitchState> switches;
    std::vector<std::string> notes;  ///< of the checkpoint, the switches, the norms' weights and the text side
};

/// The first half of Engine::load, from headers alone: for `info` and the Model dialog.
Result<PreparedModel> prepareModel(const std::filesystem::path& folder, const LoadOptions& options);

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
    void unload();
    /// nullptr while nothing is loaded.
    [[nodiscard]] const LoadedModel* model() const;
    /// The executor of the loaded model, for verify and bench; nullptr while nothing is loaded.
    [[nodiscard]] Executor* executor();

    /// Runs one request on the calling thread. Refused when no model is loaded.
    [[nodiscard]] DecodeResult generate(const GenerationRequest& request, DecodeObserver& observer, const CancelFlag& cancel);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace trefoil
