// What every kernel here shares: the activation types, launching (with programmatic dependent launch where the card has it),
// matrix views over partial sums, warp and block reductions, cp.async, ldmatrix and mma wrappers. Compute capability 8.0 and up.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace trefoil::cuda {

using Bf16 = __nv_bfloat16;

/// How a weight matrix is stored on the device. A parameter of every kernel that reads weights: BFloat16 is what runs; Float32 is
/// the debug mode. Later formats (FP8, 4 bit with group scales) become further values, not further call sites.
enum class WeightFormat : int { BFloat16, Float32 };

/// Where kernels go, and whether a kernel may start before the one ahead of it has ended (each waits with gridWait before it
/// reads).
struct Launcher {
    cudaStream_t stream = nullptr;
    bool overlap = false;                  ///< programmatic dependent launch; compute capability 9.0 and up
    bool hopper = false;                   ///< clusters and wgmma; compute capability 9.0
    int sms = 1;                           ///< multiprocessors of the device
    std::size_t sharedBytes = 227 * 1024;  ///< shared memory that a block may have; 99 KiB at least
    int clusterBlocks = 8;                 ///< blocks of the widest cluster that the device runs: 8 or 16; Hopper path
};

/// Launches `kernel`; blocks of one cluster (compute capability 9.0 and up) see each other's shared memory, `cluster` of them in
/// x.
template <class... P, class... A>
cudaError_t launchCluster(const Launcher& on, unsigned cluster, void (*kernel)(P...), dim3 grid, dim3 block,
                          std::size_t sharedBytes, A&&... args) {
    if (sharedBytes > 16 * 1024) {  // 48 KiB are free, the kernel's own variables included
        const cudaError_t set = cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                                     cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sharedBytes));
        if (set != cudaSuccess) return set;
    }
    cudaLaunchConfig_t config{};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = sharedBytes;
    config.stream = on.stream;
    cudaLaunchAttribute attributes[2]{};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim = {cluster, 1, 1};
    attributes[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[1].val.programmaticStreamSerializationAllowed = 1;
    config.attrs = cluster > 1 ? attributes : attributes + 1;
    config.numAttrs = (cluster > 1 ? 1U : 0U) + (on.overlap ? 1U : 0U);
    return cudaLaunchKernelEx(&config, kernel, static_cast<P>(args)...);
}

template <class... P, class... A>
cudaError_t launch(const Launcher& on, void (*kernel)(P...), dim3 grid, dim3 block, std::size_t sharedBytes, A&&... args) {
    return launchCluster(on, 1, kernel, grid, block, sharedBytes, static_cast<A&&>(args)...);
}

/// A [rows, columns] matrix made by a GEMM: bf16, or float32 as a sum of `splits` partial matrices (split-K), added in order so
/// that a result never depends on timing.
struct Rows {
    const void* data = nullptr;
    std::int64_t stride = 0;       ///< elements between rows
    std::int64_t splitStride = 0;  ///< elements between partial matrices
    int splits = 1;
    bool isBf16 = false;
};

#ifdef __CUDACC__

/// Waits for the kernels ahead of this one, when it was launched before they ended. Every kernel calls it before it touches
/// memory that another kernel writes; weights may be read before.
__device__ __forceinline__ void gridWait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Lets the next kernel start as soon as there is room for it.
__device__ __forceinline__ void gridRelease() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// ---- clusters (only in kernels that are launched on the Hopper path)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define TREFOIL_CLUSTERS 1
#else
#define TREFOIL_CLUSTERS 0
#endif

