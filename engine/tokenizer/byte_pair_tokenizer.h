// BytePairTokenizer: the tokenizer of a `tokenizer.json` of the Qwen family: NFC, split by the file's regular expression, then
// byte-level BPE (model-contract.md, section 8). The same ids as Hugging Face's library gives, except that plain text never
// yields a control piece, nor an added piece named <…>, however it is spelled.
#pragma once

#include "engine/base/result.h"
#include "engine/tokenizer/tokenizer.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

class BytePairTokenizer : public Tokenizer {
public:
    /// Ids of text in which pieces of added_tokens, control pieces included, are found as Hugging Face's library finds them: for
    /// comparing with it, never for what a person wrote. Otherwise as checkedEncode().
    [[nodiscard]] virtual Result<std::vector<TokenId>> encodeWithControls(std::string_view text) const = 0;
};

/// Opens a tokenizer.json. Io, NotFound, Format or Unsupported with the file's name. What probably makes a model's answers wrong
/// although the file can be used is appended to `warnings`, a line each.
Result<std::unique_ptr<BytePairTokenizer>> openBytePair(const std::filesystem::path& file, std::vector<std::string>& warnings);

/// The same from the file's text; `source` names it in messages.
Result<std::unique_ptr<BytePairTokenizer>> makeBytePair(std::string_view json, const std::string& source,
                                                        std::vector<std::string>& warnings);

}  // namespace trefoil
