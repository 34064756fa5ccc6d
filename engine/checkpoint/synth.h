// Synthetic checkpoints: random weights of any model's dimensions, scaled so that activations stay near unit size. They measure
// and test; they answer nothing.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/model_config.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// config.json of Clover-35B-A3B's published dimensions; the mask and end tokens are the last ids of the vocabulary.
[[nodiscard]] std::string cloverConfigJson();

/// The tensors of a checkpoint of this configuration, in model order, all BF16.
[[nodiscard]] std::vector<TensorInfo> syntheticCatalogue(const ModelConfig& config);

/// Random BF16 weights for a configuration, without files: the same seed gives the same bytes, whatever is asked for first and by
/// how many threads. Immutable; safe to read from several threads.
class SyntheticWeights {
public:
    SyntheticWeights(const ModelConfig& config, std::uint64_t seed);

    /// syntheticCatalogue of the configuration.
    [[nodiscard]] const std::vector<TensorInfo>& tensors() const { return m_tensors; }
    /// Elements [first, first + count) of a tensor; `destination` must hold 2 · count bytes.
    void read(std::size_t tensor, std::int64_t first, std::int64_t count, std::span<std::byte> destination) const;

private:
    /// Which distribution a tensor follows.
    struct Recipe {
        float mean = 0.0F;
        float deviation = 1.0F;
        bool logUniform = false;
    };
    [[nodiscard]] static Recipe recipeFor(std::string_view name, std::span<const std::int64_t> shape);

    std::uint64_t m_seed;
    std::vector<TensorInfo> m_tensors;
    std::vector<Recipe> m_recipes;
    std::vector<std::size_t> m_table;                ///< by tensor: its table of values, or npos when it is made one by one
    std::vector<std::vector<std::uint16_t>> m_bits;  ///< large tensors are cut from tables of random values
};

struct SynthOptions {
    std::uint64_t seed = 0;
    int threads = 0;                                             ///< 0: all cores
    std::uint64_t shardBytes = std::uint64_t{4} << 30;           ///< a shard is closed after the tensor that reaches this
    std::function<void(std::uint64_t, std::uint64_t)> progress;  ///< bytes done, bytes in all; from the calling thread
    const CancelFlag* cancel = nullptr;
    bool headersOnly = false;  ///< the tensors are holes in the files, read as zeros: takes no room, for what reads no weights
};

/// Writes a checkpoint folder (config.json, shards, index; no tokenizer) from a config.json's text. The folder is made; one that
/// holds weights already is refused. What was written stays when it fails.
Status writeSyntheticCheckpoint(const std::filesystem::path& folder, const std::string& configJson, const SynthOptions& options);

}  // namespace trefoil