/// A barrier of all threads of the cluster in two halves: what was written before arrive is seen after wait, in every block.
__device__ __forceinline__ void clusterArrive() {
#if TREFOIL_CLUSTERS
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void clusterWait() {
#if TREFOIL_CLUSTERS
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ int clusterRank() {
#if TREFOIL_CLUSTERS
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return static_cast<int>(rank);
#else
    return 0;
#endif
}
/// Where `own`, in this block's shared memory, lies in that of block `rank` of the cluster.
template <class T>
__device__ __forceinline__ T* inBlock(T* own, int rank) {
#if TREFOIL_CLUSTERS
    std::uint64_t mapped;
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(reinterpret_cast<std::uint64_t>(own)), "r"(rank));
    return reinterpret_cast<T*>(mapped);
#else
    return own;
#endif
}

__device__ __forceinline__ float toFloat(float x) { return x; }
__device__ __forceinline__ float toFloat(Bf16 x) { return __bfloat162float(x); }
template <class T>
__device__ __forceinline__ T fromFloat(float x);
template <>
__device__ __forceinline__ float fromFloat<float>(float x) {
    return x;
}
template <>
__device__ __forceinline__ Bf16 fromFloat<Bf16>(float x) {
    return __float2bfloat16(x);
}

__device__ __forceinline__ float load(const Rows& m, std::int64_t row, std::int64_t column) {
    const std::int64_t at = row * m.stride + column;
    if (m.isBf16) return toFloat(static_cast<const Bf16*>(m.data)[at]);
    const float* p = static_cast<const float*>(m.data) + at;
    float sum = p[0];
    for (int s = 1; s < m.splits; ++s) sum += p[s * m.splitStride];
    return sum;
}

__device__ __forceinline__ float sigmoid(float x) { return 1.0F / (1.0F + expf(-x)); }
__device__ __forceinline__ float silu(float x) { return x / (1.0F + expf(-x)); }
/// The same to about 21 bits, for values that become bf16 next.
__device__ __forceinline__ float fastSilu(float x) { return __fdividef(x, 1.0F + __expf(-x)); }
/// torch's softplus: linear above 20.
__device__ __forceinline__ float softplus(float x) { return x > 20.0F ? x : log1pf(expf(x)); }

__device__ __forceinline__ float warpSum(float x) {
    for (int d = 16; d > 0; d >>= 1) x += __shfl_xor_sync(0xFFFFFFFFU, x, d);
    return x;
}
__device__ __forceinline__ float warpMax(float x) {
    for (int d = 16; d > 0; d >>= 1) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, d));
    return x;
}

/// Sum over a block of at most 1024 threads (a multiple of 32); every thread gets it. `scratch`: 32 floats.
__device__ __forceinline__ float blockSum(float x, float* scratch) {
    x = warpSum(x);
    const int warp = static_cast<int>(threadIdx.x) >> 5;
    const int lane = static_cast<int>(threadIdx.x) & 31;
    __syncthreads();
    if (lane == 0) scratch[warp] = x;
    __syncthreads();
    x = lane < static_cast<int>(blockDim.x) >> 5 ? scratch[lane] : 0.0F;
    return warpSum(x);
}

// ---- asynchronous copies and tensor cores

__device__ __forceinline__ std::uint32_t sharedAddress(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// 16 bytes from global to shared memory; zeros when `valid` is false (the source is then not read).
__device__ __forceinline__ void copyAsync16(std::uint32_t destination, const void* source, bool valid) {
    const int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(destination), "l"(source), "r"(bytes));
}
/// The same, with a hint: 256 bytes are fetched into L2 at a time.
__device__ __forceinline__ void copyAsync16Ahead(std::uint32_t destination, const void* source, bool valid) {
    const int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;\n" ::"r"(destination), "l"(source), "r"(bytes));
}
/// For copyAsync16Stream: what passes once makes room in L2 first.
__device__ __forceinline__ std::uint64_t streamPolicy() {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
/// The same, for weights that are read once: what was fetched leaves L2 first. Where the destination is the sum of a thread's
/// number and one that all threads share, ptxas 13.0 encodes this instruction wrongly ("illegal instruction" when it runs): keep
/// the destination as one number that steps on, and do without the policy where a source may not exist.
__device__ __forceinline__ void copyAsync16Stream(std::uint32_t destination, const void* source, bool valid,
                                                  std::uint64_t policy) {
    const int bytes = valid ? 16 : 0;
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::256B [%0], [%1], 16, %2, %3;\n" ::"r"(destination), "l"(source),
                 "r"(bytes), "l"(policy));
}
/// 4 bytes from global to shared memory.
__device__ __forceinline__ void copyAsync4(std::uint32_t destination, const void* source) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(destination), "l"(source));
}
__device__ __forceinline__ void copyAsyncCommit() { asm volatile("cp.async.commit_group;\n" ::); }
template <int N>
__device__ __forceinline__ void copyAsyncWait() {
    asm volatile("cp.async.wait_group %0;\n" ::"n"(N));
}

__device__ __forceinline__ void loadMatrix4(std::uint32_t (&r)[4], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
}
__device__ __forceinline__ void loadMatrix4Transposed(std::uint32_t (&r)[4], std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address));
}
__device__ __forceinline__ void loadMatrix2(std::uint32_t& r0, std::uint32_t& r1, std::uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n" : "=r"(r0), "=r"(r1) : "r"(address));
}

/// c[16, 8] += a[16, 16] · b[16, 8], bf16 in, float32 out.
__device__ __forceinline__ void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Byte offset of 16-byte chunk `chunk` of row `row` in a tile whose rows are 128 bytes: chunks are permuted within a row so that
/// ldmatrix and cp.async touch all banks.
__device__ __forceinline__ std::uint32_t swizzle128(int row, int chunk) {
    return static_cast<std::uint32_t>(row * 128 + ((chunk ^ (row & 7)) << 4));
}

#endif  // __CUDACC__

}  // namespace trefoil::cuda
