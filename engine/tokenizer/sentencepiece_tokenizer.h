// SentencePieceTokenizer: the tokenizer of a `tokenizer.model`. Encoding is libsentencepiece's; decoding is done here, since it
// has to go on across blocks.
//
// The model does not see every character as typed: a literal U+2581 (▁) is SentencePiece's sign for a space and reaches the model
// as one, and a normaliser in the model's file (the demo model has none) may change more. Texts that are shown or stored are
// never passed through the tokenizer, so they stay as typed.
#pragma once

#include "engine/base/result.h"
#include "engine/tokenizer/tokenizer.h"

#include <filesystem>
#include <memory>

namespace trefoil {

/// Opens a SentencePiece model file. Io, NotFound or Format with the file's name.
Result<std::unique_ptr<Tokenizer>> openSentencePiece(const std::filesystem::path& file);

/// The same from bytes; `source` names them in messages.
Result<std::unique_ptr<Tokenizer>> makeSentencePiece(std::string_view bytes, const std::string& source);

}  // namespace trefoil
