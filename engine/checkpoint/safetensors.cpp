#include "engine/checkpoint/safetensors.h"

#include "engine/checkpoint/json_reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

namespace trefoil {

namespace {

using nlohmann::json;

struct StoredType {
    std::string_view name;
    int bits;
};
constexpr std::array<StoredType, 21> kTypes{
    {{"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6},     {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},   {"F8_E5M2", 8},
     {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"I16", 16},    {"U16", 16}, {"F16", 16}, {"BF16", 16},
     {"I32", 32},    {"U32", 32},    {"F32", 32},        {"C64", 64},    {"F64", 64}, {"I64", 64}, {"U64", 64}}};

constexpr std::size_t kHighestRank = 16;
constexpr std::uint64_t kInt64Max = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

Error formatError(const std::string& source, const std::string& text) {
    return makeError(ErrorKind::Format, source + ": " + text, "the file is damaged: fetch it again");
}

// A whole number that fits into a signed 64-bit integer and is not negative.
std::optional<std::uint64_t> wholeNumber(const json& value) {
    if (!value.is_number_unsigned()) return std::nullopt;
    const auto n = value.get<std::uint64_t>();
    if (n > kInt64Max) return std::nullopt;
    return n;
}

// Elements and bytes of a shape; nullopt when a product does not fit.
struct Extent {
    std::uint64_t elements;
    std::uint64_t bytes;
};
std::optional<Extent> extentOf(const std::vector<std::int64_t>& shape, int bits) {
    std::uint64_t elements = 1;
    for (const std::int64_t dim : shape)
        if (__builtin_mul_overflow(elements, static_cast<std::uint64_t>(dim), &elements)) return std::nullopt;
    std::uint64_t allBits = 0;
    if (elements > kInt64Max || __builtin_mul_overflow(elements, static_cast<std::uint64_t>(bits), &allBits)) return std::nullopt;
    return Extent{elements, allBits / 8 + (allBits % 8 != 0 ? 1 : 0)};
}

Result<SafetensorsEntry> parseEntry(const std::string& name, const json& value, const std::string& source) {
    const std::string label = "tensor " + printable(name);
    if (!value.is_object()) return formatError(source, label + " is described by " + value.type_name() + ", not by an object");
    const auto dtype = value.find("dtype");
    const auto shape = value.find("shape");
    const auto offsets = value.find("data_offsets");
    if (dtype == value.end() || !dtype->is_string()) return formatError(source, label + " has no dtype");
    if (shape == value.end() || !shape->is_array()) return formatError(source, label + " has no shape");
    if (offsets == value.end() || !offsets->is_array() || offsets->size() != 2)
        return formatError(source, label + " has no pair of data_offsets");

    SafetensorsEntry entry;
    entry.name = name;
    entry.dtype = dtype->get<std::string>();
    const int bits = safetensorsTypeBits(entry.dtype);
    if (bits == 0)
        return makeError(ErrorKind::Unsupported, source + ": " + label + " has the unknown type " + printable(entry.dtype),
                         "weights must be BF16, F16 or F32");
    if (shape->size() > kHighestRank)
        return formatError(source, label + " has " + std::to_string(shape->size()) + " dimensions; at most " +
                                       std::to_string(kHighestRank) + " are expected");
    for (const json& dim : *shape) {
        const auto n = wholeNumber(dim);
        if (!n) return formatError(source, label + " has a dimension that is no whole number below 2^63");
        entry.shape.push_back(static_cast<std::int64_t>(*n));
    }
    const auto begin = wholeNumber((*offsets)[0]);
    const auto end = wholeNumber((*offsets)[1]);
    if (!begin || !end || *begin > *end)
        return formatError(source, label + " has data_offsets that are no ascending pair of whole numbers");
    entry.begin = *begin;
    entry.end = *end;
    const std::string found = std::to_string(*end - *begin) + " bytes";
    const auto extent = extentOf(entry.shape, bits);
    if (!extent)
        return formatError(source, label + " is " + describeTensor(entry.dtype, entry.shape) +
                                       ", more than can be addressed (2^63 bytes or more expected), and its offsets give " +
                                       found);
    if (extent->bytes != *end - *begin)
        return formatError(source, label + " is " + describeTensor(entry.dtype, entry.shape) + ": " +
                                       std::to_string(extent->bytes) + " bytes expected, its offsets give " + found);
    entry.elements = static_cast<std::int64_t>(extent->elements);
    return entry;
}

Status parseMetadata(const json& value, SafetensorsHeader& header, const std::string& source) {
    if (!value.is_object()) return formatError(source, std::string("__metadata__ is ") + value.type_name() + ", not an object");
    for (const auto& item : value.items()) {
        if (!item.value().is_string())
            return formatError(source, "__metadata__ has a value that is no string: " + printable(item.key()));
        header.metadata.emplace(item.key(), item.value().get<std::string>());
    }
    return {};
}

// Tensors must follow each other without gap, from the header's end to the file's.
Status checkLayout(const SafetensorsHeader& header, std::size_t headerBytes, std::uint64_t dataBytes, const std::string& source) {
    std::uint64_t at = 0;
    const SafetensorsEntry* previous = nullptr;
    for (const SafetensorsEntry& entry : header.entries) {
        if (entry.begin != at) {
            const std::string where =
                previous ? "after tensor " + printable(previous->name) : std::string("before the first tensor");
            if (entry.begin < at)
                return formatError(source, "tensor " + printable(entry.name) + " starts at byte " + std::to_string(entry.begin) +
                                               " and overlaps tensor " + printable(previous->name) + ", which ends at " +
                                               std::to_string(at));
            return formatError(source, std::to_string(entry.begin - at) + " bytes belong to no tensor, " + where + " (next is " +
                                           printable(entry.name) + ")");
        }
        at = entry.end;
        previous = &entry;
    }
    if (at != dataBytes) {
        const std::uint64_t before = 8 + static_cast<std::uint64_t>(headerBytes);
        return formatError(source, "its header needs " + std::to_string(before + at) + " bytes, the file has " +
                                       std::to_string(before + dataBytes));
    }
    return {};
}

}  // namespace

int safetensorsTypeBits(std::string_view dtype) {
    const auto* const it = std::find_if(kTypes.begin(), kTypes.end(), [&](const StoredType& t) { return t.name == dtype; });
    return it == kTypes.end() ? 0 : it->bits;
}

std::string describeShape(std::span<const std::int64_t> shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) out += (i != 0 ? ", " : "") + std::to_string(shape[i]);
    return out + "]";
}

std::string describeTensor(std::string_view dtype, std::span<const std::int64_t> shape) {
    return printable(dtype) + " " + describeShape(shape);
}

Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view text, std::uint64_t dataBytes, const std::string& source) {
    if (dataBytes > kInt64Max) return formatError(source, "more bytes than a file can have");
    auto parsed = parseJsonObject(text, source);
    if (!parsed.ok()) return parsed.error();
    SafetensorsHeader header;
    header.entries.reserve(parsed->size());
    for (const auto& item : parsed->items()) {
        if (item.key() == "__metadata__") {
            if (auto ok = parseMetadata(item.value(), header, source); !ok.ok()) return ok.error();
            continue;
        }
        auto entry = parseEntry(item.key(), item.value(), source);
        if (!entry.ok()) return entry.error();
        header.entries.push_back(*std::move(entry));
    }
    std::sort(header.entries.begin(), header.entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
        return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
    });
    if (auto ok = checkLayout(header, text.size(), dataBytes, source); !ok.ok()) return ok.error();
    return header;
}

