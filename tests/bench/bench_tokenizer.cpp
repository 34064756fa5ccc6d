// Times of a tokenizer.json of the size of Qwen3's: loading, and encoding on one core. Prints, never fails for being slow.
#include "engine/tokenizer/byte_pair_tokenizer.h"
#include "tests/support/safetensors_writer.h"
#include "tests/support/tokenizer_maker.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace {

using trefoil::TokenId;

// The shortest of several runs: what else the machine does only adds.
template <class Work>
double shortestSeconds(int runs, const Work& work) {
    double best = 1e9;
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

// English and C++ of this project, each file once.
std::string sources() {
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"docs", "engine", "kernels", "app", "ui", "tests"})
        for (const auto& entry :
             std::filesystem::recursive_directory_iterator(std::filesystem::path(TREFOIL_SOURCE_DIR) / folder))
            if (const auto type = entry.path().extension(); type == ".md" || type == ".cpp" || type == ".h" || type == ".cu")
                files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::string text;
    for (const auto& file : files) text += trefoil::test::readFile(file);
    return text;
}

// Pieces of the vocabulary in random order: every script, and hardly anything twice.
std::string pieces(const trefoil::Tokenizer& tokenizer) {
    std::vector<TokenId> ids;
    for (TokenId id = 0; id < tokenizer.vocabSize(); ++id) ids.push_back(id);
    std::shuffle(ids.begin(), ids.end(), std::mt19937(1));
    std::string text;
    for (const TokenId id : ids) text += tokenizer.decode(std::span(&id, 1));
    return text;
}

void measure(const trefoil::Tokenizer& tokenizer, const char* name, const std::string& text) {
    std::size_t ids = 0;
    const double seconds = shortestSeconds(5, [&] { ids = tokenizer.encode(text).size(); });
    std::printf("encode %s: %.1f MB/s (%.2f MB, %zu ids, %.1f ms)\n", name, static_cast<double>(text.size()) / seconds / 1e6,
                static_cast<double>(text.size()) / 1e6, ids, seconds * 1e3);
}

}  // namespace

int main() {
    const std::string json = trefoil::test::qwenTokenizerJson();
    std::vector<std::string> notes;
    const double load = shortestSeconds(5, [&] {
        if (!trefoil::makeBytePair(json, "tokenizer.json", notes).ok()) std::printf("cannot be loaded\n");
    });
    std::printf("load: %.0f ms (%.1f MB)\n", load * 1e3, static_cast<double>(json.size()) / 1e6);
    const auto tokenizer = trefoil::makeBytePair(json, "tokenizer.json", notes);
    if (!tokenizer.ok()) return 1;
    measure(**tokenizer, "English and C++", sources());
    measure(**tokenizer, "pieces of every script, at random", pieces(**tokenizer));
    std::string chinese;
    while (chinese.size() < 1U << 20)
        chinese += "今天天气很好，我们一起去公园散步，然后在湖边的咖啡馆里喝茶、聊天，谈论最近读过的书和看过的电影。";
    measure(**tokenizer, "a Chinese sentence, repeated", chinese);
    return 0;
}
