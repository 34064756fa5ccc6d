// Runs one fuzz target over a folder of inputs and over changed copies of them, the same every time. Stands in for libFuzzer
// where that is not built, and keeps every input that once failed as a test.
#include TREFOIL_FUZZ_HEADER

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

Bytes changed(const std::vector<Bytes>& seeds, const Bytes& seed, std::mt19937& random) {
    static constexpr std::string_view kPieces[] = {
        "\"",   "{",       "}",   "[", "]", ",", ":", "null", "-1", "0", "1e999", "18446744073709551616", "9223372036854775807",
        "true", "\\u0000", "\xFF"};
    Bytes out = seed;
    const std::size_t changes = 1 + random() % 4;
    for (std::size_t i = 0; i < changes; ++i) {
        const std::size_t at = out.empty() ? 0 : random() % out.size();
        const auto here = out.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t length = std::min<std::size_t>(random() % 32, out.size() - at);
        const auto there = here + static_cast<std::ptrdiff_t>(length);
        switch (random() % 7) {
            case 0:
                if (!out.empty()) *here ^= static_cast<std::uint8_t>(1U << (random() % 8));
                break;
            case 1:
                out.erase(here, there);
                break;
            case 2: {
                const Bytes copy(here, there);
                out.insert(here, copy.begin(), copy.end());
                break;
            }
            case 3:
                out.resize(at);
                break;
            case 4: {
                const std::string_view piece = kPieces[random() % std::size(kPieces)];
                out.insert(here, piece.begin(), piece.end());
                break;
            }
            case 5:
                if (!out.empty()) *here = static_cast<std::uint8_t>(random());
                break;
            default: {
                const Bytes& other = seeds[random() % seeds.size()];
                const std::size_t from = other.empty() ? 0 : random() % other.size();
                out.resize(at);
                out.insert(out.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
            }
        }
    }
    return out;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s CORPUS CHANGED_COPIES_PER_INPUT\n", argv[0]);
        return 2;
    }
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(argv[1]))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Bytes> seeds;
    for (const fs::path& file : files) {
        std::ifstream in(file, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    if (seeds.empty()) {
        std::fprintf(stderr, "no inputs in %s\n", argv[1]);
        return 1;
    }
    const long copies = std::strtol(argv[2], nullptr, 10);
    std::mt19937 random(1);
    long runs = 0;
    for (const Bytes& seed : seeds) {
        trefoil::fuzz::TREFOIL_FUZZ_TARGET(seed);
        ++runs;
        for (long i = 0; i < copies; ++i, ++runs) trefoil::fuzz::TREFOIL_FUZZ_TARGET(changed(seeds, seed, random));
    }
    std::printf("%ld inputs\n", runs);
    return 0;
}
