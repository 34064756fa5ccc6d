// PassParams: everything about one pass that changes from call to call. It lives in device memory and is filled by one small copy
// at the start of a pass, so that a captured CUDA graph of the pass can be replayed for any prefix length, block and controls.
#pragma once

#include <cstdint>

namespace trefoil::cuda {

inline constexpr int kMaxOutputRows = 128;  ///< rows whose choices one pass returns: a block, or a draft
inline constexpr int kMaxPassRows = 256;    ///< rows of a pass with controls: a clean block and a noisy one
inline constexpr int kSmallRows = 64;       ///< up to here the memory-bound kernels run (skinny_gemm.cu)
inline constexpr int kTop = 5;

/// Bits of the table that says what is special about a token id.
enum TokenFlag : std::uint8_t { kFlagEos = 1, kFlagMask = 2, kFlagInPass = 4 };

/// How the penalties count the rows of the pass itself, on top of the response so far.
enum class CountRows : std::int32_t { None, All, UpToOwn };

struct PassParams {
    std::int64_t prefix = 0;  ///< tokens in the cache before this pass
    std::int32_t rows = 0;    ///< rows of the pass
    std::int32_t clean = 0;   ///< the first `clean` rows are causal; the rest is a noisy block

    // Rows with outputs: pass rows [outputFirst, outputFirst + outputs).
    std::int32_t outputFirst = 0;
    std::int32_t outputs = 0;

    std::int32_t countFirst = 0;  ///< first output row whose token counts
    CountRows countRows = CountRows::None;
    std::int32_t thinkEndId = -1;
    std::int32_t topK = 0;
    std::int32_t forcedExperts = 0;  ///< benchmark only: this many distinct experts a layer; 0: the router decides
    float skew = -1.0F;              ///< benchmark only: experts are drawn in proportion to rank^-skew
    std::int32_t draw = 0;           ///< then: numbers the passes
    float repetition = 1.0F;
    float presence = 0.0F;
    float frequency = 0.0F;
    float temperature = 1.0F;
    float topP = 1.0F;
    float coresetTopP = 1.0F;
    std::uint64_t seed = 0;
    std::int64_t step = 0;
    std::int64_t position[kMaxOutputRows] = {};  ///< response position n of each output row
    float lengthBias[kMaxOutputRows] = {};       ///< added to every end token
    float thinkBias[kMaxOutputRows] = {};        ///< added to `</think>`
    std::int32_t ids[kMaxPassRows] = {};
};

/// What a pass says about one output row.
struct RowResult {
    std::int32_t token = -1;
    float confidence = 0.0F;
    std::int32_t topIds[kTop] = {};
    float topProbabilities[kTop] = {};
};

/// What the router of one layer did.
struct LayerResult {
    std::int32_t distinct = 0;
    std::int32_t coreset = 0;
    float share = 0.0F;
    std::int32_t missed = 0;  ///< experts whose weights were read from main memory
    std::int32_t stall = 0;   ///< microseconds in which the layer waited for them
};

/// What one block of the LM head leaves of one row: a summary of the token ids that it computed.
struct HeadRecord {
    float max = 0.0F;
    float sum = 0.0F;  ///< of exp(l - max)
    float topLogits[kTop] = {};
    std::int32_t topIds[kTop] = {};
    float bestLogit = 0.0F;  ///< of the sampled candidate
    float bestNoise = 0.0F;
    std::int32_t bestId = -1;
    std::int32_t padding = 0;
};

}  // namespace trefoil::cuda
