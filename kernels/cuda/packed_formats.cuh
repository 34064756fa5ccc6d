// From the units of weight_matrix.h to the fragments of mma.m16n8k16, in registers. One type a format; every kernel that reads
// packed weights takes it as a template parameter.
//
// A lane holds of a unit the rows r = lane / 4 and r + 8. Reading 16 bytes of codes a lane at lane · 16 takes a quarter warp
// through all 32 banks once. Scales of a lane's two rows lie side by side at (lane / 4) · 2 · groups: four lanes read the same.
#pragma once

#include "kernels/cuda/common.cuh"
#include "kernels/cuda/weight_matrix.h"

#include <type_traits>

namespace trefoil::cuda {

__device__ __forceinline__ std::uint32_t asBits(__nv_bfloat162 v) { return *reinterpret_cast<std::uint32_t*>(&v); }
__device__ __forceinline__ __nv_bfloat162 asPair(std::uint32_t bits) { return *reinterpret_cast<__nv_bfloat162*>(&bits); }

/// Loads for both places that units are read from.
struct FromShared {
    std::uint32_t address;
    [[nodiscard]] __device__ __forceinline__ FromShared at(int offset) const { return {address + offset}; }
    [[nodiscard]] __device__ __forceinline__ uint4 load16() const {
        uint4 v;
        asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];\n" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(address));
        return v;
    }
    [[nodiscard]] __device__ __forceinline__ uint2 load8() const {
        uint2 v;
        asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];\n" : "=r"(v.x), "=r"(v.y) : "r"(address));
        return v;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t load4() const {
        std::uint32_t v;
        asm volatile("ld.shared.u32 %0, [%1];\n" : "=r"(v) : "r"(address));
        return v;
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t load2() const {
        std::uint16_t v;
        asm volatile("ld.shared.u16 %0, [%1];\n" : "=h"(v) : "r"(address));
        return v;
    }
};
/// Device memory, or main memory that the device sees; past L1, which may hold what a slot held before.
struct FromMemory {
    const std::byte* address;
    [[nodiscard]] __device__ __forceinline__ FromMemory at(int offset) const { return {address + offset}; }
    [[nodiscard]] __device__ __forceinline__ uint4 load16() const { return __ldcg(reinterpret_cast<const uint4*>(address)); }
    [[nodiscard]] __device__ __forceinline__ uint2 load8() const { return __ldcg(reinterpret_cast<const uint2*>(address)); }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t load4() const {
        return __ldcg(reinterpret_cast<const unsigned*>(address));
    }
    [[nodiscard]] __device__ __forceinline__ std::uint32_t load2() const {
        return __ldcg(reinterpret_cast<const unsigned short*>(address));
    }
};

/// Word j of four, j known when compiling.
__device__ __forceinline__ std::uint32_t wordOf(const uint4& v, int j) {
    return j == 0 ? v.x : j == 1 ? v.y : j == 2 ? v.z : v.w;
}

// What a format offers:
//   kFormat, kUnitBytes        as unitLayout says
//   kPerLoad                   steps of 16 columns in 16 bytes a lane
//   kScaledSums                fragments are codes: the sums over a unit are to be multiplied by Scales::low (rows r) and ::high
//   Scales load(unit, lane)    of the lane's two rows
//   fragment(a, raw, j, kk, s) operand A of step kk, which is word(s) j of the 16 bytes `raw`
//   values(...)                the same with the scales applied and rounded to BF16, whatever the format

struct Bf16Format {
    static constexpr PackFormat kFormat = PackFormat::BFloat16;
    static constexpr int kUnitBytes = unitLayout(kFormat).bytes();
    static constexpr int kPerLoad = 1;
    static constexpr bool kScaledSums = false;
    struct Scales {};
    template <class From>
    static __device__ __forceinline__ Scales load(const From&, int) {
        return {};
    }
    static __device__ __forceinline__ void fragment(std::uint32_t (&a)[4], const uint4& raw, int, int, const Scales&) {
        a[0] = raw.x;
        a[1] = raw.y;
        a[2] = raw.z;
        a[3] = raw.w;
    }
    static __device__ __forceinline__ void values(std::uint32_t (&a)[4], const uint4& raw, int j, int kk, const Scales& s) {
        fragment(a, raw, j, kk, s);
    }
};

struct Fp8Format {
    static constexpr PackFormat kFormat = PackFormat::Fp8;
    static constexpr int kUnitBytes = unitLayout(kFormat).bytes();
    static constexpr int kScalesAt = unitLayout(kFormat).codeBytes;
    static constexpr int kPerLoad = 2;
    static constexpr bool kScaledSums = true;
    struct Scales {
        float low, high;
    };
    template <class From>
    static __device__ __forceinline__ Scales load(const From& unit, int lane) {
        const uint2 bits = unit.at(kScalesAt + (lane >> 2) * 8).load8();
        return {__uint_as_float(bits.x), __uint_as_float(bits.y)};
    }
    /// Two codes, in the upper bytes of the halves, as BF16. Exponent and mantissa move down by 4 bits, which is the value ·
    /// 2^-120 (also of subnormal codes, which become subnormal BF16); the product is exact.
    static __device__ __forceinline__ std::uint32_t pair(std::uint32_t q) {
        const std::uint32_t bits = (q & 0x80008000U) | ((q & 0x7F007F00U) >> 4);
        return asBits(__hmul2(asPair(bits), asPair(0x7B807B80U)));
    }
    static __device__ __forceinline__ void fragment(std::uint32_t (&a)[4], const uint4& raw, int j, int, const Scales&) {
        const std::uint32_t low = wordOf(raw, 2 * j);
        const std::uint32_t high = wordOf(raw, 2 * j + 1);
        a[0] = pair(low << 8);
        a[1] = pair(low);
        a[2] = pair(high << 8);
        a[3] = pair(high);
    }
    static __device__ __forceinline__ void values(std::uint32_t (&a)[4], const uint4& raw, int j, int kk, const Scales& s) {
        fragment(a, raw, j, kk, s);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const float2 v = __bfloat1622float2(asPair(a[i]));
            const float scale = (i & 1) != 0 ? s.high : s.low;
            a[i] = asBits(__floats2bfloat162_rn(v.x * scale, v.y * scale));
        }
    }
};