SafetensorsFile::SafetensorsFile(InputFile file, SafetensorsHeader header, std::uint64_t dataStart)
    : m_file(std::move(file)), m_header(std::move(header)), m_dataStart(dataStart) {
    for (std::size_t i = 0; i < m_header.entries.size(); ++i) m_byName.emplace(m_header.entries[i].name, i);
}

Result<SafetensorsFile> SafetensorsFile::open(const std::filesystem::path& path) {
    auto file = InputFile::open(path);
    if (!file.ok()) return file.error();
    const std::string source = printablePath(path);
    if (file->size() < 8)
        return formatError(source, "a safetensors file has at least 8 bytes, this one has " + std::to_string(file->size()));
    std::array<std::byte, 8> prefix{};
    if (auto read = file->readAt(0, prefix); !read.ok()) return read.error();
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < prefix.size(); ++i) length |= static_cast<std::uint64_t>(prefix[i]) << (8 * i);
    if (length > kLargestSafetensorsHeader)
        return formatError(source, "its header claims " + std::to_string(length) + " bytes; at most " +
                                       std::to_string(kLargestSafetensorsHeader) + " are allowed");
    if (length > file->size() - 8)
        return formatError(
            source, "its header needs " + std::to_string(8 + length) + " bytes, the file has " + std::to_string(file->size()));
    std::string text(static_cast<std::size_t>(length), '\0');
    if (auto read = file->readAt(8, std::as_writable_bytes(std::span(text))); !read.ok()) return read.error();
    auto header = parseSafetensorsHeader(text, file->size() - 8 - length, source);
    if (!header.ok()) return header.error();
    return SafetensorsFile(*std::move(file), *std::move(header), 8 + length);
}

const SafetensorsEntry* SafetensorsFile::find(std::string_view name) const {
    const auto it = m_byName.find(name);
    return it == m_byName.end() ? nullptr : &m_header.entries[it->second];
}

Status SafetensorsFile::read(const SafetensorsEntry& entry, std::span<std::byte> destination) const {
    if (destination.size() != entry.end - entry.begin)
        return makeError(ErrorKind::InvalidArgument, "reading " + printable(entry.name) + ": a buffer of " +
                                                         std::to_string(entry.end - entry.begin) + " bytes is needed, found " +
                                                         std::to_string(destination.size()));
    return m_file.readAt(fileOffset(entry), destination);
}

Result<std::map<std::string, std::string>> parseSafetensorsIndex(std::string_view json, const std::string& source) {
    auto root = parseJsonObject(json, source);
    if (!root.ok()) return root.error();
    const auto map = root->find("weight_map");
    if (map == root->end() || !map->is_object() || map->empty())
        return makeError(ErrorKind::Format, source + ": a weight_map with file names of tensors is expected, found none");
    std::map<std::string, std::string> shards;
    for (const auto& item : map->items()) {
        if (!item.value().is_string())
            return makeError(ErrorKind::Format, source + ": weight_map gives no file name for " + printable(item.key()));
        std::string name = item.value().get<std::string>();
        const bool plain = !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
                           name.find('\\') == std::string::npos && name.find('\0') == std::string::npos;
        if (!plain)
            return makeError(ErrorKind::Format, source + ": weight_map names the file \"" + printable(name) + "\" for " +
                                                    printable(item.key()) + "; a plain name of a file in the folder is expected");
        shards.emplace(item.key(), std::move(name));
    }
    return shards;
}

}  // namespace trefoil
