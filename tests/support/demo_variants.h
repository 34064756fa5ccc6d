// The demo model with other tokenizers of the same vocabulary, so that its answers stay answers; and a model for Qwen's
// tokenizer, which answers nothing.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

namespace trefoil::test {

/// A byte-level BPE tokenizer.json that gives the ids of the demo model's tokenizer.model: the same pieces with the same ids,
/// merges in the order of their scores, text cut before spaces. Throws std::runtime_error.
nlohmann::json demoTokenizerJson();

/// The demo model with demoTokenizerJson() instead of tokenizer.model.
void writeDemoWithTokenizerJson(const std::filesystem::path& folder);

/// The demo model with a tokenizer.model that puts a space before each text (normalizer_spec.add_dummy_prefix).
void writeDemoWithDummyPrefix(const std::filesystem::path& folder);

/// The tiny golden model, its vocabulary filled up to the 151,936 ids of the Qwen3 models, with their tokenizer.json.
void writeTinyWithQwenTokenizer(const std::filesystem::path& folder);

}  // namespace trefoil::test
