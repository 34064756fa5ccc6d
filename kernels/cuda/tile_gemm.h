// Matrix products for prompts, dense or grouped by expert: tiles of 128 rows by 128 weight rows on the tensor cores (mma.sync,
// cp.async), or on Hopper the products of tile_gemm_hopper.h. All bf16 in, float32 sums.
//
// Ownership: device memory of the caller. Errors: the launch's cudaError_t. Contract: sections 2, 3, 5. Twin:
// tests/reference/clover_ref.py through the golden files (gpu_golden_*).
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/expert_gemm.h"

namespace trefoil::cuda {

inline constexpr int kGroupTileRows = 176;

/// Positions [first, first + rows) of one expert.
struct alignas(16) GroupTile {
    std::int32_t expert = 0;
    std::int32_t first = 0;
    std::int32_t rows = 0;
    std::int32_t unused = 0;
};

/// Rows of a pass grouped by expert: position p of the sorted order holds row rowOf[p]; the shared expert (index E) comes last
/// and holds every row. A tile is at most kGroupTileRows positions of one expert; tiles are in the order of positions.
struct ExpertGroups {
    std::int32_t* rowOf = nullptr;       ///< [T · (k + 1)]
    std::int32_t* positionOf = nullptr;  ///< [T, k + 1]
    GroupTile* tiles = nullptr;          ///< [maxTiles]
    std::int32_t* tileCount = nullptr;   ///< [1]
};
[[nodiscard]] inline std::int64_t maxGroupTiles(std::int64_t positions, std::int64_t experts) {
    return positions / kGroupTileRows + experts + 1;
}

/// out [T, M] (bf16, or float32 when outFloat) = x [T, K] · w [M, K] transposed. K a multiple of 8.
cudaError_t tileGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, std::int64_t t, void* out,
                     bool outFloat);

/// act [positions, maxWidth] = silu(gate x) · up x for every position of the groups.
cudaError_t groupedGateUp(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* x,
                          std::int64_t positions, Bf16* act);
/// out [positions, D] bf16 = down · act. Follows groupedGateUp in the stream: it may begin with the weights before that has
/// ended.
cudaError_t groupedDown(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* act,
                        std::int64_t positions, Bf16* out);

}  // namespace trefoil::cuda
