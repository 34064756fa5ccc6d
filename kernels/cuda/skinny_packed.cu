#include "kernels/cuda/skinny_packed.h"

#include "kernels/cuda/packed_pipeline.cuh"
#include "kernels/cuda/skinny_resident.h"

namespace trefoil::cuda {
namespace {

/// Rows [0, m) of a segment; out points to its first column of rows that lie `stride` apart.
template <int NT, class F, class S>
__global__ void __launch_bounds__(kSkinnyThreads, 2)
    packedKernel(const std::byte* w, std::int64_t m, std::int64_t k, const Bf16* x, int t, std::int64_t stride, float* out) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    const int units = static_cast<int>((k + kUnitColumns - 1) / kUnitColumns);
    const int splits = static_cast<int>(gridDim.y);
    const int split = static_cast<int>(blockIdx.y);
    const int first = units * split / splits;
    const int last = units * (split + 1) / splits;
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    UnitWalk<F> walk;
    walk.start(w, static_cast<std::int64_t>(blockIdx.x) * 8 + warp * 2, (m + kUnitRows - 1) / kUnitRows,
               static_cast<std::int64_t>(units) * F::kUnitBytes);
    Accumulators<NT> acc;
    clear<NT>(acc);
    // The pipeline's addresses are the thread's place in a tile of rows.
    const std::uint32_t shift = unitPlace<F>() - ownPlace();
    const auto fetchWeights = [&](int g, std::uint32_t address) { walk.fetch(address + shift, first + g); };
    const auto fetchRows = [&](int g, std::uint32_t address) {
        fetchUnitRows<NT>(address, x, k, static_cast<std::int64_t>(first + g) * kUnitColumns, k,
                          [&](int row) { return row < t; });
    };
    const auto multiply = [&](int, std::uint32_t weights, std::uint32_t rows) {
        multiplyUnits<NT, F>(acc, weights + warp * S::kWarpBytes, rows);
    };
    runPipelineWith<NT, true, S>(last - first, shared, fetchWeights, fetchRows, multiply, [](int) {});
    float* part = out + static_cast<std::int64_t>(split) * t * stride;
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int n = 0; n < NT / 8; ++n)
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const std::int64_t row =
                    static_cast<std::int64_t>(blockIdx.x) * kTileRows + warp * 32 + i * 16 + (lane >> 2) + (j >> 1) * 8;
                const int column = n * 8 + (lane & 3) * 2 + (j & 1);
                if (row < m && column < t) part[column * stride + row] = acc[i][n][j];
            }
}

cudaError_t runSegment(const Launcher& on, const PackedSegment& s, std::int64_t k, const Bf16* x, int t, int splits,
                       std::int64_t stride, float* out) {
    const dim3 grid(static_cast<unsigned>((s.rows + kTileRows - 1) / kTileRows), static_cast<unsigned>(splits));
    return withPackFormat(s.format, [&](auto format) {
        using F = decltype(format);
        return withPackedShape<F>(on, t, [&](auto n, auto shape) {
            constexpr int NT = decltype(n)::value;
            using S = decltype(shape);
            return launch(on, packedKernel<NT, F, S>, grid, dim3(kSkinnyThreads), S::kBytes, s.data, s.rows, k, x, t, stride,
                          out + s.first);
        });
    });
}

}  // namespace

cudaError_t skinnyPacked(const Launcher& on, const WeightMatrix& matrix, const Bf16* x, int t, int splits, float* out) {
    if (skinnyResidentSupports(on, matrix, t, splits)) return skinnyResident(on, matrix, x, t, splits, out);
    for (int i = 0; i < matrix.segments; ++i)
        if (const cudaError_t e = runSegment(on, matrix.segment[i], matrix.columns, x, t, splits, matrix.rows, out);
            e != cudaSuccess)
            return e;
    return cudaSuccess;
}

}  // namespace trefoil::cuda
