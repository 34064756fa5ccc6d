#include "engine/checkpoint/tensor_catalogue.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/safetensors.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace trefoil {

namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::size_t kListed = 10;
constexpr std::string_view kPlainPrefix = "model.";
constexpr std::string_view kWeight = ".weight";
constexpr std::string_view kNestedPrefix = "model.language_model.";

// Faults of one sort: the first ten in words, and how many there were.
struct Faults {
    std::vector<std::string> first;
    std::size_t count = 0;

    void add(std::string text) {
        if (first.size() < kListed) first.push_back(std::move(text));
        ++count;
    }
    [[nodiscard]] std::string list() const {
        std::string out;
        for (const std::string& text : first) out += (out.empty() ? "" : ", ") + text;
        if (count > first.size()) out += " and " + std::to_string(count - first.size()) + " more";
        return out;
    }
};

std::optional<DType> weightType(std::string_view stored) {
    if (stored == "F32") return DType::F32;
    if (stored == "F16") return DType::F16;
    if (stored == "BF16") return DType::BF16;
    return std::nullopt;
}

std::int64_t product(const Shape& shape) {
    std::int64_t n = 1;  // cannot overflow: parseModelConfig bounds every dimension
    for (const std::int64_t dim : shape) n *= dim;
    return n;
}

bool isIgnored(std::string_view name) {
    return name.starts_with("mtp.") || name.starts_with("model.visual.") || name.find(".rotary_emb.") != std::string_view::npos;
}

// The layer of a per-expert name ("model.layers.3.mlp.experts.7.…"), past `prefix`; -1 for any other name.
std::int64_t layerOfExpertTensor(std::string_view name, std::string_view prefix) {
    static constexpr std::string_view kLayers = "layers.";
    static constexpr std::string_view kExperts = "mlp.experts.";
    if (!name.starts_with(prefix)) return -1;
    name.remove_prefix(prefix.size());
    if (!name.starts_with(kLayers)) return -1;
    name.remove_prefix(kLayers.size());
    std::int64_t layer = 0;
    std::size_t digits = 0;
    while (digits < name.size() && name[digits] >= '0' && name[digits] <= '9' && digits < 6)
        layer = layer * 10 + (name[digits++] - '0');
    if (digits == 0 || digits >= name.size() || name[digits] != '.') return -1;
    name.remove_prefix(digits + 1);
    if (!name.starts_with(kExperts)) return -1;
    name.remove_prefix(kExperts.size());
    return !name.empty() && name[0] >= '0' && name[0] <= '9' ? layer : -1;
}

class CatalogueBuilder {
public:
    CatalogueBuilder(const ModelConfig& config, const Quantisation& quantisation, std::span<const StoredTensor> stored,
                     const std::string& source)
        : m_config(config), m_quantisation(quantisation), m_stored(stored), m_source(source), m_used(stored.size(), false) {}

    Result<TensorCatalogue> build() {
        index();
        const std::int64_t V = m_config.vocabSize;
        const std::int64_t D = m_config.hiddenSize;
        add("embed_tokens.weight", {V, D});
        for (std::int64_t i = 0; i < m_config.numLayers(); ++i) addLayer(i);
        add("norm.weight", {D});
        if (!m_config.tieWordEmbeddings) addNamed("lm_head.weight", "lm_head.weight", {V, D});
        collectUnused();
        if (auto error = verdict()) return *std::move(error);
        m_result.expertLayout = m_fusedLayers == 0   ? "one tensor per expert"
                                : m_splitLayers == 0 ? "fused experts"
                                                     : "fused experts in " + std::to_string(m_fusedLayers) +
                                                           (m_fusedLayers == 1 ? " layer" : " layers") +
                                                           ", one tensor per expert in " + std::to_string(m_splitLayers);
        if (m_fusedLayers > 0 && 2 * m_config.moeIntermediateSize == m_config.hiddenSize)
            m_result.notes.push_back(
                "experts.gate_up_proj is square per expert (2·I = D = " + std::to_string(m_config.hiddenSize) +
                "): assumed to be [E, 2·I, D], gate rows before up rows");
        return std::move(m_result);
    }

private:
    void index() {
        m_byName.reserve(m_stored.size());
        for (std::size_t i = 0; i < m_stored.size(); ++i)
            if (!m_byName.emplace(m_stored[i].name, i).second) m_duplicates.add(printable(m_stored[i].name));
        const bool nested = std::any_of(m_stored.begin(), m_stored.end(),
                                        [](const StoredTensor& t) { return t.name.starts_with(kNestedPrefix); });
        m_prefix = nested && m_byName.find("model.embed_tokens.weight") == m_byName.end() ? kNestedPrefix : kPlainPrefix;
        m_hasSplitExperts.assign(m_config.layers.size(), false);
        for (const StoredTensor& tensor : m_stored) {
            const std::int64_t layer = layerOfExpertTensor(tensor.name, m_prefix);
            if (layer >= 0 && layer < m_config.numLayers()) m_hasSplitExperts[static_cast<std::size_t>(layer)] = true;
        }
    }

