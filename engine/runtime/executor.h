// Executor: one loaded model on one device. The only seam between decoding and devices (model-contract.md, sections 2 to 5, 7).
//
// State of an executor: the prefix (its length, K and V per attention layer, S and conv tail per GDN layer) and the counts that
// the penalties need. Logits never leave the device: controls, argmax, confidence and top alternatives are applied there.
// Not thread-safe: one thread calls at a time. Every call that fails leaves the prefix as it was, or says DeviceLost.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/checkpoint/model_config.h"
#include "engine/decode/generation_config.h"
#include "engine/decode/trace.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trefoil {

/// Where the rows of a pass stand in the response, and the controls that apply to their logits.
struct PassControls {
    const GenerationConfig* config = nullptr;  ///< not owned; outlives the call
    std::int64_t firstPosition = 0;            ///< response position n that row 0's choice is for (prompt rows make it negative)
    std::int64_t step = 0;                     ///< pass number within the block, for the sampler's noise
    std::int32_t promptRows = 0;               ///< denoise: rows at the start that hold prompt tokens; they never count
    bool thinkingOpen = false;                 ///< a think phase is open before this pass's rows
    std::optional<TokenId> thinkEndId;
};

struct PassOutput {
    std::vector<RowCandidate> rows;  ///< one per row that was asked for
    PassStats stats;
};

/// Bytes that a model takes on a device. Exact before loading, and what is in use afterwards.
struct MemoryPlan {
    std::uint64_t weights = 0;  ///< all of them, experts included
    std::uint64_t experts = 0;  ///< of the weights those of the routed experts: all stay in memory, however few a pass reads
    std::uint64_t host = 0;  ///< routed experts in pinned main memory, beside the device: all of them, where it holds only some
    std::uint64_t keyValue = 0;  ///< K and V for the whole context
    std::uint64_t states = 0;    ///< GDN states and conv tails
    std::uint64_t workspace = 0;
    std::uint64_t available = 0;  ///< free on the device (or in the machine) when the plan was made; 0: unknown
    /// Weights that every pass reads, and the embedding.
    [[nodiscard]] std::uint64_t dense() const { return weights - experts; }
    [[nodiscard]] std::uint64_t total() const { return weights + keyValue + states + workspace; }
    /// Item by item, what is free as well: for parts on devices of their own.
    MemoryPlan& operator+=(const MemoryPlan& other) {
        weights += other.weights;
        experts += other.experts;
        host += other.host;
        keyValue += other.keyValue;
        states += other.states;
        workspace += other.workspace;
        available += other.available;
        return *this;
    }
};

/// A part of a model: contiguous layers on one GPU.
struct PartPlan {
    int device = 0;  ///< CUDA's number
    std::int64_t firstLayer = 0;
    std::int64_t layers = 0;
    MemoryPlan memory;  ///< available: the part's share of what its GPU has free
};

/// A saved prefix. Opaque; owned by the caller; valid for the executor that made it.
class PrefixSnapshot {
public:
    virtual ~PrefixSnapshot() = default;
    [[nodiscard]] virtual std::uint64_t bytes() const = 0;
    [[nodiscard]] virtual std::int64_t length() const = 0;
};

/// Intermediates of one pass in float32, for `verify`. Filled only while set with setCapture.
struct PassCapture {
    std::vector<float> logits;                       ///< [T, V], before any control
    std::vector<std::vector<float>> layers;          ///< [layer][T, D], the residual stream after each layer
    std::vector<std::vector<std::int32_t>> experts;  ///< [layer][T, k], each row's experts, by descending weight
    std::vector<std::vector<std::int32_t>> coreset;  ///< [layer][n], kept experts ascending; empty when off
};

class Executor {
public:
    virtual ~Executor() = default;

