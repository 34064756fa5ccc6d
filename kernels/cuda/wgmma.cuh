// Hopper's own instructions (compute capability 9.0, code for sm_90a): warpgroup products of shared-memory tiles, barriers in
// shared memory, tensor copies and the division of registers between warpgroups.
//
// Tiles: rows of 64 bf16 values (128 bytes), 16-byte chunks permuted as swizzle128 does, based at a multiple of 1,024 bytes; the
// rows are those of A (64 a product) or of B (N a product), both with the summed dimension inside a row.
//
// Only kernels that a Launcher with `hopper` set starts may use these; TREFOIL_WGMMA_CODE is 0 where the code cannot be made, and
// such a kernel's body is then empty.
#pragma once

#include "kernels/cuda/common.cuh"

#include <cuda.h>

#ifdef __CUDACC__

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900 && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define TREFOIL_WGMMA_CODE 1
#else
#define TREFOIL_WGMMA_CODE 0
#endif

#if TREFOIL_WGMMA_CODE

namespace trefoil::cuda {

// ---- barriers in shared memory (addresses as sharedAddress gives them)

__device__ __forceinline__ void barrierInit(std::uint32_t barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Makes initialised barriers visible to the copy engine; a block barrier follows.
__device__ __forceinline__ void barrierInitDone() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ __forceinline__ void barrierArrive(std::uint32_t barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives, and lets the phase end only after `bytes` more bytes have been copied.
__device__ __forceinline__ void barrierArriveExpect(std::uint32_t barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/// Arrives when the copyAsync16 of this thread so far have landed. The readers' side needs fenceAsyncProxy.
__device__ __forceinline__ void barrierArriveAfterCopies(std::uint32_t barrier) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}
/// Waits for the end of the phase of this parity.
__device__ __forceinline__ void barrierWait(std::uint32_t barrier, unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}\n" ::"r"(barrier),
        "r"(parity)
        : "memory");
}
/// Between ordinary writes of shared memory (cp.async too) and its reading by warpgroup products or the copy engine.
__device__ __forceinline__ void fenceAsyncProxy() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- tensor copies

__device__ __forceinline__ std::uint64_t evictFirstPolicy() {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
__device__ __forceinline__ void prefetchMap(const CUtensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}
__device__ __forceinline__ void copyTensor2(std::uint32_t destination, const CUtensorMap& map, std::uint32_t barrier, int c0,
                                            int c1) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            destination),
        "l"(&map), "r"(barrier), "r"(c0), "r"(c1)
        : "memory");
}
__device__ __forceinline__ void copyTensor2(std::uint32_t destination, const CUtensorMap& map, std::uint32_t barrier, int c0,
                                            int c1, std::uint64_t policy) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4}], "
        "[%2], "
        "%5;" ::"r"(destination),
        "l"(&map), "r"(barrier), "r"(c0), "r"(c1), "l"(policy)
        : "memory");
}
__device__ __forceinline__ void copyTensor5(std::uint32_t destination, const CUtensorMap& map, std::uint32_t barrier,
                                            const int (&c)[5], std::uint64_t policy) {
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%3, %4, %5, "
        "%6, "
        "%7}], [%2], %8;" ::"r"(destination),
        "l"(&map), "r"(barrier), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]), "r"(c[4]), "l"(policy)
        : "memory");
}

// ---- warpgroup products

/// Registers a thread of this warpgroup may use from here on; every warp of it runs this.
template <int N>
__device__ __forceinline__ void giveRegisters() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N>
__device__ __forceinline__ void takeRegisters() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}

/// A tile's descriptor; 16 columns further are 2 more.
__device__ __forceinline__ std::uint64_t tileDescriptor(std::uint32_t address) {
    constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
    constexpr std::uint64_t kEightRows = std::uint64_t{1024 >> 4} << 32;
    constexpr std::uint64_t kUnused = std::uint64_t{1} << 16;
    return kSwizzle128 | kEightRows | kUnused | ((address & 0x3FFFF) >> 4);
}
/// Before the first product, and after registers that products read or add to have been written.
__device__ __forceinline__ void productFence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void productCommit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
/// Waits until at most kPending committed groups are under way.
template <int kPending>
__device__ __forceinline__ void productWait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}
/// Keeps the compiler from reading sums before the wait ahead of this.
template <int kCount>
__device__ __forceinline__ void sumsReady(float (&d)[kCount]) {
#pragma unroll
    for (float& v : d) asm volatile("" : "+f"(v)::"memory");
}

/// d [64, kN] += A [64, 16] · B [kN, 16] transposed, bf16 in, float32 sums. Thread t of the warpgroup holds, for
/// warp w = t / 32 and lane l = t % 32, d[4 j + 2 h + c] = row 16 w + 8 h + l / 4, column 8 j + 2 (l % 4) + c.
template <int kN>
__device__ __forceinline__ void product(float (&d)[kN / 2], std::uint64_t a, std::uint64_t b);

