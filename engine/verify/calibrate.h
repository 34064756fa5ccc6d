// Which columns of a model's matrices matter, found by running it over a text.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/importance.h"
#include "engine/decode/generation_config.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/input_sums.h"

#include <span>

namespace trefoil {

/// Feeds a text to the model as compareRows does (each block noisy with every second row masked, then causally) and adds the
/// squared inputs of its matrices to `sums`. Unsupported on an executor that cannot tell them.
Status gatherInputs(Executor& executor, std::span<const TokenId> text, const GenerationConfig& config, const CancelFlag& cancel,
                    InputSums& sums);

/// The mean squares. An expert that met few rows leans on the mean of its layer's experts, as if it had met that 16 times more.
[[nodiscard]] Importance importanceOf(const InputSums& sums);

}  // namespace trefoil