    [[nodiscard]] virtual const ModelConfig& config() const = 0;
    /// "CPU, 8 threads, AVX-512", "NVIDIA H200 (cuda:0)" or "NVIDIA H200 (cuda:0 and cuda:1)".
    [[nodiscard]] virtual std::string deviceName() const = 0;
    [[nodiscard]] virtual MemoryPlan memory() const = 0;
    /// True when activations are kept in 16 bits: comparisons with float32 golden files are then looser (section 10).
    [[nodiscard]] virtual bool reducedPrecision() const { return false; }

    /// Decides section 9's switches another way without loading again, and empties the prefix. Unsupported where that needs a
    /// new load, and then nothing has changed. For `verify --search`.
    virtual Status setCompatibility(const Compatibility& compatibility) {
        (void)compatibility;
        return makeError(ErrorKind::Unsupported, "this device takes other switches only while it loads");
    }

    /// Empty prefix, zero counts.
    virtual Status reset() = 0;
    [[nodiscard]] virtual std::int64_t prefixLength() const = 0;
    /// Adds response tokens to the counts of the penalties (the caller leaves out end tokens and the prompt).
    virtual Status countTokens(std::span<const TokenId> tokens) = 0;
    virtual Status resetCounts() = 0;

    /// Causal pass over the next ids of the prompt; all of them join the prefix. With `controls`, the last row's choice for the
    /// next position is returned (rows.size() == 1); without, no logits are computed. At most maxChunk() ids a call; a request to
    /// stop is looked at between calls, so a device that takes larger chunks must stay as quick about one.
    static constexpr std::int64_t kDefaultChunk = 256;
    [[nodiscard]] virtual std::int64_t maxChunk() const { return kDefaultChunk; }
    virtual Result<PassOutput> prefill(std::span<const TokenId> ids, const PassControls* controls) = 0;

    /// Noisy pass over one block; reads the prefix, never changes it. One row each. The counts used are those of countTokens
    /// plus the block's own rows from promptRows on that are neither mask nor end token; `</think>` among them closes the think
    /// phase. An absent coreset limit: config->coresetEnabled false or coresetTopP >= 1.
    virtual Result<PassOutput> denoise(std::span<const TokenId> block, const PassControls& controls) = 0;

    /// Causal pass over clean ids, all of which join the prefix. With `controls`, the last row's choice is returned.
    /// Counts are those of countTokens as they stand (call countTokens with `ids` before).
    virtual Result<PassOutput> commit(std::span<const TokenId> ids, const PassControls* controls) = 0;

    /// Causal pass over a draft, nothing kept yet: row t gives the choice for the position after it (firstPosition + t, so pass
    /// the position of ids[1]), with counts of countTokens plus ids[0..t] (end tokens left out) and the think phase closed by a
    /// `</think>` among them. keep() must follow before any other pass.
    virtual Result<PassOutput> verify(std::span<const TokenId> ids, const PassControls& controls) = 0;
    /// Commits the first `rows` rows of the last verify(), 0 to its length: the prefix is then that of a causal pass over exactly
    /// them.
    virtual Status keep(std::int64_t rows) = 0;

    /// True where commitAndDenoise() is faster than its two halves.
    [[nodiscard]] virtual bool fusesCommit() const { return false; }
    /// Commits `clean` and denoises `block` after it, reading the weights once where the device can. Same results as commit
    /// (without controls) followed by denoise. `tokensToCount` are added to the counts in between.
    virtual Result<PassOutput> commitAndDenoise(std::span<const TokenId> clean, std::span<const TokenId> tokensToCount,
                                                std::span<const TokenId> block, const PassControls& controls) {
        if (auto s = countTokens(tokensToCount); !s.ok()) return s.error();
        if (auto c = commit(clean, nullptr); !c.ok()) return c.error();
        return denoise(block, controls);
    }

    virtual Result<std::unique_ptr<PrefixSnapshot>> snapshot() = 0;
    virtual Status restore(const PrefixSnapshot& snapshot) = 0;

    /// Debugging: while set (not owned; nullptr ends it), each pass replaces the capture's contents.
    virtual void setCapture(PassCapture* capture) = 0;
};

}  // namespace trefoil
