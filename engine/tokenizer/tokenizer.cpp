#include "engine/tokenizer/tokenizer.h"

#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/sentencepiece_tokenizer.h"

#include <system_error>
#include <utility>

namespace trefoil {

namespace {

constexpr const char* kSentencePieceName = "tokenizer.model";
constexpr const char* kBytePairName = "tokenizer.json";

bool isThere(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::symlink_status(path, ignored).type() != std::filesystem::file_type::not_found;
}

}  // namespace

std::optional<TokenId> findMaskToken(const Tokenizer& tokenizer) {
    for (const char* name : {"<|mask|>", "[MASK]", "<|MASK|>"})
        if (const auto id = tokenizer.controlId(name)) return id;
    return std::nullopt;
}

Result<std::unique_ptr<Tokenizer>> openTokenizer(const std::filesystem::path& folder, std::int64_t vocabSize) {
    if (!isThere(folder / kSentencePieceName)) {
        if (isThere(folder / kBytePairName))
            return makeError(
                ErrorKind::Unsupported,
                printablePath(folder / kBytePairName) + " is a byte-level BPE tokenizer, which this version cannot read",
                "add the model's SentencePiece file tokenizer.model if there is one; prompts given as token ids work "
                "without a tokenizer");
        return makeError(ErrorKind::NotFound,
                         printablePath(folder) + " has no tokenizer: neither tokenizer.model nor tokenizer.json is there",
                         "fetch the model's tokenizer; prompts given as token ids work without one");
    }
    auto tokenizer = openSentencePiece(folder / kSentencePieceName);
    if (!tokenizer.ok()) return tokenizer.error();
    const std::int64_t pieces = (*tokenizer)->vocabSize();
    if (pieces > vocabSize)
        return makeError(ErrorKind::Format,
                         printablePath(folder / kSentencePieceName) + " has " + std::to_string(pieces) +
                             " pieces, the model's vocabulary only " + std::to_string(vocabSize) + " tokens",
                         "the tokenizer belongs to another model: fetch the one of this model");
    return tokenizer;
}

}  // namespace trefoil
