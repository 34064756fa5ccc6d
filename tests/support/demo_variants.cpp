#include "tests/support/demo_variants.h"

#include "tests/support/checkpoint_maker.h"
#include "tests/support/model_folders.h"
#include "tests/support/tokenizer_maker.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace trefoil::test {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// A piece's text in the byte-level alphabet, its space signs as spaces.
std::string byteLevel(const std::string& piece, const std::vector<std::string>& alphabet) {
    static constexpr std::string_view kSpaceSign = "\xE2\x96\x81";
    std::string out;
    for (std::size_t at = 0; at < piece.size(); ++at) {
        const bool space = std::string_view(piece).substr(at).starts_with(kSpaceSign);
        out += alphabet[static_cast<unsigned char>(space ? ' ' : piece[at])];
        if (space) at += kSpaceSign.size() - 1;
    }
    return out;
}

/// Every way to make a piece of two others; first those of the pieces with the best score, that is, learned first.
json mergesOf(const std::unordered_map<std::string, int>& ids, const sentencepiece::SentencePieceProcessor& library) {
    std::vector<std::tuple<float, int, int, std::string, std::string>> found;
    for (const auto& [text, id] : ids)
        for (std::size_t cut = 1; cut < text.size(); ++cut) {
            const auto left = ids.find(text.substr(0, cut));
            const auto right = ids.find(text.substr(cut));
            if (left != ids.end() && right != ids.end())
                found.emplace_back(-library.GetScore(id), left->second, right->second, left->first, right->first);
        }
    std::sort(found.begin(), found.end());
    json out = json::array();
    for (const auto& merge : found) out.push_back({std::get<3>(merge), std::get<4>(merge)});
    return out;
}

}  // namespace

json demoTokenizerJson() {
    sentencepiece::SentencePieceProcessor library;
    if (!library.Load((kDemo / "tokenizer.model").string()).ok()) throw std::runtime_error("tokenizer.model");
    const std::vector<std::string> alphabet = byteLevelAlphabet();
    json file = smallTokenizer({});
    file["added_tokens"] = json::array();
    std::unordered_map<std::string, int> ids;
    std::vector<int> bytes;
    for (int id = 0; id < library.GetPieceSize(); ++id) {
        const std::string& piece = library.IdToPiece(id);
        if (library.IsByte(id)) {
            bytes.push_back(id);
        } else if (library.IsControl(id) || library.IsUnknown(id)) {
            file["added_tokens"].push_back({{"id", id},
                                            {"content", piece},
                                            {"single_word", false},
                                            {"lstrip", false},
                                            {"rstrip", false},
                                            {"normalized", false},
                                            {"special", !piece.ends_with("think>")}});
        } else {
            ids.emplace(byteLevel(piece, alphabet), id);
        }
    }
    json vocab = json::object();
    // A byte that is a piece of its own as well keeps that piece's id; its byte piece is there, but text never gives it.
    for (std::size_t byte = 0; byte < bytes.size(); ++byte)
        if (!ids.emplace(alphabet[byte], bytes[byte]).second) vocab[library.IdToPiece(bytes[byte])] = bytes[byte];
    for (const auto& [text, id] : ids) vocab[text] = id;
    file["model"]["vocab"] = vocab;
    file["model"]["merges"] = mergesOf(ids, library);
    file["normalizer"] = nullptr;
    file["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = " ?[^ ]+| ";
    return file;
}

void writeDemoWithTokenizerJson(const fs::path& folder) {
    fs::create_directories(folder);
    CheckpointMaker(kDemo).writeSingle(folder);
    fs::remove(folder / "tokenizer.model");
    writeFile(folder / "tokenizer.json", demoTokenizerJson().dump());
}

void writeDemoWithDummyPrefix(const fs::path& folder) {
    fs::create_directories(folder);
    CheckpointMaker(kDemo).writeSingle(folder);
    // A later field of a protocol buffer message adds to an earlier one: normalizer_spec { add_dummy_prefix: true }.
    writeFile(folder / "tokenizer.model", readFile(kDemo / "tokenizer.model") + std::string("\x1a\x02\x18\x01", 4));
}

void writeTinyWithQwenTokenizer(const fs::path& folder) {
    constexpr std::int64_t kVocab = 151936;
    CheckpointMaker maker(kTiny);
    maker.config["vocab_size"] = kVocab;
    maker.config["mask_token_id"] = kVocab - 1;
    maker.config["eos_token_id"] = 151645;  // <|im_end|>
    for (const char* name : {"model.embed_tokens.weight", "lm_head.weight"}) {
        TensorData& rows = maker.tensor(name);
        const std::string few = rows.bytes;
        const std::size_t bytes = few.size() / static_cast<std::size_t>(rows.shape[0]) * static_cast<std::size_t>(kVocab);
        while (rows.bytes.size() < bytes) rows.bytes += few;
        rows.bytes.resize(bytes);
        rows.shape[0] = kVocab;
    }
    fs::create_directories(folder);
    maker.writeSingle(folder);
    writeFile(folder / "tokenizer.json", qwenTokenizerJson());
}

}  // namespace trefoil::test
