#include "engine/checkpoint/synth.h"

#include "engine/checkpoint/number_formats.h"
#include "engine/checkpoint/output_file.h"
#include "engine/checkpoint/shard_writing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

namespace trefoil {
namespace {

/// Values in a table. A prime, so that rows of a power of two do not repeat within a matrix for long.
constexpr std::size_t kTableSize = 4194301;
constexpr std::int64_t kSmallTensor = 1 << 20;
constexpr std::size_t kNoTable = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kPieceElements = std::size_t{4} << 20;

std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

float uniform(std::uint64_t bits) { return (static_cast<float>(bits >> 41) + 0.5F) * 0x1p-23F; }

float normal(std::uint64_t seed, std::uint64_t index) {
    const std::uint64_t h = mix(seed + 0x9E3779B97F4A7C15ULL * (index + 1));
    return std::sqrt(-2.0F * std::log(uniform(h))) * std::cos(2.0F * std::numbers::pi_v<float> * uniform(mix(h)));
}

struct Piece {
    std::size_t tensor = 0;
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::size_t file = 0;
    std::uint64_t offset = 0;
};

/// Writes all pieces with several threads.
Status writePieces(const SyntheticWeights& weights, const std::vector<OutputFile>& files, const std::vector<Piece>& pieces,
                   const SynthOptions& options, std::uint64_t total) {
    const auto makeWork = [&]() -> PieceWork {
        return [&, buffer = std::vector<std::byte>(kPieceElements * 2)](std::size_t i) mutable -> Result<std::uint64_t> {
            const Piece& p = pieces[i];
            const std::span<std::byte> bytes(buffer.data(), static_cast<std::size_t>(p.count) * 2);
            weights.read(p.tensor, p.first, p.count, bytes);
            if (!files[p.file].write(bytes.data(), bytes.size(), p.offset)) return ioError("writing the weights failed");
            return static_cast<std::uint64_t>(bytes.size());
        };
    };
    const auto written = runPieces({pieces.size(), options.threads, 0, total, options.progress, options.cancel}, makeWork);
    return written.ok() ? Status() : Status(written.error());
}

/// Length, JSON header and padding of one shard.
std::string shardHeader(const std::vector<TensorInfo>& tensors, std::size_t first, std::size_t last) {
    nlohmann::ordered_json header;
    header["__metadata__"] = {{"format", "pt"}};
    std::uint64_t offset = 0;
    for (std::size_t i = first; i < last; ++i) {
        std::vector<std::int64_t> shape = tensors[i].shape;
        if (tensors[i].name.ends_with(".conv1d.weight")) shape.insert(shape.begin() + 1, 1);
        header[tensors[i].name] = {{"dtype", "BF16"}, {"shape", shape}, {"data_offsets", {offset, offset + tensors[i].bytes()}}};
        offset += tensors[i].bytes();
    }
    return safetensorsHeader(header.dump());
}

}  // namespace

std::string cloverConfigJson() {
    return R"({
  "architectures": ["CloverMoeModelLM"], "model_type": "clover_moe",
  "vocab_size": 248320, "hidden_size": 2048, "num_hidden_layers": 40, "num_attention_heads": 16, "num_key_value_heads": 2,
  "head_dim": 256, "linear_num_key_heads": 16, "linear_num_value_heads": 32, "linear_key_head_dim": 128,
  "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4, "num_experts": 256, "num_experts_per_tok": 8,
  "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512, "rms_norm_eps": 1e-6, "partial_rotary_factor": 0.25,
  "rope_theta": 1e7, "max_position_embeddings": 131072, "tie_word_embeddings": false, "full_attention_interval": 4,
  "mask_token_id": 248319, "eos_token_id": [248318], "block_size": 32
}
)";
}

