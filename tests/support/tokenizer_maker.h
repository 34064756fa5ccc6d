// tokenizer.json files for tests: the one of Qwen3, and small ones of one's own.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace trefoil::test {

/// The text of the Qwen3 models' tokenizer.json (11 MB), unpacked from tests/golden/qwen3-tokenizer. Throws std::runtime_error.
std::string qwenTokenizerJson();

/// Split pattern of the Qwen3.5 models.
extern const char* const kQwen35Pattern;

/// The byte-level alphabet: which character stands for each of the 256 bytes.
std::vector<std::string> byteLevelAlphabet();

/// A byte-level BPE tokenizer: the 256 bytes with ids 0 to 255 (in the byte-level alphabet), one piece for each merge, in order,
/// from 256 on, Qwen3's pre-tokenizer, NFC, and ChatML's control pieces after them.
nlohmann::json smallTokenizer(const std::vector<std::pair<std::string, std::string>>& merges);

}  // namespace trefoil::test
