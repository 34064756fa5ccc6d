// Dense matrix products of prompts through NVIDIA's cuBLASLt, which is opened at run time: a machine without it still runs
// everything, with this folder's own kernels.
#pragma once

#include "kernels/cuda/common.cuh"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace trefoil::cuda {

class CublasLt {
public:
    /// Opens libcublasLt; null when it is missing or too old. `message` then says what to install.
    static std::unique_ptr<CublasLt> open(std::string& message);
    /// Only looks whether it can be opened; empty when it can.
    static std::string missing();
    ~CublasLt();
    CublasLt(const CublasLt&) = delete;
    CublasLt& operator=(const CublasLt&) = delete;

    static constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;
    /// out [T, M] (bf16, or float32 when outFloat) = x [T, K] bf16 · w [M, K] bf16 transposed. False when the library refuses.
    bool gemm(cudaStream_t stream, const Bf16* w, std::int64_t m, std::int64_t k, const Bf16* x, std::int64_t t, void* out,
              bool outFloat, void* workspace);

private:
    struct Impl;
    explicit CublasLt(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace trefoil::cuda
