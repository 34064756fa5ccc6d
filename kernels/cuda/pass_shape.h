// PassShape: what decides which kernels a pass runs; everything else that changes from pass to pass is in PassParams.
#pragma once

#include <cstdint>
#include <tuple>

namespace trefoil::cuda {

/// How the logits become choices.
enum class HeadMode : int { None, Records, SampledRecords, Logits, SampledLogits };

struct PassShape {
    std::int64_t t = 0;      ///< rows
    std::int64_t clean = 0;  ///< the first of them that are causal
    std::int64_t outputFirst = 0;
    std::int64_t outputs = 0;
    HeadMode head = HeadMode::None;
    bool coreset = false;
    bool verify = false;
    bool counts = false;
    bool draws = false;  ///< benchmark only: experts are drawn at random

    using Key = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, HeadMode, bool, bool, bool, bool>;
    [[nodiscard]] Key key() const { return {t, clean, outputFirst, outputs, head, coreset, verify, counts, draws}; }
};

}  // namespace trefoil::cuda
