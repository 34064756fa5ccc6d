// ModelWeights: where every tensor of a checkpoint, or of some layers of it, lies on a device, and the upload.
//
// Matrices are kept in one WeightFormat. BF16 checkpoints are copied as they are; F16 and F32 ones are rounded to BF16 (nearest,
// ties to even) on the device while they are uploaded, or widened to float32 in the debug mode. Vectors become float32.
// Projections of one input are kept as one matrix: q, k, v, z, b, a of a GDN layer; q and gate, k, v of an attention layer;
// router and shared expert's gate.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/model_config.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/gdn.h"
#include "kernels/cuda/layer_split.h"
#include "kernels/cuda/plugin_interface.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trefoil::cuda {

struct LayerWeights {
    LayerKind kind = LayerKind::GatedDeltaNet;
    const float* inputNorm = nullptr;
    const float* postNorm = nullptr;
    const void* input = nullptr;   ///< [projected, D]
    const void* output = nullptr;  ///< [D, values or Hq·Dh]
    GdnVectors gdn;
    const float* qNorm = nullptr;
    const float* kNorm = nullptr;
    const void* router = nullptr;  ///< [routerRows(), D], E + 1 of them used
    ExpertWeights experts;
};

struct ModelShape {
    GdnShape gdn;
    AttentionShape attention;
    std::int64_t vocab = 0;
    int hidden = 0;
    int experts = 0;
    int perToken = 0;
    int width = 0;
    int sharedWidth = 0;
    int gdnLayers = 0;
    int attentionLayers = 0;

    /// Rows of the router and the shared expert's gate, with padding (never looked at) to what cuBLASLt wants.
    [[nodiscard]] int routerRows() const { return (experts + 1 + 7) / 8 * 8; }
    /// gdnLayers and attentionLayers are those of `range`.
    ModelShape(const ModelConfig& config, const LayerRange& range);
};

class ModelWeights {
public:
    ModelWeights(const ModelConfig& config, const LayerRange& range, WeightFormat format);

    /// Bytes on the device.
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    /// Reads every tensor with several threads through pinned double buffers. Progress counts bytes of the checkpoint, those of
    /// these layers only.
    Status upload(const LoadRequest& request, int device, const Progress& progress, const CancelFlag* cancel);
    /// Bytes of the checkpoint that upload() reads.
    [[nodiscard]] Result<std::uint64_t> sourceBytes(const LoadRequest& request) const;

    [[nodiscard]] WeightFormat format() const { return m_format; }
    /// Of the range, in order.
    [[nodiscard]] const std::vector<LayerWeights>& layers() const { return m_layers; }
    /// Null unless the range holds the first layer; head() and norm() unless it holds the last one.
    [[nodiscard]] const void* embedding() const { return m_embedding; }
    [[nodiscard]] const void* head() const { return m_head; }
    [[nodiscard]] const float* norm() const { return m_norm; }
    /// Bytes of the matrices that a pass reads in any case (without the embedding), and of one expert.
    [[nodiscard]] std::uint64_t denseBytes() const { return m_denseBytes; }
    [[nodiscard]] std::uint64_t headBytes() const { return m_headBytes; }
    [[nodiscard]] std::uint64_t expertBytes() const { return m_expertBytes; }

private:
    /// A tensor's place.
    struct Place {
        std::string name;
        std::size_t offset = 0;
        bool vector = false;
    };
    void carve(std::byte* base);

    ModelConfig m_config;
    LayerRange m_range;
    ModelShape m_shape;
    WeightFormat m_format;
    DeviceBlock m_block;
    std::uint64_t m_bytes = 0;
    std::uint64_t m_denseBytes = 0;
    std::uint64_t m_headBytes = 0;
    std::uint64_t m_expertBytes = 0;
    std::vector<Place> m_places;
    std::vector<LayerWeights> m_layers;
    const void* m_embedding = nullptr;
    const void* m_head = nullptr;
    const float* m_norm = nullptr;
};

}  // namespace trefoil::cuda
