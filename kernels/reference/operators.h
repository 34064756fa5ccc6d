// The twins: each operator of the model once more as a plain loop, summed in double, written to be read beside
// model-contract.md. Tests compare the CPU's and the GPU's kernels with them. Matrices are row-major vectors.
#pragma once

#include <cstdint>
#include <vector>

namespace trefoil::reference {

using Matrix = std::vector<float>;

/// x [T, K] · wᵀ, w [N, K] → [T, N]
[[nodiscard]] Matrix matrixProduct(const Matrix& x, const Matrix& w, std::int64_t rows, std::int64_t outputs,
                                   std::int64_t inputs);

[[nodiscard]] float sigmoid(float x);
[[nodiscard]] float silu(float x);

/// x / sqrt(mean(x²) + epsilon) · weight
[[nodiscard]] Matrix rmsNorm(const Matrix& x, const Matrix& weight, float epsilon);
/// weight · x / sqrt(mean(x²) + epsilon) · silu(gate)
[[nodiscard]] Matrix gatedRmsNorm(const Matrix& x, const Matrix& gate, const Matrix& weight, float epsilon);
/// (code - zero) · scale, multiplied in float32 and rounded to nearest even with `bits` bits of significand and a least exponent
[[nodiscard]] float dequantised(float code, float zero, float scale, int bits, int leastExponent);
/// x · scale / sqrt(Σx² + 1e-6)
[[nodiscard]] Matrix l2Normalise(const Matrix& x, float scale);
/// exp(x - shift)
[[nodiscard]] Matrix exponentials(const Matrix& x, float shift);
[[nodiscard]] Matrix softmax(const Matrix& x);
/// x · sigmoid(gate)
[[nodiscard]] Matrix sigmoidGate(const Matrix& x, const Matrix& gate);
/// silu(Σ_j in[j, c] · taps[j, c]), in and taps [J, C] → [C]
[[nodiscard]] Matrix convolveSilu(const Matrix& in, const Matrix& taps, std::int64_t tapCount, std::int64_t channels);
/// Pairs (j, j + R/2) of the first R elements turned by position · theta^(-2j/R)
[[nodiscard]] Matrix rotate(const Matrix& x, std::int64_t position, std::int64_t rotaryDim, float theta);

/// One head's gated delta rule over T tokens: q, k [T, Dk], v [T, Dv], decay, beta [T], state [Dk, Dv] (updated) → [T, Dv]
[[nodiscard]] Matrix deltaRule(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& decay, const Matrix& beta,
                               std::int64_t tokens, std::int64_t keyDim, std::int64_t valueDim, Matrix& state);
/// One head of a noisy block: q, k [T, Dk], v [T, Dv], state [Dk, Dv] → [T, Dv]; the read is scaled by readScale
[[nodiscard]] Matrix blockMix(const Matrix& q, const Matrix& k, const Matrix& v, const Matrix& state, std::int64_t rows,
                              std::int64_t keyDim, std::int64_t valueDim, float logitScale, float historyLogit, float readScale);
/// One query [Dh] (already scaled) over the first `visible` of keys, values [S, Dh] → [Dh]
[[nodiscard]] Matrix attention(const Matrix& query, const Matrix& keys, const Matrix& values, std::int64_t visible,
                               std::int64_t headDim);

/// The k likeliest, descending, ties to the lower index; among `allowed` if that is not empty
[[nodiscard]] std::vector<std::int32_t> topExperts(const Matrix& probabilities, const std::vector<std::uint8_t>& allowed,
                                                   std::int64_t k);
/// Section 5's kept experts, in ranking order: ids and masses [T, k]
[[nodiscard]] std::vector<std::int32_t> chooseCoreset(const std::vector<std::int32_t>& ids, const Matrix& masses,
                                                      std::int64_t experts, std::int64_t k, float topP);

}  // namespace trefoil::reference