    // The segments that hold the weight `name` of this shape, quantised or not; false (and a fault) when something is wrong.
    bool locate(const std::string& name, const Shape& shape, bool anyRank, std::vector<TensorSegment>& out) {
        if (m_quantisation.format == QuantisedFormat::Int4Groups && shape.size() == 2 && name.ends_with(kWeight)) {
            const std::string module = name.substr(0, name.size() - kWeight.size());
            if (m_byName.count(module + ".weight_packed") != 0) return locateInt4(module, shape, out);
        }
        if (m_quantisation.format == QuantisedFormat::Fp8Blocks) {
            const auto it = m_byName.find(name);
            if (it != m_byName.end() && m_stored[it->second].dtype == "F8_E4M3" && m_stored[it->second].shape == shape &&
                (shape.size() == 3 || (shape.size() == 2 && name.ends_with(kWeight))))
                return locateFp8(name, m_stored[it->second], shape, out);
        }
        const StoredTensor* tensor = take(name, shape, anyRank);
        if (tensor == nullptr) return false;
        out.push_back(segmentOf(*tensor));
        return true;
    }

    // A part of a quantised weight, of this shape and one of these types.
    const StoredTensor* takePart(const std::string& name, const Shape& shape, std::initializer_list<std::string_view> types) {
        const auto it = m_byName.find(name);
        if (it == m_byName.end()) {
            m_missing.add(name + " " + describeShape(shape));
            return nullptr;
        }
        m_used[it->second] = true;
        const StoredTensor& tensor = m_stored[it->second];
        const bool known = std::find(types.begin(), types.end(), std::string_view(tensor.dtype)) != types.end();
        if (tensor.shape == shape && known) return &tensor;
        std::string expected;
        for (const std::string_view type : types) expected += (expected.empty() ? "" : " or ") + std::string(type);
        m_wrongShape.add(name + " is " + describeTensor(tensor.dtype, tensor.shape) + ", expected " + expected + " " +
                         describeShape(shape));
        return nullptr;
    }

    // Whether `module` may be quantised; a fault otherwise.
    bool mayBeQuantised(const std::string& module) {
        const auto kept = m_quantisation.keeps(module);
        if (!kept.ok()) {
            if (!m_patternError) m_patternError = kept.error();
            return false;
        }
        if (*kept) m_contradicted.add(module);
        return !*kept;
    }

    bool locateFp8(const std::string& name, const StoredTensor& tensor, const Shape& shape, std::vector<TensorSegment>& out) {
        m_used[m_byName.at(name)] = true;
        const bool fused = shape.size() == 3;
        if (!mayBeQuantised(fused ? name : name.substr(0, name.size() - kWeight.size()))) return false;
        const std::int64_t rows = shape[shape.size() - 2];
        const std::int64_t columns = shape.back();
        const std::int64_t blockRows = piecesFor(rows, kScaleBlock);
        const std::int64_t blockColumns = piecesFor(columns, kScaleBlock);
        Shape scaleShape{blockRows, blockColumns};
        if (fused) scaleShape.insert(scaleShape.begin(), shape[0]);
        const StoredTensor* scales = takePart(name + "_scale_inv", scaleShape, {"F32", "BF16", "F16"});
        if (scales == nullptr) return false;
        const DType scaleType = *weightType(scales->dtype);
        for (std::int64_t item = 0; item < (fused ? shape[0] : 1); ++item) {
            auto storage = std::make_shared<QuantisedStorage>();
            storage->form = {QuantisedFormat::Fp8Blocks, columns, kScaleBlock, scaleType, false};
            const auto skipped = static_cast<std::uint64_t>(item * blockRows * blockColumns) * dtypeSize(scaleType);
            storage->scales = {scales->file, scales->offset + skipped};
            storage->name = name;
            out.push_back({tensor.file, tensor.offset + static_cast<std::uint64_t>(item * rows * columns), DType::BF16,
                           rows * columns, std::move(storage)});
        }
        return true;
    }

