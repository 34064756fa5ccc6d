// ModelWeights: all weights of a model in the CPU's memory, laid out for its kernels. Private to the CPU executor.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/model_config.h"
#include "engine/runtime/cpu_executor.h"
#include "kernels/cpu/aligned_array.h"
#include "kernels/cpu/packed_matrix.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

/// Where weights come from: a checkpoint, or a test's own memory. Canonical names, shapes and element order as in Checkpoint.
class WeightSource {
public:
    virtual ~WeightSource() = default;
    [[nodiscard]] virtual Result<DType> dtype(const std::string& name) const = 0;
    /// Elements [first, first + count) in the tensor's own type. From any thread.
    virtual Status read(const std::string& name, std::int64_t first, std::int64_t count,
                        std::span<std::byte> destination) const = 0;
    /// How all rows of a tensor are quantised; absent: not at all, or not in one way.
    [[nodiscard]] virtual std::optional<QuantisedForm> quantised(const std::string& /*name*/) const { return std::nullopt; }
    /// Of a quantised tensor: see Checkpoint::readRows.
    virtual Status readRows(const std::string& name, std::int64_t first, std::int64_t count, QuantisedRows& rows) const;
};

/// Reads through an open checkpoint (not owned).
class CheckpointSource final : public WeightSource {
public:
    explicit CheckpointSource(const Checkpoint& checkpoint) : m_checkpoint(checkpoint) {}
    [[nodiscard]] Result<DType> dtype(const std::string& name) const override;
    Status read(const std::string& name, std::int64_t first, std::int64_t count, std::span<std::byte> destination) const override;
    [[nodiscard]] std::optional<QuantisedForm> quantised(const std::string& name) const override;
    Status readRows(const std::string& name, std::int64_t first, std::int64_t count, QuantisedRows& rows) const override;

private:
    const Checkpoint& m_checkpoint;
};

using FloatArray = kernels::AlignedArray<float>;

struct GatedDeltaNetWeights {
    kernels::PackedMatrix qkv;      ///< [C, D]
    kernels::PackedMatrix z;        ///< [Hv·Dv, D]
    kernels::PackedMatrix b;        ///< [Hv, D]
    kernels::PackedMatrix a;        ///< [Hv, D]
    kernels::PackedMatrix out;      ///< [D, Hv·Dv]
    FloatArray taps;                ///< [2K - 1, C]: the causal taps, oldest first, then the right ones, nearest first
    FloatArray negativeRate;        ///< [Hv]: -exp(A_log)
    FloatArray timeBias;            ///< [Hv]: dt_bias
    FloatArray norm;                ///< [Dv]
    FloatArray logitScale;          ///< [Hv]
    FloatArray historyBias;         ///< [Hv]
    FloatArray historyCoefficient;  ///< [Hv]
};

struct AttentionWeights {
    kernels::PackedMatrix q;  ///< [Hq·2·Dh, D]
    kernels::PackedMatrix k;  ///< [Hkv·Dh, D]
    kernels::PackedMatrix v;  ///< [Hkv·Dh, D]
    kernels::PackedMatrix out;
    FloatArray qNorm;  ///< [Dh], 1 added where the checkpoint's are zero-centred
    FloatArray kNorm;
};

struct MixtureWeights {
    kernels::PackedMatrix router;        ///< [E, D]
    kernels::PackedMatrix gateUp;        ///< E items [2·I, D], paired
    kernels::PackedMatrix down;          ///< E items [D, I]
    kernels::PackedMatrix sharedGateUp;  ///< [2·S, D], paired
    kernels::PackedMatrix sharedDown;    ///< [D, S]
    FloatArray sharedGate;               ///< [D]
};

struct LayerWeights {
    LayerKind kind = LayerKind::GatedDeltaNet;
    FloatArray inputNorm;        ///< [D], 1 added where the checkpoint's are zero-centred
    FloatArray postMixerNorm;    ///< [D], likewise
    GatedDeltaNetWeights gdn;    ///< filled for GatedDeltaNet layers
    AttentionWeights attention;  ///< filled for FullAttention layers
    MixtureWeights mixture;
};

struct ModelWeights {
    kernels::AlignedArray<std::byte> embedding;  ///< [V, D] as stored; empty with tied embeddings, which `head` then serves
    kernels::WeightFormat embeddingFormat = kernels::WeightFormat::BF16;
    std::vector<LayerWeights> layers;
    FloatArray finalNorm;        ///< [D], 1 added where the checkpoint's are zero-centred
    kernels::PackedMatrix head;  ///< [V, D]

    /// The embedding of one token, widened, into out [D].
    void embed(TokenId id, std::int64_t hiddenSize, float* out) const;
    /// Memory in use.
    [[nodiscard]] std::uint64_t bytes() const;
    /// Of that the routed experts.
    [[nodiscard]] std::uint64_t expertBytes() const;
};

/// Reads everything, piece by piece, each piece by all threads; what comes out does not depend on their number. `progress` may be
/// empty (it is called from this thread), `cancel` null. OutOfMemory when an allocation fails.
Result<ModelWeights> loadModelWeights(const ModelConfig& config, const WeightSource& source, int threads,
                                      const LoadProgress& progress, const CancelFlag* cancel);

/// makeCpuExecutor for weights from elsewhere than a checkpoint; with it, tests make models of any size in memory.
Result<std::unique_ptr<Executor>> makeCpuExecutor(const ModelConfig& config, const WeightSource& source,
                                                  const CpuOptions& options, const LoadProgress& progress,
                                                  const CancelFlag* cancel);

/// What weights take in memory.
struct WeightBytes {
    std::uint64_t all = 0;
    std::uint64_t experts = 0;  ///< of these the routed experts
};

/// What ModelWeights::bytes() and expertBytes() will be.
Result<WeightBytes> plannedWeightBytes(const ModelConfig& config, const WeightSource& source);

}  // namespace trefoil
