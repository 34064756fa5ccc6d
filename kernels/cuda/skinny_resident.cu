#include "kernels/cuda/skinny_resident.h"

#include "kernels/cuda/resident_rows.cuh"

namespace trefoil::cuda {
namespace {

constexpr int kWarps = 16;
/// Units on their way in a warp's registers.
template <class F>
constexpr int kDepthOf = F::kPerLoad == 4   ? 3
                         : F::kPerLoad == 2 ? 2
                                            : 1;

/// The units [first, first + count) of a split.
struct Columns {
    int first, count;

    __host__ __device__ Columns(std::int64_t columns, int split, int splits) {
        const int units = static_cast<int>(columns / kUnitColumns);
        first = units * split / splits;
        count = units * (split + 1) / splits - first;
    }
};

/// A row block of a segment, and its first unit of the split.
struct Block {
    const std::byte* data = nullptr;
    std::int64_t row = 0;   ///< of the matrix
    std::int64_t left = 0;  ///< rows from there on that the segment has
    PackFormat format = PackFormat::None;
};

template <class F>
__device__ __forceinline__ Block blockOf(const WeightMatrix& w, int job, const Columns& columns) {
    Block b;
#pragma unroll
    for (int i = 0; i < WeightMatrix::kMaxSegments; ++i) {
        if (i >= w.segments || job < 0) break;
        const PackedSegment& s = w.segment[i];
        const int blocks = static_cast<int>((s.rows + kUnitRows - 1) / kUnitRows);
        if (job < blocks) {
            const std::int64_t unitBytes = s.format == F::kFormat ? F::kUnitBytes : Bf16Format::kUnitBytes;
            b.data = s.data + (job * (w.columns / kUnitColumns) + columns.first) * unitBytes;
            b.row = s.first + static_cast<std::int64_t>(job) * kUnitRows;
            b.left = s.rows - static_cast<std::int64_t>(job) * kUnitRows;
            b.format = s.format;
        }
        job -= blocks;
    }
    return b;
}

/// A warp's way through its row block.
template <class F, int kTiles>
struct BlockProduct {
    static constexpr int kDepth = kDepthOf<F>;
    UnitStage<F, 1> stages[kDepth];

