#include "engine/runtime/cpu_executor.h"

#include "engine/decode/sampler.h"
#include "engine/runtime/cpu_pass.h"
#include "engine/runtime/cpu_prefix.h"
#include "engine/runtime/input_sums.h"
#include "engine/runtime/model_weights.h"
#include "kernels/cpu/instruction_set.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trefoil {
namespace {

/// Rows of logits that decoding asks for at once: the largest block (section 7).
constexpr std::int64_t kLargestBlock = 128;

int threadCount(int wanted) {
    if (wanted > 0) return wanted;
    return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Error outOfMemory() {
    return makeError(ErrorKind::OutOfMemory, "there is not enough memory for this pass",
                     "close other programs, or use a shorter conversation");
}

/// No exception leaves the executor; the only one that its parts throw is std::bad_alloc.
template <class T, class Body>
Result<T> guarded(Body&& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return outOfMemory();
    }
}

class CpuExecutor;

class CpuSnapshot final : public PrefixSnapshot {
public:
    CpuSnapshot(const CpuExecutor* owner, CpuPrefix prefix) : m_owner(owner), m_prefix(std::move(prefix)) {}
    [[nodiscard]] std::uint64_t bytes() const override { return m_prefix.keyValueBytes() + m_prefix.stateBytes(); }
    [[nodiscard]] std::int64_t length() const override { return m_prefix.length; }
    [[nodiscard]] const CpuExecutor* owner() const { return m_owner; }
    [[nodiscard]] const CpuPrefix& prefix() const { return m_prefix; }

private:
    const CpuExecutor* m_owner;
    CpuPrefix m_prefix;
};

class CpuExecutor final : public Executor {
public:
    CpuExecutor(const ModelConfig& config, ModelWeights weights, int threads)
        : m_model(config, std::move(weights), threads),
          m_prefix(config),
          m_counts(static_cast<std::size_t>(config.vocabSize), 0.0F),
          m_rowCounts(m_counts.size()),
          m_threads(m_model.pool().threads()),
          m_scratch(static_cast<std::size_t>(m_threads)) {}

    [[nodiscard]] const ModelConfig& config() const override { return m_model.config(); }

    [[nodiscard]] std::string deviceName() const override {
        return "CPU, " + std::to_string(m_threads) + (m_threads == 1 ? " thread, " : " threads, ") +
               kernels::instructionSetName();
    }

    [[nodiscard]] MemoryPlan memory() const override {
        MemoryPlan plan;
        plan.weights = m_model.weightBytes();
        plan.experts = m_model.expertBytes();
        plan.keyValue = m_prefix.keyValueBytes();
        plan.states = m_prefix.stateBytes();
        plan.workspace = m_model.workspaceBytes();
        return plan;
    }

    Status setCompatibility(const Compatibility& compatibility) override {
        if (compatibility.zeroCentredNorms != config().compatibility.zeroCentredNorms)
            return makeError(ErrorKind::Unsupported, "the norms' weights take their form while they are loaded");
        m_model.setCompatibility(compatibility);
        return reset();
    }

    void collectInputs(InputSums* sums) { m_model.collectInputs(sums); }

    Status reset() override {
        m_prefix.clear();
        m_draftRows = 0;
        return resetCounts();
    }

    [[nodiscard]] std::int64_t prefixLength() const override { return m_prefix.length; }

    Status countTokens(std::span<const TokenId> tokens) override {
        if (auto error = checkIds(tokens)) return *std::move(error);
        for (const TokenId id : tokens) m_counts[static_cast<std::size_t>(id)] += 1.0F;
        return {};
    }

    Status resetCounts() override {
        std::fill(m_counts.begin(), m_counts.end(), 0.0F);
        return {};
    }

    Result<PassOutput> prefill(std::span<const TokenId> ids, const PassControls* controls) override {
        return causal(ids, controls);
    }

    Result<PassOutput> commit(std::span<const TokenId> ids, const PassControls* controls) override {
        return causal(ids, controls);
    }

    Result<PassOutput> denoise(std::span<const TokenId> block, const PassControls& controls) override;
    Result<PassOutput> verify(std::span<const TokenId> ids, const PassControls& controls) override;

    Status keep(std::int64_t rows) override {
        if (rows < 0 || rows > m_draftRows)
            return makeError(ErrorKind::InvalidArgument,
                             "cannot keep " + std::to_string(rows) + " rows of a draft of " + std::to_string(m_draftRows));
        m_model.keepDraft(rows, m_prefix);
        m_draftRows = 0;
        return {};
    }

    Result<std::unique_ptr<PrefixSnapshot>> snapshot() override {
        return guarded<std::unique_ptr<PrefixSnapshot>>([&]() -> Result<std::unique_ptr<PrefixSnapshot>> {
            return std::unique_ptr<PrefixSnapshot>(std::make_unique<CpuSnapshot>(this, m_prefix.copy()));
        });
    }

