// CpuPrefix: what the clean tokens so far leave behind (model-contract.md, section 2). Private to the CPU executor.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "kernels/cpu/aligned_array.h"
#include "kernels/cpu/attention.h"
#include "kernels/cpu/gated_delta_net.h"

#include <cstdint>
#include <vector>

namespace trefoil {

/// One layer's share: a GDN layer's state and conv inputs, or an attention layer's K and V.
struct LayerPrefix {
    kernels::AlignedArray<float> state;  ///< [Hv, panels, Dk, 32]
    kernels::AlignedArray<float> tail;   ///< [K - 1, C]: the last inputs of the convolution
    kernels::KeyValueCache keyValue;     ///< capacity may exceed the prefix; rows past it are a pass's own and mean nothing later
};

struct CpuPrefix {
    std::int64_t length = 0;
    std::vector<LayerPrefix> layers;
    kernels::AlignedArray<float> lastHidden;  ///< [D]: the residual stream of the last clean row, for rows that predict the next
    bool hasLastHidden = false;

    CpuPrefix() = default;
    /// Empty prefix. Throws std::bad_alloc.
    explicit CpuPrefix(const ModelConfig& config);

    /// Room for `rows` more positions. Throws std::bad_alloc, leaving what is kept as it was.
    void reserve(std::int64_t rows);
    /// Back to the empty prefix; K and V keep their memory.
    void clear();
    /// A copy, K and V cut to the length. Throws std::bad_alloc.
    [[nodiscard]] CpuPrefix copy() const;

    [[nodiscard]] std::uint64_t keyValueBytes() const;
    [[nodiscard]] std::uint64_t stateBytes() const;

    /// What keyValueBytes() will be with room for `positions`, and stateBytes().
    [[nodiscard]] static std::uint64_t plannedKeyValueBytes(const ModelConfig& config, std::int64_t positions);
    [[nodiscard]] static std::uint64_t plannedStateBytes(const ModelConfig& config);
};

}  // namespace trefoil
