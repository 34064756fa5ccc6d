#include "kernels/cuda/delta_chunk.h"

#include <algorithm>

// All operands of the second kernel are stored in the order in which the lanes of a warp hold them for mma.m16n8k16: a "unit" is
// 32 lanes · 16 bytes and covers 16 x 16 elements. Lane (g, t) = (lane / 4, lane % 4); an A operand's registers are
// [g][2t], [g + 8][2t], [g][2t + 8], [g + 8][2t + 8] (two elements each), a B operand's (two tiles of eight columns)
// [2t][g], [2t + 8][g] and the same of column g + 8.
namespace trefoil::cuda {
namespace {

constexpr int kChunk = 64;  // rows
constexpr int kDim = 128;   // Dk and Dv
constexpr int kStrips = kChunk / 16;
constexpr int kKeySteps = kDim / 16;
constexpr int kTriangle = kStrips * (kStrips + 1) / 2;  // units of a lower triangle
constexpr int kUnit = 512;                              // bytes
constexpr int kTileBytes = kChunk * kDim * 2;
constexpr int kMaskBytes = kTriangle * kUnit;
constexpr int kEndFloats = kChunk + 4;  // decays to the chunk's end, then the chunk's whole decay
constexpr float kLowestLog = -40.0F;    // e^-40 is nothing beside any later row, and sums of it stay exact enough

constexpr int kThreads = 128;
constexpr int kColumns = 32;  // of the state, for one block of the second kernel
constexpr int kStages = 2;    // chunks of the second kernel in shared memory; three were no faster

/// What the first kernel leaves, for one batch of chunks. Per key head and chunk: q, k; per value head and chunk: the rest.
struct Space {
    std::uint8_t* q = nullptr;     ///< A units [Dk step][strip]
    std::uint8_t* k = nullptr;     ///< B units [strip][Dk step]
    std::uint8_t* w = nullptr;     ///< B units [Dk step][strip], of Wᵀ
    std::uint8_t* u = nullptr;     ///< units [Dv / 16][strip] of Uᵀ, in the layout of a result
    std::uint8_t* mask = nullptr;  ///< A units of the masked QKᵀ's lower triangle
    float* toEnd = nullptr;        ///< [kEndFloats]
    float* fromStart = nullptr;    ///< [kChunk] e^G · Dk^-½
    float* state = nullptr;        ///< [Hv, Dk, Dv] between batches, where the caller's is not to change
};

/// Carves the space for `chunks` chunks; returns the bytes used.
std::size_t carve(const GdnShape& s, std::int64_t chunks, void* base, Space& out) {
    auto* at = static_cast<std::uint8_t*>(base);
    std::size_t used = 0;
    const auto take = [&](std::int64_t bytes) {
        std::uint8_t* const mine = at == nullptr ? nullptr : at + used;
        used += (static_cast<std::size_t>(bytes) + 255) / 256 * 256;
        return mine;
    };
    const std::int64_t keys = chunks * s.keyHeads;
    const std::int64_t values = chunks * s.valueHeads;
    out.q = take(keys * kTileBytes);
    out.k = take(keys * kTileBytes);
    out.w = take(values * kTileBytes);
    out.u = take(values * kTileBytes);
    out.mask = take(values * kMaskBytes);
    out.toEnd = reinterpret_cast<float*>(take(values * kEndFloats * 4));
    out.fromStart = reinterpret_cast<float*>(take(values * kChunk * 4));
    out.state = reinterpret_cast<float*>(take(static_cast<std::int64_t>(s.valueHeads) * kDim * kDim * 4));
    return used;
}

__device__ __forceinline__ std::uint32_t pack(float low, float high) {
    const float a = fminf(fmaxf(low, -65504.0F), 65504.0F);
    const float b = fminf(fmaxf(high, -65504.0F), 65504.0F);
    const __half2 both = __floats2half2_rn(a, b);
    return *reinterpret_cast<const std::uint32_t*>(&both);
}
__device__ __forceinline__ float2 unpack(std::uint32_t x) { return __half22float2(*reinterpret_cast<const __half2*>(&x)); }

/// c[16, 8] += a[16, 16] · b[16, 8], float16 in, float32 out.
__device__ __forceinline__ void mmaHalf(float (&c)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t a2, std::uint32_t a3,
                                        std::uint32_t b0, std::uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mmaHalf(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1) {
    mmaHalf(c, a[0], a[1], a[2], a[3], b0, b1);
}
__device__ __forceinline__ std::uint32_t transpose8(std::uint32_t x) {
    std::uint32_t y;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;\n" : "=r"(y) : "r"(x));
    return y;
}

template <int kCount>
__device__ __forceinline__ void clear(float (&c)[kCount][4]) {
#pragma unroll
    for (auto& i : c)
#pragma unroll
        for (float& v : i) v = 0.0F;
}

/// Byte offset of 16-byte piece `piece` of row `row` in a tile whose rows are 256 bytes.
__device__ __forceinline__ std::uint32_t swizzle256(int row, int piece) {
    return static_cast<std::uint32_t>(row * 256 + ((piece ^ (row & 7)) << 4));
}

/// Rows [first, first + kChunk) of one head into a swizzled float16 tile, zeros from row `rows` on.
__device__ __forceinline__ void loadTile(std::uint8_t* tile, const __half* from, std::int64_t stride, int valid) {
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < kChunk * 16; i += kThreads) {
        const int row = i >> 4;
        const bool inside = row < valid;
        copyAsync16(sharedAddress(tile) + swizzle256(row, i & 15), from + (inside ? row * stride : 0) + (i & 15) * 8, inside);
    }
}
__device__ __forceinline__ void loadTile(std::uint8_t* tile, const float* from, std::int64_t stride, int valid) {
#pragma unroll
    for (int i = static_cast<int>(threadIdx.x); i < kChunk * 16; i += kThreads) {
        const int row = i >> 4;
        float4 a = make_float4(0.0F, 0.0F, 0.0F, 0.0F);
        float4 b = a;
        if (row < valid) {
            const auto* source = reinterpret_cast<const float4*>(from + row * stride + (i & 15) * 8);
            a = source[0];
            b = source[1];
        }
        *reinterpret_cast<uint4*>(tile + swizzle256(row, i & 15)) =
            make_uint4(pack(a.x, a.y), pack(a.z, a.w), pack(b.x, b.y), pack(b.z, b.w));
    }
}

__device__ __forceinline__ constexpr int triangle(int row, int column) { return row * (row + 1) / 2 + column; }

struct PrepareShared {
    std::uint8_t k[kTileBytes];
    union {
        std::uint8_t q[kTileBytes];
        struct {
            std::uint8_t lower[kChunk * kChunk * 2];  // L below the diagonal blocks, the blocks' inverses on it
            union {
                float diagonal[kStrips][16][20];
                uint4 tw[kTriangle][32];  // A operands of T diag(e^G)
            };
        };
    };
    std::uint8_t v[kTileBytes];
    uint4 tu[kTriangle][32];  // B operands of Tᵀ
    float logs[kChunk];       // G
    float beta[kChunk];
};

/// The sums of the log decays of one chunk and what follows from them; one warp, two rows a lane.
__device__ void sumLogs(PrepareShared& sh, const float* decay, const float* beta, int stride, int valid, float* toEnd,
                        float* fromStart) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    float g[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int row = lane * 2 + i;
        g[i] = row < valid ? fmaxf(logf(decay[static_cast<std::int64_t>(row) * stride]), kLowestLog) : 0.0F;
        sh.beta[row] = row < valid ? beta[static_cast<std::int64_t>(row) * stride] : 0.0F;
    }
    float sum = g[0] + g[1];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        const float before = __shfl_up_sync(0xFFFFFFFFU, sum, d);
        if (lane >= d) sum += before;
    }
    float before = __shfl_up_sync(0xFFFFFFFFU, sum, 1);
    if (lane == 0) before = 0.0F;
    const float last = __shfl_sync(0xFFFFFFFFU, sum, 31);
    const float logs[2] = {before + g[0], sum};
    const float scale = rsqrtf(static_cast<float>(kDim));
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        sh.logs[lane * 2 + i] = logs[i];
        toEnd[lane * 2 + i] = __expf(last - logs[i]);
        fromStart[lane * 2 + i] = __expf(logs[i]) * scale;
    }
    if (lane < 4) toEnd[kChunk + lane] = __expf(last);
}

