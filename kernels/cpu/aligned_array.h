// AlignedArray: a zeroed array on a cache line's boundary, so that vector loads never straddle lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace trefoil::kernels {

/// Owns `size` elements of a trivial type, zeroed. The constructor throws std::bad_alloc; nothing else throws.
template <class T>
class AlignedArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    static constexpr std::size_t kAlignment = 64;

    AlignedArray() = default;
    explicit AlignedArray(std::int64_t size) : m_size(size) {
        if (size <= 0) {
            m_size = 0;
            return;
        }
        if (static_cast<std::uint64_t>(size) > (SIZE_MAX - kAlignment) / sizeof(T)) throw std::bad_alloc();
        const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
        m_data = static_cast<T*>(std::aligned_alloc(kAlignment, bytes));
        if (m_data == nullptr) throw std::bad_alloc();
        std::memset(static_cast<void*>(m_data), 0, bytes);
    }
    AlignedArray(AlignedArray&& other) noexcept
        : m_data(std::exchange(other.m_data, nullptr)), m_size(std::exchange(other.m_size, 0)) {}
    AlignedArray& operator=(AlignedArray&& other) noexcept {
        std::swap(m_data, other.m_data);
        std::swap(m_size, other.m_size);
        return *this;
    }
    AlignedArray(const AlignedArray&) = delete;
    AlignedArray& operator=(const AlignedArray&) = delete;
    ~AlignedArray() { std::free(m_data); }

    [[nodiscard]] T* data() { return m_data; }
    [[nodiscard]] const T* data() const { return m_data; }
    [[nodiscard]] std::int64_t size() const { return m_size; }
    [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(m_size) * sizeof(T); }
    T& operator[](std::int64_t i) { return m_data[i]; }
    const T& operator[](std::int64_t i) const { return m_data[i]; }
    [[nodiscard]] std::span<T> span() { return {m_data, static_cast<std::size_t>(m_size)}; }
    [[nodiscard]] std::span<const T> span() const { return {m_data, static_cast<std::size_t>(m_size)}; }

    [[nodiscard]] AlignedArray clone() const {
        AlignedArray copy(m_size);
        if (m_size > 0) std::memcpy(static_cast<void*>(copy.m_data), m_data, static_cast<std::size_t>(m_size) * sizeof(T));
        return copy;
    }

private:
    T* m_data = nullptr;
    std::int64_t m_size = 0;
};

[[nodiscard]] constexpr std::int64_t roundUp(std::int64_t n, std::int64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}
[[nodiscard]] constexpr std::int64_t divideUp(std::int64_t n, std::int64_t by) { return (n + by - 1) / by; }

}  // namespace trefoil::kernels
