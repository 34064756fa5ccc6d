#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/quantised_panel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include "kernels/cpu/packed_matrix.h"
#include "kernels/cpu/quantised_panel.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace trefoil::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, static_cast<std::size_t>(kHalfPanel)>;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(Lanes()));
using Vector = hn::Vec<Lanes>;
using Whole = hn::RebindToSigned<Lanes>;
using Bits = hn::RebindToUnsigned<Lanes>;
using Codes = hn::Rebind<std::uint8_t, Lanes>;

/// Bytes of codes that are asked for ahead.
constexpr std::int64_t kAhead = 1024;

/// Rounds finite values to a type, ties to even.
template <WeightFormat kValues>
HWY_INLINE Vector rounded(Vector v) {
    const Lanes d;
    const Bits u;
    if constexpr (kValues == WeightFormat::F32) return v;
    constexpr int kDropped = kValues == WeightFormat::BF16 ? 16 : 13;
    const auto bits = hn::BitCast(u, v);
    const auto odd = hn::And(hn::ShiftRight<kDropped>(bits), hn::Set(u, 1));
    const auto sum = hn::Add(hn::Add(bits, hn::Set(u, (1U << (kDropped - 1)) - 1)), odd);
    const Vector normal = hn::BitCast(d, hn::And(sum, hn::Set(u, ~((1U << kDropped) - 1))));
    if constexpr (kValues == WeightFormat::BF16) return normal;
    // Subnormal halves are multiples of 2^-24, the distance of the floats from 0.5 to 1.
    const Vector magnitude = hn::Abs(v);
    const Vector small = hn::Sub(hn::Add(magnitude, hn::Set(d, 0.5F)), hn::Set(d, 0.5F));
    return hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0x1p-14F)), hn::CopySign(small, v), normal);
}

/// The values of F8_E4M3 codes; exact.
HWY_INLINE Vector fromFp8(hn::Vec<Codes> codes) {
    const Lanes d;
    const Bits u;
    const auto wide = hn::PromoteTo(u, codes);
    const auto magnitude = hn::ShiftLeft<20>(hn::And(wide, hn::Set(u, 0x7FU)));
    const auto sign = hn::ShiftLeft<24>(hn::And(wide, hn::Set(u, 0x80U)));
    // Exponent bias 7 to 127. Where the exponent is 0 this gives 2^-7 · (1 + f/8), and the value is f · 2^-9.
    const Vector value = hn::BitCast(d, hn::Add(magnitude, hn::Set(u, 120U << 23)));
    const Vector subnormal = hn::MulSub(value, hn::Set(d, 2.0F), hn::Set(d, 0x1p-6F));
    const auto isSubnormal = hn::Lt(hn::BitCast(Whole(), magnitude), hn::Set(Whole(), 8 << 20));
    return hn::Or(hn::IfThenElse(hn::RebindMask(d, isSubnormal), subnormal, value), hn::BitCast(d, sign));
}

template <WeightFormat kValues>
HWY_INLINE Vector fromInt4(hn::Vec<Whole> codes, hn::Vec<Whole> zero, Vector scale) {
    return rounded<kValues>(hn::Mul(hn::ConvertTo(Lanes(), hn::Sub(codes, zero)), scale));
}

/// Columns [from, to) of one group; `codes` begins with the first of them, scales and zeros [32] are the group's.
template <WeightFormat kValues>
HWY_NOINLINE void widenGroup(QuantisedCodes kind, const std::byte* codes, std::int64_t count, const float* scales,
                             const std::int32_t* zeros, float* out) {
    const Lanes d;
    const Codes bytes;
    for (std::int64_t s = 0; s < kHalfPanel; s += kLanes) {
        const Vector left = hn::Load(d, scales + s);
        const Vector right = hn::Load(d, scales + kHalfPanel + s);
        const auto* from = reinterpret_cast<const std::uint8_t*>(codes) + s;
        float* to = out + s;
        if (kind == QuantisedCodes::Fp8) {
            for (std::int64_t k = 0; k < count; ++k, from += kPanel, to += kPanel) {
                hwy::Prefetch(from + kAhead);
                hn::Store(rounded<kValues>(hn::Mul(fromFp8(hn::LoadU(bytes, from)), left)), d, to);
                hn::Store(rounded<kValues>(hn::Mul(fromFp8(hn::LoadU(bytes, from + kHalfPanel)), right)), d, to + kHalfPanel);
            }
            continue;
        }
        const auto zeroLeft = hn::Load(Whole(), zeros + s);
        const auto zeroRight = hn::Load(Whole(), zeros + kHalfPanel + s);
        const auto low = hn::Set(Whole(), 15);
        for (std::int64_t k = 0; k < count; ++k, from += kHalfPanel, to += kPanel) {
            hwy::Prefetch(from + kAhead);
            const auto pair = hn::PromoteTo(Whole(), hn::LoadU(bytes, from));
            hn::Store(fromInt4<kValues>(hn::And(pair, low), zeroLeft, left), d, to);
            hn::Store(fromInt4<kValues>(hn::ShiftRight<4>(pair), zeroRight, right), d, to + kHalfPanel);
        }
    }
}

void widenPanelTarget(const QuantisedLayout& layout, const std::byte* panel, std::int64_t columns, std::int64_t first,
                      std::int64_t count, float* out) {
    alignas(64) float scales[kPanel];
    alignas(64) std::int32_t zeros[kPanel];
    std::fill_n(zeros, kPanel, 8);
    const std::int64_t width = layout.codes == QuantisedCodes::Fp8 ? kPanel : kHalfPanel;
    const std::byte* storedScales = panel + layout.scalesAt(columns);
    const std::byte* storedZeros = panel + layout.zeroPointsAt(columns);
    const std::int64_t end = first + count;
    for (std::int64_t k = first; k < end;) {
        const std::int64_t group = k / layout.group;
        const std::int64_t here = std::min(end, (group + 1) * layout.group) - k;
        widen(storedScales + group * kPanel * formatBytes(layout.scaleFormat), layout.scaleFormat, kPanel, scales);
        if (layout.hasZeroPoints)
            for (std::int64_t j = 0; j < kPanel; ++j) zeros[j] = static_cast<std::int32_t>(storedZeros[group * kPanel + j]);
        const std::byte* codes = panel + k * width;
        float* to = out + (k - first) * kPanel;
        switch (layout.values()) {
            case WeightFormat::F32:
                widenGroup<WeightFormat::F32>(layout.codes, codes, here, scales, zeros, to);
                break;
            case WeightFormat::F16:
                widenGroup<WeightFormat::F16>(layout.codes, codes, here, scales, zeros, to);
                break;
            case WeightFormat::BF16:
                widenGroup<WeightFormat::BF16>(layout.codes, codes, here, scales, zeros, to);
                break;
        }
        k += here;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace trefoil::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace trefoil::kernels {

HWY_EXPORT(widenPanelTarget);

void widenPanel(const QuantisedLayout& layout, const std::byte* panel, std::int64_t columns, std::int64_t first,
                std::int64_t count, float* out) {
    HWY_DYNAMIC_DISPATCH(widenPanelTarget)(layout, panel, columns, first, count, out);
}

}  // namespace trefoil::kernels

#endif  // HWY_ONCE