/// The inverse of I + a strict lower triangle of 16 rows by forward substitution, a lane a column (two lanes the same), as
/// float16 into the diagonal block of `lower`.
__device__ __forceinline__ void invertDiagonal(const float (&l)[16][20], std::uint8_t* lower, int strip, int lane) {
    const int column = lane & 15;
    float x[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) x[i] = i == column ? 1.0F : 0.0F;
#pragma unroll
    for (int i = 1; i < 16; ++i) {
        float row[16];
#pragma unroll
        for (int m = 0; m < i; m += 4) *reinterpret_cast<float4*>(row + m) = *reinterpret_cast<const float4*>(&l[i][m]);
        float sum[2] = {};
#pragma unroll
        for (int m = 0; m < i; ++m) sum[m & 1] += row[m] * x[m];
        x[i] -= sum[0] + sum[1];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int row = strip * 16 + i + (lane >> 4) * 8;
        const float value = lane < 16 ? x[i] : x[i + 8];
        *reinterpret_cast<__half*>(lower + swizzle128(row, strip * 2 + (column >> 3)) + (column & 7) * 2) =
            __float2half_rn(value);
    }
}

/// A block is a chunk of one value head; four warps. One function, since its parts share registers and the phases of the shared
/// memory: products of keys, L and its inverse, W, U.
template <class In>
__global__ void __launch_bounds__(kThreads, sizeof(In) == 2 ? 4 : 3)
    prepareKernel(GdnShape s, DeltaChunkRows<In> in, std::int64_t first, std::int64_t rows, Space to) {
    extern __shared__ __align__(1024) std::uint8_t raw[];
    PrepareShared& sh = *reinterpret_cast<PrepareShared*>(raw);
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int g = lane >> 2;
    const int t = lane & 3;
    const int head = static_cast<int>(blockIdx.x);
    const int perKey = s.valueHeads / s.keyHeads;
    const int keyHead = head / perKey;
    const bool writesKeys = head % perKey == 0;
    const std::int64_t chunk = blockIdx.y;  // of this batch
    const std::int64_t row0 = first + chunk * kChunk;
    const int valid = static_cast<int>(min(static_cast<std::int64_t>(kChunk), rows - row0));
    const std::int64_t valueTile = chunk * s.valueHeads + head;
    const std::int64_t keyTile = chunk * s.keyHeads + keyHead;
    gridRelease();
    gridWait();
    loadTile(sh.k, in.k + row0 * s.keys() + keyHead * kDim, s.keys(), valid);
    loadTile(sh.q, in.q + row0 * s.keys() + keyHead * kDim, s.keys(), valid);
    copyAsyncCommit();
    loadTile(sh.v, in.v + row0 * s.values() + head * kDim, s.values(), valid);
    copyAsyncCommit();
    if (warp == 0)
        sumLogs(sh, in.decay + row0 * s.valueHeads + head, in.beta + row0 * s.valueHeads + head, s.valueHeads, valid,
                to.toEnd + valueTile * kEndFloats, to.fromStart + valueTile * kChunk);
    copyAsyncWait<1>();
    __syncthreads();
    // KKᵀ's strip `warp` and QKᵀ's strip 3 - warp, up to the diagonal: five blocks a warp.
    const int strip = warp;
    const int queryStrip = kStrips - 1 - warp;
    const std::uint32_t kTile = sharedAddress(sh.k);
    const std::uint32_t qTile = sharedAddress(sh.q);
    const int rowA = lane & 15;
    const int rowB = (lane & 7) + ((lane >> 4) << 3);
    float kk[kStrips * 2][4];
    float qk[kStrips * 2][4];
    clear(kk);
    clear(qk);
#pragma unroll
    for (int step = 0; step < kKeySteps; ++step) {
        std::uint32_t a[4];
        std::uint32_t q[4];
        loadMatrix4(a, kTile + swizzle256(strip * 16 + rowA, step * 2 + (lane >> 4)));
        loadMatrix4(q, qTile + swizzle256(queryStrip * 16 + rowA, step * 2 + (lane >> 4)));
        if (writesKeys)
            reinterpret_cast<uint4*>(to.q + keyTile * kTileBytes)[(step * kStrips + queryStrip) * 32 + lane] =
                make_uint4(q[0], q[1], q[2], q[3]);
#pragma unroll
        for (int block = 0; block < kStrips; ++block) {
            if (block > strip && block > queryStrip) continue;
            std::uint32_t b[4];
            loadMatrix4(b, kTile + swizzle256(block * 16 + rowB, step * 2 + ((lane >> 3) & 1)));
            if (block <= strip) {
                mmaHalf(kk[block * 2], a, b[0], b[1]);
                mmaHalf(kk[block * 2 + 1], a, b[2], b[3]);
            }
            if (block <= queryStrip) {
                mmaHalf(qk[block * 2], q, b[0], b[1]);
                mmaHalf(qk[block * 2 + 1], q, b[2], b[3]);
            }
        }
    }
    __syncthreads();  // q is read; its memory is L's now
    const float scale = rsqrtf(static_cast<float>(kDim));
    {
        const int i0 = strip * 16 + g;
        const float logs[2] = {sh.logs[i0], sh.logs[i0 + 8]};
        const float beta[2] = {sh.beta[i0], sh.beta[i0 + 8]};
        const int p0 = queryStrip * 16 + g;
        const float queryLogs[2] = {sh.logs[p0], sh.logs[p0 + 8]};
        uint4* mask = reinterpret_cast<uint4*>(to.mask + valueTile * kMaskBytes);
#pragma unroll
        for (int block = 0; block < kStrips; ++block) {
            std::uint32_t p[4] = {};
#pragma unroll
            for (int n = 0; n < 2; ++n) {
                const int j = block * 16 + n * 8 + t * 2;
                const float2 from = *reinterpret_cast<const float2*>(&sh.logs[j]);
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    if (block <= strip) {
                        const int i = i0 + half * 8;
                        const float x = j < i ? kk[block * 2 + n][half * 2] * beta[half] * __expf(logs[half] - from.x) : 0.0F;
                        const float y =
                            j + 1 < i ? kk[block * 2 + n][half * 2 + 1] * beta[half] * __expf(logs[half] - from.y) : 0.0F;
                        if (block == strip)
                            *reinterpret_cast<float2*>(&sh.diagonal[strip][g + half * 8][n * 8 + t * 2]) = make_float2(x, y);
                        else
                            *reinterpret_cast<std::uint32_t*>(sh.lower + swizzle128(i, block * 2 + n) + t * 4) = pack(x, y);
                    }
                    if (block <= queryStrip) {
                        const int i = p0 + half * 8;
                        const float x = j <= i ? qk[block * 2 + n][half * 2] * scale * __expf(queryLogs[half] - from.x) : 0.0F;
                        const float y =
                            j + 1 <= i ? qk[block * 2 + n][half * 2 + 1] * scale * __expf(queryLogs[half] - from.y) : 0.0F;
                        p[n * 2 + half] = pack(x, y);
                    }
                }
            }
            if (block <= queryStrip) mask[triangle(queryStrip, block) * 32 + lane] = make_uint4(p[0], p[1], p[2], p[3]);
        }
    }
    __syncwarp();
    invertDiagonal(sh.diagonal[strip], sh.lower, strip, lane);
    copyAsyncWait<0>();
    __syncthreads();  // L and the diagonal's inverses are complete, v has come
    // Column block `warp` of T, from the diagonal down, transposed: T_ijᵀ = -(Σ_m T_mjᵀ L_imᵀ) T_iiᵀ.
    {
        const std::uint32_t lower = sharedAddress(sh.lower);
        const int column = warp;
        const int j0 = column * 16 + g;
        const float beta[2] = {sh.beta[j0], sh.beta[j0 + 8]};
        const float decayed[2] = {beta[0] * __expf(sh.logs[j0]), beta[1] * __expf(sh.logs[j0 + 8])};
        std::uint32_t done[kStrips][4];  // A operands of T_mjᵀ
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            if (i < column) continue;
            float y[2][4];
            if (i == column) {
                loadMatrix4Transposed(done[i], lower + swizzle128(column * 16 + rowB, column * 2 + ((lane >> 3) & 1)));
#pragma unroll
                for (int r = 0; r < 4; ++r) {
                    const float2 both = unpack(done[i][r]);
                    y[r >> 1][(r & 1) * 2] = both.x;
                    y[r >> 1][(r & 1) * 2 + 1] = both.y;
                }
            } else {
                float x[2][4];
                clear(x);
#pragma unroll
                for (int m = 0; m < i; ++m) {
                    if (m < column) continue;
                    std::uint32_t b[4];
                    loadMatrix4(b, lower + swizzle128(i * 16 + rowB, m * 2 + ((lane >> 3) & 1)));
                    mmaHalf(x[0], done[m], b[0], b[1]);
                    mmaHalf(x[1], done[m], b[2], b[3]);
                }
                const std::uint32_t a[4] = {pack(-x[0][0], -x[0][1]), pack(-x[0][2], -x[0][3]), pack(-x[1][0], -x[1][1]),
                                            pack(-x[1][2], -x[1][3])};
                std::uint32_t b[4];
                loadMatrix4(b, lower + swizzle128(i * 16 + rowB, i * 2 + ((lane >> 3) & 1)));
                clear(y);
                mmaHalf(y[0], a, b[0], b[1]);
                mmaHalf(y[1], a, b[2], b[3]);
#pragma unroll
                for (int r = 0; r < 4; ++r) done[i][r] = pack(y[r >> 1][(r & 1) * 2], y[r >> 1][(r & 1) * 2 + 1]);
            }
            // y is [j = g, g + 8][i = 2t, 2t + 1 of both tiles]; the operands of the next products want [i][j].
            std::uint32_t u[4];
            std::uint32_t w[4];
#pragma unroll
            for (int r = 0; r < 4; ++r) {
                const float x0 = y[r >> 1][(r & 1) * 2];
                const float x1 = y[r >> 1][(r & 1) * 2 + 1];
                u[r] = transpose8(pack(x0 * beta[r & 1], x1 * beta[r & 1]));
                w[r] = transpose8(pack(x0 * decayed[r & 1], x1 * decayed[r & 1]));
            }
            sh.tu[triangle(i, column)][lane] = make_uint4(u[0], u[1], u[2], u[3]);
            sh.tw[triangle(i, column)][lane] = make_uint4(w[0], w[2], w[1], w[3]);
        }
    }
    __syncthreads();
    {  // W, columns [32 warp, 32 warp + 32)
        std::uint32_t b[kStrips][2][4];
#pragma unroll
        for (int step = 0; step < kStrips; ++step)
#pragma unroll
            for (int n = 0; n < 2; ++n) {
                loadMatrix4Transposed(b[step][n], kTile + swizzle256(step * 16 + rowA, (warp * 2 + n) * 2 + (lane >> 4)));
                if (writesKeys)
                    reinterpret_cast<uint4*>(to.k + keyTile * kTileBytes)[(step * kKeySteps + warp * 2 + n) * 32 + lane] =
                        make_uint4(b[step][n][0], b[step][n][1], b[step][n][2], b[step][n][3]);
            }
        uint4* out = reinterpret_cast<uint4*>(to.w + valueTile * kTileBytes);
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            float c[4][4];
            clear(c);
#pragma unroll
            for (int step = 0; step <= i; ++step) {
                const uint4 a = sh.tw[triangle(i, step)][lane];
#pragma unroll
                for (int n = 0; n < 4; ++n)
                    mmaHalf(c[n], a.x, a.y, a.z, a.w, b[step][n >> 1][(n & 1) * 2], b[step][n >> 1][(n & 1) * 2 + 1]);
            }
#pragma unroll
            for (int n = 0; n < 2; ++n)
                out[((warp * 2 + n) * kStrips + i) * 32 + lane] =
                    make_uint4(pack(c[n * 2][0], c[n * 2][1]), pack(c[n * 2 + 1][0], c[n * 2 + 1][1]),
                               pack(c[n * 2][2], c[n * 2][3]), pack(c[n * 2 + 1][2], c[n * 2 + 1][3]));
        }
    }
    {  // Uᵀ, rows [32 warp, 32 warp + 32)
        const std::uint32_t vTile = sharedAddress(sh.v);
        std::uint32_t a[kStrips][2][4];
#pragma unroll
        for (int step = 0; step < kStrips; ++step)
#pragma unroll
            for (int m = 0; m < 2; ++m)
                loadMatrix4Transposed(a[step][m], vTile + swizzle256(step * 16 + rowB, (warp * 2 + m) * 2 + ((lane >> 3) & 1)));
        uint4* out = reinterpret_cast<uint4*>(to.u + valueTile * kTileBytes);
#pragma unroll
        for (int i = 0; i < kStrips; ++i) {
            float c[4][4];  // [m · 2 + n]
            clear(c);
#pragma unroll
            for (int step = 0; step <= i; ++step) {
                const uint4 b = sh.tu[triangle(i, step)][lane];
#pragma unroll
                for (int m = 0; m < 2; ++m) {
                    mmaHalf(c[m * 2], a[step][m], b.x, b.y);
                    mmaHalf(c[m * 2 + 1], a[step][m], b.z, b.w);
                }
            }
#pragma unroll
            for (int m = 0; m < 2; ++m)
                out[((warp * 2 + m) * kStrips + i) * 32 + lane] =
                    make_uint4(pack(c[m * 2][0], c[m * 2][1]), pack(c[m * 2][2], c[m * 2][3]),
                               pack(c[m * 2 + 1][0], c[m * 2 + 1][1]), pack(c[m * 2 + 1][2], c[m * 2 + 1][3]));
        }
    }
}

