#include "kernels/cpu/matrix_product.h"

#include "kernels/cpu/packed_matrix.h"
#include "kernels/reference/operators.h"
#include "tests/kernels/kernel_test_support.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

namespace trefoil::test {
namespace {

using kernels::Epilogue;
using kernels::PackedMatrix;
using kernels::RowOrder;
using kernels::WeightFormat;

/// Rounds toward zero: any bits will do, as the twin sees the same numbers.
std::uint16_t toBrain(float f) { return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(f) >> 16); }

/// Normal half-precision numbers only (|f| between 2^-14 and 65504), rounded toward zero.
std::uint16_t toHalf(float f) {
    const auto bits = std::bit_cast<std::uint32_t>(f);
    const int exponent = static_cast<int>((bits >> 23) & 0xFFU) - 127 + 15;
    if (exponent <= 0) return static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
    return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | (static_cast<std::uint32_t>(exponent) << 10) |
                                      ((bits >> 13) & 0x3FFU));
}

/// Weights as a checkpoint stores them.
std::vector<std::byte> stored(const Floats& w, WeightFormat format) {
    std::vector<std::byte> out(w.size() * static_cast<std::size_t>(kernels::formatBytes(format)));
    for (std::size_t i = 0; i < w.size(); ++i) {
        if (format == WeightFormat::F32) {
            std::memcpy(out.data() + i * 4, &w[i], 4);
        } else {
            const std::uint16_t narrow = format == WeightFormat::F16 ? toHalf(w[i]) : toBrain(w[i]);
            std::memcpy(out.data() + i * 2, &narrow, 2);
        }
    }
    return out;
}

struct Rows {
    Floats data;
    std::vector<float*> pointers;

    Rows(std::int64_t rows, std::int64_t width) : data(static_cast<std::size_t>(rows * width), -77.0F) {
        for (std::int64_t r = 0; r < rows; ++r) pointers.push_back(data.data() + r * width);
    }
};

class MatrixProduct : public EveryInstructionSet {};

void compareWithTwin(std::int64_t rows, std::int64_t outputs, std::int64_t inputs, WeightFormat format, Epilogue epilogue) {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << outputs << " x " << inputs << ", format " << static_cast<int>(format)
                                    << ", epilogue " << static_cast<int>(epilogue));
    const auto seed = static_cast<unsigned>(rows * 1000 + outputs * 10 + inputs);
    const auto bytes = stored(randomFloats(outputs * inputs, seed), format);
    Floats w(static_cast<std::size_t>(outputs * inputs));
    kernels::widen(bytes.data(), format, outputs * inputs, w.data());
    const Floats x = randomFloats(rows * inputs, seed + 1);
    const bool paired = epilogue == Epilogue::SiluPair;
    PackedMatrix packed(format, 1, outputs, inputs, paired ? RowOrder::Paired : RowOrder::Plain);
    packed.pack(0, 0, outputs, bytes.data(), format);
    const std::int64_t width = paired ? packed.panels() * kernels::kHalfPanel : packed.panels() * kernels::kPanel;
    Rows y(rows, width);
    if (epilogue == Epilogue::Add) std::fill(y.data.begin(), y.data.end(), 2.0F);
    std::vector<const float*> input;
    for (std::int64_t r = 0; r < rows; ++r) input.push_back(x.data() + r * inputs);
    kernels::ThreadPool pool(3);
    kernels::ProductJob job{&packed, 0, rows, input.data(), y.pointers.data(), epilogue, 0};
    kernels::matrixProducts(pool, {&job, 1});

    const Floats product = reference::matrixProduct(x, w, rows, outputs, inputs);
    const std::int64_t used = paired ? outputs / 2 : outputs;
    Floats expected;
    Floats computed;
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t n = 0; n < used; ++n) {
            const auto at = static_cast<std::size_t>(r * outputs + n);
            if (paired)
                expected.push_back(reference::silu(product[at]) * product[at + static_cast<std::size_t>(used)]);
            else
                expected.push_back(product[at] + (epilogue == Epilogue::Add ? 2.0F : 0.0F));
            computed.push_back(y.pointers[static_cast<std::size_t>(r)][n]);
        }
    }
    EXPECT_LE(relativeError(computed, expected), 1e-6);
}

TEST_P(MatrixProduct, EqualsTwinAtEveryShape) {
    for (const WeightFormat format : {WeightFormat::BF16, WeightFormat::F16, WeightFormat::F32})
        for (const std::int64_t rows : {1, 2, 5, 6, 7, 10, 11, 12, 23, 32, 45})
            for (const auto& shape :
                 std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {31, 7}, {32, 16}, {33, 33}, {130, 96}})
                compareWithTwin(rows, shape.first, shape.second, format, Epilogue::Store);
}

TEST_P(MatrixProduct, EpiloguesEqualTwin) {
    for (const WeightFormat format : {WeightFormat::BF16, WeightFormat::F16, WeightFormat::F32})
        for (const std::int64_t rows : {1, 11, 32}) {
            compareWithTwin(rows, 70, 40, format, Epilogue::Add);
            for (const std::int64_t outputs : {2, 30, 32, 34, 192})
                compareWithTwin(rows, outputs, 40, format, Epilogue::SiluPair);
        }
}

TEST_P(MatrixProduct, RealSizeEqualsTwin) { compareWithTwin(32, 512, 256, WeightFormat::BF16, Epilogue::Store); }

