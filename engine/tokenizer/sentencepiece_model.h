// SentencePieceModel: what a tokenizer.model (a protocol buffer, ModelProto of SentencePiece) says about its pieces. The library
// that encodes does not tell a piece that a person defined from an ordinary one, nor the flags that decoding needs.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

enum class PieceType : std::uint8_t { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct SentencePieceModel {
    struct Piece {
        std::string text;
        PieceType type = PieceType::Normal;
        std::uint8_t byte = 0;  ///< of a byte piece
    };
    std::vector<Piece> pieces;
    std::string algorithm = "unigram";  ///< "unigram", "BPE", "word" or "char"
    bool addDummyPrefix = true;         ///< encoding puts a space before the text, decoding takes it away
    bool removeExtraWhitespaces = true;
    bool hasDenormalizer = false;
    std::string unknownSurface = " \xE2\x81\x87 ";  ///< text of the unknown piece

    /// The model for the library, changed in one way: pieces that look like control pieces have the type Control, which text
    /// never produces.
    std::string serialized;
};

/// True for names that the chat format or the family gives to control pieces: `<|…|>`, `<think>`, `</think>`, `[MASK]`.
[[nodiscard]] bool looksLikeControl(std::string_view name);

/// Reads a serialized ModelProto. Refuses what is none, empty and over-large vocabularies, and byte pieces with odd names.
Result<SentencePieceModel> parseSentencePieceModel(std::string_view bytes, const std::string& source);

}  // namespace trefoil