    Status restore(const PrefixSnapshot& snapshot) override {
        const auto* own = dynamic_cast<const CpuSnapshot*>(&snapshot);
        if (own == nullptr || own->owner() != this)
            return makeError(ErrorKind::InvalidArgument, "the saved prefix belongs to another executor");
        return guarded<void>([&]() -> Status {
            m_prefix = own->prefix().copy();
            m_draftRows = 0;
            return {};
        });
    }

    void setCapture(PassCapture* capture) override { m_capture = capture; }

private:
    using Clock = std::chrono::steady_clock;

    static double millisecondsSince(Clock::time_point start) {
        return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    }

    [[nodiscard]] std::optional<Error> checkIds(std::span<const TokenId> ids) const;
    [[nodiscard]] std::optional<Error> checkPass(std::span<const TokenId> ids, const PassControls* controls) const;
    Result<PassOutput> causal(std::span<const TokenId> ids, const PassControls* controls);
    /// Lets the sampler choose for each row of logits, over the pool's threads. `counts`: the controls are applied first, with
    /// these counts for every row; empty: they were.
    void chooseRows(const PassControls& controls, std::span<const RowContext> contexts, std::span<const float> counts,
                    std::span<RowCandidate> rows);
    [[nodiscard]] SamplerModel samplerModel(const PassControls& controls) const {
        return {config().eosTokenIds, config().maskTokenId, controls.thinkEndId};
    }

    CpuModel m_model;
    CpuPrefix m_prefix;
    std::vector<float> m_counts;     ///< [V]
    std::vector<float> m_rowCounts;  ///< [V]: m_counts with what a pass adds
    int m_threads;
    std::vector<std::vector<float>> m_scratch;  ///< the sampler's, one a worker
    std::int64_t m_draftRows = 0;               ///< rows that keep() may keep; 0: no draft is open
    PassCapture* m_capture = nullptr;
};

std::optional<Error> CpuExecutor::checkIds(std::span<const TokenId> ids) const {
    for (const TokenId id : ids)
        if (id < 0 || id >= config().vocabSize)
            return makeError(ErrorKind::InvalidArgument, "token id " + std::to_string(id) + " is outside the vocabulary of " +
                                                             std::to_string(config().vocabSize));
    return std::nullopt;
}

std::optional<Error> CpuExecutor::checkPass(std::span<const TokenId> ids, const PassControls* controls) const {
    if (m_draftRows > 0) return makeError(ErrorKind::InvalidArgument, "a draft is open; keep() must come before the next pass");
    if (controls != nullptr && controls->config == nullptr)
        return makeError(ErrorKind::InvalidArgument, "a pass with controls needs a generation configuration");
    if (ids.empty() || static_cast<std::int64_t>(ids.size()) > maxChunk())
        return makeError(ErrorKind::InvalidArgument,
                         "a pass takes 1 to " + std::to_string(maxChunk()) + " tokens, not " + std::to_string(ids.size()));
    return checkIds(ids);
}

Result<PassOutput> CpuExecutor::causal(std::span<const TokenId> ids, const PassControls* controls) {
    if (auto error = checkPass(ids, controls)) return *std::move(error);
    return guarded<PassOutput>([&]() -> Result<PassOutput> {
        const auto start = Clock::now();
        PassRequest request;
        request.ids = ids;
        request.mode = PassMode::Commit;
        request.logits = controls != nullptr ? LogitRows::Last : LogitRows::None;
        request.capture = m_capture;
        PassOutput output;
        output.rows.resize(controls != nullptr ? 1 : 0);
        output.stats = m_model.run(request, m_prefix);
        if (controls != nullptr) {
            const RowContext context{controls->firstPosition, controls->step, controls->thinkingOpen};
            const std::span<float> logits = m_model.logits(m_model.logitRows() - 1);
            adjustLogits(logits, m_counts, context, samplerModel(*controls), *controls->config);
            output.rows[0] = chooseCandidate(logits, context, *controls->config, m_scratch[0]);
        }
        output.stats.milliseconds = millisecondsSince(start);
        return output;
    });
}

Result<PassOutput> CpuExecutor::denoise(std::span<const TokenId> block, const PassControls& controls) {
    if (auto error = checkPass(block, &controls)) return *std::move(error);
    return guarded<PassOutput>([&]() -> Result<PassOutput> {
        const auto start = Clock::now();
        const GenerationConfig& generation = *controls.config;
        PassRequest request;
        request.ids = block;
        request.mode = PassMode::Noisy;
        request.logits = LogitRows::All;
        if (generation.coresetEnabled && generation.coresetTopP < 1.0)
            request.coresetTopP = static_cast<float>(generation.coresetTopP);
        request.capture = m_capture;
        PassOutput output;
        output.rows.resize(block.size());
        output.stats = m_model.run(request, m_prefix);

        bool thinking = controls.thinkingOpen;
        m_rowCounts = m_counts;
        for (std::size_t t = static_cast<std::size_t>(std::max(controls.promptRows, 0)); t < block.size(); ++t) {
            if (controls.thinkEndId && block[t] == *controls.thinkEndId) thinking = false;
            if (block[t] != config().maskTokenId && !config().isEos(block[t]))
                m_rowCounts[static_cast<std::size_t>(block[t])] += 1.0F;
        }
        std::vector<RowContext> contexts(block.size());
        for (std::size_t t = 0; t < block.size(); ++t)
            contexts[t] = {controls.firstPosition + static_cast<std::int64_t>(t), controls.step, thinking};
        chooseRows(controls, contexts, m_rowCounts, output.rows);
        output.stats.milliseconds = millisecondsSince(start);
        return output;
    });
}

Result<PassOutput> CpuExecutor::verify(std::span<const TokenId> ids, const PassControls& controls) {
    if (auto error = checkPass(ids, &controls)) return *std::move(error);
    return guarded<PassOutput>([&]() -> Result<PassOutput> {
        const auto start = Clock::now();
        PassRequest request;
        request.ids = ids;
        request.mode = PassMode::Draft;
        request.logits = LogitRows::All;
        request.capture = m_capture;
        PassOutput output;
        output.rows.resize(ids.size());
        output.stats = m_model.run(request, m_prefix);

        // Row by row: each row's counts are the one's before and its own token.
        bool thinking = controls.thinkingOpen;
        m_rowCounts = m_counts;
        const SamplerModel sampler = samplerModel(controls);
        std::vector<RowContext> contexts(ids.size());
        for (std::size_t t = 0; t < ids.size(); ++t) {
            if (controls.thinkEndId && ids[t] == *controls.thinkEndId) thinking = false;
            if (!config().isEos(ids[t])) m_rowCounts[static_cast<std::size_t>(ids[t])] += 1.0F;
            contexts[t] = {controls.firstPosition + static_cast<std::int64_t>(t), controls.step, thinking};
            adjustLogits(m_model.logits(static_cast<std::int64_t>(t)), m_rowCounts, contexts[t], sampler, *controls.config);
        }
        chooseRows(controls, contexts, {}, output.rows);
        m_draftRows = static_cast<std::int64_t>(ids.size());
        output.stats.milliseconds = millisecondsSince(start);
        return output;
    });
}

void CpuExecutor::chooseRows(const PassControls& controls, std::span<const RowContext> contexts, std::span<const float> counts,
                             std::span<RowCandidate> rows) {
    const SamplerModel sampler = samplerModel(controls);
    std::atomic<bool> failed{false};
    m_model.pool().run(static_cast<std::int64_t>(rows.size()), [&](std::int64_t row, int worker) {
        const auto t = static_cast<std::size_t>(row);
        const std::span<float> logits = m_model.logits(row);
        try {  // a task must not throw
            if (!counts.empty()) adjustLogits(logits, counts, contexts[t], sampler, *controls.config);
            rows[t] = chooseCandidate(logits, contexts[t], *controls.config, m_scratch[static_cast<std::size_t>(worker)]);
        } catch (const std::bad_alloc&) {
            failed.store(true);
        }
    });
    if (failed.load()) throw std::bad_alloc();
}

}  // namespace

