// libFuzzer's entry point; TREFOIL_FUZZ_TARGET names the function of fuzz_targets.h that it calls.
#include "tests/fuzz/fuzz_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    trefoil::fuzz::TREFOIL_FUZZ_TARGET({data, size});
    return 0;
}
