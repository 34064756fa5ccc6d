// DevicePart: what one device holds of a loaded model. Its layers' weights, the workspace, the prefix (GDN states, K and V), a
// stream and the captured passes. part_pass.h puts the work of a pass into the stream; CudaExecutor goes through the parts.
//
// Every function that returns cudaError_t selects the device, and works in the order of the stream.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/model_config.h"
#include "kernels/cuda/cublas_lt.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/model_weights.h"
#include "kernels/cuda/part_plan.h"
#include "kernels/cuda/pass_graphs.h"
#include "kernels/cuda/pass_params.h"
#include "kernels/cuda/workspace.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace trefoil::cuda {

/// Pinned memory that the host and the kernels of all parts share: what a pass needs, and what it leaves.
struct HostBuffers {
    PassParams* params = nullptr;
    RowResult* results = nullptr;   ///< [kMaxOutputRows]
    LayerResult* layers = nullptr;  ///< [layers of the model]
    std::int32_t* ids = nullptr;    ///< [chunk]
};

class DevicePart {
public:
    DevicePart(const ModelConfig& config, PartSetup setup);
    ~DevicePart();
    DevicePart(const DevicePart&) = delete;
    DevicePart& operator=(const DevicePart&) = delete;

    /// Allocates everything that the plan names and uploads the weights. `host` outlives the part.
    Status load(const LoadRequest& request, const HostBuffers& host, const Progress& progress, const CancelFlag* cancel);

    [[nodiscard]] cudaError_t select() const { return cudaSetDevice(m_setup.device.index); }
    [[nodiscard]] const PartSetup& setup() const { return m_setup; }
    [[nodiscard]] const ModelConfig& config() const { return m_config; }
    [[nodiscard]] const ModelShape& shape() const { return m_shape; }
    [[nodiscard]] const ModelWeights& weights() const { return m_weights; }
    [[nodiscard]] const Workspace& space() const { return m_space; }
    [[nodiscard]] const HostBuffers& host() const { return m_host; }
    [[nodiscard]] const Launcher& on() const { return m_on; }
    [[nodiscard]] CublasLt* blas() { return m_blas.get(); }
    [[nodiscard]] PassGraphs& graphs() { return m_graphs; }
    /// Waits for everything in the stream.
    cudaError_t wait();

    /// x [rows, D] of the part before this one, once that has computed it.
    cudaError_t receive(const DevicePart& from, std::int64_t rows);

    cudaError_t clearStates();
    /// The counts of the penalties; only of the part that holds the head.
    cudaError_t clearCounts();
    cudaError_t count(std::span<const TokenId> tokens);
    /// The first `rows` rows of a verify pass join the prefix.
    cudaError_t keep(std::int64_t rows);

    /// Bytes that save() writes for a prefix of `rows` tokens.
    [[nodiscard]] std::size_t prefixBytes(std::int64_t rows) const;
    cudaError_t save(std::int64_t rows, std::byte* to);
    cudaError_t restore(std::int64_t rows, const std::byte* from);

private:
    [[nodiscard]] std::size_t keyValueBytes(std::int64_t rows) const;
    void carve();
    cudaError_t clearMemory();
    cudaError_t fillTables();

    ModelConfig m_config;
    PartSetup m_setup;
    ModelShape m_shape;
    ModelWeights m_weights;
    HostBuffers m_host;
    DeviceBlock m_scratchBlock;
    DeviceBlock m_stateBlock;
    DeviceBlock m_keyValueBlock;
    Workspace m_space;
    std::unique_ptr<CublasLt> m_blas;
    cudaStream_t m_stream = nullptr;
    cudaEvent_t m_received = nullptr;  // recorded in the stream of the part before this one
    Launcher m_on;
    PassGraphs m_graphs;
};

}  // namespace trefoil::cuda
