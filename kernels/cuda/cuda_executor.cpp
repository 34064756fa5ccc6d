#include "kernels/cuda/cuda_executor.h"

#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/delta_chunk.h"
#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/gdn_prompt.h"
#include "kernels/cuda/workspace.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>

namespace trefoil::cuda {
namespace {

/// Rows of the largest prompt chunk. A chunk reads every expert once, so larger ones cost less a token; a request to stop waits
/// for one chunk.
constexpr std::int64_t kPromptChunk = 4096;
/// Captured graphs that are kept; a pass shape more and all are made anew.
constexpr std::size_t kMaxGraphs = 48;

std::string gigabytes(std::uint64_t bytes) {
    const std::uint64_t tenths = (bytes + 50000000) / 100000000;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " GB";
}

bool environmentIs(const char* name, const char* value) {
    const char* text = std::getenv(name);
    return text != nullptr && std::strcmp(text, value) == 0;
}

double rampOf(std::int64_t n, std::int64_t start, std::int64_t window) {
    return std::clamp(static_cast<double>(n - start) / static_cast<double>(std::max<std::int64_t>(window, 1)), 0.0, 1.0);
}

/// How the logits become choices.
enum class HeadMode : int { None, Records, SampledRecords, Logits, SampledLogits };

/// What decides which kernels run; everything else is in PassParams.
struct PassShape {
    std::int64_t t = 0;
    std::int64_t clean = 0;
    std::int64_t outputFirst = 0;
    std::int64_t outputs = 0;
    HeadMode head = HeadMode::None;
    bool coreset = false;
    bool verify = false;
    bool counts = false;
    [[nodiscard]] auto key() const { return std::make_tuple(t, clean, outputFirst, outputs, head, coreset, verify, counts); }
};

/// Stops the first failing call of a pass and remembers it.
class Calls {
public:
    bool operator()(cudaError_t e) {
        if (m_error == cudaSuccess) m_error = e;
        return m_error == cudaSuccess;
    }
    [[nodiscard]] cudaError_t error() const { return m_error; }

private:
    cudaError_t m_error = cudaSuccess;
};

class HostSnapshot : public PrefixSnapshot {
public:
    [[nodiscard]] std::uint64_t bytes() const override { return data.size(); }
    [[nodiscard]] std::int64_t length() const override { return rows; }
    std::vector<std::byte> data;
    std::int64_t rows = 0;
    const void* owner = nullptr;
};

/// The part that benchmarks reach, whatever the precision.
class ForcedExperts {
public:
    virtual ~ForcedExperts() = default;
    int forced = 0;
};

/// What does not depend on the precision: the device, its buffers, and the plan.
struct Setup {
    int device = 0;
    std::string name;
    int major = 0;
    int sms = 1;
    std::size_t sharedBytes = 0;  ///< that a block may have
    std::uint64_t freeBytes = 0;
    WorkspaceShape size;
    MemoryPlan plan;
};

Result<Setup> prepare(const LoadRequest& request) {
    Setup setup;
    setup.device = request.device;
    cudaDeviceProp properties{};
    if (const cudaError_t e = cudaSetDevice(request.device); e != cudaSuccess) return cudaFailure(e, "selecting the device");
    if (const cudaError_t e = cudaGetDeviceProperties(&properties, request.device); e != cudaSuccess)
        return cudaFailure(e, "asking for the device's properties");
    std::size_t freeBytes = 0;
    std::size_t totalBytes = 0;
    if (const cudaError_t e = cudaMemGetInfo(&freeBytes, &totalBytes); e != cudaSuccess)
        return cudaFailure(e, "asking for the free memory");
    setup.name = properties.name;
    setup.major = properties.major;
    setup.sms = properties.multiProcessorCount;
    setup.freeBytes = freeBytes;
    // A smaller value tries the shapes of smaller cards on a larger one.
    const char* least = std::getenv("TREFOIL_CUDA_SHARED_KIB");
    setup.sharedBytes = least == nullptr
                            ? properties.sharedMemPerBlockOptin
                            : std::min<std::size_t>(properties.sharedMemPerBlockOptin, std::strtoull(least, nullptr, 10) * 1024);
    const ModelConfig& config = *request.config;
    const bool floats = environmentIs("TREFOIL_CUDA_PRECISION", "float32");
    const std::int64_t context =
        request.context > 0 ? std::min(request.context, config.maxPositionEmbeddings) : config.maxPositionEmbeddings;
    setup.size.positions = context + kMaxPassRows;
    setup.size.chunk = floats ? Executor::kDefaultChunk : std::max<std::int64_t>(kMaxPassRows, std::min(kPromptChunk, context));
    setup.size.floats = floats;
    setup.size.sms = setup.sms;
    const ModelShape shape(config);
    setup.size.chunkedDelta = !floats && shape.gdnLayers > 0 && deltaChunkSupports(shape.gdn, setup.sharedBytes);
    const ModelWeights weights(config, floats ? WeightFormat::Float32 : WeightFormat::BFloat16);
    Workspace space;
    Carver scratch(nullptr);
    Carver states(nullptr);
    Carver keyValue(nullptr);
    space.carveScratch(scratch, shape, setup.size);
    space.carveStates(states, shape);
    space.carveKeyValue(keyValue, shape, setup.size);
    setup.plan.weights = weights.bytes();
    setup.plan.workspace = scratch.used();
    setup.plan.states = states.used();
    setup.plan.keyValue = keyValue.used();
    setup.plan.available = freeBytes;
    return setup;
}

/// Sizes that the kernels cannot run. Empty when they can.
std::string unsupported(const ModelConfig& c, std::size_t sharedBytes) {
    if (c.numExperts > 1024) return "more than 1024 experts";
    if (c.headDim > 512) return "attention heads of more than 512";
    // Odd sizes keep a head's state in shared memory.
    const bool inRegisters =
        c.linearValueHeadDim % 32 == 0 && (c.linearKeyHeadDim == 32 || c.linearKeyHeadDim == 64 || c.linearKeyHeadDim == 128);
    if (const std::int64_t state = c.linearKeyHeadDim * (c.linearValueHeadDim + 2) * 4;
        !inRegisters && state > static_cast<std::int64_t>(sharedBytes))
        return "GDN heads with " + std::to_string(state / 1024) + " KiB of state on a card whose blocks have " +
               std::to_string(sharedBytes / 1024) + " KiB";
    return {};
}

template <class T>
class CudaExecutor final : public Executor, public ForcedExperts {
    static constexpr bool kBf16 = std::is_same_v<T, Bf16>;

public:
    CudaExecutor(const ModelConfig& config, Setup setup)
        : m_config(config),
          m_shape(config),
          m_setup(std::move(setup)),
          m_weights(config, kBf16 ? WeightFormat::BFloat16 : WeightFormat::Float32) {}
    ~CudaExecutor() override {
        cudaSetDevice(m_setup.device);
        dropGraphs();
        if (m_stream != nullptr) cudaStreamDestroy(m_stream);
    }
    CudaExecutor(const CudaExecutor&) = delete;
    CudaExecutor& operator=(const CudaExecutor&) = delete;