/// What the change of the state needs of a chunk.
struct ChangeTile {
    uint4 w[kKeySteps * kStrips][32];
    uint4 k[kStrips * kKeySteps][32];
    float toEnd[kEndFloats];
};
/// What the outputs need.
struct ReadTile {
    uint4 q[kKeySteps * kStrips][32];
    uint4 mask[kTriangle][32];
    float fromStart[kChunk];
};
/// What the warps that carry the state hand to those that compute outputs: float16 operands of the state before a chunk, of D.
struct Handed {
    uint4 state[kColumns / 16][kKeySteps][32];
    uint4 delta[kColumns / 16][kStrips][32];
};
struct ScanShared {
    ChangeTile change[kStages];
    ReadTile read[kStages];
    Handed handed[2];
};

/// Where the tiles of a chunk of one head stand.
struct Source {
    const std::uint8_t* w;
    const std::uint8_t* k;
    const float* toEnd;
    const std::uint8_t* q;
    const std::uint8_t* mask;
    const float* fromStart;
};
__device__ __forceinline__ Source sourceOf(const GdnShape& s, const Space& from, int chunk, int head, int keyHead) {
    const std::int64_t tile = static_cast<std::int64_t>(chunk) * s.valueHeads + head;
    const std::int64_t keyTile = static_cast<std::int64_t>(chunk) * s.keyHeads + keyHead;
    return {from.w + tile * kTileBytes,    from.k + keyTile * kTileBytes, from.toEnd + tile * kEndFloats,
            from.q + keyTile * kTileBytes, from.mask + tile * kMaskBytes, from.fromStart + tile * kChunk};
}

