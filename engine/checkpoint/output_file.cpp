#include "engine/checkpoint/output_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace trefoil {

OutputFile::OutputFile(const std::filesystem::path& path)
    : m_descriptor(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644)) {}

OutputFile::OutputFile(OutputFile&& other) noexcept : m_descriptor(std::exchange(other.m_descriptor, -1)) {}

OutputFile::~OutputFile() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

bool OutputFile::resize(std::uint64_t bytes) const { return ::ftruncate(m_descriptor, static_cast<off_t>(bytes)) == 0; }

bool OutputFile::write(const void* data, std::size_t bytes, std::uint64_t offset) const {
    const auto* at = static_cast<const char*>(data);
    while (bytes > 0) {
        const ssize_t n = ::pwrite(m_descriptor, at, bytes, static_cast<off_t>(offset));
        if (n <= 0) {
            if (n < 0 && errno == EINTR) continue;
            return false;
        }
        at += n;
        offset += static_cast<std::uint64_t>(n);
        bytes -= static_cast<std::size_t>(n);
    }
    return true;
}

bool OutputFile::flush() const { return ::fsync(m_descriptor) == 0; }

Error ioError(const std::string& what) {
    return makeError(ErrorKind::Io, what + ": " + std::strerror(errno), "check the folder and the free space");
}

}  // namespace trefoil
