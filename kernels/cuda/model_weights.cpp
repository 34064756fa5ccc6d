#include "kernels/cuda/model_weights.h"

#include "kernels/cuda/elementwise.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace trefoil::cuda {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
constexpr int kReaders = 16;  ///< at most; eight read a RAM disk at 21 GB/s, less than half of what the bus takes

std::size_t formatSize(WeightFormat format) { return format == WeightFormat::BFloat16 ? 2 : 4; }

/// A piece of a tensor and where it goes.
struct Piece {
    std::size_t tensor = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::byte* destination = nullptr;
    bool toFloat = false;
};

/// Several threads that each read pieces into two pinned buffers in turn and copy them to the device.
class Uploader {
public:
    Uploader(const LoadRequest& request, int device, WeightFormat format, std::vector<Piece> pieces, const CancelFlag* cancel)
        : m_request(request), m_device(device), m_format(format), m_pieces(std::move(pieces)), m_cancel(cancel) {}

    Status run(const Progress& progress, std::uint64_t total) {
        const int readers = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kReaders);
        m_running = readers;
        std::vector<std::thread> threads;
        threads.reserve(static_cast<std::size_t>(readers));
        for (int i = 0; i < readers; ++i) threads.emplace_back([this] { work(); });
        {
            std::unique_lock lock(m_mutex);
            while (m_running > 0) {
                m_changed.wait_for(lock, std::chrono::milliseconds(20));
                lock.unlock();
                if (progress) progress(m_done.load(), total);
                lock.lock();
            }
        }
        for (std::thread& t : threads) t.join();
        if (m_error.has_value()) return *m_error;
        if (progress) progress(total, total);
        return {};
    }

private:
    struct Lane {
        PinnedBlock host;
        DeviceBlock staging;
        cudaEvent_t copied = nullptr;
    };

    void fail(Error error) {
        const std::lock_guard lock(m_mutex);
        if (!m_error.has_value()) m_error = std::move(error);
        m_stop = true;
    }

    void work() {
        cudaStream_t stream = nullptr;
        std::array<Lane, 2> lanes;
        cudaError_t e = cudaSetDevice(m_device);
        if (e == cudaSuccess) e = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        for (Lane& lane : lanes) {
            if (e == cudaSuccess) e = lane.host.allocate(kPieceBytes);
            if (e == cudaSuccess) e = cudaEventCreateWithFlags(&lane.copied, cudaEventDisableTiming);
        }
        if (e == cudaSuccess) e = copyAll(stream, lanes);
        if (e == cudaSuccess) e = cudaStreamSynchronize(stream);
        if (e != cudaSuccess) fail(cudaFailure(e, "uploading the weights"));
        for (Lane& lane : lanes)
            if (lane.copied != nullptr) cudaEventDestroy(lane.copied);
        if (stream != nullptr) cudaStreamDestroy(stream);
        const std::lock_guard lock(m_mutex);
        --m_running;
        m_changed.notify_all();
    }

    cudaError_t copyAll(cudaStream_t stream, std::array<Lane, 2>& lanes) {
        for (std::size_t turn = 0;; ++turn) {
            const std::size_t next = m_next.fetch_add(1);
            if (next >= m_pieces.size() || m_stop) return cudaSuccess;
            if (m_cancel != nullptr && m_cancel->requested()) {
                fail(makeError(ErrorKind::Cancelled, "loading was stopped"));
                return cudaSuccess;
            }
            Lane& lane = lanes[turn % 2];
            if (const cudaError_t e = cudaEventSynchronize(lane.copied); e != cudaSuccess) return e;
            const Piece& piece = m_pieces[next];
            const TensorInfo& tensor = m_request.tensors[piece.tensor];
            const std::size_t bytes = static_cast<std::size_t>(piece.count) * dtypeSize(tensor.dtype);
            if (const Status s = m_request.read(piece.tensor, piece.first, piece.count, std::span(lane.host.data(), bytes));
                !s.ok()) {
                fail(s.error());
                return cudaSuccess;
            }
            if (const cudaError_t e = send(stream, lane, piece, tensor, bytes); e != cudaSuccess) return e;
            if (const cudaError_t e = cudaEventRecord(lane.copied, stream); e != cudaSuccess) return e;
            m_done += bytes;
        }
    }

    cudaError_t send(cudaStream_t stream, Lane& lane, const Piece& piece, const TensorInfo& tensor, std::size_t bytes) {
        const WeightFormat to = piece.toFloat ? WeightFormat::Float32 : m_format;
        const bool same = to == WeightFormat::BFloat16 ? tensor.dtype == DType::BF16 : tensor.dtype == DType::F32;
        if (same) return cudaMemcpyAsync(piece.destination, lane.host.data(), bytes, cudaMemcpyHostToDevice, stream);
        if (lane.staging.data() == nullptr)
            if (const cudaError_t e = lane.staging.allocate(kPieceBytes); e != cudaSuccess) return e;
        if (const cudaError_t e = cudaMemcpyAsync(lane.staging.data(), lane.host.data(), bytes, cudaMemcpyHostToDevice, stream);
            e != cudaSuccess)
            return e;
        return convert(stream, static_cast<SourceType>(tensor.dtype), lane.staging.data(), to, piece.destination, piece.count);
    }

    const LoadRequest& m_request;
    int m_device;
    WeightFormat m_format;
    std::vector<Piece> m_pieces;
    const CancelFlag* m_cancel;
    std::atomic<std::size_t> m_next{0};
    std::atomic<std::uint64_t> m_done{0};
    std::atomic<bool> m_stop{false};
    std::mutex m_mutex;
    std::condition_variable m_changed;
    int m_running = 0;
    std::optional<Error> m_error;
};

}  // namespace

