// Synthetic quantised weights, without files: random codes with scales that keep activations near unit size. They measure and
// test; they answer nothing.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/model_config.h"
#include "engine/checkpoint/synth.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace trefoil {

struct SynthFormat {
    QuantisedFormat format = QuantisedFormat::None;
    std::int64_t group = 32;     ///< Int4Groups
    bool zeroPoints = false;     ///< Int4Groups
    bool head = false;           ///< lm_head as well
    bool withoutShared = false;  ///< the shared experts keep BF16
};

/// Weights as `quantize` would leave them: projections and experts in the format (where its groups divide the rows), all else in
/// BF16 as SyntheticWeights has it. The same seed gives the same bytes, whatever is asked for first and by how many threads.
class SyntheticQuantised {
public:
    SyntheticQuantised(const ModelConfig& config, std::uint64_t seed, const SynthFormat& format);

    /// syntheticCatalogue of the configuration, with `quantised` set where it is.
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return m_tensors; }
    /// Elements [first, first + count) in BF16; `destination` must hold 2 · count bytes.
    void read(std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination) const;
    /// As Checkpoint::readRows, of a tensor whose `quantised` is set.
    void readRows(std::size_t tensor, std::int64_t first, std::int64_t count, QuantisedRows& rows) const;

private:
    [[nodiscard]] float scaleOf(std::size_t tensor, std::int64_t row, std::int64_t group) const;

    std::uint64_t m_seed;
    SyntheticWeights m_plain;
    std::vector<TensorInfo> m_tensors;
    std::vector<std::byte> m_codes;  ///< a table that rows are cut from
};

}  // namespace trefoil
