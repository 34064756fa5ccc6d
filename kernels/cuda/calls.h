// Calls: stops at the first failing CUDA call of a sequence and remembers it.
#pragma once

#include <cuda_runtime.h>

namespace trefoil::cuda {

class Calls {
public:
    bool operator()(cudaError_t e) {
        if (m_error == cudaSuccess) m_error = e;
        return m_error == cudaSuccess;
    }
    [[nodiscard]] cudaError_t error() const { return m_error; }

private:
    cudaError_t m_error = cudaSuccess;
};

}  // namespace trefoil::cuda
