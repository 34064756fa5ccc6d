// Vectorised exp and sigmoid. Included once per instruction set (Highway's convention for -inl.h files).
#if defined(TREFOIL_KERNELS_CPU_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TREFOIL_KERNELS_CPU_VECTOR_MATH_INL_H_
#undef TREFOIL_KERNELS_CPU_VECTOR_MATH_INL_H_
#else
#define TREFOIL_KERNELS_CPU_VECTOR_MATH_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trefoil::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// exp(x) with a relative error below 3e-7; 0 below -87.3, e^88.3 above 88.3. A NaN stays no number or becomes a bound.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V fastExp(D d, V x) {
    const hn::RebindToSigned<D> di;
    const V lowest = hn::Set(d, -87.3F);
    const V clamped = hn::Min(hn::Max(x, lowest), hn::Set(d, 88.3F));
    const V n = hn::Round(hn::Mul(clamped, hn::Set(d, 1.44269504F)));
    // ln 2 in two parts: n times the first is exact.
    V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375F), clamped);
    r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4F), r);
    V p = hn::Set(d, 1.9875691500e-4F);
    p = hn::MulAdd(p, r, hn::Set(d, 1.3981999507e-3F));
    p = hn::MulAdd(p, r, hn::Set(d, 8.3334519073e-3F));
    p = hn::MulAdd(p, r, hn::Set(d, 4.1665795894e-2F));
    p = hn::MulAdd(p, r, hn::Set(d, 1.6666665459e-1F));
    p = hn::MulAdd(p, r, hn::Set(d, 5.0000001201e-1F));
    const V e = hn::Add(hn::MulAdd(hn::Mul(p, r), r, r), hn::Set(d, 1.0F));
    const V power = hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127))));
    return hn::IfThenZeroElse(hn::Lt(x, lowest), hn::Mul(e, power));
}

/// 1 / (1 + exp(-x))
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
    const V one = hn::Set(d, 1.0F);
    return hn::Div(one, hn::Add(one, fastExp(d, hn::Neg(x))));
}

/// x · sigmoid(x)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V silu(D d, V x) {
    return hn::Div(x, hn::Add(hn::Set(d, 1.0F), fastExp(d, hn::Neg(x))));
}

}  // namespace HWY_NAMESPACE
}  // namespace trefoil::kernels
HWY_AFTER_NAMESPACE();

#endif  // toggle