Status collectInputs(Executor& executor, InputSums* sums) {
    auto* cpu = dynamic_cast<CpuExecutor*>(&executor);
    if (cpu == nullptr)
        return makeError(ErrorKind::Unsupported, "only the CPU tells what a model's matrices are given", "use --device cpu");
    return guarded<void>([&]() -> Status {
        cpu->collectInputs(sums);
        return {};
    });
}

MemoryPlan planCpuMemory(const Checkpoint& checkpoint, const CpuOptions& options) {
    const ModelConfig& config = checkpoint.config();
    MemoryPlan plan;
    if (auto weights = plannedWeightBytes(config, CheckpointSource(checkpoint)); weights.ok()) {
        plan.weights = weights->all;
        plan.experts = weights->experts;
    }
    plan.keyValue = CpuPrefix::plannedKeyValueBytes(config, options.context > 0 ? options.context : config.maxPositionEmbeddings);
    plan.states = CpuPrefix::plannedStateBytes(config);
    plan.workspace = CpuModel::plannedWorkspaceBytes(config, Executor::kDefaultChunk, std::min(kLargestBlock, config.blockSize),
                                                     threadCount(options.threads));
    return plan;
}

Result<std::unique_ptr<Executor>> makeCpuExecutor(const Checkpoint& checkpoint, const CpuOptions& options,
                                                  const LoadProgress& progress, const CancelFlag* cancel) {
    return makeCpuExecutor(checkpoint.config(), CheckpointSource(checkpoint), options, progress, cancel);
}

Result<std::unique_ptr<Executor>> makeCpuExecutor(const ModelConfig& config, const WeightSource& source,
                                                  const CpuOptions& options, const LoadProgress& progress,
                                                  const CancelFlag* cancel) {
    return guarded<std::unique_ptr<Executor>>([&]() -> Result<std::unique_ptr<Executor>> {
        auto weights = loadModelWeights(config, source, threadCount(options.threads), progress, cancel);
        if (!weights.ok()) return weights.error();
        return std::unique_ptr<Executor>(
            std::make_unique<CpuExecutor>(config, *std::move(weights), threadCount(options.threads)));
    });
}

}  // namespace trefoil
