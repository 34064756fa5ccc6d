#include "kernels/cpu/attention.h"

#include "kernels/cpu/matrix_product.h"
#include "kernels/cpu/row_operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace trefoil::kernels {
namespace {

/// Positions whose scores are in work at once: 11 rows of them fit into the second-level cache with their keys.
constexpr std::int64_t kPiece = 512;

const std::byte* asPanel(const float* floats) { return reinterpret_cast<const std::byte*>(floats); }

}  // namespace

KeyValueCache::KeyValueCache(std::int64_t heads, std::int64_t headDim, std::int64_t capacity)
    : m_heads(heads),
      m_headDim(headDim),
      m_capacity(roundUp(capacity, kPanel)),
      m_keys(heads * m_capacity * headDim),
      m_values(heads * divideUp(headDim, kPanel) * kPanel * m_capacity) {}

std::uint64_t KeyValueCache::plannedBytes(std::int64_t heads, std::int64_t headDim, std::int64_t capacity) {
    const auto perPosition = static_cast<std::uint64_t>(heads * (headDim + roundUp(headDim, kPanel))) * sizeof(float);
    return perPosition * static_cast<std::uint64_t>(roundUp(capacity, kPanel));
}

void KeyValueCache::reserve(std::int64_t positions, std::int64_t used) {
    if (positions <= m_capacity) return;
    KeyValueCache larger(m_heads, m_headDim, std::max(positions, m_capacity + m_capacity / 2));
    larger.copyFrom(*this, used);
    *this = std::move(larger);
}

KeyValueCache KeyValueCache::copy(std::int64_t used) const {
    KeyValueCache out(m_heads, m_headDim, used);
    out.copyFrom(*this, used);
    return out;
}

void KeyValueCache::copyFrom(const KeyValueCache& other, std::int64_t used) {
    for (std::int64_t head = 0; head < m_heads; ++head) {
        const float* keys = other.keyPanel(head, 0);
        std::copy(keys, keys + roundUp(used, kPanel) * m_headDim, m_keys.data() + head * m_capacity * m_headDim);
        for (std::int64_t p = 0; p < dimPanels(); ++p) {
            const float* values = other.valuePanel(head, p, 0);
            std::copy(values, values + used * kPanel, m_values.data() + (head * dimPanels() + p) * m_capacity * kPanel);
        }
    }
}

void KeyValueCache::store(std::int64_t head, std::int64_t position, const float* key, const float* value) {
    float* keys = m_keys.data() + (head * (m_capacity / kPanel) + position / kPanel) * m_headDim * kPanel + position % kPanel;
    for (std::int64_t i = 0; i < m_headDim; ++i) keys[i * kPanel] = key[i];
    for (std::int64_t p = 0; p < dimPanels(); ++p) {
        float* values = m_values.data() + ((head * dimPanels() + p) * m_capacity + position) * kPanel;
        std::copy(value + p * kPanel, value + std::min((p + 1) * kPanel, m_headDim), values);
    }
}

std::int64_t attentionScratch() { return kAttentionRows * kPiece; }

void attend(const KeyValueCache& cache, std::int64_t head, std::span<const float* const> query,
            std::span<const std::int64_t> visible, float* scratch, float* out) {
    const auto rows = static_cast<std::int64_t>(query.size());
    const std::int64_t panels = cache.dimPanels();
    const std::int64_t outStride = panels * kPanel;
    std::array<float, kAttentionRows> most{};
    std::array<float, kAttentionRows> sum{};
    std::array<float*, kAttentionRows> target{};
    std::array<const float*, kAttentionRows> probability{};
    most.fill(-std::numeric_limits<float>::infinity());
    std::fill(out, out + rows * outStride, 0.0F);
    const std::int64_t end = visible.back();
    for (std::int64_t begin = 0; begin < end; begin += kPiece) {
        const std::int64_t length = std::min(kPiece, end - begin);
        for (std::int64_t p = 0; p < divideUp(length, kPanel); ++p) {
            for (std::int64_t r = 0; r < rows; ++r) target[static_cast<std::size_t>(r)] = scratch + r * kPiece + p * kPanel;
            panelProduct(WeightFormat::F32, asPanel(cache.keyPanel(head, begin / kPanel + p)), cache.headDim(), query.data(),
                         target.data(), rows, Epilogue::Store);
        }
        for (std::size_t r = 0; r < query.size(); ++r) {
            const auto row = static_cast<std::int64_t>(r);
            float* scores = scratch + row * kPiece;
            probability[r] = scores;
            const std::int64_t seen = std::clamp<std::int64_t>(visible[r] - begin, 0, length);
            std::fill(scores + seen, scores + length, 0.0F);
            if (seen == 0) continue;
            const float peak = std::max(most[r], maximum(scores, seen));
            const float fade = std::exp(most[r] - peak);
            most[r] = peak;
            sum[r] = sum[r] * fade + exponentials(scores, seen, peak, scores);
            if (fade != 1.0F) scaleRow(out + row * outStride, outStride, fade);
        }
        for (std::int64_t p = 0; p < panels; ++p) {
            for (std::int64_t r = 0; r < rows; ++r) target[static_cast<std::size_t>(r)] = out + r * outStride + p * kPanel;
            panelProduct(WeightFormat::F32, asPanel(cache.valuePanel(head, p, begin)), length, probability.data(), target.data(),
                         rows, Epilogue::Add);
        }
    }
    for (std::size_t r = 0; r < query.size(); ++r)
        scaleRow(out + static_cast<std::int64_t>(r) * outStride, outStride, 1.0F / sum[r]);
}

void rotaryAngles(std::int64_t position, std::int64_t rotaryDim, float theta, float* cosines, float* sines) {
    for (std::int64_t j = 0; j < rotaryDim / 2; ++j) {
        const float inverse = 1.0F / std::pow(theta, static_cast<float>(2 * j) / static_cast<float>(rotaryDim));
        const float angle = static_cast<float>(position) * inverse;
        cosines[j] = std::cos(angle);
        sines[j] = std::sin(angle);
    }
}

void rotate(float* x, std::int64_t rotaryDim, const float* cosines, const float* sines) {
    const std::int64_t half = rotaryDim / 2;
    for (std::int64_t j = 0; j < half; ++j) {
        const float a = x[j];
        const float b = x[j + half];
        x[j] = a * cosines[j] - b * sines[j];
        x[j + half] = b * cosines[j] + a * sines[j];
    }
}

}  // namespace trefoil::kernels
