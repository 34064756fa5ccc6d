#include "engine/runtime/input_collector.h"

#include <string>

namespace trefoil {

InputCollector::InputCollector(const ModelWeights& weights, InputSums& sums) : m_sums(sums) {
    for (std::size_t i = 0; i < weights.layers.size(); ++i) {
        const LayerWeights& layer = weights.layers[i];
        const std::string prefix = "model.layers." + std::to_string(i) + ".";
        if (layer.kind == LayerKind::GatedDeltaNet) {
            watch(layer.gdn.qkv, prefix + "linear_attn.in_proj_qkv.weight");
            watch(layer.gdn.z, prefix + "linear_attn.in_proj_z.weight");
            watch(layer.gdn.out, prefix + "linear_attn.out_proj.weight");
        } else {
            watch(layer.attention.q, prefix + "self_attn.q_proj.weight");
            watch(layer.attention.k, prefix + "self_attn.k_proj.weight");
            watch(layer.attention.v, prefix + "self_attn.v_proj.weight");
            watch(layer.attention.out, prefix + "self_attn.o_proj.weight");
        }
        watch(layer.mixture.gateUp, prefix + "mlp.experts.gate_up_proj");
        watch(layer.mixture.down, prefix + "mlp.experts.down_proj");
        watch(layer.mixture.sharedGateUp, prefix + "mlp.shared_expert.gate_proj.weight");
        watch(layer.mixture.sharedGateUp, prefix + "mlp.shared_expert.up_proj.weight");
        watch(layer.mixture.sharedDown, prefix + "mlp.shared_expert.down_proj.weight");
    }
    watch(weights.head, "lm_head.weight");
}

void InputCollector::watch(const kernels::PackedMatrix& matrix, const std::string& name) {
    MatrixInputs& inputs = m_sums.matrices[name];
    inputs.columns = matrix.columns();
    inputs.squares.resize(static_cast<std::size_t>(matrix.items() * matrix.columns()));
    inputs.rows.resize(static_cast<std::size_t>(matrix.items()));
    m_watched[&matrix].push_back(&inputs);
}

void InputCollector::add(std::span<const kernels::ProductJob> jobs) {
    for (const kernels::ProductJob& job : jobs) {
        const auto found = m_watched.find(job.weights);
        if (found == m_watched.end()) continue;
        for (MatrixInputs* inputs : found->second) {
            double* squares = inputs->squares.data() + job.item * inputs->columns;
            for (std::int64_t r = 0; r < job.rows; ++r)
                for (std::int64_t c = 0; c < inputs->columns; ++c)
                    squares[c] += static_cast<double>(job.x[r][c]) * static_cast<double>(job.x[r][c]);
            inputs->rows[static_cast<std::size_t>(job.item)] += job.rows;
        }
    }
}

}  // namespace trefoil
