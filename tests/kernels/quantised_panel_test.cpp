// Quantised panels: widened bit for bit as the twin says, and products that equal those of the widened matrix.
#include "kernels/cpu/quantised_panel.h"

#include "kernels/cpu/matrix_product.h"
#include "kernels/cpu/packed_matrix.h"
#include "kernels/reference/operators.h"
#include "tests/kernels/kernel_test_support.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace trefoil::test {
namespace {

using kernels::Epilogue;
using kernels::PackedMatrix;
using kernels::QuantisedCodes;
using kernels::QuantisedLayout;
using kernels::RowOrder;
using kernels::WeightFormat;

/// A random matrix as a checkpoint stores it, and the values that the twin gives it.
struct Stored {
    std::vector<std::byte> codes;
    std::vector<std::byte> scales;
    std::vector<std::uint8_t> zeroPoints;
    Floats values;  ///< [rows, columns]
};

float fp8Value(unsigned code) {
    const unsigned exponent = code >> 3 & 15U;
    const auto fraction = static_cast<float>(code & 7U);
    const float magnitude =
        exponent == 0 ? std::ldexp(fraction, -9) : std::ldexp(fraction + 8.0F, static_cast<int>(exponent) - 10);
    return (code & 128U) != 0 ? -magnitude : magnitude;
}

/// Positive scales; every third one so small that the products are subnormal halves.
std::uint32_t scaleBits(WeightFormat format, std::uint32_t random, std::int64_t index) {
    const std::uint32_t fraction = random >> 9;
    if (format == WeightFormat::F32) return (index % 3 == 0 ? 106U : 119U) << 23 | fraction;
    if (format == WeightFormat::BF16) return (index % 3 == 0 ? 106U : 119U) << 7 | fraction >> 16;
    return (index % 3 == 0 ? 0U : 7U) << 10 | fraction >> 13;
}

Stored makeStored(const QuantisedLayout& layout, std::int64_t rows, std::int64_t columns) {
    const bool fp8 = layout.codes == QuantisedCodes::Fp8;
    const std::int64_t rowBytes = fp8 ? columns : (columns + 7) / 8 * 4;
    const std::int64_t groups = layout.groups(columns);
    const std::int64_t scaleBytes = kernels::formatBytes(layout.scaleFormat);
    std::uint32_t state = static_cast<std::uint32_t>(rows * 31 + columns);
    const auto random = [&state] { return state = state * 1664525U + 1013904223U; };
    Stored out;
    for (std::int64_t i = 0; i < rows * rowBytes; ++i) {
        std::uint32_t code = random() >> 24;
        if (fp8 && (code & 127U) == 127U) code ^= 1U;
        out.codes.push_back(static_cast<std::byte>(code));
    }
    for (std::int64_t i = 0; i < rows * groups; ++i) {
        const std::uint32_t bits = scaleBits(layout.scaleFormat, random(), i);
        for (std::int64_t b = 0; b < scaleBytes; ++b) out.scales.push_back(static_cast<std::byte>(bits >> (8 * b) & 0xFFU));
        if (layout.hasZeroPoints) out.zeroPoints.push_back(static_cast<std::uint8_t>(random() >> 28));
    }
    const int bits = layout.values() == WeightFormat::F32 ? 24 : layout.values() == WeightFormat::F16 ? 11 : 8;
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
            const std::int64_t group = r * groups + c / layout.group;
            float scale = 0;
            kernels::widen(out.scales.data() + group * scaleBytes, layout.scaleFormat, 1, &scale);
            const auto code = static_cast<unsigned>(out.codes[static_cast<std::size_t>(r * rowBytes + (fp8 ? c : c / 2))]);
            const float zero = fp8 ? 0.0F : layout.hasZeroPoints ? out.zeroPoints[static_cast<std::size_t>(group)] : 8.0F;
            const float value = fp8 ? fp8Value(code) : static_cast<float>(code >> (4 * (c % 2)) & 15U);
            out.values.push_back(
                reference::dequantised(value, zero, scale, bits, layout.values() == WeightFormat::F16 ? -14 : -126));
        }
    return out;
}

