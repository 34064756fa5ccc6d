#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matrix_product.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep

#include "kernels/cpu/matrix_product.h"
#include "kernels/cpu/vector_math-inl.h"

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace trefoil::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, static_cast<std::size_t>(kHalfPanel)>;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(Lanes()));
using Vector = hn::Vec<Lanes>;

// Rows of one tile: two accumulators each, two vectors of weights and one of input must fit into the registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kTileRows = 11;  // 12 would fit, but not the pointers to 12 rows
#else
constexpr int kTileRows = 6;
#endif

/// Weights come from the third-level cache or from memory, once a pass: they are asked for this many steps ahead. The next panel
/// follows in memory, so that its first rows are on their way when it is begun. Prefetching past the end does no harm.
constexpr std::int64_t kPrefetchRows = 48;

/// Two vectors of weights of one panel: columns [s, s + kLanes) of its left and of its right half.
template <WeightFormat kFormat>
HWY_INLINE void loadWeights(const std::byte* panel, std::int64_t k, std::int64_t s, Vector& left, Vector& right) {
    const Lanes d;
    if constexpr (kFormat == WeightFormat::BF16) {
        const hn::RebindToUnsigned<Lanes> du;
        const auto pairs = hn::Load(du, reinterpret_cast<const std::uint32_t*>(panel) + k * kHalfPanel + s);
        left = hn::BitCast(d, hn::ShiftLeft<16>(pairs));
        right = hn::BitCast(d, hn::And(pairs, hn::Set(du, 0xFFFF0000U)));
    } else if constexpr (kFormat == WeightFormat::F16) {
        const hn::Rebind<hwy::float16_t, Lanes> half;
        const auto* row = reinterpret_cast<const hwy::float16_t*>(panel) + k * kPanel + s;
        left = hn::PromoteTo(d, hn::Load(half, row));
        right = hn::PromoteTo(d, hn::Load(half, row + kHalfPanel));
    } else {
        const float* row = reinterpret_cast<const float*>(panel) + k * kPanel + s;
        left = hn::Load(d, row);
        right = hn::Load(d, row + kHalfPanel);
    }
}

HWY_INLINE void finish(Vector left, Vector right, float* y, std::int64_t s, Epilogue epilogue) {
    const Lanes d;
    if (epilogue == Epilogue::SiluPair) {
        hn::StoreU(hn::Mul(silu(d, left), right), d, y + s);
        return;
    }
    if (epilogue == Epilogue::Add) {
        left = hn::Add(hn::LoadU(d, y + s), left);
        right = hn::Add(hn::LoadU(d, y + kHalfPanel + s), right);
    }
    hn::StoreU(left, d, y + s);
    hn::StoreU(right, d, y + kHalfPanel + s);
}

/// Columns [first, first + count) of a product, of which `panel` holds the weights: the whole of it, or (sums not null) one part
/// of several, which begins with what the part before left in sums [rows][32].
struct Stretch {
    const std::byte* panel;
    std::int64_t first;
    std::int64_t count;
    float* sums;
    bool begins;
    bool ends;
};

template <WeightFormat kFormat, int kRows>
HWY_NOINLINE void tile(const Stretch& part, const float* const* x, float* const* y, Epilogue epilogue) {
    const Lanes d;
    const std::byte* panel = part.panel;
    for (std::int64_t s = 0; s < kHalfPanel; s += kLanes) {
        Vector left[kRows];
        Vector right[kRows];
        const float* row[kRows];
        HWY_UNROLL(16) for (int r = 0; r < kRows; ++r) {
            left[r] = part.begins ? hn::Zero(d) : hn::Load(d, part.sums + r * kPanel + s);
            right[r] = part.begins ? hn::Zero(d) : hn::Load(d, part.sums + r * kPanel + kHalfPanel + s);
            row[r] = x[r] + part.first;
        }
        for (std::int64_t k = 0; k < part.count; ++k) {
            Vector w0;
            Vector w1;
            loadWeights<kFormat>(panel, k, s, w0, w1);
            hwy::Prefetch(panel + (k + kPrefetchRows) * kPanel * formatBytes(kFormat));
            HWY_UNROLL(16) for (int r = 0; r < kRows; ++r) {
                const Vector value = hn::Set(d, row[r][k]);
                left[r] = hn::MulAdd(value, w0, left[r]);
                right[r] = hn::MulAdd(value, w1, right[r]);
            }
        }
        if (part.ends) {
            HWY_UNROLL(16) for (int r = 0; r < kRows; ++r) finish(left[r], right[r], y[r], s, epilogue);
            continue;
        }
        HWY_UNROLL(16) for (int r = 0; r < kRows; ++r) {
            hn::Store(left[r], d, part.sums + r * kPanel + s);
            hn::Store(right[r], d, part.sums + r * kPanel + kHalfPanel + s);
        }
    }
}

