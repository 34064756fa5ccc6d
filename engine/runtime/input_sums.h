// InputSums: what the inputs of a model's matrices looked like while it ran, for quantising.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trefoil {

/// Sums over the rows that a matrix met.
struct MatrixInputs {
    std::int64_t columns = 0;
    std::vector<double> squares;     ///< [items, columns]
    std::vector<std::int64_t> rows;  ///< [items]
};

/// By canonical tensor name (see Checkpoint): every matrix that `quantize` may quantise.
struct InputSums {
    std::map<std::string, MatrixInputs> matrices;
};

class Executor;

/// From now on `executor` adds the inputs of every pass to `sums`, which must live until this is called with null. Unsupported
/// for an executor other than the CPU's.
Status collectInputs(Executor& executor, InputSums* sums);

}  // namespace trefoil
