#include "tests/support/tokenizer_maker.h"

#include "tests/support/safetensors_writer.h"

#include <zstd.h>

#include <stdexcept>

namespace trefoil::test {

using nlohmann::json;

const char* const kQwen35Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

namespace {

constexpr const char* kQwen3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

}  // namespace

// Written out again instead of using the engine's, which it tests.
std::vector<std::string> byteLevelAlphabet() {
    std::vector<std::string> out;
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE && byte <= 0xFF);
        const int c = printable ? byte : next++;
        std::string text;
        if (c < 0x80) {
            text += static_cast<char>(c);
        } else {
            text += static_cast<char>(0xC0 | (c >> 6));
            text += static_cast<char>(0x80 | (c & 0x3F));
        }
        out.push_back(text);
    }
    return out;
}

std::string qwenTokenizerJson() {
    const std::string packed = readFile(std::string(TREFOIL_SOURCE_DIR) + "/tests/golden/qwen3-tokenizer/tokenizer.json.zst");
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) throw std::runtime_error("tokenizer.json.zst");
    std::string text(size, '\0');
    if (ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size()) != size)
        throw std::runtime_error("tokenizer.json.zst");
    return text;
}

json smallTokenizer(const std::vector<std::pair<std::string, std::string>>& merges) {
    json vocab = json::object();
    int id = 0;
    for (const std::string& text : byteLevelAlphabet()) vocab[text] = id++;
    json list = json::array();
    for (const auto& [left, right] : merges) {
        vocab[left + right] = id++;
        list.push_back({left, right});
    }
    json added = json::array();
    const auto add = [&](const char* content, bool special) {
        added.push_back({{"id", id++},
                         {"content", content},
                         {"single_word", false},
                         {"lstrip", false},
                         {"rstrip", false},
                         {"normalized", false},
                         {"special", special}});
    };
    for (const char* name : {"<|endoftext|>", "<|im_start|>", "<|im_end|>"}) add(name, true);
    for (const char* name : {"<tool_call>", "<think>", "</think>"}) add(name, false);
    const json byteLevel = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", false}, {"use_regex", false}};
    return {{"version", "1.0"},
            {"truncation", nullptr},
            {"padding", nullptr},
            {"added_tokens", added},
            {"normalizer", {{"type", "NFC"}}},
            {"pre_tokenizer",
             {{"type", "Sequence"},
              {"pretokenizers",
               {{{"type", "Split"}, {"pattern", {{"Regex", kQwen3Pattern}}}, {"behavior", "Isolated"}, {"invert", false}},
                byteLevel}}}},
            {"post_processor", byteLevel},
            {"decoder", byteLevel},
            {"model",
             {{"type", "BPE"},
              {"dropout", nullptr},
              {"unk_token", nullptr},
              {"continuing_subword_prefix", ""},
              {"end_of_word_suffix", ""},
              {"fuse_unk", false},
              {"byte_fallback", false},
              {"ignore_merges", false},
              {"vocab", vocab},
              {"merges", list}}}};
}

}  // namespace trefoil::test
