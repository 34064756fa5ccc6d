// The Hopper side of tile_gemm.h: warpgroup products of 256 weight rows by up to kGroupTileRows rows of the pass, weights copied
// by the copy engine into four stages, blocks that stay and go from tile to tile. Called by tile_gemm.cu only.
//
// Ownership, errors, contract: as in tile_gemm.h. Twin: the portable kernels (tile_gemm_test.cu).
#pragma once

#include "kernels/cuda/tile_gemm.h"

namespace trefoil::cuda {

/// Whether the grouped products below can run these sizes: rows of the weights are copied in groups of 16 and 32.
[[nodiscard]] inline bool hopperGroupsSupport(const ExpertWeights& w) {
    return w.hidden % 32 == 0 && w.width % 16 == 0 && w.sharedWidth % 16 == 0;
}

cudaError_t hopperTileGemm(const Launcher& on, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, std::int64_t t,
                           void* out, bool outFloat);
cudaError_t hopperGateUp(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* x,
                         std::int64_t positions, Bf16* act);
cudaError_t hopperDown(const Launcher& on, const ExpertWeights& w, const ExpertGroups& groups, const Bf16* act,
                       std::int64_t positions, Bf16* out);

}  // namespace trefoil::cuda
