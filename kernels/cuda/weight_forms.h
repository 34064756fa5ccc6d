// WeightForms: which tensors of a checkpoint are packed on the device, and how. No CUDA here.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "kernels/cuda/weight_matrix.h"

#include <map>
#include <memory>
#include <span>
#include <string>

namespace trefoil::cuda {

class WeightForms {
public:
    /// Everything is plain.
    WeightForms() = default;
    /// exact: nothing is packed that the kernels would round (the debug mode).
    WeightForms(std::span<const TensorInfo> tensors, bool exact);

    /// How a tensor's own rows are packed; None where they are plain values.
    [[nodiscard]] PackFormat of(const std::string& name) const;
    /// Whether a tensor may stand beside packed ones as Bf16.
    [[nodiscard]] bool keepsInBf16(const std::string& name) const;

private:
    struct Form {
        PackFormat format = PackFormat::None;
        bool keepsInBf16 = true;
    };
    std::shared_ptr<const std::map<std::string, Form>> m_forms;  ///< plans copy it often
};

}  // namespace trefoil::cuda
