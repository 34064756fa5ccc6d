// From the decoder's controls to the parameters of a pass (model-contract.md, section 7).
#pragma once

#include "engine/base/types.h"
#include "engine/runtime/executor.h"
#include "kernels/cuda/pass_params.h"

#include <cstdint>
#include <span>

namespace trefoil::cuda {

/// Fills what the head of a pass needs: `outputs` rows, whose tokens are `outputIds`.
void fillControls(const PassControls& controls, std::int64_t outputs, std::span<const TokenId> outputIds, CountRows count,
                  PassParams& params);

}  // namespace trefoil::cuda
