// CpuWorkspace: the activations of one pass. Private to the CPU executor.
#pragma once

#include "engine/checkpoint/model_config.h"
#include "kernels/cpu/aligned_array.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trefoil {

/// Rows of float32 values and a pointer to each, as the matrix kernel takes them. Rows end on a panel's edge and are kept off
/// each other's cache sets.
class RowBuffer {
public:
    RowBuffer() = default;
    /// Throws std::bad_alloc.
    RowBuffer(std::int64_t rows, std::int64_t width)
        : m_stride(strideFor(width)), m_data(rows * m_stride), m_rows(static_cast<std::size_t>(rows)) {
        for (std::size_t r = 0; r < m_rows.size(); ++r) m_rows[r] = m_data.data() + static_cast<std::int64_t>(r) * m_stride;
    }

    [[nodiscard]] float* row(std::int64_t r) { return m_rows[static_cast<std::size_t>(r)]; }
    [[nodiscard]] const float* row(std::int64_t r) const { return m_rows[static_cast<std::size_t>(r)]; }
    [[nodiscard]] float* const* rows(std::int64_t first = 0) const { return m_rows.data() + first; }
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(m_rows.size()); }
    [[nodiscard]] std::int64_t stride() const { return m_stride; }
    [[nodiscard]] std::uint64_t bytes() const { return m_data.bytes() + m_rows.size() * sizeof(float*); }
    [[nodiscard]] static std::uint64_t plannedBytes(std::int64_t rows, std::int64_t width) {
        return static_cast<std::uint64_t>(rows) * (static_cast<std::uint64_t>(strideFor(width)) * sizeof(float) + sizeof(float*));
    }

private:
    [[nodiscard]] static std::int64_t strideFor(std::int64_t width);

    std::int64_t m_stride = 0;
    kernels::AlignedArray<float> m_data;
    std::vector<float*> m_rows;
};

/// Buffers for passes of up to `rows` rows on `workers` threads. Layouts of the GDN part as in kernels/cpu/gated_delta_net.h.
struct CpuWorkspace {
    std::int64_t rows = 0;

    RowBuffer hidden;        ///< [T, D]: the residual stream
    RowBuffer normed;        ///< [T, D]: input of the mixer or of the mixture
    RowBuffer mixed;         ///< [T, max(Hv·Dv, Hq·Dh)]: what the mixer's output projection reads
    RowBuffer convInput;     ///< [K - 1 + T + K - 1, C]: in_proj_qkv's output between its neighbours
    RowBuffer gate;          ///< [T, Hv·Dv]: in_proj_z's output
    RowBuffer betaLogits;    ///< [T, Hv]
    RowBuffer stepLogits;    ///< [T, Hv]: in_proj_a's output
    RowBuffer queryGate;     ///< [T, Hq·2·Dh]
    RowBuffer key;           ///< [T, Hkv·Dh]
    RowBuffer value;         ///< [T, Hkv·Dh]
    RowBuffer router;        ///< [T, E]: logits, then probabilities
    RowBuffer sharedHidden;  ///< [T, S]
    RowBuffer sharedOut;     ///< [T, D]
    RowBuffer expertHidden;  ///< [T·k, I], by expert, then row
    RowBuffer expertOut;     ///< [T·k, D]
    RowBuffer scratch;       ///< one row a worker

    kernels::AlignedArray<float> q;        ///< [Hk, T, Dk]
    kernels::AlignedArray<float> k;        ///< [Hk, T, Dk]
    kernels::AlignedArray<float> v;        ///< [Hv, panels, T, 32]
    RowBuffer decay;                       ///< [T, Hv]
    RowBuffer beta;                        ///< [T, Hv]
    kernels::AlignedArray<float> o;        ///< [Hv, T, panels·32]
    kernels::AlignedArray<float> state;    ///< [Hv, panels, Dk, 32]: a draft's copy of S
    kernels::AlignedArray<float> cosines;  ///< [T, R/2]
    kernels::AlignedArray<float> sines;    ///< [T, R/2]

    kernels::AlignedArray<std::int32_t> experts;    ///< [T, k], by descending weight
    kernels::AlignedArray<float> expertWeights;     ///< [T, k]
    kernels::AlignedArray<float> expertMasses;      ///< [T, k]: what the coreset sums
    kernels::AlignedArray<float> sharedGate;        ///< [T]
    kernels::AlignedArray<std::int32_t> pairRow;    ///< [T·k]: the row of a (row, expert) pair, in the order of expertHidden
    kernels::AlignedArray<std::int32_t> rowPairs;   ///< [T, k]: the pairs of a row, by ascending expert
    kernels::AlignedArray<float> pairWeight;        ///< [T·k]
    kernels::AlignedArray<std::int64_t> firstPair;  ///< [E + 1]
    kernels::AlignedArray<std::uint8_t> kept;       ///< [E]: the coreset
    kernels::AlignedArray<std::int32_t> ranking;    ///< [E]
    kernels::AlignedArray<float> mass;              ///< [E]
    std::vector<const float*> pairInput;            ///< [T·k]

    CpuWorkspace() = default;
    /// Throws std::bad_alloc.
    CpuWorkspace(const ModelConfig& config, std::int64_t rowCount, int workers);

    [[nodiscard]] std::uint64_t bytes() const;
    /// What bytes() will be.
    [[nodiscard]] static std::uint64_t plannedBytes(const ModelConfig& config, std::int64_t rowCount, int workers);

private:
    /// Calls visit.rows(buffer, rows, width) or visit.array(array, size) for every buffer: sizes stand in one place.
    template <class Self, class Visitor>
    static void forEachBuffer(Self& self, const ModelConfig& config, std::int64_t rowCount, int workers, Visitor& visit);
};

}  // namespace trefoil