template <WeightFormat kFormat, int kRows = kTileRows>
HWY_INLINE void tileOf(int rows, const Stretch& part, const float* const* x, float* const* y, Epilogue epilogue) {
    if (rows == kRows) return tile<kFormat, kRows>(part, x, y, epilogue);
    if constexpr (kRows > 1) tileOf<kFormat, kRows - 1>(rows, part, x, y, epilogue);
}

template <WeightFormat kFormat>
void product(Stretch part, const float* const* x, float* const* y, std::int64_t rows, Epilogue epilogue) {
    // Tiles of nearly equal height: 11, 11, 10 rather than 12, 12, 8.
    std::int64_t tiles = divideUp(rows, kTileRows);
    float* sums = part.sums;
    for (std::int64_t done = 0; tiles > 0; --tiles) {
        const std::int64_t height = divideUp(rows - done, tiles);
        part.sums = sums == nullptr ? nullptr : sums + done * kPanel;
        tileOf<kFormat>(static_cast<int>(height), part, x + done, y + done, epilogue);
        done += height;
    }
}

/// The weights are widened a tile at a time and meet all rows while they are in the first-level cache.
void quantisedProductTarget(const QuantisedLayout& layout, const std::byte* panel, std::int64_t columns, const float* const* x,
                            float* const* y, std::int64_t rows, Epilogue epilogue) {
    alignas(64) float weights[kTileColumns * kPanel];
    alignas(64) float sums[kProductRows * kPanel];
    for (std::int64_t first = 0; first < columns; first += kTileColumns) {
        const std::int64_t count = std::min(kTileColumns, columns - first);
        widenPanel(layout, panel, columns, first, count, weights);
        product<WeightFormat::F32>(
            {reinterpret_cast<const std::byte*>(weights), first, count, sums, first == 0, first + count == columns}, x, y, rows,
            epilogue);
    }
}

void panelProductTarget(WeightFormat format, const std::byte* panel, std::int64_t columns, const float* const* x, float* const* y,
                        std::int64_t rows, Epilogue epilogue) {
    const Stretch whole{panel, 0, columns, nullptr, true, true};
    switch (format) {
        case WeightFormat::F32:
            return product<WeightFormat::F32>(whole, x, y, rows, epilogue);
        case WeightFormat::F16:
            return product<WeightFormat::F16>(whole, x, y, rows, epilogue);
        case WeightFormat::BF16:
            return product<WeightFormat::BF16>(whole, x, y, rows, epilogue);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace trefoil::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#include <iterator>

namespace trefoil::kernels {

HWY_EXPORT(panelProductTarget);
HWY_EXPORT(quantisedProductTarget);

void panelProduct(WeightFormat format, const std::byte* panel, std::int64_t columns, const float* const* x, float* const* y,
                  std::int64_t rows, Epilogue epilogue) {
    HWY_DYNAMIC_DISPATCH(panelProductTarget)(format, panel, columns, x, y, rows, epilogue);
}

void panelProduct(const PackedMatrix& weights, std::int64_t item, std::int64_t panel, const float* const* x, float* const* y,
                  std::int64_t rows, Epilogue epilogue) {
    const std::byte* data = weights.panel(item, panel);
    if (!weights.quantised()) return panelProduct(weights.format(), data, weights.columns(), x, y, rows, epilogue);
    for (std::int64_t done = 0; done < rows; done += kProductRows) HWY_DYNAMIC_DISPATCH(quantisedProductTarget)
    (*weights.quantised(), data, weights.columns(), x + done, y + done, std::min(kProductRows, rows - done), epilogue);
}

namespace {

/// Rows of one task. A prompt chunk is cut into several, so that matrices with few panels still keep all threads busy.
constexpr std::int64_t kTaskRows = kProductRows;

std::int64_t tasksOf(const ProductJob& job) { return job.weights->panels() * divideUp(job.rows, kTaskRows); }

void runTask(const ProductJob& job, std::int64_t task) {
    const std::int64_t groups = divideUp(job.rows, kTaskRows);
    const std::int64_t panel = task / groups;
    const std::int64_t first = task % groups * kTaskRows;
    const std::int64_t rows = std::min(kTaskRows, job.rows - first);
    const std::int64_t width = job.epilogue == Epilogue::SiluPair ? kHalfPanel : kPanel;
    float* y[kTaskRows];
    for (std::int64_t r = 0; r < rows; ++r) y[r] = job.y[first + r] + panel * width;
    panelProduct(*job.weights, job.item, panel, job.x + first, y, rows, job.epilogue);
}

}  // namespace

void matrixProducts(ThreadPool& pool, std::span<ProductJob> jobs) {
    std::int64_t total = 0;
    for (ProductJob& job : jobs) {
        job.firstTask = total;
        total += tasksOf(job);
    }
    pool.run(total, [&](std::int64_t task, int) {
        const auto after = std::upper_bound(jobs.begin(), jobs.end(), task,
                                            [](std::int64_t t, const ProductJob& job) { return t < job.firstTask; });
        const ProductJob& job = *std::prev(after);
        runTask(job, task - job.firstTask);
    });
}

}  // namespace trefoil::kernels

#endif  // HWY_ONCE