std::vector<TensorInfo> syntheticCatalogue(const ModelConfig& c) {
    std::vector<TensorInfo> tensors;
    const auto add = [&tensors](std::string name, std::vector<std::int64_t> shape) {
        std::int64_t elements = 1;
        for (const std::int64_t n : shape) elements *= n;
        tensors.push_back({std::move(name), DType::BF16, std::move(shape), elements});
    };
    const std::int64_t D = c.hiddenSize;
    const std::int64_t C = c.convChannels();
    const std::int64_t Hv = c.linearNumValueHeads;
    const std::int64_t E = c.numExperts;
    const std::int64_t I = c.moeIntermediateSize;
    const std::int64_t S = c.sharedExpertIntermediateSize;
    add("model.embed_tokens.weight", {c.vocabSize, D});
    for (std::int64_t i = 0; i < c.numLayers(); ++i) {
        const std::string p = "model.layers." + std::to_string(i) + ".";
        add(p + "input_layernorm.weight", {D});
        add(p + "post_attention_layernorm.weight", {D});
        if (c.layers[static_cast<std::size_t>(i)] == LayerKind::GatedDeltaNet) {
            const std::string q = p + "linear_attn.";
            add(q + "in_proj_qkv.weight", {C, D});
            add(q + "in_proj_z.weight", {c.valueDim(), D});
            add(q + "in_proj_b.weight", {Hv, D});
            add(q + "in_proj_a.weight", {Hv, D});
            add(q + "out_proj.weight", {D, c.valueDim()});
            add(q + "conv1d.weight", {C, c.linearConvKernelDim});
            add(q + "A_log", {Hv});
            add(q + "dt_bias", {Hv});
            add(q + "norm.weight", {c.linearValueHeadDim});
            add(q + "conv_right_weight", {C, c.linearConvKernelDim - 1});
            for (const char* name : {"bd_softmax_logit_scale", "bd_softmax_history_bias", "bd_softmax_history_c"})
                add(q + name, {Hv});
        } else {
            const std::string q = p + "self_attn.";
            add(q + "q_proj.weight", {2 * c.numAttentionHeads * c.headDim, D});
            add(q + "k_proj.weight", {c.numKeyValueHeads * c.headDim, D});
            add(q + "v_proj.weight", {c.numKeyValueHeads * c.headDim, D});
            add(q + "o_proj.weight", {D, c.numAttentionHeads * c.headDim});
            add(q + "q_norm.weight", {c.headDim});
            add(q + "k_norm.weight", {c.headDim});
        }
        const std::string m = p + "mlp.";
        add(m + "gate.weight", {E, D});
        add(m + "experts.gate_up_proj", {E, 2 * I, D});
        add(m + "experts.down_proj", {E, D, I});
        add(m + "shared_expert.gate_proj.weight", {S, D});
        add(m + "shared_expert.up_proj.weight", {S, D});
        add(m + "shared_expert.down_proj.weight", {D, S});
        add(m + "shared_expert_gate.weight", {1, D});
    }
    add("model.norm.weight", {D});
    if (!c.tieWordEmbeddings) add("lm_head.weight", {c.vocabSize, D});
    return tensors;
}

SyntheticWeights::SyntheticWeights(const ModelConfig& config, std::uint64_t seed)
    : m_seed(seed), m_tensors(syntheticCatalogue(config)), m_table(m_tensors.size(), kNoTable) {
    for (const TensorInfo& tensor : m_tensors) m_recipes.push_back(recipeFor(tensor.name, tensor.shape));
    // Large tensors share a table for each deviation; small ones are made value by value.
    std::map<float, std::size_t> tables;
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        if (m_tensors[i].elements < kSmallTensor || m_recipes[i].logUniform) continue;
        const auto [found, isNew] = tables.emplace(m_recipes[i].deviation, m_bits.size());
        m_table[i] = found->second;
        if (!isNew) continue;
        std::vector<std::uint16_t> bits(kTableSize);
        for (std::size_t j = 0; j < kTableSize; ++j)
            bits[j] = toBrain(m_recipes[i].deviation * normal(mix(m_seed + 1 + found->second), j));
        m_bits.push_back(std::move(bits));
    }
}

SyntheticWeights::Recipe SyntheticWeights::recipeFor(std::string_view name, std::span<const std::int64_t> shape) {
    if (name.ends_with("A_log")) return {0.0F, 1.0F, true};
    if (name.ends_with("dt_bias")) return {-3.0F, 0.5F, false};
    if (name.ends_with("linear_attn.norm.weight")) return {1.0F, 0.1F, false};
    if (name.ends_with("norm.weight")) return {0.0F, 0.1F, false};
    if (name.ends_with("bd_softmax_logit_scale")) return {4.0F, 1.0F, false};
    if (name.ends_with("bd_softmax_history_bias") || name.ends_with("bd_softmax_history_c")) return {0.0F, 1.0F, false};
    if (name.ends_with("conv1d.weight") || name.ends_with("conv_right_weight")) return {0.0F, 0.4F, false};
    if (name.ends_with("embed_tokens.weight")) return {0.0F, 1.0F, false};
    return {0.0F, 1.0F / std::sqrt(static_cast<float>(shape.back())), false};
}

