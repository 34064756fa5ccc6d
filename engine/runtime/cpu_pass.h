// CpuModel: one pass of the model on the CPU, from token ids to logits (model-contract.md, sections 2 to 5). Private to the CPU
// executor, which adds counts, controls and the choice of tokens.
#pragma once

#include "engine/base/types.h"
#include "engine/checkpoint/model_config.h"
#include "engine/decode/trace.h"
#include "engine/runtime/cpu_prefix.h"
#include "engine/runtime/cpu_workspace.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/input_collector.h"
#include "engine/runtime/model_weights.h"
#include "kernels/cpu/matrix_product.h"
#include "kernels/cpu/thread_pool.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace trefoil {

enum class PassMode : std::uint8_t {
    Commit,  ///< causal; the rows join the prefix
    Draft,   ///< causal; the prefix stays, keepDraft() decides
    Noisy,   ///< section 3; the prefix stays
};

enum class LogitRows : std::uint8_t { None, Last, All };

struct PassRequest {
    std::span<const TokenId> ids;  ///< valid ids, at least one
    PassMode mode = PassMode::Commit;
    LogitRows logits = LogitRows::None;
    std::optional<float> coresetTopP;  ///< Noisy only; absent: no restriction
    PassCapture* capture = nullptr;    ///< filled when not null
};

class CpuModel {
public:
    /// `weights` and `config` must agree. Throws std::bad_alloc.
    CpuModel(ModelConfig config, ModelWeights weights, int threads);

    /// Runs a pass; the logits of the last logitRows() rows are then in logits(0), logits(1), … (a capture makes that all rows).
    /// Throws std::bad_alloc before anything of `prefix` has changed.
    PassStats run(const PassRequest& request, CpuPrefix& prefix);
    /// Makes the first `rows` of the last Draft pass part of the prefix. 0: nothing.
    void keepDraft(std::int64_t rows, CpuPrefix& prefix);

    [[nodiscard]] std::span<float> logits(std::int64_t row) {
        return {m_logits.row(row), static_cast<std::size_t>(m_config.vocabSize)};
    }
    [[nodiscard]] std::int64_t logitRows() const { return m_logitRows; }
    [[nodiscard]] const ModelConfig& config() const { return m_config; }
    /// The norms' form must stay: it went into the weights.
    void setCompatibility(const Compatibility& compatibility) { m_config.compatibility = compatibility; }
    /// Adds the inputs of every product to `sums` (not owned); null: no longer.
    void collectInputs(InputSums* sums);
    [[nodiscard]] kernels::ThreadPool& pool() { return m_pool; }
    [[nodiscard]] std::uint64_t weightBytes() const { return m_weights.bytes(); }
    [[nodiscard]] std::uint64_t expertBytes() const { return m_weights.expertBytes(); }
    [[nodiscard]] std::uint64_t workspaceBytes() const;
    /// What workspaceBytes() is after the longest pass: `rows` rows, and logits of `logitRows`.
    [[nodiscard]] static std::uint64_t plannedWorkspaceBytes(const ModelConfig& config, std::int64_t rows, std::int64_t logitRows,
                                                             int threads);

private:
    /// What keepDraft needs of a GDN layer.
    struct DraftLayer {
        FloatArray k;          ///< [Hk, T, Dk]
        FloatArray v;          ///< [Hv, panels, T, 32]
        FloatArray decay;      ///< [T, Hv]
        FloatArray beta;       ///< [T, Hv]
        FloatArray convInput;  ///< [K - 1 + T, C]
    };
    struct Draft {
        std::int64_t rows = 0;
        std::vector<DraftLayer> layers;
        FloatArray hidden;  ///< [T, D]
    };

    void prepare(const PassRequest& request, CpuPrefix& prefix);
    void prepareDraft(std::int64_t rows);
    void gatedDeltaNet(const GatedDeltaNetWeights& w, LayerPrefix& prefix, DraftLayer* draft);
    void convolve(const GatedDeltaNetWeights& w);
    void causalMix(const GatedDeltaNetWeights& w, LayerPrefix& prefix, bool keepsState);
    void noisyMix(const GatedDeltaNetWeights& w, const LayerPrefix& prefix);
    void saveDraft(DraftLayer& draft);
    void attention(const AttentionWeights& w, LayerPrefix& prefix, std::int64_t prefixLength);
    void storeKeysAndValues(const AttentionWeights& w, LayerPrefix& prefix, std::int64_t prefixLength);
    void mixture(const LayerWeights& w, std::optional<float> coresetTopP, LayerStats& stats);
    void route(const LayerWeights& w);
    std::int32_t countChosenExperts();
    void restrictToCoreset(float topP, LayerStats& stats);
    std::int32_t groupByExpert();
    void addMixture();
    void computeLogits(const PassRequest& request, const CpuPrefix& prefix);
    void prepareCapture(PassCapture& capture, std::int64_t rows) const;
    void captureLayer(PassCapture& capture, std::size_t layer, bool coreset) const;
    void product(const kernels::PackedMatrix& weights, const RowBuffer& x, const RowBuffer& y, kernels::Epilogue epilogue,
                 std::int64_t firstOutputRow = 0);
    void runProducts();
    template <class Task>
    void forRows(Task&& task);

    ModelConfig m_config;
    ModelWeights m_weights;
    kernels::ThreadPool m_pool;
    CpuWorkspace m_work;
    RowBuffer m_final;   ///< [rows with logits, D]
    RowBuffer m_logits;  ///< [rows with logits, V]
    Draft m_draft;
    std::vector<kernels::ProductJob> m_jobs;
    std::unique_ptr<InputCollector> m_inputs;  ///< null: nobody asked

    // Of the pass that runs.
    std::int64_t m_rows = 0;
    std::int64_t m_logitRows = 0;
    bool m_noisy = false;
    std::uint64_t m_readBytes = 0;
};

}  // namespace trefoil
