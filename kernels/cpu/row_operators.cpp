#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/row_operators.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include "kernels/cpu/row_operators.h"
#include "kernels/cpu/vector_math-inl.h"

#include <hwy/highway.h>
#include <cmath>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace trefoil::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, 16>;
using Single = hn::CappedTag<float, 1>;
constexpr std::int64_t kWidth = static_cast<std::int64_t>(hn::MaxLanes(Tag()));

/// body(tag, i) for whole vectors, then for single elements: every operator below is one body for both.
template <class Body>
HWY_INLINE void forEach(std::int64_t n, Body&& body) {
    std::int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) body(Tag(), i);
    for (; i < n; ++i) body(Single(), i);
}

HWY_INLINE float sumOfProducts(const float* a, const float* b, std::int64_t n) {
    const Tag d;
    auto sum0 = hn::Zero(d);
    auto sum1 = hn::Zero(d);
    auto sum2 = hn::Zero(d);
    auto sum3 = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 4 * kWidth <= n; i += 4 * kWidth) {
        sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
        sum1 = hn::MulAdd(hn::LoadU(d, a + i + kWidth), hn::LoadU(d, b + i + kWidth), sum1);
        sum2 = hn::MulAdd(hn::LoadU(d, a + i + 2 * kWidth), hn::LoadU(d, b + i + 2 * kWidth), sum2);
        sum3 = hn::MulAdd(hn::LoadU(d, a + i + 3 * kWidth), hn::LoadU(d, b + i + 3 * kWidth), sum3);
    }
    for (; i + kWidth <= n; i += kWidth) sum0 = hn::MulAdd(hn::LoadU(d, a + i), hn::LoadU(d, b + i), sum0);
    float total = hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
    for (; i < n; ++i) total += a[i] * b[i];
    return total;
}

HWY_INLINE float inverseRootMeanSquare(const float* x, std::int64_t n, float epsilon) {
    return 1.0F / std::sqrt(sumOfProducts(x, x, n) / static_cast<float>(n) + epsilon);
}

void rmsNormTarget(const float* x, const float* weight, std::int64_t n, float epsilon, float* out) {
    const float inverse = inverseRootMeanSquare(x, n, epsilon);
    forEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
        hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, inverse)), hn::LoadU(d, weight + i)), d, out + i);
    });
}

void gatedRmsNormTarget(const float* x, const float* gate, const float* weight, std::int64_t n, float epsilon, float* out) {
    const float inverse = inverseRootMeanSquare(x, n, epsilon);
    forEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
        const auto y = hn::Mul(hn::LoadU(d, weight + i), hn::Mul(hn::LoadU(d, x + i), hn::Set(d, inverse)));
        hn::StoreU(hn::Mul(y, silu(d, hn::LoadU(d, gate + i))), d, out + i);
    });
}

void l2NormaliseTarget(const float* x, std::int64_t n, float scale, float* out) {
    const float factor = scale / std::sqrt(sumOfProducts(x, x, n) + 1e-6F);
    forEach(n,
            [&](auto d, std::int64_t i) HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, out + i); });
}

float dotTarget(const float* a, const float* b, std::int64_t n) { return sumOfProducts(a, b, n); }

float maximumTarget(const float* x, std::int64_t n) {
    const Tag d;
    auto best = hn::Set(d, -std::numeric_limits<float>::infinity());
    std::int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) best = hn::Max(best, hn::LoadU(d, x + i));
    float out = hn::GetLane(hn::MaxOfLanes(d, best));
    for (; i < n; ++i) out = x[i] > out ? x[i] : out;
    return out;
}

float exponentialsTarget(const float* x, std::int64_t n, float shift, float* out) {
    const Tag d;
    auto sum = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
        const auto e = fastExp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, shift)));
        sum = hn::Add(sum, e);
        hn::StoreU(e, d, out + i);
    }
    float total = hn::GetLane(hn::SumOfLanes(d, sum));
    const Single one;
    for (; i < n; ++i) {
        out[i] = hn::GetLane(fastExp(one, hn::Set(one, x[i] - shift)));
        total += out[i];
    }
    return total;
}

float sumOfExponentialsTarget(const float* x, std::int64_t n, float shift) {
    const Tag d;
    auto sum0 = hn::Zero(d);
    auto sum1 = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
        sum0 = hn::Add(sum0, fastExp(d, hn::Sub(hn::LoadU(d, x + i), hn::Set(d, shift))));
        sum1 = hn::Add(sum1, fastExp(d, hn::Sub(hn::LoadU(d, x + i + kWidth), hn::Set(d, shift))));
    }
    float total = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
    const Single one;
    for (; i < n; ++i) total += hn::GetLane(fastExp(one, hn::Set(one, x[i] - shift)));
    return total;
}

