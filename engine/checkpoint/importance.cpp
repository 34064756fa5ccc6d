#include "engine/checkpoint/importance.h"

#include "engine/checkpoint/input_file.h"
#include "engine/checkpoint/output_file.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/checkpoint/shard_writing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <new>
#include <system_error>
#include <utility>

namespace trefoil {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "trefoil-importance";
constexpr const char* kHint = "make it with trefoil-cli calibrate";

}  // namespace

Result<Importance> Importance::read(const fs::path& file) try {
    auto opened = SafetensorsFile::open(file);
    if (!opened.ok()) return opened.error();
    const auto kind = opened->metadata().find("kind");
    if (kind == opened->metadata().end() || kind->second != kKind)
        return makeError(ErrorKind::Format, printablePath(file) + " is no importance file", kHint);
    Importance out;
    out.m_source = printablePath(file);
    for (const SafetensorsEntry& entry : opened->entries()) {
        if (entry.dtype != "F32" || entry.shape.size() != 2 || entry.elements == 0)
            return makeError(ErrorKind::Format,
                             out.m_source + ": " + describeTensor(entry.dtype, entry.shape) + " under " + printable(entry.name) +
                                 ", F32 [items, columns] is expected",
                             kHint);
        std::vector<float> values(static_cast<std::size_t>(entry.elements));
        if (auto ok = opened->read(entry, std::as_writable_bytes(std::span(values))); !ok.ok()) return ok.error();
        if (!std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v) && v >= 0.0F; }))
            return makeError(ErrorKind::Format,
                             out.m_source + ": " + printable(entry.name) + " holds a value that is no mean of squares", kHint);
        out.set(entry.name, entry.shape[1], std::move(values));
    }
    return out;
} catch (const std::bad_alloc&) {
    return makeError(ErrorKind::OutOfMemory, "not enough memory to read " + printablePath(file), "close other programs");
}

Status Importance::write(const fs::path& file) const {
    nlohmann::ordered_json header;
    header["__metadata__"] = {{"kind", kKind}};
    std::uint64_t offset = 0;
    for (const auto& [name, matrix] : m_matrices) {
        const std::uint64_t bytes = matrix.values.size() * sizeof(float);
        header[name] = {{"dtype", "F32"},
                        {"shape", {static_cast<std::int64_t>(matrix.values.size()) / matrix.columns, matrix.columns}},
                        {"data_offsets", {offset, offset + bytes}}};
        offset += bytes;
    }
    std::error_code error;
    if (fs::exists(file, error))
        return makeError(ErrorKind::InvalidArgument, printablePath(file) + " is there already",
                         "nothing is overwritten: name another file");
    const fs::path part = file.native() + ".part";
    fs::remove(part, error);
    {
        const OutputFile out(part);
        const std::string text = safetensorsHeader(header.dump());
        bool written = out.isOpen() && out.write(text.data(), text.size(), 0);
        std::uint64_t at = text.size();
        for (const auto& [name, matrix] : m_matrices) {
            const std::size_t bytes = matrix.values.size() * sizeof(float);
            written = written && out.write(matrix.values.data(), bytes, at);
            at += bytes;
        }
        if (!written || !out.flush()) return ioError(printablePath(file) + " cannot be written");
    }
    fs::rename(part, file, error);
    if (error) return makeError(ErrorKind::Io, printablePath(file) + " cannot be written: " + error.message());
    return {};
}

void Importance::set(const std::string& name, std::int64_t columns, std::vector<float> values) {
    m_matrices[name] = {columns, std::move(values)};
}

Result<std::span<const float>> Importance::of(const std::string& name, std::int64_t item, std::int64_t columns) const {
    const auto found = m_matrices.find(name);
    if (found == m_matrices.end() || found->second.columns != columns ||
        (item + 1) * columns > static_cast<std::int64_t>(found->second.values.size()))
        return makeError(ErrorKind::Format, m_source + " has no " + std::to_string(columns) + " columns of " + printable(name),
                         "it is of another model: make one with trefoil-cli calibrate");
    return std::span<const float>(found->second.values)
        .subspan(static_cast<std::size_t>(item * columns), static_cast<std::size_t>(columns));
}

std::uint64_t Importance::fingerprint() const {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    const auto add = [&hash](std::span<const std::byte> bytes) {
        for (const std::byte b : bytes) hash = (hash ^ static_cast<std::uint64_t>(b)) * 0x100000001B3ULL;
    };
    for (const auto& [name, matrix] : m_matrices) {
        add(std::as_bytes(std::span(name)));
        add(std::as_bytes(std::span(matrix.values)));
    }
    return hash;
}

}  // namespace trefoil
