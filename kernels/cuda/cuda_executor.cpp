#include "kernels/cuda/cuda_executor.h"

#include "kernels/cuda/calls.h"
#include "kernels/cuda/device_part.h"
#include "kernels/cuda/expert_resident.h"
#include "kernels/cuda/part_pass.h"
#include "kernels/cuda/part_plan.h"
#include "kernels/cuda/pass_controls.h"
#include "kernels/cuda/pass_shape.h"
#include "kernels/cuda/skinny_gemm.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace trefoil::cuda {
namespace {

class HostSnapshot : public PrefixSnapshot {
public:
    [[nodiscard]] std::uint64_t bytes() const override { return data.size(); }
    [[nodiscard]] std::int64_t length() const override { return rows; }
    std::vector<std::byte> data;  ///< part by part
    std::int64_t rows = 0;
    const void* owner = nullptr;
};

class CudaExecutor final : public Executor {
public:
    CudaExecutor(const ModelConfig& config, const std::vector<PartSetup>& setups)
        : m_config(config),
          m_floats(setups.front().size.floats),
          m_chunk(setups.front().size.chunk),
          m_context(setups.front().size.positions - kMaxPassRows),
          m_name(nameOf(setups) + (m_floats ? ", float32" : "")),
          m_plan(sumOf(setups)) {
        for (const PartSetup& setup : setups) m_parts.push_back(std::make_unique<DevicePart>(config, setup));
    }
    CudaExecutor(const CudaExecutor&) = delete;
    CudaExecutor& operator=(const CudaExecutor&) = delete;
    ~CudaExecutor() override = default;

    Status load(const LoadRequest& request, const Progress& progress, const CancelFlag* cancel);
    /// Benchmark only.
    void forceExperts(int experts) { m_forcedExperts = experts; }
    void skewRouter(double skew) { m_skew = static_cast<float>(skew); }

    [[nodiscard]] const ModelConfig& config() const override { return m_config; }
    [[nodiscard]] std::string deviceName() const override { return m_name; }
    [[nodiscard]] MemoryPlan memory() const override { return m_plan; }
    [[nodiscard]] bool reducedPrecision() const override { return !m_floats; }
    [[nodiscard]] std::int64_t maxChunk() const override { return m_chunk; }
    [[nodiscard]] bool fusesCommit() const override;
    [[nodiscard]] std::int64_t prefixLength() const override { return m_prefix; }
    void setCapture(PassCapture* capture) override { m_capture = capture; }

    Status reset() override;
    Status countTokens(std::span<const TokenId> tokens) override;
    Status resetCounts() override;
    Result<PassOutput> prefill(std::span<const TokenId> ids, const PassControls* controls) override;
    Result<PassOutput> denoise(std::span<const TokenId> block, const PassControls& controls) override;
    Result<PassOutput> commit(std::span<const TokenId> ids, const PassControls* controls) override {
        return prefill(ids, controls);
    }
    Result<PassOutput> verify(std::span<const TokenId> ids, const PassControls& controls) override;
    Status keep(std::int64_t rows) override;
    Result<PassOutput> commitAndDenoise(std::span<const TokenId> clean, std::span<const TokenId> tokensToCount,
                                        std::span<const TokenId> block, const PassControls& controls) override;
    Result<std::unique_ptr<PrefixSnapshot>> snapshot() override;
    Status restore(const PrefixSnapshot& snapshot) override;

private:
    Status ready(std::span<const TokenId> ids, std::int64_t limit, bool scratchOnly);
    Error lost(cudaError_t e, const std::string& doing);
    /// The part that holds the head, and the counts of the penalties.
    [[nodiscard]] DevicePart& lastPart() { return *m_parts.back(); }

    [[nodiscard]] HeadMode headMode(const GenerationConfig& config, std::int64_t rows) const;
    Result<PassOutput> run(const PassShape& shape, std::span<const TokenId> ids);
    cudaError_t enqueue(const PassShape& shape);
    cudaError_t wait();
    [[nodiscard]] PassOutput collect(const PassShape& shape, double milliseconds) const;

