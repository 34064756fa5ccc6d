// GatedDeltaNet: the state of a GDN head, its causal update, and the mixer of a noisy block (model-contract.md, sections 2 and
// 4).
//
// Layouts, all float32. P = valuePanels(Dv) panels of 32 value dims each; what exceeds Dv is zero.
//   q, k   [T, Dk]      one head, L2-normalised
//   v      [P, T, 32]   one head
//   state  [P, Dk, 32]  one head: S
//   out    [T, P·32]    one head
#pragma once

#include "kernels/cpu/packed_matrix.h"

#include <cstdint>

namespace trefoil::kernels {

[[nodiscard]] constexpr std::int64_t valuePanels(std::int64_t valueDim) { return divideUp(valueDim, kPanel); }

/// Copies one row's values x [Dv] to row t of v [P, T, 32], and zeroes what the last panel has beyond Dv.
void storeValueRow(const float* x, std::int64_t valueDim, std::int64_t t, std::int64_t rows, float* v);

/// The gated delta rule of one head over T tokens, updating `state`:
/// S ← S·decay; S ← S + k ⊗ (beta·(v − Sᵀk)); out[t] = Sᵀq. decay = exp(g); decay and beta of token t stand at [t·stride]. Each
/// token's arithmetic is the same however many tokens a call has. v is [P, valueRows, 32], valueRows >= tokens. out may be
/// nullptr: only the state is wanted (q is then not read). Twin: reference::deltaRule, 1e-5 relative.
void deltaRule(const float* q, const float* k, const float* v, const float* decay, const float* beta, std::int64_t stride,
               std::int64_t tokens, std::int64_t valueRows, std::int64_t keyDim, std::int64_t panels, float* state, float* out);

/// What the softmax of a noisy block needs besides queries, keys and values.
struct BlockMixControls {
    float logitScale = 0.0F;
    float historyLogit = 0.0F;      ///< history_bias + history_c · ln(T/32)
    float historyReadScale = 1.0F;  ///< Dk^-1/2 with Compatibility::scaleHistoryRead
};

/// Floats of scratch memory that blockMix needs for blocks of `rows` rows.
[[nodiscard]] std::int64_t blockMixScratch(std::int64_t rows, std::int64_t keyDim, std::int64_t panels);

/// Rows [first, first + count) of one head's noisy mixer over a block of `rows` rows:
/// out_i = Σ_j p_ij v_j + p_i,hist · Sᵀq_i, p the softmax of logitScale·(q_i·k_j) and the history slot's logit.
/// Twin: reference::blockMix, 1e-5 relative.
void blockMix(const float* q, const float* k, const float* v, const float* state, std::int64_t rows, std::int64_t keyDim,
              std::int64_t panels, const BlockMixControls& controls, std::int64_t first, std::int64_t count, float* scratch,
              float* out);

/// −exp(A_log) is passed as negativeRate: exp(g), g = negativeRate · softplus(a + bias) (section 2).
[[nodiscard]] float decayFactor(float a, float bias, float negativeRate);
[[nodiscard]] float sigmoidOf(float x);

}  // namespace trefoil::kernels
