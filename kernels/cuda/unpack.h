// Packed weights to rows of BF16 or float32 in a scratch, for prompts and the debug mode, whose products take plain matrices; and
// the experts of a layer in slices, so that the scratch need not hold all of them.
//
// Ownership: memory of the caller that the device sees. Errors: the launch's cudaError_t. Contract: section 1. Twin:
// packedValue (pack.h), bit for bit; tests/kernels/cuda/packed_test.cu.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/tile_gemm.h"
#include "kernels/cuda/weight_matrix.h"

namespace trefoil::cuda {

/// out [rows, columns] = every segment of the matrix. `to`: BFloat16 or Float32.
cudaError_t unpackMatrix(const Launcher& on, const WeightMatrix& matrix, WeightFormat to, void* out);

/// Experts [first, first + count) as ExpertWeights has them: gateUp [count, 2 I, D] and down [count, D, I]. Those whose entry of
/// `used` (unless null) is 0 are left out.
cudaError_t unpackExperts(const Launcher& on, const PackedExperts& w, int first, int count, const std::uint8_t* used,
                          WeightFormat to, void* gateUp, void* down);
/// The shared expert: gateUp [2 Is, D] and down [D, Is].
cudaError_t unpackShared(const Launcher& on, const PackedExperts& w, WeightFormat to, void* gateUp, void* down);

/// The tiles of a pass that belong to experts [first, first + count), numbered from 0; `last`: and the shared expert's, numbered
/// `count`.
struct ExpertSlice {
    GroupTile* tiles = nullptr;         ///< [maxGroupTiles of the pass]
    std::int32_t* tileCount = nullptr;  ///< [1]
    std::uint8_t* used = nullptr;       ///< [count]: 1 where an expert has a tile
};
cudaError_t sliceGroups(const Launcher& on, const ExpertGroups& groups, int experts, int first, int count, bool last,
                        const ExpertSlice& slice);

}  // namespace trefoil::cuda
