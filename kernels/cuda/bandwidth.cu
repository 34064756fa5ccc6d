#include "kernels/cuda/bandwidth.h"

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/device_memory.h"

#include <algorithm>
#include <array>

namespace trefoil::cuda {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} << 30;
constexpr std::size_t kCopyBytes = std::size_t{1} << 30;

__global__ void __launch_bounds__(512) readKernel(const uint4* data, std::size_t count, std::uint32_t* out) {
    constexpr int kAtOnce = 8;
    std::uint32_t sum = 0;
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * 512;
    std::size_t i = static_cast<std::size_t>(blockIdx.x) * 512 + threadIdx.x;
    for (; i + (kAtOnce - 1) * stride < count; i += kAtOnce * stride) {
        uint4 v[kAtOnce];
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) v[j] = __ldcs(data + i + j * stride);
#pragma unroll
        for (int j = 0; j < kAtOnce; ++j) sum ^= v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
    }
    for (; i < count; i += stride) sum ^= data[i].x;
    if (sum == 0x9E3779B9U) *out = sum;  // keeps the reads; almost never true
}

__global__ void __launch_bounds__(512) fillKernel(std::uint32_t* data, std::size_t count) {
    for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * 512 + threadIdx.x; i < count;
         i += static_cast<std::size_t>(gridDim.x) * 512)
        data[i] = static_cast<std::uint32_t>(i * 2654435761U);
}

template <std::size_t N, class Body>
std::array<float, N> timed(Body body) {
    std::array<float, N> times{};
    cudaEvent_t start = nullptr;
    cudaEvent_t stop = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    for (float& t : times) {
        cudaEventRecord(start);
        body();
        cudaEventRecord(stop);
        cudaEventSynchronize(stop);
        cudaEventElapsedTime(&t, start, stop);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    std::sort(times.begin(), times.end());
    return times;
}

}  // namespace

void measureBandwidth(int device, double& readBytes, double& copyBytes) {
    readBytes = 0;
    copyBytes = 0;
    if (cudaSetDevice(device) != cudaSuccess) return;
    DeviceBlock block;
    if (block.allocate(kReadBytes + 256) == cudaSuccess) {
        auto* words = reinterpret_cast<std::uint32_t*>(block.data());
        fillKernel<<<4096, 512>>>(words, kReadBytes / 4 + 64);
        cudaDeviceProp properties{};
        cudaGetDeviceProperties(&properties, device);
        const int blocks = properties.multiProcessorCount * 4;
        const auto times = timed<10>([&] {
            readKernel<<<static_cast<unsigned>(blocks), 512>>>(reinterpret_cast<const uint4*>(words), kReadBytes / 16,
                                                               words + kReadBytes / 4);
        });
        if (cudaGetLastError() == cudaSuccess) readBytes = static_cast<double>(kReadBytes) / (times[5] * 1e-3);
        PinnedBlock pinned;
        if (pinned.allocate(kCopyBytes) == cudaSuccess) {
            const auto copies =
                timed<5>([&] { cudaMemcpyAsync(block.data(), pinned.data(), kCopyBytes, cudaMemcpyHostToDevice); });
            copyBytes = static_cast<double>(kCopyBytes) / (copies[0] * 1e-3);
        }
    }
    cudaGetLastError();
}

}  // namespace trefoil::cuda
