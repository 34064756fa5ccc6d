#include "kernels/cuda/pass_graphs.h"

namespace trefoil::cuda {
namespace {

/// Captured graphs that are kept; a pass shape more and all are made anew.
constexpr std::size_t kMaxGraphs = 48;

}  // namespace

void PassGraphs::clear() {
    for (auto& entry : m_graphs) cudaGraphExecDestroy(entry.second);
    m_graphs.clear();
    m_seen.clear();
}

cudaError_t PassGraphs::run(cudaStream_t stream, const PassShape& shape, const std::function<cudaError_t()>& enqueue) {
    const auto key = shape.key();
    if (const auto found = m_graphs.find(key); found != m_graphs.end()) return cudaGraphLaunch(found->second, stream);
    if (m_seen.insert(key).second) return enqueue();
    if (m_graphs.size() >= kMaxGraphs) clear();
    cudaError_t e = cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    if (e != cudaSuccess) return e;
    const cudaError_t recorded = enqueue();
    cudaGraph_t graph = nullptr;
    e = cudaStreamEndCapture(stream, &graph);
    if (e == cudaSuccess && recorded == cudaSuccess) {
        cudaGraphExec_t executable = nullptr;
        e = cudaGraphInstantiate(&executable, graph, 0);
        if (e == cudaSuccess) {
            m_graphs.emplace(key, executable);
            e = cudaGraphLaunch(executable, stream);
        }
    }
    if (graph != nullptr) cudaGraphDestroy(graph);
    return recorded != cudaSuccess ? recorded : e;
}

}  // namespace trefoil::cuda