    Status load(const LoadRequest& request, const Progress& progress, const CancelFlag* cancel);

    [[nodiscard]] const ModelConfig& config() const override { return m_config; }
    [[nodiscard]] std::string deviceName() const override {
        return m_setup.name + " (cuda:" + std::to_string(m_setup.device) + ")" + (kBf16 ? "" : ", float32");
    }
    [[nodiscard]] MemoryPlan memory() const override { return m_setup.plan; }
    [[nodiscard]] bool reducedPrecision() const override { return kBf16; }
    [[nodiscard]] std::int64_t maxChunk() const override { return m_setup.size.chunk; }
    [[nodiscard]] bool fusesCommit() const override { return kBf16; }
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
    void dropGraphs();

    void fillControls(const PassControls& controls, const PassShape& shape, std::span<const TokenId> outputIds, CountRows count);
    [[nodiscard]] HeadMode headMode(const GenerationConfig& config, std::int64_t rows) const;
    Result<PassOutput> run(const PassShape& shape, std::span<const TokenId> ids);
    cudaError_t replay(const PassShape& shape);
    cudaError_t enqueue(const PassShape& shape);
    PassOutput collect(const PassShape& shape, double milliseconds) const;

    [[nodiscard]] Rows gemm(Calls& ok, const void* w, std::int64_t m, std::int64_t k, const T* x, std::int64_t t, void* out,
                            bool wantFloat, bool onePart = false);
    [[nodiscard]] Rows gdn(Calls& ok, const PassShape& p, const LayerWeights& w, int index);
    void promptGdn(Calls& ok, const PassShape& p, const GdnVectors& w, const Rows& projected, float* state, float* tail,
                   Bf16* mixed);
    [[nodiscard]] Rows attention(Calls& ok, const PassShape& p, const LayerWeights& w, int index);
    [[nodiscard]] Rows mixtureOfExperts(Calls& ok, const PassShape& p, const LayerWeights& w, int layer);
    void head(Calls& ok, const PassShape& p, const Rows& add);
    void shiftRows(Calls& ok, const PassShape& p, Rows& add);
    /// First row of x that the logits of output rows from `first` on come from (section 9: noisy rows may predict the next
    /// token).
    [[nodiscard]] std::int64_t logitRow(const PassShape& p, std::int64_t first) const {
        return m_config.compatibility.noisyRowsPredictNext && p.clean < p.t ? first - 1 : first;
    }
    void captureLayer(Calls& ok, const PassShape& p, Rows& add);
    void captureLogits(Calls& ok, const PassShape& p);
    [[nodiscard]] bool smallExperts(std::int64_t t) const {
        return kBf16 && t <= kSmallRows && m_shape.hidden % 8 == 0 && m_shape.width % 8 == 0 && m_shape.sharedWidth % 8 == 0;
    }
    [[nodiscard]] bool largeExperts() const {
        return kBf16 && m_shape.hidden % 8 == 0 && m_shape.width % 8 == 0 && m_shape.sharedWidth % 8 == 0;
    }

    ModelConfig m_config;
    ModelShape m_shape;
    Setup m_setup;
    ModelWeights m_weights;
    DeviceBlock m_scratchBlock;
    DeviceBlock m_stateBlock;
    DeviceBlock m_keyValueBlock;
    Workspace m_space;
    std::unique_ptr<CublasLt> m_blas;
    PinnedBlock m_pinned;
    PassParams* m_params = nullptr;         // pinned
    RowResult* m_results = nullptr;         // pinned, [kMaxOutputRows]
    LayerResult* m_layerResults = nullptr;  // pinned, [layers]
    std::int32_t* m_ids = nullptr;          // pinned, [chunk]
    cudaStream_t m_stream = nullptr;
    Launcher m_on;
    std::map<decltype(PassShape{}.key()), cudaGraphExec_t> m_graphs;
    std::set<decltype(PassShape{}.key())> m_seen;
    std::int64_t m_prefix = 0;
    std::int64_t m_pending = 0;  // rows of a verify() that keep() has not settled
    PassCapture* m_capture = nullptr;
    std::optional<Error> m_lost;
};

// ---- loading

template <class T>
Status CudaExecutor<T>::load(const LoadRequest& request, const Progress& progress, const CancelFlag* cancel) {
    Calls ok;
    const MemoryPlan& plan = m_setup.plan;
    ok(cudaSetDevice(m_setup.device)) && ok(m_stateBlock.allocate(plan.states)) && ok(m_keyValueBlock.allocate(plan.keyValue)) &&
        ok(m_scratchBlock.allocate(plan.workspace));
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "allocating the workspace");
    if (Status s = m_weights.upload(request, progress, cancel); !s.ok()) return s;

    Carver scratch(m_scratchBlock.data());
    Carver states(m_stateBlock.data());
    Carver keyValue(m_keyValueBlock.data());
    m_space.carveScratch(scratch, m_shape, m_setup.size);
    m_space.carveStates(states, m_shape);
    m_space.carveKeyValue(keyValue, m_shape, m_setup.size);

