#include "kernels/cuda/model_weights.h"

#include "kernels/cuda/elementwise.h"

#include <algorithm>

namespace trefoil::cuda {
namespace {

std::size_t formatSize(WeightFormat format) { return format == WeightFormat::BFloat16 ? 2 : 4; }

/// Where the next piece of a carver will lie; null while it only counts.
std::byte* next(const Carver& carver, std::byte* base) { return base == nullptr ? nullptr : base + carver.used(); }

}  // namespace

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

ModelWeights::ModelWeights(const ModelConfig& config, const LayerRange& range, WeightFormat format, WeightForms forms,
                           ExpertPlacement placement)
    : m_config(config),
      m_range(range),
      m_shape(config, range),
      m_format(format),
      m_forms(std::move(forms)),
      m_placement(placement) {
    carve(nullptr, nullptr);
}

bool ModelWeights::packs(const std::vector<MatrixPart>& parts) const {
    bool some = false;
    for (const MatrixPart& part : parts) {
        const bool packed = m_forms.of(part.name) != PackFormat::None;
        if (!packed && !m_forms.keepsInBf16(part.name)) return false;
        some = some || packed;
    }
    return some;
}

const void* ModelWeights::plainMatrix(Carver& carver, const std::vector<MatrixPart>& parts, std::int64_t columns) {
    const std::size_t size = formatSize(m_format);
    std::size_t bytes = 0;
    const std::size_t begin = carver.used();
    for (const MatrixPart& part : parts) {
        m_places.plain.push_back({part.name, m_block.data() == nullptr ? nullptr : m_block.data() + begin + bytes, false});
        bytes += static_cast<std::size_t>(part.rows * columns) * size;
    }
    m_denseBytes += bytes;
    return carver.takeBytes(bytes);
}

const std::byte* ModelWeights::packedMatrix(Carver& carver, PackedPlace place) {
    const auto bytes = static_cast<std::size_t>(place.blocks() * rowBlockBytes(place.format, place.columns));
    place.destination = next(carver, m_block.data());
    m_places.packed.push_back(std::move(place));
    m_denseBytes += bytes;
    return static_cast<const std::byte*>(carver.takeBytes(bytes));
}

WeightMatrix ModelWeights::matrix(Carver& carver, const std::vector<MatrixPart>& parts, std::int64_t columns) {
    WeightMatrix out;
    out.columns = columns;
    for (const MatrixPart& part : parts) out.rows += part.rows;
    if (!packs(parts) || parts.size() > WeightMatrix::kMaxSegments) {
        out.plain = plainMatrix(carver, parts, columns);
        return out;
    }
    // Neighbours of one format are one segment.
    std::vector<PackedPlace> places;
    for (const MatrixPart& part : parts) {
        const PackFormat own = m_forms.of(part.name);
        const PackFormat format = own == PackFormat::None ? PackFormat::BFloat16 : own;
        if (places.empty() || places.back().format != format) {
            places.emplace_back();
            places.back().format = format;
            places.back().columns = columns;
        }
        places.back().sources.push_back({part.name, part.rows});
        places.back().rows += part.rows;
    }
    std::int64_t first = 0;
    for (PackedPlace& place : places) {
        PackedSegment& segment = out.segment[out.segments++];
        segment.format = place.format;
        segment.first = first;
        segment.rows = place.rows;
        first += place.rows;
        segment.data = packedMatrix(carver, std::move(place));
    }
    return out;
}

const float* ModelWeights::vector(Carver& carver, const std::string& name, std::int64_t count) {
    m_places.plain.push_back({name, next(carver, m_block.data()), true});
    return carver.take<float>(count);
}

void ModelWeights::carveMixer(Carver& carver, const std::string& prefix, LayerWeights& layer) {
    const std::int64_t hidden = m_shape.hidden;
    if (layer.kind == LayerKind::GatedDeltaNet) {
        const GdnShape& s = m_shape.gdn;
        const std::string q = prefix + "linear_attn.";
        layer.input = matrix(carver,
                             {{q + "in_proj_qkv.weight", s.channels()},
                              {q + "in_proj_z.weight", s.values()},
                              {q + "in_proj_b.weight", s.valueHeads},
                              {q + "in_proj_a.weight", s.valueHeads}},
                             hidden);
        layer.output = matrix(carver, {{q + "out_proj.weight", hidden}}, s.values());
        layer.gdn.conv = vector(carver, q + "conv1d.weight", static_cast<std::int64_t>(s.channels()) * s.taps);
        layer.gdn.convRight = vector(carver, q + "conv_right_weight", static_cast<std::int64_t>(s.channels()) * (s.taps - 1));
        layer.gdn.aLog = vector(carver, q + "A_log", s.valueHeads);
        layer.gdn.dtBias = vector(carver, q + "dt_bias", s.valueHeads);
        layer.gdn.norm = vector(carver, q + "norm.weight", s.valueDim);
        layer.gdn.logitScale = vector(carver, q + "bd_softmax_logit_scale", s.valueHeads);
        layer.gdn.historyBias = vector(carver, q + "bd_softmax_history_bias", s.valueHeads);
        layer.gdn.historyC = vector(carver, q + "bd_softmax_history_c", s.valueHeads);
    } else {
        const AttentionShape& s = m_shape.attention;
        const std::string q = prefix + "self_attn.";
        const std::int64_t keys = static_cast<std::int64_t>(s.keyValueHeads) * s.headDim;
        const std::int64_t queries = static_cast<std::int64_t>(s.queryHeads) * s.headDim;
        layer.input = matrix(
            carver, {{q + "q_proj.weight", 2 * queries}, {q + "k_proj.weight", keys}, {q + "v_proj.weight", keys}}, hidden);
        layer.output = matrix(carver, {{q + "o_proj.weight", hidden}}, queries);
        layer.qNorm = vector(carver, q + "q_norm.weight", s.headDim);
        layer.kNorm = vector(carver, q + "k_norm.weight", s.headDim);
    }
    if (layer.input.packed()) m_largestPacked = std::max(m_largestPacked, layer.input.rows * layer.input.columns);
    if (layer.output.packed()) m_largestPacked = std::max(m_largestPacked, layer.output.rows * layer.output.columns);
}

void ModelWeights::carveExperts(Carver& carver, Carver& host, const std::string& prefix, LayerWeights& layer) {
    const std::int64_t hidden = m_shape.hidden;
    ExpertWeights& e = layer.experts;
    e.format = m_format;
    e.experts = m_shape.experts;
    e.hidden = m_shape.hidden;
    e.width = m_shape.width;
    e.sharedWidth = m_shape.sharedWidth;
    if (m_placement.inMainMemory || packs({{prefix + "experts.gate_up_proj", 0}, {prefix + "experts.down_proj", 0}})) {
        carvePacked(carver, host, prefix, layer);
        return;
    }
    e.sharedGateUp = plainMatrix(
        carver,
        {{prefix + "shared_expert.gate_proj.weight", e.sharedWidth}, {prefix + "shared_expert.up_proj.weight", e.sharedWidth}},
        hidden);
    e.sharedDown = plainMatrix(carver, {{prefix + "shared_expert.down_proj.weight", hidden}}, e.sharedWidth);
    const std::uint64_t before = m_denseBytes;
    e.gateUp = plainMatrix(carver, {{prefix + "experts.gate_up_proj", 2LL * e.experts * e.width}}, hidden);
    e.down = plainMatrix(carver, {{prefix + "experts.down_proj", e.experts * hidden}}, e.width);
    m_denseBytes = before;
    m_expertBytes = 3ULL * static_cast<std::uint64_t>(m_shape.width * hidden) * formatSize(m_format);
    m_residentExpertBytes += m_expertBytes * static_cast<std::uint64_t>(e.experts);
}

void ModelWeights::carvePacked(Carver& carver, Carver& host, const std::string& prefix, LayerWeights& layer) {
    const std::int64_t hidden = m_shape.hidden;
    PackedExperts& p = layer.packed;
    const auto formatOf = [&](const std::string& name) {
        const PackFormat own = m_forms.of(name);
        return own == PackFormat::None ? PackFormat::BFloat16 : own;
    };
    const std::string gateUp = prefix + "experts.gate_up_proj";
    const std::string down = prefix + "experts.down_proj";
    const std::string sharedGate = prefix + "shared_expert.gate_proj.weight";
    const std::string sharedUp = prefix + "shared_expert.up_proj.weight";
    const std::string sharedDown = prefix + "shared_expert.down_proj.weight";
    p.gateUp = formatOf(gateUp);
    p.down = formatOf(down);
    // Gate and up stand in one matrix: of two formats they become values.
    p.sharedGateUp = formatOf(sharedGate) == formatOf(sharedUp) ? formatOf(sharedGate) : PackFormat::BFloat16;
    p.sharedDown = formatOf(sharedDown);
    p.experts = m_shape.experts;
    p.hidden = m_shape.hidden;
    p.width = m_shape.width;
    p.sharedWidth = m_shape.sharedWidth;
    p.downAt = pairedBytes(p.gateUp, p.width, hidden);
    p.recordBytes = p.downAt + packedBytes(p.down, hidden, p.width);
    PackedPlace shared;
    shared.sources = {{sharedGate, p.sharedWidth}, {sharedUp, p.sharedWidth}};
    shared.format = p.sharedGateUp;
    shared.rows = 2LL * p.sharedWidth;
    shared.columns = hidden;
    shared.paired = true;
    p.sharedGateUpData = packedMatrix(carver, std::move(shared));
    shared = {};
    shared.sources = {{sharedDown, hidden}};
    shared.format = p.sharedDown;
    shared.rows = hidden;
    shared.columns = p.sharedWidth;
    p.sharedDownData = packedMatrix(carver, std::move(shared));

    const std::int64_t all = p.experts * p.recordBytes;
    Carver& home = m_placement.inMainMemory ? host : carver;
    std::byte* base = next(home, m_placement.inMainMemory ? m_host.data() : m_block.data());
    PackedPlace routed;
    routed.sources = {{gateUp, 2LL * p.experts * p.width}};
    routed.format = p.gateUp;
    routed.items = p.experts;
    routed.rows = 2LL * p.width;
    routed.columns = hidden;
    routed.paired = true;
    routed.itemStride = p.recordBytes;
    routed.destination = base;
    routed.inMainMemory = m_placement.inMainMemory;
    m_places.packed.push_back(routed);
    routed.sources = {{down, p.experts * hidden}};
    routed.format = p.down;
    routed.rows = hidden;
    routed.columns = p.width;
    routed.paired = false;
    routed.destination = base == nullptr ? nullptr : base + p.downAt;
    m_places.packed.push_back(routed);
    home.takeBytes(static_cast<std::size_t>(all));
    m_expertBytes = static_cast<std::uint64_t>(p.recordBytes);
    if (!m_placement.inMainMemory) {
        p.records = base;
        m_residentExpertBytes += static_cast<std::uint64_t>(all);
        return;
    }
    ExpertCache& c = layer.cache;
    c.table = carver.take<const std::byte*>(p.experts);
    c.slotOf = carver.take<std::int32_t>(p.experts);
    c.score = carver.take<float>(p.experts);
    c.stamp = carver.take<std::int32_t>(p.experts);
    c.expertIn = carver.take<std::int32_t>(m_placement.slots);
    c.copyExpert = carver.take<std::int32_t>(m_placement.slots);
    c.copySlot = carver.take<std::int32_t>(m_placement.slots);
    c.work = carver.take<CacheWork>(1);
    c.slots = carver.take<std::byte>(m_placement.slots * p.recordBytes);
    c.records = base;
    c.recordBytes = p.recordBytes;
    c.experts = p.experts;
    c.slotCount = m_placement.slots;
    p.table = c.table;
    m_residentExpertBytes += static_cast<std::uint64_t>(m_placement.slots * p.recordBytes);
}

void ModelWeights::carve(std::byte* base, std::byte* hostBase) {
    Carver carver(base);
    Carver host(hostBase);
    m_places = {};
    m_layers.clear();
    m_residentExpertBytes = 0;
    const std::int64_t hidden = m_shape.hidden;
    if (m_range.isFirst()) m_embedding = plainMatrix(carver, {{"model.embed_tokens.weight", m_shape.vocab}}, hidden);
    m_denseBytes = 0;
    for (std::size_t i = static_cast<std::size_t>(m_range.first); i < static_cast<std::size_t>(m_range.last); ++i) {
        const std::string p = "model.layers." + std::to_string(i) + ".";
        LayerWeights layer;
        layer.kind = m_config.layers[i];
        layer.inputNorm = vector(carver, p + "input_layernorm.weight", hidden);
        layer.postNorm = vector(carver, p + "post_attention_layernorm.weight", hidden);
        carveMixer(carver, p, layer);
        const std::string m = p + "mlp.";
        layer.router = plainMatrix(carver, {{m + "gate.weight", m_shape.experts}, {m + "shared_expert_gate.weight", 1}}, hidden);
        carver.takeBytes(static_cast<std::size_t>((m_shape.routerRows() - m_shape.experts - 1) * hidden) * formatSize(m_format));
        carveExperts(carver, host, m, layer);
        m_layers.push_back(layer);
    }
    if (m_range.isLast()) {
        m_norm = vector(carver, "model.norm.weight", hidden);
        const std::uint64_t before = m_denseBytes;
        const std::vector<MatrixPart> parts{
            {m_config.tieWordEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight", m_shape.vocab}};
        m_head = {};
        m_head.rows = m_shape.vocab;
        m_head.columns = hidden;
        // A tied matrix is there once where one part does both. Unpacked, a head of the debug mode would need as much again.
        if (m_config.tieWordEmbeddings && m_range.isFirst()) {
            m_head.plain = m_embedding;
            m_headBytes = static_cast<std::uint64_t>(m_shape.vocab * hidden) * formatSize(m_format);
        } else {
            if (m_config.tieWordEmbeddings || m_format == WeightFormat::Float32 || hidden % 8 != 0)
                m_head.plain = plainMatrix(carver, parts, hidden);
            else
                m_head = matrix(carver, parts, hidden);
            m_headBytes = m_denseBytes - before;
        }
        m_denseBytes = before;
    }
    m_bytes = carver.used();
    m_hostBytes = host.used();
}

Result<std::uint64_t> ModelWeights::sourceBytes(const LoadRequest& request) const { return cuda::sourceBytes(request, m_places); }

Status ModelWeights::upload(const LoadRequest& request, int device, const Progress& progress, const CancelFlag* cancel) {
    if (const cudaError_t e = m_block.allocate(m_bytes); e != cudaSuccess) return cudaFailure(e, "allocating the weights");
    if (m_hostBytes > 0)
        if (const cudaError_t e = m_host.allocate(m_hostBytes); e != cudaSuccess) {
            cudaGetLastError();
            return makeError(ErrorKind::OutOfMemory,
                             "the experts that are not on the card need " + std::to_string(m_hostBytes / 1000000) +
                                 " MB of main memory that cannot be swapped out, and the system does not give it",
                             "close other programs, raise the limit of locked memory, or give the card more memory");
        }
    carve(m_block.data(), m_host.data());
    return uploadWeights(request, device, m_format, m_places, progress, cancel);
}

cudaError_t ModelWeights::clearCaches(cudaStream_t stream) const {
    for (const LayerWeights& layer : m_layers)
        if (layer.cache.inUse())
            if (const cudaError_t e = clearCache(stream, layer.cache); e != cudaSuccess) return e;
    return cudaSuccess;
}

}  // namespace trefoil::cuda