    bool locateInt4(const std::string& module, const Shape& shape, std::vector<TensorSegment>& out) {
        const std::int64_t rows = shape[0];
        const std::int64_t columns = shape[1];
        const StoredTensor* packed = takePart(module + ".weight_packed", {rows, piecesFor(columns, kNibblesPerWord)}, {"I32"});
        const StoredTensor* stated = takePart(module + ".weight_shape", {2}, {"I64", "I32"});
        markUsed(module + ".weight_scale");  // also where the shape cannot be told, so that it is not called unknown
        markUsed(module + ".weight_zero_point");
        if (m_byName.count(module + ".weight_g_idx") != 0) {
            markUsed(module + ".weight_g_idx");
            m_reordered.add(module + ".weight_g_idx");
        }
        if (!mayBeQuantised(module)) return false;
        const auto group = m_quantisation.groupOf(module);
        if (!group.ok()) {
            if (!m_patternError) m_patternError = group.error();
            return false;
        }
        if (*group == nullptr) {
            m_untargeted.add(module);
            return false;
        }
        const std::int64_t size = (*group)->size;
        if (columns % size != 0) {
            m_undivided.add(module + " (rows of " + std::to_string(columns) + ", groups of " + std::to_string(size) + ")");
            return false;
        }
        const StoredTensor* scales = takePart(module + ".weight_scale", {rows, columns / size}, {"BF16", "F16", "F32"});
        const bool hasZeroPoints = !(*group)->symmetric;
        const Shape zeroShape{piecesFor(rows, kNibblesPerWord), columns / size};
        const StoredTensor* zeroPoints = hasZeroPoints ? takePart(module + ".weight_zero_point", zeroShape, {"I32"}) : nullptr;
        if (!hasZeroPoints && m_byName.count(module + ".weight_zero_point") != 0)
            m_wrongShape.add(module + ".weight_zero_point is there although config_groups say symmetric");
        if (packed == nullptr || stated == nullptr || scales == nullptr || (hasZeroPoints && zeroPoints == nullptr)) return false;
        auto storage = std::make_shared<QuantisedStorage>();
        const DType readAs = *weightType(scales->dtype);
        storage->form = {QuantisedFormat::Int4Groups, columns, size, readAs, hasZeroPoints};
        storage->scales = {scales->file, scales->offset};
        if (hasZeroPoints) storage->zeroPoints = {zeroPoints->file, zeroPoints->offset};
        storage->name = packed->name;
        m_result.shapeChecks.push_back({stated->name, {stated->file, stated->offset}, stated->dtype == "I64", rows, columns});
        out.push_back({packed->file, packed->offset, readAs, rows * columns, std::move(storage)});
        return true;
    }

    void markUsed(const std::string& name) {
        const auto it = m_byName.find(name);
        if (it != m_byName.end()) m_used[it->second] = true;
    }