    ModelConfig m_config;
    bool m_floats;
    std::int64_t m_chunk;
    std::int64_t m_context;
    std::string m_name;
    MemoryPlan m_plan;
    PinnedBlock m_pinned;  // lives longer than the parts, whose graphs name it
    HostBuffers m_host;
    std::vector<std::unique_ptr<DevicePart>> m_parts;
    std::vector<std::unique_ptr<PartPass>> m_passes;  // of the part at the same place
    std::int64_t m_prefix = 0;
    std::int64_t m_pending = 0;  // rows of a verify() that keep() has not settled
    int m_forcedExperts = 0;
    float m_skew = -1.0F;
    std::int32_t m_draws = 0;
    PassCapture* m_capture = nullptr;
    std::optional<Error> m_lost;
};

/// Reading the weights once wins (docs/benchmarks.md), except over the packed products that keep up to 32 rows in shared memory.
bool CudaExecutor::fusesCommit() const {
    if (m_floats) return false;
    return std::all_of(m_parts.begin(), m_parts.end(), [](const auto& part) {
        const auto& layers = part->weights().layers();
        return std::none_of(layers.begin(), layers.end(), [&](const LayerWeights& w) {
            return w.packed.inUse() && !w.cache.inUse() && residentGateUpSupports(part->on(), w.packed, kResidentRows);
        });
    });
}

// ---- loading

Status CudaExecutor::load(const LoadRequest& request, const Progress& progress, const CancelFlag* cancel) {
    const auto carve = [&](Carver& c) {
        m_host.params = c.take<PassParams>(1);
        m_host.results = c.take<RowResult>(kMaxOutputRows);
        m_host.layers = c.take<LayerResult>(m_config.numLayers());
        m_host.ids = c.take<std::int32_t>(m_chunk);
    };
    Carver count(nullptr);
    carve(count);
    Calls ok;
    ok(m_parts.front()->select()) && ok(m_pinned.allocate(count.used()));
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "allocating pinned memory");
    Carver pinned(m_pinned.data());
    carve(pinned);
    *m_host.params = PassParams{};

    std::uint64_t total = 0;
    std::vector<std::uint64_t> bytes;
    for (const auto& part : m_parts) {
        const auto own = part->weights().sourceBytes(request);
        if (!own.ok()) return own.error();
        bytes.push_back(*own);
        total += *own;
    }
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const Progress ofAll = progress ? [&](std::uint64_t done, std::uint64_t) { progress(before + done, total); } : Progress();
        if (Status s = m_parts[i]->load(request, m_host, ofAll, cancel); !s.ok()) return s;
        m_passes.push_back(makePartPass(*m_parts[i]));
        before += bytes[i];
    }
    return {};
}

// ---- checks and errors

Error CudaExecutor::lost(cudaError_t e, const std::string& doing) {
    Error error = cudaFailure(e, doing);
    if (error.kind == ErrorKind::DeviceLost) m_lost = error;
    return error;
}

/// Checks the ids of a pass and its place in the context. scratchOnly: its rows join no prefix, and may lie behind the context.
Status CudaExecutor::ready(std::span<const TokenId> ids, std::int64_t limit, bool scratchOnly) {
    if (m_lost.has_value()) return *m_lost;
    if (m_pending > 0) return makeError(ErrorKind::Internal, "a pass follows a verify that was not settled with keep()");
    const auto count = static_cast<std::int64_t>(ids.size());
    if (count < 1 || count > limit)
        return makeError(ErrorKind::InvalidArgument, "a pass of " + std::to_string(count) + " rows was asked for; 1 to " +
                                                         std::to_string(limit) + " are possible");
    for (const TokenId id : ids)
        if (id < 0 || id >= m_config.vocabSize)
            return makeError(ErrorKind::InvalidArgument, "token id " + std::to_string(id) + " is outside the vocabulary of " +
                                                             std::to_string(m_config.vocabSize));
    if (m_prefix + (scratchOnly ? 0 : count) > m_context)
        return makeError(ErrorKind::DoesNotFit,
                         "the prefix of " + std::to_string(m_prefix) + " and " + std::to_string(count) +
                             " more tokens exceed the " + std::to_string(m_context) + " positions that were planned",
                         "load the model with a larger context");
    return {};
}

// ---- prefix and counts

Status CudaExecutor::reset() {
    if (m_lost.has_value()) return *m_lost;
    m_prefix = 0;
    m_pending = 0;
    for (const auto& part : m_parts)
        if (const cudaError_t e = part->clearStates(); e != cudaSuccess) return lost(e, "clearing the states");
    return resetCounts();
}