    const auto layers = static_cast<std::size_t>(m_config.numLayers());
    Carver count(nullptr);
    const auto carvePinned = [&](Carver& c) {
        m_params = c.take<PassParams>(1);
        m_results = c.take<RowResult>(kMaxOutputRows);
        m_layerResults = c.take<LayerResult>(static_cast<std::int64_t>(layers));
        m_ids = c.take<std::int32_t>(m_setup.size.chunk);
    };
    carvePinned(count);
    ok(m_pinned.allocate(count.used())) && ok(cudaStreamCreateWithFlags(&m_stream, cudaStreamNonBlocking));
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "allocating pinned memory");
    Carver pinned(m_pinned.data());
    carvePinned(pinned);
    *m_params = PassParams{};
    const bool portable = environmentIs("TREFOIL_CUDA_PATH", "portable");
    bool hopper = false;
    if (m_setup.major == 9 && !portable) ok(builtForHopper(hopper));
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "running a first kernel");
    m_on = Launcher{m_stream, m_setup.major >= 9 && !portable, hopper, m_setup.sms, m_setup.sharedBytes};

    // Tables that never change: what is special about a token, and the rotary frequencies.
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(m_shape.vocab), 0);
    for (const TokenId id : m_config.eosTokenIds)
        if (id >= 0 && id < m_shape.vocab) flags[static_cast<std::size_t>(id)] |= kFlagEos;
    if (m_config.maskTokenId >= 0 && m_config.maskTokenId < m_shape.vocab)
        flags[static_cast<std::size_t>(m_config.maskTokenId)] |= kFlagMask;
    const int rotary = m_shape.attention.rotaryDim;
    std::vector<float> frequencies(static_cast<std::size_t>(std::max(1, rotary / 2)), 0.0F);
    for (int j = 0; j < rotary / 2; ++j)
        frequencies[static_cast<std::size_t>(j)] =
            1.0F / std::pow(static_cast<float>(m_config.ropeTheta), static_cast<float>(2 * j) / static_cast<float>(rotary));
    ok(cudaMemset(m_scratchBlock.data(), 0, plan.workspace)) && ok(cudaMemset(m_stateBlock.data(), 0, plan.states)) &&
        ok(cudaMemset(m_keyValueBlock.data(), 0, plan.keyValue)) &&
        ok(cudaMemcpy(m_space.flags, flags.data(), flags.size(), cudaMemcpyHostToDevice)) &&
        ok(cudaMemcpy(m_space.frequencies, frequencies.data(), frequencies.size() * sizeof(float), cudaMemcpyHostToDevice)) &&
        ok(cudaDeviceSynchronize());
    if (ok.error() != cudaSuccess) return cudaFailure(ok.error(), "preparing the model");
    if (kBf16) {
        std::string message;
        m_blas = CublasLt::open(message);
    }
    return {};
}

// ---- checks and errors

template <class T>
Error CudaExecutor<T>::lost(cudaError_t e, const std::string& doing) {
    Error error = cudaFailure(e, doing);
    if (error.kind == ErrorKind::DeviceLost) m_lost = error;
    return error;
}

template <class T>
void CudaExecutor<T>::dropGraphs() {
    for (auto& entry : m_graphs) cudaGraphExecDestroy(entry.second);
    m_graphs.clear();
    m_seen.clear();
}

/// Checks the ids of a pass and its place in the context. scratchOnly: its rows join no prefix, and may lie behind the context.
template <class T>
Status CudaExecutor<T>::ready(std::span<const TokenId> ids, std::int64_t limit, bool scratchOnly) {
    if (m_lost.has_value()) return *m_lost;
    if (m_pending > 0) return makeError(ErrorKind::Internal, "a pass follows a verify that was not settled with keep()");
    const auto count = static_cast<std::int64_t>(ids.size());
    if (count < 1 || count > limit)
        return makeError(ErrorKind::InvalidArgument, "a pass of " + std::to_string(count) + " rows was asked for; 1 to " +
                                                         std::to_string(limit) + " are possible");
    for (const TokenId id : ids)
        if (id < 0 || id >= m_shape.vocab)
            return makeError(ErrorKind::InvalidArgument,
                             "token id " + std::to_string(id) + " is outside the vocabulary of " + std::to_string(m_shape.vocab));
    const std::int64_t context = m_setup.size.positions - kMaxPassRows;
    if (m_prefix + (scratchOnly ? 0 : count) > context)
        return makeError(ErrorKind::DoesNotFit,
                         "the prefix of " + std::to_string(m_prefix) + " and " + std::to_string(count) +
                             " more tokens exceed the " + std::to_string(context) + " positions that were planned",
                         "load the model with a larger context");
    if (const cudaError_t e = cudaSetDevice(m_setup.device); e != cudaSuccess) return lost(e, "selecting the device");
    return {};
}

// ---- prefix and counts

template <class T>
Status CudaExecutor<T>::reset() {
    if (m_lost.has_value()) return *m_lost;
    m_prefix = 0;
    m_pending = 0;
    cudaSetDevice(m_setup.device);
    if (const cudaError_t e = cudaMemsetAsync(m_stateBlock.data(), 0, m_setup.plan.states, m_stream); e != cudaSuccess)
        return lost(e, "clearing the states");
    return resetCounts();
}

template <class T>
Status CudaExecutor<T>::resetCounts() {
    if (m_lost.has_value()) return *m_lost;
    const std::size_t bytes = static_cast<std::size_t>(m_shape.vocab) * sizeof(std::int32_t);
    if (const cudaError_t e = cudaMemsetAsync(m_space.counts, 0, bytes, m_stream); e != cudaSuccess)
        return lost(e, "clearing the counts");
    return {};
}

template <class T>
Status CudaExecutor<T>::countTokens(std::span<const TokenId> tokens) {
    if (m_lost.has_value()) return *m_lost;
    for (const TokenId id : tokens)
        if (id < 0 || id >= m_shape.vocab)
            return makeError(ErrorKind::InvalidArgument, "token id " + std::to_string(id) + " cannot be counted");
    cudaSetDevice(m_setup.device);
    Calls ok;
    for (std::size_t at = 0; at < tokens.size(); at += static_cast<std::size_t>(m_setup.size.chunk)) {
        const auto part =
            tokens.subspan(at, std::min<std::size_t>(static_cast<std::size_t>(m_setup.size.chunk), tokens.size() - at));
        // Pageable memory: the ids have left it when the call returns.
        ok(cudaMemcpyAsync(m_space.ids, part.data(), part.size_bytes(), cudaMemcpyHostToDevice, m_stream)) &&
            ok(addCounts(m_on, m_space.ids, static_cast<int>(part.size()), m_space.counts));
    }
    if (ok.error() != cudaSuccess) return lost(ok.error(), "counting tokens");
    return {};
}

// ---- passes

template <class T>
HeadMode CudaExecutor<T>::headMode(const GenerationConfig& config, std::int64_t rows) const {
    const bool truncates = config.samples() && ((config.topK > 0 && config.topK < m_shape.vocab) || config.topP < 1.0);
    const bool fused = kBf16 && rows <= kSmallRows && skinnySupports(m_shape.hidden) && m_capture == nullptr && !truncates;
    if (fused) return config.samples() ? HeadMode::SampledRecords : HeadMode::Records;
    return config.samples() ? HeadMode::SampledLogits : HeadMode::Logits;
}

