// CheckpointMaker: model folders for tests. Takes a good checkpoint apart, changes it (or breaks it), and writes it out as a
// single file or in shards. ScratchFolder: a folder that is removed with its test.
#pragma once

#include "tests/support/safetensors_writer.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace trefoil::test {

class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::filesystem::path operator/(std::string_view name) const { return m_path / name; }

private:
    std::filesystem::path m_path;
};

class CheckpointMaker {
public:
    /// Reads config.json, model.safetensors and every other small file of a good checkpoint.
    explicit CheckpointMaker(const std::filesystem::path& folder);

    nlohmann::json config;
    std::vector<TensorData> tensors;

    /// Throws std::runtime_error when there is no such tensor.
    TensorData& tensor(std::string_view name);
    void remove(std::string_view name);
    /// Replaces the beginning `from` of every name that has it.
    void renamePrefix(std::string_view from, std::string_view to);
    /// Replaces a layer's fused expert tensors by one tensor per expert and projection; -1: all layers.
    void splitExperts(std::int64_t layer = -1);
    /// Stores a tensor of the last two dimensions transposed (its shape says so).
    void transpose(std::string_view name);
    /// Turns a BF16 tensor into F32, or into F16 (values that F16 has no room for become infinite).
    void convert(std::string_view name, std::string_view dtype);

    /// config.json, the other files, and model.safetensors.
    void writeSingle(const std::filesystem::path& folder) const;
    /// The same with an index and `count` shards of about equally many tensors. Returns the shards' names.
    std::vector<std::string> writeShards(const std::filesystem::path& folder, std::size_t count) const;
    /// Which shard writeShards puts tensor `i` into.
    [[nodiscard]] std::size_t shardOf(std::size_t i, std::size_t count) const { return i * count / tensors.size(); }

private:
    void writeOthers(const std::filesystem::path& folder) const;
    std::map<std::string, std::string> m_others;
};

}  // namespace trefoil::test
