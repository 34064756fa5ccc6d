#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gated_delta_net.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include "kernels/cpu/gated_delta_net.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trefoil::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// One panel of the state over all tokens. The columns of S are independent of each other, so a panel stays in the first-level
/// cache from the first token to the last. Updating S for one token and reading it at the next token's key share one sweep.
void deltaRulePanel(const float* q, const float* k, const float* v, const float* decay, const float* beta, std::int64_t stride,
                    std::int64_t tokens, std::int64_t keyDim, float* state, float* out, std::int64_t outStride) {
    using Tag = hn::CappedTag<float, static_cast<std::size_t>(kHalfPanel)>;
    const Tag d;
    constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
    for (std::int64_t s = 0; s < kHalfPanel; s += kLanes) {
        float* left = state + s;
        float* right = state + kHalfPanel + s;
        auto seen0 = hn::Zero(d);
        auto seen1 = hn::Zero(d);
        for (std::int64_t i = 0; i < keyDim; ++i) {
            const auto ki = hn::Set(d, k[i]);
            seen0 = hn::MulAdd(ki, hn::Load(d, left + i * kPanel), seen0);
            seen1 = hn::MulAdd(ki, hn::Load(d, right + i * kPanel), seen1);
        }
        for (std::int64_t t = 0; t < tokens; ++t) {
            const auto fade = hn::Set(d, decay[t * stride]);
            const auto b = hn::Set(d, beta[t * stride]);
            const auto delta0 = hn::Mul(b, hn::NegMulAdd(fade, seen0, hn::LoadU(d, v + t * kPanel + s)));
            const auto delta1 = hn::Mul(b, hn::NegMulAdd(fade, seen1, hn::LoadU(d, v + t * kPanel + kHalfPanel + s)));
            const float* key = k + t * keyDim;
            const float* next = t + 1 < tokens ? key + keyDim : key;
            const float* query = out != nullptr ? q + t * keyDim : key;
            auto out0 = hn::Zero(d);
            auto out1 = hn::Zero(d);
            seen0 = hn::Zero(d);
            seen1 = hn::Zero(d);
            for (std::int64_t i = 0; i < keyDim; ++i) {
                const auto ki = hn::Set(d, key[i]);
                const auto s0 = hn::MulAdd(ki, delta0, hn::Mul(fade, hn::Load(d, left + i * kPanel)));
                const auto s1 = hn::MulAdd(ki, delta1, hn::Mul(fade, hn::Load(d, right + i * kPanel)));
                hn::Store(s0, d, left + i * kPanel);
                hn::Store(s1, d, right + i * kPanel);
                const auto qi = hn::Set(d, query[i]);
                out0 = hn::MulAdd(qi, s0, out0);
                out1 = hn::MulAdd(qi, s1, out1);
                const auto ni = hn::Set(d, next[i]);
                seen0 = hn::MulAdd(ni, s0, seen0);
                seen1 = hn::MulAdd(ni, s1, seen1);
            }
            if (out == nullptr) continue;
            hn::StoreU(out0, d, out + t * outStride + s);
            hn::StoreU(out1, d, out + t * outStride + kHalfPanel + s);
        }
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace trefoil::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "kernels/cpu/matrix_product.h"
#include "kernels/cpu/row_operators.h"

#include <algorithm>
#include <cmath>

namespace trefoil::kernels {
namespace {

/// Rows of a block whose scores are in work at once.
constexpr std::int64_t kMixRows = 11;

const std::byte* asPanel(const float* floats) { return reinterpret_cast<const std::byte*>(floats); }

}  // namespace

HWY_EXPORT(deltaRulePanel);

void storeValueRow(const float* x, std::int64_t valueDim, std::int64_t t, std::int64_t rows, float* v) {
    for (std::int64_t p = 0; p < valuePanels(valueDim); ++p) {
        const float* from = x + p * kPanel;
        float* to = v + (p * rows + t) * kPanel;
        const std::int64_t width = std::min(kPanel, valueDim - p * kPanel);
        std::copy(from, from + width, to);
        std::fill(to + width, to + kPanel, 0.0F);
    }
}

void deltaRule(const float* q, const float* k, const float* v, const float* decay, const float* beta, std::int64_t stride,
               std::int64_t tokens, std::int64_t valueRows, std::int64_t keyDim, std::int64_t panels, float* state, float* out) {
    for (std::int64_t p = 0; p < panels; ++p) HWY_DYNAMIC_DISPATCH(deltaRulePanel)
    (q, k, v + p * valueRows * kPanel, decay, beta, stride, tokens, keyDim, state + p * keyDim * kPanel,
     out != nullptr ? out + p * kPanel : nullptr, panels * kPanel);
}

std::int64_t blockMixScratch(std::int64_t rows, std::int64_t keyDim, std::int64_t panels) {
    return roundUp(rows, kPanel) * keyDim + kMixRows * (roundUp(rows, kPanel) + panels * kPanel);
}

void blockMix(const float* q, const float* k, const float* v, const float* state, std::int64_t rows, std::int64_t keyDim,
              std::int64_t panels, const BlockMixControls& controls, std::int64_t first, std::int64_t count, float* scratch,
              float* out) {
    const std::int64_t scoreStride = roundUp(rows, kPanel);
    const std::int64_t outStride = panels * kPanel;
    // The matrix kernel wants the keys of 32 rows side by side. Each task does that for itself: rows written next to each other
    // by different threads would cost more than it.
    float* kPanels = scratch + kMixRows * (scoreStride + outStride);
    for (std::int64_t t = 0; t < rows; ++t)
        for (std::int64_t i = 0; i < keyDim; ++i) kPanels[(t / kPanel * keyDim + i) * kPanel + t % kPanel] = k[t * keyDim + i];
    float* reads = scratch + kMixRows * scoreStride;
    for (std::int64_t done = 0; done < count; done += kMixRows) {
        const std::int64_t height = std::min(kMixRows, count - done);
        const float* query[kMixRows];
        const float* probability[kMixRows];
        float* target[kMixRows];
        float history[kMixRows];
        for (std::int64_t r = 0; r < height; ++r) query[r] = q + (first + done + r) * keyDim;
        for (std::int64_t p = 0; p < scoreStride / kPanel; ++p) {
            for (std::int64_t r = 0; r < height; ++r) target[r] = scratch + r * scoreStride + p * kPanel;
            panelProduct(WeightFormat::F32, asPanel(kPanels + p * keyDim * kPanel), keyDim, query, target, height,
                         Epilogue::Store);
        }
        for (std::int64_t r = 0; r < height; ++r) {
            float* scores = scratch + r * scoreStride;
            probability[r] = scores;
            scaleRow(scores, rows, controls.logitScale);
            const float most = std::max(maximum(scores, rows), controls.historyLogit);
            const float past = std::exp(controls.historyLogit - most);
            const float sum = exponentials(scores, rows, most, scores) + past;
            scaleRow(scores, rows, 1.0F / sum);
            history[r] = past / sum * controls.historyReadScale;
        }
        for (std::int64_t p = 0; p < panels; ++p) {
            for (std::int64_t r = 0; r < height; ++r) target[r] = reads + r * outStride + p * kPanel;
            panelProduct(WeightFormat::F32, asPanel(state + p * keyDim * kPanel), keyDim, query, target, height, Epilogue::Store);
            for (std::int64_t r = 0; r < height; ++r) target[r] = out + (first + done + r) * outStride + p * kPanel;
            panelProduct(WeightFormat::F32, asPanel(v + p * rows * kPanel), rows, probability, target, height, Epilogue::Store);
        }
        for (std::int64_t r = 0; r < height; ++r)
            addScaled(reads + r * outStride, outStride, history[r], out + (first + done + r) * outStride);
    }
}

float decayFactor(float a, float bias, float negativeRate) {
    const float x = a + bias;
    const float softplus = x > 20.0F ? x : std::log1p(std::exp(x));
    return std::exp(negativeRate * softplus);
}

float sigmoidOf(float x) { return 1.0F / (1.0F + std::exp(-x)); }

}  // namespace trefoil::kernels

#endif  // HWY_ONCE
