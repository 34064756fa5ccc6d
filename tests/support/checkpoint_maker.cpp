#include "tests/support/checkpoint_maker.h"

#include <stdlib.h>  // mkdtemp

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace trefoil::test {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kSmallFile = 1U << 20;

std::size_t elementSize(std::string_view dtype) { return dtype == "F32" ? 4 : 2; }

// Rounds to nearest even; for finite values and such as fit.
std::uint16_t toHalf(float value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
    const float magnitude = std::fabs(value);
    if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
    if (magnitude < 0x1p-14F)
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::nearbyint(magnitude * 0x1p24F)));
    int exponent = 0;
    const float fraction = std::frexp(magnitude, &exponent);                          // in [0.5, 1)
    const auto mantissa = static_cast<unsigned>(std::nearbyint(fraction * 2048.0F));  // 1024 … 2048, carries into the exponent
    return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 13) << 10) + mantissa));
}

}  // namespace

ScratchFolder::ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "trefoil-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a scratch folder " + name);
    m_path = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

CheckpointMaker::CheckpointMaker(const fs::path& folder) {
    config = nlohmann::json::parse(readFile(folder / "config.json"));
    tensors = readSafetensors(folder / "model.safetensors");
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name != "config.json" && entry.is_regular_file() && !name.ends_with(".safetensors") &&
            entry.file_size() <= kSmallFile)
            m_others[name] = readFile(entry.path());
    }
}

TensorData& CheckpointMaker::tensor(std::string_view name) {
    const auto it = std::find_if(tensors.begin(), tensors.end(), [&](const TensorData& t) { return t.name == name; });
    if (it == tensors.end()) throw std::runtime_error("no tensor " + std::string(name));
    return *it;
}

void CheckpointMaker::remove(std::string_view name) {
    const TensorData& found = tensor(name);
    tensors.erase(tensors.begin() + (&found - tensors.data()));
}

void CheckpointMaker::renamePrefix(std::string_view from, std::string_view to) {
    for (TensorData& t : tensors)
        if (t.name.starts_with(from)) t.name = std::string(to) + t.name.substr(from.size());
}

void CheckpointMaker::splitExperts(std::int64_t layer) {
    const std::string only = layer < 0 ? "" : "layers." + std::to_string(layer) + ".";
    std::vector<TensorData> out;
    for (TensorData& t : tensors) {
        const bool gateUp = t.name.ends_with(".experts.gate_up_proj");
        const bool down = t.name.ends_with(".experts.down_proj");
        if ((!gateUp && !down) || t.name.find(only) == std::string::npos) {
            out.push_back(std::move(t));
            continue;
        }
        const std::string base = t.name.substr(0, t.name.rfind('.') + 1);
        const std::vector<std::string> parts =
            gateUp ? std::vector<std::string>{"gate_proj", "up_proj"} : std::vector<std::string>{"down_proj"};
        const std::size_t pieces = static_cast<std::size_t>(t.shape[0]) * parts.size();
        const std::size_t bytes = t.bytes.size() / pieces;
        for (std::size_t i = 0; i < pieces; ++i)
            out.push_back({base + std::to_string(i / parts.size()) + "." + parts[i % parts.size()] + ".weight",
                           t.dtype,
                           {t.shape[1] / static_cast<std::int64_t>(parts.size()), t.shape[2]},
                           t.bytes.substr(i * bytes, bytes)});
    }
    tensors = std::move(out);
}

void CheckpointMaker::transpose(std::string_view name) {
    TensorData& t = tensor(name);
    const std::size_t size = elementSize(t.dtype);
    const auto columns = static_cast<std::size_t>(t.shape.back());
    const auto rows = static_cast<std::size_t>(t.shape[t.shape.size() - 2]);
    const std::string before = t.bytes;
    for (std::size_t at = 0; at < before.size(); at += rows * columns * size)
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < columns; ++c)
                std::memcpy(t.bytes.data() + at + (c * rows + r) * size, before.data() + at + (r * columns + c) * size, size);
    std::swap(t.shape[t.shape.size() - 1], t.shape[t.shape.size() - 2]);
}

void CheckpointMaker::convert(std::string_view name, std::string_view dtype) {
    TensorData& t = tensor(name);
    if (t.dtype != "BF16") throw std::runtime_error(t.name + " is " + t.dtype + ", not BF16");
    std::string out;
    for (std::size_t i = 0; i < t.bytes.size(); i += 2) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, t.bytes.data() + i, 2);
        const auto wide = static_cast<std::uint32_t>(bits) << 16;
        const std::uint16_t half = toHalf(std::bit_cast<float>(wide));
        if (dtype == "F32")
            out.append(reinterpret_cast<const char*>(&wide), 4);
        else
            out.append(reinterpret_cast<const char*>(&half), 2);
    }
    t.bytes = std::move(out);
    t.dtype = dtype;
}

void CheckpointMaker::writeOthers(const fs::path& folder) const {
    writeFile(folder / "config.json", config.dump(1));
    for (const auto& other : m_others) writeFile(folder / other.first, other.second);
}

void CheckpointMaker::writeSingle(const fs::path& folder) const {
    writeOthers(folder);
    writeFile(folder / "model.safetensors", safetensorsBytes(tensors, {{"format", "pt"}}));
}

std::vector<std::string> CheckpointMaker::writeShards(const fs::path& folder, std::size_t count) const {
    writeOthers(folder);
    std::vector<std::vector<TensorData>> shards(count);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
        const auto padded = [](std::size_t n) { return std::string(5 - std::to_string(n).size(), '0') + std::to_string(n); };
        names.push_back("model-" + padded(i + 1) + "-of-" + padded(count) + ".safetensors");
    }
    nlohmann::json index = {{"metadata", nlohmann::json::object()}, {"weight_map", nlohmann::json::object()}};
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        shards[shardOf(i, count)].push_back(tensors[i]);
        index["weight_map"][tensors[i].name] = names[shardOf(i, count)];
    }
    for (std::size_t i = 0; i < count; ++i) writeFile(folder / names[i], safetensorsBytes(shards[i], {{"format", "pt"}}));
    writeFile(folder / "model.safetensors.index.json", index.dump(1));
    return names;
}

}  // namespace trefoil::test
