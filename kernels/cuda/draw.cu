#include "kernels/cuda/draw.h"

namespace trefoil::cuda {
namespace {

constexpr int kEach = kMaxExperts / 32;  // keys a lane

__device__ __forceinline__ std::uint32_t mixBits(std::uint32_t z) {
    z = (z ^ (z >> 16)) * 0x7FEB352DU;
    z = (z ^ (z >> 15)) * 0x846CA68BU;
    return z ^ (z >> 16);
}

/// One block. A warp draws for a row: the k largest of log(weight) + Gumbel noise are k draws without repetition.
__global__ void __launch_bounds__(1024) drawKernel(const PassParams* params, int layer, int experts, int k, int t,
                                                   Routing routing, ActiveExperts active, LayerResult* result) {
    __shared__ unsigned masks[kMaxExperts][2];
    __shared__ int before[32];
    gridRelease();
    gridWait();
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    masks[thread][0] = 0;
    masks[thread][1] = 0;
    __syncthreads();
    const float skew = params->skew;
    const std::uint32_t seed =
        mixBits(static_cast<std::uint32_t>(params->draw) * 2654435761U + static_cast<std::uint32_t>(layer));
    for (int row = warp; row < t; row += 32) {
        float keys[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const int expert = i * 32 + lane;
            keys[i] = -INFINITY;
            if (expert >= experts) continue;
            const int rank = (expert + layer * 61) * 7 % experts;
            const std::uint32_t bits = mixBits(seed ^ mixBits(static_cast<std::uint32_t>(row * kMaxExperts + expert)));
            const float uniform = (static_cast<float>(bits >> 8) + 0.5F) * 0x1p-24F;
            keys[i] = -skew * logf(static_cast<float>(rank + 1)) - logf(-logf(uniform));
        }
        for (int s = 0; s < k; ++s) {
            float best = -INFINITY;
            int at = 0;
#pragma unroll
            for (int i = 0; i < kEach; ++i)
                if (keys[i] > best) {
                    best = keys[i];
                    at = i * 32 + lane;
                }
            for (int d = 16; d > 0; d >>= 1) {
                const float other = __shfl_xor_sync(0xFFFFFFFFU, best, d);
                const int otherAt = __shfl_xor_sync(0xFFFFFFFFU, at, d);
                if (other > best || (other == best && otherAt < at)) {
                    best = other;
                    at = otherAt;
                }
            }
#pragma unroll
            for (int i = 0; i < kEach; ++i)
                if (i * 32 + lane == at) keys[i] = -INFINITY;
            if (lane != 0) continue;
            routing.experts[row * k + s] = at;
            routing.weights[row * (k + 1) + s] = 1.0F / static_cast<float>(k);
            atomicOr(&masks[at][row >> 5], 1U << (row & 31));
        }
    }
    __syncthreads();
    // The list of those in use, ascending, with the shared expert last.
    const std::uint64_t mask = static_cast<std::uint64_t>(masks[thread][1]) << 32 | masks[thread][0];
    const bool used = thread < experts && mask != 0;
    const unsigned ballot = __ballot_sync(0xFFFFFFFFU, used);
    if (lane == 0) before[warp] = __popc(ballot);
    const int distinct = __syncthreads_count(used ? 1 : 0);
    int at = __popc(ballot & ((1U << lane) - 1));
    for (int w = 0; w < warp; ++w) at += before[w];
    if (used) {
        active.expert[at] = thread;
        active.rowMask[at] = mask;
    }
    if (thread < experts)
        for (int row = 0; row < t; ++row)
            active.weight[static_cast<std::int64_t>(thread) * kSmallRows + row] =
                (mask >> row & 1) != 0 ? 1.0F / static_cast<float>(k) : 0.0F;
    if (thread != 0) return;
    active.expert[distinct] = experts;
    active.rowMask[distinct] = ~std::uint64_t{0};
    *active.count = distinct + 1;
    result->distinct = distinct;
    result->coreset = 0;
    result->share = 0.0F;
}

}  // namespace

cudaError_t drawExperts(const Launcher& on, const PassParams* params, int layer, int experts, int k, int t,
                        const Routing& routing, const ActiveExperts& active, LayerResult* result) {
    if (experts > kMaxExperts || k > experts || t > kSmallRows) return cudaErrorInvalidValue;
    return launch(on, drawKernel, dim3(1), dim3(1024), 0, params, layer, experts, k, t, routing, active, result);
}

}  // namespace trefoil::cuda
