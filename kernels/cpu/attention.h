// Attention: softmax(q·k / sqrt(Dh)) over a prefix and the rows of a pass, keys and values in float32
// (model-contract.md, sections 2 and 3).
#pragma once

#include "kernels/cpu/packed_matrix.h"

#include <cstdint>
#include <span>

namespace trefoil::kernels {

/// K and V of one layer for up to `capacity` positions (a multiple of 32). Laid out as panels of the matrix kernel:
/// keys [heads, capacity/32, Dh, 32] (positions side by side), values [heads, dim panels, capacity, 32].
class KeyValueCache {
public:
    static constexpr std::int64_t kPositionsPerLine = 16;

    KeyValueCache() = default;
    /// Throws std::bad_alloc.
    KeyValueCache(std::int64_t heads, std::int64_t headDim, std::int64_t capacity);

    /// Makes room for `positions`, keeping the first `used`. Grows by half at least. Throws std::bad_alloc, changing nothing.
    void reserve(std::int64_t positions, std::int64_t used);
    /// A copy of the first `used` positions. Throws std::bad_alloc.
    [[nodiscard]] KeyValueCache copy(std::int64_t used) const;

    /// Writes key [Dh] and value [Dh] of one head and position < capacity(). Keys of 16 consecutive positions share cache lines:
    /// one thread should write them all.
    void store(std::int64_t head, std::int64_t position, const float* key, const float* value);

    [[nodiscard]] const float* keyPanel(std::int64_t head, std::int64_t panel) const {
        return m_keys.data() + (head * (m_capacity / kPanel) + panel) * m_headDim * kPanel;
    }
    /// Values of 32 dims from `position` on: [capacity - position, 32].
    [[nodiscard]] const float* valuePanel(std::int64_t head, std::int64_t panel, std::int64_t position) const {
        return m_values.data() + ((head * dimPanels() + panel) * m_capacity + position) * kPanel;
    }
    [[nodiscard]] std::int64_t dimPanels() const { return divideUp(m_headDim, kPanel); }
    [[nodiscard]] std::int64_t headDim() const { return m_headDim; }
    [[nodiscard]] std::int64_t capacity() const { return m_capacity; }
    [[nodiscard]] std::uint64_t bytes() const { return m_keys.bytes() + m_values.bytes(); }
    /// What bytes() is for a capacity.
    [[nodiscard]] static std::uint64_t plannedBytes(std::int64_t heads, std::int64_t headDim, std::int64_t capacity);

private:
    void copyFrom(const KeyValueCache& other, std::int64_t used);

    std::int64_t m_heads = 0;
    std::int64_t m_headDim = 0;
    std::int64_t m_capacity = 0;
    AlignedArray<float> m_keys;
    AlignedArray<float> m_values;
};

/// Query rows that attend() takes at once.
inline constexpr std::int64_t kAttentionRows = 11;

/// Floats of scratch memory that attend() needs.
[[nodiscard]] std::int64_t attentionScratch();

/// Attention of up to 11 query rows of one key/value head. query[r] [Dh]: normalised, rotated and scaled by Dh^-1/2.
/// Row r sees positions [0, visible[r]), visible ascending and > 0. out [rows, dimPanels·32]. The prefix is taken in pieces that
/// lie at fixed positions, so that a row's result does not depend on the rows around it. Twin: reference::attention, 1e-5
/// relative.
void attend(const KeyValueCache& cache, std::int64_t head, std::span<const float* const> query,
            std::span<const std::int64_t> visible, float* scratch, float* out);

/// cos and sin of position · theta^(-2j/R) for j < R/2, in float32 (section 2). cosines, sines [R/2].
void rotaryAngles(std::int64_t position, std::int64_t rotaryDim, float theta, float* cosines, float* sines);
/// Turns the pairs (j, j + R/2) of x. Twin: reference::rotate.
void rotate(float* x, std::int64_t rotaryDim, const float* cosines, const float* sines);

}  // namespace trefoil::kernels