Status CudaExecutor::resetCounts() {
    if (m_lost.has_value()) return *m_lost;
    if (const cudaError_t e = lastPart().clearCounts(); e != cudaSuccess) return lost(e, "clearing the counts");
    return {};
}

Status CudaExecutor::countTokens(std::span<const TokenId> tokens) {
    if (m_lost.has_value()) return *m_lost;
    for (const TokenId id : tokens)
        if (id < 0 || id >= m_config.vocabSize)
            return makeError(ErrorKind::InvalidArgument, "token id " + std::to_string(id) + " cannot be counted");
    if (const cudaError_t e = lastPart().count(tokens); e != cudaSuccess) return lost(e, "counting tokens");
    return {};
}

// ---- passes

HeadMode CudaExecutor::headMode(const GenerationConfig& config, std::int64_t rows) const {
    const bool truncates = config.samples() && ((config.topK > 0 && config.topK < m_config.vocabSize) || config.topP < 1.0);
    const bool fused = !m_floats && rows <= kSmallRows && skinnySupports(m_config.hiddenSize) && m_capture == nullptr &&
                       !truncates && !m_parts.back()->weights().head().packed();
    if (fused) return config.samples() ? HeadMode::SampledRecords : HeadMode::Records;
    return config.samples() ? HeadMode::SampledLogits : HeadMode::Logits;
}

Result<PassOutput> CudaExecutor::prefill(std::span<const TokenId> ids, const PassControls* controls) {
    if (Status s = ready(ids, m_chunk, false); !s.ok()) return s.error();
    PassShape shape;
    shape.t = shape.clean = static_cast<std::int64_t>(ids.size());
    if (controls != nullptr) {
        shape.outputFirst = shape.t - 1;
        shape.outputs = 1;
        shape.head = headMode(*controls->config, 1);
        fillControls(*controls, shape.outputs, ids.last(1), CountRows::None, *m_host.params);
    }
    auto output = run(shape, ids);
    if (output.ok()) m_prefix += shape.t;
    return output;
}

Result<PassOutput> CudaExecutor::denoise(std::span<const TokenId> block, const PassControls& controls) {
    if (Status s = ready(block, kMaxOutputRows, true); !s.ok()) return s.error();
    PassShape shape;
    shape.t = shape.outputs = static_cast<std::int64_t>(block.size());
    shape.head = headMode(*controls.config, shape.outputs);
    shape.coreset = controls.config->coresetEnabled && controls.config->coresetTopP < 1.0;
    shape.counts = true;
    fillControls(controls, shape.outputs, block, CountRows::All, *m_host.params);
    return run(shape, block);
}

Result<PassOutput> CudaExecutor::verify(std::span<const TokenId> ids, const PassControls& controls) {
    if (Status s = ready(ids, kMaxOutputRows, true); !s.ok()) return s.error();
    PassShape shape;
    shape.t = shape.clean = shape.outputs = static_cast<std::int64_t>(ids.size());
    shape.head = headMode(*controls.config, shape.outputs);
    shape.verify = true;
    shape.counts = true;
    fillControls(controls, shape.outputs, ids, CountRows::UpToOwn, *m_host.params);
    auto output = run(shape, ids);
    if (output.ok()) m_pending = shape.t;
    return output;
}

Status CudaExecutor::keep(std::int64_t rows) {
    if (m_lost.has_value()) return *m_lost;
    if (rows < 0 || rows > m_pending)
        return makeError(ErrorKind::InvalidArgument,
                         "keep() of " + std::to_string(rows) + " rows follows a verify of " + std::to_string(m_pending));
    m_pending = 0;
    if (m_prefix + rows > m_context)
        return makeError(ErrorKind::DoesNotFit, "keeping " + std::to_string(rows) + " tokens exceeds the " +
                                                    std::to_string(m_context) + " positions that were planned");
    if (rows == 0) return {};
    for (const auto& part : m_parts)
        if (const cudaError_t e = part->keep(rows); e != cudaSuccess) return lost(e, "keeping verified tokens");
    m_prefix += rows;
    return {};
}