template <int kGroup, bool kZeros>
struct Int4Format {
    static_assert(kGroup == 32 || kGroup == 128);
    static constexpr PackFormat kFormat = kGroup == 32 ? (kZeros ? PackFormat::Int4ZerosBy32 : PackFormat::Int4By32)
                                                       : (kZeros ? PackFormat::Int4ZerosBy128 : PackFormat::Int4By128);
    static constexpr int kUnitBytes = unitLayout(kFormat).bytes();
    static constexpr int kScalesAt = unitLayout(kFormat).codeBytes;
    static constexpr int kZerosAt = unitLayout(kFormat).zerosAt();
    static constexpr int kPerLoad = 4;
    static constexpr bool kScaledSums = false;
    /// BF16 pairs, by row: of 32-column groups words 2 r and 2 r + 1 hold row r's four; else word 0 holds one of each row. Zeros
    /// likewise, in bytes.
    struct Scales {
        std::uint32_t scales[kGroup == 32 ? 4 : 1];
        std::uint32_t zeros[kZeros ? (kGroup == 32 ? 2 : 1) : 1];
    };
    template <class From>
    static __device__ __forceinline__ Scales load(const From& unit, int lane) {
        Scales s;
        if constexpr (kGroup == 32) {
            const uint4 bits = unit.at(kScalesAt + (lane >> 2) * 16).load16();
            s.scales[0] = bits.x;
            s.scales[1] = bits.y;
            s.scales[2] = bits.z;
            s.scales[3] = bits.w;
            if constexpr (kZeros) {
                const uint2 zeros = unit.at(kZerosAt + (lane >> 2) * 8).load8();
                s.zeros[0] = zeros.x;
                s.zeros[1] = zeros.y;
            }
        } else {
            s.scales[0] = unit.at(kScalesAt + (lane >> 2) * 4).load4();
            if constexpr (kZeros) s.zeros[0] = unit.at(kZerosAt + (lane >> 2) * 2).load2();
        }
        return s;
    }
    /// The scale of row `row` (0: r, 1: r + 8) in step kk, in both halves.
    static __device__ __forceinline__ std::uint32_t scaleOf(const Scales& s, int row, int kk) {
        if constexpr (kGroup == 32) {
            const int group = kk >> 1;
            return __byte_perm(s.scales[row * 2 + (group >> 1)], 0, (group & 1) != 0 ? 0x3232 : 0x1010);
        } else {
            return __byte_perm(s.scales[0], 0, row != 0 ? 0x3232 : 0x1010);
        }
    }
    /// 128 + zero as BF16 in both halves: its low seven bits are the number above 128.
    static __device__ __forceinline__ std::uint32_t zeroOf(const Scales& s, int row, int kk) {
        if constexpr (kZeros) {
            const std::uint32_t word =
                kGroup == 32 ? s.zeros[kGroup == 32 ? row : 0] >> ((kk >> 1) * 8) : s.zeros[0] >> (row * 8);
            return 0x43004300U | ((word & 0xFFU) * 0x00010001U);
        } else {
            return 0x43084308U;
        }
    }
    /// Nibble i and i + 4 of a word become 128 + code in the two halves; less the zero is exact, the product rounds as the
    /// checkpoint's values do.
    static __device__ __forceinline__ void fragment(std::uint32_t (&a)[4], const uint4& raw, int j, int kk, const Scales& s) {
        const std::uint32_t word = wordOf(raw, j);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const std::uint32_t bits = ((word >> (4 * i)) & 0x000F000FU) | 0x43004300U;
            const int row = i & 1;
            a[i] = asBits(__hmul2(__hsub2(asPair(bits), asPair(zeroOf(s, row, kk))), asPair(scaleOf(s, row, kk))));
        }
    }
    static __device__ __forceinline__ void values(std::uint32_t (&a)[4], const uint4& raw, int j, int kk, const Scales& s) {
        fragment(a, raw, j, kk, s);
    }
};

/// Calls f with the format's type; an invalid one is an error.
template <class F>
cudaError_t withPackFormat(PackFormat format, F f) {
    switch (format) {
        case PackFormat::BFloat16:
            return f(Bf16Format{});
        case PackFormat::Fp8:
            return f(Fp8Format{});
        case PackFormat::Int4By32:
            return f(Int4Format<32, false>{});
        case PackFormat::Int4By128:
            return f(Int4Format<128, false>{});
        case PackFormat::Int4ZerosBy32:
            return f(Int4Format<32, true>{});
        case PackFormat::Int4ZerosBy128:
            return f(Int4Format<128, true>{});
        case PackFormat::None:
            break;
    }
    return cudaErrorInvalidValue;
}

}  // namespace trefoil::cuda
