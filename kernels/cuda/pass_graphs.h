// PassGraphs: the passes of one stream as CUDA graphs, each captured the second time that its shape occurs.
#pragma once

#include "kernels/cuda/pass_shape.h"

#include <cuda_runtime.h>

#include <functional>
#include <map>
#include <set>

namespace trefoil::cuda {

class PassGraphs {
public:
    PassGraphs() = default;
    PassGraphs(const PassGraphs&) = delete;
    PassGraphs& operator=(const PassGraphs&) = delete;
    ~PassGraphs() { clear(); }

    /// Runs the pass on `stream`, which is of the current device: its graph, or `enqueue`, which puts the same work into the
    /// stream and neither allocates nor waits.
    cudaError_t run(cudaStream_t stream, const PassShape& shape, const std::function<cudaError_t()>& enqueue);
    void clear();

private:
    std::map<PassShape::Key, cudaGraphExec_t> m_graphs;
    std::set<PassShape::Key> m_seen;
};

}  // namespace trefoil::cuda