template <int kBytes>
__device__ __forceinline__ void fetchBytes(void* to, const void* from) {
    static_assert(kBytes % 16 == 0);
    const std::uint32_t target = sharedAddress(to);
    const auto* source = static_cast<const std::uint8_t*>(from);
#pragma unroll
    for (int i = 0; i < kBytes / 16; i += kThreads) {
        const int at = i + static_cast<int>(threadIdx.x);
        if (kBytes / 16 % kThreads == 0 || at < kBytes / 16) copyAsync16(target + at * 16, source + at * 16, true);
    }
}

/// One warp: 16 columns of the state through one chunk, transposed, so that results are operands of the next product without
/// leaving the warp. `u` is the chunk's U; the state before the chunk and D go to `handed`.
__device__ __forceinline__ void carryChunk(float (&st)[kDim / 8][4], const uint4 (&u)[kStrips], const ChangeTile& now,
                                           uint4 (&stateOut)[kKeySteps][32], uint4 (&deltaOut)[kStrips][32]) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int t = lane & 3;
    float d[kStrips * 2][4];
    clear(d);
#pragma unroll
    for (int k = 0; k < kKeySteps; ++k) {
        const std::uint32_t a[4] = {pack(st[k * 2][0], st[k * 2][1]), pack(st[k * 2][2], st[k * 2][3]),
                                    pack(st[k * 2 + 1][0], st[k * 2 + 1][1]), pack(st[k * 2 + 1][2], st[k * 2 + 1][3])};
        stateOut[k][lane] = make_uint4(a[0], a[1], a[2], a[3]);
#pragma unroll
        for (int n = 0; n < kStrips; ++n) {
            const uint4 b = now.w[k * kStrips + n][lane];
            mmaHalf(d[n * 2], a, b.x, b.y);
            mmaHalf(d[n * 2 + 1], a, b.z, b.w);
        }
    }
    const float whole = now.toEnd[kChunk];
