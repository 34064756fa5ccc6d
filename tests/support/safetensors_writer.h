// Writes .safetensors files for tests, well formed or broken on purpose. Independent of the engine's reader.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil::test {

/// One tensor: `bytes` hold it as stored, little endian.
struct TensorData {
    std::string name;
    std::string dtype;  ///< "BF16", "F32", …
    std::vector<std::int64_t> shape;
    std::string bytes;
};

/// A whole file: length, header, data, the tensors in the given order.
std::string safetensorsBytes(std::span<const TensorData> tensors, const std::map<std::string, std::string>& metadata = {});

/// A whole file from any header text and data.
std::string safetensorsBytes(std::string_view header, std::string_view data);

/// Tensors of a well-formed file, by offset. Throws std::runtime_error on anything else: tests only read what they know.
std::vector<TensorData> readSafetensors(const std::filesystem::path& path);

void writeFile(const std::filesystem::path& path, std::string_view bytes);
std::string readFile(const std::filesystem::path& path);

}  // namespace trefoil::test
