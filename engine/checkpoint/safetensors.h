// SafetensorsFile: a .safetensors file: 8 bytes of header length (little endian), a JSON header, tensor data to the file's end.
#pragma once

#include "engine/base/result.h"
#include "engine/checkpoint/input_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil {

/// One tensor as the header describes it. Consistent: elements is the product of the shape, and end - begin its bytes.
struct SafetensorsEntry {
    std::string name;
    std::string dtype;  ///< as stored: "BF16", "F32", "I64", "F8_E4M3", …
    std::vector<std::int64_t> shape;
    std::int64_t elements = 0;
    std::uint64_t begin = 0;  ///< first byte, counted from the end of the header
    std::uint64_t end = 0;
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;  ///< by ascending offset
    std::map<std::string, std::string> metadata;
};

/// The largest header that is read; the format's own limit.
inline constexpr std::uint64_t kLargestSafetensorsHeader = 100'000'000;

/// Parses and checks a header. `dataBytes`: bytes in the file after the header. Refused: bad JSON, equal names, unknown types,
/// shapes whose product overflows or contradicts the offsets, offsets that overlap or leave holes, and data that ends before or
/// after the last tensor. `source` names the file in messages.
Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::uint64_t dataBytes, const std::string& source);

/// An open file with its checked header. Safe to read from several threads.
class SafetensorsFile {
public:
    static Result<SafetensorsFile> open(const std::filesystem::path& path);

    [[nodiscard]] const std::vector<SafetensorsEntry>& entries() const { return m_header.entries; }
    [[nodiscard]] const std::map<std::string, std::string>& metadata() const { return m_header.metadata; }
    /// nullptr when there is no tensor of this name.
    [[nodiscard]] const SafetensorsEntry* find(std::string_view name) const;
    /// Offset in the file of the entry's first byte.
    [[nodiscard]] std::uint64_t fileOffset(const SafetensorsEntry& entry) const { return m_dataStart + entry.begin; }
    [[nodiscard]] const InputFile& file() const { return m_file; }

    /// All bytes of a tensor; `destination` must hold exactly end - begin.
    Status read(const SafetensorsEntry& entry, std::span<std::byte> destination) const;

private:
    SafetensorsFile(InputFile file, SafetensorsHeader header, std::uint64_t dataStart);
    InputFile m_file;
    SafetensorsHeader m_header;
    std::uint64_t m_dataStart = 0;
    std::map<std::string_view, std::size_t> m_byName;  // keys view into m_header.entries
};

/// The `weight_map` of a model.safetensors.index.json: tensor name to file name. Refused: anything but plain names of files in
/// the index's own folder, and names that stand twice.
Result<std::map<std::string, std::string>> parseSafetensorsIndex(std::string_view json, const std::string& source);

/// Bits of one element of a stored type; 0 for a name the format does not have.
[[nodiscard]] int safetensorsTypeBits(std::string_view dtype);

/// "BF16 [16, 192, 256]"
[[nodiscard]] std::string describeTensor(std::string_view dtype, std::span<const std::int64_t> shape);
/// "[16, 192, 256]"
[[nodiscard]] std::string describeShape(std::span<const std::int64_t> shape);

}  // namespace trefoil
