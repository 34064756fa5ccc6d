#include "engine/runtime/card_estimate.h"

#include "kernels/cuda/weight_matrix.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace trefoil {
namespace {

// As kernels/cuda has them: rows of the largest and the smallest prompt chunk, rows whose choices a pass returns, rows of a pass
// with controls, packed experts that are unpacked at a time, cuBLASLt's workspace.
constexpr std::int64_t kPromptChunk = 4096;
constexpr std::int64_t kLeastChunk = 512;
constexpr std::int64_t kOutputRows = 128;
constexpr std::int64_t kPassRows = 256;
constexpr std::int64_t kExpertSlice = 64;
constexpr std::int64_t kBlasBytes = std::int64_t{32} << 20;
/// Intermediate results of the chunked delta rule, by row and value head.
constexpr std::int64_t kDeltaBytes = 27 * 1024 / 32;

/// None: the kernels know no such form, and the values are kept in BF16.
cuda::PackFormat packFormat(const std::optional<QuantisedForm>& form) {
    if (!form) return cuda::PackFormat::None;
    if (form->format == QuantisedFormat::Fp8Blocks) return cuda::PackFormat::Fp8;
    if (form->format != QuantisedFormat::Int4Groups) return cuda::PackFormat::None;
    if (form->groupSize == 32) return form->hasZeroPoints ? cuda::PackFormat::Int4ZerosBy32 : cuda::PackFormat::Int4By32;
    if (form->groupSize == 128) return form->hasZeroPoints ? cuda::PackFormat::Int4ZerosBy128 : cuda::PackFormat::Int4By128;
    return cuda::PackFormat::None;
}

struct Sizes {
    std::int64_t gdnLayers = 0;
    std::int64_t attentionLayers = 0;
    std::int64_t queries = 0;  ///< Hq·Dh
    std::int64_t keyRow = 0;   ///< Hkv·Dh

    explicit Sizes(const ModelConfig& c)
        : gdnLayers(std::count(c.layers.begin(), c.layers.end(), LayerKind::GatedDeltaNet)),
          attentionLayers(c.numLayers() - gdnLayers),
          queries(c.numAttentionHeads * c.headDim),
          keyRow(c.numKeyValueHeads * c.headDim) {}
};

/// Elements of packed matrices that are unpacked for prompts at a time: the largest one, or a slice of the experts.
std::int64_t unpackedElements(const ModelConfig& c, std::span<const TensorInfo> tensors, bool moved) {
    std::int64_t most = 0;
    bool experts = moved;
    for (const TensorInfo& tensor : tensors) {
        if (packFormat(tensor.quantised) == cuda::PackFormat::None) continue;
        if (tensor.shape.size() == 3)
            experts = true;
        else if (tensor.name.find(".mlp.") == std::string::npos && !tensor.name.ends_with("lm_head.weight"))
            most = std::max(most, tensor.elements);
    }
    if (!experts) return most;
    const std::int64_t slice = std::min(c.numExperts, kExpertSlice) * c.moeIntermediateSize;
    return std::max(most, 3 * (slice + c.sharedExpertIntermediateSize) * c.hiddenSize);
}

std::uint64_t workspaceBytes(const ModelConfig& c, std::int64_t chunk, std::int64_t unpacked) {
    const Sizes s(c);
    const std::int64_t gdnColumns = s.gdnLayers > 0 ? c.convChannels() + c.valueDim() + 2 * c.linearNumValueHeads : 0;
    const std::int64_t attentionColumns = s.attentionLayers > 0 ? 2 * s.queries + 2 * s.keyRow : 0;
    const std::int64_t places = c.numExpertsPerTok + 1;
    const std::int64_t width = std::max(c.moeIntermediateSize, c.sharedExpertIntermediateSize);
    const std::int64_t gdnRow = (2 * c.keyDim() + c.valueDim() + 2 * c.linearNumValueHeads) * 4;
    const bool chunked = s.gdnLayers > 0 && c.linearKeyHeadDim == 128 && c.linearValueHeadDim == 128;
    const std::int64_t row = c.hiddenSize * (4 + 2 + 4) + std::max(gdnColumns, attentionColumns) * 2 + gdnRow + c.valueDim() * 4 +
                             (chunked ? kDeltaBytes * c.linearNumValueHeads : 0) + std::max(c.valueDim(), s.queries) * 2 +
                             2 * c.numExperts * 4 + places * (width + c.hiddenSize) * 2 + s.queries * 2 + s.queries * 4;
    const std::int64_t kept = s.gdnLayers * kOutputRows * (gdnRow + c.convChannels() * 4);
    const std::int64_t head = kOutputRows * c.vocabSize * 4 + c.vocabSize * 5;
    return static_cast<std::uint64_t>(chunk * row + kept + head + unpacked * 2 + kBlasBytes);
}

std::uint64_t withChunk(const ModelConfig& c, std::int64_t chunk, std::int64_t context, std::int64_t unpacked) {
    return workspaceBytes(c, std::max(kPassRows, std::min(chunk, context)), unpacked);
}

}  // namespace

