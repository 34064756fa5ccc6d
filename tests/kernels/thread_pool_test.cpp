#include "kernels/cpu/thread_pool.h"

#include <gtest/gtest.h>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace trefoil::test {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
    for (const int threads : {-1, 0, 1, 2, 3, 8}) {
        kernels::ThreadPool pool(threads);
        EXPECT_GE(pool.threads(), 1);
        for (const std::int64_t tasks : {0, 1, 2, 7, 100, 1000}) {
            std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
            std::atomic<bool> workersInRange{true};
            pool.run(tasks, [&](std::int64_t i, int worker) {
                runs[static_cast<std::size_t>(i)].fetch_add(1);
                if (worker < 0 || worker >= pool.threads()) workersInRange.store(false);
            });
            for (const auto& r : runs) EXPECT_EQ(r.load(), 1);
            EXPECT_TRUE(workersInRange.load());
        }
    }
}

TEST(ThreadPool, ResultsAreSeenAfterTheRun) {
    kernels::ThreadPool pool(4);
    std::vector<int> values(64);
    for (int round = 0; round < 2000; ++round) {
        pool.run(64, [&](std::int64_t i, int) { values[static_cast<std::size_t>(i)] += static_cast<int>(i); });
        for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<int>(i) * (round + 1));
    }
}

TEST(ThreadPool, HelpersWakeAfterSleeping) {
    kernels::ThreadPool pool(3);
    for (int round = 0; round < 5; ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // longer than helpers spin
        std::atomic<int> sum{0};
        pool.run(50, [&](std::int64_t i, int) { sum.fetch_add(static_cast<int>(i)); });
        EXPECT_EQ(sum.load(), 49 * 50 / 2);
    }
}

}  // namespace
}  // namespace trefoil::test
