#include "tests/support/safetensors_writer.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace trefoil::test {

std::string safetensorsBytes(std::string_view header, std::string_view data) {
    std::string out;
    for (std::uint64_t length = header.size(), i = 0; i < 8; ++i, length >>= 8) out += static_cast<char>(length & 0xFFU);
    out += header;
    out += data;
    return out;
}

std::string safetensorsBytes(std::span<const TensorData> tensors, const std::map<std::string, std::string>& metadata) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty()) header["__metadata__"] = metadata;
    std::string data;
    for (const TensorData& tensor : tensors) {
        const std::size_t begin = data.size();
        data += tensor.bytes;
        header[tensor.name] = {{"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    text.append((8 - text.size() % 8) % 8, ' ');
    return safetensorsBytes(text, data);
}

std::string readFile(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + path.string());
    return {std::istreambuf_iterator<char>(in), {}};
}

void writeFile(const std::filesystem::path& path, std::string_view bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) throw std::runtime_error("cannot write " + path.string());
}

std::vector<TensorData> readSafetensors(const std::filesystem::path& path) {
    const std::string file = readFile(path);
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) length = (length << 8) | static_cast<unsigned char>(file.at(i));
    const std::string_view data = std::string_view(file).substr(8 + length);
    std::vector<std::pair<std::uint64_t, TensorData>> tensors;
    const auto header = nlohmann::json::parse(file.substr(8, length));
    for (const auto& item : header.items()) {
        if (item.key() == "__metadata__") continue;
        const auto begin = item.value().at("data_offsets").at(0).get<std::uint64_t>();
        const auto end = item.value().at("data_offsets").at(1).get<std::uint64_t>();
        tensors.emplace_back(begin, TensorData{item.key(), item.value().at("dtype"), item.value().at("shape"),
                                               std::string(data.substr(begin, end - begin))});
    }
    std::stable_sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<TensorData> out;
    for (auto& tensor : tensors) out.push_back(std::move(tensor.second));
    return out;
}

}  // namespace trefoil::test