    __device__ __forceinline__ void start(const std::byte* data, int units) {
#pragma unroll
        for (int d = 0; d < kDepth; ++d)
            if (d < units) stages[d].load(data + static_cast<std::int64_t>(d) * F::kUnitBytes, 0);
    }
    __device__ __forceinline__ void run(float (&acc)[1][kTiles][4], const std::byte* data, int units,
                                        const std::uint32_t (&places)[kTiles]) {
#pragma unroll 1
        for (int unit = 0; unit < units; unit += kDepth)
#pragma unroll
            for (int d = 0; d < kDepth; ++d) {
                if (unit + d >= units) break;
                multiplyResident<F, 1, kTiles>(acc, stages[d], places, static_cast<std::uint32_t>(unit + d) * 256, kTiles);
                if (unit + d + kDepth < units)
                    stages[d].load(data + static_cast<std::int64_t>(unit + d + kDepth) * F::kUnitBytes, 0);
            }
    }
};

/// to: the block's first row of the pass's first row; those of the pass lie `stride` apart.
template <int kTiles>
__device__ __forceinline__ void store(const float (&acc)[1][kTiles][4], float* to, std::int64_t stride, int left, int t) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    // Else the compiler keeps every address ready beside the weights, for which there are not enough registers.
    asm volatile("" : "+l"(stride));
    int column = (lane & 3) * 2;
    float* at = to + column * stride + (lane >> 2);
    left -= lane >> 2;
#pragma unroll
    for (int n = 0; n < kTiles; ++n, column += 8, at += 8 * stride)
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if ((j >> 1) * 8 < left && column + (j & 1) < t) at[(j & 1) * stride + (j >> 1) * 8] = acc[0][n][j];
}

template <class F, int kTiles>
__global__ void __launch_bounds__(kWarps * 32, 1)
    skinnyResidentKernel(const __grid_constant__ WeightMatrix w, int jobs, const Bf16* x, int t, int splits, float* out) {
    extern __shared__ __align__(128) std::uint8_t shared[];
    gridRelease();
    const int split = static_cast<int>(blockIdx.x) % splits;
    const int block = static_cast<int>(blockIdx.x) / splits;
    const int blocks = (static_cast<int>(gridDim.x) - split + splits - 1) / splits;
    const Columns columns(w.columns, split, splits);
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    int job = block + blocks * warp;
    // Weights wait for nothing.
    BlockProduct<F, kTiles> product;
    Block own;
    if (job < jobs) {
        own = blockOf<F>(w, job, columns);
        if (own.format == F::kFormat) product.start(own.data, columns.count);
    }
    gridWait();
    const std::uint32_t rows = sharedAddress(shared);
    const int width = columns.count * kUnitColumns;
    fetchResident(rows, x + static_cast<std::int64_t>(columns.first) * kUnitColumns, w.columns, t, kTiles * 8, width);
    copyAsyncCommit();
    copyAsyncWait<0>();
    __syncthreads();
    std::uint32_t places[kTiles];
#pragma unroll
    for (int n = 0; n < kTiles; ++n) places[n] = residentPlace(rows, n * 8 + (lane & 7), width);
    float* part = out + static_cast<std::int64_t>(split) * t * w.rows;
#pragma unroll 1
    while (job < jobs) {
        float acc[1][kTiles][4] = {};
        if (own.format == F::kFormat) {
            product.run(acc, own.data, columns.count, places);
        } else {
            BlockProduct<Bf16Format, kTiles> plain;
            plain.start(own.data, columns.count);
            plain.run(acc, own.data, columns.count, places);
        }
        store<kTiles>(acc, part + own.row, w.rows, static_cast<int>(own.left), t);
        job += blocks * kWarps;
        if (job < jobs) {
            own = blockOf<F>(w, job, columns);
            if (own.format == F::kFormat) product.start(own.data, columns.count);
        }
    }
}

/// The format of the segments that are not BF16; None where they have several.
PackFormat formatOf(const WeightMatrix& matrix) {
    PackFormat format = PackFormat::BFloat16;
    for (int i = 0; i < matrix.segments; ++i) {
        const PackFormat own = matrix.segment[i].format;
        if (own == PackFormat::BFloat16 || own == format) continue;
        if (format != PackFormat::BFloat16) return PackFormat::None;
        format = own;
    }
    return format;
}

std::size_t bytesFor(const WeightMatrix& matrix, int t, int splits) {
    const std::int64_t units = (matrix.columns / kUnitColumns + splits - 1) / splits;
    return static_cast<std::size_t>((t <= 8 ? 8 : kResidentRows) * units * kUnitColumns) * sizeof(Bf16);
}

}  // namespace

bool skinnyResidentSupports(const Launcher& on, const WeightMatrix& matrix, int t, int splits) {
    return t <= kResidentRows && matrix.segments > 0 && matrix.columns % kUnitColumns == 0 &&
           matrix.columns / kUnitColumns >= splits && splits <= on.sms && formatOf(matrix) != PackFormat::None &&
           bytesFor(matrix, t, splits) <= on.sharedBytes;
}

cudaError_t skinnyResident(const Launcher& on, const WeightMatrix& matrix, const Bf16* x, int t, int splits, float* out) {
    int jobs = 0;
    for (int i = 0; i < matrix.segments; ++i) jobs += static_cast<int>(rowBlocksOf(matrix.segment[i].rows));
    const dim3 grid(static_cast<unsigned>(on.sms));
    return withPackFormat(formatOf(matrix), [&](auto chosen) {
        using F = decltype(chosen);
        const std::size_t bytes = bytesFor(matrix, t, splits);
        if (t <= 8)
            return launch(on, skinnyResidentKernel<F, 1>, grid, dim3(kWarps * 32), bytes, matrix, jobs, x, t, splits, out);
        return launch(on, skinnyResidentKernel<F, 4>, grid, dim3(kWarps * 32), bytes, matrix, jobs, x, t, splits, out);
    });
}

}  // namespace trefoil::cuda
