// Reading columns of a projection, for the kernels of a GDN layer.
#pragma once

#include "kernels/cuda/common.cuh"

namespace trefoil::cuda {

#ifdef __CUDACC__

/// x[i] = column c of row at + i, 0 outside [lowest, end). Rows outside are read from the nearest one inside and left out: loads
/// without conditions all start at once.
template <int kCount>
__device__ __forceinline__ void loadColumn(const Rows& m, std::int64_t at, std::int64_t lowest, std::int64_t end, int c,
                                           float (&x)[kCount]) {
    // A pass has few rows: 32 bits do.
    const int row0 = static_cast<int>(at);
    const int row1 = static_cast<int>(lowest);
    const int row2 = static_cast<int>(end);
    const int stride = static_cast<int>(m.stride);
    const auto inside = [&](int i) { return row0 + i >= row1 && row0 + i < row2; };
    const auto offset = [&](int i) { return static_cast<unsigned>(min(max(row0 + i, row1), row2 - 1) * stride + c); };
    if (m.isBf16) {
        const Bf16* from = static_cast<const Bf16*>(m.data);
#pragma unroll
        for (int i = 0; i < kCount; ++i) x[i] = toFloat(from[offset(i)]);
    } else {
        const float* from = static_cast<const float*>(m.data);
#pragma unroll
        for (int i = 0; i < kCount; ++i) x[i] = from[offset(i)];
#pragma unroll 1
        for (int s = 1; s < m.splits; ++s) {
            from += m.splitStride;
            float part[kCount];
#pragma unroll
            for (int i = 0; i < kCount; ++i) part[i] = from[offset(i)];
#pragma unroll
            for (int i = 0; i < kCount; ++i) x[i] += part[i];
        }
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) x[i] = inside(i) ? x[i] : 0.0F;
}

#endif  // __CUDACC__

}  // namespace trefoil::cuda