static_assert(static_cast<int>(DType::F32) == static_cast<int>(SourceType::F32) &&
              static_cast<int>(DType::F16) == static_cast<int>(SourceType::F16) &&
              static_cast<int>(DType::BF16) == static_cast<int>(SourceType::BFloat16));

ModelShape::ModelShape(const ModelConfig& c, const LayerRange& range) {
    gdn.keyHeads = static_cast<int>(c.linearNumKeyHeads);
    gdn.valueHeads = static_cast<int>(c.linearNumValueHeads);
    gdn.keyDim = static_cast<int>(c.linearKeyHeadDim);
    gdn.valueDim = static_cast<int>(c.linearValueHeadDim);
    gdn.taps = static_cast<int>(c.linearConvKernelDim);
    attention.queryHeads = static_cast<int>(c.numAttentionHeads);
    attention.keyValueHeads = static_cast<int>(c.numKeyValueHeads);
    attention.headDim = static_cast<int>(c.headDim);
    attention.rotaryDim = static_cast<int>(c.rotaryDim());
    vocab = c.vocabSize;
    hidden = static_cast<int>(c.hiddenSize);
    experts = static_cast<int>(c.numExperts);
    perToken = static_cast<int>(c.numExpertsPerTok);
    width = static_cast<int>(c.moeIntermediateSize);
    sharedWidth = static_cast<int>(c.sharedExpertIntermediateSize);
    for (std::int64_t i = range.first; i < range.last; ++i)
        ++(c.layers[static_cast<std::size_t>(i)] == LayerKind::GatedDeltaNet ? gdnLayers : attentionLayers);
}

ModelWeights::ModelWeights(const ModelConfig& config, const LayerRange& range, WeightFormat format)
    : m_config(config), m_range(range), m_shape(config, range), m_format(format) {
    carve(nullptr);
}

