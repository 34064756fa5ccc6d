#include "engine/tokenizer/tokenizer.h"

#include "engine/checkpoint/input_file.h"
#include "engine/tokenizer/byte_pair_tokenizer.h"
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

Result<std::unique_ptr<Tokenizer>> open(const std::filesystem::path& file, bool sentencePiece,
                                        std::vector<std::string>& warnings) {
    if (sentencePiece) return openSentencePiece(file);
    auto tokenizer = openBytePair(file, warnings);
    if (!tokenizer.ok()) return tokenizer.error();
    return std::unique_ptr<Tokenizer>(*std::move(tokenizer));
}

}  // namespace

std::optional<TokenId> findMaskToken(const Tokenizer& tokenizer) {
    for (const char* name : {"<|mask|>", "[MASK]", "<|MASK|>"})
        if (const auto id = tokenizer.controlId(name)) return id;
    return std::nullopt;
}

Result<std::unique_ptr<Tokenizer>> openTokenizer(const std::filesystem::path& folder, std::int64_t vocabSize,
                                                 std::vector<std::string>* notes, std::vector<std::string>* warnings) {
    std::vector<std::string> ignored;
    if (notes == nullptr) notes = &ignored;
    if (warnings == nullptr) warnings = &ignored;
    const bool sentencePiece = isThere(folder / kSentencePieceName);
    const bool bytePair = isThere(folder / kBytePairName);
    if (!sentencePiece && !bytePair)
        return makeError(ErrorKind::NotFound,
                         printablePath(folder) + " has no tokenizer: neither tokenizer.model nor tokenizer.json is there",
                         "fetch the model's tokenizer; prompts given as token ids work without one");
    const std::filesystem::path file = folder / (sentencePiece ? kSentencePieceName : kBytePairName);
    auto tokenizer = open(file, sentencePiece, *warnings);
    if (!tokenizer.ok()) return tokenizer.error();
    if (sentencePiece && bytePair)
        notes->push_back("the folder has tokenizer.model and tokenizer.json; the first is used, the second is not read");
    const std::int64_t pieces = (*tokenizer)->vocabSize();
    if (pieces > vocabSize)
        return makeError(ErrorKind::Format,
                         printablePath(file) + " has " + std::to_string(pieces) + " pieces, the model's vocabulary only " +
                             std::to_string(vocabSize) + " tokens",
                         "the tokenizer belongs to another model: fetch the one of this model");
    return tokenizer;
}

}  // namespace trefoil
