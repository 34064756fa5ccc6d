// ScriptedExecutor: an Executor without a model. A test writes its logits; controls, counts and the sampler are the real ones.
#pragma once

#include "engine/decode/sampler.h"
#include "engine/runtime/executor.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trefoil::testing {

/// Which row of which pass the script is asked about.
struct ScriptedRow {
    bool noisy = false;
    std::int64_t position = 0;      ///< of the row in the whole sequence
    std::vector<TokenId> sequence;  ///< prefix and the pass's own ids
};

class ScriptedExecutor : public Executor {
public:
    using Script = std::function<std::vector<float>(const ScriptedRow&)>;

    /// `script` returns [V] raw logits for a row.
    ScriptedExecutor(ModelConfig config, Script script);

    [[nodiscard]] const ModelConfig& config() const override { return m_config; }
    [[nodiscard]] std::string deviceName() const override { return "script"; }
    [[nodiscard]] MemoryPlan memory() const override { return {}; }
    Status reset() override;
    [[nodiscard]] std::int64_t prefixLength() const override { return static_cast<std::int64_t>(m_prefix.size()); }
    Status countTokens(std::span<const TokenId> tokens) override;
    Status resetCounts() override;
    Result<PassOutput> prefill(std::span<const TokenId> ids, const PassControls* controls) override;
    Result<PassOutput> denoise(std::span<const TokenId> block, const PassControls& controls) override;
    Result<PassOutput> commit(std::span<const TokenId> ids, const PassControls* controls) override;
    Result<PassOutput> verify(std::span<const TokenId> ids, const PassControls& controls) override;
    Status keep(std::int64_t rows) override;
    Result<std::unique_ptr<PrefixSnapshot>> snapshot() override;
    Status restore(const PrefixSnapshot& snapshot) override;
    void setCapture(PassCapture* /*capture*/) override {}

    /// The prefix as it stands, and a log of calls ("prefill 5", "denoise", "commit 32", "verify", "keep 3").
    [[nodiscard]] const std::vector<TokenId>& prefix() const { return m_prefix; }
    [[nodiscard]] const std::vector<std::string>& calls() const { return m_calls; }
    [[nodiscard]] const std::vector<float>& counts() const { return m_counts; }
    /// Called before each pass; a test can request a cancel from it.
    std::function<void(const std::string& call)> onCall;
    /// The pass with this index (from 0, all kinds) fails with this error.
    std::int64_t failAt = -1;
    Error failure;

private:
    Status begin(const std::string& call);
    RowCandidate choose(std::vector<float> logits, const std::vector<float>& counts, std::int64_t position, std::int64_t step,
                        bool thinking, const PassControls& controls);
    RowCandidate causalRow(std::span<const TokenId> ids, std::size_t row, const std::vector<float>& counts, std::int64_t position,
                           bool thinking, const PassControls& controls);

    ModelConfig m_config;
    Script m_script;
    std::vector<TokenId> m_prefix;
    std::vector<TokenId> m_pending;
    std::vector<float> m_counts;
    std::vector<float> m_scratch;
    std::vector<std::string> m_calls;
};

/// Dimensions with `vocab` tokens, mask vocab - 1, end token 0; enough for decoding tests.
[[nodiscard]] ModelConfig scriptedConfig(std::int64_t vocab, std::int64_t context = 4096);

/// [V] logits with `value` at `id` and 0 elsewhere.
[[nodiscard]] std::vector<float> peak(std::int64_t vocab, TokenId id, float value);

}  // namespace trefoil::testing
