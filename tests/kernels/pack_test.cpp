// The packed layout of quantised weights on GPUs: every element has its own place, and rows come back as the values that the
// checkpoint's own conventions give. Needs neither a GPU nor CUDA.
#include "kernels/cuda/pack.h"

#include "engine/checkpoint/synth_quantised.h"
#include "kernels/cuda/weight_forms.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trefoil::cuda {
namespace {

constexpr PackFormat kFormats[] = {PackFormat::BFloat16,  PackFormat::Fp8,           PackFormat::Int4By32,
                                   PackFormat::Int4By128, PackFormat::Int4ZerosBy32, PackFormat::Int4ZerosBy128};

TEST(Pack, EveryElementOfAUnitHasAPlaceOfItsOwn) {
    for (const PackFormat format : kFormats) {
        const UnitLayout layout = unitLayout(format);
        const int bits = layout.codeBytes * 8 / (kUnitRows * kUnitColumns);
        std::set<std::pair<int, int>> places;
        std::set<int> scales;
        for (int row = 0; row < kUnitRows; ++row)
            for (int column = 0; column < kUnitColumns; ++column) {
                const UnitPlace place = codePlace(format, row, column);
                EXPECT_TRUE(place.offset >= 0 && place.offset * 8 + place.shift + bits <= layout.codeBytes * 8);
                EXPECT_TRUE(places.emplace(place.offset, place.shift).second);
                if (layout.groups > 0) scales.insert(scaleIndex(layout, row, column));
            }
        EXPECT_EQ(static_cast<int>(scales.size()), kUnitRows * layout.groups);
        EXPECT_EQ(scales.empty() ? -1 : *scales.rbegin(), kUnitRows * layout.groups - 1);
    }
}

/// A lane's words are the operand A of mma.m16n8k16: registers 0 … 3 hold rows r, r + 8, r, r + 8 and columns c, c, c + 8, c + 8.
TEST(Pack, AUnitIsInTheOrderOfTheFragments) {
    for (int lane = 0; lane < 32; ++lane)
        for (int kk = 0; kk < 8; ++kk)
            for (int reg = 0; reg < 4; ++reg)
                for (int half = 0; half < 2; ++half) {
                    const int row = lane / 4 + (reg % 2) * 8;
                    const int column = kk * 16 + (reg / 2) * 8 + lane % 4 * 2 + half;
                    EXPECT_EQ(codePlace(PackFormat::BFloat16, row, column).offset, kk * 512 + lane * 16 + reg * 4 + half * 2);
                    // FP8: registers 0 and 1 are bytes 0 and 2, 1 and 3 of a word.
                    EXPECT_EQ(codePlace(PackFormat::Fp8, row, column).offset,
                              kk / 2 * 512 + lane * 16 + kk % 2 * 8 + reg / 2 * 4 + reg % 2 + half * 2);
                    // 4 bits: register i is nibbles i and i + 4 of the word.
                    const UnitPlace place = codePlace(PackFormat::Int4By32, row, column);
                    EXPECT_EQ(place.offset * 8 + place.shift, (kk / 4 * 512 + lane * 16 + kk % 4 * 4) * 8 + (reg + 4 * half) * 4);
                }
}

ModelConfig smallModel(std::int64_t hidden, std::int64_t width) {
    auto config = parseModelConfig(cloverConfigJson(), "clover");
    EXPECT_TRUE(config.ok());
    config->hiddenSize = hidden;
    config->moeIntermediateSize = width;
    config->numExperts = 3;
    config->vocabSize = 128;
    config->layers.resize(1);
    return *config;
}

float bf16(const std::byte* from) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, 2);
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

