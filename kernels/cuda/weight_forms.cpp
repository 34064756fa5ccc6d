#include "kernels/cuda/weight_forms.h"

#include "kernels/cuda/pack.h"

#include <utility>

namespace trefoil::cuda {

WeightForms::WeightForms(std::span<const TensorInfo> tensors, bool exact) {
    auto forms = std::make_shared<std::map<std::string, Form>>();
    for (const TensorInfo& tensor : tensors)
        forms->emplace(tensor.name, Form{packFormatOf(tensor.quantised, exact), !exact || tensor.dtype == DType::BF16});
    m_forms = std::move(forms);
}

PackFormat WeightForms::of(const std::string& name) const {
    if (m_forms == nullptr) return PackFormat::None;
    const auto found = m_forms->find(name);
    return found == m_forms->end() ? PackFormat::None : found->second.format;
}

bool WeightForms::keepsInBf16(const std::string& name) const {
    if (m_forms == nullptr) return true;
    const auto found = m_forms->find(name);
    return found == m_forms->end() || found->second.keepsInBf16;
}

}  // namespace trefoil::cuda