Result<PassOutput> CudaExecutor::commitAndDenoise(std::span<const TokenId> clean, std::span<const TokenId> tokensToCount,
                                                  std::span<const TokenId> block, const PassControls& controls) {
    const std::size_t rows = clean.size() + block.size();
    // Beyond the rows that one read of the weights serves, two passes are as good.
    if (m_floats || rows > kSmallRows || clean.empty() || m_capture != nullptr)
        return Executor::commitAndDenoise(clean, tokensToCount, block, controls);
    if (Status s = ready(clean, kMaxOutputRows, false); !s.ok()) return s.error();
    if (Status s = ready(block, kMaxOutputRows, true); !s.ok()) return s.error();
    if (Status s = countTokens(tokensToCount); !s.ok()) return s.error();
    std::vector<TokenId> ids(clean.begin(), clean.end());
    ids.insert(ids.end(), block.begin(), block.end());
    PassShape shape;
    shape.t = static_cast<std::int64_t>(rows);
    shape.clean = shape.outputFirst = static_cast<std::int64_t>(clean.size());
    shape.outputs = static_cast<std::int64_t>(block.size());
    shape.head = headMode(*controls.config, shape.outputs);
    shape.coreset = controls.config->coresetEnabled && controls.config->coresetTopP < 1.0;
    shape.counts = true;
    fillControls(controls, shape.outputs, block, CountRows::All, *m_host.params);
    auto output = run(shape, ids);
    if (output.ok()) m_prefix += shape.clean;
    return output;
}

/// Runs a pass whose controls are in the parameters already, waits for it, and reads what it left.
Result<PassOutput> CudaExecutor::run(const PassShape& wanted, std::span<const TokenId> ids) {
    PassShape shape = wanted;
    shape.draws = m_skew >= 0.0F && shape.t <= kSmallRows;
    const auto start = std::chrono::steady_clock::now();
    PassParams& p = *m_host.params;
    p.prefix = m_prefix;
    p.rows = static_cast<std::int32_t>(shape.t);
    p.clean = static_cast<std::int32_t>(shape.clean);
    p.outputFirst = static_cast<std::int32_t>(shape.outputFirst);
    p.outputs = static_cast<std::int32_t>(shape.outputs);
    p.forcedExperts = m_forcedExperts;
    p.skew = m_skew;
    p.draw = m_draws++;
    if (shape.outputs == 0 || !shape.counts) p.countRows = CountRows::None;
    std::copy(ids.begin(), ids.end(), m_host.ids);
    std::copy_n(ids.begin(), std::min<std::size_t>(ids.size(), kMaxPassRows), p.ids);
    if (m_capture != nullptr) *m_capture = PassCapture{};
    cudaError_t e = enqueue(shape);
    if (const cudaError_t waited = wait(); e == cudaSuccess) e = waited;
    if (e != cudaSuccess) return lost(e, "a pass");
    return collect(shape, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
}

/// Every part's work in its stream; a part begins when it has the residual stream of the part before it.
cudaError_t CudaExecutor::enqueue(const PassShape& shape) {
    const bool graphs = m_capture == nullptr && shape.t <= kSmallRows && !m_config.compatibility.noisyRowsPredictNext;
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        DevicePart& part = *m_parts[i];
        cudaError_t e = i == 0 ? part.select() : part.receive(*m_parts[i - 1], shape.t);
        if (e != cudaSuccess) return e;
        const auto enqueuePart = [&] { return m_passes[i]->enqueue(shape, m_prefix, m_capture); };
        e = graphs ? part.graphs().run(part.on().stream, shape, enqueuePart) : enqueuePart();
        if (e != cudaSuccess) return e;
    }
    return cudaSuccess;
}

/// Also after a failure: the pinned parameters are free to change only when no part reads them.
cudaError_t CudaExecutor::wait() {
    Calls ok;
    for (const auto& part : m_parts) ok(part->wait());
    return ok.error();
}

PassOutput CudaExecutor::collect(const PassShape& shape, double milliseconds) const {
    PassOutput output;
    output.rows.resize(static_cast<std::size_t>(shape.outputs));
    for (std::size_t i = 0; i < output.rows.size(); ++i) {
        const RowResult& r = m_host.results[i];
        output.rows[i].token = r.token;
        output.rows[i].confidence = r.confidence;
        for (std::size_t j = 0; j < kTopAlternatives; ++j)
            output.rows[i].top[j] = {r.topIds[j], r.topIds[j] < 0 ? 0.0F : r.topProbabilities[j]};
    }
    output.stats.milliseconds = milliseconds;
    for (const auto& part : m_parts) {
        const ModelWeights& weights = part->weights();
        output.stats.weightBytes += weights.denseBytes() + (shape.outputs > 0 ? weights.headBytes() : 0);
        const LayerRange& range = part->setup().range;
        for (std::int64_t layer = range.first; layer < range.last; ++layer) {
            const LayerResult& r = m_host.layers[layer];
            output.stats.layers.push_back(
                {r.distinct, r.coreset, r.share, -1, weights.expertBytes(), r.missed, static_cast<double>(r.stall) / 1000.0});
            output.stats.weightBytes += static_cast<std::uint64_t>(r.distinct) * weights.expertBytes();
        }
    }
    return output;
}

