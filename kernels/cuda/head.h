// From logits to choices: the end of the LM head (model-contract.md, section 7).
//
// Ownership: device memory of the caller. Errors: the launch's cudaError_t. Twin: engine/decode/sampler.cpp.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/controls.cuh"

namespace trefoil::cuda {

/// results [T] from the LM head's records [T][count].
cudaError_t mergeRecords(const Launcher& on, const HeadRecord* records, int count, int t, const PassParams* params, bool sample,
                         RowResult* results);

/// results [T] from raw logits [T, V] float32, which the controls change in place. With top_k or top_p, or where the fused head
/// cannot run.
cudaError_t chooseRows(const Launcher& on, float* logits, std::int64_t vocab, int t, const PassParams* params,
                       const ControlTables& tables, bool sample, RowResult* results);

}  // namespace trefoil::cuda
