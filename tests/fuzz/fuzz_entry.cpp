// libFuzzer's entry point; TREFOIL_FUZZ_TARGET names the function of TREFOIL_FUZZ_HEADER that it calls.
#include TREFOIL_FUZZ_HEADER

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    trefoil::fuzz::TREFOIL_FUZZ_TARGET({data, size});
    return 0;
}
