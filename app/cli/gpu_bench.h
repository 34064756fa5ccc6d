// GPU rows of `trefoil-cli bench`: times of single passes and prompts, against the floor that the card's own memory bandwidth
// sets.
#pragma once

#include "engine/base/result.h"
#include "engine/runtime/executor.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace trefoil::cli {

struct GpuBenchOptions {
    int device = 0;
    std::vector<int> experts;     ///< also passes that use exactly so many distinct experts a layer
    std::int64_t longPrefix = 0;  ///< also measure behind a prefix of this many tokens
    bool prompts = true;
    int repeats = 20;
    bool quiet = false;        ///< no table on stdout: the caller prints JSON
    double routerSkew = -1.0;  ///< experts are drawn at random in proportion to rank^-skew; negative: as the router says
};

/// Prints a table (unless quiet) and fills out["gpu"]: the bandwidths measured, and per row milliseconds, floor, ratio and the
/// distinct experts counted. Floor: the bytes that the pass must read once (dense weights, distinct experts, K and V, all as they
/// are stored) ÷ the read bandwidth, or the bytes of experts in main memory ÷ the bus's where that takes longer.
Status benchGpu(Executor& executor, const GpuBenchOptions& options, nlohmann::json& out);

}  // namespace trefoil::cli