#pragma unroll
    for (auto& i : st)
#pragma unroll
        for (float& v : i) v *= whole;
    std::uint32_t scaled[kStrips][4];
#pragma unroll
    for (int n = 0; n < kStrips; ++n) {
        const std::uint32_t us[4] = {u[n].x, u[n].y, u[n].z, u[n].w};
        std::uint32_t plain[4];
#pragma unroll
        for (int r = 0; r < 4; ++r) {  // tile r / 2, column g + 8 (r & 1) of the state
            const float2 value = unpack(us[r]);
            const float2 factor = *reinterpret_cast<const float2*>(&now.toEnd[n * 16 + (r >> 1) * 8 + t * 2]);
            const float x = value.x - d[n * 2 + (r >> 1)][(r & 1) * 2];
            const float y = value.y - d[n * 2 + (r >> 1)][(r & 1) * 2 + 1];
            plain[r] = pack(x, y);
            scaled[n][r] = pack(x * factor.x, y * factor.y);
        }
        deltaOut[n][lane] = make_uint4(plain[0], plain[1], plain[2], plain[3]);
    }
#pragma unroll
    for (int k = 0; k < kStrips; ++k)
#pragma unroll
        for (int n = 0; n < kKeySteps; ++n) {
            const uint4 b = now.k[k * kKeySteps + n][lane];
            mmaHalf(st[n * 2], scaled[k], b.x, b.y);
            mmaHalf(st[n * 2 + 1], scaled[k], b.z, b.w);
        }
}