TEST(Pack, RowsComeBackAsTheCheckpointsValues) {
    const std::vector<std::pair<SynthFormat, std::int64_t>> cases{{{QuantisedFormat::Fp8Blocks}, 200},
                                                                  {{QuantisedFormat::Fp8Blocks}, 384},
                                                                  {{QuantisedFormat::Int4Groups, 32}, 96},
                                                                  {{QuantisedFormat::Int4Groups, 32, true}, 160},
                                                                  {{QuantisedFormat::Int4Groups, 64}, 192},
                                                                  {{QuantisedFormat::Int4Groups, 128}, 256},
                                                                  {{QuantisedFormat::Int4Groups, 128, true}, 384},
                                                                  {{QuantisedFormat::Int4Groups, 256}, 512}};
    for (const auto& [format, hidden] : cases) {
        const SyntheticQuantised weights(smallModel(hidden, 32), 3, format);
        const WeightForms forms(weights.tensors(), true);
        int found = 0;
        for (std::size_t i = 0; i < weights.tensors().size(); ++i) {
            const TensorInfo& tensor = weights.tensors()[i];
            const PackFormat packed = forms.of(tensor.name);
            ASSERT_EQ(packed != PackFormat::None, tensor.quantised.has_value()) << tensor.name;
            if (packed == PackFormat::None || tensor.shape.back() != hidden) continue;
            ++found;
            // 21 rows: a block and a part of one.
            constexpr std::int64_t kRows = 21;
            QuantisedRows rows;
            weights.readRows(i, 5, kRows, rows);
            std::vector<std::byte> values(static_cast<std::size_t>(kRows * hidden) * 2);
            weights.read(i, 5 * hidden, kRows * hidden, values);
            const std::int64_t blockBytes = rowBlockBytes(packed, hidden);
            std::vector<std::byte> blocks(static_cast<std::size_t>(packedBytes(packed, kRows, hidden)));
            const QuantisedForm& form = *tensor.quantised;
            for (std::int64_t r = 0; r < kRows; ++r) {
                PackRow row;
                row.codes = rows.codes.data() + r * form.rowBytes();
                row.scales = rows.scales.data() + r * form.groups() * static_cast<std::int64_t>(dtypeSize(form.scaleType));
                row.zeroPoints = form.hasZeroPoints ? rows.zeroPoints.data() + r * form.groups() : nullptr;
                row.scaleType = form.scaleType;
                row.groupSize = form.groupSize;
                packRow(packed, hidden, static_cast<int>(r % kUnitRows), row, blocks.data() + r / kUnitRows * blockBytes);
            }
            for (std::int64_t r = 0; r < kRows; ++r)
                for (std::int64_t c = 0; c < hidden; ++c)
                    ASSERT_EQ(packedValue(packed, blocks.data() + r / kUnitRows * blockBytes, static_cast<int>(r % kUnitRows), c),
                              bf16(values.data() + (r * hidden + c) * 2))
                        << tensor.name << " row " << r << " column " << c;
            // What fills up the last block and the last unit stands for zero.
            ASSERT_EQ(packedValue(packed, blocks.data() + blockBytes, 7, 0), 0.0F);
            if (hidden % kUnitColumns != 0) {
                ASSERT_EQ(packedValue(packed, blocks.data(), 3, hidden), 0.0F);
            }
        }
        EXPECT_GT(found, 3);
    }
}

TEST(Pack, PlainRowsAreRoundedToBf16) {
    const std::vector<float> values{1.0F, 1.00390625F, -0.333333F, 3e38F, 0.0F, 65504.0F};
    std::vector<std::byte> out(values.size() * 2);
    toBf16(DType::F32, reinterpret_cast<const std::byte*>(values.data()), static_cast<std::int64_t>(values.size()), out.data());
    EXPECT_EQ(bf16(out.data()), 1.0F);
    EXPECT_EQ(bf16(out.data() + 2), 1.0F);  // a tie goes to even
    EXPECT_NEAR(bf16(out.data() + 4), -0.333333F, 0.002F);
    const std::uint16_t half[] = {0x3C00, 0xC000, 0x0001, 0x7BFF};
    toBf16(DType::F16, reinterpret_cast<const std::byte*>(half), 4, out.data());
    EXPECT_EQ(bf16(out.data()), 1.0F);
    EXPECT_EQ(bf16(out.data() + 2), -2.0F);
    EXPECT_EQ(bf16(out.data() + 4), std::ldexp(1.0F, -24));
    EXPECT_EQ(bf16(out.data() + 6), 65536.0F);
    std::vector<std::byte> block(static_cast<std::size_t>(rowBlockBytes(PackFormat::BFloat16, 136)));
    std::vector<std::byte> row(136 * 2);
    for (int i = 0; i < 136; ++i) {
        const auto bits = static_cast<std::uint16_t>(0x3F80 + i);
        std::memcpy(row.data() + i * 2, &bits, 2);
    }
    PackRow source;
    source.codes = row.data();
    packRow(PackFormat::BFloat16, 136, 9, source, block.data());
    for (int i = 0; i < 136; ++i) EXPECT_EQ(packedValue(PackFormat::BFloat16, block.data(), 9, i), bf16(row.data() + i * 2));
}

TEST(Pack, FormsThatTheKernelsLackAreReadAsValues) {
    QuantisedForm form;
    form.format = QuantisedFormat::Int4Groups;
    form.columns = 480;
    form.scaleType = DType::BF16;
    for (const std::int64_t group : {16, 48, 24}) {
        form.groupSize = group;
        EXPECT_EQ(packFormatOf(form, false), PackFormat::None);
    }
    form.groupSize = 96;
    EXPECT_EQ(packFormatOf(form, false), PackFormat::Int4By32);
    form.scaleType = DType::F16;
    EXPECT_EQ(packFormatOf(form, false), PackFormat::Int4By32);
    EXPECT_EQ(packFormatOf(form, true), PackFormat::None);  // its scales would be rounded
    EXPECT_EQ(packFormatOf(std::nullopt, false), PackFormat::None);
}

}  // namespace
}  // namespace trefoil::cuda
