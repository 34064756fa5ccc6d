// What the upload packs, on the CPU: stacked projections, pairs of gate and up rows, experts one after the other, and pieces of
// them, against the values that the checkpoint gives. Asks no device.
#include "engine/checkpoint/synth_quantised.h"
#include "kernels/cuda/model_weights.h"
#include "kernels/cuda/pack.h"
#include "kernels/cuda/weight_upload.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace trefoil::cuda {
namespace {

/// A layer of each kind, of sizes that fill neither blocks nor units.
ModelConfig raggedModel() {
    auto config = parseModelConfig(cloverConfigJson(), "clover");
    EXPECT_TRUE(config.ok());
    config->hiddenSize = 96;
    config->moeIntermediateSize = 40;
    config->sharedExpertIntermediateSize = 72;
    config->numExperts = 5;
    config->numExpertsPerTok = 2;
    config->vocabSize = 200;
    config->numAttentionHeads = 3;
    config->numKeyValueHeads = 1;
    config->headDim = 24;
    config->linearNumKeyHeads = 1;
    config->linearNumValueHeads = 3;
    config->linearKeyHeadDim = 24;
    config->linearValueHeadDim = 24;
    config->layers = {LayerKind::GatedDeltaNet, LayerKind::FullAttention};
    return *config;
}

class Upload : public testing::Test {
protected:
    void open(const SynthFormat& format) {
        m_weights.emplace(raggedModel(), 4, format);
        m_request.tensors = m_weights->tensors();
        m_request.read = [this](std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> to) -> Status {
            m_weights->read(tensor, first, count, to);
            return {};
        };
        m_request.readRows = [this](std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) -> Status {
            m_weights->readRows(tensor, first, count, rows);
            return {};
        };
        m_index.clear();
        for (std::size_t i = 0; i < m_weights->tensors().size(); ++i) m_index[m_weights->tensors()[i].name] = i;
    }
    [[nodiscard]] float value(const std::string& name, std::int64_t element) const {
        std::byte bytes[2];
        m_weights->read(m_index.at(name), element, 1, bytes);
        std::uint16_t bits = 0;
        std::memcpy(&bits, bytes, 2);
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    }
    /// Packs an item in pieces of two row blocks and compares every value.
    void expectPacked(const PackedPlace& place, std::int64_t item) {
        std::vector<std::size_t> tensors;
        for (const PackedPlace::Source& source : place.sources) tensors.push_back(m_index.at(source.name));
        const std::int64_t blockBytes = rowBlockBytes(place.format, place.columns);
        std::vector<std::byte> packed(static_cast<std::size_t>(place.blocks() * blockBytes), std::byte{0xAA});
        for (std::int64_t first = 0; first < place.blocks(); first += 2)
            ASSERT_TRUE(readBlocks(m_request, place, tensors, item, first, std::min<std::int64_t>(2, place.blocks() - first),
                                   packed.data() + first * blockBytes)
                            .ok());
        std::int64_t begin = 0;
        for (const PackedPlace::Source& source : place.sources) {
            const std::int64_t end = std::min(begin + source.rows, place.rows);
            for (std::int64_t row = begin; row < end; ++row)
                for (std::int64_t column = 0; column < place.columns; ++column) {
                    const std::int64_t width = place.rows / 2;
                    const std::int64_t own = place.paired ? row % width : row;
                    const std::int64_t block = place.paired ? own / kUnitRows * 2 + row / width : own / kUnitRows;
                    ASSERT_EQ(
                        packedValue(place.format, packed.data() + block * blockBytes, static_cast<int>(own % kUnitRows), column),
                        value(source.name, (item * place.rows + row - begin) * place.columns + column))
                        << source.name << " row " << row << " column " << column;
                }
            begin += source.rows;
        }
    }

