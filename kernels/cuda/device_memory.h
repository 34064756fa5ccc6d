// Device memory in few large blocks, and the translation of CUDA's errors into the engine's.
#pragma once

#include "engine/base/result.h"

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace trefoil::cuda {

/// OutOfMemory for a failed allocation, Internal for a call that this program made wrongly, DeviceLost for anything else: after
/// such an error the CUDA context is gone.
[[nodiscard]] Error cudaFailure(cudaError_t error, const std::string& doing);

/// One block of device memory; freed when destroyed.
class DeviceBlock {
public:
    DeviceBlock() = default;
    DeviceBlock(DeviceBlock&& other) noexcept : m_data(std::exchange(other.m_data, nullptr)) {}
    DeviceBlock& operator=(DeviceBlock&& other) noexcept {
        std::swap(m_data, other.m_data);
        return *this;
    }
    ~DeviceBlock() { cudaFree(m_data); }
    cudaError_t allocate(std::size_t bytes) { return cudaMalloc(&m_data, bytes == 0 ? 256 : bytes); }
    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(m_data); }

private:
    void* m_data = nullptr;
};

/// Pinned host memory; freed when destroyed.
class PinnedBlock {
public:
    PinnedBlock() = default;
    PinnedBlock(const PinnedBlock&) = delete;
    PinnedBlock& operator=(const PinnedBlock&) = delete;
    ~PinnedBlock() { cudaFreeHost(m_data); }
    cudaError_t allocate(std::size_t bytes) { return cudaHostAlloc(&m_data, bytes, cudaHostAllocDefault); }
    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(m_data); }

private:
    void* m_data = nullptr;
};

/// Hands out pieces of a block in order, 256-byte aligned. Over a null block it only counts, so that a plan and the allocation
/// that follows it are one piece of code.
class Carver {
public:
    explicit Carver(std::byte* base) : m_base(base) {}
    template <class T>
    T* take(std::int64_t count) {
        const std::size_t at = m_used;
        m_used += (static_cast<std::size_t>(count) * sizeof(T) + 255) / 256 * 256;
        return m_base == nullptr ? nullptr : reinterpret_cast<T*>(m_base + at);
    }
    void* takeBytes(std::size_t bytes) { return take<std::byte>(static_cast<std::int64_t>(bytes)); }
    [[nodiscard]] std::size_t used() const { return m_used; }

private:
    std::byte* m_base;
    std::size_t m_used = 0;
};

}  // namespace trefoil::cuda