/// c += a · b for a strip of 16 rows and the 32 columns whose transposed operands are `left` and `right`.
__device__ __forceinline__ void readProduct(float (&c)[4][4], const uint4& a, const uint4& left, const uint4& right) {
    mmaHalf(c[0], a.x, a.y, a.z, a.w, left.x, left.z);
    mmaHalf(c[1], a.x, a.y, a.z, a.w, left.y, left.w);
    mmaHalf(c[2], a.x, a.y, a.z, a.w, right.x, right.z);
    mmaHalf(c[3], a.x, a.y, a.z, a.w, right.y, right.w);
}

/// One warp: the outputs of 32 rows (strips 2 part and 2 part + 1) of a chunk. c[strip][tile of 8 columns].
__device__ __forceinline__ void readChunk(float (&c)[2][4][4], const ReadTile& now, const Handed& handed, int part) {
    const int lane = static_cast<int>(threadIdx.x) & 31;
    const int g = lane >> 2;
    clear(c[0]);
    clear(c[1]);
#pragma unroll
    for (int k = 0; k < kKeySteps; ++k) {
        const uint4 left = handed.state[0][k][lane];
        const uint4 right = handed.state[1][k][lane];
#pragma unroll
        for (int m = 0; m < 2; ++m) readProduct(c[m], now.q[k * kStrips + part * 2 + m][lane], left, right);
    }
#pragma unroll
    for (int m = 0; m < 2; ++m) {
        const float factor[2] = {now.fromStart[(part * 2 + m) * 16 + g], now.fromStart[(part * 2 + m) * 16 + g + 8]};
#pragma unroll
        for (auto& n : c[m])
#pragma unroll
            for (int r = 0; r < 4; ++r) n[r] *= factor[r >> 1];
    }
#pragma unroll
    for (int k = 0; k < kStrips; ++k) {
        if (k > part * 2 + 1) continue;
        const uint4 left = handed.delta[0][k][lane];
        const uint4 right = handed.delta[1][k][lane];
#pragma unroll
        for (int m = 0; m < 2; ++m)
            if (k <= part * 2 + m) readProduct(c[m], now.mask[triangle(part * 2 + m, k)][lane], left, right);
    }
}