/// What chunked prefill and partial commits rely on.
TEST_P(MatrixProduct, RowsDoNotDependOnTheirCompany) {
    constexpr std::int64_t kRows = 32;
    constexpr std::int64_t kInputs = 96;
    const auto bytes = stored(randomFloats(32 * kInputs, 5), WeightFormat::BF16);
    PackedMatrix packed(WeightFormat::BF16, 1, 32, kInputs, RowOrder::Plain);
    packed.pack(0, 0, 32, bytes.data(), WeightFormat::BF16);
    const Floats x = randomFloats(kRows * kInputs, 6);
    std::vector<const float*> input;
    for (std::int64_t r = 0; r < kRows; ++r) input.push_back(x.data() + r * kInputs);
    Rows together(kRows, 32);
    kernels::panelProduct(WeightFormat::BF16, packed.panel(0, 0), kInputs, input.data(), together.pointers.data(), kRows,
                          Epilogue::Store);
    for (std::size_t r = 0; r < kRows; ++r) {
        Rows alone(1, 32);
        kernels::panelProduct(WeightFormat::BF16, packed.panel(0, 0), kInputs, input.data() + r, alone.pointers.data(), 1,
                              Epilogue::Store);
        EXPECT_EQ(0, std::memcmp(alone.data.data(), together.pointers[r], 32 * sizeof(float))) << "row " << r;
    }
}

TEST_P(MatrixProduct, JobsOfOneBatchDoNotMix) {
    // As experts do: several items of one matrix, each with rows of its own, one with none.
    constexpr std::int64_t kInputs = 20;
    const Floats w = randomFloats(3 * 40 * kInputs, 8);
    const auto bytes = stored(w, WeightFormat::F32);
    PackedMatrix packed(WeightFormat::F32, 3, 40, kInputs, RowOrder::Plain);
    for (std::int64_t e = 0; e < 3; ++e) packed.pack(e, 0, 40, bytes.data() + e * 40 * kInputs * 4, WeightFormat::F32);
    const Floats x = randomFloats(6 * kInputs, 9);
    std::vector<const float*> input;
    for (std::int64_t r = 0; r < 6; ++r) input.push_back(x.data() + r * kInputs);
    Rows y(6, 64);
    std::vector<kernels::ProductJob> jobs{{&packed, 2, 5, input.data(), y.pointers.data(), Epilogue::Store, 0},
                                          {&packed, 1, 0, input.data(), y.pointers.data(), Epilogue::Store, 0},
                                          {&packed, 0, 1, input.data() + 5, y.pointers.data() + 5, Epilogue::Store, 0}};
    kernels::ThreadPool pool(2);
    kernels::matrixProducts(pool, jobs);
    for (std::int64_t r = 0; r < 6; ++r) {
        const Floats expected = reference::matrixProduct(slice(x, r * kInputs, kInputs),
                                                         slice(w, (r == 5 ? 0 : 2) * 40 * kInputs, 40 * kInputs), 1, 40, kInputs);
        EXPECT_LE(relativeError(slice(y.data, r * 64, 40), expected), 1e-6) << "row " << r;
    }
}

TEST(PackedMatrixTest, UnpackGivesTheStoredRow) {
    for (const WeightFormat format : {WeightFormat::BF16, WeightFormat::F16, WeightFormat::F32}) {
        const auto bytes = stored(randomFloats(37 * 9, 3), format);
        PackedMatrix packed(format, 1, 37, 9, RowOrder::Plain);
        packed.pack(0, 0, 20, bytes.data(), format);
        packed.pack(0, 20, 17, bytes.data() + 20 * 9 * kernels::formatBytes(format), format);
        Floats all(37 * 9);
        kernels::widen(bytes.data(), format, 37 * 9, all.data());
        for (std::int64_t row = 0; row < 37; ++row) {
            Floats out(9);
            packed.unpack(0, row, out.data());
            EXPECT_EQ(out, slice(all, row * 9, 9));
        }
        EXPECT_EQ(packed.bytes(), PackedMatrix::plannedBytes(format, 1, 37, 9, RowOrder::Plain));
    }
}

TEST(PackedMatrixTest, SixteenBitRowsWidenIntoAFloatMatrix) {
    const auto bytes = stored(randomFloats(40 * 5, 4), WeightFormat::BF16);
    PackedMatrix packed(WeightFormat::F32, 1, 40, 5, RowOrder::Plain);
    packed.pack(0, 0, 40, bytes.data(), WeightFormat::BF16);
    Floats all(40 * 5);
    kernels::widen(bytes.data(), WeightFormat::BF16, 40 * 5, all.data());
    Floats out(5);
    packed.unpack(0, 33, out.data());
    EXPECT_EQ(out, slice(all, 33 * 5, 5));
}

TEST(PackedMatrixTest, WidensEveryKindOfHalf) {
    const std::vector<std::uint16_t> halves{0x0000, 0x8000, 0x3C00, 0xC000, 0x7BFF, 0x0400, 0x0001, 0x03FF, 0x8001};
    const Floats expected{0.0F, -0.0F, 1.0F, -2.0F, 65504.0F, 0x1p-14F, 0x1p-24F, 1023 * 0x1p-24F, -0x1p-24F};
    Floats out(halves.size());
    kernels::widen(reinterpret_cast<const std::byte*>(halves.data()), WeightFormat::F16, static_cast<std::int64_t>(halves.size()),
                   out.data());
    EXPECT_EQ(out, expected);
    const std::uint16_t infinity = 0x7C00;
    float wide = 0;
    kernels::widen(reinterpret_cast<const std::byte*>(&infinity), WeightFormat::F16, 1, &wide);
    EXPECT_TRUE(std::isinf(wide));
}

INSTANTIATE_TEST_SUITE_P(Cpu, MatrixProduct, testing::ValuesIn(kernels::availableInstructionSets()), instructionSetTestName);

}  // namespace
}  // namespace trefoil::test
