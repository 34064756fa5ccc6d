// ModelWeights: where every tensor of a checkpoint, or of some layers of it, lies on a device, and the upload.
//
// Plain matrices are kept in one WeightFormat. BF16 checkpoints are copied as they are; F16 and F32 ones are rounded to BF16
// (nearest, ties to even) on the device while they are uploaded, or widened to float32 in the debug mode. Vectors become float32.
// Quantised projections, experts and heads are packed (weight_matrix.h) while they are uploaded; a matrix of which only some
// rows are quantised has the others beside them in BF16. Experts may lie in pinned main memory, with slots on the card.
// Projections of one input are kept as one matrix: q, k, v, z, b, a of a GDN layer; q and gate, k, v of an attention layer;
// router and shared expert's gate.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/model_config.h"
#include "kernels/cuda/attention.h"
#include "kernels/cuda/device_memory.h"
#include "kernels/cuda/expert_cache.h"
#include "kernels/cuda/expert_gemm.h"
#include "kernels/cuda/gdn.h"
#include "kernels/cuda/layer_split.h"
#include "kernels/cuda/plugin_interface.h"
#include "kernels/cuda/weight_forms.h"
#include "kernels/cuda/weight_matrix.h"
#include "kernels/cuda/weight_upload.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trefoil::cuda {

struct LayerWeights {
    LayerKind kind = LayerKind::GatedDeltaNet;
    const float* inputNorm = nullptr;
    const float* postNorm = nullptr;
    WeightMatrix input;   ///< [projected, D]
    WeightMatrix output;  ///< [D, values or Hq·Dh]
    GdnVectors gdn;
    const float* qNorm = nullptr;
    const float* kNorm = nullptr;
    const void* router = nullptr;  ///< [routerRows(), D], E + 1 of them used
    ExpertWeights experts;         ///< plain; of packed ones the sizes only
    PackedExperts packed;          ///< in use where the experts are packed
    ExpertCache cache;             ///< in use where their records lie in main memory
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

/// Where the routed experts lie.
struct ExpertPlacement {
    bool inMainMemory = false;
    int slots = 0;  ///< then: experts of each layer that the card holds at a time
};

class ModelWeights {
public:
    ModelWeights(const ModelConfig& config, const LayerRange& range, WeightFormat format, WeightForms forms = {},
                 ExpertPlacement placement = {});

    /// Bytes on the device, and in pinned main memory.
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    [[nodiscard]] std::uint64_t hostBytes() const { return m_hostBytes; }
    /// Of bytes() those of routed experts.
    [[nodiscard]] std::uint64_t residentExpertBytes() const { return m_residentExpertBytes; }
    /// Elements of the largest packed matrix, besides experts and the head: what is unpacked for prompts.
    [[nodiscard]] std::int64_t largestPacked() const { return m_largestPacked; }
    [[nodiscard]] bool packsExperts() const { return !m_layers.empty() && m_layers.front().packed.inUse(); }
    /// Reads every tensor with several threads through pinned double buffers. Progress counts bytes of the checkpoint, those of
    /// these layers only.
    Status upload(const LoadRequest& request, int device, const Progress& progress, const CancelFlag* cancel);
    /// Bytes of the checkpoint that upload() reads.
    [[nodiscard]] Result<std::uint64_t> sourceBytes(const LoadRequest& request) const;
    /// Empties the experts' caches.
    cudaError_t clearCaches(cudaStream_t stream) const;

    [[nodiscard]] WeightFormat format() const { return m_format; }
    /// Of the range, in order.
    [[nodiscard]] const std::vector<LayerWeights>& layers() const { return m_layers; }
    /// Null unless the range holds the first layer; head() and norm() unless it holds the last one.
    [[nodiscard]] const void* embedding() const { return m_embedding; }
    [[nodiscard]] const WeightMatrix& head() const { return m_head; }
    [[nodiscard]] const float* norm() const { return m_norm; }
    /// Bytes of the matrices that a pass reads in any case (without the embedding), and of one expert.
    [[nodiscard]] std::uint64_t denseBytes() const { return m_denseBytes; }
    [[nodiscard]] std::uint64_t headBytes() const { return m_headBytes; }
    [[nodiscard]] std::uint64_t expertBytes() const { return m_expertBytes; }

private:
    /// A matrix out of the rows of several tensors, in order.
    struct MatrixPart {
        std::string name;
        std::int64_t rows = 0;
    };
    void carve(std::byte* base, std::byte* hostBase);
    const void* plainMatrix(Carver& carver, const std::vector<MatrixPart>& parts, std::int64_t columns);
    WeightMatrix matrix(Carver& carver, const std::vector<MatrixPart>& parts, std::int64_t columns);
    const float* vector(Carver& carver, const std::string& name, std::int64_t count);
    void carveMixer(Carver& carver, const std::string& prefix, LayerWeights& layer);
    void carveExperts(Carver& carver, Carver& host, const std::string& prefix, LayerWeights& layer);
    void carvePacked(Carver& carver, Carver& host, const std::string& prefix, LayerWeights& layer);
    const std::byte* packedMatrix(Carver& carver, PackedPlace place);
    [[nodiscard]] bool packs(const std::vector<MatrixPart>& parts) const;

    ModelConfig m_config;
    LayerRange m_range;
    ModelShape m_shape;
    WeightFormat m_format;
    WeightForms m_forms;
    ExpertPlacement m_placement;
    DeviceBlock m_block;
    PinnedBlock m_host;
    std::uint64_t m_bytes = 0;
    std::uint64_t m_hostBytes = 0;
    std::uint64_t m_residentExpertBytes = 0;
    std::uint64_t m_denseBytes = 0;
    std::uint64_t m_headBytes = 0;
    std::uint64_t m_expertBytes = 0;
    std::int64_t m_largestPacked = 0;
    UploadPlan m_places;  ///< without a base: offsets as pointers from null
    std::vector<LayerWeights> m_layers;
    const void* m_embedding = nullptr;
    WeightMatrix m_head;
    const float* m_norm = nullptr;
};

}  // namespace trefoil::cuda