/// Four lanes hold 32 columns of a row: lane t columns 8 n + 2 t and the next one of each n.
__device__ __forceinline__ void storeRow(float* to, const float (&pairs)[4][2], int t, bool valid) {
    if (!valid) return;
#pragma unroll
    for (int n = 0; n < 4; ++n) *reinterpret_cast<float2*>(to + n * 8 + t * 2) = make_float2(pairs[n][0], pairs[n][1]);
}
/// In float16 the lanes exchange what they have, so that each writes eight columns that follow each other.
__device__ __forceinline__ void storeRow(__half* to, const float (&pairs)[4][2], int t, bool valid) {
    std::uint32_t w[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) w[n] = pack(pairs[n][0], pairs[n][1]);
    const bool odd = (t & 1) != 0;
#pragma unroll
    for (int n = 0; n < 4; n += 2) {
        const std::uint32_t other = __shfl_xor_sync(0xFFFFFFFFU, odd ? w[n] : w[n + 1], 1);
        if (odd)
            w[n] = other;
        else
            w[n + 1] = other;
    }
    const bool upper = t >= 2;
#pragma unroll
    for (int n = 0; n < 2; ++n) {
        const std::uint32_t other = __shfl_xor_sync(0xFFFFFFFFU, upper ? w[n] : w[n + 2], 2);
        if (upper)
            w[n] = other;
        else
            w[n + 2] = other;
    }
    if (valid) *reinterpret_cast<uint4*>(to + t * 8) = make_uint4(w[0], w[1], w[2], w[3]);
}

/// A block is kColumns columns of one value head's state. Warps 0 and 1 carry the state through the chunks, warps 2 and 3 compute
/// the outputs of the chunk before.
template <class Out>
__global__ void __launch_bounds__(kThreads, 1) scanKernel(GdnShape s, Space from, int chunks, std::int64_t first,
                                                          std::int64_t rows, const float* stateIn, float* stateOut, Out* o) {
    extern __shared__ __align__(1024) std::uint8_t raw[];
    ScanShared& sh = *reinterpret_cast<ScanShared*>(raw);
    const int thread = static_cast<int>(threadIdx.x);
    const int lane = thread & 31;
    const int warp = thread >> 5;
    const int g = lane >> 2;
    const int t = lane & 3;
    const int head = static_cast<int>(blockIdx.x) / (kDim / kColumns);
    const int slice = static_cast<int>(blockIdx.x) % (kDim / kColumns);
    const int keyHead = head * s.keyHeads / s.valueHeads;
    gridRelease();
    gridWait();
    const auto fetchChange = [&](int chunk) {
        if (chunk >= chunks) return;
        ChangeTile& to = sh.change[chunk % kStages];
        const Source source = sourceOf(s, from, chunk, head, keyHead);
        fetchBytes<kTileBytes>(to.w, source.w);
        fetchBytes<kTileBytes>(to.k, source.k);
        fetchBytes<kEndFloats * 4>(to.toEnd, source.toEnd);
    };
    const auto fetchRead = [&](int chunk) {
        if (chunk >= chunks || o == nullptr) return;
        ReadTile& to = sh.read[chunk % kStages];
        const Source source = sourceOf(s, from, chunk, head, keyHead);
        fetchBytes<kTileBytes>(to.q, source.q);
        fetchBytes<kMaskBytes>(to.mask, source.mask);
        fetchBytes<kChunk * 4>(to.fromStart, source.fromStart);
    };
    const bool carries = warp < 2;
    const int part = warp & 1;
    const int columnTile = slice * (kColumns / 16) + part;
    const std::int64_t own = static_cast<std::int64_t>(head) * kDim * kDim + columnTile * 16 + g;
    float st[kDim / 8][4];
    uint4 u[kStrips];
    const auto fetchU = [&](int chunk) {
        const auto* tile =
            reinterpret_cast<const uint4*>(from.u + (static_cast<std::int64_t>(chunk) * s.valueHeads + head) * kTileBytes);
#pragma unroll
        for (int i = 0; i < kStrips; ++i) u[i] = __ldg(tile + (columnTile * kStrips + i) * 32 + lane);
    };
    // The outputs of a chunk come one step after its change of the state.
#pragma unroll
    for (int i = 0; i < kStages - 1; ++i) {
        fetchChange(i);
        if (i > 0) fetchRead(i - 1);
        copyAsyncCommit();
    }
    if (carries) {
#pragma unroll
        for (int n = 0; n < kDim / 8; ++n)
#pragma unroll
            for (int r = 0; r < 4; ++r) st[n][r] = stateIn[own + (n * 8 + t * 2 + (r & 1)) * kDim + (r >> 1) * 8];
        fetchU(0);
    }
    for (int step = 0; step <= chunks; ++step) {
        copyAsyncWait<kStages - 2>();
        __syncthreads();
        fetchChange(step + kStages - 1);
        fetchRead(step + kStages - 2);
        copyAsyncCommit();
        if (carries) {
            if (step == chunks) break;
            const uint4 now[kStrips] = {u[0], u[1], u[2], u[3]};
            if (step + 1 < chunks) fetchU(step + 1);
            Handed& handed = sh.handed[step & 1];
            carryChunk(st, now, sh.change[step % kStages], handed.state[part], handed.delta[part]);
        } else if (step > 0 && o != nullptr) {
            const int chunk = step - 1;
            float c[2][4][4];
            readChunk(c, sh.read[chunk % kStages], sh.handed[chunk & 1], part);
#pragma unroll
            for (int m = 0; m < 2; ++m)
#pragma unroll
                for (int half = 0; half < 2; ++half) {
                    const std::int64_t row = first + chunk * kChunk + (part * 2 + m) * 16 + g + half * 8;
                    const float pairs[4][2] = {{c[m][0][half * 2], c[m][0][half * 2 + 1]},
                                               {c[m][1][half * 2], c[m][1][half * 2 + 1]},
                                               {c[m][2][half * 2], c[m][2][half * 2 + 1]},
                                               {c[m][3][half * 2], c[m][3][half * 2 + 1]}};
                    storeRow(o + row * s.values() + head * kDim + slice * kColumns, pairs, t, row < rows);
                }
        }
    }
    if (carries && stateOut != nullptr)
#pragma unroll
        for (int n = 0; n < kDim / 8; ++n)
#pragma unroll
            for (int r = 0; r < 4; ++r) stateOut[own + (n * 8 + t * 2 + (r & 1)) * kDim + (r >> 1) * 8] = st[n][r];
}

