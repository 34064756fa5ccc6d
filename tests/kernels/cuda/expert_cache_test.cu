// The cache of experts on the card against its twin, pass by pass: the same decisions, and the right bytes in every slot.
#include "kernels/cuda/expert_cache.h"
#include "tests/kernels/cuda/device_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace trefoil::cuda {
namespace {

class Cache : public CudaTest {};

TEST_F(Cache, DecidesAndCopiesAsItsTwin) {
    constexpr std::int64_t kBytes = 48 * 1024 + 16;
    for (const auto& [experts, slots] : {std::pair{24, 6}, {256, 40}, {256, 200}, {7, 7}, {16, 0}}) {
        std::mt19937 random(static_cast<std::uint32_t>(experts * 1000 + slots));
        std::byte* records = nullptr;
        ASSERT_EQ(cudaMallocHost(&records, static_cast<std::size_t>(experts * kBytes)), cudaSuccess);
        for (std::int64_t i = 0; i < experts * kBytes; ++i) records[i] = static_cast<std::byte>(random() & 0xFF);
        LayerResult* result = nullptr;
        ASSERT_EQ(cudaMallocHost(&result, sizeof(LayerResult)), cudaSuccess);
        DeviceBuffer<const std::byte*> table(experts);
        DeviceBuffer<std::int32_t> slotOf(experts);
        DeviceBuffer<std::int32_t> expertIn(slots);
        DeviceBuffer<float> score(experts);
        DeviceBuffer<std::int32_t> stamp(experts);
        DeviceBuffer<std::int32_t> copyExpert(slots);
        DeviceBuffer<std::int32_t> copySlot(slots);
        DeviceBuffer<CacheWork> work(1);
        DeviceBuffer<std::byte> memory(slots * kBytes);
        const ExpertCache cache{table.data(),  slotOf.data(),     expertIn.data(), score.data(),
                                stamp.data(),  copyExpert.data(), copySlot.data(), work.data(),
                                memory.data(), records,           kBytes,          experts,
                                slots};
        ASSERT_EQ(clearCache(nullptr, cache), cudaSuccess);
        CacheState twin(experts, slots);
        DeviceBuffer<std::int32_t> count(1);
        DeviceBuffer<std::int32_t> active(experts + 1);
        const ActiveExperts entries{count.data(), active.data(), nullptr, nullptr};
        for (int pass = 0; pass < 60; ++pass) {
            std::vector<std::int32_t> named;
            const int most = 1 + static_cast<int>(random() % static_cast<unsigned>(experts));
            for (int e = 0; e < experts; ++e)
                if (static_cast<int>(random() % static_cast<unsigned>(experts * (1 + e % 4))) < most) named.push_back(e);
            std::vector<std::int32_t> list = named;
            list.push_back(experts);
            list.resize(static_cast<std::size_t>(experts) + 1, -1);
            active.fill(list);
            count.fill({static_cast<std::int32_t>(named.size()) + 1});
            const CacheState::Decision wanted = twin.decide(named);
            ASSERT_EQ(fillCache(launcher(true), cache, entries, 32, result), cudaSuccess);
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            EXPECT_EQ(result->missed, wanted.missed);
            EXPECT_EQ(work.host()[0].count, static_cast<std::int32_t>(wanted.copies.size()));
            EXPECT_EQ(work.host()[0].ticket, 0U);
            EXPECT_TRUE(slotOf.host() == twin.slotOf) << "pass " << pass;
            EXPECT_TRUE(expertIn.host() == twin.expertIn) << "pass " << pass;
            EXPECT_TRUE(score.host() == twin.score);
        }
        const std::vector<const std::byte*> places = table.host();
        const std::vector<std::byte> held = memory.host();
        for (int e = 0; e < experts; ++e) {
            const std::int32_t slot = twin.slotOf[static_cast<std::size_t>(e)];
            EXPECT_EQ(places[static_cast<std::size_t>(e)], slot < 0 ? records + e * kBytes : memory.data() + slot * kBytes);
            if (slot >= 0) {
                EXPECT_TRUE(std::equal(records + e * kBytes, records + (e + 1) * kBytes, held.begin() + slot * kBytes));
            }
        }
        cudaFreeHost(records);
        cudaFreeHost(result);
    }
}

TEST_F(Cache, CountsWhatAPromptMisses) {
    const DeviceBuffer<std::int32_t> slotOf(std::vector<std::int32_t>{-1, 0, -1, 1, -1});
    const DeviceBuffer<std::uint8_t> used(std::vector<std::uint8_t>{1, 1, 1});
    LayerResult* result = nullptr;
    ASSERT_EQ(cudaMallocHost(&result, sizeof(LayerResult)), cudaSuccess);
    *result = LayerResult{4, 0, 0.0F, 77, 9};
    ExpertCache cache;
    cache.slotOf = slotOf.data();
    cache.experts = 5;
    ASSERT_EQ(countMissing(launcher(true), cache, used.data(), 0, 3, result), cudaSuccess);
    ASSERT_EQ(countMissing(launcher(true), cache, used.data(), 3, 2, result), cudaSuccess);
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(result->missed, 3);  // 0 and 2 of the first, 4 of the second
    EXPECT_EQ(result->stall, 0);
    EXPECT_EQ(result->distinct, 4);
    cudaFreeHost(result);
}

}  // namespace
}  // namespace trefoil::cuda
