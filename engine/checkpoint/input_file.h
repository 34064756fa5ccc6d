// InputFile: a regular file of a model folder, opened for reading only. Every read is a pread: no mapping, so a file that shrinks
// or is replaced while it is open gives an error and never a signal.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace trefoil {

class InputFile {
public:
    /// Opens a regular file (or a link to one). Refuses directories, and devices, sockets and FIFOs without waiting for them.
    /// NotFound when it is not there, Io when it cannot be read.
    static Result<InputFile> open(const std::filesystem::path& path);

    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile();

    /// Bytes in the file when it was opened.
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

    /// Fills `destination` from byte `offset` on. Io when the file has fewer bytes by now. Safe from several threads.
    Status readAt(std::uint64_t offset, std::span<std::byte> destination) const;

private:
    InputFile(int descriptor, std::uint64_t size, std::filesystem::path path);
    int m_descriptor = -1;
    std::uint64_t m_size = 0;
    std::filesystem::path m_path;
};

/// The whole file as text. Refused when it is larger than `limit` bytes.
Result<std::string> readWholeFile(const std::filesystem::path& path, std::uint64_t limit);

/// `text` fit for a one-line message: control characters and invalid UTF-8 escaped as \xNN, cut after some 200 bytes.
[[nodiscard]] std::string printable(std::string_view text);
[[nodiscard]] std::string printablePath(const std::filesystem::path& path);

}  // namespace trefoil