    // The stored tensor `name`, marked as used; nullptr (and a fault) when it is missing or no weight of this many elements.
    // `anyRank`: only the number of elements has to agree.
    const StoredTensor* take(const std::string& name, const Shape& shape, bool anyRank) {
        const auto it = m_byName.find(name);
        if (it == m_byName.end()) {
            m_missing.add(name + " " + describeShape(shape));
            return nullptr;
        }
        m_used[it->second] = true;
        const StoredTensor& tensor = m_stored[it->second];
        const std::int64_t wanted = product(shape);
        if (!(anyRank ? tensor.elements == wanted : tensor.shape == shape)) {
            std::string text = name + " is " + describeTensor(tensor.dtype, tensor.shape) + bytesOf(tensor) + ", expected " +
                               describeShape(shape) + bytesOf(tensor.dtype, wanted);
            if (shape.size() == 3 && tensor.shape == Shape{shape[0], shape[2], shape[1]}) text += " (stored transposed)";
            m_wrongShape.add(std::move(text));
            return nullptr;
        }
        if (!weightType(tensor.dtype)) {
            m_wrongType.add(name + " is " + printable(tensor.dtype));
            return nullptr;
        }
        return &tensor;
    }
    static std::string bytesOf(std::string_view dtype, std::int64_t elements) {
        const auto bits = static_cast<std::int64_t>(safetensorsTypeBits(dtype));
        return " (" + std::to_string(elements * bits / 8) + " bytes)";
    }
    static std::string bytesOf(const StoredTensor& tensor) { return bytesOf(tensor.dtype, tensor.elements); }

    static TensorSegment segmentOf(const StoredTensor& tensor) {
        return {tensor.file, tensor.offset, *weightType(tensor.dtype), tensor.elements, nullptr};
    }

    void addNamed(const std::string& storedName, std::string canonical, Shape shape, bool anyRank = false) {
        const Shape storedShape = canonical.ends_with(".conv1d.weight") ? Shape{shape[0], 1, shape[1]} : shape;
        std::vector<TensorSegment> segments;
        if (!locate(storedName, storedShape, anyRank, segments)) return;
        const std::int64_t elements = product(shape);
        const DType dtype = segments.front().dtype;
        put({std::move(canonical), dtype, std::move(shape), elements}, std::move(segments));
    }
    void add(const std::string& name, Shape shape, bool anyRank = false) {
        addNamed(std::string(m_prefix) + name, std::string(kPlainPrefix) + name, std::move(shape), anyRank);
    }
    static std::optional<QuantisedForm> formOf(const TensorSegment& segment) {
        return segment.quantised ? std::optional(segment.quantised->form) : std::nullopt;
    }
    static std::optional<QuantisedForm> commonForm(const std::vector<TensorSegment>& segments) {
        std::optional<QuantisedForm> form = formOf(segments.front());
        for (const TensorSegment& segment : segments)
            if (formOf(segment) != form) return std::nullopt;
        return form;
    }
    void put(TensorInfo info, std::vector<TensorSegment> segments) {
        m_result.parameters += info.elements;
        info.quantised = commonForm(segments);
        for (const TensorSegment& s : segments) {
            m_result.weightBytes += s.storedBytes();
            m_result.quantisedParameters += s.quantised ? s.elements : 0;
        }
        m_result.tensors.push_back(std::move(info));
        m_result.segments.push_back(std::move(segments));
    }

    void addLayer(std::int64_t i) {
        const std::int64_t D = m_config.hiddenSize;
        const std::string layer = "layers." + std::to_string(i) + ".";
        add(layer + "input_layernorm.weight", {D});
        if (m_config.layers[static_cast<std::size_t>(i)] == LayerKind::GatedDeltaNet)
            addGatedDeltaNet(layer + "linear_attn.");
        else
            addAttention(layer + "self_attn.");
        add(layer + "post_attention_layernorm.weight", {D});
        addExperts(layer + "mlp.", m_hasSplitExperts[static_cast<std::size_t>(i)]);
    }

    void addGatedDeltaNet(const std::string& p) {
        const std::int64_t D = m_config.hiddenSize;
        const std::int64_t C = m_config.convChannels();
        const std::int64_t Hv = m_config.linearNumValueHeads;
        const std::int64_t values = m_config.valueDim();
        const std::int64_t K = m_config.linearConvKernelDim;
        add(p + "in_proj_qkv.weight", {C, D});
        add(p + "in_proj_z.weight", {values, D});
        add(p + "in_proj_b.weight", {Hv, D});
        add(p + "in_proj_a.weight", {Hv, D});
        add(p + "conv1d.weight", {C, K});
        add(p + "conv_right_weight", {C, K - 1}, true);
        add(p + "A_log", {Hv});
        add(p + "dt_bias", {Hv});
        add(p + "bd_softmax_logit_scale", {Hv});
        add(p + "bd_softmax_history_bias", {Hv});
        add(p + "bd_softmax_history_c", {Hv});
        add(p + "norm.weight", {m_config.linearValueHeadDim});
        add(p + "out_proj.weight", {D, values});
    }

