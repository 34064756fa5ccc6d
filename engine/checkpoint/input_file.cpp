#include "engine/checkpoint/input_file.h"

#include "engine/tokenizer/utf8.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace trefoil {

namespace {

constexpr std::size_t kLargestRead = std::size_t{1} << 30;  // pread takes at most 2 GiB - 4 KiB at once
constexpr std::size_t kLongestPrinted = 200;

std::string reason(int error) { return std::generic_category().message(error); }

const char* kindOfFile(mode_t mode) {
    if (S_ISDIR(mode)) return "a directory";
    if (S_ISFIFO(mode)) return "a named pipe";
    if (S_ISSOCK(mode)) return "a socket";
    return "a device";
}

}  // namespace

InputFile::InputFile(int descriptor, std::uint64_t size, std::filesystem::path path)
    : m_descriptor(descriptor), m_size(size), m_path(std::move(path)) {}

InputFile::InputFile(InputFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size), m_path(std::move(other.m_path)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
    std::swap(m_descriptor, other.m_descriptor);
    std::swap(m_size, other.m_size);
    std::swap(m_path, other.m_path);
    return *this;
}

InputFile::~InputFile() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

Result<InputFile> InputFile::open(const std::filesystem::path& path) {
    // O_NONBLOCK: opening a named pipe for reading would otherwise wait for a writer. It changes nothing for regular files.
    int descriptor = -1;
    do {
        descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        const int error = errno;
        if (error == ENOENT || error == ENOTDIR)
            return makeError(ErrorKind::NotFound, printablePath(path) + " is not there", "check the folder's contents");
        return makeError(ErrorKind::Io, printablePath(path) + " cannot be opened: " + reason(error),
                         error == EACCES ? "check who may read it" : "");
    }
    struct stat info {};
    if (::fstat(descriptor, &info) != 0) {
        const int error = errno;
        ::close(descriptor);
        return makeError(ErrorKind::Io, printablePath(path) + " cannot be examined: " + reason(error));
    }
    if (!S_ISREG(info.st_mode)) {
        ::close(descriptor);
        return makeError(ErrorKind::Format, printablePath(path) + " is " + kindOfFile(info.st_mode) + ", not a regular file");
    }
    return InputFile(descriptor, static_cast<std::uint64_t>(info.st_size), path);
}

Status InputFile::readAt(std::uint64_t offset, std::span<std::byte> destination) const {
    while (!destination.empty()) {
        const std::size_t wanted = std::min(destination.size(), kLargestRead);
        const ssize_t got = ::pread(m_descriptor, destination.data(), wanted, static_cast<off_t>(offset));
        if (got < 0) {
            if (errno == EINTR) continue;
            return makeError(ErrorKind::Io, printablePath(m_path) + " cannot be read: " + reason(errno));
        }
        if (got == 0)
            return makeError(ErrorKind::Io,
                             printablePath(m_path) + " ends at byte " + std::to_string(offset) + ", " +
                                 std::to_string(destination.size()) + " bytes too early; it had " + std::to_string(m_size) +
                                 " bytes when it was opened",
                             "the file was changed while in use: restore it and load the model again");
        offset += static_cast<std::uint64_t>(got);
        destination = destination.subspan(static_cast<std::size_t>(got));
    }
    return {};
}

Result<std::string> readWholeFile(const std::filesystem::path& path, std::uint64_t limit) {
    auto file = InputFile::open(path);
    if (!file.ok()) return file.error();
    if (file->size() > limit)
        return makeError(ErrorKind::Format, printablePath(path) + " has " + std::to_string(file->size()) + " bytes; at most " +
                                                std::to_string(limit) + " are expected");
    std::string text(static_cast<std::size_t>(file->size()), '\0');
    if (auto read = file->readAt(0, std::as_writable_bytes(std::span(text))); !read.ok()) return read.error();
    return text;
}

std::string printable(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        if (out.size() >= kLongestPrinted) {
            out += "…";
            break;
        }
        const std::size_t length = utf8SequenceLength(text.substr(at));
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool c1Control = length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0;
        if (length == 0 || byte < 0x20 || byte == 0x7F || c1Control) {
            for (std::size_t i = 0; i < std::max<std::size_t>(length, 1); ++i) {
                const auto b = static_cast<unsigned char>(text[at + i]);
                out += "\\x";
                out += kHex[b >> 4];
                out += kHex[b & 15];
            }
        } else {
            out += text.substr(at, length);
        }
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::string printablePath(const std::filesystem::path& path) { return printable(std::string_view(path.native())); }

}  // namespace trefoil