std::vector<QuantisedLayout> layouts() {
    std::vector<QuantisedLayout> out{{QuantisedCodes::Fp8, 128, WeightFormat::F32, false},
                                     {QuantisedCodes::Fp8, 128, WeightFormat::BF16, false}};
    for (const WeightFormat scales : {WeightFormat::BF16, WeightFormat::F16, WeightFormat::F32})
        for (const bool zeros : {false, true})
            for (const std::int64_t group : {8, 32, 128}) out.push_back({QuantisedCodes::Int4, group, scales, zeros});
    return out;
}

class QuantisedPanel : public EveryInstructionSet {};

TEST_P(QuantisedPanel, WidensAsTheTwin) {
    for (const QuantisedLayout& layout : layouts())
        for (const RowOrder order : {RowOrder::Plain, RowOrder::Paired})
            for (const std::int64_t columns : {8, 96, 128, 384}) {
                if (layout.codes == QuantisedCodes::Int4 && columns % layout.group != 0) continue;
                constexpr std::int64_t kRows = 46;
                const Stored stored = makeStored(layout, kRows, columns);
                PackedMatrix packed(layout, 2, kRows, columns, order);
                EXPECT_EQ(packed.bytes(), PackedMatrix::plannedBytes(layout, 2, kRows, columns, order));
                const std::uint8_t* zeros = layout.hasZeroPoints ? stored.zeroPoints.data() : nullptr;
                packed.packQuantised(1, 0, kRows, stored.codes.data(), stored.scales.data(), zeros);
                Floats row(static_cast<std::size_t>(columns));
                for (std::int64_t r = 0; r < kRows; ++r) {
                    packed.unpack(1, r, row.data());
                    ASSERT_EQ(row, slice(stored.values, r * columns, columns)) << r << " of " << columns;
                }
            }
}

TEST_P(QuantisedPanel, ProductsAreThoseOfTheWidenedMatrix) {
    for (const QuantisedLayout& layout : layouts())
        for (const Epilogue epilogue : {Epilogue::Store, Epilogue::Add, Epilogue::SiluPair}) {
            constexpr std::int64_t kOutputs = 70;
            constexpr std::int64_t kInputs = 384;
            const RowOrder order = epilogue == Epilogue::SiluPair ? RowOrder::Paired : RowOrder::Plain;
            const Stored stored = makeStored(layout, kOutputs, kInputs);
            PackedMatrix packed(layout, 1, kOutputs, kInputs, order);
            packed.packQuantised(0, 0, kOutputs, stored.codes.data(), stored.scales.data(),
                                 layout.hasZeroPoints ? stored.zeroPoints.data() : nullptr);
            PackedMatrix plain(WeightFormat::F32, 1, kOutputs, kInputs, order);
            plain.pack(0, 0, kOutputs, reinterpret_cast<const std::byte*>(stored.values.data()), WeightFormat::F32);
            for (const std::int64_t rows : {1, 7, 32, 100}) {
                const Floats x = randomFloats(rows * kInputs, 7);
                const auto run = [&](const PackedMatrix& weights) {
                    const std::int64_t width = weights.panels() * kernels::kPanel;
                    Floats y(static_cast<std::size_t>(rows * width), 2.0F);
                    std::vector<const float*> in;
                    std::vector<float*> out;
                    for (std::int64_t r = 0; r < rows; ++r) {
                        in.push_back(x.data() + r * kInputs);
                        out.push_back(y.data() + r * width);
                    }
                    kernels::ThreadPool pool(2);
                    kernels::ProductJob job{&weights, 0, rows, in.data(), out.data(), epilogue, 0};
                    kernels::matrixProducts(pool, {&job, 1});
                    return y;
                };
                EXPECT_EQ(run(packed), run(plain)) << rows << " rows";
            }
        }
}

INSTANTIATE_TEST_SUITE_P(Cpu, QuantisedPanel, testing::ValuesIn(kernels::availableInstructionSets()), instructionSetTestName);

}  // namespace
}  // namespace trefoil::test