template <class T>
void CudaExecutor<T>::fillControls(const PassControls& controls, const PassShape& shape, std::span<const TokenId> outputIds,
                                   CountRows count) {
    const GenerationConfig& g = *controls.config;
    PassParams& p = *m_params;
    p.countFirst = count == CountRows::All ? controls.promptRows : 0;
    p.countRows = count;
    p.thinkEndId = controls.thinkEndId.value_or(-1);
    p.topK = static_cast<std::int32_t>(std::min<std::int64_t>(g.topK, 0x7FFFFFFF));
    p.repetition = static_cast<float>(g.repetitionPenalty);
    p.presence = static_cast<float>(g.presencePenalty);
    p.frequency = static_cast<float>(g.frequencyPenalty);
    p.temperature = static_cast<float>(g.temperature);
    p.topP = static_cast<float>(g.topP);
    p.coresetTopP = static_cast<float>(g.coresetTopP);
    p.seed = g.seed;
    p.step = controls.step;
    bool open = controls.thinkingOpen && controls.thinkEndId.has_value();
    const auto closes = [&](TokenId id) { return controls.thinkEndId.has_value() && id == *controls.thinkEndId; };
    if (count == CountRows::All)
        for (std::size_t t = static_cast<std::size_t>(p.countFirst); t < outputIds.size(); ++t)
            open = open && !closes(outputIds[t]);
    for (std::int64_t t = 0; t < shape.outputs; ++t) {
        if (count == CountRows::UpToOwn) open = open && !closes(outputIds[static_cast<std::size_t>(t)]);
        const std::int64_t n = controls.firstPosition + t;
        p.position[t] = n;
        p.lengthBias[t] = static_cast<float>(g.lengthPenalty * rampOf(n, g.lengthPenaltyStart, g.lengthPenaltyWindow));
        p.thinkBias[t] = open ? static_cast<float>(g.thinkEndBias * rampOf(n, g.thinkEndStart, g.thinkEndWindow)) : 0.0F;
    }
}

template <class T>
Result<PassOutput> CudaExecutor<T>::prefill(std::span<const TokenId> ids, const PassControls* controls) {
    if (Status s = ready(ids, m_setup.size.chunk, false); !s.ok()) return s.error();
    PassShape shape;
    shape.t = shape.clean = static_cast<std::int64_t>(ids.size());
    if (controls != nullptr) {
        shape.outputFirst = shape.t - 1;
        shape.outputs = 1;
        shape.head = headMode(*controls->config, 1);
        fillControls(*controls, shape, ids.last(1), CountRows::None);
    }
    auto output = run(shape, ids);
    if (output.ok()) m_prefix += shape.t;
    return output;
}

template <class T>
Result<PassOutput> CudaExecutor<T>::denoise(std::span<const TokenId> block, const PassControls& controls) {
    if (Status s = ready(block, kMaxOutputRows, true); !s.ok()) return s.error();
    PassShape shape;
    shape.t = shape.outputs = static_cast<std::int64_t>(block.size());
    shape.head = headMode(*controls.config, shape.outputs);
    shape.coreset = controls.config->coresetEnabled && controls.config->coresetTopP < 1.0;
    shape.counts = true;
    fillControls(controls, shape, block, CountRows::All);
    return run(shape, block);
}

template <class T>
Result<PassOutput> CudaExecutor<T>::verify(std::span<const TokenId> ids, const PassControls& controls) {
    if (Status s = ready(ids, kMaxOutputRows, true); !s.ok()) return s.error();
    PassShape shape;
    shape.t = shape.clean = shape.outputs = static_cast<std::int64_t>(ids.size());
    shape.head = headMode(*controls.config, shape.outputs);
    shape.verify = true;
    shape.counts = true;
    fillControls(controls, shape, ids, CountRows::UpToOwn);
    auto output = run(shape, ids);
    if (output.ok()) m_pending = shape.t;
    return output;
}

template <class T>
Status CudaExecutor<T>::keep(std::int64_t rows) {
    if (m_lost.has_value()) return *m_lost;
    if (rows < 0 || rows > m_pending)
        return makeError(ErrorKind::InvalidArgument,
                         "keep() of " + std::to_string(rows) + " rows follows a verify of " + std::to_string(m_pending));
    const std::int64_t context = m_setup.size.positions - kMaxPassRows;
    m_pending = 0;
    if (m_prefix + rows > context)
        return makeError(ErrorKind::DoesNotFit, "keeping " + std::to_string(rows) + " tokens exceeds the " +
                                                    std::to_string(context) + " positions that were planned");
    if (rows == 0) return {};
    cudaSetDevice(m_setup.device);
    Calls ok;
    for (std::size_t i = 0; i < m_space.kept.size(); ++i) {
        const GdnRows& kept = m_space.kept[i];
        const Rows inputs{kept.inputs, m_shape.gdn.channels(), 0, 1, false};
        ok(deltaRule(m_on, m_shape.gdn, kept, rows, m_space.states[i], true, nullptr)) &&
            ok(gdnTail(m_on, m_shape.gdn, inputs, m_space.tails[i], m_space.params, rows));
    }
    if (m_config.compatibility.noisyRowsPredictNext)
        ok(cudaMemcpyAsync(m_space.lastHidden, m_space.x + (rows - 1) * m_shape.hidden,
                           static_cast<std::size_t>(m_shape.hidden) * sizeof(float), cudaMemcpyDeviceToDevice, m_stream));
    if (ok.error() != cudaSuccess) return lost(ok.error(), "keeping verified tokens");
    m_prefix += rows;
    return {};
}

template <class T>
Result<PassOutput> CudaExecutor<T>::commitAndDenoise(std::span<const TokenId> clean, std::span<const TokenId> tokensToCount,
                                                     std::span<const TokenId> block, const PassControls& controls) {
    const std::size_t rows = clean.size() + block.size();
    // Beyond the rows that one read of the weights serves, two passes are as good.
    if (!kBf16 || rows > kSmallRows || clean.empty() || m_capture != nullptr)
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
    fillControls(controls, shape, block, CountRows::All);
    auto output = run(shape, ids);
    if (output.ok()) m_prefix += shape.clean;
    return output;
}

