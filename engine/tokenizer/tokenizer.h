// Tokenizer: text to token ids and back. One per model; immutable and safe to use from several threads.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// Decodes a growing sequence of ids. Never cuts a UTF-8 sequence and never loses or adds the space that begins a piece.
/// The concatenation of all push() results and flush() equals Tokenizer::decode of all ids.
class StreamDecoder {
public:
    virtual ~StreamDecoder() = default;
    /// Text that became complete with `ids`. Control pieces give no text.
    virtual std::string push(std::span<const TokenId> ids) = 0;
    /// What is left (bytes that never became valid UTF-8 appear as U+FFFD). The decoder is empty afterwards.
    virtual std::string flush() = 0;
};

class Tokenizer {
public:
    virtual ~Tokenizer() = default;

    /// Number of ids, control pieces included.
    [[nodiscard]] virtual std::int64_t vocabSize() const = 0;
    /// "SentencePiece (BPE, 4096 pieces)" and the like, for people.
    [[nodiscard]] virtual std::string description() const = 0;
    /// Ids of plain UTF-8 text. Never yields a control piece, whatever the text spells. Invalid UTF-8 is the caller's error and
    /// gives an empty vector only for empty text; use isValidUtf8() before.
    [[nodiscard]] virtual std::vector<TokenId> encode(std::string_view text) const = 0;
    /// The same, or why this text cannot be encoded as the model was trained (a split pattern from a file that needs too many
    /// steps); encode() then falls back to worse ids.
    [[nodiscard]] virtual Result<std::vector<TokenId>> checkedEncode(std::string_view text) const { return encode(text); }
    /// Text of ids; control pieces are left out.
    [[nodiscard]] virtual std::string decode(std::span<const TokenId> ids) const = 0;
    /// How one id is shown by itself: its text, the name of a control piece, or "<0xE6>" for a lone byte (a byte below 0x80 is a
    /// character of its own, e.g. "\n").
    [[nodiscard]] virtual std::string displayText(TokenId id) const = 0;
    /// True for control pieces (`<|im_end|>`, `<think>`, …).
    [[nodiscard]] virtual bool isControl(TokenId id) const = 0;
    /// Id of a control piece by its name.
    [[nodiscard]] virtual std::optional<TokenId> controlId(std::string_view name) const = 0;
    [[nodiscard]] virtual std::unique_ptr<StreamDecoder> streamDecoder() const = 0;
};

/// Opens the tokenizer of a model folder: `tokenizer.model` (SentencePiece), otherwise `tokenizer.json` (byte-level BPE). Where
/// both are there the first is the original: the second is then a copy converted from it, of a kind that cannot be read here.
/// NotFound when the folder has none. `vocabSize` is the model's: a tokenizer with more pieces is refused. What a person should
/// know although the tokenizer can be used is appended to `notes`, and what probably makes the model's answers wrong to
/// `warnings`, a line each.
Result<std::unique_ptr<Tokenizer>> openTokenizer(const std::filesystem::path& folder, std::int64_t vocabSize,
                                                 std::vector<std::string>* notes = nullptr,
                                                 std::vector<std::string>* warnings = nullptr);

/// The mask token by the names that section 1 gives for a missing `mask_token_id`: `<|mask|>`, `[MASK]`, `<|MASK|>`.
[[nodiscard]] std::optional<TokenId> findMaskToken(const Tokenizer& tokenizer);

/// True if `text` is well-formed UTF-8.
[[nodiscard]] bool isValidUtf8(std::string_view text);

}  // namespace trefoil
