#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/instruction_set.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace trefoil::kernels {
namespace HWY_NAMESPACE {

std::int64_t currentTarget() { return HWY_TARGET; }

}  // namespace HWY_NAMESPACE
}  // namespace trefoil::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include "kernels/cpu/instruction_set.h"

namespace trefoil::kernels {

HWY_EXPORT(currentTarget);

std::string instructionSetName() {
    const std::int64_t target = HWY_DYNAMIC_DISPATCH(currentTarget)();
    if (target == HWY_AVX3) return "AVX-512";
    if (target == HWY_AVX2) return "AVX2";
    if (target == HWY_SSE4) return "SSE4";
    if (target == HWY_EMU128 || target == HWY_SCALAR) return "portable";
    return hwy::TargetName(target);
}

std::vector<std::int64_t> availableInstructionSets() {
    std::vector<std::int64_t> sets;
    const std::int64_t usable = hwy::SupportedTargets() & HWY_TARGETS;
    for (std::int64_t bit = 1; bit > 0 && bit <= usable; bit <<= 1)  // better sets have lower bits
        if ((usable & bit) != 0) sets.push_back(bit);
    return sets;
}

void useInstructionSet(std::int64_t set) { hwy::SetSupportedTargetsForTest(set); }

}  // namespace trefoil::kernels

#endif  // HWY_ONCE
