// InputCollector: adds up the squared inputs of the CPU's products. Private to the CPU executor.
#pragma once

#include "engine/runtime/input_sums.h"
#include "engine/runtime/model_weights.h"
#include "kernels/cpu/matrix_product.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace trefoil {

class InputCollector {
public:
    /// Both must outlive the collector. Makes room in `sums` for each matrix; what is there already is added to.
    InputCollector(const ModelWeights& weights, InputSums& sums);
    /// Before they run.
    void add(std::span<const kernels::ProductJob> jobs);

private:
    void watch(const kernels::PackedMatrix& matrix, const std::string& name);

    InputSums& m_sums;
    /// Several tensors may be packed into one matrix.
    std::unordered_map<const kernels::PackedMatrix*, std::vector<MatrixInputs*>> m_watched;
};

}  // namespace trefoil
