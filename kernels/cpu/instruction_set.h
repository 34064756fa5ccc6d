// InstructionSet: which vector instructions the kernels use. Chosen once, from what the processor has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace trefoil::kernels {

/// "AVX-512", "AVX2", "SSE4" or "portable" on x86-64; Highway's own name elsewhere. What the kernels run on now.
[[nodiscard]] std::string instructionSetName();

/// Bit masks of the sets that this program has code for and this processor can run, best first.
[[nodiscard]] std::vector<std::int64_t> availableInstructionSets();

/// For tests and benchmarks: runs everything that follows on one of availableInstructionSets(); 0 goes back to the best. Not
/// while kernels run.
void useInstructionSet(std::int64_t set);

}  // namespace trefoil::kernels
