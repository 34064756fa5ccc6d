// What the tests of single GPU kernels share: device buffers that know their host copies, random inputs from a seed, launchers
// for the two paths, and the relative error. Without a usable device every test is skipped, visibly.
#pragma once

#include "kernels/cuda/common.cuh"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace trefoil::cuda {

/// Memory on the device; freed with the object.
template <class T>
class DeviceBuffer {
public:
    explicit DeviceBuffer(std::int64_t count) : m_count(static_cast<std::size_t>(count)) {
        EXPECT_EQ(cudaMalloc(&m_data, std::max<std::size_t>(1, m_count) * sizeof(T)), cudaSuccess);
    }
    explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(static_cast<std::int64_t>(values.size())) { fill(values); }
    ~DeviceBuffer() { cudaFree(m_data); }
    DeviceBuffer(DeviceBuffer&& other) noexcept : m_data(other.m_data), m_count(other.m_count) { other.m_data = nullptr; }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(DeviceBuffer&&) = delete;

    [[nodiscard]] T* data() const { return static_cast<T*>(m_data); }
    [[nodiscard]] std::size_t size() const { return m_count; }
    void fill(const std::vector<T>& values) {
        EXPECT_EQ(cudaMemcpy(m_data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
    }
    /// Bytes that are not a number in any of the types used: what a kernel forgets to write shows.
    void poison() { EXPECT_EQ(cudaMemset(m_data, 0xFF, m_count * sizeof(T)), cudaSuccess); }
    [[nodiscard]] std::vector<T> host() const {
        std::vector<T> values(m_count);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(values.data(), m_data, m_count * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
        return values;
    }
    [[nodiscard]] DeviceBuffer copy() const { return DeviceBuffer(host()); }

private:
    void* m_data = nullptr;
    std::size_t m_count = 0;
};

/// Uniform values in [-scale, scale), the same for the same seed everywhere.
class DeviceRandom {
public:
    explicit DeviceRandom(std::uint32_t seed) : m_engine(seed) {}
    [[nodiscard]] std::vector<float> floats(std::int64_t count, float scale) {
        std::vector<float> values(static_cast<std::size_t>(count));
        for (float& v : values) v = (static_cast<float>(m_engine() >> 8) / 8388608.0F - 1.0F) * scale;
        return values;
    }
    [[nodiscard]] std::vector<Bf16> bf16(std::int64_t count, float scale) {
        std::vector<Bf16> values(static_cast<std::size_t>(count));
        for (Bf16& v : values) v = __float2bfloat16((static_cast<float>(m_engine() >> 8) / 8388608.0F - 1.0F) * scale);
        return values;
    }

private:
    std::mt19937 m_engine;
};

inline double asDouble(float x) { return x; }
inline double asDouble(double x) { return x; }
inline double asDouble(Bf16 x) { return __bfloat162float(x); }

/// ‖got − wanted‖ / ‖wanted‖ from element `from` on; infinite where something is not a number.
template <class A, class B>
double relativeError(const std::vector<A>& got, const std::vector<B>& wanted, std::size_t from) {
    double difference = 0;
    double norm = 0;
    for (std::size_t i = from; i < wanted.size(); ++i) {
        const double d = asDouble(got[i]) - asDouble(wanted[i]);
        if (!std::isfinite(d)) return INFINITY;
        difference += d * d;
        norm += asDouble(wanted[i]) * asDouble(wanted[i]);
    }
    return norm > 0 ? std::sqrt(difference / norm) : (difference > 0 ? INFINITY : 0);
}

class CudaTest : public testing::Test {
protected:
    void SetUp() override {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no usable CUDA device";
        ASSERT_EQ(cudaGetDeviceProperties(&m_properties, 0), cudaSuccess);
    }
    [[nodiscard]] bool isHopper() const { return m_properties.major == 9; }
    /// The Hopper path where the device has it, or the portable one.
    [[nodiscard]] Launcher launcher(bool hopper) const {
        return Launcher{nullptr, false, hopper && isHopper(), m_properties.multiProcessorCount};
    }

private:
    cudaDeviceProp m_properties{};
};

}  // namespace trefoil::cuda
