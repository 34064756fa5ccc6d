#include "kernels/cpu/attention.h"

#include "kernels/reference/operators.h"
#include "tests/kernels/kernel_test_support.h"

#include <algorithm>
#include <cstring>

namespace trefoil::test {
namespace {

using kernels::KeyValueCache;

struct Prefix {
    std::int64_t heads;
    std::int64_t headDim;
    std::int64_t positions;
    Floats keys;    ///< [heads, positions, Dh]
    Floats values;  ///< [heads, positions, Dh]

    Prefix(std::int64_t headCount, std::int64_t dim, std::int64_t count)
        : heads(headCount),
          headDim(dim),
          positions(count),
          keys(randomFloats(headCount * count * dim, 1)),
          values(randomFloats(headCount * count * dim, 2)) {}

    void store(KeyValueCache& cache, std::int64_t first, std::int64_t end) const {
        for (std::int64_t h = 0; h < heads; ++h)
            for (std::int64_t p = first; p < end; ++p)
                cache.store(h, p, keys.data() + (h * positions + p) * headDim, values.data() + (h * positions + p) * headDim);
    }

    [[nodiscard]] Floats expected(const Floats& query, std::int64_t head, std::int64_t visible) const {
        return reference::attention(query, slice(keys, head * positions * headDim, positions * headDim),
                                    slice(values, head * positions * headDim, positions * headDim), visible, headDim);
    }
};

/// Rows of `queries` [R, Dh] that see visible[r] positions.
std::vector<Floats> attendRows(const KeyValueCache& cache, std::int64_t head, const Floats& queries,
                               const std::vector<std::int64_t>& visible) {
    std::vector<const float*> query;
    for (std::size_t r = 0; r < visible.size(); ++r)
        query.push_back(queries.data() + static_cast<std::int64_t>(r) * cache.headDim());
    const std::int64_t width = cache.dimPanels() * kernels::kPanel;
    Floats out(visible.size() * static_cast<std::size_t>(width));
    kernels::AlignedArray<float> scratch(kernels::attentionScratch());
    kernels::attend(cache, head, query, visible, scratch.data(), out.data());
    std::vector<Floats> rows;
    for (std::size_t r = 0; r < visible.size(); ++r)
        rows.push_back(slice(out, static_cast<std::int64_t>(r) * width, cache.headDim()));
    return rows;
}

class Attention : public EveryInstructionSet {};

TEST_P(Attention, EqualsTwinForEveryPrefixLength) {
    for (const std::int64_t dim : {1, 16, 40, 64})
        for (const std::int64_t positions : {1, 31, 32, 33, 511, 512, 513, 1100}) {
            SCOPED_TRACE(testing::Message() << "Dh " << dim << ", " << positions << " positions");
            const Prefix prefix(2, dim, positions);
            KeyValueCache cache(2, dim, positions);
            prefix.store(cache, 0, positions);
            const Floats queries = randomFloats(11 * dim, 3, 0.5F);
            std::vector<std::int64_t> visible;
            for (std::int64_t r = 0; r < 11; ++r) visible.push_back(std::max<std::int64_t>(1, positions - 10 + r));
            const auto rows = attendRows(cache, 1, queries, visible);
            for (std::size_t r = 0; r < rows.size(); ++r)
                EXPECT_LE(relativeError(rows[r],
                                        prefix.expected(slice(queries, static_cast<std::int64_t>(r) * dim, dim), 1, visible[r])),
                          1e-5)
                    << "row " << r;
        }
}

TEST_P(Attention, ARowDoesNotDependOnTheRowsAroundIt) {
    const Prefix prefix(1, 24, 700);
    KeyValueCache cache(1, 24, 700);
    prefix.store(cache, 0, 700);
    const Floats queries = randomFloats(7 * 24, 4);
    const std::vector<std::int64_t> visible{500, 511, 512, 513, 600, 699, 700};
    const auto together = attendRows(cache, 0, queries, visible);
    for (std::size_t r = 0; r < visible.size(); ++r)
        EXPECT_EQ(attendRows(cache, 0, slice(queries, static_cast<std::int64_t>(r) * 24, 24), {visible[r]})[0], together[r]);
}

TEST_P(Attention, LargeScoresStayFinite) {
    const Prefix prefix(1, 8, 40);
    KeyValueCache cache(1, 8, 40);
    prefix.store(cache, 0, 40);
    const Floats query = randomFloats(8, 5, 200.0F);
    EXPECT_LE(relativeError(attendRows(cache, 0, query, {40})[0], prefix.expected(query, 0, 40)), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Cpu, Attention, testing::ValuesIn(kernels::availableInstructionSets()), instructionSetTestName);

TEST(KeyValueCacheTest, GrowingKeepsWhatIsThere) {
    const Prefix prefix(3, 20, 300);
    KeyValueCache grown(3, 20, 0);
    for (std::int64_t p = 0; p < 300; p += 30) {
        grown.reserve(p + 30, p);
        prefix.store(grown, p, p + 30);
    }
    KeyValueCache whole(3, 20, 300);
    prefix.store(whole, 0, 300);
    const Floats query = randomFloats(20, 6);
    for (std::int64_t h = 0; h < 3; ++h) EXPECT_EQ(attendRows(grown, h, query, {300}), attendRows(whole, h, query, {300}));
    const KeyValueCache copy = grown.copy(170);
    EXPECT_EQ(attendRows(copy, 2, query, {170}), attendRows(whole, 2, query, {170}));
    EXPECT_EQ(whole.bytes(), KeyValueCache::plannedBytes(3, 20, 300));
}

TEST(Rotary, EqualsTwin) {
    for (const std::int64_t position : {0, 1, 77, 8191}) {
        const Floats x = randomFloats(64, 7);
        Floats cosines(8);
        Floats sines(8);
        kernels::rotaryAngles(position, 16, 1e5F, cosines.data(), sines.data());
        Floats turned = x;
        kernels::rotate(turned.data(), 16, cosines.data(), sines.data());
        // Angles are float32 by contract: at far positions they differ from exact ones by their own rounding.
        EXPECT_LE(relativeError(turned, reference::rotate(x, position, 16, 1e5F)), position > 1000 ? 2e-4 : 1e-5) << position;
        EXPECT_EQ(slice(turned, 16, 48), slice(x, 16, 48));
    }
}

}  // namespace
}  // namespace trefoil::test