// The operands' names and the registers of the sums, each list made from the shorter one.
#define TREFOIL_SUMS_QUAD(i) "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
// clang-format off
#define TREFOIL_NAMES_8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define TREFOIL_SUMS_8 TREFOIL_SUMS_QUAD(0), TREFOIL_SUMS_QUAD(4)
#define TREFOIL_NAMES_12 TREFOIL_NAMES_8 ",%8,%9,%10,%11"
#define TREFOIL_SUMS_12 TREFOIL_SUMS_8, TREFOIL_SUMS_QUAD(8)
#define TREFOIL_NAMES_16 TREFOIL_NAMES_12 ",%12,%13,%14,%15"
#define TREFOIL_SUMS_16 TREFOIL_SUMS_12, TREFOIL_SUMS_QUAD(12)
#define TREFOIL_NAMES_20 TREFOIL_NAMES_16 ",%16,%17,%18,%19"
#define TREFOIL_SUMS_20 TREFOIL_SUMS_16, TREFOIL_SUMS_QUAD(16)
#define TREFOIL_NAMES_24 TREFOIL_NAMES_20 ",%20,%21,%22,%23"
#define TREFOIL_SUMS_24 TREFOIL_SUMS_20, TREFOIL_SUMS_QUAD(20)
#define TREFOIL_NAMES_28 TREFOIL_NAMES_24 ",%24,%25,%26,%27"
#define TREFOIL_SUMS_28 TREFOIL_SUMS_24, TREFOIL_SUMS_QUAD(24)
#define TREFOIL_NAMES_32 TREFOIL_NAMES_28 ",%28,%29,%30,%31"
#define TREFOIL_SUMS_32 TREFOIL_SUMS_28, TREFOIL_SUMS_QUAD(28)
#define TREFOIL_NAMES_40 TREFOIL_NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define TREFOIL_SUMS_40 TREFOIL_SUMS_32, TREFOIL_SUMS_QUAD(32), TREFOIL_SUMS_QUAD(36)
#define TREFOIL_NAMES_48 TREFOIL_NAMES_40 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define TREFOIL_SUMS_48 TREFOIL_SUMS_40, TREFOIL_SUMS_QUAD(40), TREFOIL_SUMS_QUAD(44)
#define TREFOIL_NAMES_56 TREFOIL_NAMES_48 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define TREFOIL_SUMS_56 TREFOIL_SUMS_48, TREFOIL_SUMS_QUAD(48), TREFOIL_SUMS_QUAD(52)
#define TREFOIL_NAMES_64 TREFOIL_NAMES_56 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define TREFOIL_SUMS_64 TREFOIL_SUMS_56, TREFOIL_SUMS_QUAD(56), TREFOIL_SUMS_QUAD(60)
#define TREFOIL_NAMES_72 TREFOIL_NAMES_64 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define TREFOIL_SUMS_72 TREFOIL_SUMS_64, TREFOIL_SUMS_QUAD(64), TREFOIL_SUMS_QUAD(68)
#define TREFOIL_NAMES_80 TREFOIL_NAMES_72 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define TREFOIL_SUMS_80 TREFOIL_SUMS_72, TREFOIL_SUMS_QUAD(72), TREFOIL_SUMS_QUAD(76)
#define TREFOIL_NAMES_88 TREFOIL_NAMES_80 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define TREFOIL_SUMS_88 TREFOIL_SUMS_80, TREFOIL_SUMS_QUAD(80), TREFOIL_SUMS_QUAD(84)
#define TREFOIL_NAMES_96 TREFOIL_NAMES_88 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define TREFOIL_SUMS_96 TREFOIL_SUMS_88, TREFOIL_SUMS_QUAD(88), TREFOIL_SUMS_QUAD(92)
#define TREFOIL_WGMMA(kN, kSums, kNameA, kNameB)                                                                          \
    template <>                                                                                                           \
    __device__ __forceinline__ void product<kN>(float (&d)[kSums], std::uint64_t a, std::uint64_t b) {                    \
        asm volatile("{\n.reg .pred adds;\nsetp.eq.b32 adds, 0, 0;\nwgmma.mma_async.sync.aligned.m64n" #kN                 \
                     "k16.f32.bf16.bf16 {" TREFOIL_NAMES_##kSums "}, " kNameA ", " kNameB ", adds, 1, 1, 0, 0;\n}\n"       \
                     : TREFOIL_SUMS_##kSums                                                                               \
                     : "l"(a), "l"(b));                                                                                   \
    }
TREFOIL_WGMMA(16, 8, "%8", "%9")
TREFOIL_WGMMA(24, 12, "%12", "%13")
TREFOIL_WGMMA(32, 16, "%16", "%17")
TREFOIL_WGMMA(40, 20, "%20", "%21")
TREFOIL_WGMMA(48, 24, "%24", "%25")
TREFOIL_WGMMA(56, 28, "%28", "%29")
TREFOIL_WGMMA(64, 32, "%32", "%33")
TREFOIL_WGMMA(80, 40, "%40", "%41")
TREFOIL_WGMMA(96, 48, "%48", "%49")
TREFOIL_WGMMA(112, 56, "%56", "%57")
TREFOIL_WGMMA(128, 64, "%64", "%65")
TREFOIL_WGMMA(144, 72, "%72", "%73")
TREFOIL_WGMMA(160, 80, "%80", "%81")
TREFOIL_WGMMA(176, 88, "%88", "%89")
TREFOIL_WGMMA(192, 96, "%96", "%97")
// clang-format on
#undef TREFOIL_WGMMA

}  // namespace trefoil::cuda

#endif  // TREFOIL_WGMMA_CODE
#endif  // __CUDACC__