    std::optional<SyntheticQuantised> m_weights;
    LoadRequest m_request;
    std::map<std::string, std::size_t> m_index;
};

TEST_F(Upload, StackedRowsPairsAndExperts) {
    for (const SynthFormat& format : {SynthFormat{QuantisedFormat::Fp8Blocks}, {QuantisedFormat::Int4Groups, 32, true}, {}}) {
        open(format);
        const std::string p = "model.layers.0.";
        const PackFormat packed = WeightForms(m_weights->tensors(), true).of(p + "linear_attn.in_proj_qkv.weight");
        PackedPlace place;
        place.format = packed == PackFormat::None ? PackFormat::BFloat16 : packed;
        place.columns = 96;
        place.sources = {{p + "linear_attn.in_proj_qkv.weight", 120}, {p + "linear_attn.in_proj_z.weight", 72}};
        place.rows = 192;
        expectPacked(place, 0);
        place.sources = {{p + "mlp.shared_expert.gate_proj.weight", 72}, {p + "mlp.shared_expert.up_proj.weight", 72}};
        place.rows = 144;
        place.paired = true;
        expectPacked(place, 0);
        place.sources = {{p + "mlp.experts.gate_up_proj", 5 * 80}};
        place.items = 5;
        place.rows = 80;
        for (const std::int64_t item : {0, 3, 4}) expectPacked(place, item);
        // Values may be packed as BF16 whatever they are stored in.
        place.format = PackFormat::BFloat16;
        place.paired = false;
        place.sources = {{p + "mlp.experts.down_proj", 5 * 96}};
        place.rows = 96;
        place.columns = 40;
        expectPacked(place, 4);
    }
}

/// Every tensor is uploaded once, whatever is packed, and the plan says where each matrix lies.
TEST_F(Upload, AModelHoldsEveryTensorOnce) {
    const ModelConfig config = raggedModel();
    const LayerRange all{0, 2, 2};
    for (const bool inMainMemory : {false, true})
        for (const SynthFormat& format : {SynthFormat{},
                                          {QuantisedFormat::Fp8Blocks},
                                          {QuantisedFormat::Int4Groups, 32, false, true},
                                          {QuantisedFormat::Int4Groups, 32, false, false, true}}) {
            open(format);
            const WeightForms forms(m_weights->tensors(), false);
            const ModelWeights weights(config, all, WeightFormat::BFloat16, forms, {inMainMemory, 2});
            std::uint64_t bytes = 0;
            for (const TensorInfo& tensor : m_weights->tensors()) bytes += tensor.bytes();
            const auto source = weights.sourceBytes(m_request);
            ASSERT_TRUE(source.ok());
            EXPECT_EQ(*source, bytes);
            EXPECT_EQ(weights.hostBytes() > 0, inMainMemory);
            const bool quantised = format.format != QuantisedFormat::None;
            for (const LayerWeights& layer : weights.layers()) {
                EXPECT_EQ(layer.input.packed(), quantised);
                EXPECT_EQ(layer.packed.inUse(), quantised || inMainMemory);
                // b and a of a GDN layer keep BF16 beside the others.
                EXPECT_EQ(layer.input.segments, !quantised ? 0 : layer.kind == LayerKind::GatedDeltaNet ? 2 : 1);
                std::int64_t rows = 0;
                for (int i = 0; i < layer.input.segments; ++i) {
                    EXPECT_EQ(layer.input.segment[i].first, rows);
                    rows += layer.input.segment[i].rows;
                }
                if (quantised) {
                    EXPECT_EQ(rows, layer.input.rows);
                }
                if (!layer.packed.inUse()) continue;
                EXPECT_EQ(layer.packed.sharedGateUp == layer.packed.gateUp, !format.withoutShared);
                EXPECT_EQ(layer.packed.recordBytes,
                          pairedBytes(layer.packed.gateUp, 40, 96) + packedBytes(layer.packed.down, 96, 40));
            }
            EXPECT_EQ(weights.head().packed(), format.head);
        }
}

}  // namespace
}  // namespace trefoil::cuda
