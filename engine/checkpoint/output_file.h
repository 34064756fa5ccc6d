// OutputFile: a new file that is written at any offset by several threads. Private to the engine.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace trefoil {

class OutputFile {
public:
    /// Makes the file, which must not exist; isOpen() says whether that worked, errno why not.
    explicit OutputFile(const std::filesystem::path& path);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }
    /// Makes the file this long; what was not written reads as zeros.
    [[nodiscard]] bool resize(std::uint64_t bytes) const;
    /// All of them, or false with errno set. Safe from several threads.
    [[nodiscard]] bool write(const void* data, std::size_t bytes, std::uint64_t offset) const;
    /// Waits until the disk has everything.
    [[nodiscard]] bool flush() const;

private:
    int m_descriptor;
};

/// "what: reason from errno", kind Io.
[[nodiscard]] Error ioError(const std::string& what);

}  // namespace trefoil