    void addAttention(const std::string& p) {
        const std::int64_t D = m_config.hiddenSize;
        const std::int64_t queries = m_config.numAttentionHeads * m_config.headDim;
        const std::int64_t keys = m_config.numKeyValueHeads * m_config.headDim;
        add(p + "q_proj.weight", {2 * queries, D});
        add(p + "k_proj.weight", {keys, D});
        add(p + "v_proj.weight", {keys, D});
        add(p + "q_norm.weight", {m_config.headDim});
        add(p + "k_norm.weight", {m_config.headDim});
        add(p + "o_proj.weight", {D, queries});
    }

    void addExperts(const std::string& p, bool hasSplit) {
        const std::int64_t D = m_config.hiddenSize;
        const std::int64_t E = m_config.numExperts;
        const std::int64_t I = m_config.moeIntermediateSize;
        const std::int64_t S = m_config.sharedExpertIntermediateSize;
        add(p + "gate.weight", {E, D});
        const std::string stored = std::string(m_prefix) + p;
        const bool hasFused =
            m_byName.count(stored + "experts.gate_up_proj") != 0 || m_byName.count(stored + "experts.down_proj") != 0;
        if (hasSplit && !hasFused) {
            ++m_splitLayers;
            addSplit(p, "experts.gate_up_proj", {E, 2 * I, D}, {"gate_proj.weight", "up_proj.weight"}, {I, D});
            addSplit(p, "experts.down_proj", {E, D, I}, {"down_proj.weight"}, {D, I});
        } else {  // where a layer has both, the per-expert tensors are left over and refused as such
            ++m_fusedLayers;
            add(p + "experts.gate_up_proj", {E, 2 * I, D});
            add(p + "experts.down_proj", {E, D, I});
        }
        add(p + "shared_expert.gate_proj.weight", {S, D});
        add(p + "shared_expert.up_proj.weight", {S, D});
        add(p + "shared_expert.down_proj.weight", {D, S});
        add(p + "shared_expert_gate.weight", {1, D});
    }

    // A fused view over one tensor per expert and part.
    void addSplit(const std::string& p, const std::string& name, Shape shape, const std::vector<std::string>& parts,
                  const Shape& partShape) {
        std::vector<TensorSegment> segments;
        const std::string head = std::string(m_prefix) + p + "experts.";
        for (std::int64_t e = 0; e < m_config.numExperts; ++e) {
            const std::string expert = head + std::to_string(e) + '.';
            for (const std::string& part : parts) {
                locate(expert + part, partShape, false, segments);
            }
        }
        if (segments.size() != static_cast<std::size_t>(m_config.numExperts) * parts.size()) return;
        const bool oneType =
            std::all_of(segments.begin(), segments.end(), [&](const TensorSegment& s) { return s.dtype == segments[0].dtype; });
        const DType dtype = oneType ? segments[0].dtype : DType::F32;
        const std::int64_t elements = product(shape);
        put({std::string(kPlainPrefix) + p + name, dtype, std::move(shape), elements}, std::move(segments));
    }

    void collectUnused() {
        Faults ignored;
        for (std::size_t i = 0; i < m_stored.size(); ++i) {
            if (m_used[i]) continue;
            const std::string& name = m_stored[i].name;
            if (isIgnored(name))
                ignored.add(printable(name));
            else if (m_config.tieWordEmbeddings && name == "lm_head.weight")
                m_unknown.add(name + " (tie_word_embeddings says that there is none)");
            else
                m_unknown.add(printable(name));
        }
        if (ignored.count != 0)
            m_result.notes.push_back(std::to_string(ignored.count) + (ignored.count == 1 ? " tensor is" : " tensors are") +
                                     " not needed and ignored: " + ignored.list());
    }