void ModelWeights::carve(std::byte* base) {
    Carver carver(base);
    m_places.clear();
    m_layers.clear();
    const std::size_t size = formatSize(m_format);
    const std::int64_t hidden = m_shape.hidden;
    std::uint64_t dense = 0;
    // One matrix out of the rows of several tensors, in order.
    const auto matrix = [&](const std::vector<std::pair<std::string, std::int64_t>>& parts) {
        std::size_t elements = 0;
        for (const auto& part : parts) {
            m_places.push_back({part.first, carver.used() + elements * size, false});
            elements += static_cast<std::size_t>(part.second);
        }
        dense += elements * size;
        return carver.takeBytes(elements * size);
    };
    const auto vector = [&](const std::string& name, std::int64_t count) {
        m_places.push_back({name, carver.used(), true});
        return carver.take<float>(count);
    };
    if (m_range.isFirst()) m_embedding = matrix({{"model.embed_tokens.weight", m_shape.vocab * hidden}});
    dense = 0;
    for (std::size_t i = static_cast<std::size_t>(m_range.first); i < static_cast<std::size_t>(m_range.last); ++i) {
        const std::string p = "model.layers." + std::to_string(i) + ".";
        LayerWeights layer;
        layer.kind = m_config.layers[i];
        layer.inputNorm = vector(p + "input_layernorm.weight", hidden);
        layer.postNorm = vector(p + "post_attention_layernorm.weight", hidden);
        if (layer.kind == LayerKind::GatedDeltaNet) {
            const GdnShape& s = m_shape.gdn;
            const std::string q = p + "linear_attn.";
            layer.input = matrix({{q + "in_proj_qkv.weight", s.channels() * hidden},
                                  {q + "in_proj_z.weight", s.values() * hidden},
                                  {q + "in_proj_b.weight", s.valueHeads * hidden},
                                  {q + "in_proj_a.weight", s.valueHeads * hidden}});
            layer.output = matrix({{q + "out_proj.weight", hidden * s.values()}});
            layer.gdn.conv = vector(q + "conv1d.weight", static_cast<std::int64_t>(s.channels()) * s.taps);
            layer.gdn.convRight = vector(q + "conv_right_weight", static_cast<std::int64_t>(s.channels()) * (s.taps - 1));
            layer.gdn.aLog = vector(q + "A_log", s.valueHeads);
            layer.gdn.dtBias = vector(q + "dt_bias", s.valueHeads);
            layer.gdn.norm = vector(q + "norm.weight", s.valueDim);
            layer.gdn.logitScale = vector(q + "bd_softmax_logit_scale", s.valueHeads);
            layer.gdn.historyBias = vector(q + "bd_softmax_history_bias", s.valueHeads);
            layer.gdn.historyC = vector(q + "bd_softmax_history_c", s.valueHeads);
        } else {
            const AttentionShape& s = m_shape.attention;
            const std::string q = p + "self_attn.";
            layer.input = matrix({{q + "q_proj.weight", 2LL * s.queryHeads * s.headDim * hidden},
                                  {q + "k_proj.weight", static_cast<std::int64_t>(s.keyValueHeads) * s.headDim * hidden},
                                  {q + "v_proj.weight", static_cast<std::int64_t>(s.keyValueHeads) * s.headDim * hidden}});
            layer.output = matrix({{q + "o_proj.weight", hidden * s.queryHeads * s.headDim}});
            layer.qNorm = vector(q + "q_norm.weight", s.headDim);
            layer.kNorm = vector(q + "k_norm.weight", s.headDim);
        }
        const std::string m = p + "mlp.";
        layer.router = matrix({{m + "gate.weight", m_shape.experts * hidden}, {m + "shared_expert_gate.weight", hidden}});
        carver.takeBytes(static_cast<std::size_t>((m_shape.routerRows() - m_shape.experts - 1) * hidden) * size);
        ExpertWeights& e = layer.experts;
        e.format = m_format;
        e.experts = m_shape.experts;
        e.hidden = m_shape.hidden;
        e.width = m_shape.width;
        e.sharedWidth = m_shape.sharedWidth;
        e.sharedGateUp = matrix({{m + "shared_expert.gate_proj.weight", e.sharedWidth * hidden},
                                 {m + "shared_expert.up_proj.weight", e.sharedWidth * hidden}});
        e.sharedDown = matrix({{m + "shared_expert.down_proj.weight", e.sharedWidth * hidden}});
        const std::uint64_t before = dense;
        e.gateUp = matrix({{m + "experts.gate_up_proj", 2LL * e.experts * e.width * hidden}});
        e.down = matrix({{m + "experts.down_proj", static_cast<std::int64_t>(e.experts) * e.width * hidden}});
        dense = before;
        m_layers.push_back(layer);
    }
    m_denseBytes = dense;
    m_expertBytes = 3ULL * static_cast<std::uint64_t>(m_shape.width * hidden) * size;
    if (m_range.isLast()) {
        m_norm = vector("model.norm.weight", hidden);
        m_headBytes = static_cast<std::uint64_t>(m_shape.vocab * hidden) * size;
        const bool tied = m_config.tieWordEmbeddings;
        // A tied matrix is there once where one part does both.
        m_head = tied && m_range.isFirst()
                     ? m_embedding
                     : matrix({{tied ? "model.embed_tokens.weight" : "lm_head.weight", m_shape.vocab * hidden}});
    }
    m_bytes = carver.used();
}

Result<std::uint64_t> ModelWeights::sourceBytes(const LoadRequest& request) const {
    std::map<std::string_view, std::uint64_t> bytes;
    for (const TensorInfo& tensor : request.tensors) bytes.emplace(tensor.name, tensor.bytes());
    std::uint64_t total = 0;
    for (const Place& place : m_places) {
        const auto found = bytes.find(place.name);
        if (found == bytes.end()) return makeError(ErrorKind::Internal, "the checkpoint's catalogue has no " + place.name);
        total += found->second;
    }
    return total;
}

Status ModelWeights::upload(const LoadRequest& request, int device, const Progress& progress, const CancelFlag* cancel) {
    if (const cudaError_t e = m_block.allocate(m_bytes); e != cudaSuccess) return cudaFailure(e, "allocating the weights");
    carve(m_block.data());
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < request.tensors.size(); ++i) index.emplace(request.tensors[i].name, i);
    std::vector<Piece> pieces;
    std::uint64_t total = 0;
    for (const Place& place : m_places) {
        const auto found = index.find(place.name);
        if (found == index.end()) return makeError(ErrorKind::Internal, "the checkpoint's catalogue has no " + place.name);
        const TensorInfo& tensor = request.tensors[found->second];
        total += tensor.bytes();
        const std::size_t size = place.vector ? sizeof(float) : formatSize(m_format);
        const auto step = static_cast<std::int64_t>(kPieceBytes / dtypeSize(tensor.dtype));
        for (std::int64_t first = 0; first < tensor.elements; first += step)
            pieces.push_back({found->second, first, std::min(step, tensor.elements - first),
                              m_block.data() + place.offset + static_cast<std::size_t>(first) * size, place.vector});
    }
    return Uploader(request, device, m_format, std::move(pieces), cancel).run(progress, total);
}

}  // namespace trefoil::cuda