/// Runs a pass whose controls are in m_params already, waits for it, and reads what it left.
template <class T>
Result<PassOutput> CudaExecutor<T>::run(const PassShape& shape, std::span<const TokenId> ids) {
    const auto start = std::chrono::steady_clock::now();
    PassParams& p = *m_params;
    p.prefix = m_prefix;
    p.rows = static_cast<std::int32_t>(shape.t);
    p.clean = static_cast<std::int32_t>(shape.clean);
    p.outputFirst = static_cast<std::int32_t>(shape.outputFirst);
    p.outputs = static_cast<std::int32_t>(shape.outputs);
    p.forcedExperts = forced;
    if (shape.outputs == 0 || !shape.counts) p.countRows = CountRows::None;
    std::copy(ids.begin(), ids.end(), m_ids);
    std::copy_n(ids.begin(), std::min<std::size_t>(ids.size(), kMaxPassRows), p.ids);
    const bool graphs = m_capture == nullptr && shape.t <= kSmallRows && !m_config.compatibility.noisyRowsPredictNext;
    if (m_capture != nullptr) *m_capture = PassCapture{};
    cudaError_t e = graphs ? replay(shape) : enqueue(shape);
    if (e == cudaSuccess) e = cudaStreamSynchronize(m_stream);
    if (e != cudaSuccess) return lost(e, "a pass");
    return collect(shape, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
}

/// The pass as a CUDA graph: captured the second time that its shape occurs.
template <class T>
cudaError_t CudaExecutor<T>::replay(const PassShape& shape) {
    const auto key = shape.key();
    if (const auto found = m_graphs.find(key); found != m_graphs.end()) return cudaGraphLaunch(found->second, m_stream);
    if (m_seen.insert(key).second) return enqueue(shape);
    if (m_graphs.size() >= kMaxGraphs) dropGraphs();
    cudaError_t e = cudaStreamBeginCapture(m_stream, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    const cudaError_t recorded = enqueue(shape);
    cudaGraph_t graph = nullptr;
    e = cudaStreamEndCapture(m_stream, &graph);
    if (e == cudaSuccess && recorded == cudaSuccess) {
        cudaGraphExec_t executable = nullptr;
        e = cudaGraphInstantiate(&executable, graph, 0);
        if (e == cudaSuccess) {
            m_graphs.emplace(key, executable);
            e = cudaGraphLaunch(executable, m_stream);
        }
    }
    if (graph != nullptr) cudaGraphDestroy(graph);
    return recorded != cudaSuccess ? recorded : e;
}

template <class T>
cudaError_t CudaExecutor<T>::enqueue(const PassShape& p) {
    Calls ok;
    // What a pass leaves for the host (m_results, m_layerResults) is written by its kernels straight into pinned memory.
    const bool fewIds = p.t <= kMaxPassRows;
    const std::int32_t* ids = fewIds ? m_space.params->ids : m_space.ids;
    ok(cudaMemcpyAsync(m_space.params, m_params, sizeof(PassParams), cudaMemcpyHostToDevice, m_stream));
    if (!fewIds)
        ok(cudaMemcpyAsync(m_space.ids, m_ids, static_cast<std::size_t>(p.t) * sizeof(std::int32_t), cudaMemcpyHostToDevice,
                           m_stream));
    ok(embed(m_on, m_weights.format(), m_weights.embedding(), ids, p.t, m_shape.hidden, m_space.x));
    const auto eps = static_cast<float>(m_config.rmsNormEps);
    const bool zeroCentred = m_config.compatibility.zeroCentredNorms;
    T* h = static_cast<T*>(m_space.h);
    Rows add;
    int gdnIndex = 0;
    int attentionIndex = 0;
    for (std::size_t i = 0; i < m_weights.layers().size() && ok.error() == cudaSuccess; ++i) {
        const LayerWeights& w = m_weights.layers()[i];
        ok(addNorm<T>(m_on, m_space.x, add, w.inputNorm, zeroCentred, eps, 0, p.t, m_shape.hidden, h));
        add = w.kind == LayerKind::GatedDeltaNet ? gdn(ok, p, w, gdnIndex++) : attention(ok, p, w, attentionIndex++);
        ok(addNorm<T>(m_on, m_space.x, add, w.postNorm, zeroCentred, eps, 0, p.t, m_shape.hidden, h));
        add = mixtureOfExperts(ok, p, w, static_cast<int>(i));
        if (m_capture != nullptr) captureLayer(ok, p, add);
    }
    if (m_config.compatibility.noisyRowsPredictNext && ok.error() == cudaSuccess) shiftRows(ok, p, add);
    if (ok.error() == cudaSuccess) head(ok, p, add);
    return ok.error();
}

template <class T>
PassOutput CudaExecutor<T>::collect(const PassShape& shape, double milliseconds) const {
    PassOutput output;
    output.rows.resize(static_cast<std::size_t>(shape.outputs));
    for (std::size_t i = 0; i < output.rows.size(); ++i) {
        const RowResult& r = m_results[i];
        output.rows[i].token = r.token;
        output.rows[i].confidence = r.confidence;
        for (std::size_t j = 0; j < kTopAlternatives; ++j)
            output.rows[i].top[j] = {r.topIds[j], r.topIds[j] < 0 ? 0.0F : r.topProbabilities[j]};
    }
    output.stats.milliseconds = milliseconds;
    output.stats.weightBytes = m_weights.denseBytes() + (shape.outputs > 0 ? m_weights.headBytes() : 0);
    for (std::size_t i = 0; i < m_weights.layers().size(); ++i) {
        const LayerResult& r = m_layerResults[i];
        output.stats.layers.push_back({r.distinct, r.coreset, r.share});
        output.stats.weightBytes += static_cast<std::uint64_t>(r.distinct) * m_weights.expertBytes();
    }
    return output;
}

// ---- the parts of a pass

/// x [t, k] · w [m, k] transposed, by whichever kernel suits. Small passes give partial sums, large ones bf16 rows (float32 when
/// wantFloat).
template <class T>
Rows CudaExecutor<T>::gemm(Calls& ok, const void* w, std::int64_t m, std::int64_t k, const T* x, std::int64_t t, void* out,
                           bool wantFloat, bool onePart) {
    Rows result{out, m, t * m, 1, false};
    if constexpr (kBf16) {
        if (skinnySupports(k)) {
            const auto* weights = static_cast<const Bf16*>(w);
            if (t <= kSmallRows) {
                result.splits = onePart ? 1 : skinnySplits(m, k, m_on.sms);
                ok(skinnyGemm(m_on, weights, m, k, x, static_cast<int>(t), result.splits, static_cast<float*>(out)));
                return result;
            }
            result.isBf16 = !wantFloat;
            if (m_blas != nullptr && m % 8 == 0 &&
                m_blas->gemm(m_stream, weights, m, k, x, t, out, wantFloat, m_space.blasWorkspace))
                return result;
            ok(tileGemm(m_on, weights, m, k, x, t, out, wantFloat));
            return result;
        }
    }
    ok(plainGemm<T>(m_on, m_weights.format(), w, m, k, x, t, static_cast<float*>(out)));
    return result;
}

template <class T>
Rows CudaExecutor<T>::gdn(Calls& ok, const PassShape& p, const LayerWeights& w, int index) {
    const GdnShape& s = m_shape.gdn;
    const auto slot = static_cast<std::size_t>(index);
    const Rows projected =
        gemm(ok, w.input, s.projected(), m_shape.hidden, static_cast<const T*>(m_space.h), p.t, m_space.projected, false);
    const GdnRows& rows = p.verify ? m_space.kept[slot] : m_space.rows;
    const Compatibility& switches = m_config.compatibility;
    const auto eps = static_cast<float>(m_config.rmsNormEps);
    float* state = m_space.states[slot];
    float* tail = m_space.tails[slot];
    T* mixed = static_cast<T*>(m_space.mixed);
    const std::int64_t noisy = p.t - p.clean;
    if constexpr (kBf16) {
        if (p.t == 1 && p.clean == 1 && !p.verify && !projected.isBf16 && gdnStepSupports(m_on, s)) {
            ok(gdnStep(m_on, s, w.gdn, projected, tail, state, eps, mixed));
            return gemm(ok, w.output, m_shape.hidden, s.values(), mixed, p.t, m_space.partial, true);
        }
    }
    if constexpr (kBf16) {
        if (p.t > kSmallRows && noisy == 0 && !p.verify && m_setup.size.chunkedDelta && promptInputsSupports(s, projected)) {
            promptGdn(ok, p, w.gdn, projected, state, tail, static_cast<Bf16*>(mixed));
            return gemm(ok, w.output, m_shape.hidden, s.values(), mixed, p.t, m_space.partial, true);
        }
    }
    const bool fused = kBf16 && !projected.isBf16 && fusedMixSupports(m_on, s, noisy);
    // A fused block reads the tail before the clean rows replace it: the order of the next three matters when it follows few of
    // them.
    const bool tailInInputs = !p.verify && p.clean == p.t && gdnInputsWritesTail(s, p.t);
    if (!fused || p.clean > 0)
        ok(gdnInputs(m_on, s, w.gdn, projected, tail, tailInInputs ? tail : nullptr, m_space.params, p.t, rows));
    if (p.clean > 0) ok(deltaRule(m_on, s, rows, p.clean, state, !p.verify, m_space.o));
    if (noisy > 0 && !fused)
        ok(blockMix(m_on, s, w.gdn, rows, p.clean, static_cast<int>(noisy), state, switches.scaleHistoryRead,
                    switches.scaleNoisyValueByBeta, m_space.o));
    if (!fused || p.clean > 0) ok(gatedNorm<T>(m_on, s, w.gdn, m_space.o, projected, eps, fused ? p.clean : p.t, mixed));
    if constexpr (kBf16) {
        if (noisy > 0 && fused)
            ok(fusedMix(m_on, s, w.gdn, projected, tail, p.clean, static_cast<int>(noisy), state, p.clean == 0,
                        switches.scaleHistoryRead, switches.scaleNoisyValueByBeta, eps, mixed));
    }
    if (p.clean > 0 && !p.verify && !tailInInputs) ok(gdnTail(m_on, s, projected, tail, m_space.params, -1));
    return gemm(ok, w.output, m_shape.hidden, s.values(), mixed, p.t, m_space.partial, true);
}

/// The clean rows of a prompt: the delta rule in chunks on tensor cores, with float16 between its kernels.
template <class T>
void CudaExecutor<T>::promptGdn(Calls& ok, const PassShape& p, const GdnVectors& w, const Rows& projected, float* state,
                                float* tail, Bf16* mixed) {
    const GdnShape& s = m_shape.gdn;
    // The float32 buffers of small passes, at half their width.
    const PromptRows rows{reinterpret_cast<__half*>(m_space.rows.q), reinterpret_cast<__half*>(m_space.rows.k),
                          reinterpret_cast<__half*>(m_space.rows.v), m_space.rows.decay, m_space.rows.beta};
    auto* o = reinterpret_cast<__half*>(m_space.o);
    const DeltaChunkRows<__half> in{rows.q, rows.k, rows.v, rows.decay, rows.beta};
    ok(promptInputs(m_on, s, w, projected, tail, p.t, rows)) &&
        ok(deltaChunk(m_on, s, in, p.t, state, true, o, m_space.deltaSpace, DeltaChunkPlan{})) &&
        ok(promptGatedNorm(m_on, s, w, o, projected, static_cast<float>(m_config.rmsNormEps), p.t, mixed)) &&
        ok(gdnTail(m_on, s, projected, tail, m_space.params, -1));
}

template <class T>
Rows CudaExecutor<T>::attention(Calls& ok, const PassShape& p, const LayerWeights& w, int index) {
    const AttentionShape& s = m_shape.attention;
    const auto slot = static_cast<std::size_t>(index);
    const Rows projected =
        gemm(ok, w.input, s.projected(), m_shape.hidden, static_cast<const T*>(m_space.h), p.t, m_space.projected, false);
    T* q = static_cast<T*>(m_space.q);
    T* keys = static_cast<T*>(m_space.keys[slot]);
    T* values = static_cast<T*>(m_space.values[slot]);
    ok(attentionInputs<T>(m_on, s, projected, w.qNorm, w.kNorm, m_config.compatibility.zeroCentredNorms,
                          static_cast<float>(m_config.rmsNormEps), m_space.frequencies, m_space.params, p.t, q, keys, values));
    int splits = 1;
    bool done = false;
    if constexpr (kBf16) {
        if (flashSupports(s)) {
            splits = flashSplits(s, p.t, m_on.sms);
            ok(flashAttention(m_on, s, q, keys, values, m_setup.size.positions, m_space.params, p.t, splits, m_space.parts));
            done = true;
        }
    }
    if (!done) ok(plainAttention<T>(m_on, s, q, keys, values, m_space.params, p.t, m_space.parts));
    T* mixed = static_cast<T*>(m_space.mixed);
    ok(attentionOutput<T>(m_on, s, m_space.parts, splits, projected, p.t, mixed));
    return gemm(ok, w.output, m_shape.hidden, static_cast<std::int64_t>(s.queryHeads) * s.headDim, mixed, p.t, m_space.partial,
                true);
}

template <class T>
Rows CudaExecutor<T>::mixtureOfExperts(Calls& ok, const PassShape& p, const LayerWeights& w, int layer) {
    const T* h = static_cast<const T*>(m_space.h);
    LayerResult* result = m_layerResults + layer;
    const Rows logits = gemm(ok, w.router, p.t > kSmallRows ? m_shape.routerRows() : m_shape.experts + 1, m_shape.hidden, h, p.t,
                             m_space.routerLogits, true);
    const RouteOptions options{m_shape.experts, m_shape.perToken, p.coreset, m_config.compatibility.coresetMassRenormalised};
    if (p.t <= kMaxPassRows)
        ok(routeSmall(m_on, logits, static_cast<int>(p.t), options, m_space.params, m_space.routing, m_space.active, result));
    else
        ok(routeLarge(m_on, logits, p.t, options, m_space.params, m_space.routing));
    if constexpr (kBf16) {
        auto* act = static_cast<Bf16*>(m_space.act);
        if (smallExperts(p.t)) {
            const int splits = expertDownSplits(m_shape.hidden, m_on.sms);
            ok(expertGateUp(m_on, w.experts, m_space.active, h, static_cast<int>(p.t), act));
            ok(expertDown(m_on, w.experts, m_space.active, act, static_cast<int>(p.t), splits, m_space.partial));
            return Rows{m_space.partial, m_shape.hidden, p.t * m_shape.hidden, splits, false};
        }
        if (largeExperts()) {
            const std::int64_t positions = p.t * (m_shape.perToken + 1);
            // Small passes have counted their experts already, with the coreset: keep what the router left.
            LayerResult* counted = p.t <= kMaxPassRows ? nullptr : result;
            ok(groupRows(m_on, m_space.routing, p.t, m_shape.experts, m_shape.perToken, m_space.groups, counted));
            ok(groupedGateUp(m_on, w.experts, m_space.groups, h, positions, act));
            ok(groupedDown(m_on, w.experts, m_space.groups, act, positions, m_space.expertOut));
            ok(combineGroups(m_on, m_space.routing, m_space.groups, m_space.expertOut, p.t, m_shape.hidden, m_shape.perToken,
                             m_space.x));
            return Rows{};
        }
    }
    ok(plainExperts<T>(m_on, w.experts, m_space.routing, h, p.t, m_shape.perToken, static_cast<float*>(m_space.act), m_space.x));
    return Rows{};
}

/// Where a noisy row's logits are those of the row before it: row -1 of x is the last clean one. A pass that extends the prefix
/// leaves it.
template <class T>
void CudaExecutor<T>::shiftRows(Calls& ok, const PassShape& p, Rows& add) {
    const std::size_t row = static_cast<std::size_t>(m_shape.hidden) * sizeof(float);
    if (add.data != nullptr) ok(addRows(m_on, m_space.x, add, p.t, m_shape.hidden));
    add = Rows{};
    const float* before = m_prefix > 0 ? m_space.lastHidden : m_space.x;
    ok(cudaMemcpyAsync(m_space.x - m_shape.hidden, before, row, cudaMemcpyDeviceToDevice, m_stream));
    if (p.clean > 0 && !p.verify)
        ok(cudaMemcpyAsync(m_space.lastHidden, m_space.x + (p.clean - 1) * m_shape.hidden, row, cudaMemcpyDeviceToDevice,
                           m_stream));
}

template <class T>
void CudaExecutor<T>::head(Calls& ok, const PassShape& p, const Rows& add) {
    if (m_capture != nullptr) captureLogits(ok, p);
    if (p.outputs == 0) return;
    T* rows = static_cast<T*>(m_space.headRows);
    ok(addNorm<T>(m_on, m_space.x, add, m_weights.norm(), m_config.compatibility.zeroCentredNorms,
                  static_cast<float>(m_config.rmsNormEps), logitRow(p, p.outputFirst), p.outputs, m_shape.hidden, rows));
    if (p.counts) ok(markPassIds(m_on, m_space.params, m_space.flags, true));
    const ControlTables tables{m_space.flags, m_space.counts};
    const int outputs = static_cast<int>(p.outputs);
    const bool sample = p.head == HeadMode::SampledRecords || p.head == HeadMode::SampledLogits;
    if (p.head == HeadMode::Records || p.head == HeadMode::SampledRecords) {
        if constexpr (kBf16) {
            ok(headRecords(m_on, static_cast<const Bf16*>(m_weights.head()), m_shape.vocab, m_shape.hidden, rows, outputs,
                           m_space.params, tables, sample, m_space.records));
            ok(mergeRecords(m_on, m_space.records, headBlocks(m_on.sms), outputs, m_space.params, sample, m_results));
        }
    } else {
        (void)gemm(ok, m_weights.head(), m_shape.vocab, m_shape.hidden, rows, p.outputs, m_space.logits, true, true);
        ok(chooseRows(m_on, m_space.logits, m_shape.vocab, outputs, m_space.params, tables, sample, m_results));
    }
    if (p.counts) ok(markPassIds(m_on, m_space.params, m_space.flags, false));
}

// ---- debugging

template <class T>
void CudaExecutor<T>::captureLayer(Calls& ok, const PassShape& p, Rows& add) {
    if (add.data != nullptr) ok(addRows(m_on, m_space.x, add, p.t, m_shape.hidden));
    add = Rows{};
    std::vector<float> x(static_cast<std::size_t>(p.t * m_shape.hidden));
    std::vector<std::int32_t> experts(static_cast<std::size_t>(p.t * m_shape.perToken));
    std::vector<std::int32_t> coreset(static_cast<std::size_t>(m_shape.experts + 1));
    ok(cudaStreamSynchronize(m_stream)) &&
        ok(cudaMemcpy(x.data(), m_space.x, x.size() * sizeof(float), cudaMemcpyDeviceToHost)) &&
        ok(cudaMemcpy(experts.data(), m_space.routing.experts, experts.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost)) &&
        ok(cudaMemcpy(coreset.data(), m_space.routing.coreset, coreset.size() * sizeof(std::int32_t), cudaMemcpyDeviceToHost));
    if (ok.error() != cudaSuccess) return;
    coreset.resize(static_cast<std::size_t>(std::clamp(coreset[0], 0, m_shape.experts)) + 1);
    coreset.erase(coreset.begin());
    m_capture->layers.push_back(std::move(x));
    m_capture->experts.push_back(std::move(experts));
    m_capture->coreset.push_back(std::move(coreset));
}

template <class T>
void CudaExecutor<T>::captureLogits(Calls& ok, const PassShape& p) {
    m_capture->logits.resize(static_cast<std::size_t>(p.t * m_shape.vocab));
    T* rows = static_cast<T*>(m_space.headRows);
    for (std::int64_t first = 0; first < p.t && ok.error() == cudaSuccess; first += kMaxOutputRows) {
        const std::int64_t n = std::min<std::int64_t>(kMaxOutputRows, p.t - first);
        ok(addNorm<T>(m_on, m_space.x, Rows{}, m_weights.norm(), m_config.compatibility.zeroCentredNorms,
                      static_cast<float>(m_config.rmsNormEps), logitRow(p, first), n, m_shape.hidden, rows));
        (void)gemm(ok, m_weights.head(), m_shape.vocab, m_shape.hidden, rows, n, m_space.logits, true, true);
        ok(cudaStreamSynchronize(m_stream)) &&
            ok(cudaMemcpy(m_capture->logits.data() + first * m_shape.vocab, m_space.logits,
                          static_cast<std::size_t>(n * m_shape.vocab) * sizeof(float), cudaMemcpyDeviceToHost));
    }
}

// ---- snapshots

template <class T>
Result<std::unique_ptr<PrefixSnapshot>> CudaExecutor<T>::snapshot() {
    if (m_lost.has_value()) return *m_lost;
    if (m_pending > 0) return makeError(ErrorKind::Internal, "a snapshot follows a verify that was not settled with keep()");
    cudaSetDevice(m_setup.device);
    auto saved = std::make_unique<HostSnapshot>();
    const std::size_t row = static_cast<std::size_t>(m_shape.attention.keyValueHeads) *
                            static_cast<std::size_t>(m_shape.attention.headDim) * sizeof(T);
    const std::size_t part = static_cast<std::size_t>(m_prefix) * row;
    saved->rows = m_prefix;
    saved->owner = this;
    saved->data.resize(m_setup.plan.states + 2 * m_space.keys.size() * part);
    Calls ok;
    ok(cudaStreamSynchronize(m_stream)) &&
        ok(cudaMemcpy(saved->data.data(), m_stateBlock.data(), m_setup.plan.states, cudaMemcpyDeviceToHost));
    std::byte* at = saved->data.data() + m_setup.plan.states;
    for (std::size_t i = 0; i < m_space.keys.size(); ++i) {
        ok(cudaMemcpy(at, m_space.keys[i], part, cudaMemcpyDeviceToHost)) &&
            ok(cudaMemcpy(at + part, m_space.values[i], part, cudaMemcpyDeviceToHost));
        at += 2 * part;
    }
    if (ok.error() != cudaSuccess) return lost(ok.error(), "saving the prefix");
    return std::unique_ptr<PrefixSnapshot>(std::move(saved));
}

template <class T>
Status CudaExecutor<T>::restore(const PrefixSnapshot& snapshot) {
    if (m_lost.has_value()) return *m_lost;
    const auto* saved = dynamic_cast<const HostSnapshot*>(&snapshot);
    if (saved == nullptr || saved->owner != this)
        return makeError(ErrorKind::InvalidArgument, "the snapshot is of another model");
    cudaSetDevice(m_setup.device);
    const std::size_t row = static_cast<std::size_t>(m_shape.attention.keyValueHeads) *
                            static_cast<std::size_t>(m_shape.attention.headDim) * sizeof(T);
    const std::size_t part = static_cast<std::size_t>(saved->rows) * row;
    Calls ok;
    ok(cudaStreamSynchronize(m_stream)) &&
        ok(cudaMemcpy(m_stateBlock.data(), saved->data.data(), m_setup.plan.states, cudaMemcpyHostToDevice));
    const std::byte* at = saved->data.data() + m_setup.plan.states;
    for (std::size_t i = 0; i < m_space.keys.size(); ++i) {
        ok(cudaMemcpy(m_space.keys[i], at, part, cudaMemcpyHostToDevice)) &&
            ok(cudaMemcpy(m_space.values[i], at + part, part, cudaMemcpyHostToDevice));
        at += 2 * part;
    }
    if (ok.error() != cudaSuccess) return lost(ok.error(), "restoring the prefix");
    m_prefix = saved->rows;
    m_pending = 0;
    return {};
}

template <class T>
Result<std::unique_ptr<Executor>> load(const LoadRequest& request, const Setup& setup, const Progress& progress,
                                       const CancelFlag* cancel) {
    auto executor = std::make_unique<CudaExecutor<T>>(*request.config, setup);
    if (Status s = executor->load(request, progress, cancel); !s.ok()) return s.error();
    return std::unique_ptr<Executor>(std::move(executor));
}

}  // namespace

Result<MemoryPlan> planDeviceMemory(const LoadRequest& request) {
    auto setup = prepare(request);
    if (!setup.ok()) return setup.error();
    return setup->plan;
}

Result<std::unique_ptr<Executor>> makeCudaExecutor(const LoadRequest& request, const Progress& progress,
                                                   const CancelFlag* cancel) {
    auto setup = prepare(request);
    if (!setup.ok()) return setup.error();
    if (const std::string what = unsupported(*request.config, setup->sharedBytes); !what.empty())
        return makeError(ErrorKind::Unsupported, "the GPU kernels do not run " + what, "use the CPU");
    const MemoryPlan& plan = setup->plan;
    if (plan.total() > plan.available)
        return makeError(ErrorKind::DoesNotFit,
                         setup->name + " (cuda:" + std::to_string(setup->device) + ") has " + gigabytes(plan.available) +
                             " free; the model needs " + gigabytes(plan.total()) + " (weights " + gigabytes(plan.weights) +
                             ", K and V " + gigabytes(plan.keyValue) + ", states " + gigabytes(plan.states) + ", workspace " +
                             gigabytes(plan.workspace) + ")",
                         "choose a smaller context, close other programs that use the GPU, or use the CPU");
    return setup->size.floats ? load<float>(request, *setup, progress, cancel) : load<Bf16>(request, *setup, progress, cancel);
}

void forceExperts(Executor& executor, int experts) {
    if (auto* target = dynamic_cast<ForcedExperts*>(&executor); target != nullptr) target->forced = experts;
}

}  // namespace trefoil::cuda
