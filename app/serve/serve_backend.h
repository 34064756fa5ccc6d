// ServeBackend: what the local API asks of an engine. The command line answers with EngineBackend; a window answers with the
// engine that it runs already.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/decode/block_decoder.h"
#include "engine/decode/generation_config.h"
#include "engine/tokenizer/chat_format.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil::serve {

/// The one model that a backend serves, as /v1/models shows it.
struct ServedModel {
    std::string name;           ///< the folder's name; what a request's `model` must say
    std::int64_t created = 0;   ///< seconds since 1970, when it was loaded
    std::uint64_t load = 0;     ///< tells loads apart where a backend exchanges its model
    std::int64_t context = 0;   ///< positions for prompt and answer
    TokenId maskId = -1;        ///< unresolved rows of a pass hold it
    bool thinks = false;        ///< the tokenizer has `</think>`
    std::string device;         ///< for people
    GenerationConfig defaults;  ///< what absent fields of a request mean
};

/// A request that was read and found well formed (parseChatRequest).
struct ServeRequest {
    /// The conversation, system first, a user's message last; with `continues`, that of the assistant's answer so far.
    std::vector<ChatMessage> messages;
    bool continues = false;          ///< the last message is the beginning of the answer; only what follows it is given back
    std::string begunThinking = {};  ///< with `continues`: the answer's thinking; without an answer yet it is gone on with
    GenerationConfig config;         ///< maxNewTokens counts new tokens only
    bool lengthIsDefault = false;    ///< nobody asked for maxNewTokens: where the context has room for less, less is written
    std::uint64_t load = 0;          ///< ServedModel::load of the model that it was read for: its name and defaults hold
};

/// A token with its probability (0 to 1) and its text by itself: plain, a control piece's name, "<0xE6>" for a lone byte.
struct ServedToken {
    TokenId id = -1;
    float probability = 0.0F;
    std::string text = {};
};

/// What a pass says about one row of its block.
struct ServedRow {
    ServedToken candidate;                  ///< its probability is the confidence
    std::vector<ServedToken> alternatives;  ///< the likeliest, at most five, descending
};

/// One pass over a block: PassRecord with texts. docs/serving.md, "Pass events", has it as JSON.
struct ServedPass {
    PassRecord record;               ///< kind Edit never
    double threshold = 0.0;          ///< in force during this pass
    std::vector<std::string> texts;  ///< of record.tokens; empty where a row is masked
    std::vector<ServedRow> rows;     ///< of record.rows
};

/// What a generation cost.
struct ServeUsage {
    std::int64_t promptTokens = 0;      ///< with what the answer began with
    std::int64_t reusedTokens = 0;      ///< of them, taken from a snapshot instead of prefilled
    std::int64_t completionTokens = 0;  ///< new ones, thinking included
    std::int64_t thinkingTokens = 0;    ///< of them
    std::int64_t passes = 0;
    std::int64_t blocks = 0;
    double prefillMilliseconds = 0.0;
    double decodeMilliseconds = 0.0;
};

struct ServeOutcome {
    StopReason reason = StopReason::End;  ///< End, Length or Cancelled; the others are errors
    ServeUsage usage;
};

/// Called while a generation runs, from its thread, in order. They must be quick: the engine waits. Any may be empty.
struct ServeCallbacks {
    /// New text of the answer, whole characters only. The texts joined are the answer, trimmed as the contract's section 8 says.
    std::function<void(std::string_view)> onText;
    /// The same for the thinking, all of it before the first onText.
    std::function<void(std::string_view)> onThinking;
    /// Tokens that joined the response, before the text that they give.
    std::function<void(std::span<const TokenId>)> onTokens;
    /// After each pass. Empty unless the request asked for passes: texts of candidates cost time.
    std::function<void(const ServedPass&)> onPass;
};

class ServeBackend {
public:
    virtual ~ServeBackend() = default;

    /// From any thread. Empty while no model is loaded (requests then get 503).
    [[nodiscard]] virtual std::optional<ServedModel> model() const = 0;

    /// From any thread, also while another request runs: whether this one can run. The prompt's length in tokens (with what the
    /// answer begins with), or InvalidArgument (roles, UTF-8), DoesNotFit (the numbers in the message) or NotFound (no model is
    /// loaded any more, or another one).
    [[nodiscard]] virtual Result<std::int64_t> check(const ServeRequest& request) const = 0;

    /// Runs one request on the calling thread; the server calls it for one request at a time, in the order of their coming.
    /// `cancel` is looked at once a pass and ends it with Cancelled. Errors as of check(), DeviceLost, OutOfMemory, Internal.
    [[nodiscard]] virtual Result<ServeOutcome> generate(const ServeRequest& request, const ServeCallbacks& callbacks,
                                                        const CancelFlag& cancel) = 0;
};

}  // namespace trefoil::serve