    [[nodiscard]] std::optional<Error> verdict() const {
        std::string text;
        const auto part = [&text](const Faults& faults, const std::string& one, const std::string& many) {
            if (faults.count == 0) return;
            text += text.empty() ? "" : "; ";
            text += std::to_string(faults.count) + " " + (faults.count == 1 ? one : many) + ": " + faults.list();
        };
        part(m_missing, "tensor is missing", "tensors are missing");
        part(m_wrongShape, "tensor has another shape", "tensors have another shape");
        part(m_wrongType, "tensor has a type other than BF16, F16 or F32", "tensors have a type other than BF16, F16 or F32");
        part(m_contradicted, "module is quantised although config.json lists it among those that keep their type",
             "modules are quantised although config.json lists them among those that keep their type");
        part(m_untargeted, "module is quantised although no config_groups entry targets it",
             "modules are quantised although no config_groups entry targets them");
        part(m_undivided, "module has rows that its group size does not divide",
             "modules have rows that their group size does not divide");
        part(m_reordered, "tensor reorders columns (activation order), which is not read",
             "tensors reorder columns (activation order), which is not read");
        part(m_unknown, "tensor is not part of this model", "tensors are not part of this model");
        part(m_duplicates, "tensor is stored twice", "tensors are stored twice");
        if (m_patternError) return m_patternError;
        if (text.empty()) return std::nullopt;
        if (m_wrongType.count != 0)
            return makeError(ErrorKind::Unsupported, m_source + ": " + text,
                             m_quantisation.format == QuantisedFormat::None
                                 ? "config.json has no quantization_config that says how to read them: use the BF16, F16 or F32 "
                                   "checkpoint, or fetch config.json again"
                                 : "these tensors must keep their own type: use another checkpoint");
        if (m_reordered.count != 0)
            return makeError(ErrorKind::Unsupported, m_source + ": " + text, "use a checkpoint without activation order");
        return makeError(ErrorKind::Format, m_source + ": " + text, "config.json and the weights must be of the same model");
    }

    const ModelConfig& m_config;
    const Quantisation& m_quantisation;
    std::span<const StoredTensor> m_stored;
    const std::string& m_source;
    std::vector<bool> m_used;
    std::unordered_map<std::string_view, std::size_t> m_byName;
    std::string_view m_prefix = kPlainPrefix;
    std::vector<bool> m_hasSplitExperts;
    std::int64_t m_fusedLayers = 0;
    std::int64_t m_splitLayers = 0;
    TensorCatalogue m_result;
    Faults m_missing;
    Faults m_unknown;
    Faults m_wrongShape;
    Faults m_wrongType;
    Faults m_duplicates;
    Faults m_contradicted;
    Faults m_untargeted;
    Faults m_undivided;
    Faults m_reordered;
    std::optional<Error> m_patternError;
};

}  // namespace

std::string firstTen(std::span<const std::string> names) {
    Faults faults;
    for (const std::string& name : names) faults.add(printable(name));
    return faults.list();
}

std::uint64_t TensorSegment::storedBytes() const {
    if (!quantised) return static_cast<std::uint64_t>(elements) * dtypeSize(dtype);
    const QuantisedForm& form = quantised->form;
    const std::int64_t rows = elements / form.columns;
    const std::int64_t scaleRows = form.format == QuantisedFormat::Fp8Blocks ? piecesFor(rows, kScaleBlock) : rows;
    const std::int64_t zeroPoints = form.hasZeroPoints ? piecesFor(rows, kNibblesPerWord) * form.groups() * 4 : 0;
    return static_cast<std::uint64_t>(rows * form.rowBytes() + zeroPoints) +
           static_cast<std::uint64_t>(scaleRows * form.groups()) * dtypeSize(form.scaleType);
}

Result<TensorCatalogue> buildCatalogue(const ModelConfig& config, const Quantisation& quantisation,
                                       std::span<const StoredTensor> stored, const std::string& source) {
    return CatalogueBuilder(config, quantisation, stored, source).build();
}

}  // namespace trefoil