std::int64_t chunksOf(std::int64_t rows) { return (rows + kChunk - 1) / kChunk; }

}  // namespace

bool deltaChunkSupports(const GdnShape& shape, std::size_t sharedBytes) {
    return shape.keyDim == kDim && shape.valueDim == kDim && shape.keyHeads > 0 && shape.valueHeads % shape.keyHeads == 0 &&
           sharedBytes >= sizeof(ScanShared);
}

std::size_t deltaChunkBytes(const GdnShape& shape, std::int64_t rows, std::int64_t batch) {
    Space space;
    return carve(shape, chunksOf(std::min(rows, batch)), nullptr, space);
}

template <class T>
cudaError_t deltaChunk(const Launcher& on, const GdnShape& shape, const DeltaChunkRows<T>& in, std::int64_t rows, float* state,
                       bool update, T* o, void* space, const DeltaChunkPlan& plan) {
    const std::int64_t perBatch = chunksOf(std::min(rows, plan.batch));
    Space to;
    carve(shape, perBatch, space, to);
    const float* stateIn = state;
    for (std::int64_t first = 0; first < rows; first += perBatch * kChunk) {
        const std::int64_t chunks = std::min(perBatch, chunksOf(rows - first));
        const bool last = first + perBatch * kChunk >= rows;
        float* const stateOut = update ? state : (last ? nullptr : to.state);
        const dim3 grid(static_cast<unsigned>(shape.valueHeads), static_cast<unsigned>(chunks));
        cudaError_t error = launch(on, prepareKernel<T>, grid, dim3(kThreads), sizeof(PrepareShared), shape, in, first, rows, to);
        if (error != cudaSuccess) return error;
        const dim3 slices(static_cast<unsigned>(shape.valueHeads * (kDim / kColumns)));
        error = launch(on, scanKernel<T>, slices, dim3(kThreads), sizeof(ScanShared), shape, to, static_cast<int>(chunks), first,
                       rows, stateIn, stateOut, o);
        if (error != cudaSuccess) return error;
        stateIn = stateOut;
    }
    return cudaSuccess;
}
template cudaError_t deltaChunk<float>(const Launcher&, const GdnShape&, const DeltaChunkRows<float>&, std::int64_t, float*, bool,
                                       float*, void*, const DeltaChunkPlan&);
template cudaError_t deltaChunk<__half>(const Launcher&, const GdnShape&, const DeltaChunkRows<__half>&, std::int64_t, float*,
                                        bool, __half*, void*, const DeltaChunkPlan&);

}  // namespace trefoil::cuda
