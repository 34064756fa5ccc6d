// BlockDecoder: how a block-diffusion model writes a response (model-contract.md, section 6): the three modes, limits, stop
// reasons.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/decode/generation_config.h"
#include "engine/decode/trace.h"
#include "engine/runtime/executor.h"

#include <cstdint>
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
};

/// Called from the decoding thread. Implementations must be quick: the engine waits for them.
class DecodeObserver {
public:
    virtual ~DecodeObserver() = default;
    virtual void onPrefill(std::int64_t /*done*/, std::int64_t /*total*/) {}
    virtual void onPass(const PassRecord& /*pass*/) {}
    /// Tokens that joined the response (end token left out), after a block, an accepted head or one autoregressive step.
    virtual void onTokens(std::span<const TokenId> /*tokens*/) {}
};

struct DecodeResult {
    std::vector<TokenId> response;  ///< without the end token; whole blocks only when cancelled
    StopReason stopReason = StopReason::End;
    std::optional<Error> error;  ///< for Refused and Failed
    std::int64_t promptTokens = 0;
    std::int64_t passes = 0;  ///< denoise + draft + verify
    std::int64_t blocks = 0;
    double prefillMilliseconds = 0.0;
    double decodeMilliseconds = 0.0;  ///< wall time after the prefill
    double passMilliseconds = 0.0;    ///< of it inside passes
};

/// What a request needs of the context: prompt and response, rounded up to whole blocks (section 6).
[[nodiscard]] std::int64_t positionsNeeded(std::int64_t promptTokens, const GenerationConfig& config);

/// nullopt when the request may run; otherwise the refusal, with the numbers.
[[nodiscard]] std::optional<Error> checkRequest(std::span<const TokenId> prompt, const GenerationConfig& config,
                                                const ModelConfig& model);

/// Runs one request. Cancel is read once a pass and once a prefill chunk.
[[nodiscard]] DecodeResult decode(Executor& executor, const DecodeRequest& request, DecodeObserver& observer,
                                  const CancelFlag& cancel);

}  // namespace trefoil