void scaleRowTarget(float* x, std::int64_t n, float factor) {
    forEach(n, [&](auto d, std::int64_t i) HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::Set(d, factor)), d, x + i); });
}

void addScaledTarget(const float* x, std::int64_t n, float factor, float* y) {
    forEach(n, [&](auto d, std::int64_t i)
                   HWY_ATTR { hn::StoreU(hn::MulAdd(hn::LoadU(d, x + i), hn::Set(d, factor), hn::LoadU(d, y + i)), d, y + i); });
}

void sigmoidGateTarget(const float* x, const float* gate, std::int64_t n, float* out) {
    forEach(n, [&](auto d, std::int64_t i)
                   HWY_ATTR { hn::StoreU(hn::Mul(hn::LoadU(d, x + i), sigmoid(d, hn::LoadU(d, gate + i))), d, out + i); });
}

void convolveSiluTarget(const float* in, std::int64_t stride, const float* taps, std::int64_t tapCount, std::int64_t channels,
                        float* out) {
    forEach(channels, [&](auto d, std::int64_t c) HWY_ATTR {
        auto sum = hn::Zero(d);
        for (std::int64_t j = 0; j < tapCount; ++j)
            sum = hn::MulAdd(hn::LoadU(d, in + j * stride + c), hn::LoadU(d, taps + j * channels + c), sum);
        hn::StoreU(silu(d, sum), d, out + c);
    });
}

}  // namespace HWY_NAMESPACE
}  // namespace trefoil::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trefoil::kernels {

HWY_EXPORT(rmsNormTarget);
HWY_EXPORT(gatedRmsNormTarget);
HWY_EXPORT(l2NormaliseTarget);
HWY_EXPORT(dotTarget);
HWY_EXPORT(maximumTarget);
HWY_EXPORT(exponentialsTarget);
HWY_EXPORT(scaleRowTarget);
HWY_EXPORT(sumOfExponentialsTarget);
HWY_EXPORT(addScaledTarget);
HWY_EXPORT(sigmoidGateTarget);
HWY_EXPORT(convolveSiluTarget);

void rmsNorm(const float* x, const float* weight, std::int64_t n, float epsilon, float* out) {
    HWY_DYNAMIC_DISPATCH(rmsNormTarget)(x, weight, n, epsilon, out);
}

void gatedRmsNorm(const float* x, const float* gate, const float* weight, std::int64_t n, float epsilon, float* out) {
    HWY_DYNAMIC_DISPATCH(gatedRmsNormTarget)(x, gate, weight, n, epsilon, out);
}

void l2Normalise(const float* x, std::int64_t n, float scale, float* out) {
    HWY_DYNAMIC_DISPATCH(l2NormaliseTarget)(x, n, scale, out);
}

float dot(const float* a, const float* b, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(dotTarget)(a, b, n); }

float maximum(const float* x, std::int64_t n) { return HWY_DYNAMIC_DISPATCH(maximumTarget)(x, n); }

float exponentials(const float* x, std::int64_t n, float shift, float* out) {
    return HWY_DYNAMIC_DISPATCH(exponentialsTarget)(x, n, shift, out);
}

float sumOfExponentials(const float* x, std::int64_t n, float shift) {
    return HWY_DYNAMIC_DISPATCH(sumOfExponentialsTarget)(x, n, shift);
}

void scaleRow(float* x, std::int64_t n, float factor) { HWY_DYNAMIC_DISPATCH(scaleRowTarget)(x, n, factor); }

void addScaled(const float* x, std::int64_t n, float factor, float* y) { HWY_DYNAMIC_DISPATCH(addScaledTarget)(x, n, factor, y); }

void sigmoidGate(const float* x, const float* gate, std::int64_t n, float* out) {
    HWY_DYNAMIC_DISPATCH(sigmoidGateTarget)(x, gate, n, out);
}

void convolveSilu(const float* in, std::int64_t stride, const float* taps, std::int64_t tapCount, std::int64_t channels,
                  float* out) {
    HWY_DYNAMIC_DISPATCH(convolveSiluTarget)(in, stride, taps, tapCount, channels, out);
}

}  // namespace trefoil::kernels

#endif  // HWY_ONCE
