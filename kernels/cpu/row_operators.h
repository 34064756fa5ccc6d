// RowOperators: what happens to one row of float32 values at a time. Vectorised; any length; no alignment asked for.
// Sums run in lanes: their order depends on the instruction set, never on threads or on how many rows a pass has.
#pragma once

#include <cstdint>

namespace trefoil::kernels {

/// out[i] = x[i] / sqrt(mean(x²) + epsilon) · weight[i] (section 2; a zero-centred weight w is passed as 1 + w). x may be out.
/// Twin: reference::rmsNorm, 1e-6.
void rmsNorm(const float* x, const float* weight, std::int64_t n, float epsilon, float* out);

/// out[i] = weight[i] · x[i] / sqrt(mean(x²) + epsilon) · silu(gate[i]) (section 2, after a GDN mixer). x may be out.
/// Twin: reference::gatedRmsNorm, 1e-6.
void gatedRmsNorm(const float* x, const float* gate, const float* weight, std::int64_t n, float epsilon, float* out);

/// out[i] = x[i] · scale / sqrt(Σx² + 1e-6) (section 2). Twin: reference::l2Normalise, 1e-6.
void l2Normalise(const float* x, std::int64_t n, float scale, float* out);

/// Σ a[i]·b[i]
[[nodiscard]] float dot(const float* a, const float* b, std::int64_t n);

/// The largest of x; -inf when n is 0. NaN is ignored or returned.
[[nodiscard]] float maximum(const float* x, std::int64_t n);

/// out[i] = exp(x[i] - shift); returns the sum. x may be out. Twin: reference::exponentials, 1e-6.
float exponentials(const float* x, std::int64_t n, float shift, float* out);

/// Σ exp(x[i] - shift); nothing is written.
[[nodiscard]] float sumOfExponentials(const float* x, std::int64_t n, float shift);

/// x[i] *= factor
void scaleRow(float* x, std::int64_t n, float factor);

/// y[i] += factor · x[i]
void addScaled(const float* x, std::int64_t n, float factor, float* y);

/// out[i] = x[i] · sigmoid(gate[i]) (section 2, attention). Twin: reference::sigmoidGate, 1e-6.
void sigmoidGate(const float* x, const float* gate, std::int64_t n, float* out);

/// out[c] = silu(Σ_j in[j·stride + c] · taps[j·channels + c]) over `tapCount` taps (sections 2 and 4).
/// Twin: reference::convolve, 1e-6.
void convolveSilu(const float* in, std::int64_t stride, const float* taps, std::int64_t tapCount, std::int64_t channels,
                  float* out);

}  // namespace trefoil::kernels
