// BlockDecoder: how a block-diffusion model writes a response (model-contract.md, section 6): the three modes, limits, stop
// reasons.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/decode/generation_config.h"
#include "engine/decode/steering.h"
#include "engine/decode/trace.h"
#include "engine/runtime/executor.h"
#include "engine/runtime/prefix_cache.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace trefoil {

enum class StopReason : std::uint8_t { End, Length, Cancelled, Refused, Failed };
[[nodiscard]] std::string_view stopReasonName(StopReason reason);  ///< "end", "length", "cancelled", "refused", "failed"

struct DecodeRequest {
    std::span<const TokenId> prompt;
    GenerationConfig config;
    bool thinkingOpen = false;          ///< the prompt leaves a think phase open
    std::optional<TokenId> thinkEndId;  ///< absent: the thinking controls are inert

    /// Response tokens that are there already (an answer to be continued, or the blocks that are kept). They count in
    /// config.maxNewTokens, in the penalties, and by id for whether thinking is open.
    std::span<const TokenId> begun = {};
    std::int64_t begunBlocks = 0;  ///< the number of the first new block in the trace

    /// Snapshots of earlier prompts; not owned, nullptr: none are used or made. They belong to the executor.
    PrefixCache* cache = nullptr;
    /// Lengths of the prompt, ascending, at which a snapshot is kept: where a later prompt may part from this one.
    std::span<const std::int64_t> snapshotsAt = {};

    /// Changes, pauses and edits while the response is written; not owned, nullptr: there are none.
    Steering* steering = nullptr;
    /// Milliseconds since any moment, for decoding auto; empty: a steady clock. Time spent paused is taken off.
    std::function<double()> clock = {};
};

/// Where a paused response stands: after the pass `step` of `block`.
struct PauseState {
    std::int64_t block = 0;
    std::int64_t step = -1;  ///< -1: before the block's first pass
    bool editable = false;   ///< rows of the block can be changed (low-confidence blocks only)
    bool complete = false;   ///< the block's last pass is over, and nothing in it is masked
    bool operator==(const PauseState&) const = default;
};

/// Called from the decoding thread. Implementations must be quick: the engine waits for them.
class DecodeObserver {
public:
    virtual ~DecodeObserver() = default;
    virtual void onPrefill(std::int64_t /*done*/, std::int64_t /*total*/) {}
    virtual void onPass(const PassRecord& /*pass*/) {}
    /// Tokens that joined the response (end token left out), after a block, an accepted head or one autoregressive step.
    virtual void onTokens(std::span<const TokenId> /*tokens*/) {}
    /// The run waits for a person (Steering). Comes again after each step and each edit.
    virtual void onPaused(const PauseState& /*state*/) {}
    /// It goes on after a pause; not called for a step, after which it pauses again, nor when it is stopped.
    virtual void onResumed() {}
};

struct DecodeResult {
    std::vector<TokenId> response;  ///< begun tokens first; without the end token; whole blocks only when cancelled
    StopReason stopReason = StopReason::End;
    std::optional<Error> error;  ///< for Refused and Failed
    std::int64_t promptTokens = 0;
    std::int64_t reusedTokens = 0;  ///< of the prompt (and what was begun), taken from a snapshot instead of prefilled
    std::int64_t passes = 0;        ///< denoise + draft + verify
    std::int64_t blocks = 0;        ///< new ones
    double prefillMilliseconds = 0.0;
    double decodeMilliseconds = 0.0;  ///< wall time after the prefill, pauses left out
    double passMilliseconds = 0.0;    ///< of it inside passes
    double pausedMilliseconds = 0.0;
};

/// What a request needs of the context: prompt and response, rounded up to whole blocks (section 6). `begunTokens` of the
/// response are there already: blocks begin after them.
[[nodiscard]] std::int64_t positionsNeeded(std::int64_t promptTokens, const GenerationConfig& config,
                                           std::int64_t begunTokens = 0);

/// nullopt when the request may run; otherwise the refusal, with the numbers.
[[nodiscard]] std::optional<Error> checkRequest(std::span<const TokenId> prompt, const GenerationConfig& config,
                                                const ModelConfig& model, std::span<const TokenId> begun = {});

/// Runs one request. Cancel is read once a pass and once a prefill chunk.
[[nodiscard]] DecodeResult decode(Executor& executor, const DecodeRequest& request, DecodeObserver& observer,
                                  const CancelFlag& cancel);

}  // namespace trefoil