CardWeights cardWeights(const ModelConfig& c, std::span<const TensorInfo> tensors, bool moved) {
    CardWeights out;
    bool packs = moved;  // an expert is packed as a whole
    for (const TensorInfo& tensor : tensors)
        packs = packs || (tensor.shape.size() == 3 && packFormat(tensor.quantised) != cuda::PackFormat::None);
    std::uint64_t experts = 0;  // one of every layer
    for (const TensorInfo& tensor : tensors) {
        const cuda::PackFormat own = packFormat(tensor.quantised);
        const std::int64_t columns = tensor.shape.empty() ? 0 : tensor.shape.back();
        if (tensor.shape.size() == 3) {  // [E, 2·I, D] and [E, D, I]
            const cuda::PackFormat format = own == cuda::PackFormat::None ? cuda::PackFormat::BFloat16 : own;
            const bool paired = tensor.name.ends_with("gate_up_proj");
            const std::int64_t rows = tensor.shape[1];
            experts += static_cast<std::uint64_t>(!packs   ? rows * columns * 2
                                                  : paired ? cuda::pairedBytes(format, rows / 2, columns)
                                                           : cuda::packedBytes(format, rows, columns));
        } else if (tensor.name == "model.embed_tokens.weight") {
            out.embedding = static_cast<std::uint64_t>(tensor.elements) * 2;
            if (c.tieWordEmbeddings) out.dense += out.embedding;
        } else if (tensor.shape.size() == 2 && tensor.name.find(".conv") == std::string::npos) {
            out.dense += static_cast<std::uint64_t>(
                own == cuda::PackFormat::None ? tensor.elements * 2 : cuda::packedBytes(own, tensor.shape[0], columns));
        } else {
            out.dense += static_cast<std::uint64_t>(tensor.elements) * 4;  // vectors are kept in float32
        }
    }
    out.expert = experts / static_cast<std::uint64_t>(c.numLayers());
    return out;
}

MemoryPlan estimateCardMemory(const ModelConfig& c, std::span<const TensorInfo> tensors, std::uint64_t available,
                              std::int64_t context) {
    const Sizes s(c);
    const std::int64_t positions = context > 0 ? std::min(context, c.maxPositionEmbeddings) : c.maxPositionEmbeddings;
    const std::uint64_t layers = static_cast<std::uint64_t>(c.numLayers());
    const auto all = static_cast<std::uint64_t>(c.numExperts) * layers;
    const CardWeights weights = cardWeights(c, tensors, false);
    MemoryPlan plan;
    plan.available = available;
    // A tied matrix is there once, and read as the head.
    const std::uint64_t fixed = weights.dense + (c.tieWordEmbeddings ? 0 : weights.embedding);
    plan.experts = weights.expert * all;
    plan.weights = fixed + plan.experts;
    plan.keyValue = static_cast<std::uint64_t>((positions + kPassRows) * s.attentionLayers * 2 * s.keyRow * 2);
    plan.states = static_cast<std::uint64_t>(
        s.gdnLayers * 4 *
            (c.linearNumValueHeads * c.linearKeyHeadDim * c.linearValueHeadDim + (c.linearConvKernelDim - 1) * c.convChannels()) +
        c.hiddenSize * 4);
    const std::int64_t unpacked = unpackedElements(c, tensors, false);
    std::int64_t chunk = kPromptChunk;
    for (;; chunk /= 2) {
        plan.workspace = withChunk(c, chunk, positions, unpacked);
        if (plan.total() <= available || plan.workspace <= available / 16 || chunk <= kLeastChunk) break;
    }
    if (plan.total() <= available) return plan;
    const CardWeights moved = cardWeights(c, tensors, true);
    plan.host = moved.expert * all;
    plan.experts = 0;
    plan.weights = moved.dense + (c.tieWordEmbeddings ? 0 : moved.embedding);
    plan.workspace = withChunk(c, chunk, positions, unpackedElements(c, tensors, true));
    if (plan.total() > available) return plan;
    const std::uint64_t slots =
        std::min<std::uint64_t>((available - plan.total()) / (moved.expert * layers), static_cast<std::uint64_t>(c.numExperts));
    plan.experts = slots * moved.expert * layers;
    plan.weights += plan.experts;
    return plan;
}

}  // namespace trefoil
