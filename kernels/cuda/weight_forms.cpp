#include "kernels/cuda/weight_forms.h"

#include "kernels/cuda/pack.h"

namespace trefoil::cuda {

WeightForms::WeightForms(std::span<const TensorInfo> tensors, bool exact) {
    for (const TensorInfo& tensor : tensors)
        m_forms.emplace(tensor.name, Form{packFormatOf(tensor.quantised, exact), !exact || tensor.dtype == DType::BF16});
}

PackFormat WeightForms::of(const std::string& name) const {
    const auto found = m_forms.find(name);
    return found == m_forms.end() ? PackFormat::None : found->second.format;
}

bool WeightForms::keepsInBf16(const std::string& name) const {
    const auto found = m_forms.find(name);
    return found == m_forms.end() || found->second.keepsInBf16;
}

}  // namespace trefoil::cuda
