// BytePairFile: what a tokenizer.json says, as far as a byte-level BPE tokenizer needs it (model-contract.md, section 8). Every
// kind of model, normalizer, pre-tokenizer and decoder that is not of this family is refused by its name. `post_processor`,
// `truncation` and `padding` play no part: prompts are put together by ids, and requests are checked against the context.
#pragma once

#include "engine/base/result.h"
#include "engine/base/types.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

struct BytePairFile {
    /// A stretch of `texts`.
    struct Text {
        std::uint32_t offset = 0;
        std::uint32_t length = 0;
    };
    struct Piece {
        Text text;  ///< in the byte-level alphabet
        TokenId id = 0;
    };
    struct Merge {
        Text left;
        Text right;
    };
    /// A piece that the library finds in the text before anything else.
    struct AddedToken {
        std::string content;
        TokenId id = 0;
        bool special = false;
        bool normalized = false;  ///< found in the normalised text, not in the text as typed
        bool lstrip = false;      ///< takes the white space before it with it
        bool rstrip = false;      ///< the same after it
        bool singleWord = false;  ///< only where no letter or digit touches it
    };

    std::string texts;          ///< of pieces and merges
    std::vector<Piece> pieces;  ///< in the file's order, texts and ids distinct
    std::vector<Merge> merges;  ///< the first has the highest rank
    std::vector<AddedToken> addedTokens;
    bool ignoreMerges = false;        ///< a stretch that is a piece as a whole is not merged
    bool nfc = false;                 ///< text is normalised first
    std::vector<std::string> splits;  ///< regular expressions, each cutting what the one before it left (Ruby's syntax)

    [[nodiscard]] std::string_view text(Text range) const { return std::string_view(texts).substr(range.offset, range.length); }
};

/// Reads a tokenizer.json. Format for what is damaged, naming the entry; Unsupported, by name, for what is not of this family.
Result<BytePairFile> parseBytePairFile(std::string_view json, const std::string& source);

}  // namespace trefoil