void SyntheticWeights::read(std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination) const {
    const std::uint64_t own = mix(m_seed ^ mix(tensor + 1));
    if (m_table[tensor] == kNoTable) {
        const Recipe& r = m_recipes[tensor];
        for (std::int64_t i = 0; i < count; ++i) {
            const auto index = static_cast<std::uint64_t>(first + i);
            const float value =
                r.logUniform ? std::log(uniform(mix(own + index)) * 15.9F + 0.1F) : r.mean + r.deviation * normal(own, index);
            const std::uint16_t bits = toBrain(value);
            std::memcpy(destination.data() + 2 * i, &bits, 2);
        }
        return;
    }
    // The table again and again, from a place of the tensor's own.
    const std::vector<std::uint16_t>& table = m_bits[m_table[tensor]];
    std::size_t at = static_cast<std::size_t>((own + static_cast<std::uint64_t>(first)) % kTableSize);
    auto left = static_cast<std::size_t>(count);
    std::byte* out = destination.data();
    while (left > 0) {
        const std::size_t n = std::min(left, kTableSize - at);
        std::memcpy(out, table.data() + at, 2 * n);
        out += 2 * n;
        left -= n;
        at = 0;
    }
}

Status writeSyntheticCheckpoint(const std::filesystem::path& folder, const std::string& configJson, const SynthOptions& options) {
    const auto config = parseModelConfig(configJson, "config.json");
    if (!config.ok()) return config.error();
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) return makeError(ErrorKind::Io, folder.string() + " cannot be made: " + code.message(), "choose another folder");
    if (std::filesystem::exists(folder / "config.json", code) ||
        std::filesystem::exists(folder / "model.safetensors.index.json", code))
        return makeError(ErrorKind::InvalidArgument, folder.string() + " holds a model already", "choose an empty folder");

    const std::vector<TensorInfo> tensors = syntheticCatalogue(*config);
    std::vector<std::size_t> starts{0};  // first tensor of each shard
    std::uint64_t inShard = 0;
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        inShard += tensors[i].bytes();
        total += tensors[i].bytes();
        if (inShard < options.shardBytes || i + 1 == tensors.size()) continue;
        starts.push_back(i + 1);
        inShard = 0;
    }
    const std::size_t shards = starts.size();
    starts.push_back(tensors.size());
    std::vector<OutputFile> files;
    std::vector<Piece> pieces;
    nlohmann::ordered_json index;
    index["metadata"] = {{"total_size", total}};
    const auto numbered = [](std::size_t n) {
        const std::string digits = std::to_string(n);
        return std::string(5 - std::min<std::size_t>(5, digits.size()), '0') + digits;
    };
    for (std::size_t s = 0; s < shards; ++s) {
        const std::string name = "model-" + numbered(s + 1) + "-of-" + numbered(shards) + ".safetensors";
        files.emplace_back(folder / name);
        const std::string header = shardHeader(tensors, starts[s], starts[s + 1]);
        if (!files.back().isOpen() || !files.back().write(header.data(), header.size(), 0))
            return ioError((folder / name).string() + " cannot be written");
        std::uint64_t offset = header.size();
        for (std::size_t i = starts[s]; i < starts[s + 1]; ++i) {
            index["weight_map"][tensors[i].name] = name;
            for (std::int64_t first = 0; first < tensors[i].elements; first += kPieceElements) {
                const std::int64_t count = std::min<std::int64_t>(kPieceElements, tensors[i].elements - first);
                pieces.push_back({i, first, count, s, offset + 2 * static_cast<std::uint64_t>(first)});
            }
            offset += tensors[i].bytes();
        }
        if (options.headersOnly && !files.back().resize(offset))
            return ioError((folder / name).string() + " cannot be made that long");
    }
    if (!options.headersOnly)
        if (const Status s = writePieces(SyntheticWeights(*config, options.seed), files, pieces, options, total); !s.ok())
            return s;
    // Last, so that a folder that was cut short is no model.
    std::ofstream(folder / "model.safetensors.index.json") << index.dump(1) << "\n";
    std::ofstream out(folder / "config.json");
    out << configJson;
    out.close();
    return out ? Status() : Status(ioError((folder / "config.json").string() + " cannot be written"));
}

}  // namespace trefoil