// ---- snapshots

Result<std::unique_ptr<PrefixSnapshot>> CudaExecutor::snapshot() {
    if (m_lost.has_value()) return *m_lost;
    if (m_pending > 0) return makeError(ErrorKind::Internal, "a snapshot follows a verify that was not settled with keep()");
    auto saved = std::make_unique<HostSnapshot>();
    saved->rows = m_prefix;
    saved->owner = this;
    std::size_t bytes = 0;
    for (const auto& part : m_parts) bytes += part->prefixBytes(m_prefix);
    saved->data.resize(bytes);
    std::byte* to = saved->data.data();
    for (const auto& part : m_parts) {
        if (const cudaError_t e = part->save(m_prefix, to); e != cudaSuccess) return lost(e, "saving the prefix");
        to += part->prefixBytes(m_prefix);
    }
    return std::unique_ptr<PrefixSnapshot>(std::move(saved));
}

Status CudaExecutor::restore(const PrefixSnapshot& snapshot) {
    if (m_lost.has_value()) return *m_lost;
    const auto* saved = dynamic_cast<const HostSnapshot*>(&snapshot);
    if (saved == nullptr || saved->owner != this)
        return makeError(ErrorKind::InvalidArgument, "the snapshot is of another model");
    const std::byte* from = saved->data.data();
    for (const auto& part : m_parts) {
        if (const cudaError_t e = part->restore(saved->rows, from); e != cudaSuccess) return lost(e, "restoring the prefix");
        from += part->prefixBytes(saved->rows);
    }
    m_prefix = saved->rows;
    m_pending = 0;
    return {};
}

Result<std::vector<PartSetup>> prepare(const LoadRequest& request) {
    std::vector<DeviceFacts> devices;
    std::vector<std::uint64_t> alsoFree;
    for (const DeviceShare& share : request.devices) {
        auto facts = readDevice(share.index);
        if (!facts.ok()) return facts.error();
        devices.push_back(*std::move(facts));
        alsoFree.push_back(share.alsoFree);
    }
    const bool floats = floatPrecision();
    return planParts(
        *request.config, devices, alsoFree,
        {floats, request.context, WeightForms(request.readRows ? request.tensors : std::span<const TensorInfo>(), floats),
         request.gpuMemory});
}

}  // namespace

Result<std::vector<PartPlan>> planDeviceMemory(const LoadRequest& request) {
    const auto setups = prepare(request);
    if (!setups.ok()) return setups.error();
    std::vector<PartPlan> reports;
    for (const PartSetup& setup : *setups)
        reports.push_back({setup.device.index, setup.range.first, setup.range.layers(), setup.plan});
    return reports;
}

Result<std::unique_ptr<Executor>> makeCudaExecutor(const LoadRequest& request, const Progress& progress,
                                                   const CancelFlag* cancel) {
    const auto setups = prepare(request);
    if (!setups.ok()) return setups.error();
    for (const PartSetup& setup : *setups)
        if (const std::string what = unsupportedSizes(*request.config, setup.device.sharedBytes); !what.empty())
            return makeError(ErrorKind::Unsupported, "the GPU kernels do not run " + what, "use the CPU");
    if (const Status s = checkFits(*setups); !s.ok()) return s.error();
    auto executor = std::make_unique<CudaExecutor>(*request.config, *setups);
    if (const Status s = executor->load(request, progress, cancel); !s.ok()) return s.error();
    return std::unique_ptr<Executor>(std::move(executor));
}

void skewRouter(Executor& executor, double skew) {
    if (auto* target = dynamic_cast<CudaExecutor*>(&executor); target != nullptr) target->skewRouter(skew);
}

void forceExperts(Executor& executor, int experts) {
    if (auto* target = dynamic_cast<CudaExecutor*>(&executor); target != nullptr) target->forceExperts(experts);
}

}  // namespace trefoil::cuda
